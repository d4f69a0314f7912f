"""MeanProtocol: protocols that estimate the mean of a bounded number from reported grid points."""

from abc import abstractmethod
from fractions import Fraction

from privet.local.bounded_values import BoundedValues
from privet.local.mean_estimate import MeanEstimate
from privet.local.number_reports import NumberReports
from privet.local.tally import Tally
from privet.loss.exact import Exact, exact_within, readable


class MeanProtocol(NumberReports[MeanEstimate]):
    """A report is one of the grid points 0 to G; its mean is a straight line in the value."""

    values: BoundedValues

    @property
    @abstractmethod
    def gain(self) -> Fraction:
        """By how much the mean report moves when a value moves from one bound to the other, as a share of the grid."""

    @abstractmethod
    def _spread(self, share: Fraction) -> Fraction:
        """The variance of a report, on a grid from 0 to 1, for a value at this share of the range."""

    def variance(self, share: Exact) -> float:
        """The variance of one report's part in the estimate, for a value at this share of the range.

        Example:
            >>> from privet.local import OneBitMean
            >>> round(OneBitMean(bounds=(-1, 1), epsilon=1).variance(0.5), 4)  # of the value 0
            4.6827
        """
        known = exact_within(share, "share", low=0, high=1)
        return float(self._spread(known) / self.gain**2 * self.values.bounds.width**2)

    def _estimated(self, tally: Tally) -> MeanEstimate:
        facts = (self.name, tally.reports, self.loss, self.epsilon, self.values.bounds, tally.counts)
        return MeanEstimate(*facts, float(self.gain))

    def __repr__(self) -> str:
        low, high = self.values.config
        return f"{type(self).__name__}(bounds=({low}, {high}), ε={readable(self.epsilon)})"
