"""The curve of telling that something is there: nothing without the unit, with it a small chance of being named."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, cast

import numpy as np

from privet.loss.curve import Array, LossCurve, rounded_up
from privet.loss.exact import Exact
from privet.loss.guarantee import failing
from privet.loss.neighbors import Neighbors
from privet.loss.outward import log_above


@dataclass(frozen=True)
class NamingCurve(LossCurve):
    """What only one unit can bring about, such as naming a group that nobody else is in.

    Args:
        delta: in [0, 1); the probability that it happens with the unit. Without the unit it never does.

    Privacy: (0, delta)-DP when the unit leaves, and ln(1/(1-delta)) when it joins; exact. For one unit more or less
        only: a replaced unit may bring about the one and prevent the other.
    Proof: P = (1 - delta, delta) against Q = (1, 0). The hockey sticks are delta + (1 - delta - e^e)+, which for
        e >= 0 is delta; and (1 - e^e (1 - delta))+.

    Example:
        >>> curve = NamingCurve("0.25")
        >>> curve.removing(np.array([0.0, 9.0])).round(6), curve.adding(np.array([0.0, 0.2, 0.5])).round(6)
        (array([0.25, 0.25]), array([0.25    , 0.083948, 0.      ]))
    """

    __hash__ = LossCurve.__hash__

    valid_for: ClassVar[frozenset[Neighbors]] = frozenset({Neighbors.ADD_REMOVE})

    delta: Exact

    def __post_init__(self) -> None:
        object.__setattr__(self, "delta", failing(self.delta, "delta"))

    def removing(self, epsilon: Array) -> Array:
        """The probability of what only the unit brings about, at each epsilon."""
        return rounded_up(np.full_like(epsilon, float(self.delta)))

    def adding(self, epsilon: Array) -> Array:
        """What it is missed by, at each epsilon."""
        return rounded_up(-np.expm1(np.minimum(epsilon + math.log1p(-float(self.delta)), 0.0)))

    def unbounded(self, *, adding: bool) -> Fraction:
        """All of delta when the unit leaves; nothing when it joins."""
        return Fraction(0) if adding else cast("Fraction", self.delta)

    @property
    def largest_loss(self) -> Fraction:
        """The logarithm of what remains."""
        return log_above(1 / (1 - cast("Fraction", self.delta)))
