"""VectorEstimate: the mean of vectors, coordinate by coordinate."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.special import ndtri

from privet.core.release import CONFIDENCE
from privet.core.uncertainty import refuse_certainty
from privet.local.estimate import Estimate

Floats = NDArray[np.float64]


@dataclass(frozen=True, repr=False, eq=False)
class VectorEstimate(Estimate):
    """The mean of each coordinate, from the sums of the reported directions and of their squares.

    Args:
        protocol, reports, loss, epsilon: as of every `Estimate`.
        sums: of the reported directions, one for each coordinate.
        squares: of the squares of their coordinates.
        scale: by which the mean direction is multiplied: the radius over the gain.

    Proof: a reported direction has the mean gain/radius times its device's vector, so the scaled mean is unbiased. Its
        variance is that of the reported coordinates, over n. It is read off their squares, with one more of the size
        1/d, for intervals with z² more, so that few reports that agree are not taken for certain.

    Example:
        >>> import numpy as np
        >>> from privet.local import VectorMean
        >>> protocol = VectorMean(dimensions=3, epsilon=2)
        >>> estimate = protocol.estimate(protocol.privatize(np.eye(3)))
        >>> isinstance(estimate, VectorEstimate), estimate.value.shape
        (True, (3,))
    """

    sums: Floats
    squares: Floats
    scale: float

    @cached_property
    def value(self) -> Floats:
        """The unbiased mean; noise may carry it out of the ball."""
        return self.scale * self.sums / self.reports

    @cached_property
    def standard_error(self) -> Floats:
        """Of each coordinate, over noise and samples of devices."""
        return self._error(1.0)

    def _error(self, more: float) -> Floats:
        """The deviation, with so many squares more."""
        spread = (self.squares + more / len(self.sums)) / self.reports - (self.sums / self.reports) ** 2
        error: Floats = self.scale * np.sqrt(np.maximum(spread, 0.0) / self.reports)
        return error

    def interval(
        self, confidence: float = CONFIDENCE, *, simultaneous: bool = False, population: bool = True
    ) -> tuple[Floats, Floats]:
        """Plus or minus deviations, for each coordinate; for all of them together by the union bound.

        For the very devices that reported it is the same: how much their vectors differ cannot be told from reports.
        """
        del population  # see above
        refuse_certainty(confidence, "confidence")
        together = len(self.sums) if simultaneous else 1
        deviations = -float(ndtri((1 - confidence) / 2 / together))
        reach = deviations * self._error(max(deviations**2, 1.0))
        return self.value - reach, self.value + reach

    @cached_property
    def table(self) -> pa.Table:
        """One row for each coordinate: the mean, its ends and its standard error."""
        low, high = self.interval()
        ends = {"mean": self.value, "mean_low": low, "mean_high": high, "standard_error": self.standard_error}
        return pa.table({"coordinate": np.arange(len(self.sums)), **ends})
