"""Smooth sensitivity: what the mechanisms whose noise depends on the data share."""

from abc import abstractmethod
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.core import Mechanism, Sensitivity
from privet.errors import InvalidParameter
from privet.loss import ApproximateCurve, Guarantee, PrivacyLoss
from privet.loss.exact import Exact
from privet.mechanisms.additive import BINARY, Answer, Numbers, RoundedLaw, finite_numbers, positive
from privet.noise import BitSource, Lattice
from privet.noise.lazy import Floats

ROUNDED = Fraction(1, 2**40)  # neighbors' smooth sensitivities are floats: their logarithms are off by less than this
SMALLEST = Fraction(1, 10**9)  # of ε: below, ROUNDED would be a part of it
# noise scales in steps that the laws take
_NARROWEST = Fraction(1, 2**250)
_WIDEST = 2**250
_FAR = 900  # bits: answers up to so many steps are floats
_WHOLE = 2**53  # whole numbers up to here are floats


@dataclass(frozen=True, eq=False)
class SmoothValue:
    """An exact answer with its smooth sensitivity; both are secret, so neither is ever printed.

    Args:
        value: the exact answer: a number, or an array of them for `SmoothGaussian`.
        smooth_sensitivity: > 0; a bound on how far one unit can move the answer *of this dataset* (Euclidean, for
            an array), that changes between neighbors by a factor of at most e^smoothness. `smooth_bound` and
            `median_smooth_sensitivity` compute such bounds.

    Privacy: the whole of it is the caller's statement, made for the unit's neighbors. A local sensitivity that is
        not smooth breaks every promise: see `localized_gaussian`.

    Example:
        >>> SmoothValue(12.5, 0.25)
        SmoothValue(hidden)
    """

    value: Numbers
    smooth_sensitivity: Exact

    def __repr__(self) -> str:
        return "SmoothValue(hidden)"


class SmoothNoise(Mechanism[SmoothValue, Answer]):
    """Adds noise in proportion to the smooth sensitivity and rounds the sum, as a real number, to a public lattice.

    Privacy: how wide the noise is depends on the data, so nothing else may: the lattice comes from `step` alone, and
        the release has no uncertainty, because that would tell the smooth sensitivity. The noise is a part in 2^52
        wider than stated, and at least 2^-250 steps; a bound times a constant, or the larger of it and a constant, is
        as smooth as the bound.
    """

    step: Fraction

    promise: Guarantee

    @cached_property
    def loss(self) -> PrivacyLoss:
        """What is proven: the promise, and no more of the curve."""
        return PrivacyLoss.of(ApproximateCurve(self.promise.epsilon, self.promise.delta))

    @property
    @abstractmethod
    def smoothness(self) -> float:
        """The largest logarithm of the ratio of neighbors' smooth sensitivities, often called β."""

    @property
    @abstractmethod
    def spread(self) -> Fraction:
        """The scale of the noise for a smooth sensitivity of 1."""

    @abstractmethod
    def law(self, steps: Fraction) -> RoundedLaw:
        """The noise at a scale given in lattice steps."""

    @abstractmethod
    def noise_margin(self, smooth_sensitivity: float, confidence: float = 0.95) -> float:
        """How far one number may lie off with this confidence *if* the smooth sensitivity were this.

        For planning with public or invented data: at the secret's own smooth sensitivity the margin is a secret.
        """

    @property
    def size(self) -> int:
        """How many numbers an answer has."""
        return 1

    @cached_property
    def lattice(self) -> Lattice:
        """The multiples of the largest power of two not above `step`, on which all answers lie."""
        return Lattice.finer_than(self.step, bits=0)

    @property
    def largest_value(self) -> float:
        """A size up to which every answer can be released."""
        return float(min(self.lattice.step * 2**_FAR, Fraction(2) ** _FAR))

    @property
    def largest_bound(self) -> Fraction:
        """The largest smooth sensitivity that there is noise for."""
        return self.lattice.step * _WIDEST / (self.spread * BINARY)

    def covers(self, sensitivity: Sensitivity) -> bool:
        """Any distance, because the bound comes with each value; but no more cells than the answer has numbers."""
        return sensitivity.cells <= self.size

    def check(self, value: SmoothValue) -> None:
        """Refuse what is not a finite answer of the right size with a positive, finite smooth sensitivity."""
        if not isinstance(value, SmoothValue):
            raise InvalidParameter(
                f"{type(self).__name__} takes a SmoothValue(value, smooth_sensitivity), got {type(value).__name__}: "
                "compute the bound with smooth_bound or median_smooth_sensitivity"
            )
        self._centers(self._numbers(value))
        self._scale(value)

    def sample(self, value: SmoothValue, source: BitSource) -> Answer:
        """The numbers plus noise, rounded to the lattice."""
        array = self._numbers(value)
        floats = self._answers(self._centers(array), self._scale(value), source).reshape(array.shape)
        return floats if array.ndim else float(floats)

    def _answers(self, centers: Floats, scale: Fraction, source: BitSource) -> Floats:
        return self.lattice.to_floats(self.law(scale).around(source, centers))

    def _numbers(self, value: SmoothValue) -> NDArray[Any]:
        array = finite_numbers(value.value)
        huge = isinstance(value.value, int) and abs(value.value) > _WHOLE
        if array.size != self.size:
            raise InvalidParameter(
                f"{type(self).__name__} is made for answers of {self.size} numbers, and every number would show the "
                "scale of its noise once more: use SmoothGaussian with this dimension, or release them one by one"
            )
        if huge or (array.dtype.kind in "iu" and (np.abs(array.astype(np.float64)) > _WHOLE).any()):
            raise InvalidParameter("whole numbers beyond 2^53 are no floats: divide the answer by a public unit first")
        return array

    def _centers(self, array: NDArray[Any]) -> Floats:
        """The numbers in lattice steps: only the exponent changes."""
        with np.errstate(over="ignore"):
            centers: Floats = np.ldexp(array.ravel().astype(np.float64), -self.lattice.exponent)
        if not np.isfinite(centers).all():
            raise InvalidParameter("the value is too large for so fine a step: choose a larger step")
        return centers

    def _scale(self, value: SmoothValue) -> Fraction:
        """The noise in lattice steps."""
        scale = _bound(value.smooth_sensitivity) * BINARY * self.spread / self.lattice.step
        if scale > _WIDEST:
            raise InvalidParameter("the smooth sensitivity is too large for so fine a step: choose a larger step")
        return max(scale, _NARROWEST)


def _bound(number: object) -> Fraction:
    """The smooth sensitivity as the very number it is; no error tells it."""
    wrong = "the smooth sensitivity must be a finite number > 0: add the least you would protect against"
    if isinstance(number, bool) or not isinstance(number, int | float | str | Decimal | Fraction | np.number):
        raise InvalidParameter(wrong)
    try:
        exact = Fraction(number.item() if isinstance(number, np.number) else number)
    except (ValueError, OverflowError, TypeError, ZeroDivisionError):
        raise InvalidParameter(wrong) from None
    if exact <= 0:
        raise InvalidParameter(wrong)
    return exact


def kept_promise(epsilon: Exact, delta: Exact) -> tuple[Fraction, Fraction]:
    """ε of at least 1e-9 and δ in (0, 1/2], exactly."""
    level, chance = positive(epsilon, "epsilon"), positive(delta, "delta")
    if level < SMALLEST:
        raise InvalidParameter(f"epsilon must be >= 1e-9, got {float(level):.3g}")
    if chance > Fraction(1, 2):
        raise InvalidParameter(f"delta must be in (0, 1/2], got {float(chance):.3g}")
    return level, chance
