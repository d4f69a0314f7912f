"""Curves of Laplace noise, continuous and discrete, and of a choice that costs the same."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import cast

import numpy as np

from privet.errors import InvalidParameter
from privet.loss.curve import ROUNDING, Array, LossCurve, Moments, rounded_up
from privet.loss.exact import Exact, whole


@dataclass(frozen=True)
class LaplaceCurve(LossCurve):
    """Laplace noise whose scale is 1/epsilon sensitivities.

    Args:
        epsilon: >= 0; sensitivity divided by scale.

    Privacy: delta(e) = 1 - exp((e - epsilon)/2) for e < epsilon, and 0 beyond.
    Proof: at distance epsilon the likelihood ratio of Laplace(1) exceeds e^e exactly left of the point
        (epsilon - e)/2 from the center of P: the difference of the two tails is the formula (Balle, Barthe
        and Gaboardi 2018, Theorem 3).

    Example:
        >>> LaplaceCurve(1).removing(np.array([0.5])).round(6)
        array([0.221199])
    """

    __hash__ = LossCurve.__hash__

    epsilon: Exact

    def __post_init__(self) -> None:
        self._keep_exact("epsilon")

    def removing(self, epsilon: Array) -> Array:
        """Delta at each epsilon."""
        return rounded_up(-np.expm1(np.minimum(epsilon - float(self.epsilon), 0.0) / 2.0))

    @property
    def largest_loss(self) -> Fraction:
        """Pure epsilon-DP (Dwork, McSherry, Nissim and Smith 2006)."""
        return cast("Fraction", self.epsilon)

    @property
    def spacing(self) -> float | None:
        """Half of the probability has loss exactly epsilon."""
        return float(self.epsilon) or None

    def renyi(self, order: float) -> tuple[float, float]:
        """Mironov 2017, Proposition 6: log(a/(2a-1) e^((a-1)eps) + (a-1)/(2a-1) e^(-a eps)) / (a-1), rounded up.

        For small epsilon as log1p of the sum less 1, whose terms cancel to second order: hence its allowance.
        """
        epsilon = float(self.epsilon)
        less = order - 1.0
        if less * epsilon < 1.0:
            rise = order * math.expm1(less * epsilon)
            fall = less * math.expm1(-order * epsilon)
            lift = (rise + fall + ROUNDING * (rise - fall)) / (2 * order - 1)
            value = math.log1p(lift) / less
        else:
            top = math.log(order / (2 * order - 1)) + less * epsilon
            bottom = math.log(less / (2 * order - 1)) - order * epsilon
            value = float(np.logaddexp(top, bottom)) / less
        value *= 1 + ROUNDING
        return value, value

    def moments(self, tilts: Array) -> Moments | None:
        """The same at many orders 1 + t at once, for t > 0.

        With probability 1/2 the loss is epsilon, with probability e^-epsilon/2 it is -epsilon, and in between it is
        epsilon less twice an exponential variable.
        """
        epsilon = float(self.epsilon)
        if not 2.0**-20 <= epsilon <= 2.0**9 or tilts[0] <= 0:  # floats are not good enough beyond
            return None
        rise = epsilon * tilts
        part = tilts / (1.0 + 2.0 * tilts)
        logs = rise + np.log1p(part * np.expm1(-(rise + (rise + epsilon))))
        mean = epsilon + math.expm1(-epsilon)
        square = epsilon * epsilon - 2 * epsilon * (1 + math.exp(-epsilon)) - 4 * math.expm1(-epsilon)
        return Moments(logs, mean, max(square - mean * mean, 0.0))

    def grouped(self, size: int) -> LossCurve:
        """The answers of neighbors k apart differ by k sensitivities."""
        return LaplaceCurve(size * self.largest_loss)


@dataclass(frozen=True)
class PermuteAndFlipCurve(LaplaceCurve):
    """Permute-and-flip selection, or any mechanism that is t-DP for scores t/epsilon of a whole move apart.

    Args:
        epsilon: >= 0; candidates are visited in random order and taken with probability
            exp(epsilon (score - best) / (2 sensitivity)).
        delta: 0; the promise is pure.

    Privacy: Laplace's curve, and none below it: the losses of its outcomes may differ by 2 epsilon, so the curve of
        `ExponentialCurve` must not be used.
    Proof: docs/proofs/choices.md. Move the scores straight to the neighbor's: h, the probability
        of a set, obeys |h'| <= min(h, 1 - h) per unit of loss (McKenna and Sheldon 2020, Theorem 1, for each small
        move and for both the set and its complement). Laplace's distribution function solves h' = min(h, 1 - h), so no
        h climbs higher within epsilon. Two candidates reach it: their noise differs by a Laplace variable.

    Example:
        >>> float(PermuteAndFlipCurve(2).largest_loss)
        2.0
    """

    __hash__ = LossCurve.__hash__

    delta: Exact = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._keep_exact("delta", high=0)

    def grouped(self, size: int) -> LossCurve:
        """Scores move k times as far."""
        return PermuteAndFlipCurve(size * self.largest_loss)


@dataclass(frozen=True)
class DiscreteLaplaceCurve(LossCurve):
    """Two-sided geometric noise on whole numbers.

    Args:
        scale: > 0, in lattice steps: Pr[k] is proportional to exp(-|k| / scale).
        sensitivity: how many whole steps one unit moves the answer, >= 1.

    Privacy: (sensitivity / scale)-DP; the curve is exact.
    Proof: P is centered at 0 and Q at s; the loss (|k - s| - |k|)/t falls with k, so the worst set is
        {k <= m} with m the last k whose loss exceeds e. With p = e^(-1/t) its two probabilities are
        1 - p^(m+1)/(1+p) and p^(s-m)/(1+p).

    Example:
        >>> DiscreteLaplaceCurve(scale=2).removing(np.array([0.0, 0.5])).round(6)
        array([0.244919, 0.      ])
    """

    __hash__ = LossCurve.__hash__

    scale: Exact
    sensitivity: int = 1

    def __post_init__(self) -> None:
        self._keep_exact("scale")
        whole(self.sensitivity, "sensitivity", low=1)
        if self.scale == 0:
            raise InvalidParameter("scale must be > 0, got 0")

    def removing(self, epsilon: Array) -> Array:
        """Delta at each epsilon."""
        scale, shift = float(self.scale), float(self.sensitivity)
        kept = np.minimum(epsilon, 2 * shift / scale)
        last = np.maximum(np.ceil((shift - kept * scale) / 2.0) - 1.0, 0.0)
        ratio = math.exp(-1.0 / scale)
        gap = -np.expm1(np.minimum(kept - (shift - last) / scale, 0.0))
        return rounded_up((gap + ratio * -np.expm1(-last / scale)) / (1.0 + ratio))

    @property
    def largest_loss(self) -> Fraction:
        """Every loss is a whole multiple of 1/scale, at most sensitivity/scale."""
        return self.sensitivity / cast("Fraction", self.scale)

    @property
    def spacing(self) -> float:
        """Losses are whole multiples of 1/scale."""
        return 1.0 / float(self.scale)

    @property
    def atomic(self) -> bool:
        """The noise is discrete, so the loss is."""
        return True

    def grouped(self, size: int) -> LossCurve:
        """The answers of neighbors k apart differ by k sensitivities."""
        return DiscreteLaplaceCurve(self.scale, size * self.sensitivity)
