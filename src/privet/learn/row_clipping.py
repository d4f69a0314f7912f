"""RowClipping: how the gradients of rows are shortened, so that none is longer than 1 in a public length."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from privet.errors import InvalidParameter
from privet.learn.features import Floats
from privet.learn.whole_network import SUM_BITS
from privet.loss.exact import shown

INSIDE = 1 - 2.0**-40  # more than rounding can add to a length
STABLE = 0.01  # what is added to a length before dividing by it: shorter gradients stay short
ONE = 1 << SUM_BITS
HALF_TOLD = Fraction(1, 16)  # how loudly a row says that its gradient is longer than the present length, or not
TARGET, PACE = 0.5, 0.2  # which part of gradients should be shorter, and how fast the length follows
FIRST_LENGTH, SHORTEST, LONGEST = 1.0, 2.0**-20, 2.0**20
EXAMPLE = 'clipping must be "automatic", "quantile" or a length > 0'


@dataclass(frozen=True)
class RowClipping:
    """One of three rules.

    Args:
        kind: "automatic" divides each gradient by its length (and 0.01), so that all rows count alike (Bu et al. 2023);
            "fixed" shortens those that are longer than `length`; "quantile" the same with a length that follows their
            median.
        length: of "fixed"; where "quantile" begins.

    Privacy: a gradient times its factor has length at most 1. With "quantile" a row says beside it whether it is longer
        than the present length, as plus or minus 1/16: both together have length at most √(1 + 1/256).
    Proof: a gradient of length √N is divided by √N + 0.01 or max(√N, C), and `INSIDE` is more than floats err. The two
        parts are one vector under one noise: docs/proofs/training.md, "The length that follows".
    """

    kind: str
    length: float

    @classmethod
    def of(cls, clipping: Any) -> "RowClipping":  # noqa: ANN401 - refused in words
        """Return the rule that was asked for."""
        if clipping == "automatic":
            return cls("automatic", 1.0)
        if clipping == "quantile":
            return cls("quantile", FIRST_LENGTH)
        if isinstance(clipping, bool) or not isinstance(clipping, int | float | Fraction | np.number):
            raise InvalidParameter(f"{EXAMPLE}, got {shown(clipping)}")
        if not SHORTEST <= clipping <= LONGEST:
            raise InvalidParameter(f"{EXAMPLE}, within 1e±6, got {shown(clipping)}")
        return cls("fixed", float(clipping))

    @property
    def told(self) -> int:
        """How many numbers a row says beside its gradient."""
        return int(self.kind == "quantile")

    @property
    def longest(self) -> int:
        """How long what a row adds is at most, in whole steps of 2^-33."""
        return ONE if not self.told else math.isqrt(int(ONE**2 * (1 + HALF_TOLD**2))) + 1

    def factors(self, squares: Floats, length: float) -> Floats:
        """By what each gradient is multiplied, from its squared length and the present one."""
        lengths = np.sqrt(squares)
        return INSIDE / (lengths + STABLE if self.kind == "automatic" else np.maximum(lengths, length))

    def longer(self, squares: Floats, length: float) -> Floats:
        """What each row says beside its gradient, in whole steps."""
        half = float(HALF_TOLD * ONE)
        return np.where(np.sqrt(squares) > length, half, -half)

    def followed(self, length: float, told: float, expected: float) -> float:
        """The next length: longer if more than half of the rows said so.

        Args:
            length: the present one.
            told: the noisy sum of what rows said, in whole steps.
            expected: how many take part in a step.
        """
        share = 0.5 + told / float(2 * HALF_TOLD * ONE) / expected
        step = PACE * (min(max(share, 0.0), 1.0) - (1 - TARGET))
        return min(max(length * math.exp(step), SHORTEST), LONGEST)
