"""Staircase noise: flat stairs around zero, each a factor lower than the one before."""

import math
import operator
from fractions import Fraction

import numpy as np
from flint import arb

from privet.errors import InvalidParameter
from privet.noise.entropy import BitSource
from privet.noise.laplace import ExponentialSize
from privet.noise.law import Law, Number, exact_number
from privet.noise.lazy import RESERVE, Steps, added, ball_of, collect
from privet.noise.uniform import UniformLaw

_STEEPEST = 500
_WIDEST = 1 << 61


class StaircaseLaw(Law):
    """Whole numbers whose probability falls by e^-drop at rise, rise + width, rise + 2 width, …, on both sides of zero.

    Args:
        drop: between 2^-200 and 500.
        width: of a stair, in steps; from 1 to 2^61.
        rise: how far the middle stair reaches on each side, zero included; from 1 to width.

    Proof of the law:
        The stairs have n0 = 2 rise - 1 and then 2 width numbers each, so stair s has a weight of n0, or of 2 width t^s
        with t = e^-drop, and P(S >= s) = q t^(s-1) with q = 1 / (1 + n0 (e^drop - 1) / (2 width)). With E exponential,
        E / drop + 1 + ln(q) / drop reaches s with this probability. On its stair a number is uniform, its side fair.

    Example:
        >>> from privet.noise.for_tests import seeded_entropy_for_tests
        >>> StaircaseLaw(drop=1, width=8, rise=3).many(seeded_entropy_for_tests(1), 5).shape
        (5,)
    """

    def __init__(self, drop: Number, *, width: int, rise: int) -> None:
        self.drop = exact_number(drop, name="drop")
        self.width = operator.index(width)
        self.rise = operator.index(rise)
        if not Fraction(1, 1 << 200) <= self.drop <= _STEEPEST:
            raise InvalidParameter(f"drop must be between 2^-200 and {_STEEPEST}, got {float(self.drop):.3g}")
        if not 1 <= self.rise <= self.width <= _WIDEST:
            raise InvalidParameter(f"need 1 <= rise <= width <= 2^61, got rise={rise} and width={width}")
        self._stairs = _Stairs(self.drop, Fraction(2 * self.rise - 1, 2 * self.width))
        self._middle, self._beyond = UniformLaw(2 * self.rise - 1), UniformLaw(self.width)

    def one(self, source: BitSource) -> int:
        """Draw one value, exact however large."""
        return int(self._some(source, 1)[0])

    def many(self, source: BitSource, count: int) -> Steps:
        """Draw `count` independent values."""
        return collect(operator.index(count), lambda size: self._some(source, size))

    def _some(self, source: BitSource, size: int) -> Steps:
        """Both places are drawn for every value, so that the work does not tell which stair it was."""
        stairs = self._stairs.many(source, size)
        middle = self._middle.many(source, size) - (self.rise - 1)
        beyond = self._beyond.many(source, size)
        if int(np.abs(stairs).max()) * self.width >= 1 << 62:
            stairs = stairs.astype(np.object_)
        far = added((np.abs(stairs) - 1) * self.width, beyond + self.rise)
        return np.where(stairs == 0, middle, np.where(stairs < 0, -far, far))

    def __repr__(self) -> str:
        return f"StaircaseLaw(drop={self.drop}, width={self.width}, rise={self.rise})"


class _Stairs(ExponentialSize):
    """The number of the stair, with a fair sign."""

    def __init__(self, drop: Fraction, share: Fraction) -> None:
        self._drop = drop
        self._share = share
        super().__init__(1 / drop)
        self._doubt = RESERVE  # the offset is between 0 and 1, and its terms may cancel

    def offset(self) -> float:
        """Return 1 + ln(q) / drop; at least 0, because the middle stair is no wider than the others."""
        return 1.0 - math.log1p(float(self._share) * math.expm1(self._drop)) / float(self._drop)

    def offset_ball(self) -> arb:
        """Return a ball around the same."""
        drop = ball_of(self._drop)
        return 1 - (ball_of(self._share) * drop.expm1()).log1p() / drop
