"""FiniteMechanism: any mechanism with finitely many inputs and outputs, as a table of probabilities."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privet.core import Mechanism, Sensitivity
from privet.errors import InvalidParameter
from privet.loss import FiniteCurve, Guarantee, PrivacyLoss, WorstOfCurve
from privet.loss.exact import Exact, exact_within, readable, whole
from privet.loss.outward import float_up, log_above
from privet.mechanisms.randomized_response import LEAST
from privet.noise import BitSource
from privet.noise.weighted import WeightedLaw

Row = tuple[Fraction, ...]
Matrix: TypeAlias = Sequence[Sequence[Exact]] | NDArray[Any]
ROUNDED = Fraction(1, 10**9)


@dataclass(frozen=True)
class WorstCase:
    """Where a table reveals most.

    Args:
        column: the output that reveals most.
        rows: two neighboring inputs; the first is `ratio` times as likely to give it as the second.
        ratio: exact; infinite if the second never gives it.
        epsilon: ln of the ratio, rounded up.
    """

    column: int
    rows: tuple[int, int]
    ratio: Fraction | float
    epsilon: float


@dataclass(frozen=True, init=False, repr=False)
class FiniteMechanism(Mechanism[int, int]):
    """Draws a column with the probabilities that a row of a table says.

    Args:
        matrix: one row for each input, one column for each output; entries >= 0, exact. Rows must add up to 1 within
            1e-9 and are then divided by their sum, so that printed tables with rounded entries can be typed in.
        sensitivity: how many rows up or down one unit can move the input, for inputs that are counts. Without it any
            row can become any other, as in the local model.

    Privacy: δ(ε) = max over neighboring rows of the sum of (P - e^ε Q)+, exact; so ε = ln max P/Q over columns and
        neighboring rows. An output that only one of two neighbors can give has infinite loss: it counts as δ.
    Proof: the supremum over sets of outputs is reached by those where P > e^ε Q.

    Example:
        >>> table = FiniteMechanism([[0.5, 0.3, 0.2], [0.3, 0.5, 0.2], [0.2, 0.3, 0.5]])
        >>> table.worst()
        WorstCase(column=0, rows=(0, 2), ratio=Fraction(5, 2), epsilon=0.9162907318741551)
        >>> round(table.delta(0.5), 6)
        0.170256
        >>> merged = table @ [[1, 0], [1, 0], [0, 1]]  # the first two outputs become one
        >>> merged.worst().ratio
        Fraction(5, 2)
    """

    matrix: tuple[Row, ...]
    sensitivity: int | None

    def __init__(self, matrix: Matrix, *, sensitivity: int | None = None) -> None:
        self._keep(matrix=_table(matrix))
        self._keep(sensitivity=None if sensitivity is None else whole(sensitivity, "sensitivity"))

    # --- what it reveals --------------------------------------------------------------------------------------

    @cached_property
    def loss(self) -> PrivacyLoss:
        """The exact curve over all pairs of neighboring rows."""
        if self._any_row:
            return PrivacyLoss.of(FiniteCurve(self.matrix))
        pairs = dict.fromkeys(PrivacyLoss.of(FiniteCurve((p, q))) for p, q in self._neighboring())
        return PrivacyLoss.of(WorstOfCurve(tuple(pairs)))

    def worst(self) -> WorstCase:
        """The output and the two inputs that reveal most; an output that no row gives is skipped."""
        return self._worst

    @cached_property
    def _worst(self) -> WorstCase:
        reach = len(self.matrix) if self._any_row else self.sensitivity or 0
        found = WorstCase(0, (0, 0), Fraction(1), 0.0)
        for column, entries in enumerate(zip(*self.matrix, strict=True)):
            tops = [entries.index(max(entries))] if self._any_row else range(len(entries))
            for top in tops:
                near = range(max(top - reach, 0), min(top + reach + 1, len(entries)))
                least = min(near, key=entries.__getitem__)
                ratio = entries[top] / entries[least] if entries[least] else math.inf if entries[top] else 0
                if ratio > found.ratio:
                    found = WorstCase(column, (top, least), ratio, _log_above(ratio))
        return found

    def delta(self, epsilon: Exact) -> float:
        """The smallest δ at this ε, from above."""
        return self.loss.delta(epsilon)

    def keeps(self, promise: Guarantee) -> bool:
        """Whether P(T) <= e^ε P'(T) + δ for all sets T of outputs and neighboring rows, decided without rounding.

        Example:
            >>> coins = FiniteMechanism([["3/4", "1/4"], ["1/4", "3/4"]])
            >>> coins.keeps(Guarantee(math.log(3))), coins.keeps(Guarantee("1.0986"))
            (True, False)
        """
        return self.loss.meets(promise)

    def accuracy(self, truth: Sequence[int] | None = None) -> Row:
        """The probability of the right output for each input.

        Args:
            truth: the right column for each row; by default the one with the row's own number.
        """
        right = range(len(self.matrix)) if truth is None else truth
        if len(right) != len(self.matrix):
            raise InvalidParameter(f"truth must name one column for each of {len(self.matrix)} rows, got {len(right)}")
        wanted = zip(self.matrix, right, strict=True)
        return tuple(row[column] if 0 <= column < len(row) else Fraction(0) for row, column in wanted)

    # --- post-processing --------------------------------------------------------------------------------------

    def __matmul__(self, matrix: "Matrix | FiniteMechanism") -> "FiniteMechanism":
        """The mechanism whose outputs are the inputs of another table: never less private than this one.

        Proof: a row of the product is a mixture of the other table's rows, drawn by this one's output alone.
        """
        other = matrix.matrix if isinstance(matrix, FiniteMechanism) else _table(matrix)
        if len(other) != len(self.matrix[0]):
            raise InvalidParameter(f"the next table must have {len(self.matrix[0])} rows, got {len(other)}")
        columns = tuple(zip(*other, strict=True))
        product = [[sum(map(Fraction.__mul__, row, column), Fraction(0)) for column in columns] for row in self.matrix]
        return FiniteMechanism(product, sensitivity=self.sensitivity)

    # --- a mechanism ------------------------------------------------------------------------------------------

    def covers(self, sensitivity: Sensitivity) -> bool:
        """Compared in rows; without a sensitivity of its own, any move is covered."""
        return self._any_row or math.floor(sensitivity.linf) <= (self.sensitivity or 0)

    def check(self, value: int) -> None:
        """Refuse what is not the number of a row."""
        number: object = value
        whole_number = isinstance(number, int | np.integer) and not isinstance(number, bool)
        if not whole_number or not 0 <= value < len(self.matrix):
            raise InvalidParameter(
                f"the value must be the number of a row: a whole number from 0 to {len(self.matrix) - 1}"
            )

    def sample(self, value: int, source: BitSource) -> int:
        """The number of a column."""
        self.check(value)
        return self._laws[value].one(source)

    @cached_property
    def _laws(self) -> tuple[WeightedLaw, ...]:
        return tuple(WeightedLaw(row) for row in self.matrix)

    @property
    def _any_row(self) -> bool:
        """True if all rows are neighbors."""
        return self.sensitivity is None or self.sensitivity >= len(self.matrix) - 1

    def _neighboring(self) -> Iterable[tuple[Row, Row]]:
        """All pairs of neighboring rows."""
        most = len(self.matrix) if self.sensitivity is None else self.sensitivity
        near = ((i, j) for i, j in combinations(range(len(self.matrix)), 2) if j - i <= most)
        return ((self.matrix[i], self.matrix[j]) for i, j in near)

    def __repr__(self) -> str:
        near = "" if self._any_row else f", sensitivity={self.sensitivity}"
        shape = f"{len(self.matrix)} rows, {len(self.matrix[0])} columns"
        return f"FiniteMechanism({shape}, ε={readable(self.worst().epsilon)}{near})"


def _table(matrix: Matrix) -> tuple[Row, ...]:
    """Return the exact rows, each divided by its sum, which must be 1 within the rounding of a printed table."""
    try:
        rows = [[exact_within(entry, "every entry of matrix", low=0, high=1) for entry in row] for row in matrix]
    except TypeError:
        raise InvalidParameter("matrix must be rows of probabilities, such as [[0.75, 0.25], [0.25, 0.75]]") from None
    if not rows or len({len(row) for row in rows}) != 1:
        raise InvalidParameter("matrix must have at least one row, and rows of equal length")
    totals = [sum(row, Fraction(0)) for row in rows]
    off = max(totals, key=lambda total: abs(total - 1))
    if abs(off - 1) > ROUNDED:
        raise InvalidParameter(f"every row of matrix must add up to 1, got {readable(off)}: divide it by its sum")
    if any(0 < entry < LEAST for row in rows for entry in row):
        raise InvalidParameter("every entry of matrix must be 0 or at least 2^-1000: smaller ones cannot be priced")
    return tuple(tuple(entry / total for entry in row) for row, total in zip(rows, totals, strict=True))


def _log_above(ratio: Fraction | float) -> float:
    return float_up(log_above(ratio)) if isinstance(ratio, Fraction) else math.inf
