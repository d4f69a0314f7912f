"""Price: what an answer may cost: a budget for which noise is chosen, or a mechanism that the caller has ready."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privet.asking.budget import Budget
from privet.asking.least_amount import least_amount, short_amounts
from privet.asking.wanted_error import WantedError
from privet.core import Mechanism
from privet.core.uncertainty import refuse_certainty
from privet.errors import InvalidParameter
from privet.loss import ConcentratedGuarantee, EpsilonSum, Guarantee, Promise, ZcdpSum
from privet.loss.exact import whole
from privet.loss.guarantee import failing

WAYS = "epsilon, epsilon and delta, rho, risk, error, or a mechanism"


@dataclass(frozen=True)
class Price:
    """Exactly one of: a budget, a ready mechanism, an error for which the least budget is found (`least`).

    Args:
        budget: what may be spent; the noise is chosen for it.
        mechanism: a ready one instead.
        charged_delta: with a mechanism, the δ at which a ledger that counts ε and δ charges it; with an error, the δ
            beside the ε that is found; 0 for none.
        error: the margin that will do.
        confidence: of that margin.
        rows: how many rows are expected, for margins that depend on it.

    Example:
        >>> Price.of({"epsilon": 1, "delta": 1e-6}).limit
        (ε=1, δ=1e-6)-DP
        >>> Price.of({"rho": "0.5"}).limit
        (ρ=0.5)-zCDP
    """

    budget: Budget | None = None
    mechanism: Mechanism[Any, Any] | None = None
    charged_delta: Fraction = Fraction(0)
    error: WantedError | None = None
    confidence: float = 0.95
    rows: int | None = None

    @classmethod
    def of(cls, asking: Mapping[str, Any]) -> "Price":
        """Return the price in a caller's keywords; refuses none, and more than one."""
        given = [name for name in ("epsilon", "rho", "risk", "error", "mechanism") if asking.get(name) is not None]
        if len(given) != 1:
            got = " and ".join(given) if given else "none of them"
            raise InvalidParameter(f"the price must be exactly one of {WAYS}, got {got}: for example epsilon=1")
        delta = failing(0 if asking.get("delta") is None else asking["delta"], "delta")
        if given == ["error"]:
            rows = asking.get("rows")
            expected = None if rows is None else whole(rows, "rows")
            return cls(None, None, delta, WantedError.of(asking["error"]), asking.get("confidence", 0.95), expected)
        if said := [name for name in ("confidence", "rows") if asking.get(name) is not None]:
            raise InvalidParameter(f"{said[0]} goes with error: ask with error, or leave it out")
        if given != ["mechanism"]:
            budget = Budget.of(**{name: asking.get(name) for name in ("epsilon", "delta", "rho", "risk")})
            if budget.delta:
                raise InvalidParameter("delta does not go with rho: leave it out, or ask with epsilon and delta")
            return cls(budget)
        if not isinstance(asking["mechanism"], Mechanism):
            raise InvalidParameter(f"mechanism must be a Mechanism, got {type(asking['mechanism']).__name__}")
        return cls(mechanism=asking["mechanism"], charged_delta=delta)

    def least(self, margin: Callable[[Budget], float], about: str, *, concentrated: bool = False) -> "Price":
        """The least budget of four digits whose margin is small enough; itself where the price was said.

        Args:
            margin: at a budget, from public numbers.
            about: whose margin it is.
            concentrated: whether a ρ is looked for, because that is what a ledger counts.
        """
        if self.error is None:
            return self
        wanted = self.error.margin()
        if wanted is None:
            raise InvalidParameter(f'error is a percentage of what is not known yet: write "{self.error} of 1000"')
        delta = self.charged_delta

        def budget(amount: Fraction) -> Budget:
            return Budget.of(rho=amount) if concentrated else Budget.of(epsilon=amount, delta=delta or None)

        refuse_certainty(self.confidence, "confidence")
        found = least_amount(lambda amount: margin(budget(Fraction(f"{amount:.9g}"))) / float(wanted), about)
        return Price(next(each for amount in short_amounts(found) if margin(each := budget(amount)) <= wanted))

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
        raise TypeError("a price without a budget has a mechanism, once the budget of an error was found")
    pure = mechanism.loss.epsilon(0)
    if math.isfinite(pure):
        return Guarantee(pure)
    if delta:
        return Guarantee(EpsilonSum().cost(mechanism.loss, delta=delta).epsilon, delta)
    return mechanism.promise or ConcentratedGuarantee(ZcdpSum().cost(mechanism.loss).parts[0])


def refuse_unforeseen(price: Price, statistic: str) -> None:
    """Raise if an error is wanted of an answer whose margin public numbers do not tell."""
    if price.error is not None:
        raise InvalidParameter(
            f"how far {statistic} errs depends on the data, so no error of it can be kept: say epsilon; target_error "
            "tells what an ε buys of some statistics if the number of rows is known"
        )
