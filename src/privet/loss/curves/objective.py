"""The curve of a perturbed objective: Gaussian noise in the objective whose minimiser is released."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import cast

import numpy as np

from privet.errors import InvalidParameter
from privet.loss.curve import ROUNDING, Array, LossCurve, rounded_up
from privet.loss.curves.gaussian import GaussianCurve
from privet.loss.exact import Exact, float_at_least, whole
from privet.loss.neighbors import Neighbors


@dataclass(frozen=True)
class PerturbedObjectiveCurve(LossCurve):
    """The minimiser of a sum of losses of rows, a strong penalty and Gaussian noise times the parameters.

    Args:
        ratio: >= 0; the longest gradient of a row's loss, divided by the standard deviation of the noise.
        bend: >= 0; how far a row can move the logarithm of the determinant of the second derivatives.
        corners: how many points besides 0 a row's gradients lie between: 1, or one less than the classes.
        free: > 0; from this ε on `bend` costs nothing when a row leaves. 0 if there is no such ε.
        replaced: True if neighbors have a row replaced, False if they have one more or less.

    Privacy: with S(e) = corners H(e, ratio), H the Gaussian curve: δ(e) = S(e) when a row joins, S(e - bend) when one
        leaves, and S(e) there too from `free` on; between, and below 0, straight lines in e^ε. For a replaced row
        S(e) = corners² H(e, 2 ratio) + 2 corners H(e, ratio), in both directions at e - bend.
    Proof: docs/proofs/objective-perturbation.md.

    Example:
        >>> PerturbedObjectiveCurve(1, "0.5").removing(np.array([1.5])).round(6)  # that of GaussianCurve(1) at 1
        array([0.126937])
    """

    __hash__ = LossCurve.__hash__

    ratio: Exact
    bend: Exact
    corners: int = 1
    free: Exact = 0
    replaced: bool = False

    def __post_init__(self) -> None:
        self._keep_exact("ratio")
        self._keep_exact("bend")
        whole(self.corners, "corners")
        self._keep_exact("free")
        if self.free and (self.replaced or self.corners > 1):
            raise InvalidParameter("free must be 0 for replaced rows and for several corners: nothing is free")

    @property
    def neighbors(self) -> frozenset[Neighbors]:
        """Those it was made for."""
        return frozenset({Neighbors.REPLACE if self.replaced else Neighbors.ADD_REMOVE})

    def _shifted(self, epsilon: Array) -> Array:
        """S at each epsilon."""
        alone = GaussianCurve(self.ratio).removing(epsilon)
        if not self.replaced:
            return self.corners * alone
        both = GaussianCurve(2 * cast("Fraction", self.ratio)).removing(epsilon)
        return self.corners**2 * both + 2 * self.corners * alone

    @cached_property
    def _straight(self) -> tuple[float, float]:
        """Where S ends to be convex down to e^ε = 0, and the slope of the line from δ = 1 there.

        Proof: a true curve is 1 at e^ε = 0 and convex in e^ε, so it lies below the line to any point of a bound.
        """

        def slope(epsilon: float) -> float:
            return (1.0 - float(self._shifted(np.array([epsilon]))[0])) * math.exp(-epsilon)

        widest = 3 * float(cast("Fraction", self.ratio)) + 2 * math.log(2 * self.corners + 1) + 1
        end = 0.0 if self._alone else _highest(slope, 0.0, widest * widest)
        return end, max(slope(end), 0.0) * (1 - ROUNDING)

    @property
    def _alone(self) -> bool:
        """True if S is a Gaussian curve, which needs no such line from 0 on."""
        return self.corners == 1 and not self.replaced

    def _hull(self, epsilon: Array) -> Array:
        """S where it is convex, else the line; for any epsilon."""
        end, slope = self._straight
        line = 1.0 - np.exp(np.minimum(epsilon, end)) * slope
        return np.where(epsilon < end, line, self._shifted(np.maximum(epsilon, end)))

    @cached_property
    def _joint(self) -> tuple[float, float]:
        """Where the curve that pays for the bend is left for the line to where nothing is paid; and that line's slope.

        Proof: as `_straight`; the point is the one whose line lies below all others.
        """
        to, bend = (float_at_least(cast("Fraction", each)) for each in (self.free, self.bend))
        low = float(self._shifted(np.array([to]))[0])

        def slope(epsilon: float) -> float:
            return (low - float(self._hull(np.array([epsilon - bend]))[0])) / (math.exp(to) - math.exp(epsilon))

        start = _highest(slope, 0.0, to * (1 - 2.0**-30))
        return start, slope(start)

    def removing(self, epsilon: Array) -> Array:
        """Delta at each epsilon when a row leaves, or is replaced."""
        delta = self._hull(epsilon - float_at_least(cast("Fraction", self.bend)))
        if self.free:
            to = float_at_least(cast("Fraction", self.free))
            free = self._shifted(np.maximum(epsilon, to))
            start, slope = self._joint
            least = float(self._shifted(np.array([to]))[0])
            between = least - slope * (math.exp(to) - np.exp(np.minimum(epsilon, to)))
            delta = np.where(epsilon >= to, free, np.where(epsilon <= start, delta, np.minimum(delta, between)))
        return rounded_up(delta)

    def adding(self, epsilon: Array) -> Array:
        """Delta at each epsilon when a row joins, or is replaced."""
        return self.removing(epsilon) if self.replaced else rounded_up(self._hull(epsilon))

    @property
    def symmetric(self) -> bool:
        """For replaced rows only."""
        return self.replaced


def log_bend(outputs: int, share: Fraction) -> Fraction:
    """Return `outputs` times log(1 + share), rounded up."""
    return Fraction(outputs * math.log1p(float_at_least(share)) * (1 + 2.0**-40))


def _highest(function: Callable[[float], float], low: float, high: float) -> float:
    """Return about where a function that rises and then falls is highest, between two numbers."""
    from scipy.optimize import minimize_scalar  # noqa: PLC0415 - slow to load, and few need it

    found = minimize_scalar(
        lambda place: -function(place), bounds=(low, high), method="bounded", options={"xatol": 1e-12}
    )
    return float(max((low, float(found.x)), key=function))
