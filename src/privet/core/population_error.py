"""PopulationError: how far a released number may lie from that of the population its units are a sample of."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from privet.core.uncertainty import UP, Uncertainty

RATIO = 0.9  # of the tails of neighboring strata of the noise
LEAST = 1e-6  # the tail of the last stratum; rarer noise counts as beyond every distance
SPLIT = 1 / 64  # of a tail, for the smaller of two errors where the other one is nearly all
HALVES = 50  # steps of a bisection


@dataclass(frozen=True)
class PopulationError(Uncertainty):
    """The error of noise and of sampling together: independent, the second one normal.

    Args:
        noise: the law of the noise.
        deviation: >= 0; by how much the numbers of different samples differ, as a standard deviation.

    Proof: the larger |N| is, the likelier N + S lies beyond a distance, for S symmetric with one peak. So |N| is raised
        to the end of its stratum, between two of the tails 1, 0.9, 0.81, …, and the chances of all strata are added
        up; beyond the last one the chance is taken as 1. Where this is worse, the union bound holds: |N + S| exceeds
        a + b only if |N| exceeds a or |S| exceeds b. That the sum of many units is normal is an approximation.

    Example:
        >>> from privet.mechanisms.gaussian import GaussianError
        >>> round(PopulationError(GaussianError(scale=3.0), 4.0).margin(0.95), 1), round(5 * 1.96, 1)
        (9.9, 9.8)
    """

    independent = False  # samples put units in one cell or in another
    noise: Uncertainty
    deviation: float

    def tail(self, distance: float) -> float:
        """The probability of a larger error, from above."""
        if distance <= 0:
            return 1.0
        if not self.deviation:
            return self.noise.tail(distance)
        return min(1.0, self._added_up(distance))

    def distance(self, tail: float) -> float:
        """A distance whose tail is at most that, by bisection below the union bound."""
        if not self.deviation:
            return self.noise.distance(tail)
        high = min(self._united(tail, share) for share in (SPLIT, 0.5, 1 - SPLIT))
        low = 0.0
        if not math.isfinite(high) or self._added_up(high) > tail:
            return high
        for _ in range(HALVES):
            middle = (low + high) / 2
            low, high = (low, middle) if self._added_up(middle) <= tail else (middle, high)
        return high

    def _united(self, tail: float, share: float) -> float:
        """The union bound, with this share of the tail for the sampling."""
        normal = -float(ndtri(tail * share / 2)) * self.deviation
        return (self.noise.distance(tail * (1 - share)) + normal) * UP

    def _added_up(self, distance: float) -> float:
        chances, ends = _strata(self.noise)
        beyond = ndtr((ends - distance) / self.deviation) + ndtr((-ends - distance) / self.deviation)
        return (float(chances @ beyond) + LEAST) * UP


@lru_cache(maxsize=64)
def _strata(noise: Uncertainty) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The chance of each stratum of the noise's size, and its upper end."""
    tails = [RATIO**place for place in range(math.ceil(math.log(LEAST) / math.log(RATIO)))] + [LEAST]
    ends = [noise.distance(each) for each in tails[1:]]
    return -np.diff(tails), np.array(ends)
