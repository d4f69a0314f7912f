"""Asking: the keywords that every statistic takes."""

from collections.abc import Mapping
from typing import Any, TypedDict

from privet.core import Ledger, Mechanism, Unit
from privet.errors import InvalidParameter
from privet.loss import Neighbors
from privet.loss.exact import Exact
from privet.loss.risk import Risk
from privet.wording.nearest import nearest


class Asking(TypedDict, total=False):
    """How to ask: the price, who pays, who is protected, and which rows count.

    The price is exactly one of: `epsilon`; `epsilon` and `delta`; `rho`; `risk`; `error`; `mechanism`.

    Args:
        epsilon: > 0; the answer is epsilon-DP, or (epsilon, delta)-DP with a delta.
        delta: in (0, 1); allows Gaussian noise where that is less. With `mechanism`, the δ it is charged at.
        rho: > 0; the answer is rho-zCDP, by Gaussian noise.
        risk: in the place of epsilon, what an attacker may gain at most: a `Risk`, or a text such as "50% to 60%".
        error: in the place of epsilon, the margin that will do, where public numbers tell it: 5, or "2% of 40000"; of
            quantiles in rows. The least ε that gives it is found, beside `delta`; or the least ρ for a ledger of ρ.
        confidence: of that margin, 0.95 by default.
        rows: how many rows are expected, for the error of a mean or proportion whose number of rows is not public.
        mechanism: a ready mechanism, for the statistic's sensitivity in the statistic's own unit.
        ledger: a `Ledger` or `Reservation`, which is charged. Without one, a ledger in memory is made that allows
            this one answer.
        purpose: what the answer is for, as the ledger records it; by default the statistic's name.
        key: makes asking again safe: the same key with the same question returns the stored answer.
        neighbors: which datasets must look alike: "add_remove" (one unit more or less, the default) or "replace".
            With a ledger it is the ledger's, and another one is refused.
        unit: who is protected, a name or a `Unit`; "person" by default, or the ledger's.
        unit_ids: a column that says to whom each row belongs; rows without an owner count for nothing. In a pandas
            column of numpy's types, numbers beyond 2^53 are no owners: floats do not tell them apart.
        rows_per_unit: how many rows of each owner are kept, spread evenly over the rows there are. Required with
            `unit_ids`; without them it is the data owner's promise that nobody has more rows. 1 by default.
        times: a column of whole numbers or dates, for w-event privacy: neighbors then differ in one unit's rows
            within any `window` consecutive times. Needs `unit_ids`.
        window: how many consecutive times are protected together; it is part of the unit's name, "person's 7
            consecutive times", and a ledger must be of that unit.
        rows_per_time: how many rows of each unit are kept at each time; without `times` it is a promise, like
            `rows_per_unit`.
        missing: what a missing value (None, NaN, NaT, null, masked) counts as: "drop" (the default): it counts for
            nothing; a number: it counts as that number; "none": the caller declares that there is none, which makes the
            number of rows public under "replace"; a stray one then counts as the middle of the bounds.

    Example:
        >>> from privet import Guarantee, Ledger, count, mean
        >>> asking: Asking = {"epsilon": "0.25", "ledger": Ledger(Guarantee(1), unit=Unit("person"))}
        >>> _ = count([30, 40, 50], **asking), mean([30, 40, 50], bounds=(0, 110), **asking)
        >>> asking["ledger"].spent
        ε=0.5, δ=0
    """

    epsilon: Exact
    delta: Exact
    rho: Exact
    risk: Risk | str
    error: Exact
    confidence: float
    rows: int
    mechanism: Mechanism[Any, Any]
    ledger: Ledger
    purpose: str
    key: str
    neighbors: Neighbors | str
    unit: Unit | str
    unit_ids: Any
    rows_per_unit: int
    times: Any
    window: int
    rows_per_time: int
    missing: Exact


def refuse_unknown(asking: Mapping[str, object], statistic: str) -> None:
    """Raise if a keyword is not one of `Asking`; the nearest known one is named."""
    for name in asking:
        if name not in Asking.__annotations__:
            raise InvalidParameter(
                f"{statistic} does not take the keyword {name!r}{nearest(name, Asking.__annotations__)}"
            )
