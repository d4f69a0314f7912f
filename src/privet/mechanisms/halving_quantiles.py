"""HalvingQuantiles: several quantiles at once, each in the part of the data that the ones before it leave."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from privet.core import Mechanism, Sensitivity
from privet.core.uncertainty import UP, refuse_certainty
from privet.errors import InvalidParameter
from privet.loss import ExponentialCurve, Guarantee, PrivacyLoss
from privet.loss.exact import Exact, exact_within, readable, refuse_single, whole
from privet.mechanisms.additive import positive
from privet.mechanisms.interval_quantile import (
    MOST_POINTS,
    POINTS,
    Column,
    described_bounds,
    known_numbers,
    number_column,
    ordered_bounds,
    placed,
)
from privet.noise import BitSource
from privet.noise.lazy import Floats
from privet.noise.rank import RankLaw

JITTER = 16  # bits by which equal values are told apart
WORD = 64
SHOWN = 9  # quantiles in a repr


@dataclass(frozen=True)
class Part:
    """What is left to find in a part of the data, in order: quantiles number first to after, between two known ones."""

    first: int
    after: int
    low: int
    high: int
    positions: NDArray[np.int64]


@dataclass(frozen=True, init=False, repr=False)
class HalvingQuantiles(Mechanism[Column, Floats]):
    """Finds the middle quantile first, cuts the data there, and goes on in both parts.

    Args:
        quantiles: in [0, 1], increasing.
        bounds: the lowest and the highest value; values beyond are clipped to them.
        rows: >= 1; how many rows one unit can add or take away in all; a replaced row counts as two.
        epsilon: > 0; the pure ε of all of them together.
        points: how many equal steps lie between the bounds.
        promise: the (ε, δ) it was made for, if any; it may be far below the pure epsilon.

    Privacy: epsilon-DP: one exponential mechanism of epsilon / levels for each level, and m quantiles have only
        floor(log2(m)) + 1 levels.
    Proof: the cuts of a level are answers of the levels before, so each row lies in one part of a level. A part
        looks for the quantile q' = (q - a)/(b - a), where a and b are the quantiles known on its sides; one row more or
        less moves its scores by at most max(q', 1-q') (see `IntervalQuantile`), and its rate is made for `rows` times
        that. A unit with k_p rows in part p moves p's losses within a range of k_p/rows of the level's ε, and these add
        up to at most the level's ε. Levels compose (Kaplan, Schnapp and Stemmer 2022). Equal values are told apart
        by random bits of each row of its own, which no other row depends on.

    Example:
        >>> quartiles = HalvingQuantiles(["0.25", "0.5", "0.75"], bounds=(0, 100), rows=1, epsilon=1)
        >>> quartiles.levels, quartiles.loss.epsilon(delta=0)
        (2, 1.0)
    """

    quantiles: tuple[Fraction, ...]
    bounds: tuple[Fraction, Fraction]
    rows: int
    epsilon: Fraction
    points: int
    promise: Guarantee | None = field(repr=False)

    def __init__(  # noqa: PLR0913 - public parameters, each by name
        self,
        quantiles: Iterable[Exact],
        *,
        bounds: tuple[Exact, Exact],
        rows: int,
        epsilon: Exact,
        points: int = POINTS,
        promise: Guarantee | None = None,
    ) -> None:
        self._keep(
            quantiles=increasing(quantiles),
            bounds=ordered_bounds(bounds),
            rows=whole(rows, "rows"),
            epsilon=positive(epsilon, "epsilon"),
            points=whole(points, "points"),
            promise=promise,
        )
        if self.points > MOST_POINTS:
            raise InvalidParameter(f"points must be at most 2^44, got {points}: answers need no finer steps")
        self._refuse_broken_promise()

    @property
    def levels(self) -> int:
        """How many rounds there are: every row takes part once in each."""
        return len(self.quantiles).bit_length()

    @cached_property
    def loss(self) -> PrivacyLoss:
        """One exponential mechanism for each level."""
        return PrivacyLoss.of(ExponentialCurve(self.epsilon / self.levels), self.levels)

    def covers(self, sensitivity: Sensitivity) -> bool:
        """Compared in L1: the rows a unit adds or takes away."""
        return sensitivity.l1 <= self.rows

    def check(self, value: Column) -> None:
        """Refuse what is not a column of numbers."""
        number_column(value)

    def sample(self, value: Column, source: BitSource) -> Floats:
        """One point for each quantile, in increasing order."""
        values = known_numbers(value)
        steps = placed(values, bounds=self.bounds, points=self.points) << JITTER
        steps |= jitter(source, len(values))
        steps.sort()
        top = ((self.points + 1) << JITTER) - 1
        found = [0] * len(self.quantiles)
        waiting = [Part(0, len(found), 0, top, steps)]
        while waiting:
            waiting += self._halve(waiting.pop(), found, source)
        low, high = self.bounds
        return np.array([float(low + (step >> JITTER) * (high - low) / self.points) for step in found])

    @cached_property
    def _described(self) -> str:
        """The public parameters as they were typed; of many quantiles the ends."""
        known = [readable(each) for each in self.quantiles]
        shown = ", ".join(known if len(known) <= SHOWN else [*known[:2], "…", known[-1]])
        words = f"[{shown}], {described_bounds(self.bounds, self.points)}"
        return f"{type(self).__name__}({words}, rows={self.rows}, epsilon={readable(self.epsilon)})"

    def rank_margin(self, confidence: float = 0.95) -> float:
        """How many rows the rank of any answer may be off: one of them farther with at most probability 1 - confidence.

        Proof: an answer's rank is off by what its own draw is off in its part, plus a mean of what the known quantiles
            on both sides are off; so by at most one draw's error for each level. Each draw errs by more than
            ln(m (top + 1) / (1 - confidence)) / rate with probability at most (1 - confidence) / m.
        """
        refuse_certainty(confidence, "confidence")
        top = (self.points + 1) << JITTER
        number = len(self.quantiles)
        worst = math.log(top) + math.log(number) - math.log1p(-confidence)
        return self.levels * worst * 2 * self.rows * self.levels / float(self.epsilon) * UP

    def _halve(self, part: Part, found: list[int], source: BitSource) -> list[Part]:
        """Find the middle quantile of a part, and return the parts on both sides that have more to find."""
        middle = (part.first + part.after) // 2
        at = self._drawn(part, self._within(part, middle), source)
        found[middle] = at
        cut = int(np.searchsorted(part.positions, at, side="right"))
        left = part.positions[:cut]
        right = part.positions[cut:]
        parts = [Part(part.first, middle, part.low, at, left), Part(middle + 1, part.after, at, part.high, right)]
        return [each for each in parts if each.first < each.after]

    def _within(self, part: Part, number: int) -> Fraction:
        """The quantile of the part that is quantile `number` of all."""
        below = self.quantiles[part.first - 1] if part.first else Fraction(0)
        above = self.quantiles[part.after] if part.after < len(self.quantiles) else Fraction(1)
        return (self.quantiles[number] - below) / (above - below)

    def _drawn(self, part: Part, quantile: Fraction, source: BitSource) -> int:
        if part.low == part.high:
            return part.low
        rate = self.epsilon / self.levels / (2 * self.rows * max(quantile, 1 - quantile))
        law = RankLaw(
            part.positions,
            top=part.high - part.low,
            target=quantile * len(part.positions),
            rate=rate,
            ordered=True,
            place=lambda some: some - part.low,
        )
        return part.low + law.one(source)


def jitter(source: BitSource, count: int) -> NDArray[np.int64]:
    """Return so many independent uniform numbers of `JITTER` bits."""
    each = WORD // JITTER
    return source.words(-(-count // each)).view(np.uint16)[:count].astype(np.int64)


def increasing(quantiles: Iterable[Exact]) -> tuple[Fraction, ...]:
    """Return the quantiles as exact numbers, at least one, each larger than the one before."""
    refuse_single(quantiles, "quantiles must be several, such as [0.25, 0.5, 0.75]")
    known = tuple(exact_within(each, "each quantile", low=0, high=1) for each in quantiles)
    if not known or any(one >= other for one, other in pairwise(known)):
        raise InvalidParameter("quantiles must be at least one, in increasing order, none twice: sort them first")
    return known
