"""One of many candidates, with probability proportional to exp(rate * score): the exponential mechanism's draw."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import ArrayLike, NDArray

from privet.errors import InvalidParameter
from privet.noise.bernoulli import survive
from privet.noise.entropy import BitSource
from privet.noise.law import Law, Number, draw_count, exact_number
from privet.noise.lazy import RESERVE, Floats, Steps, ball_of, collect
from privet.noise.uniform import UniformLaw

Indices = NDArray[np.intp]

_LN_2 = float(np.log(2.0))


class CategoricalLaw(Law):
    """An index i with probability proportional to exp(rate * scores[i]), without overflow and without Gumbel noise.

    Args:
        scores: one per candidate, floats or ints (or objects that are either); minus infinity means never. The products
            rate * score may span any range: exp(±10^6) is as exact as exp(±1).
        rate: > 0, between 2^-256 and 2^256, exact.

    Proof of the law:
        Candidate i, whose gap to the best score is g, is put on a level b with 2^-b >= exp(-rate g). A proposal picks
        i with probability proportional to 2^-b: one uniform whole number below the sum of all 2^(deepest - b). It is
        kept with probability exp(-rate g) 2^b <= 1, so i is returned with probability proportional to exp(-rate g).
        Levels are floor(rate g / ln 2), so about half of the proposals or more are kept, whatever the scores; the
        deepest level also holds all that lie deeper, whose proposals are rarer than one in two.

    Example:
        >>> from privet.noise.for_tests import seeded_entropy_for_tests
        >>> CategoricalLaw([0.0, 1e6, -1e6]).one(seeded_entropy_for_tests(1))
        1
    """

    def __init__(self, scores: ArrayLike, *, rate: Number = 1) -> None:
        self.rate = exact_number(rate, name="rate")
        if not Fraction(1, 1 << 256) <= self.rate <= 1 << 256:
            raise InvalidParameter(f"rate must be between 2^-256 and 2^256, got {rate}; for rate 0 use UniformLaw")
        self._scores = _checked(scores)
        possible = np.flatnonzero(self._scores != -np.inf)
        if not possible.size:
            raise InvalidParameter("scores must hold at least one candidate above minus infinity")
        self._best = int(possible[np.argmax(self._scores[possible])])
        self._deepest = 62 - int(possible.size).bit_length()  # so that the sum below fits int64
        levels = self._levels(possible)
        order = np.argsort(levels, kind="stable")
        self._candidates = possible[order]
        counts = np.bincount(levels, minlength=self._deepest + 1)
        self._first = np.concatenate(([0], np.cumsum(counts)))  # place of each level's first candidate
        self._start = np.concatenate(([0], np.cumsum(counts << np.arange(self._deepest, -1, -1))))
        self._slots = UniformLaw(int(self._start[-1]))

    def one(self, source: BitSource) -> int:
        """Draw one index."""
        return int(self.many(source, 1)[0])

    def many(self, source: BitSource, count: int) -> Steps:
        """Draw `count` independent indices."""
        return collect(draw_count(count), lambda size: self._some(source, size))

    def _some(self, source: BitSource, size: int) -> NDArray[np.int64]:
        candidates, levels = self.propose(self._slots.many(source, size).astype(np.int64, copy=False))
        exponents = np.maximum(self._products(candidates) - levels * _LN_2, 0.0)
        keep = survive(exponents, lambda place: self.exponent_ball(int(candidates[place]), int(levels[place])), source)
        return candidates[keep]

    def propose(self, slots: NDArray[np.int64]) -> tuple[Indices, NDArray[np.int64]]:
        """Return the candidate that owns each slot, and its level b; it owns 2^(deepest - b) of them."""
        levels = np.searchsorted(self._start, slots, side="right") - 1
        ranks = (slots - self._start[levels]) >> (self._deepest - levels)
        return self._candidates[self._first[levels] + ranks], levels

    def exponent_ball(self, candidate: int, level: int) -> arb:
        """Return a ball around rate g - b ln 2: the proposal is kept with probability exp of minus that."""
        gap = _exact(self._scores[self._best]) - _exact(self._scores[candidate])
        return ball_of(self.rate * gap) - level * arb.const_log2()

    def _levels(self, candidates: Indices) -> NDArray[np.int8]:
        """Return a level no deeper than floor(rate g / ln 2) for each candidate: float64 errors go to the safe side."""
        depth = self._products(candidates)
        depth *= (1 - RESERVE) / _LN_2
        depth -= RESERVE
        np.clip(depth, 0.0, self._deepest, out=depth)
        return depth.astype(np.int8)

    def _products(self, candidates: Indices) -> Floats:
        """Return rate * g for each candidate, to float64 accuracy relative to itself; infinity where it overflows."""
        scores = self._scores[candidates]
        best = self._scores[self._best]
        half: Floats
        if scores.dtype == np.object_:
            return np.array(
                [nearest_float(self.rate * (_exact(best) - _exact(score))) for score in scores], dtype=np.float64
            )
        if scores.dtype == np.int64:
            half = (best.astype(np.uint64) - scores.astype(np.uint64)).astype(np.float64) / 2  # exact modulo 2^64
        else:
            half = best / 2 - scores / 2  # halves cannot overflow
        with np.errstate(over="ignore"):
            half *= 2 * float(self.rate)
        return half

    def __repr__(self) -> str:
        return f"CategoricalLaw({len(self._scores)} candidates, rate={self.rate})"


def _checked(scores: ArrayLike) -> NDArray[Any]:
    """Return the scores as one row of int64, float64 or exact objects, without NaN or plus infinity."""
    array = np.asarray(scores)
    if array.dtype == np.object_ and array.ndim == 1 and array.size and all(map(_is_finite, array)):
        return array
    if array.ndim != 1 or not array.size or array.dtype.kind not in "iuf":
        raise InvalidParameter("scores must be a non-empty row of numbers")
    if array.dtype == np.uint64:
        return (array ^ np.uint64(1 << 63)).view(np.int64)  # all lowered by 2^63, which changes no gap
    if array.dtype.kind in "iu":
        return array.astype(np.int64)
    wide = array.astype(np.float64)
    if np.isnan(wide).any() or (wide == np.inf).any():
        raise InvalidParameter("scores must not hold NaN or plus infinity: replace them before drawing")
    return wide


def _is_finite(score: object) -> bool:
    return isinstance(score, int | Fraction) or (isinstance(score, float) and math.isfinite(score))


def _exact(score: Any) -> Fraction:  # noqa: ANN401 - a number of numpy's or Python's
    return Fraction(score.item() if isinstance(score, np.generic) else score)


def nearest_float(number: Fraction) -> float:
    """Return the float nearest to a number >= 0; infinite beyond the largest."""
    try:
        return float(number)
    except OverflowError:
        return math.inf
