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
WIDEST = 8  # bytes of a number; longer floats would have to be rounded
COARSEST = 52  # exponent of the widest lattice: the part of a whole number below its step is then a float
_EXACT, _INT64 = 1 << 53, 1 << 63  # whole numbers up to here are floats, and int64
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
        lattice = Lattice.finer_than(self.noise_scale, bits=FINER)
        return lattice if lattice.exponent <= COARSEST else Lattice(COARSEST)

    @cached_property
    def _law(self) -> RoundedLaw:
        return self.law(self.noise_scale * BINARY / self.lattice.step)

    def check(self, value: Numbers) -> None:
        """Refuse what is not a finite number or a non-empty array of them, or is far beyond the noise."""
        if isinstance(value, float) and math.isfinite(value):
            _in_steps(value, self.lattice)
        elif not isinstance(value, int):
            array = finite_numbers(value, exact_lists=True)
            if array.dtype.kind != "O":
                _refuse_far(array, self.lattice)
            else:
                _refuse_far(np.array([each for each in array if isinstance(each, float)]), self.lattice)

    def sample(self, value: Numbers, source: BitSource) -> Answer:
        """The numbers plus noise, rounded to the lattice."""
        if isinstance(value, int | float):
            return self.lattice.to_float(self._step(value, source))
        array = finite_numbers(value, exact_lists=True)
        if array.dtype.kind == "O":
            return np.array([self.lattice.to_float(self._step(each, source)) for each in array])
        flat = array.ravel()
        answers = np.empty(array.size)
        size = -(-array.size // -(-array.size // CHUNK))  # equal pieces: few values would be drawn another way
        for start in range(0, array.size, size):  # so that the arrays in between stay in the cache
            piece = slice(start, start + size)
            answers[piece] = self.lattice.to_floats(self._steps(flat[piece], source))
        return answers.reshape(array.shape) if array.ndim else float(answers[0])

    def _step(self, value: float, source: BitSource) -> int:
        """One number plus noise, in whole steps."""
        exponent = self.lattice.exponent
        if not isinstance(value, int):
            return self._law.near(source, _in_steps(value, self.lattice))
        if exponent <= 0:  # then it lies on the lattice
            return (value << -exponent) + self._law.one(source)
        return (value >> exponent) + self._law.near(source, math.ldexp(value & ((1 << exponent) - 1), -exponent))

    def _steps(self, values: NDArray[Any], source: BitSource) -> Steps:
        """Many numbers plus noise, in whole steps; whole numbers are never turned into floats, which might round."""
        lattice = self.lattice
        if values.dtype.kind == "f":
            return self._law.around(source, lattice.in_steps(values.astype(np.float64, copy=False)))
        if lattice.exponent <= 0:
            return lattice.add(lattice.to_steps(values), self._law.many(source, len(values)))
        integers = values if values.dtype == np.uint64 else values.astype(np.int64)
        fractions = np.ldexp((integers & ((1 << lattice.exponent) - 1)).astype(np.float64), -lattice.exponent)
        return lattice.add((integers >> lattice.exponent).astype(np.int64), self._law.around(source, fractions))


def finite_numbers(value: Numbers, *, exact_lists: bool = False) -> NDArray[Any]:
    """Return the value as an array of finite numbers, at least one; the error says what to do, and no number.

    Args:
        value: a number, an array, a list.
        exact_lists: True keeps the numbers of a list as they are, in an array of objects, where numpy would round whole
            numbers because a float stands beside them.
    """
    kept = _as_they_are(value) if exact_lists else None
    if kept is not None:
        return kept
    try:
        array = np.asarray(value)
    except (TypeError, ValueError, OverflowError):
        raise InvalidParameter("the value must be a number or a rectangular array of numbers") from None
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > WIDEST:
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


def _as_they_are(value: Numbers) -> NDArray[Any] | None:
    """The numbers of a list in which numpy's one type would round some; None for anything else."""
    if not isinstance(value, list | tuple) or not all(isinstance(each, int | float | np.number) for each in value):
        return None
    plain = [each.item() if isinstance(each, np.number) else each for each in value]
    integers = [each for each in plain if isinstance(each, int)]
    if not integers:
        return None
    one_type = len(integers) == len(plain) and (all(each >= 0 for each in integers) or max(integers) < _INT64)
    if one_type or not any(abs(each) > _EXACT for each in integers) or not all(map(_is_finite, plain)):
        return None
    if not all(-_INT64 <= each < 2 * _INT64 for each in integers):
        raise InvalidParameter("whole numbers of a list must fit into 64 bits: divide them by a public unit first")
    kept = np.empty(len(plain), dtype=np.object_)
    kept[:] = plain
    return kept


def _is_finite(number: object) -> bool:
    return isinstance(number, int) or (isinstance(number, float) and math.isfinite(number))


def _refuse_far(array: NDArray[Any], lattice: Lattice) -> None:
    if array.dtype.kind == "f" and array.size:
        _in_steps(float(np.abs(array).max()), lattice)


def _in_steps(value: float, lattice: Lattice) -> float:
    """Return a finite number in lattice steps, exactly: only the exponent changes."""
    try:
        return math.ldexp(value, -lattice.exponent)
    except OverflowError:
        raise InvalidParameter(
            "the value is too large for the noise: it must stay below 2^900 times the scale"
        ) from None


def positive(value: Exact, name: str) -> Fraction:
    """Return the exact number that was typed, if it is above 0."""
    number = exact(value, name)
    if number <= 0:
        raise InvalidParameter(f"{name} must be > 0, got {shortest(number)}")
    return number
