"""UnaryBits: protocols whose report has one bit for each value, each set by itself."""

from fractions import Fraction
from functools import cached_property
from itertools import product

import numpy as np

from privet.local.bit_reports import BitReports
from privet.local.frequency_protocol import three_outcome_loss
from privet.local.protocol import Reports, refuse_large
from privet.loss import PrivacyLoss
from privet.mechanisms import FiniteMechanism


class UnaryBits(BitReports):
    """The bit of the device's value is set with probability p (`true_support`), each other with q < p.

    Proof of the ratio: bits are independent, and two values differ in two of them, whose probabilities change places:
        no report is more than p(1-q)/(q(1-p)) times as likely under one value as under the other.
    """

    @property
    def ratio(self) -> Fraction:
        """Of the two bits in which two values differ."""
        true, other = self.true_support, self.other_support
        return true * (1 - other) / (other * (1 - true))

    @cached_property
    def loss(self) -> PrivacyLoss:
        """The exact curve: the own bit is set and the other value's is not, the reverse, or neither."""
        return three_outcome_loss(self.true_support * (1 - self.other_support), self.ratio)

    def outcomes(self) -> Reports:
        """All rows of bits."""
        refuse_large(len(self.categories), 2 ** min(len(self.categories), 60))
        return np.packbits(np.array(list(product((0, 1), repeat=len(self.categories))), dtype=np.uint8), axis=1)

    def channel(self) -> FiniteMechanism:
        """The products of the probabilities of the bits."""
        rows = self.bits(self.outcomes()).tolist()
        size = range(len(self.categories))
        chances = [[self.true_support if bit == own else self.other_support for bit in size] for own in size]
        return FiniteMechanism([[_product(chance, row) for row in rows] for chance in chances])


def _product(chances: list[Fraction], bits: list[int]) -> Fraction:
    result = Fraction(1)
    for chance, bit in zip(chances, bits, strict=True):
        result *= chance if bit else 1 - chance
    return result
