"""Noise added to numbers: what Laplace, Gaussian and the other additive mechanisms share."""

import math
from abc import abstractmethod
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privet.core import Mechanism
from privet.errors import InvalidParameter
from privet.loss.exact import Exact, exact, shortest
from privet.noise import BitSource, Lattice
from privet.noise.lazy import CHUNK, Floats, Steps

Numbers: TypeAlias = int | float | ArrayLike
Answer: TypeAlias = float | Floats  # a number for a number, an array for an array
BINARY = 1 + Fraction(1, 2**52)  # a sensitivity typed as 0.1 is up to this much larger as a float
TOO_LARGE = "the value is too large for the noise: it must stay below 2^900 times the scale"
FINER = 24  # bits by which the lattice is finer than the noise: rounding costs 3e-8 of the scale


class RoundedLaw(Protocol):
    """Noise that is continuous and rounded to whole steps, alone or together with the number it is added to."""

    def one(self, source: BitSource) -> int:
        """Draw one value."""

    def many(self, source: BitSource, count: int) -> Steps:
        """Draw `count` values."""

    def around(self, source: BitSource, centers: Floats) -> Steps:
        """Draw the whole number nearest to each center plus noise."""

    def near(self, source: BitSource, center: float) -> int:
        """Draw the whole number nearest to one center plus noise."""


class AdditiveNoise(Mechanism[Numbers, Answer]):
    """Adds independent continuous noise to every number and rounds the sum, as a real number, to a public lattice.

    Privacy: the sum is the textbook's, taken over the reals; rounding it is post-processing. So the textbook's
        loss holds in any dimension, and every released number is a multiple of one step that depends on the scale
        alone. The noise is drawn a part in 2^52 wider than stated, since a float may exceed the decimal it was
        typed as by that much.
    """

    @property
    @abstractmethod
    def noise_scale(self) -> Fraction:
        """The stated scale of the noise, in the input's unit."""

    @abstractmethod
    def law(self, steps: Fraction) -> RoundedLaw:
        """The noise at a scale given in lattice steps."""

    @cached_property
    def lattice(self) -> Lattice:
        """The multiples of a power of two on which all answers lie."""
        return Lattice.finer_than(self.noise_scale, bits=FINER)

    @cached_property
    def _law(self) -> RoundedLaw:
        return self.law(self.noise_scale * BINARY / self.lattice.step)

    def check(self, value: Numbers) -> None:
        """Refuse what is not a finite number or a non-empty array of them."""
        if not (isinstance(value, int | float) and math.isfinite(value)):
            finite_numbers(value)

    def sample(self, value: Numbers, source: BitSource) -> Answer:
        """The numbers plus noise, rounded to the lattice."""
        lattice, law = self.lattice, self._law
        if isinstance(value, int) and lattice.exponent <= 0:
            return lattice.to_float((value << -lattice.exponent) + law.one(source))
        if isinstance(value, float):
            return lattice.to_float(law.near(source, _steps_of(value, lattice)))
        array = finite_numbers(value)
        flat, answers = array.ravel(), np.empty(array.size)
        for start in range(0, array.size, CHUNK):  # so that the arrays in between stay in the cache
            piece = slice(start, start + CHUNK)
            answers[piece] = lattice.to_floats(self._steps(flat[piece], source))
        return answers.reshape(array.shape) if array.ndim else float(answers[0])

    def _steps(self, values: NDArray[Any], source: BitSource) -> Steps:
        """The numbers plus noise, in whole steps."""
        lattice = self.lattice
        if values.dtype.kind in "biu" and lattice.exponent <= 0:  # then they lie on the lattice
            return lattice.add(lattice.to_steps(values), self._law.many(source, len(values)))
        return self._law.around(source, finite_steps(lattice.in_steps(values.astype(np.float64, copy=False))))


def finite_numbers(value: Numbers) -> NDArray[Any]:
    """Return the value as an array of finite numbers, at least one; the error says what to do, and no number."""
    try:
        array = np.asarray(value)
    except (TypeError, ValueError, OverflowError):
        raise InvalidParameter("the value must be a number or a rectangular array of numbers") from None
    if array.dtype == np.object_ and array.ndim == 0 and isinstance(value, int):
        return array.astype(np.float64)  # an int beyond int64
    if array.dtype.kind not in "biuf":
        raise InvalidParameter(
            f"the value must be a number or an array of numbers, got {array.dtype}: convert it first"
        )
    if not array.size:
        raise InvalidParameter("the value must hold at least one number, got an empty array")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise InvalidParameter(
            "the value must be finite: fill or drop missing values and clip to bounds before release"
        )
    return array


def finite_steps(steps: Floats) -> Floats:
    """Return the steps, refusing those beyond the range of floats."""
    if not np.isfinite(steps).all():
        raise InvalidParameter(TOO_LARGE)
    return steps


def _steps_of(value: float, lattice: Lattice) -> float:
    try:
        return math.ldexp(value, -lattice.exponent)
    except OverflowError:
        raise InvalidParameter(TOO_LARGE) from None


def positive(value: Exact, name: str) -> Fraction:
    """Return the exact number that was typed, if it is above 0."""
    number = exact(value, name)
    if number <= 0:
        raise InvalidParameter(f"{name} must be > 0, got {shortest(number)}")
    return number
