"""PartitionSelection: which groups are large enough to be named at all."""

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, Generic, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from privet.core import Mechanism, Sensitivity
from privet.core.sensitivity import refuse_undeclared
from privet.errors import InvalidParameter
from privet.loss import ApproximateCurve, Guarantee, PrivacyLoss, calibrated_scale
from privet.loss.exact import Exact, shortest, whole
from privet.loss.outward import decimal_of, precise
from privet.mechanisms.additive import Numbers, finite_numbers, positive
from privet.mechanisms.key_order import in_order
from privet.noise import BernoulliLaw, BitSource

Out = TypeVar("Out")
Kept: TypeAlias = NDArray[np.bool_] | tuple[Any, ...]
Counts: TypeAlias = Numbers | Mapping[Any, int]
GRID = 1 << 192  # probabilities are whole numbers of delta / GRID-ths
LARGEST_COUNT = 1 << 62  # a larger one is used as if it were this
SMALLEST_DELTA = Fraction(1, 10**300)  # floats hold it, with room for a share of it
LARGEST_EPSILON = 1000  # a larger one is used as if it were this
MOST = 1 << 20  # probabilities in the table


@dataclass(frozen=True, init=False, repr=False)
class Partitions(Mechanism[Counts, Out], Generic[Out]):
    """What mechanisms share that name partitions (groups, keys) of the data: counts of units in, some names out.

    Args:
        epsilon: > 0; for one partition.
        delta: in (0, 1); for one partition.
        partitions_per_unit: how many partitions one unit can move; under "replace" twice as many as it can be in, since
            it may leave all of them and join as many others.
        promise: the (ε, δ) it was made for; by default partitions_per_unit times (epsilon, delta).

    Privacy: (epsilon, delta)-DP for each partition moved, hence `partitions_per_unit` such losses. Give a mapping from
        key to number of units: then what was not kept does not show. A row of counts returns a row of the same
        length, so its length and order must be public.
    """

    epsilon: Fraction
    delta: Fraction
    partitions_per_unit: int
    promise: Guarantee | None = field(repr=False)

    def __init__(
        self, epsilon: Exact, delta: Exact, *, partitions_per_unit: int = 1, promise: Guarantee | None = None
    ) -> None:
        self._keep(epsilon=positive(epsilon, "epsilon"), delta=positive(delta, "delta"))
        self._keep(partitions_per_unit=whole(partitions_per_unit, "partitions_per_unit"), promise=promise)
        if not SMALLEST_DELTA <= self.delta < 1:
            raise InvalidParameter(f"delta must be at least 1e-300 and below 1, got {shortest(self.delta)}")
        if self.promise is None:
            self._keep(promise=self._sum())
        self._refuse_broken_promise()
        self._refuse_undrawable()

    @classmethod
    def calibrated(cls, *, epsilon: Exact, delta: Exact, sensitivity: Sensitivity) -> Self:
        """Return the mechanism that is (epsilon, delta)-DP in all, for units that move so many partitions.

        Of two ways to divide the promise it takes the one that names smaller partitions: equal shares of ε and δ, or
        half of δ for the coins and the other half for composing many small ε.
        """
        refuse_undeclared(sensitivity)
        promise = Guarantee(epsilon, delta)
        moved = _moved(sensitivity)
        if math.floor(sensitivity.linf) > 1:
            raise InvalidParameter("a unit must count once in a partition: count units, with a per_cell of 1")
        ways = [(positive(promise.epsilon, "epsilon") / moved, positive(promise.delta, "delta") / moved)]
        half = promise.delta / (2 * moved)
        if moved > 1 and half >= SMALLEST_DELTA and _may_name_smaller(ways[0], half, moved, promise):
            scale = calibrated_scale(lambda s: _losses(1 / Fraction(s), half, moved), promise)
            ways.append((1 / Fraction(scale), half))
        each = ways[0] if len(ways) == 1 else min(ways, key=_size_named)
        return cls(*each, partitions_per_unit=moved, promise=promise)

    def _sum(self) -> Guarantee | None:
        """What basic composition promises, if that is anything."""
        total = self.partitions_per_unit * self.delta
        promise = Guarantee(self.partitions_per_unit * self.epsilon, total) if total < 1 else None
        return promise if promise is not None and self.loss.meets(promise) else None

    @abstractmethod
    def _refuse_undrawable(self) -> None:
        """Raise if the parameters are too extreme to draw with."""

    @cached_property
    def loss(self) -> PrivacyLoss:
        """One (epsilon, delta) for each partition that a unit can move."""
        return _losses(self.epsilon, self.delta, self.partitions_per_unit)

    def covers(self, sensitivity: Sensitivity) -> bool:
        """True if a unit moves each count by at most 1, and no more counts than declared."""
        return math.floor(sensitivity.linf) <= 1 and _moved(sensitivity) <= self.partitions_per_unit

    def check(self, value: Counts) -> None:
        """Refuse what is not a row, or a mapping, of whole numbers >= 0."""
        counts_of(value)


@dataclass(frozen=True, init=False, repr=False)
class PartitionSelection(Partitions[Kept]):
    """Keeps each partition (group, key) with a probability that grows with its units, as fast as (ε, δ) allows.

    Args:
        epsilon: > 0; for one partition.
        delta: in (0, 1); for one partition: the probability with which a partition of a single unit is kept.
        partitions_per_unit: how many partitions one unit can move; under "replace" twice as many as it can be in, since
            it may leave all of them and join as many others.
        promise: the (ε, δ) it was made for; by default partitions_per_unit times (epsilon, delta).

    Privacy: (epsilon, delta)-DP for each partition moved, hence `partitions_per_unit` such losses. Give a mapping from
        key to number of units: only the keys that were kept leave. A row of counts returns a row of flags of the
        same length, so its length and order must be public.
    Proof: a partition of n units is kept with probability π(n), π(0) = 0 and
        π(n+1) = min(r π(n) + δ, 1 - (1 - π(n) - δ)/r, 1), r <= e^ε: the constraints of (ε, δ)-DP between n and n + 1 on
        being kept and on being dropped. As π never falls, the other two, from n + 1 to n, hold as well. For r = e^ε
        no (ε, δ)-DP selection keeps more at any n (Desfontaines, Voss, Gipson and Mandayam 2022). r and
        every π(n) are rounded down, which keeps the constraints; the coin has exactly this probability.
    Not covered: the counts of the partitions kept; for these see `PartitionCounts`.

    Example:
        >>> selection = PartitionSelection(epsilon=1, delta="1e-5")
        >>> [round(float(selection.probability(n)), 6) for n in (0, 1, 2, 10, 11, 12, 23)]
        [0.0, 1e-05, 3.7e-05, 0.128183, 0.348448, 0.760311, 1.0]
    """

    def _refuse_undrawable(self) -> None:
        if 2 * bound_of(self.epsilon, self.delta) > MOST:  # the table is about that long
            raise InvalidParameter(
                f"epsilon must be larger, got {shortest(self.epsilon)} for one partition: "
                f"groups of {MOST // 2} units would still be dropped"
            )

    @cached_property
    def _table(self) -> tuple[int, ...]:
        """π(0), π(1), ... up to the first that is 1, in whole parts of one over the denominator."""
        one = self._parts
        jump = int(self.delta * self._parts)
        grown = _exp_below(self.epsilon)
        table = [0]
        while table[-1] < one:
            kept = table[-1]
            slower = one - max(0, -(-(one - kept - jump) * GRID // grown))
            table.append(min(kept * grown // GRID + jump, slower, one))
        return tuple(table)

    @property
    def _parts(self) -> int:
        return self.delta.denominator * GRID

    def probability(self, count: int) -> Fraction:
        """How likely a partition of so many units is kept, exactly."""
        table = self._table
        return Fraction(table[min(whole(count, "count", low=0), len(table) - 1)], self._parts)

    def units_for(self, probability: Exact) -> int:
        """How many units a partition needs to be kept with at least this probability, in (0, 1]."""
        goal = positive(probability, "probability")
        if goal > 1:
            raise InvalidParameter(f"probability must be in (0, 1], got {shortest(goal)}")
        least = -(-goal.numerator * self._parts // goal.denominator)
        return next(n for n, kept in enumerate(self._table) if kept >= least)

    def sample(self, value: Counts, source: BitSource) -> Kept:
        """The keys that are kept, sorted; or for a row of counts whether each is."""
        counts = np.minimum(counts_of(value), len(self._table) - 1)
        order = np.argsort(counts, kind="stable")
        sizes, starts = np.unique(counts[order], return_index=True)
        kept = np.zeros(len(counts), dtype=np.bool_)
        for size, places in zip(sizes.tolist(), np.split(order, starts)[1:], strict=True):
            kept[places] = BernoulliLaw(self.probability(size)).many(source, len(places))
        if not isinstance(value, Mapping):
            return kept
        keys = [key for key, flag in zip(value, kept.tolist(), strict=True) if flag]
        return tuple(key for key, _ in in_order((key, 1) for key in keys))


def _size_named(way: tuple[Fraction, Fraction]) -> float:
    """About how large a partition must be, up to a factor, to be named at this ε and δ."""
    epsilon, delta = way
    return -math.log(delta) / float(epsilon)


def _may_name_smaller(equal: tuple[Fraction, Fraction], half: Fraction, moved: int, promise: Guarantee) -> bool:
    """Whether the other way keeps the promise where it starts to be better; if not, its search need not be made."""
    where = (1 - Fraction(1, 10**9)) * equal[0] * Fraction(math.log(half) / math.log(equal[1]))
    return _losses(where, half, moved).meets(promise)


def _losses(epsilon: Fraction, delta: Fraction, times: int) -> PrivacyLoss:
    return PrivacyLoss.of(ApproximateCurve(epsilon, delta), times)


def _moved(sensitivity: Sensitivity) -> int:
    """How many whole numbers can move at all."""
    return max(1, min(sensitivity.cells, math.floor(sensitivity.l1)))


def counts_of(value: Counts) -> NDArray[np.int64]:
    """Return the counts as a row of whole numbers >= 0; the error says what to do, and no number."""
    if isinstance(value, Mapping) and not value:
        return np.zeros(0, dtype=np.int64)  # no data: no partition, which is an answer
    counts = finite_numbers(list(value.values()) if isinstance(value, Mapping) else value)
    if counts.ndim != 1 or counts.dtype.kind not in "iu":
        raise InvalidParameter(
            f"counts must be one row of whole numbers, or a mapping from key to whole number, got {counts.dtype}"
        )
    if (counts < 0).any():
        raise InvalidParameter("counts must be >= 0: count the distinct units of each partition")
    clipped: NDArray[np.int64] = np.minimum(counts, LARGEST_COUNT).astype(np.int64)
    return clipped


def bound_of(epsilon: Fraction, delta: Fraction) -> int:
    """Return the least k with c e^(-εk) <= δ, where c normalizes e^(-ε|x|) over |x| <= k; or one more.

    Proof: c is (1 - t)/(1 + t - 2 t^(k+1)) with t = e^-ε; solve for k.
    """
    used = min(epsilon, Fraction(LARGEST_EPSILON))
    with precise():
        grown = decimal_of(used).exp()
        jump = decimal_of(delta)
        bound = ((grown + 2 * jump - 1) / (jump * (grown + 1))).ln() / decimal_of(used)
    return math.ceil(Fraction(bound) * (1 + Fraction(1, 10**30)))


def _exp_below(epsilon: Fraction) -> int:
    """Return a whole number of GRID-ths that is not above e^ε, and at most a part in 10^70 below it."""
    with precise():
        grown = decimal_of(min(epsilon, Fraction(LARGEST_EPSILON))).exp()
    below = Fraction(grown) * (1 - Fraction(1, 10**70))  # 80 digits, correctly rounded
    return max(GRID, math.floor(below * GRID))
