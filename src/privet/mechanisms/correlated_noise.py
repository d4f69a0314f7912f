"""CorrelatedNoise: noise for sums released step after step, of which what is added now is taken back later."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Self

import numpy as np
from numpy.typing import NDArray

from privet.core.sensitivity import root_above
from privet.errors import InvalidParameter
from privet.loss import GaussianCurve, Neighbors, PrivacyLoss
from privet.loss.exact import Exact, exact_within, whole
from privet.noise.lazy import Floats

BITS = 12  # coefficients are multiples of 2^-BITS
MOST_STEPS = 1 << 22
MOST_PARTICIPATIONS = 1 << 20  # times 2^BITS: sums of coefficients are exact in int64
WIDEST = 1 << 61  # of what is mixed: it fits into int64, with room for noise


@dataclass(frozen=True)
class CorrelatedNoise:
    """Noise for the sums of a training that cancels in the running total, when units come back rarely.

    Args:
        steps: how many sums are released, at least 1.
        bands: how many sums each release mixes, at least 1; 1 is independent noise.
        participations: in how many steps a unit takes part at most.
        separation: how many steps lie at least from one participation of a unit to its next: with 1, nothing.

    Privacy: with a lower-triangular C of `bands` diagonals, u_t = (C g)_t + G_t is released for the sums g, where G is
        independent Gaussian noise. A unit moves all of u by at most `sensitivity`, for vectors of norm up to 1, also
        when sums depend on earlier releases. So all steps together are one Gaussian release. What is used,
        y_t = g_t + (C⁻¹ G)_t, is `read` off the released u by what is public.
    Proof: docs/proofs/correlated-noise.md.
    Not covered: when a unit takes part must not depend on who else is in the data, and keep the separation.

    Example:
        >>> noise = CorrelatedNoise(steps=400, bands=100, participations=4, separation=100)
        >>> round(float(noise.sensitivity), 3), round(noise.total_error(), 2)
        (3.181, 7.12)
        >>> CorrelatedNoise(steps=400, bands=1, participations=4, separation=100).total_error()
        40.0
    """

    steps: int
    bands: int
    participations: int = 1
    separation: int = 1

    def __post_init__(self) -> None:
        whole(self.steps, "steps", low=1, high=MOST_STEPS)
        whole(self.bands, "bands", low=1, high=self.steps)
        whole(self.participations, "participations", low=1, high=MOST_PARTICIPATIONS)
        whole(self.separation, "separation", low=1)

    @classmethod
    def best(cls, *, steps: int, participations: int, separation: int, most_bands: int = 64) -> Self:
        """Return the noise whose running totals err least, of bands that are powers of two, or the separation.

        Args:
            steps: as above, like the others.
            participations: in how many steps a unit takes part at most.
            separation: how many steps lie between.
            most_bands: how many sums can be kept at once.
        """
        most = min(whole(steps, "steps", low=1), whole(most_bands, "most_bands", low=1))
        tried = {1 << power for power in range(most.bit_length())} | {most, min(separation, most)}
        made = [cls(steps, bands, participations, separation) for bands in sorted(tried)]
        return min(made, key=lambda noise: noise.mean_error())

    @property
    def numerators(self) -> NDArray[np.int64]:
        """The coefficients times 2^12: whole numbers, so that whole sums are mixed exactly."""
        return _numerators(self.bands)

    @property
    def coefficients(self) -> tuple[Fraction, ...]:
        """The first column of C: those of the square root of the running total, 1, 1/2, 3/8, …, rounded down."""
        return tuple(Fraction(int(each), 1 << BITS) for each in self.numerators)

    @cached_property
    def sensitivity(self) -> Fraction:
        """How far one unit of norm 1 moves all releases together, in Euclidean norm: exact, or the next float above.

        Proof: the coefficients are not negative and do not increase, so the columns 0, b, 2b, … add up to the longest.
        """
        return root_above(self._square)

    @cached_property
    def _square(self) -> Fraction:
        total = np.zeros(self.steps, dtype=np.int64)
        column = self.numerators
        for start in range(0, min(self.steps, self.participations * self.separation), self.separation):
            length = min(self.bands, self.steps - start)
            total[start : start + length] += column[:length]
        return Fraction(sum(int(each) ** 2 for each in total), 1 << 2 * BITS)

    def reached(self, steps: int) -> Fraction:
        """The square of how far one unit moves the first so many releases together, at most.

        Proof: they are those of a training that ends there.
        """
        if not steps:
            return Fraction(0)
        part = type(self)(steps, min(self.bands, steps), self.participations, self.separation)
        return part._square  # noqa: SLF001 - its own class

    def loss(self, scale: Exact, *, neighbors: Neighbors | str = Neighbors.ADD_REMOVE) -> PrivacyLoss:
        """Return the loss of all steps together.

        Args:
            scale: > 0; the standard deviation of G, for vectors clipped to a norm of 1.
            neighbors: a unit that is replaced moves everything twice as far.
        """
        noise = exact_within(scale, "scale", low=0)
        if not noise:
            raise InvalidParameter("scale must be > 0, got 0: without noise nothing is private")
        moves = 2 if Neighbors.of(neighbors) is Neighbors.REPLACE else 1
        return PrivacyLoss.of(GaussianCurve(moves * self.sensitivity / noise))

    @property
    def largest(self) -> int:
        """How large a number of a sum may be, so that `mix` is exact."""
        return WIDEST // int(self.numerators.sum())

    def mix(self, recent: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
        """Return 2^12 (C g)_t, to which noise is added, from the present sum and those before it, the latest last.

        Args:
            recent: whole numbers, none beyond `largest`, so that all of it is exact; of more than `bands` the last
                ones are taken.
        """
        numerators = self.numerators
        mixed = recent[-1] * int(numerators[0])
        for back in range(1, min(len(recent), self.bands)):
            mixed += recent[-1 - back] * int(numerators[back])
        return mixed

    def read(self, answer: Floats, earlier: Sequence[Floats]) -> Floats:
        """Return y_t = g_t + (C⁻¹ G)_t from the release u_t and the y before it, the latest last.

        Proof: y = C⁻¹ u, that is u_t = y_t + sum of c_j y_(t-j). It sees released numbers only.
        """
        numerators = self.numerators
        for back in range(1, min(len(earlier) + 1, self.bands)):
            answer = answer - earlier[-back] * float(numerators[back] / 2.0**BITS)
        return answer

    def variances(self) -> Floats:
        """Return the variance of each running total of y, for noise of scale 1 per unit of the sensitivity."""
        inverse = _inverse(self.numerators, self.steps)
        return np.cumsum(np.cumsum(inverse) ** 2) * float(self.sensitivity) ** 2

    def total_error(self) -> float:
        """Return the largest standard deviation of a running total, in the root of that unit."""
        return math.sqrt(float(self.variances().max()))

    def mean_error(self) -> float:
        """Return the root of their mean variance, in the same unit."""
        return math.sqrt(float(self.variances().mean()))


@lru_cache(maxsize=64)
def _numerators(bands: int) -> NDArray[np.int64]:
    """The coefficients binom(2j, j)/4^j, rounded down to multiples of 2^-16: they do not increase, nor do these."""
    places = np.arange(1.0, bands)
    exact = np.concatenate([[1.0], np.cumprod((2 * places - 1) / (2 * places))])
    rounded = np.minimum.accumulate(np.floor(exact * 2.0**BITS).astype(np.int64))
    rounded.flags.writeable = False
    return rounded


def _inverse(numerators: NDArray[np.int64], steps: int) -> Floats:
    """The first column of the inverse of C."""
    from scipy.signal import lfilter  # noqa: PLC0415 - slow to load, and few need it

    first = np.zeros(steps)
    first[0] = 1.0
    column: Floats = lfilter([1.0], numerators / 2.0**BITS, first)
    return column
