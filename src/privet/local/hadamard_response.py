"""HadamardResponse: a number of a few bits that agrees with the device's value in one parity more often than not."""

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
from privet.local.frequency_protocol import FrequencyProtocol, three_outcome_loss
from privet.local.hadamard import hadamard_sums, odd_parity
from privet.local.number_reports import NumberReports
from privet.local.protocol import Reports, refuse_large
from privet.local.tally import Counts
from privet.local.weights import WHOLE, checked_weight, declared, favored_weight
from privet.loss import PrivacyLoss
from privet.loss.exact import Exact
from privet.mechanisms import FiniteMechanism
from privet.noise import BitSource, UniformLaw
from privet.noise.coins import CoinLaw


@dataclass(frozen=True, init=False, repr=False)
class HadamardResponse(NumberReports[FrequencyEstimate], FrequencyProtocol):
    """One number of about log₂ k bits (Acharya, Sun and Zhang 2019): the fastest for very many values and small ε.

    Args:
        categories: k, or the list of values; see `Categories`.
        epsilon: what a report may cost, from a millionth to 20. From about 2 on other protocols are far more accurate.

    A report is a number y below K, the power of two above k. The value x stands for the numbers y that have an even
    number of ones in common with x + 1. One of those is reported with the weight `inside` out of 2^52, else another.

    Privacy: `epsilon`-DP for each report.
    Proof: half of all numbers stand for a value, so the ratio is inside/(2^52 - inside), at most e^ε. Half of those
        stand for another value too, so a report supports any other value with probability 1/2.

    Example:
        >>> protocol = HadamardResponse(categories=1000, epsilon=1)
        >>> protocol.numbers, round(protocol.variance(), 5)
        (1024, 4.68269)
    """

    name: ClassVar[str] = "hadamard_response"
    categories: Categories
    inside: int

    def __init__(self, categories: Any, epsilon: Exact) -> None:  # noqa: ANN401 - a number or a list
        self._fill(Categories(categories), favored_weight(declared(epsilon), favored=1, others=1))

    def _fill(self, categories: Categories, inside: int) -> None:
        if 2 * inside <= WHOLE:
            raise InvalidParameter("inside must be above 2^51: otherwise a report tells nothing")
        self._keep(categories=categories, inside=inside)

    def _fill_from(self, config: Mapping[str, Any]) -> None:
        self._fill(Categories(config["categories"]), checked_weight(config["inside"], "inside"))

    @property
    def parameters(self) -> dict[str, Any]:
        """The values, and the weight out of 2^52 of the numbers that stand for the own value."""
        return {"categories": self.categories.config, "inside": self.inside}

    @property
    def ratio(self) -> Fraction:
        """Of a number that stands for the value and one that does not."""
        return Fraction(self.inside, WHOLE - self.inside)

    @cached_property
    def loss(self) -> PrivacyLoss:
        """The exact curve: half of the numbers that stand for a value do not stand for a given other one."""
        return three_outcome_loss(self.true_support / 2, self.ratio)

    @property
    def true_support(self) -> Fraction:
        """A number supports the values that it stands for."""
        return Fraction(self.inside, WHOLE)

    @property
    def other_support(self) -> Fraction:
        """Rows of a Hadamard matrix agree in half of their places."""
        return Fraction(1, 2)

    @property
    def numbers(self) -> int:
        """The power of two above k."""
        return int(1 << len(self.categories).bit_length())

    def _drawn(self, inputs: NDArray[Any], source: BitSource) -> Reports:
        outside = ~CoinLaw(self.inside).many(source, len(inputs))
        reports = UniformLaw(self.numbers).many(source, len(inputs)).astype(np.int64, copy=False)
        codes = inputs + 1
        wrong = odd_parity(reports & codes) != outside
        return reports ^ np.where(wrong, codes & -codes, 0)  # the lowest one of a code changes its parity

    def _supports(self, counts: Counts) -> NDArray[np.int64]:
        supports: NDArray[np.int64] = (counts.sum() + hadamard_sums(counts)) // 2
        return supports[1 : len(self.categories) + 1]

    def channel(self) -> FiniteMechanism:
        """Numbers that stand for the value, and those that do not."""
        refuse_large(len(self.categories), self.numbers)
        codes = np.arange(1, len(self.categories) + 1)[:, None] & np.arange(self.numbers)
        odd = [odd_parity(row).tolist() for row in codes]
        true, other = (2 * each / self.numbers for each in (self.true_support, 1 - self.true_support))
        return FiniteMechanism([[other if each else true for each in row] for row in odd])
