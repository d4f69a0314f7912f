"""WeightedNoiseError: the law of a weighted sum of independent noises."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privet.core import Uncertainty
from privet.errors import InvalidParameter
from privet.mechanisms.discrete_gaussian import DiscreteGaussianError
from privet.mechanisms.discrete_laplace import DiscreteLaplaceError
from privet.mechanisms.gaussian import GaussianError
from privet.mechanisms.laplace import LaplaceError
from privet.noise.lazy import Floats

FINE = 1e-3  # weights are rounded up by less than this share, so that equal ones are treated once
BLUR = 0.015  # of a standard deviation: how far the sum is smeared out, which the margin then includes
NUMERIC = 1e-7  # more than the series and float64 are off
UNIFORMS = 8  # whose sum is what smears
DECAYED = 8  # their characteristic function is below 8^-8 from here on
LEAST = math.log(NUMERIC) - 25  # terms below this are left out: a million of them would not matter
TINY = 1e-300
WIDE = 50.0  # from this scale on, the sum of a discrete Gaussian's copies differs from 1 only where all are nothing
COPIES = 4
HALVES = 60  # steps of a bisection: more than float64 has digits


@dataclass(frozen=True)
class WeightedNoiseError(Uncertainty):
    """The error of a weighted sum of counts that each have independent noise of one law.

    Args:
        noise: the law of one count's error: discrete or continuous, Laplace or Gaussian.
        weights: the sizes of the weights, each once.
        times: how many counts have each weight.

    Proof: the sum X and an independent Y in [-h, h] with a smooth law satisfy Pr[|X| > d] <= Pr[|X + Y| > d - h]. The
        characteristic function of X + Y is the product of the known ones, and Pr[|X + Y| <= d] is its Fourier
        series over a period so long that hardly anything lies beyond. This is a numeric law: what the series and
        float64 leave out, below 1e-7, is added to every tail.

    Example:
        >>> ten = WeightedNoiseError.of(LaplaceError(scale=1), np.ones(10))
        >>> round(ten.margin(0.95), 1)  # a normal law of the same variance would say 8.8
        8.9
    """

    noise: Uncertainty
    weights: tuple[float, ...]
    times: tuple[int, ...]

    @classmethod
    def of(cls, noise: Uncertainty, weights: ArrayLike) -> "WeightedNoiseError":
        """Return the law for these weights, of either sign, in any order; zeros do not matter."""
        sizes = np.abs(np.asarray(weights, dtype=np.float64)).ravel()
        largest = float(sizes.max(initial=0.0))
        sizes = sizes[sizes > largest * 1e-9]
        if not sizes.size:
            raise InvalidParameter("at least one weight must not be zero: a sum without noise needs no margin")
        powers = np.ceil(np.log(sizes / largest) / math.log1p(FINE) - 1e-6)  # rounding up only widens the law
        known, times = np.unique(powers, return_counts=True)
        return cls(noise, tuple((largest * np.exp(known * math.log1p(FINE))).tolist()), tuple(times.tolist()))

    @cached_property
    def deviation(self) -> float:
        """The standard deviation of the sum."""
        squares = np.square(self.weights) * np.asarray(self.times)
        return math.sqrt(variance_of(self.noise) * float(squares.sum()))

    def tail(self, distance: float) -> float:
        """The probability of a larger error, from above."""
        reach = distance - self._blur
        if reach <= 0:
            return 1.0
        if reach >= self._period / 4:
            return min(1.0, self._series_tail(self._period / 4))
        return min(1.0, self._series_tail(reach))

    def distance(self, tail: float) -> float:
        """A distance whose tail is at most that, by bisection; infinite where the numeric law does not reach."""
        low = 0.0
        high = self._period / 4 + self._blur
        if self.tail(high) > tail:
            return math.inf
        for _ in range(HALVES):
            middle = (low + high) / 2
            low, high = (low, middle) if self.tail(middle) <= tail else (middle, high)
        return high

    @property
    def _blur(self) -> float:
        return BLUR * self.deviation

    @property
    def _period(self) -> float:
        """So long that the sum lies beyond half of it with a probability far below what is added to tails."""
        return 4 * (7 * self.deviation + 20 * max(self.weights) * math.sqrt(variance_of(self.noise)))

    def _series_tail(self, reach: float) -> float:
        harmonics, terms = self._series
        inside = 2 * reach / self._period + float((terms * np.sin(harmonics * reach)).sum())
        return max(0.0, 1 - inside) + NUMERIC

    @cached_property
    def _series(self) -> tuple[Floats, Floats]:
        """The frequencies, and twice the characteristic function over pi k at each.

        The logarithms are never above zero, so a few weights bound the whole from above: where that is next to nothing
        the others are not looked at. (Whole-numbered noise comes back at multiples of 2 pi / weight, so one may not
        simply stop.)
        """
        most = math.ceil(UNIFORMS * DECAYED * self._period / self._blur / (2 * math.pi))
        orders = np.arange(1, most + 1, dtype=np.float64)
        frequencies: Floats = orders * (2 * math.pi / self._period)
        logs = UNIFORMS * np.log(np.abs(np.sinc(frequencies * (self._blur / UNIFORMS / math.pi))) + TINY)
        weights, times = np.asarray(self.weights), np.asarray(self.times)
        heavy = np.argsort(-times * weights**2)
        for some in (heavy[:1], heavy[1:8], heavy[8:]):
            here = logs - np.log(orders) > LEAST
            orders, frequencies, logs = orders[here], frequencies[here], logs[here]
            logs += times[some] @ log_characteristic(self.noise, np.outer(weights[some], frequencies))
        return frequencies, 2 / (math.pi * orders) * np.exp(logs)


def variance_of(noise: Uncertainty) -> float:
    """Return the variance of one noise, known in closed form (for the discrete Gaussian from above)."""
    scale = float(_scale(noise))
    if isinstance(noise, LaplaceError):
        return 2 * scale**2
    if isinstance(noise, DiscreteLaplaceError):
        ratio = math.exp(-1 / scale)
        return 2 * ratio / (1 - ratio) ** 2
    return scale**2  # Canonne, Kamath and Steinke 2020, Proposition 21


def log_characteristic(noise: Uncertainty, frequencies: NDArray[Any]) -> NDArray[Any]:
    """Return the logarithm of the characteristic function, which is positive for all of these laws."""
    scale = float(_scale(noise))
    if isinstance(noise, LaplaceError):
        return -np.log1p((scale * frequencies) ** 2)
    if isinstance(noise, GaussianError):
        return -0.5 * (scale * frequencies) ** 2
    around = frequencies - 2 * math.pi * np.rint(frequencies / (2 * math.pi))  # whole numbers: it is periodic
    if isinstance(noise, DiscreteLaplaceError):
        ratio = math.exp(-1 / scale)
        return -np.log1p(4 * ratio * np.sin(around / 2) ** 2 / (1 - ratio) ** 2)
    logs: NDArray[Any] = (
        -0.5 * (scale * around) ** 2
    )  # Poisson's sum: copies of a bell curve, the nearest one taken out
    if scale < WIDE:
        logs += np.log(sum(_copy(scale, around, place) for place in range(-COPIES, COPIES + 1)))
        logs -= math.log(sum(float(_copy(scale, np.zeros(1), place)[0]) for place in range(-COPIES, COPIES + 1)))
    return logs


def _copy(scale: float, around: NDArray[Any], place: int) -> NDArray[Any]:
    """A copy of the bell curve, so many periods away, as a multiple of the one in the middle."""
    away: NDArray[Any] = np.exp(-0.5 * scale**2 * ((around + 2 * math.pi * place) ** 2 - around**2))
    return away


def _scale(noise: Any) -> float:  # noqa: ANN401 - one of four laws, checked here
    if not isinstance(noise, LaplaceError | DiscreteLaplaceError | GaussianError | DiscreteGaussianError):
        raise InvalidParameter(f"the noise must be Laplace or Gaussian, got {type(noise).__name__}")
    return noise.scale
