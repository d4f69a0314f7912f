"""Noise that is even inside cubes: vectors whose probability depends on their largest coordinate alone."""

from fractions import Fraction
from math import prod

import numpy as np
from flint import arb
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.noise.bernoulli import BernoulliLaw
from privet.noise.entropy import BitSource
from privet.noise.laplace import ExponentialSize
from privet.noise.law import Number, draw_count
from privet.noise.uniform import UniformLaw

WIDEST = 1 << 40  # steps of scale, so that coordinates stay far within int64
MOST_WIDTH = 1 << 12


class GeometricLaw(ExponentialSize):
    """A whole number k >= 0 with P(k) proportional to exp(-k / scale), given a sign at random.

    Args:
        scale: in lattice steps; between 2^-256 and 2^256.

    Proof of the law:
        P(floor(scale E) >= k) = P(E >= k / scale) = exp(-k / scale) for E exponential of mean 1.
    """

    def offset(self) -> float:
        """Return 0."""
        return 0.0

    def offset_ball(self) -> arb:
        """Return 0, exactly."""
        return arb(0)


class CubeLaw:
    """Vectors of whole numbers: P(k) proportional to exp(-max|k_j| / scale).

    Args:
        width: how many coordinates; 1 to 2^12.
        scale: in lattice steps; from a quarter of the width, so that few draws are thrown away, to 2^40.

    Proof of the law:
        Let m have probability proportional to (2m + 1)^w t^m, t = exp(-1/scale), and k be uniform in the cube
        {-m, …, m}^w. Then P(k) is proportional to the sum of t^m over m >= max|k_j|, hence to t^max|k_j|.
        The sum m of w + 1 geometric numbers has probability proportional to (m + 1) … (m + w) t^m; it is kept with
        the rational probability (2m + 1)/(2m + 2) · (2m + 1)/(2m + 4) ⋯ (2m + 1)/(2m + 2w), which leaves
        (2m + 1)^w t^m. At scales far above the width nearly all are kept.

    Example:
        >>> from privet.noise.for_tests import seeded_entropy_for_tests
        >>> CubeLaw(width=3, scale=10).many(seeded_entropy_for_tests(1), 5).shape
        (5, 3)
    """

    def __init__(self, width: int, scale: Number) -> None:
        self.width = draw_count(width, name="width")
        if not 1 <= self.width <= MOST_WIDTH:
            raise InvalidParameter(f"width must be between 1 and 2^12, got {self.width}")
        self._geometric = GeometricLaw(scale)
        self.scale = self._geometric.scale
        if not Fraction(self.width, 4) <= self.scale <= WIDEST:
            raise InvalidParameter(
                "scale must lie between a quarter of the width and 2^40 lattice steps: choose another lattice"
            )

    def one(self, source: BitSource) -> NDArray[np.int64]:
        """Draw one vector."""
        size = self.size(source)
        return UniformLaw(2 * size + 1).many(source, self.width).astype(np.int64) - size

    def many(self, source: BitSource, count: int) -> NDArray[np.int64]:
        """Draw `count` independent vectors, one in each row."""
        rows = [self.one(source) for _ in range(draw_count(count))]
        return np.array(rows, dtype=np.int64).reshape(count, self.width)

    def size(self, source: BitSource) -> int:
        """Draw half the edge of a cube."""
        while True:
            size = sum(abs(int(each)) for each in self._geometric.many(source, self.width + 1).tolist())
            if BernoulliLaw(self.kept(size)).one(source):
                return size

    def kept(self, size: int) -> Fraction:
        """Return the probability with which a sum of geometric numbers is kept."""
        return Fraction((2 * size + 1) ** self.width, prod(range(2 * size + 2, 2 * size + 2 * self.width + 1, 2)))

    def __repr__(self) -> str:
        return f"CubeLaw(width={self.width}, scale={self.scale})"
