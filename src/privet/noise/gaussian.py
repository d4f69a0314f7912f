"""Gaussian noise on a lattice: the normal distribution rounded, and the discrete Gaussian."""

import math
from functools import cache, partial

import numpy as np
from flint import arb

from privet.noise.barred_gaussian import MANY, WIDEST, BarredGaussian
from privet.noise.bernoulli import survive, survives
from privet.noise.entropy import BitSource
from privet.noise.laplace import DiscreteLaplaceLaw
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
    in_place,
    midpoint,
    midpoints,
    parted,
    settle,
)
from privet.noise.normal_bars import normal_bars

# Taylor series of cos(pi z / 2) and sin(pi z / 2); on |z| <= 1/2 what is left out is below 2^-54.
_COSINE = [(-1) ** k * (math.pi / 2) ** (2 * k) / math.factorial(2 * k) for k in range(9)]
_SINE = [(-1) ** k * (math.pi / 2) ** (2 * k + 1) / math.factorial(2 * k + 1) for k in range(8)]


class GaussianLaw(Law):
    """The normal distribution with mean 0, rounded to the nearest lattice step.

    Args:
        scale: the standard deviation, in lattice steps; between 2^-256 and 2^256.

    Privacy:
        Rounding is post-processing: adding this to a whole number of steps is the textbook Gaussian mechanism
        followed by rounding, so its textbook loss holds, in any dimension.

    Proof of the law:
        Box and Muller (1958): for u, v uniform and r = sqrt(-2 ln u), the pair (r cos a, r sin a) with
        a = pi v / 2 is that of the magnitudes of two independent standard normals; fair independent signs make
        it the pair itself. Rounding the magnitude is floor(|X| + 1/2); ties have probability zero. From 4,096 values
        on the same law is drawn from bars (`BarredGaussian`), several times faster.

    Example:
        >>> from privet.noise.for_tests import seeded_entropy_for_tests
        >>> GaussianLaw(scale=3).many(seeded_entropy_for_tests(1), 5).shape
        (5,)
    """

    def __init__(self, scale: Number) -> None:
        self.scale = exact_scale(scale)
        self._scale = float(self.scale)
        self._bits = 40 + math.ceil(self.scale).bit_length()

    def decide(self, uniform: F, angle: F, radius: float) -> tuple[tuple[F, F], Flags]:
        """Return both magnitudes common to all reals within `radius` of u and v, and where there are none.

        Proof: |sqrt(2E') - sqrt(2E)| <= 2 |E' - E| / sqrt(2E); a turns by pi/2 times the radius; and a product
        r c moves by at most |r' - r| + r |c' - c|, because |c'| <= 1.
        """
        length, slack = self._length(uniform, radius)
        along, across = _turned(angle)
        along *= length
        along += 0.5
        across *= length
        across += 0.5
        first, doubtful = certain_floor(along, slack)
        second, unsure = certain_floor(across, slack)
        return (first, second), doubtful | unsure

    def _length(self, uniform: F, radius: float) -> tuple[F, F]:
        """Return scale * r / sqrt(2), which `_turned` has too much, and the slack of what comes of it."""
        length, slack = exponential(uniform, radius)
        length *= 2
        length = in_place(np.sqrt, length)
        slack *= 2
        slack /= length
        slack += (RESERVE + math.pi / 2 * radius) * length
        slack *= self._scale
        slack += RESERVE
        length *= self._scale * math.sqrt(0.5)
        return length, slack

    def magnitudes(self, uniform: arb, angle: arb) -> list[arb]:
        """Return balls around the two numbers whose floors are the magnitudes."""
        length = ball_of(self.scale) * (-2 * uniform.log()).sqrt()
        sine, cosine = (angle / 2).sin_cos_pi()
        return [length * cosine + arb(1) / 2, length * sine + arb(1) / 2]

    def one(self, source: BitSource) -> int:
        """Draw one value, exact however large."""
        first, second = source.words(2).tolist()
        with np.errstate(divide="ignore"):
            (magnitude, _), undecided = self.decide(midpoint(first), midpoint(second), RADIUS)
        if undecided:
            return self._refined(first, second, source)[0]
        return -int(magnitude) if first >> 63 else int(magnitude)

    def many(self, source: BitSource, count: int) -> Steps:
        """Draw `count` independent values."""
        count = draw_count(count)
        if self._by_bars(count):
            return BarredGaussian(self.scale, normal_bars()).many(source, count)
        return collect(count, lambda size: self._some(source, size))

    def _by_bars(self, count: int) -> bool:
        return count >= MANY and self.scale <= WIDEST

    def _some(self, source: BitSource, size: int) -> Steps:
        pairs = (size + 1) // 2
        words = source.words(2 * pairs)
        with np.errstate(divide="ignore"):
            magnitudes, undecided = self.decide(midpoints(words[:pairs]), midpoints(words[pairs:]), RADIUS)
        places = np.flatnonzero(undecided)

        @cache
        def refined(place: int) -> tuple[int, int]:
            return self._refined(int(words[place]), int(words[pairs + place]), source)

        return decided_steps(
            np.copysign(np.concatenate(magnitudes), words.view(np.float64)),
            np.concatenate((places, places + pairs)),
            lambda place: refined(place % pairs)[place // pairs],
        )[:size]

    def _refined(self, first: int, second: int, source: BitSource) -> tuple[int, int]:
        uniforms = [LazyUniform.continuing(first, source), LazyUniform.continuing(second, source)]
        along, across = settle(self.magnitudes, uniforms, bits=self._bits)
        return -along if first >> 63 else along, -across if second >> 63 else across

    def around(self, source: BitSource, centers: Floats) -> Steps:
        """Draw the whole number nearest to center + X for each center, X normal; the sum is of reals, not of floats.

        Args:
            source: of bits.
            centers: finite, in lattice steps.

        Proof of the law: the whole part is taken out exactly. It is floor(f + 1/2 + X) for the rest f of the center; f
            is exact in the ball. In float64 the two additions lose at most 2^-52 (|X| + 1), and the slack of `_length`
            holds 2^-40 of both. A pair with one open member is settled whole, by the same reals.
        """
        if self._by_bars(len(centers)):
            return BarredGaussian(self.scale, normal_bars()).around(source, centers)
        return collect_around(centers, lambda fractions: self._some_around(source, fractions))

    def _some_around(self, source: BitSource, fractions: Floats) -> Steps:
        pairs = (len(fractions) + 1) // 2
        words = source.words(2 * pairs)
        offsets = np.zeros(2 * pairs)
        offsets[: len(fractions)] = fractions
        uniform = midpoints(words[:pairs])
        angle = midpoints(words[pairs:])
        signs = words.view(np.float64)
        with np.errstate(divide="ignore"):
            floors, undecided = self.decide_around(uniform, angle, RADIUS, signs, offsets)
        places = np.flatnonzero(undecided)

        @cache
        def refined(place: int) -> tuple[int, ...]:
            both = (place, pairs + place)
            first, second = (int(words[at]) for at in both)
            return self._refined_around(first, second, [float(offsets[at]) for at in both], source)

        steps = decided_steps(
            floors, np.concatenate((places, places + pairs)), lambda place: refined(place % pairs)[place // pairs]
        )
        return steps[: len(fractions)]

    def near(self, source: BitSource, center: float) -> int:
        """Draw the whole number nearest to one center + X, as `around` does."""
        first, second = source.words(2).tolist()
        whole, fraction = parted(center)
        with np.errstate(divide="ignore"):
            length, slack = self._length(midpoint(first), RADIUS)
        value = _turned(midpoint(second))[0] * length
        value = (-value if first >> 63 else value) + fraction + 0.5
        floor, undecided = certain_floor(value, slack)
        if undecided:
            return whole + self._refined_around(first, second, [float(fraction), 0.0], source)[0]
        return whole + int(floor)

    def _refined_around(self, first: int, second: int, fractions: list[float], source: BitSource) -> tuple[int, ...]:
        uniforms = [LazyUniform.continuing(first, source), LazyUniform.continuing(second, source)]

        def sums(u: arb, v: arb) -> list[arb]:
            along, across = (magnitude - arb(1) / 2 for magnitude in self.magnitudes(u, v))
            signed = (-along if first >> 63 else along, -across if second >> 63 else across)
            # a float is a ball of no width: nothing of it is lost
            return [arb(rest) + arb(0.5) + noise for rest, noise in zip(fractions, signed, strict=True)]

        return settle(sums, uniforms, bits=self._bits)

    def decide_around(
        self, uniform: Floats, angle: Floats, radius: float, signs: Floats, fractions: Floats
    ) -> tuple[Floats, Flags]:
        """Return floor(f + 1/2 + X) for both members of each pair, first all first ones, and which pairs are open."""
        length, slack = self._length(uniform, radius)
        value = np.concatenate(_turned(angle))
        value *= np.concatenate((length, length))
        np.copysign(value, signs, out=value)
        value += fractions
        value += 0.5
        floors, open_ones = certain_floor(value, np.concatenate((slack, slack)))
        return floors, np.asarray(open_ones).reshape(2, -1).any(axis=0)

    def __repr__(self) -> str:
        return f"GaussianLaw(scale={self.scale})"


def _turned(angle: F) -> tuple[F, F]:
    """Return sqrt(2) times cos(pi v / 2) and sin(pi v / 2), by series around v = 1/2."""
    centred = angle - 0.5
    square = centred * centred
    cosine, sine = _series(_COSINE, square), _series(_SINE, square)
    sine *= centred
    return cosine - sine, cosine + sine


def _series(coefficients: list[float], square: F) -> F:
    """Return the polynomial with these coefficients, lowest first, by Horner's rule."""
    total = square * coefficients[-1]
    for coefficient in coefficients[-2:0:-1]:
        total += coefficient
        total *= square
    total += coefficients[0]
    return total


class DiscreteGaussianLaw(Law):
    """The discrete Gaussian distribution: P(k) proportional to exp(-k^2 / (2 scale^2)) on the whole numbers.

    Args:
        scale: in lattice steps; between 2^-256 and 2^256.

    Proof of the law:
        Canonne, Kamath and Steinke (2020): a proposal Y from the discrete Laplace law of the same scale, kept with
        probability exp(-(|Y|/scale - 1)^2 / 2). Proposal times acceptance is, up to a constant factor,
        exp(-|y|/scale - y^2/(2 scale^2) + |y|/scale) = exp(-y^2/(2 scale^2)). More than half of all proposals are kept.

    Example:
        >>> from privet.noise.for_tests import seeded_entropy_for_tests
        >>> DiscreteGaussianLaw(scale=3).many(seeded_entropy_for_tests(1), 5).shape
        (5,)
    """

    def __init__(self, scale: Number) -> None:
        self._proposal = DiscreteLaplaceLaw(scale)
        self.scale = self._proposal.scale
        self._per_step = float(1 / self.scale)

    def exponent(self, magnitude: F) -> F:
        """Return the x for which |Y| is kept with probability exp(-x), with a float64 error below 2^-48 (1 + x)."""
        distance = magnitude * self._per_step
        distance -= 1
        distance *= distance
        distance *= 0.5
        return distance

    def exponent_ball(self, proposal: int) -> arb:
        """Return a ball around the same x."""
        return (ball_of(abs(proposal) / self.scale) - 1) ** 2 / 2

    def one(self, source: BitSource) -> int:
        """Draw one value, exact however large."""
        while True:
            proposal = self._proposal.one(source)
            exponent = self.exponent(np.float64(abs(proposal)))
            if survives(exponent, partial(self.exponent_ball, proposal), source):
                return proposal

    def many(self, source: BitSource, count: int) -> Steps:
        """Draw `count` independent values."""
        return collect(draw_count(count), lambda size: self._some(source, size))

    def _some(self, source: BitSource, size: int) -> Steps:
        proposals = self._proposal.many(source, size)
        exponents = self.exponent(np.abs(proposals).astype(np.float64))
        keep = survive(exponents, lambda place: self.exponent_ball(int(proposals[place])), source)
        kept: Steps = proposals[keep]
        return kept

    def __repr__(self) -> str:
        return f"DiscreteGaussianLaw(scale={self.scale})"
