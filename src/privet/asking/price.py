"""Price: what an answer may cost: a budget for which noise is chosen, or a mechanism that the caller has ready."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privet.asking.budget import Budget
from privet.core import Mechanism
from privet.errors import InvalidParameter
from privet.loss import ConcentratedGuarantee, EpsilonSum, Guarantee, Promise, ZcdpSum
from privet.loss.guarantee import failing

WAYS = "epsilon, epsilon and delta, rho, risk, or a mechanism"


@dataclass(frozen=True)
class Price:
    """Exactly one of: a budget, a ready mechanism.

    Args:
        budget: what may be spent; the noise is chosen for it.
        mechanism: a ready one instead.
        charged_delta: with a mechanism, the δ at which a ledger that counts ε and δ charges it; 0 for none.

    Example:
        >>> Price.of({"epsilon": 1, "delta": 1e-6}).limit
        (ε=1, δ=1e-6)-DP
        >>> Price.of({"rho": "0.5"}).limit
        (ρ=0.5)-zCDP
    """

    budget: Budget | None = None
    mechanism: Mechanism[Any, Any] | None = None
    charged_delta: Fraction = Fraction(0)

    @classmethod
    def of(cls, asking: Mapping[str, Any]) -> "Price":
        """Return the price in a caller's keywords; refuses none, and more than one."""
        given = [name for name in ("epsilon", "rho", "risk", "mechanism") if asking.get(name) is not None]
        if len(given) != 1:
            got = " and ".join(given) if given else "none of them"
            raise InvalidParameter(f"the price must be exactly one of {WAYS}, got {got}: for example epsilon=1")
        if given != ["mechanism"]:
            budget = Budget.of(**{name: asking.get(name) for name in ("epsilon", "delta", "rho", "risk")})
            if budget.delta:
                raise InvalidParameter("delta does not go with rho: leave it out, or ask with epsilon and delta")
            return cls(budget)
        if not isinstance(asking["mechanism"], Mechanism):
            raise InvalidParameter(f"mechanism must be a Mechanism, got {type(asking['mechanism']).__name__}")
        delta = asking.get("delta")
        return cls(mechanism=asking["mechanism"], charged_delta=failing(0 if delta is None else delta, "delta"))

    @property
    def epsilon(self) -> Fraction | None:
        """The ε of the budget, if it has one."""
        return None if self.budget is None else self.budget.epsilon

    @property
    def delta(self) -> Fraction:
        """The δ of the budget; 0 if it has none."""
        promise = None if self.budget is None else self.budget.promise
        return promise.delta if isinstance(promise, Guarantee) else Fraction(0)

    @property
    def rho(self) -> Fraction | None:
        """The ρ of the budget, if it has one."""
        return None if self.budget is None else self.budget.rho

    @property
    def limit(self) -> Promise:
        """The promise of a ledger that allows one answer at this price and nothing else."""
        if self.budget is not None:
            return self.budget.promise
        return _limit_of(self.mechanism, self.charged_delta)


def _limit_of(mechanism: Mechanism[Any, Any] | None, delta: Fraction) -> Promise:
    if mechanism is None:
        raise TypeError("a price without a budget has a mechanism")
    pure = mechanism.loss.epsilon(0)
    if math.isfinite(pure):
        return Guarantee(pure)
    if delta:
        return Guarantee(EpsilonSum().cost(mechanism.loss, delta=delta).epsilon, delta)
    return mechanism.promise or ConcentratedGuarantee(ZcdpSum().cost(mechanism.loss).parts[0])
