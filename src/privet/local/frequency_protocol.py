"""FrequencyProtocol: protocols in which a report supports some values, its device's own more often than others."""

from abc import abstractmethod
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.local.categories import Categories
from privet.local.frequency_estimate import FrequencyEstimate
from privet.local.protocol import Protocol
from privet.local.tally import Counts, Tally
from privet.loss import FiniteCurve, PrivacyLoss
from privet.loss.exact import Exact, exact_within, readable


class FrequencyProtocol(Protocol[FrequencyEstimate]):
    """Estimates how often each of k values occurs.

    A report supports its device's value with probability p (`true_support`), and any other with q (`other_support`),
    the same for all: a "pure" protocol (Wang, Blocki, Li and Jha 2017). All else follows from p and q.
    """

    categories: Categories

    @property
    @abstractmethod
    def true_support(self) -> Fraction:
        """The probability that a report supports the value of its device."""

    @property
    @abstractmethod
    def other_support(self) -> Fraction:
        """The probability that a report supports a given other value."""

    @abstractmethod
    def _supports(self, counts: Counts) -> NDArray[np.int64]:
        """How many reports support each value, from what they add up to."""

    @property
    def _collisions(self) -> float:
        """See `FrequencyEstimate`."""
        return 0.0

    def variance(self, share: Exact = 0) -> float:
        """The variance of one report's part in the estimate of a share; of n reports it is one n-th of that.

        For these very devices; over samples of them it is more by share (1 - share).

        Example:
            >>> from privet.local import KaryResponse
            >>> round(KaryResponse(categories=16, epsilon=1).variance(), 5)
            5.66243
        """
        known = exact_within(share, "share", low=0, high=1)
        return support_variance(self.true_support, self.other_support, known)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self.categories):,} categories, ε={readable(self.epsilon)})"

    def _inputs(self, values: Any) -> NDArray[Any]:  # noqa: ANN401 - any column
        return self.categories.numbers(values)

    def _estimated(self, tally: Tally) -> FrequencyEstimate:
        names = tuple(self.categories.names)
        supports = self._supports(tally.counts)
        facts = (self.name, tally.reports, self.loss, self.epsilon, names, supports)
        return FrequencyEstimate(*facts, float(self.true_support), float(self.other_support), self._collisions)


def support_variance(true: Fraction, other: Fraction, share: Fraction) -> float:
    """The variance that `FrequencyProtocol.variance` tells.

    Proof: the support of one report, divided by p - q, has variance p(1-p)/(p-q)² for devices with the value and
        q(1-q)/(p-q)² for the others; their difference is (1 - p - q)/(p - q).
    """
    return float(other * (1 - other) / (true - other) ** 2 + share * (1 - true - other) / (true - other))


def three_outcome_loss(likelier: Fraction, ratio: Fraction) -> PrivacyLoss:
    """The loss of a protocol whose reports are `ratio` times as likely under one of two values, or equally likely.

    Args:
        likelier: how likely a device reports what its own value makes likelier than the other one does.
        ratio: by which factor, > 1.

    Proof: only the likelihood ratio of two values counts; it is `ratio`, its inverse or 1, so the table of these three
        outcomes has the same curve as that of all reports. All pairs of values are alike.
    """
    rare = likelier / ratio
    return PrivacyLoss.of(FiniteCurve(((likelier, rare, 1 - likelier - rare), (rare, likelier, 1 - likelier - rare))))
