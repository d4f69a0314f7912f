"""Question: a statistic's columns and a caller's keywords, checked before anything is spent."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.asking.asking import refuse_unknown
from privet.asking.best_noise import best_noise
from privet.asking.bounds import Bounds
from privet.asking.column import NUMBERS, TIMES, ArrayColumn
from privet.asking.contributions import Codes, kept_rows, owner_at_time
from privet.asking.payment import ABOUT_ROWS, Payment
from privet.asking.price import Price, refuse_unforeseen
from privet.asking.scaled import Scaled, rescaled
from privet.asking.stored import Kind, anything_missing
from privet.core import Mechanism, Release, Sensitivity, Unit
from privet.core.mechanism import refuse_uncovered
from privet.errors import InvalidParameter
from privet.loss import EpsilonSum, Neighbors
from privet.loss.exact import exact, shown, whole
from privet.mechanisms import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace, Staircase
from privet.mechanisms.least_noise import Error, expected_error

Arrays = tuple[NDArray[Any], ...]
HIDDEN = (
    "a missing value may hide in a column of this type, so how many rows count is private and the noise is larger, of "
    'a mean up to twice: if none is missing, pass missing="none" (a stray one then counts as the middle of the bounds)'
)
MOST_ROWS = 2**29  # so that sums of lattice steps are exact in float64


@dataclass(frozen=True)
class Question:
    """What is asked, of which columns, at which price, about whom.

    Args:
        statistic: its name, the default purpose.
        columns: what the statistic is of; their lengths agree.
        payment: what the answer may cost, who pays and who is protected.
        rows: how many rows of the (kept) data one unit can have, so how many can come, go or change.
        missing: "drop", "none" or the number that a missing value counts as.
        unit_ids, times: the columns that decide which rows are kept.
        most: how many rows of each owner (at each time) are kept.
        windowed: whether an owner can have more rows than a unit, beyond its window.

    Privacy: all of it is public: parameters, types and lengths. Under "add_remove" the number of rows is a secret, and
        nothing but the checks of lengths (of columns that belong together) depends on it.
    """

    statistic: str
    columns: tuple[ArrayColumn, ...]
    payment: Payment
    rows: int
    most: int
    missing: Fraction | str = "drop"
    unit_ids: ArrayColumn | None = None
    times: ArrayColumn | None = None
    windowed: bool = False

    @classmethod
    def of(
        cls, statistic: str, values: tuple[Any, ...], asking: Mapping[str, Any], *, kinds: tuple[Kind, ...] = NUMBERS
    ) -> "Question":
        """Return the question, or refuse it with the reason; nothing is read and nothing spent.

        Args:
            statistic: its name.
            values: one column or more.
            asking: the caller's keywords, see `Asking`.
            kinds: what the types of the columns may hold.
        """
        refuse_unknown(asking, statistic)
        columns = tuple(ArrayColumn.of(each) for each in values)
        for column in columns:
            column.refuse_other_than(kinds, "values")
        unit_ids, times = (_column(asking, name) for name in ("unit_ids", "times"))
        if times is not None:
            times.refuse_other_than(TIMES, "times")
        _refuse_lengths(columns, unit_ids, times)
        most, rows = _rows(asking)
        days = times is not None and times.kind == "time"
        payment = Payment.of(statistic, asking, also=ABOUT_ROWS, days=days)
        missing, windowed = _missing(asking.get("missing", "drop")), _is(asking, "window")
        return cls(statistic, columns, payment, rows, most, missing, unit_ids, times, windowed)

    @property
    def price(self) -> Price:
        """What the answer may cost."""
        return self.payment.price

    @property
    def unit(self) -> Unit:
        """Who is protected."""
        return self.payment.unit

    @property
    def length(self) -> int:
        """How many rows the columns have; public only if `public_rows` is."""
        return self.columns[0].length

    @property
    def replaces(self) -> bool:
        """Whether neighbors have a unit replaced, not added or removed."""
        return self.unit.neighbors is Neighbors.REPLACE

    @property
    def counts_epsilon(self) -> bool:
        """Whether the answer is charged at its pure ε, not at a ρ or the like, which some pure mechanisms waste."""
        ledger = self.payment.ledger
        return self.price.rho is None and (ledger is None or isinstance(ledger.rule, EpsilonSum))

    @cached_property
    def public_rows(self) -> bool:
        """Whether the number of rows that count is the same for all neighbors, and so is known."""
        complete = self.missing != "drop" or not any(column.nullable for column in self.columns)
        return self.replaces and self.unit_ids is None and complete

    def noted(self, release: Release[Any]) -> Release[Any]:
        """Return the release of a mean or a sum, which need less noise if the number of rows is public, saying so.

        Privacy: the note follows from the keywords and the columns' types.
        """
        wanting = self.replaces and self.unit_ids is None and not self.public_rows
        return replace(release, note=HIDDEN) if wanting else release

    @property
    def changes(self) -> int:
        """By how many rows' weight one unit can move a vector of sums: a replaced row goes out and another comes in."""
        return 2 * self.rows if self.replaces else self.rows

    def fill(self, bounds: Bounds) -> Fraction | None:
        """What a missing value counts as; None if it counts for nothing."""
        if self.missing == "none":
            return bounds.middle
        return None if isinstance(self.missing, str) else self.missing

    def read(self) -> Arrays:
        """Return the rows that are kept, as numbers. Called inside a deferred secret only.

        Where missing values are dropped, so are their rows, and NaN is left where a type has it: no gap makes floats of
        whole numbers. Else columns whose types can hold missing values are floats, NaN where they are.
        """
        if self.missing == "drop":
            arrays, masks = zip(*(column.typed() for column in self.columns), strict=True)
            gaps = [mask for mask in masks if anything_missing(mask)]
        else:
            arrays = tuple(column.numbers() for column in self.columns)
            gaps = []
        if not gaps and self.unit_ids is None:
            return arrays
        kept = ~np.logical_or.reduce(gaps) if gaps else np.ones(self.length, dtype=np.bool_)
        if self.unit_ids is not None:
            owners = self.unit_ids.owners()
            if self.times is not None:
                owners = owner_at_time(owners, *self.times.times())
            kept = kept_rows(self._counting(arrays, np.where(kept, owners, -1)), most=self.most)
        return tuple(array[kept] for array in arrays)

    def _counting(self, arrays: Arrays, owners: Codes) -> Codes:
        """The owners of rows that count: a missing value must not take the place of one that does."""
        if self.missing == "drop":
            for array in arrays:
                if array.dtype.kind == "f":
                    owners = np.where(np.isnan(array), -1, owners)
        return owners

    def as_sure_as_wanted(self, margin: Callable[[Price], float]) -> "Question":
        """The same question at the least price that gives the error asked for; itself where the price was said.

        Args:
            margin: of the answer at a price, from public numbers alone.
        """
        return replace(self, payment=self.payment.as_sure_as_wanted(margin, self.statistic))

    def at(self, price: Price) -> "Question":
        """The same question at another price."""
        return replace(self, payment=replace(self.payment, price=price))

    def noise(
        self,
        sensitivity: Sensitivity,
        *,
        unit: Fraction | int = 1,
        integers: bool = False,
        error: Error = expected_error,
    ) -> Mechanism[Any, Any]:
        """Return the best mechanism for a number measured in multiples of `unit`, or the caller's own in that unit."""
        price = self.price
        refuse_unforeseen(price, self.statistic)
        if price.budget is not None:
            return best_noise(price.budget, sensitivity, whole=integers, error=error)
        if price.mechanism is None:
            raise TypeError("a price without a budget has a mechanism")
        refuse_other_noise(price.mechanism, integers=integers)
        ready = rescaled(price.mechanism, Fraction(unit))
        refuse_uncovered(ready, sensitivity)
        return ready

    def release(  # noqa: PLR0913 - what is computed and how it is brought back to the data's unit, each by name
        self,
        compute: Callable[[Arrays], Any],
        sensitivity: Sensitivity,
        *,
        unit: Fraction | int = 1,
        offset: Fraction | int = 0,
        rounding: Fraction | int = 0,
        integers: bool = False,
    ) -> Release[Any]:
        """Charge, compute and release a statistic.

        Args:
            compute: the exact answer from the kept rows, in multiples of `unit`.
            sensitivity: how far one unit can move that.
            unit: what the answer is multiplied by once the noise is in.
            offset: what is added then.
            rounding: how far the answer may lie from the exact one because rows are rounded to a lattice.
            integers: True if the answers are whole numbers and shall stay so.
        """

        def noise_of(question: Question) -> Mechanism[Any, Any]:
            mechanism = question.noise(sensitivity, unit=unit, integers=integers)
            if (unit, offset, rounding) == (1, 0, 0):
                return mechanism
            return Scaled(mechanism, factor=unit, offset=offset, rounding=rounding)

        def margin(price: Price) -> float:
            error = noise_of(self.at(price)).uncertainty
            return math.inf if error is None else error.margin(self.price.confidence)

        priced = self.as_sure_as_wanted(margin)
        return priced.release_by(noise_of(priced), compute, sensitivity)

    def release_by(
        self, mechanism: Mechanism[Any, Any], compute: Callable[[Arrays], Any], sensitivity: Sensitivity
    ) -> Release[Any]:
        """Charge, compute and release by a mechanism that was made for this sensitivity."""
        return self.payment.release(lambda: compute(self.read()), sensitivity, mechanism)


def refuse_other_noise(mechanism: Mechanism[Any, Any], *, integers: bool) -> None:
    """Raise if a ready mechanism does not add noise to numbers of this kind."""
    known = (Laplace, Staircase, Gaussian, *((DiscreteLaplace, DiscreteGaussian) if integers else ()))
    if not isinstance(mechanism, known):
        names = ", ".join(kind.__name__ for kind in known)
        raise InvalidParameter(
            f"the mechanism of this statistic must be one of {names}; got {type(mechanism).__name__}"
        )


def _column(asking: Mapping[str, Any], name: str) -> ArrayColumn | None:
    return None if asking.get(name) is None else ArrayColumn.of(asking[name], name)


def _refuse_lengths(columns: tuple[ArrayColumn, ...], unit_ids: ArrayColumn | None, times: ArrayColumn | None) -> None:
    also = [(name, column) for name, column in (("unit_ids", unit_ids), ("times", times)) if column is not None]
    for name, column in (*(("values", each) for each in columns), *also):
        if column.length != columns[0].length:
            raise InvalidParameter(f"{name} must have one entry for each row, as the first column has: lengths differ")
    if columns[0].length > MOST_ROWS:
        raise InvalidParameter(f"a column may have up to 2^29 = {MOST_ROWS:,} rows: aggregate parts of it in a query")


def _rows(asking: Mapping[str, Any]) -> tuple[int, int]:
    """How many rows of an owner (at a time) are kept, and how many rows one unit can have in all."""
    given = {name for name in ("unit_ids", "rows_per_unit", "times", "window", "rows_per_time") if _is(asking, name)}
    if given & {"times", "window", "rows_per_time"}:
        if not {"window", "rows_per_time"} <= given or "rows_per_unit" in given:
            raise InvalidParameter("w-event privacy needs window and rows_per_time, and not rows_per_unit")
        if ("times" in given) != ("unit_ids" in given):
            raise InvalidParameter("w-event privacy needs both times and unit_ids, or neither as the owner's promise")
        most = whole(asking["rows_per_time"], "rows_per_time")
        return most, most * whole(asking["window"], "window")
    if "unit_ids" in given and "rows_per_unit" not in given:
        raise InvalidParameter("unit_ids needs rows_per_unit, how many rows of each unit are kept: rows_per_unit=1")
    most = whole(asking["rows_per_unit"], "rows_per_unit") if "rows_per_unit" in given else 1
    return most, most


def _is(asking: Mapping[str, Any], name: str) -> bool:
    return asking.get(name) is not None


def _missing(policy: Any) -> Fraction | str:  # noqa: ANN401 - whatever a caller hands over is refused in words
    if isinstance(policy, str) and policy in ("drop", "none"):
        return policy
    if isinstance(policy, str) or policy is None:
        raise InvalidParameter(f'missing must be "drop", "none" or a number, got {shown(policy)}')
    return exact(policy, "missing")
