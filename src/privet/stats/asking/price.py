"""Price: what an answer may cost, as the caller put it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privet.core import Mechanism
from privet.errors import InvalidParameter
from privet.loss import ConcentratedGuarantee, EpsilonSum, Guarantee, Promise, ZcdpSum
from privet.loss.exact import Exact, exact, shortest
from privet.mechanisms.additive import positive

WAYS = "epsilon, epsilon and delta, rho, or a mechanism"


@dataclass(frozen=True)
class Price:
    """Exactly one of: epsilon, epsilon and delta, rho, a ready mechanism.

    Example:
        >>> Price.of({"epsilon": 1, "delta": 1e-6}).limit
        (ε=1, δ=1e-6)-DP
        >>> Price.of({"rho": "0.5"}).limit
        (ρ=0.5)-zCDP
    """

    epsilon: Fraction | None = None
    delta: Fraction = Fraction(0)
    rho: Fraction | None = None
    mechanism: Mechanism[Any, Any] | None = None

    @classmethod
    def of(cls, asking: Mapping[str, Any]) -> "Price":
        """Return the price in a caller's keywords; refuses none, and more than one."""
        given = [name for name in ("epsilon", "rho", "mechanism") if asking.get(name) is not None]
        if len(given) != 1:
            got = " and ".join(given) if given else "none of them"
            raise InvalidParameter(f"the price must be exactly one of {WAYS}, got {got}: for example epsilon=1")
        delta = _share(asking.get("delta"))
        if given == ["epsilon"]:
            return cls(epsilon=positive(asking["epsilon"], "epsilon"), delta=delta)
        if given == ["rho"]:
            if delta:
                raise InvalidParameter("delta does not go with rho: leave it out, or ask with epsilon and delta")
            return cls(rho=positive(asking["rho"], "rho"))
        if not isinstance(asking["mechanism"], Mechanism):
            raise InvalidParameter(f"mechanism must be a Mechanism, got {type(asking['mechanism']).__name__}")
        return cls(delta=delta, mechanism=asking["mechanism"])

    @property
    def limit(self) -> Promise:
        """The promise of a ledger that allows one answer at this price and nothing else."""
        if self.epsilon is not None:
            return Guarantee(self.epsilon, self.delta)
        if self.rho is not None:
            return ConcentratedGuarantee(self.rho)
        return _limit_of(self.mechanism, self.delta)


def _limit_of(mechanism: Mechanism[Any, Any] | None, delta: Fraction) -> Promise:
    if mechanism is None:
        raise TypeError("a price without numbers has a mechanism")
    pure = mechanism.loss.epsilon(0)
    if math.isfinite(pure):
        return Guarantee(pure)
    if delta:
        return Guarantee(EpsilonSum().cost(mechanism.loss, delta=delta).epsilon, delta)
    return mechanism.promise or ConcentratedGuarantee(ZcdpSum().cost(mechanism.loss).parts[0])


def _share(delta: Exact | None) -> Fraction:
    share = Fraction(0) if delta is None else exact(delta, "delta")
    if not 0 <= share < 1:
        raise InvalidParameter(f"delta must be in [0, 1), got {shortest(share)}: it is a probability of failing")
    return share
