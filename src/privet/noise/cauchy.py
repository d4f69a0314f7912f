"""Cauchy noise on a lattice: noise with a heavy tail, for scales that depend on the secret."""

import math

import numpy as np
from flint import arb

from privet.noise.lazy import RESERVE, F
from privet.noise.signed_floor import RoundedNoise

_QUARTER = math.pi / 2


class CauchyLaw(RoundedNoise):
    """The Cauchy distribution with median 0, rounded to the nearest lattice step.

    Args:
        scale: the median magnitude, in lattice steps; between 2^-256 and 2^256.

    Privacy:
        Rounding is post-processing, as for `LaplaceLaw`. The tail is heavy: one value in a thousand lies beyond 600
        scales, and values beyond int64 are Python ints, never cut off.

    Proof of the law:
        The distribution function of |X| / scale is (2/π) atan(x), so |X| = scale * tan(π v / 2) for v uniform on
        (0, 1); the sign is fair and independent.

    Example:
        >>> from privet.noise.for_tests import seeded_entropy_for_tests
        >>> CauchyLaw(scale=10).many(seeded_entropy_for_tests(1), 5).shape
        (5,)
    """

    def size(self, uniform: F, radius: float) -> tuple[F, F]:
        """Return tan(π v / 2) and its slack: for every w within `radius` of v, tan(π w / 2) is within the slack of it.

        Proof: the derivative is π/2 (1 + tan²), which grows with w, and tan(π w / 2) <= 1 / (π/2 (1 - w)): so the mean
            value theorem bounds the move by radius π/2 (1 + 1 / (π/2 (1 - v - radius))²). 1 - v is exact, and the
            tangent is taken of an angle up to π/4 and inverted beyond, so float64 loses a relative 2^-48 at most. The
            slack is infinite in the interval that touches one.
        """
        rest = 1.0 - uniform
        angle = np.minimum(uniform, rest)
        angle *= _QUARTER
        value = np.tan(angle)
        value **= 1.0 - 2.0 * (uniform > rest)
        slack = (rest - radius) * _QUARTER
        slack **= -2.0
        slack += 1.0
        slack *= radius * _QUARTER * (1 + RESERVE)
        slack += RESERVE * value
        return value, slack

    def size_ball(self, uniform: arb) -> arb:
        """Return a ball around tan(π v / 2); one that reaches v = 1 is infinite."""
        return (uniform / 2).tan_pi()
