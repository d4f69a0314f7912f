"""Laplace noise on a lattice, in the two forms mechanisms need: rounded, and discrete (two-sided geometric).

Both are `sign * floor(scale * E + offset)` with E exponential of mean 1 and an independent fair sign; only the
offset differs, so they share one decision.
"""

import math
from abc import abstractmethod
from fractions import Fraction

import numpy as np
from flint import arb

from privet.noise.entropy import BitSource
from privet.noise.law import Law, Number, draw_count, exact_scale
from privet.noise.lazy import (
    RADIUS,
    RESERVE,
    F,
    Flags,
    Floats,
    LazyUniform,
    Steps,
    ball_of,
    certain_floor,
    collect,
    collect_around,
    decided_steps,
    exponential,
    midpoint,
    midpoints,
    settle,
)


class _SignedFloor(Law):
    """The law of `sign * floor(scale * E + offset)`."""

    def __init__(self, scale: Number) -> None:
        self.scale = exact_scale(scale)
        self._scale = float(self.scale)
        self._offset = self.offset()
        self._bits = 40 + math.ceil(self.scale).bit_length()

    @abstractmethod
    def offset(self) -> float:
        """Return the offset to float64 accuracy."""

    @abstractmethod
    def offset_ball(self) -> arb:
        """Return a ball around the offset at the present precision."""

    def decide(self, uniform: F, radius: float) -> tuple[F, Flags]:
        """Return the magnitude common to all reals within `radius` of each `uniform`, and where there is none."""
        value, slack = exponential(uniform, radius)
        value *= self._scale
        value += self._offset
        slack *= self._scale
        slack += RESERVE * self._offset
        return certain_floor(value, slack)

    def magnitude(self, uniform: arb) -> list[arb]:
        """Return a ball around the number whose floor is the magnitude."""
        return [ball_of(self.scale) * -uniform.log() + self.offset_ball()]

    def one(self, source: BitSource) -> int:
        """Draw one value, exact however large."""
        word = int(source.words(1)[0])
        with np.errstate(divide="ignore"):
            magnitude, undecided = self.decide(midpoint(word), RADIUS)
        if undecided:
            return self._refined(word, source)
        return -int(magnitude) if word >> 63 else int(magnitude)

    def many(self, source: BitSource, count: int) -> Steps:
        """Draw `count` independent values."""
        return collect(draw_count(count), lambda size: self._some(source, size))

    def _some(self, source: BitSource, size: int) -> Steps:
        words = source.words(size)
        with np.errstate(divide="ignore"):
            magnitudes, undecided = self.decide(midpoints(words), RADIUS)
        return decided_steps(
            np.copysign(magnitudes, words.view(np.float64)),
            np.flatnonzero(undecided),
            lambda place: self._refined(int(words[place]), source),
        )

    def _refined(self, word: int, source: BitSource) -> int:
        (magnitude,) = settle(self.magnitude, [LazyUniform.continuing(word, source)], bits=self._bits)
        return -magnitude if word >> 63 else magnitude

    def __repr__(self) -> str:
        return f"{type(self).__name__}(scale={self.scale})"


class LaplaceLaw(_SignedFloor):
    """The Laplace distribution, rounded to the nearest lattice step.

    Args:
        scale: the mean magnitude, in lattice steps; between 2^-256 and 2^256.

    Privacy:
        Rounding is post-processing: adding this to a whole number of steps is the textbook Laplace mechanism
        followed by rounding, so its textbook loss holds, in any dimension.

    Proof of the law:
        |X| = scale * E for X Laplace and E exponential, and the sign of X is fair and independent of |X|.
        Rounding |X| to the nearest integer is floor(|X| + 1/2); ties have probability zero.

    Example:
        >>> from privet.noise.for_tests import seeded_entropy_for_tests
        >>> LaplaceLaw(scale=10).many(seeded_entropy_for_tests(1), 5).dtype
        dtype('int64')
    """

    def offset(self) -> float:
        """Return one half, which rounds to the nearest."""
        return 0.5

    def offset_ball(self) -> arb:
        """Return one half, exactly."""
        return arb(1) / 2

    def around(self, source: BitSource, centers: Floats) -> Steps:
        """Draw the whole number nearest to center + X for each center, X Laplace; the sum is of reals, not of floats.

        Args:
            source: of bits.
            centers: finite, in lattice steps.

        Proof of the law: with the whole part taken out exactly, it is floor(f + 1/2 + sign * scale * E) for the
            fraction f of the center, decided by the same slack as without f; f is exact in the ball.
        """
        return collect_around(centers, lambda fractions: self._some_around(source, fractions))

    def _some_around(self, source: BitSource, fractions: Floats) -> Steps:
        words = source.words(len(fractions))
        with np.errstate(divide="ignore"):
            floors, undecided = self.decide_around(midpoints(words), RADIUS, words.view(np.float64), fractions)
        return decided_steps(
            floors,
            np.flatnonzero(undecided),
            lambda place: self._refined_around(int(words[place]), float(fractions[place]), source),
        )

    def near(self, source: BitSource, center: float) -> int:
        """Draw the whole number nearest to one center + X, as `around` does."""
        word, whole = int(source.words(1)[0]), math.floor(center)
        fraction, sign = np.float64(center - whole), np.float64(-1.0 if word >> 63 else 1.0)
        with np.errstate(divide="ignore"):
            floor, undecided = self.decide_around(midpoint(word), RADIUS, sign, fraction)
        return whole + (self._refined_around(word, float(fraction), source) if undecided else int(floor))

    def _refined_around(self, word: int, fraction: float, source: BitSource) -> int:
        center = Fraction(fraction) + Fraction(1, 2)
        scale = self.scale if word >> 63 else -self.scale  # the logarithm is negative
        uniform = LazyUniform.continuing(word, source)
        return settle(lambda u: [ball_of(center) + ball_of(scale) * u.log()], [uniform], bits=self._bits)[0]

    def decide_around(self, uniform: F, radius: float, signs: F, fractions: F) -> tuple[F, Flags]:
        """Return floor(f + 1/2 + X) common to all reals within `radius` of each `uniform`, and where there is none."""
        value, slack = exponential(uniform, radius)
        value *= self._scale
        value = np.copysign(value, signs)
        value += fractions
        value += 0.5
        slack *= self._scale
        slack += RESERVE
        return certain_floor(value, slack)


class DiscreteLaplaceLaw(_SignedFloor):
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
