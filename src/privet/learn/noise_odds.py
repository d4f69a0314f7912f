"""NoiseOdds: how likely noise is to be so large, for posteriors that know it."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from privet.core import Mechanism
from privet.errors import InvalidParameter
from privet.learn.features import Floats
from privet.mechanisms import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace

LAPLACE, GAUSSIAN = 30.0, 8.5  # scales of noise beyond which less than 1e-13 of it lies
POINTS = 301  # of a grid that cannot have every whole number


@dataclass(frozen=True)
class NoiseOdds:
    """Independent Laplace or Gaussian noise.

    Args:
        scale: of Laplace noise, or the standard deviation of Gaussian noise.
        laplace: which of both.

    Example:
        >>> NoiseOdds(2.0, laplace=True).logs(np.array([0.0, 4.0])).tolist()
        [-0.0, -2.0]
    """

    scale: float
    laplace: bool

    @classmethod
    def of(cls, mechanism: Mechanism[Any, Any], unit: float = 1.0) -> "NoiseOdds":
        """Return the noise of a mechanism, in so many of its steps."""
        if not isinstance(mechanism, DiscreteLaplace | Laplace | DiscreteGaussian | Gaussian):
            raise InvalidParameter(f"posteriors know Laplace and Gaussian noise, not {type(mechanism).__name__}")
        return cls(float(mechanism.scale) / unit, isinstance(mechanism, DiscreteLaplace | Laplace))

    def logs(self, noise: Floats) -> Floats:
        """The logarithm of the probability of noise, up to a constant."""
        found: Floats = -np.abs(noise) / self.scale if self.laplace else -((noise / self.scale) ** 2) / 2
        return found

    def logs_with_normal(self, distance: Floats, variance: Floats) -> Floats:
        """The logarithm of the density of this noise plus normal noise of these variances, up to one constant.

        Proof: for Laplace noise of scale b, exp(v/2b²)/2b · (e^(-x/b) Φ(x/√v - √v/b) + e^(x/b) Φ(-x/√v - √v/b)).
        """
        if not self.laplace:
            total = self.scale**2 + variance
            found: Floats = -(distance**2) / total / 2 - np.log(total) / 2
            return found
        spread = np.sqrt(np.maximum(variance, (1e-6 * self.scale) ** 2))
        ahead, behind = (_half(sign * distance / spread, spread / self.scale) for sign in (1, -1))
        joined: Floats = np.logaddexp(ahead, behind)
        return joined

    def window(self, center: float, low: float = 0.0, high: float = math.inf) -> tuple[float, float]:
        """The first and the last whole number from low to high that may lie behind a noisy one."""
        reach = math.ceil(self.scale * (LAPLACE if self.laplace else GAUSSIAN)) + 1
        first, last = max(low, math.floor(center) - reach), min(high, math.ceil(center) + reach)
        if last < first:  # noise beyond belief: the nearest numbers
            return (low, min(high, low + 2 * reach)) if center < low else (max(low, high - 2 * reach), high)
        return first, last


def _half(distance: Floats, ratio: Floats) -> Floats:
    """The logarithm of exp(r²/2 - r x) Φ(x - r), without differences of large numbers."""
    beyond = ratio - distance
    scaled = np.log(special.erfcx(np.maximum(beyond, 0.0) / math.sqrt(2)) / 2) - distance**2 / 2
    plain = special.log_ndtr(np.maximum(-beyond, 0.0)) + ratio * (ratio / 2 - distance)
    found: Floats = np.where(beyond > 0, scaled, plain)
    return found


def spread_over(first: float, last: float, points: int = POINTS) -> Floats:
    """Return the whole numbers from first to last, or the middles of so many equal steps if there are more.

    Example:
        >>> spread_over(3, 5).tolist(), spread_over(0, 999, 4).tolist()
        ([3.0, 4.0, 5.0], [124.5, 374.5, 624.5, 874.5])
    """
    number = round(last - first) + 1
    if number <= points:
        return np.arange(number, dtype=np.float64) + float(first)
    step = number / points
    found: Floats = first - 0.5 + step * (np.arange(points, dtype=np.float64) + 0.5)
    return found
