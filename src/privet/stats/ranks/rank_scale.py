"""RankScale: the points among which quantiles are chosen, equally far apart or equally far in their logarithm."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from privet.asking.bounds import Bounds
from privet.asking.question import Arrays, Question
from privet.core import Release
from privet.errors import InvalidParameter
from privet.loss.exact import Exact, exact, shown
from privet.mechanisms.interval_quantile import MOST_POINTS, POINTS

Scale = Literal["linear", "log"]
Compute = Callable[[Arrays], NDArray[Any]]
R = TypeVar("R", bound=Release[Any])
OCTAVES = 32  # below the largest bound; what is nearer to zero lies on equal steps
FINE = 20  # bits: steps to an octave


@dataclass(frozen=True)
class RankScale:
    """Where answers may lie, as whole steps of a public scale.

    Args:
        low: the place of the lower bound on the scale; on a linear one it is the bound itself.
        high: the place of the upper bound.
        points: how many steps lie between them.
        bounds: what values are clipped to.
        octave: for a logarithmic scale, the exponent of two of the largest bound; None for a linear one.
        as_said: whether the caller chose the points.

    Privacy: a logarithmic scale moves every value by itself, in order, to a whole number, by public numbers alone. So
        one unit moves as many rows of the scale as of the values, and every proof about ranks holds word for word: what
        changes is how many points lie where, the base measure of the exponential mechanism, which is public.

    Example:
        >>> scale = RankScale.of(Bounds.of((0, 1000)), None, "log")
        >>> scale.places(np.array([0.0, 1.0, 2.0, 3.0, 2e6])) - scale.places(np.array([1.0]))
        array([-24117248.,         0.,   1048576.,   1572864.,  10436608.])
        >>> scale.value(scale.places(np.array([3.0]))[0])
        3.0
    """

    low: Fraction
    high: Fraction
    points: int
    bounds: Bounds
    octave: int | None = None
    as_said: bool = False

    @classmethod
    def of(cls, bounds: Bounds, step: Exact | None, scale: object) -> "RankScale":
        """Return the scale, or refuse it with the reason."""
        if not isinstance(scale, str) or scale not in ("linear", "log"):
            raise InvalidParameter(f'scale must be "linear" or "log", got {shown(scale)}')
        if scale == "linear":
            return cls(bounds.low, bounds.high, points_between(bounds, step), bounds, as_said=step is not None)
        if step is not None:
            raise InvalidParameter('step goes with scale="linear": on a logarithmic scale steps grow with the values')
        largest = cls(Fraction(0), Fraction(1), 1, bounds, math.frexp(float(bounds.largest))[1], as_said=True)
        low, high = (int(place) for place in largest.places(np.array([float(bounds.low), float(bounds.high)])))
        if low == high:
            raise InvalidParameter('bounds are too close for scale="log": leave it out')
        return replace(largest, low=Fraction(low), high=Fraction(high), points=high - low)

    def for_column(self, question: Question) -> "RankScale":
        """Return the same scale on whole numbers, if nothing else was said and there can be no others in the column.

        Privacy: the type of the column decides, with public numbers. A list has none, and neither has a column whose
            type one missing row would change, as in pandas.
        """
        bounds, fill = self.bounds, question.fill(self.bounds)
        all_whole = all(each.denominator == 1 for each in (bounds.low, bounds.high, Fraction(fill or 0)))
        typed = question.columns[0].kind == "whole"
        if not self.as_said and typed and all_whole and bounds.width <= POINTS:
            return replace(self, points=int(bounds.width))
        return self

    def placed(self, compute: Compute) -> Compute:
        """Return what gives the places of values on the scale."""
        return compute if self.octave is None else lambda arrays: self.places(compute(arrays))

    def places(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """The place of each value on a logarithmic scale: sign, octave and step within; NaN stays.

        Proof of the order: a value is clipped, and scaled by a power of two so that 1 is where octaves begin. Below 1
            the place is 2^FINE times the value, from 1 on 2^FINE (octave + fraction), each rounded down. Both rise and
            meet at 1, and the sign is put back.
        """
        inside = np.clip(values.astype(np.float64), float(self.bounds.low), float(self.bounds.high))
        sizes = np.ldexp(np.abs(inside), OCTAVES - (self.octave or 0))
        fractions, octaves = np.frexp(sizes)  # sizes = fractions 2^octaves, fractions from 1/2 to 1
        steps = np.where(octaves > 0, octaves - 1 + 2 * fractions, sizes)
        return np.copysign(np.floor(np.ldexp(steps, FINE)), inside) + 0.0

    def value(self, place: float) -> float:
        """The value of a place."""
        if self.octave is None:
            return float(place)
        size = math.ldexp(abs(place), -FINE)
        if size >= 1:
            octave = math.floor(size)
            size = math.ldexp(size - octave + 1, octave - 1)
        found = math.copysign(math.ldexp(size, self.octave - OCTAVES), place) + 0.0
        return min(max(found, float(self.bounds.low)), float(self.bounds.high))

    def read(self, release: R) -> R:
        """Return the release of places as one of values."""
        if self.octave is None:
            return release
        places = release.value
        value = np.array([self.value(each) for each in places]) if np.ndim(places) else self.value(float(places))
        return replace(release, value=value, mechanism=f"{release.mechanism} of logarithmic steps")


def points_between(bounds: Bounds, step: Exact | None) -> int:
    """Return how many steps lie between the bounds; refuses a step that does not fit a whole number of times."""
    if step is None:
        return POINTS
    width = exact(step, "step")
    if width <= 0 or (bounds.width / width).denominator != 1:
        raise InvalidParameter(f"step must fit between the bounds a whole number of times, got {step}")
    if bounds.width / width > MOST_POINTS:
        raise InvalidParameter(f"step must be at least a part in 2^44 of the bounds, got {step}: take a larger one")
    return int(bounds.width / width)
