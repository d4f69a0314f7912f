"""MeanEstimate: the mean of a bounded number, from reports that are randomized grid points."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.special import ndtri

from privet.asking.bounds import Bounds
from privet.core.release import CONFIDENCE
from privet.core.uncertainty import refuse_certainty
from privet.local.estimate import Estimate
from privet.local.share_interval import share_interval

TWO = 2  # points: a report is one bit


@dataclass(frozen=True, repr=False, eq=False)
class MeanEstimate(Estimate):
    """The mean, from how often each of the grid points 0 to G was reported.

    Args:
        protocol, reports, loss, epsilon: as of every `Estimate`.
        bounds: of the values.
        counts: of each grid point.
        gain: by how much the mean report moves when a value moves from one bound to the other, as a share of the grid.

    Proof: a report has the mean (1 - gain)/2 + gain x, as a share of the grid, for a value x, as a share of the range.
        So (mean report - (1 - gain)/2)/gain is unbiased for the mean share, with the reports' variance over gain².

    Example:
        >>> from privet.local import OneBitMean
        >>> protocol = OneBitMean(bounds=(0, 100), epsilon=1)
        >>> estimate = protocol.estimate(protocol.privatize([20.0, 30.0] * 5_000))
        >>> bool(abs(estimate.value - 25) < 8 * estimate.standard_error)
        True
    """

    bounds: Bounds
    counts: NDArray[np.int64]
    gain: float

    @cached_property
    def value(self) -> float:
        """The unbiased mean; noise may carry it out of the bounds."""
        return self._unscaled(self._mean)

    @cached_property
    def standard_error(self) -> float:
        """Over noise and samples of devices."""
        return math.sqrt(self._variance / self.reports) / self.gain * float(self.bounds.width)

    def interval(
        self, confidence: float = CONFIDENCE, *, simultaneous: bool = False, population: bool = True
    ) -> tuple[float, float]:
        """Where the mean lies: for one-bit reports by their share, see `share_interval`, else plus or minus deviations.

        These are of the reports and z² more, half of them at either bound: few reports that agree are not taken for
        certain (Agresti and Coull 1998). For the very devices that reported it is the same: how much their values
        differ cannot be told from reports.
        """
        del simultaneous, population  # one number; and see above
        refuse_certainty(confidence, "confidence")
        tail = (1 - confidence) / 2
        if len(self.counts) == TWO:
            low, high = share_interval(self.counts[1:], self.reports, tail)
            return self._unscaled(float(low[0])), self._unscaled(float(high[0]))
        deviations = -float(ndtri(tail))
        counts, reports = self.counts.astype(np.float64), self.reports + deviations**2
        counts[[0, -1]] += deviations**2 / 2
        mean = float(self._grid @ counts) / reports
        reach = deviations * math.sqrt(float((self._grid - mean) ** 2 @ counts)) / reports
        return self._unscaled(mean - reach), self._unscaled(mean + reach)

    def guaranteed_interval(self, confidence: float = CONFIDENCE) -> tuple[float, float]:
        """An interval that holds for every number of reports, wider: by Hoeffding's inequality, √(ln(2/α)/2n)/gain."""
        refuse_certainty(confidence, "confidence")
        reach = math.sqrt(math.log(2 / (1 - confidence)) / (2 * self.reports)) / self.gain * float(self.bounds.width)
        return self.value - reach, self.value + reach

    @cached_property
    def table(self) -> pa.Table:
        """One row: the mean, its ends and its standard error."""
        low, high = self.interval()
        columns = {"mean": self.value, "mean_low": low, "mean_high": high, "standard_error": self.standard_error}
        return pa.table({name: [number] for name, number in columns.items()})

    @property
    def _grid(self) -> NDArray[np.float64]:
        return np.arange(len(self.counts)) / (len(self.counts) - 1)

    @cached_property
    def _mean(self) -> float:
        return float(self._grid @ self.counts) / self.reports

    @cached_property
    def _variance(self) -> float:
        return float((self._grid - self._mean) ** 2 @ self.counts) / self.reports

    def _unscaled(self, report: float) -> float:
        return float(self.bounds.low) + float(self.bounds.width) * (report - (1 - self.gain) / 2) / self.gain
