"""Laplace noise on a lattice, in the two forms mechanisms need: rounded, and discrete (two-sided geometric).

Both are `sign * floor(scale * E + offset)` with E exponential of mean 1 and an independent fair sign; only the
offset differs, so they share one decision.
"""

import math

from flint import arb

from privet.noise.lazy import F, ball_of, exponential
from privet.noise.signed_floor import RoundedNoise, SignedFloor


class ExponentialSize(SignedFloor):
    """Sizes that are exponential of mean 1."""

    def size(self, uniform: F, radius: float) -> tuple[F, F]:
        """Return -ln(u) and its slack."""
        return exponential(uniform, radius)

    def size_ball(self, uniform: arb) -> arb:
        """Return a ball around -ln(u)."""
        return -uniform.log()


class LaplaceLaw(ExponentialSize, RoundedNoise):
    """The Laplace distribution, rounded to the nearest lattice step.

    Args:
        scale: the mean magnitude, in lattice steps; between 2^-256 and 2^256.

    Privacy:
        Rounding is post-processing: adding this to a whole number of steps is the textbook Laplace mechanism
        followed by rounding, so its textbook loss holds, in any dimension. `around` rounds the sum with any number.

    Proof of the law:
        |X| = scale * E for X Laplace and E exponential, and the sign of X is fair and independent of |X|.
        Rounding |X| to the nearest integer is floor(|X| + 1/2); ties have probability zero.

    Example:
        >>> from privet.noise.for_tests import seeded_entropy_for_tests
        >>> LaplaceLaw(scale=10).many(seeded_entropy_for_tests(1), 5).dtype
        dtype('int64')
    """


class DiscreteLaplaceLaw(ExponentialSize):
    """The discrete Laplace (two-sided geometric) distribution: P(k) proportional to exp(-|k| / scale).

    Args:
        scale: in lattice steps; between 2^-256 and 2^256.

    Proof of the law:
        With t = exp(-1/scale), P(|K| >= k) = 2 t^k / (1 + t) for k >= 1. The sampler returns a magnitude >= k
        when E >= (k - offset)/scale, which has probability t^k exp(offset/scale) = 2 t^k / (1 + t) for
        offset = scale * ln(2 / (1 + t)). The sign is fair, and that of zero does not matter.

    Example:
        >>> from privet.noise.for_tests import seeded_entropy_for_tests
        >>> DiscreteLaplaceLaw(scale=0.01).one(seeded_entropy_for_tests(1))
        0
    """

    def offset(self) -> float:
        """Return scale * ln(2 / (1 + exp(-1/scale))), without cancellation."""
        scale = float(self.scale)
        return -scale * math.log1p(math.expm1(-1 / scale) / 2)

    def offset_ball(self) -> arb:
        """Return a ball around scale * ln(2 / (1 + exp(-1/scale)))."""
        return -ball_of(self.scale) * (ball_of(-1 / self.scale).expm1() / 2).log1p()
