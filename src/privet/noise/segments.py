"""One of many places with probability proportional to exp(rate * score), where scores are constant on segments."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from flint import arb
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.noise.bernoulli import survives
from privet.noise.entropy import BitSource
from privet.noise.law import Law, Number, draw_count, exact_number
from privet.noise.lazy import RESERVE, Floats, Steps, ball_of
from privet.noise.uniform import UniformLaw

WIDEST = 1 << 33  # places in all, so that slots fit int64
_LN_2 = float(np.log(2.0))
Wholes: TypeAlias = Sequence[int] | NDArray[np.int64] | NDArray[np.object_]
REFUSED = "widths must be >= 0 with a sum from 1 to 2^33, one for each score"


class SegmentLaw(Law):
    """A place x of 0, 1, …, with probability proportional to exp(rate * score of the segment that x lies in).

    Args:
        widths: of the segments, in places: whole numbers >= 0, at least one above 0, and at most 2^33 in all.
        scores: one whole number for each segment, of any size; those of an array of int64 no farther than 2^63 apart.
        rate: > 0, between 2^-256 and 2^256, exact.

    Proof of the law:
        As `CategoricalLaw`: a segment whose gap to the best score is g is put on a level b with 2^-b >= exp(-rate g).
        A proposal picks each of its places with probability proportional to 2^-b: one uniform whole number below the
        sum of all width 2^(deepest - b). It is kept with probability exp(-rate g) 2^b <= 1. So each place is returned
        with probability proportional to exp(-rate g).

    Example:
        >>> from privet.noise.for_tests import seeded_entropy_for_tests
        >>> SegmentLaw([5, 1, 9], [-(10**30), 0, -(10**30)]).one(seeded_entropy_for_tests(1))
        5
    """

    def __init__(self, widths: Wholes, scores: Wholes, *, rate: Number = 1) -> None:
        self.rate = exact_number(rate, name="rate")
        if not Fraction(1, 1 << 256) <= self.rate <= 1 << 256:
            raise InvalidParameter(f"rate must be between 2^-256 and 2^256, got {rate}")
        sizes = np.asarray(widths, dtype=np.object_ if isinstance(widths, list | tuple) else np.int64)
        if len(sizes) != len(scores) or min(sizes.min(initial=WIDEST), WIDEST - sizes.max(initial=0)) < 0:
            raise InvalidParameter(REFUSED)
        if not 0 < sizes.sum() <= WIDEST:
            raise InvalidParameter(REFUSED)
        self._widths = sizes.astype(np.int64)
        heights = np.asarray(scores, dtype=np.object_ if isinstance(scores, list | tuple) else None)
        self._gaps = np.maximum(heights[self._widths > 0].max() - heights, 0)  # an empty segment may have any score
        self._deepest = 62 - int(self._widths.sum()).bit_length()
        with np.errstate(over="ignore"):
            self._exponents = _floats(self._gaps) * float(self.rate)
        depth = np.clip(self._exponents * ((1 - RESERVE) / _LN_2) - RESERVE, 0.0, self._deepest)
        self._levels = depth.astype(np.int64)  # float64 errors go to the safe side
        self._first = np.concatenate(([0], np.cumsum(self._widths)))
        self._start = np.concatenate(([0], np.cumsum(self._widths << (self._deepest - self._levels))))
        self._slots = UniformLaw(int(self._start[-1]))

    def one(self, source: BitSource) -> int:
        """Draw one place."""
        while True:
            slot = self._slots.one(source)
            segment = int(np.searchsorted(self._start, slot, side="right")) - 1
            level = int(self._levels[segment])
            exponent = np.float64(max(self._exponents[segment] - level * _LN_2, 0.0))
            if survives(exponent, lambda at=segment, deep=level: self._ball(at, deep), source):  # type: ignore[misc] # mypy does not infer defaults of a lambda
                return int(self._first[segment]) + ((slot - int(self._start[segment])) >> (self._deepest - level))

    def many(self, source: BitSource, count: int) -> Steps:
        """Draw `count` independent places."""
        return np.array([self.one(source) for _ in range(draw_count(count))], dtype=np.int64)

    def _ball(self, segment: int, level: int) -> arb:
        """A ball around rate g - b ln 2: the proposal is kept with probability exp of minus that."""
        return ball_of(self.rate * int(self._gaps[segment])) - level * arb.const_log2()

    def __repr__(self) -> str:
        return f"SegmentLaw({len(self._gaps)} segments, rate={self.rate})"


def _floats(gaps: NDArray[Any]) -> Floats:
    """The nearest floats; infinite beyond floats."""
    return gaps.astype(np.float64) if gaps.dtype == np.int64 else np.array([_float(gap) for gap in gaps])


def _float(gap: int) -> float:
    """The nearest float; infinite beyond floats."""
    try:
        return float(gap)
    except OverflowError:
        return float("inf")
