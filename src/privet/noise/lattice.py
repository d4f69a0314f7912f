"""Lattice: the whole multiples of a public power of two, on which every released number lies."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privet.errors import InvalidParameter
from privet.noise.law import Number, exact_number
from privet.noise.lazy import Floats, Steps, added

_INT64 = 1 << 63
_EXACT_FLOAT = 1 << 53  # integers up to here are floats
# the powers of two that are floats
_FINEST = -1074
_COARSEST = 1023
_MIDDLE = 900  # exponents up to here neither overflow with an int64 nor lose a digit of it
_LARGEST = np.finfo(np.float64).max


@dataclass(frozen=True)
class Lattice:
    """The multiples of 2^exponent: round values to it before noise, add whole steps, convert to float once at the end.

    Args:
        exponent: of the step; from -1074 to 1023. Choose it from public parameters only (a scale, declared bounds):
            a step read from the data would itself be a release.

    Privacy:
        All released values are multiples of one public step, whatever the data, so their low bits tell nothing.
        `widened` says how far neighbors can be apart after rounding. No float is ever added to noise.

    Example:
        >>> cents = Lattice.finer_than(0.01)
        >>> cents.step
        Fraction(1, 134217728)
        >>> whole = Lattice(exponent=0)
        >>> whole.to_floats(whole.add(whole.to_steps([1.5, -0.2]), whole.to_steps([4, 0])))
        array([6., 0.])
    """

    exponent: int

    def __post_init__(self) -> None:
        if not _FINEST <= self.exponent <= _COARSEST:
            raise InvalidParameter(f"exponent must be between {_FINEST} and {_COARSEST}, got {self.exponent}")

    @classmethod
    def finer_than(cls, width: Number, *, bits: int = 20) -> Self:
        """Return the lattice whose step is the largest power of two not above width / 2^bits.

        Args:
            width: a public length that rounding should not be noticed at, such as the noise scale.
            bits: how much finer; with 20, rounding costs about a millionth of the width.
        """
        exact = exact_number(width, name="width")
        if exact <= 0:
            raise InvalidParameter(f"width must be > 0, got {width}")
        exponent = exact.numerator.bit_length() - exact.denominator.bit_length()
        if Fraction(2) ** exponent > exact:
            exponent -= 1
        return cls(exponent - bits)

    @cached_property
    def step(self) -> Fraction:
        """The distance between two neighboring points, exactly."""
        return Fraction(2) ** self.exponent

    def to_step(self, value: Number) -> int:
        """Return the number of steps nearest to a value, ties upwards."""
        return math.floor(exact_number(value, name="value") / self.step + Fraction(1, 2))

    def to_steps(self, values: ArrayLike) -> Steps:
        """Return the numbers of steps nearest to the values, ties upwards; Python ints where int64 is too narrow."""
        array = np.asarray(values)
        if array.dtype == np.object_ and all(isinstance(each, int | float) for each in array.flat):  # each by itself
            return self._exact_steps(array)
        if array.dtype.kind not in "biuf" or (array.dtype.kind == "f" and not np.isfinite(array).all()):
            raise InvalidParameter("values must be finite numbers: clip and fill missing ones before rounding")
        if array.dtype.kind in "iu" and ((array > _EXACT_FLOAT) | (array < -_EXACT_FLOAT)).any():
            return self._exact_steps(array)
        with np.errstate(over="ignore"):
            scaled = np.ldexp(array.astype(np.float64), -self.exponent)
        if (np.abs(scaled) >= _INT64 // 2).any():
            return self._exact_steps(array)
        whole = np.floor(scaled)
        whole += scaled - whole >= 0.5  # noqa: PLR2004 - a half
        return whole.astype(np.int64)

    def _exact_steps(self, array: NDArray[np.generic]) -> Steps:
        steps = np.empty(array.size, dtype=np.object_)
        steps[:] = [self.to_step(value) for value in array.ravel().tolist()]
        return steps.reshape(array.shape)

    def widened(self, sensitivity: Number) -> int:
        """Return how many steps rounded values can be apart, if the values are at most `sensitivity` apart.

        Proof: rounding r is monotone and r(x + m step) = r(x) + m for whole m. With m = ceil(sensitivity / step),
        x <= y + m step gives r(x) <= r(y) + m. On data that already lies on the lattice nothing is lost.
        """
        exact = exact_number(sensitivity, name="sensitivity")
        if exact < 0:
            raise InvalidParameter(f"sensitivity must be >= 0, got {sensitivity}")
        return math.ceil(exact / self.step)

    @staticmethod
    def add(steps: Steps, noise: Steps) -> Steps:
        """Return the exact sums, as Python ints where one lies outside int64."""
        return added(steps, noise)

    @staticmethod
    def total(steps: Steps) -> int:
        """Return the exact sum, in any order the same."""
        if steps.dtype != np.int64:
            return int(sum(steps.tolist()))
        return (int((steps >> 32).sum()) << 32) + int((steps & 0xFFFFFFFF).sum())

    def to_float(self, steps: int) -> float:
        """Return the float nearest to so many steps; beyond its range the largest float; never -0.0."""
        try:
            if self.exponent >= -_MIDDLE:  # then only turning the int into a float rounds
                return math.ldexp(float(steps), self.exponent)
            return float(steps * self.step)
        except OverflowError:
            return math.copysign(float(_LARGEST), steps)

    def to_floats(self, steps: Steps) -> Floats:
        """Return the floats nearest to so many steps, as `to_float` does."""
        if steps.dtype != np.int64:
            return np.array([self.to_float(int(number)) for number in steps.flat]).reshape(steps.shape)
        floats: Floats = steps.astype(np.float64)
        if abs(self.exponent) <= _MIDDLE:  # then the product is exact, whatever int64 holds
            floats *= 2.0**self.exponent
            return floats
        with np.errstate(over="ignore"):
            return np.clip(np.ldexp(floats, self.exponent), -_LARGEST, _LARGEST)

    def in_steps(self, values: Floats) -> Floats:
        """Return the values in steps, not rounded: only the exponent changes; infinite where it becomes too large."""
        with np.errstate(over="ignore"):
            if abs(self.exponent) <= _MIDDLE:
                return values * 2.0**-self.exponent
            floats: Floats = np.ldexp(values, -self.exponent)
        return floats
