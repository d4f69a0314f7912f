"""Curves of mechanisms with finitely many inputs and outputs."""

import math
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import permutations
from typing import Self, cast

import numpy as np

from privet.errors import InvalidParameter
from privet.loss.curve import ROUNDING, Array, LossCurve, rounded_up
from privet.loss.curves.pure import response_renyi
from privet.loss.divergences.divergence import renyi_of_loss
from privet.loss.exact import Exact, exact_within, float_at_least, shortest, whole
from privet.loss.guarantee import Guarantee
from privet.loss.outward import exp_below, log_above

Table = tuple[tuple[Fraction, ...], ...]
Pair = tuple[Array, Array]  # probability of each output under P, and its loss log(P/Q)
LARGE = 700.0  # exponents up to here are floats
LEAST = Fraction(1, 2**1000)  # ratios from here to its inverse are floats with all their digits
SURELY = 1e-9  # a delta that is too large by more needs no second look
NO_LOSS = 1e-12  # losses that differ by less are one loss


class TableCurve(LossCurve):
    """A curve read off a table of probabilities: one row for each input, one column for each output.

    Privacy: delta(e) = max over ordered pairs of rows of the sum of (P - e^e Q)+, exact.
    Proof: the supremum over sets is reached by the set of outputs where P > e^e Q. All ordered pairs of rows
        are neighbors, so both directions have the same curve; an output that only P can give has infinite loss.
    """

    @property
    @abstractmethod
    def rows(self) -> Table:
        """The probabilities."""

    @cached_property
    def pairs(self) -> list[Pair]:
        """The different ordered pairs of rows, each as sorted losses with their probabilities."""
        found: dict[bytes, Pair] = {}
        for one, other in permutations(self.rows, 2):
            kept = [(p, q) for p, q in zip(one, other, strict=True) if p]
            mass = np.array([float_at_least(p) for p, _ in kept])
            loss = np.array([log_ratio(p, q) for p, q in kept])
            order = np.lexsort((mass, loss))
            pair = (mass[order], loss[order])
            found.setdefault(pair[0].tobytes() + pair[1].tobytes(), pair)
        return list(found.values())

    def removing(self, epsilon: Array) -> Array:
        """Delta at each epsilon."""
        worst = np.zeros_like(epsilon)
        for mass, loss in self.pairs:
            finite = np.isfinite(loss)
            upper = loss[finite] + 2.0**-50 * (1 + np.abs(loss[finite]))
            inside = -np.expm1(np.minimum(epsilon[..., None] - upper, 0.0))
            worst = np.maximum(worst, inside @ mass[finite] + mass[~finite].sum())
        return rounded_up(worst)

    @cached_property
    def finite_losses(self) -> Array:
        """The sizes of all finite losses."""
        losses = [np.abs(loss[np.isfinite(loss)]) for _, loss in self.pairs]
        return np.unique(np.concatenate([np.zeros(1), *losses]))

    @cached_property
    def largest_ratio(self) -> Fraction:
        """The largest ratio of two probabilities of one output that is not infinite, exactly."""
        columns = ([p for p in column if p] for column in zip(*self.rows, strict=True))
        return max((max(column) / min(column) for column in columns if column), default=Fraction(1))

    @cached_property
    def largest_loss(self) -> Fraction:
        """Its logarithm, rounded up to 40 digits."""
        return log_above(self.largest_ratio)

    @cached_property
    def _unbounded(self) -> Fraction:
        """The largest probability of outputs that the other row never gives."""
        if all(all(column) or not any(column) for column in zip(*self.rows, strict=True)):
            return Fraction(0)
        pairs = permutations(self.rows, 2)
        return max(sum((p for p, q in zip(*pair, strict=True) if not q), Fraction(0)) for pair in pairs)

    def unbounded(self, *, adding: bool) -> Fraction:  # noqa: ARG002 - the same in both directions
        """The largest probability of outputs that the other row never gives."""
        return self._unbounded

    def keeps(self, promise: Guarantee) -> bool:
        """Whether P(T) <= e^ε P'(T) + δ for all sets T of outputs and all rows, decided without rounding."""
        grown = exp_below(promise.epsilon)
        if self._unbounded > promise.delta:
            return False
        if self._unbounded == 0 and self.largest_ratio <= grown:
            return True
        if not promise.delta or self.removing(np.array([float(promise.epsilon)]))[0] - SURELY > promise.delta:
            return False
        return all(excess(one, other, grown) <= promise.delta for one, other in permutations(self.rows, 2))

    @property
    def spacing(self) -> float | None:
        """The smallest loss, if all others are whole multiples of it."""
        losses = self.finite_losses[self.finite_losses > NO_LOSS]
        if not losses.size or np.any(np.abs(losses / losses[0] - np.rint(losses / losses[0])) > NO_LOSS):
            return None
        return float(losses[0])

    @property
    def atomic(self) -> bool:
        """Finite, so every loss is an atom."""
        return self.spacing is not None

    def renyi(self, order: float) -> tuple[float, float]:
        """The definition, for the worst ordered pair of rows."""
        worst = max((renyi_of_loss(mass, loss, order) for mass, loss in self.pairs), default=0.0)
        return worst, worst


def excess(one: Iterable[Fraction], other: Iterable[Fraction], grown: Fraction) -> Fraction:
    """Return the sum of what one row has above `grown` times the other: P(T) - grown P'(T) for the worst set T."""
    return sum((p - grown * q for p, q in zip(one, other, strict=True) if p > grown * q), Fraction(0))


def log_ratio(p: Fraction, q: Fraction) -> float:
    """Return ln(p / q) for p > 0, to a few units in the last place relative to itself; infinite for q = 0.

    Near 1 the exact ratio less 1 goes through log1p, so that a loss of 1e-17 is not taken for none.
    """
    if q == 0:
        return math.inf
    ratio = p / q
    if abs(ratio - 1) * 2 <= 1:
        return math.log1p(float(ratio - 1))
    if LEAST < ratio < 1 / LEAST:
        return math.log(float(ratio))
    return math.log(ratio.numerator) - math.log(ratio.denominator)


@dataclass(frozen=True)
class FiniteCurve(TableCurve):
    """Any mechanism given by its table of probabilities.

    Args:
        matrix: one row for each input, one column for each output; entries >= 0, every row adds up to 1.

    Privacy and proof: see `TableCurve`.

    Example:
        >>> FiniteCurve([["3/4", "1/4"], ["1/4", "3/4"]]).removing(np.array([0.0, 1.0])).round(6)
        array([0.5    , 0.07043])
    """

    __hash__ = LossCurve.__hash__

    matrix: Sequence[Sequence[Exact]]

    def __post_init__(self) -> None:
        rows = tuple(tuple(exact_within(x, "probability", low=0, high=1) for x in row) for row in self.matrix)
        if not rows or len({len(row) for row in rows}) != 1:
            raise InvalidParameter("matrix must have at least one row, and rows of equal length")
        totals = [sum(row, Fraction(0)) for row in rows]
        for total in totals:
            if abs(total - 1) > Fraction(1, 10**9):
                raise InvalidParameter(f"every row of matrix must add up to 1, got {shortest(total)}")
        scaled = tuple(tuple(x / total for x in row) for row, total in zip(rows, totals, strict=True))
        object.__setattr__(self, "matrix", scaled)

    @property
    def rows(self) -> Table:
        """The matrix."""
        return cast("Table", self.matrix)


@dataclass(frozen=True)
class RandomizedResponseCurve(TableCurve):
    """Binary randomized response (Warner 1965), possibly asymmetric.

    Args:
        flip_zero: probability that a 0 is reported as 1.
        flip_one: probability that a 1 is reported as 0.

    Privacy and proof: the table with rows (1 - flip_zero, flip_zero) and (flip_one, 1 - flip_one).

    Example:
        >>> round(float(RandomizedResponseCurve.truthful(truth=0.75).largest_loss), 6)
        1.098612
    """

    __hash__ = LossCurve.__hash__

    flip_zero: Exact
    flip_one: Exact

    def __post_init__(self) -> None:
        self._keep_exact("flip_zero", high=1)
        self._keep_exact("flip_one", high=1)

    @classmethod
    def truthful(cls, truth: Exact) -> Self:
        """The response that tells the truth with this probability, whatever the truth is."""
        lie = 1 - exact_within(truth, "truth", low=0, high=1)
        return cls(lie, lie)

    @property
    def rows(self) -> Table:
        """The 2 by 2 table."""
        zero, one = cast("Fraction", self.flip_zero), cast("Fraction", self.flip_one)
        return ((1 - zero, zero), (one, 1 - one))


@dataclass(frozen=True)
class KaryResponseCurve(LossCurve):
    """k-ary randomized response: the truth with probability e^epsilon / (e^epsilon + k - 1), else another value.

    Args:
        categories: k >= 2.
        epsilon: >= 0.

    Privacy: epsilon-DP; delta(e) = (e^epsilon - e^e)+ / (e^epsilon + k - 1), exact.
    Proof: two rows differ in two outputs only, with losses +-epsilon; the others have loss 0.

    Example:
        >>> KaryResponseCurve(categories=2, epsilon="1").removing(np.array([0.0])).round(6)
        array([0.462117])
    """

    __hash__ = LossCurve.__hash__

    categories: int
    epsilon: Exact

    def __post_init__(self) -> None:
        self._keep_exact("epsilon")
        whole(self.categories, "categories", low=2)

    def removing(self, epsilon: Array) -> Array:
        """Delta at each epsilon."""
        top = float(self.epsilon)
        inside = -np.expm1(np.minimum(epsilon - top, 0.0))
        return rounded_up(inside / (1.0 + (self.categories - 1) * math.exp(-top)))

    @property
    def largest_loss(self) -> Fraction:
        """Epsilon, by construction."""
        return cast("Fraction", self.epsilon)

    @property
    def spacing(self) -> float | None:
        """Losses are -epsilon, 0 and epsilon."""
        return float(self.epsilon) or None

    @property
    def atomic(self) -> bool:
        """Nothing lies between."""
        return self.epsilon != 0

    def renyi(self, order: float) -> tuple[float, float]:
        """The binary divergence, diluted by the outputs that both rows give equally often."""
        top = float(self.epsilon)
        share = (1.0 + math.exp(-top)) / (1.0 + (self.categories - 1) * math.exp(-top))
        binary = (order - 1.0) * response_renyi(top, order)
        lift = math.log1p(share * math.expm1(binary)) if binary < LARGE else binary + math.log(share)
        value = lift / (order - 1.0) * (1 + ROUNDING)
        return value, value
