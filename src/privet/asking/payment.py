"""Payment: who pays for an answer, at which price, about whom, and under which key a retry finds it again."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from privet.asking.asking import refuse_unknown
from privet.asking.price import Price
from privet.asking.protected_unit import unit_of
from privet.core import Ledger, Mechanism, Release, Sensitive, Sensitivity, Unit
from privet.errors import InvalidParameter
from privet.loss import ConcentratedGuarantee, Guarantee, Promise
from privet.loss.exact import shown

ABOUT_ROWS = ("unit_ids", "rows_per_unit", "times", "window", "rows_per_time", "missing")


@dataclass(frozen=True)
class Payment:
    """What the keywords of `Asking` say about paying: the one place where a statistic is charged and released.

    Args:
        price: what the answer may cost.
        unit: who is protected.
        ledger: which is charged; without one, a ledger in memory that allows this one answer.
        purpose: what the answer is for.
        key: makes asking again safe: the ledger gives back the answer that it was given before.
    """

    price: Price
    unit: Unit
    ledger: Ledger | None = field(repr=False)
    purpose: str
    key: str | None

    @classmethod
    def of(
        cls, statistic: str, asking: Mapping[str, Any], *, also: tuple[str, ...] = (), days: bool = False
    ) -> "Payment":
        """Return what the keywords say, or refuse them; nothing is read and nothing spent.

        Args:
            statistic: its name, the default purpose.
            asking: the caller's keywords.
            also: those about rows that this statistic understands; where the data is whatever a function takes, none.
            days: whether the type of the times says that they are dates.
        """
        refuse_unknown(asking, statistic)
        for name in ABOUT_ROWS:
            if name not in also and asking.get(name) is not None:
                raise InvalidParameter(f"{statistic} does not take {name}: your function gets the data as it is")
        if asking.get("error") is not None and not also:
            raise InvalidParameter(f"how far {statistic} errs depends on your function and the data: say epsilon")
        ledger = asking.get("ledger")
        if ledger is not None and not isinstance(ledger, Ledger):
            raise InvalidParameter(f"ledger must be a Ledger or a Reservation, got {type(ledger).__name__}")
        unit = unit_of(asking, ledger, days=days)
        return cls(Price.of(asking), unit, ledger, _purpose(asking, statistic), asking.get("key"))

    def as_sure_as_wanted(self, margin: Callable[[Price], float], about: str) -> "Payment":
        """The same at the least price that gives the error asked for; itself where the price was said.

        Args:
            margin: of the answer at a price, from public numbers alone.
            about: whose margin it is.
        """
        if self.price.error is None:
            return self
        counts_rho = self.ledger is not None and isinstance(self.ledger.limit, ConcentratedGuarantee)
        found = self.price.least(lambda budget: margin(Price(budget)), about, concentrated=counts_rho)
        return replace(self, price=found)

    def release(
        self,
        compute: Callable[[], Any],
        sensitivity: Sensitivity,
        mechanism: Mechanism[Any, Any],
        *,
        kinds: tuple[type, ...] = (),
    ) -> Release[Any]:
        """Charge, compute and release."""
        secret = Sensitive.later(compute, sensitivity, self.unit)
        ledger = self.ledger if self.ledger is not None else Ledger(self._limit(sensitivity), unit=self.unit)
        delta = self.price.charged_delta or None
        return ledger.release(secret, mechanism, purpose=self.purpose, delta=delta, key=self.key, kinds=kinds)

    def _limit(self, sensitivity: Sensitivity) -> Promise:
        """The promise of this one answer: random DP if its sensitivity was sampled."""
        limit = self.price.limit
        if not sensitivity.gamma:
            return limit
        if not isinstance(limit, Guarantee):
            raise InvalidParameter("a sampled sensitivity has a γ, which a ρ has no place for: ask with epsilon")
        return Guarantee(limit.epsilon, limit.delta, sensitivity.gamma)


def _purpose(asking: Mapping[str, Any], statistic: str) -> str:
    """What the answer is for, in words; the statistic's name if nothing is said."""
    said = asking.get("purpose")
    if said is not None and not isinstance(said, str):
        raise InvalidParameter(f"purpose must say in words what the answer is for, got {shown(said)}")
    return said or statistic
