"""Errors of combinations: what is known when several numbers with independent noise are put together."""

import math
from abc import abstractmethod
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from functools import lru_cache

from privet.core import Uncertainty
from privet.core.uncertainty import UP
from privet.mechanisms.gaussian import GaussianError
from privet.mechanisms.laplace import LaplaceError

APART = 1 + 2.0**-9  # scales nearer than this are moved apart, upwards: it costs at most a part in 500 of a margin
ROUNDED = 1 + 2.0**-45  # more than one term of the sum of exponentials loses
DIGITS = Context(prec=40)  # nine terms cancel by a factor of 10^20 at most
FEW = 4  # terms that floats add up: they cancel by a factor of 2^24 at most


class FromDistance(Uncertainty):
    """An error whose distance for a tail is known, and whose tail is found from it."""

    def tail(self, distance: float) -> float:
        """The least tail, up to a part in a thousand, whose distance is no larger."""
        # of the logarithm
        low = -700.0
        high = 0.0
        if self.distance(1 - 2.0**-30) > distance:
            return 1.0
        while high - low > 2.0**-10:
            middle = (low + high) / 2
            low, high = (low, middle) if self.distance(math.exp(middle)) <= distance else (middle, high)
        return math.exp(high)

    @abstractmethod
    def distance(self, tail: float) -> float:
        """A distance that is exceeded with at most this probability."""


@dataclass(frozen=True)
class LinearError(Uncertainty):
    """The error of Σ weight × number, where the numbers have independent Laplace or Gaussian noise of one scale.

    Args:
        error: of each number, a `LaplaceError` or a `GaussianError`.
        weights: at least one of them is not zero.

    Proof: Gaussian noises add up to one of the root of summed squares. A sum of Laplace noises of distinct scales b_i
        has the density Σ c_i exp(-|x|/b_i) / (2 b_i) with c_i = Π_j≠i b_i² / (b_i² - b_j²), by partial fractions of its
        characteristic function Π 1/(1 + b_i² t²); so the tail is Σ c_i exp(-d/b_i). A larger scale only widens the sum,
        because both parts are symmetric with one peak, so scales that nearly agree may be moved apart.

    Example:
        >>> round(LinearError(GaussianError(scale=1), (3, 4)).margin(0.95), 4)
        9.7998
        >>> round(LinearError(LaplaceError(scale=1), (1, 2)).margin(0.95), 4)
        6.5478
    """

    error: Uncertainty
    weights: tuple[float, ...]

    def tail(self, distance: float) -> float:
        """From the closed form, less half a step for each rounding."""
        return self._continuous_tail(max(distance - self._rounding, 0.0))

    def distance(self, tail: float) -> float:
        """The normal quantile, or the root of the tail found from above, plus half a step for each rounding."""
        if isinstance(self.error, GaussianError):
            size = math.hypot(*self.weights) * UP
            return GaussianError(self.error.scale * size).distance(tail) + self._rounding
        scales = _apart(tuple(sorted(abs(weight) * _scale(self.error) for weight in self.weights if weight)))
        return _laplace_distance(scales, tail) + self._rounding

    @property
    def _rounding(self) -> float:
        return sum(map(abs, self.weights)) * getattr(self.error, "step", 0.0) / 2 * UP

    def _continuous_tail(self, distance: float) -> float:
        if isinstance(self.error, GaussianError):
            return GaussianError(self.error.scale * math.hypot(*self.weights) * UP).tail(distance)
        scales = _apart(tuple(sorted(abs(weight) * _scale(self.error) for weight in self.weights if weight)))
        return _laplace_tail(scales, distance)


def _scale(error: Uncertainty) -> float:
    if not isinstance(error, LaplaceError):
        raise TypeError(f"sums are known for Laplace and Gaussian noise, not for {type(error).__name__}")
    return error.scale


@lru_cache(maxsize=256)
def _apart(scales: tuple[float, ...]) -> tuple[float, ...]:
    """Rising scales, each at least a little larger than the one before."""
    rising: list[float] = []
    for scale in scales:
        rising.append(max(scale, rising[-1] * APART) if rising else scale)
    return tuple(rising)


@lru_cache(maxsize=1024)
def _parts(scales: tuple[float, ...]) -> tuple[tuple[Decimal, Decimal], ...]:
    """The share of each scale in the density, and the scale."""
    with localcontext(DIGITS):
        exact = [Decimal(scale) for scale in scales]
        shares = [math.prod(b * b / ((b - c) * (b + c)) for c in exact if c != b) for b in exact]
        return tuple((Decimal(share), scale) for share, scale in zip(shares, exact, strict=True))


def _laplace_tail(scales: tuple[float, ...], distance: float) -> float:
    """Σ c_i exp(-d/b_i): by floats where few terms cancel, else with many digits."""
    if len(scales) > FEW:
        with localcontext(DIGITS):
            total = sum((share * (-Decimal(distance) / scale).exp() for share, scale in _parts(scales)), Decimal(0))
            return min(1.0, float(total) * ROUNDED)
    terms = [float(share) * math.exp(-distance / float(scale)) for share, scale in _parts(scales)]
    return min(1.0, math.fsum(terms) + math.fsum(map(abs, terms)) * (ROUNDED - 1))


@lru_cache(maxsize=4096)
def _laplace_distance(scales: tuple[float, ...], tail: float) -> float:
    from scipy.optimize import brentq  # noqa: PLC0415 - slow to load, and few need it

    low = 0.0
    high = scales[-1]
    while _laplace_tail(scales, high) > tail:
        low = high
        high = 2 * high
    goal = math.log(tail)
    found = float(brentq(lambda d: math.log(_laplace_tail(scales, d)) - goal, low, high, xtol=1e-12 * high, rtol=1e-12))
    while _laplace_tail(scales, found) > tail:
        found += max(found, high * 1e-3) * 1e-9  # also from 0, where hardly any confidence is asked for
    return found


@dataclass(frozen=True)
class RatioError(FromDistance):
    """The error of a share top / count, both of them sums of numbers with independent noise, clipped to [0, 1].

    Args:
        error: of each number.
        top: how much of each number is in the top; the count is the sum of all.
        share: as it was released.
        count: as it was released.
        width: what a share of 1 stands for.
        rounding: how far rows may have been moved by the lattice, in the unit of `width`.

    Proof: with true p = T/C, noises N, M and released C' = C + M: (T + N)/C' - p = (N - p M)/C', exactly. So with
        confidence c the released share is within q(p)/C' of p, where q(p) is the quantile of Σ (top_i - p) N_i (Fieller
        1940). p is known up to the largest such distance, and the largest q there is taken.

    Example:
        >>> error = RatioError(LaplaceError(scale=1), (1, 0), share=0.5, count=1000, width=180_000)
        >>> round(error.margin(0.95)), round(LinearError(LaplaceError(scale=180), (0.5, 0.5)).margin(0.95))
        (371, 371)
    """

    error: Uncertainty
    top: tuple[float, ...]
    share: float
    count: float
    width: float
    rounding: float = 0.0

    def distance(self, tail: float) -> float:
        """The quantile at the worst share that is still likely, over the released count; at most the whole width."""
        if self.count <= 0:
            return self.width
        reach = max(self._spread(0.0, tail), self._spread(1.0, tail)) / self.count
        ends = (max(self.share - reach, 0.0), self.share, min(self.share + reach, 1.0))
        worst = max(self._spread(share, tail) for share in ends)
        return min(worst / self.count * self.width * UP + self.rounding, self.width)

    def _spread(self, share: float, tail: float) -> float:
        return LinearError(self.error, tuple(part - share for part in self.top)).distance(tail)


@dataclass(frozen=True)
class SlopeError(FromDistance):
    """The error of a smooth function of numbers with independent noise, to first order; at most the whole width.

    Args:
        error: of each number.
        slopes: how much the function moves with each number.
        width: the distance of its largest and smallest value.
    """

    error: Uncertainty
    slopes: tuple[float, ...]
    width: float

    def distance(self, tail: float) -> float:
        """That of the linear combination."""
        if not self.slopes:
            return self.width
        return min(LinearError(self.error, self.slopes).distance(tail), self.width)


@dataclass(frozen=True)
class RootError(FromDistance):
    """The error of the square root of a number that is not negative.

    Args:
        error: of the number under the root.
        under: that number, as it was released.

    Proof: if the number lies in [v - m, v + m], its root lies between the roots of the ends.
    """

    error: Uncertainty
    under: float

    def distance(self, tail: float) -> float:
        """The farther of the roots of the two ends."""
        margin = self.error.distance(tail)
        root = math.sqrt(max(self.under, 0.0))
        return max(math.sqrt(self.under + margin) - root, root - math.sqrt(max(self.under - margin, 0.0))) * UP
