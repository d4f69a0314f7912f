"""Noise of the form `sign * floor(scale * size + offset)`: one uniform for the size, and a fair sign."""

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
    center_of,
    certain_floor,
    certain_whole,
    collect,
    collect_around,
    decided_steps,
    midpoints,
    parted,
    settle,
)


class SignedFloor(Law):
    """The law of `sign * floor(scale * size + offset)`, where the size is a function of one uniform real."""

    def __init__(self, scale: Number) -> None:
        self.scale = exact_scale(scale)
        self._scale = float(self.scale)
        self._offset = self.offset()
        self._doubt = RESERVE * self._offset
        self._bits = 40 + math.ceil(self.scale).bit_length()

    @abstractmethod
    def size(self, uniform: F, radius: float) -> tuple[F, F]:
        """Return the size at each uniform and its slack: how far the size of a real within `radius` may be from it."""

    def size_of_one(self, uniform: float) -> tuple[float, float]:
        """Return the same for one real that is known to 52 bits; numpy is slow for single numbers, so override it."""
        with np.errstate(divide="ignore"):
            value, slack = self.size(np.float64(uniform), RADIUS)
        return float(value), float(slack)

    @abstractmethod
    def size_ball(self, uniform: arb) -> arb:
        """Return a ball around the size."""

    @abstractmethod
    def offset(self) -> float:
        """Return the offset to float64 accuracy."""

    @abstractmethod
    def offset_ball(self) -> arb:
        """Return a ball around the offset at the present precision."""

    def decide(self, uniform: F, radius: float) -> tuple[F, Flags]:
        """Return the magnitude common to all reals within `radius` of each `uniform`, and where there is none."""
        value, slack = self.size(uniform, radius)
        value *= self._scale
        value += self._offset
        slack *= self._scale
        slack += self._doubt
        return certain_floor(value, slack)

    def magnitude(self, uniform: arb) -> list[arb]:
        """Return a ball around the number whose floor is the magnitude."""
        return [ball_of(self.scale) * self.size_ball(uniform) + self.offset_ball()]

    def one(self, source: BitSource) -> int:
        """Draw one value, exact however large."""
        word = int(source.words(1)[0])
        value, slack = self.size_of_one(center_of(word))
        magnitude = certain_whole(value * self._scale + self._offset, slack * self._scale + self._doubt)
        if magnitude is None:
            return self._refined(word, source)
        return -magnitude if word >> 63 else magnitude

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


class RoundedNoise(SignedFloor):
    """Continuous symmetric noise rounded to the nearest step, alone or together with the number it is added to.

    Proof of the law: rounding a magnitude to the nearest is floor(magnitude + 1/2); ties have probability zero.
    """

    def offset(self) -> float:
        """Return one half, which rounds to the nearest."""
        return 0.5

    def offset_ball(self) -> arb:
        """Return one half, exactly."""
        return arb(1) / 2

    def around(self, source: BitSource, centers: Floats) -> Steps:
        """Draw the whole number nearest to center + X for each center, X the noise; the sum is of reals, not floats.

        Args:
            source: of bits.
            centers: finite, in lattice steps.

        Proof of the law: the whole part is taken out exactly. It is floor(f + 1/2 + sign * scale * size) for the rest f
            of the center; f is exact in the ball. In float64 the two additions lose at most 2^-52 (|X| + 1), and the
            slack holds 2^-40 of both: of |X| through `size`, and of 1 here.
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
        word = int(source.words(1)[0])
        whole, fraction = parted(center)
        value, slack = self.size_of_one(center_of(word))
        signed = -value * self._scale if word >> 63 else value * self._scale
        floor = certain_whole(signed + fraction + 0.5, slack * self._scale + RESERVE)
        return whole + (self._refined_around(word, fraction, source) if floor is None else floor)

    def _refined_around(self, word: int, fraction: float, source: BitSource) -> int:
        center = Fraction(fraction) + Fraction(1, 2)
        scale = -self.scale if word >> 63 else self.scale
        return settle(  # the fractions become balls inside, where the precision is that of the uniform
            lambda u: [ball_of(center) + ball_of(scale) * self.size_ball(u)],
            [LazyUniform.continuing(word, source)],
            bits=self._bits,
        )[0]

    def decide_around(self, uniform: F, radius: float, signs: F, fractions: F) -> tuple[F, Flags]:
        """Return floor(f + 1/2 + X) common to all reals within `radius` of each `uniform`, and where there is none."""
        value, slack = self.size(uniform, radius)
        value *= self._scale
        value = np.copysign(value, signs)
        value += fractions
        value += 0.5
        slack *= self._scale
        slack += RESERVE
        return certain_floor(value, slack)
