"""FrequencyEstimate: which share of the devices has each value."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privet.core.release import CONFIDENCE
from privet.core.uncertainty import refuse_certainty
from privet.local.estimate import Estimate, named
from privet.local.share_interval import device_interval, share_interval
from privet.postprocessing.simplex import with_total

if TYPE_CHECKING:
    from privet.display import Chart

Floats = NDArray[np.float64]


@dataclass(frozen=True, repr=False, eq=False)
class FrequencyEstimate(Estimate):
    """The share of each value, from how many reports support it.

    Args:
        protocol, reports, loss, epsilon: as of every `Estimate`.
        names: what the values are called.
        supports: how many reports support each value.
        true_support: p, the probability that a report supports its device's value; one for all, or one for each.
        other_support: q, the probability that it supports another one; likewise.
        looked_at: how many values were looked at, where only the frequent ones are shown; intervals that hold together
            are for that many.
        collisions: 1/(K (g - 1)) where K hash functions into g are shared by all devices, else 0: two values that fall
            together do so for all devices with that function.

    Proof: a report supports v with probability λ = q + f (p - q), f the share of v, so (c/n - q)/(p - q) is unbiased.
        Over samples of devices c is binomial: its share has variance λ(1 - λ)/n. For the very devices that reported it
        is (f p(1-p) + (1-f) q(1-q))/n = (p q + λ (1 - p - q))/n. Two devices with the same other value w and the same
        function support v together by a covariance of (p - q)²/(g - 1), so collisions add the sum of f_w² over w ≠ v,
        times 1/(K (g - 1)), to the variance of the share of v.

    Example:
        >>> from privet.local import KaryResponse
        >>> protocol = KaryResponse(["cat", "dog"], epsilon=1)
        >>> estimate = protocol.estimate(protocol.privatize(["cat"] * 900 + ["dog"] * 100))
        >>> estimate.names, bool(estimate.value[0] > estimate.value[1])
        (('cat', 'dog'), True)
    """

    names: tuple[Any, ...]
    supports: NDArray[np.int64]
    true_support: float | Floats
    other_support: float | Floats
    collisions: float = 0.0
    looked_at: int | None = None

    @cached_property
    def value(self) -> Floats:
        """The unbiased share of each value; noise may carry it below 0 or above 1. See `consistent`."""
        return self._shares(self._seen)

    @cached_property
    def counts(self) -> Floats:
        """The shares times the number of reports."""
        return self.value * self.reports

    @cached_property
    def standard_error(self) -> Floats:
        """Over noise and samples of devices, at the estimated share, or the nearest that is possible: never 0."""
        ends = (self.true_support, self.other_support)
        seen = np.clip(self._seen, np.minimum(*ends), np.maximum(*ends))
        error: Floats = np.sqrt(seen * (1 - seen) / self.reports / self._gain**2 + self._collided)
        return error

    def interval(
        self, confidence: float = CONFIDENCE, *, simultaneous: bool = False, population: bool = True
    ) -> tuple[Floats, Floats]:
        """Intervals that hold for rare values and few reports too; all together by the union bound.

        See `share_interval`, and `device_interval` for these very devices.
        """
        refuse_certainty(confidence, "confidence")
        cells = (self.looked_at or len(self.supports)) if simultaneous else 1
        tail = (1 - confidence) / 2 / cells
        seen, collided = (self.supports, self.reports, tail), self._collided * self._gain**2
        chances = (self.true_support, self.other_support)
        ends = (
            share_interval(*seen, more=collided)
            if population
            else device_interval(*seen, chances=chances, more=collided)
        )
        low, high = map(self._shares, ends)
        return np.minimum(low, high), np.maximum(low, high)  # where p < q, the ends change places

    @cached_property
    def consistent(self) -> Floats:
        """The nearest shares that are not negative and add up to 1: biased, so without interval; never silently."""
        return with_total(self.value, 1.0)

    def poisoned_by(self, forged: int) -> float:
        """By how much so many forged reports can move one share at most."""
        return forged / self.reports * float(np.max(np.abs([self._shares(seen) for seen in np.eye(2)[:, :1]])))

    @cached_property
    def table(self) -> pa.Table:
        """Value, share with its ends, standard error and consistent share."""
        low, high = self.interval()
        return pa.table(
            {
                "value": named(self.names),
                "share": self.value,
                "share_low": low,
                "share_high": high,
                "standard_error": self.standard_error,
                "consistent": self.consistent,
            }
        )

    def plot(self) -> "Chart":
        """Bars with intervals; needs `pip install 'privet[charts]'`."""
        from privet.display import Chart  # noqa: PLC0415 - for those who draw

        low, high = self.interval()
        heights = zip(low.tolist(), self.value.tolist(), high.tolist(), strict=True)
        bars = {str(name): height for name, height in zip(self.names, heights, strict=True)}
        return Chart.bars({"share": bars}, x="value", y="share of devices")

    @property
    def _seen(self) -> Floats:
        return self.supports / self.reports

    @property
    def _gain(self) -> float | Floats:
        return self.true_support - self.other_support

    def _shares(self, seen: Floats) -> Floats:
        return (seen - self.other_support) / self._gain

    @cached_property
    def _collided(self) -> Any:  # noqa: ANN401 - 0, or an array
        """The variance that collisions add to each share."""
        if not self.collisions:
            return 0.0
        squares = self.value**2 - self._seen * (1 - self._seen) / self.reports / self._gain**2  # unbiased for f²
        left = max(1.0 - float(self.value.sum()), 0.0) ** 2  # as if all that is not listed were one value
        return self.collisions * np.maximum(squares.sum() + left - squares, 0.0)
