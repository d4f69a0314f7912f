"""Posterior: what is believed of one number after noisy statistics were seen."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import optimize, special

from privet.core.uncertainty import refuse_certainty
from privet.learn.features import Floats

NEGLIGIBLE = 1e-11  # of the largest weight: what is left out


class Posterior(ABC):
    """The distribution of a parameter, given everything that was released about it.

    Privacy: computed from released and public numbers alone; asking it costs nothing.

    Example:
        >>> from privet.learn import BetaBernoulli
        >>> posterior = BetaBernoulli(epsilon=1).fit([[0], [1]] * 500).posterior()[0]
        >>> posterior.quantile(0.05) < posterior.mean < posterior.quantile(0.95)
        True
    """

    mean: float
    sd: float

    @abstractmethod
    def cdf(self, value: float) -> float:
        """The probability that the parameter is at most this."""

    @abstractmethod
    def quantile(self, share: float) -> float:
        """The value below which the parameter lies with this probability."""

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """An interval that holds the parameter with this probability, with as much on either side."""
        refuse_certainty(confidence, "confidence")
        return self.quantile((1 - confidence) / 2), self.quantile((1 + confidence) / 2)

    def __repr__(self) -> str:
        low, high = self.interval()
        return f"{self.mean:.4g} ± {self.sd:.2g}, between {low:.4g} and {high:.4g} (95%)"


@dataclass(frozen=True, repr=False, eq=False)
class Mixture(Posterior):
    """A weighted sum of beta or gamma distributions: one for each exact statistic that may lie behind the noisy one.

    Args:
        weights: any numbers >= 0, not all 0.
        first: the first parameter of each part: beta's a, or gamma's shape.
        second: beta's b, or gamma's rate.
        beta: whether the parts are beta distributions.
    """

    weights: Floats
    first: Floats
    second: Floats
    beta: bool

    @classmethod
    def of(cls, logs: Floats, first: Floats, second: Floats, *, beta: bool) -> "Mixture":
        """Return the mixture with weights whose logarithms are given, without those that are negligible."""
        flat = np.broadcast_arrays(logs, first, second)
        weights = np.exp(flat[0].ravel() - flat[0].max())
        kept = weights > NEGLIGIBLE
        return cls(weights[kept] / weights[kept].sum(), flat[1].ravel()[kept], flat[2].ravel()[kept], beta)

    @cached_property
    def mean(self) -> float:  # type: ignore[override] # a property is read alike
        """The expected value."""
        return float(self.weights @ self._means)

    @cached_property
    def sd(self) -> float:  # type: ignore[override] # a property is read alike
        """The standard deviation."""
        total = self.first + self.second
        inside = self._means * self.second / total / (total + 1) if self.beta else self.first / self.second**2
        return float(np.sqrt(self.weights @ (inside + (self._means - self.mean) ** 2)))

    def cdf(self, value: float) -> float:
        """The weighted sum of those of the parts."""
        if self.beta:
            return float(self.weights @ special.betainc(self.first, self.second, min(max(value, 0.0), 1.0)))
        return float(self.weights @ special.gammainc(self.first, self.second * max(value, 0.0)))

    def quantile(self, share: float) -> float:
        """Found by halving."""
        high = 1.0 if self.beta else self.mean + self.sd
        while not self.beta and self.cdf(high) < share:
            high *= 2
        return float(optimize.brentq(lambda value: self.cdf(value) - share, 0.0, high, xtol=1e-12, rtol=1e-10))

    @cached_property
    def _means(self) -> Floats:
        found: Floats = self.first / (self.first + self.second) if self.beta else self.first / self.second
        return found


@dataclass(frozen=True, repr=False, eq=False)
class Curve(Posterior):
    """Probabilities around points, by quadrature.

    Args:
        points: ascending, at least two.
        logs: the logarithm of the probability around each, up to a constant.
    """

    points: Floats
    logs: Floats

    @cached_property
    def mean(self) -> float:  # type: ignore[override] # a property is read alike
        """The expected value."""
        return float(self._shares @ self.points)

    @cached_property
    def sd(self) -> float:  # type: ignore[override] # a property is read alike
        """The standard deviation."""
        return float(np.sqrt(self._shares @ (self.points - self.mean) ** 2))

    def cdf(self, value: float) -> float:
        """Linear between the middles of points."""
        return float(np.interp(value, self._ends, self._sums))

    def quantile(self, share: float) -> float:
        """Linear between the middles of points."""
        return float(np.interp(share, self._sums, self._ends))

    @cached_property
    def _shares(self) -> Floats:
        weights = np.exp(self.logs - self.logs.max())
        found: Floats = weights / weights.sum()
        return found

    @cached_property
    def _ends(self) -> Floats:
        middles = (self.points[1:] + self.points[:-1]) / 2
        first, last = 2 * self.points[0] - middles[0], 2 * self.points[-1] - middles[-1]
        return np.concatenate([[first], middles, [last]])

    @cached_property
    def _sums(self) -> Floats:
        return np.append(0.0, np.cumsum(self._shares))
