"""KaryResponse: one of k values, told truthfully or replaced by one of the others."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.local.categories import Categories
from privet.local.frequency_estimate import FrequencyEstimate
from privet.local.frequency_protocol import FrequencyProtocol
from privet.local.number_reports import NumberReports
from privet.local.protocol import Reports, refuse_large
from privet.local.tally import Counts
from privet.local.weights import WHOLE, checked_weight, declared
from privet.loss import KaryResponseCurve, PrivacyLoss
from privet.loss.exact import Exact, whole
from privet.loss.outward import exp_below, log_above
from privet.mechanisms import FiniteMechanism
from privet.noise import BitSource, UniformLaw

MOST = 1 << 20  # categories; for more, whole weights would round ε down noticeably, and other protocols are far better


@dataclass(frozen=True, init=False, repr=False)
class KaryResponse(NumberReports[FrequencyEstimate], FrequencyProtocol):
    """k-ary randomized response: the best protocol for few values, and the simplest.

    Args:
        categories: k, up to a million, or the list of values; see `Categories`.
        epsilon: what a report may cost, from a millionth to 20.

    A report is the number of a value. The truth has the weight `truth` out of 2^52, each other value `other`.

    Privacy: `epsilon`-DP for each report.
    Proof: the two values of a pair have the weights truth and other, or the reverse; all others have the same. The
        ratio is truth/other. With other = ⌈2^52/(E + k - 1)⌉, E <= e^ε, truth = 2^52 - (k - 1) other is at most
        E other (Kairouz, Bonawitz and Ramage 2016, for the real weights).

    Example:
        >>> protocol = KaryResponse(categories=["red", "green", "blue"], epsilon=1)
        >>> reports = protocol.privatize(["red"] * 6000 + ["blue"] * 4000)
        >>> float(protocol.estimate(reports).value.sum().round(6))
        1.0
        >>> protocol.epsilon, protocol.payload_bytes
        (0.9999999999999992, 1)
    """

    name: ClassVar[str] = "kary_response"
    categories: Categories
    truth: int
    other: int

    def __init__(self, categories: Any, epsilon: Exact) -> None:  # noqa: ANN401 - a number or a list
        known = Categories(categories)
        whole(len(known), "the number of categories", high=MOST)
        total = exp_below(declared(epsilon)) + len(known) - 1
        self._fill(known, -int(-WHOLE // total))

    def _fill(self, categories: Categories, other: int) -> None:
        truth = WHOLE - (len(categories) - 1) * other
        if truth <= other:
            raise InvalidParameter("epsilon is too small for so many categories: nothing would be told")
        self._keep(categories=categories, truth=truth, other=other)

    def _fill_from(self, config: Mapping[str, Any]) -> None:
        self._fill(Categories(config["categories"]), checked_weight(config["other"], "other"))

    @property
    def parameters(self) -> dict[str, Any]:
        """The values, and the weights of the truth and of each other value, which add up to 2^52."""
        return {"categories": self.categories.config, "truth": self.truth, "other": self.other}

    @property
    def ratio(self) -> Fraction:
        """Of the two weights."""
        return Fraction(self.truth, self.other)

    @cached_property
    def loss(self) -> PrivacyLoss:
        """The exact curve, at an ε that is rounded up in the fortieth digit."""
        return PrivacyLoss.of(KaryResponseCurve(len(self.categories), log_above(self.ratio)))

    @property
    def true_support(self) -> Fraction:
        """A report supports the value that it says."""
        return Fraction(self.truth, WHOLE)

    @property
    def other_support(self) -> Fraction:
        """The same."""
        return Fraction(self.other, WHOLE)

    @property
    def numbers(self) -> int:
        """One report for each value."""
        return len(self.categories)

    def _drawn(self, inputs: NDArray[Any], source: BitSource) -> Reports:
        drawn = UniformLaw(WHOLE).many(source, len(inputs))
        moves = np.maximum((drawn - (self.truth - self.other)) // self.other, 0)  # 0 for the truth, else 1 to k - 1
        reports = inputs + moves
        return np.where(reports < self.numbers, reports, reports - self.numbers)

    def _supports(self, counts: Counts) -> NDArray[np.int64]:
        return counts

    def channel(self) -> FiniteMechanism:
        """One row and one column for each value."""
        size = self.numbers
        refuse_large(size, size)
        true, other = self.true_support, self.other_support
        return FiniteMechanism([[true if row == column else other for column in range(size)] for row in range(size)])
