"""Noise on whole numbers: what the discrete mechanisms share."""

from abc import abstractmethod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privet.core import Mechanism
from privet.errors import InvalidParameter
from privet.mechanisms.additive import Numbers, finite_numbers
from privet.noise import BitSource, DiscreteGaussianLaw, DiscreteLaplaceLaw
from privet.noise.lazy import Steps

WholeAnswer: TypeAlias = int | Steps  # a number for a number, an array for an array
_INT64 = 1 << 63
WIDE = 1 << 50  # noise of a larger scale may leave int64 by itself


class WholeNoise(Mechanism[Numbers, WholeAnswer]):
    """Adds independent whole-numbered noise to every whole number; a single one is exact however large.

    Privacy: the type of an answer follows from the type of the value and the scale, never from how large it came out.
    """

    @property
    @abstractmethod
    def law(self) -> DiscreteLaplaceLaw | DiscreteGaussianLaw:
        """The noise."""

    def check(self, value: Numbers) -> None:
        """Refuse what is not a whole number or a non-empty array of them."""
        if not isinstance(value, int):
            array = whole_array(value)
            if array.dtype.kind not in "biu":
                raise InvalidParameter(
                    f"the value must hold whole numbers, got {array.dtype}: round them, or use a continuous mechanism"
                )

    def sample(self, value: Numbers, source: BitSource) -> WholeAnswer:
        """The numbers plus noise: an array of int64, cut off at its ends, unless its own type or the noise is wider."""
        if isinstance(value, int | np.integer):
            return int(value) + self.law.one(source)
        array = whole_array(value)
        wide = array.dtype == np.uint64 or self.law.scale > WIDE
        noise = self.law.many(source, array.size)
        steps: Steps
        if wide:
            steps = array.astype(np.object_).ravel() + noise.astype(np.object_)
        else:
            steps = within_int64(array.astype(np.int64).ravel(), noise.astype(np.int64, copy=False))
        return steps.reshape(array.shape) if array.ndim else int(steps[0])


def whole_array(value: Numbers) -> NDArray[Any]:
    """Return the value as an array of finite numbers; whole numbers of a list are int64, cut off at its ends."""
    if isinstance(value, list | tuple) and value and all(type(each) is int for each in value):
        return np.array([min(max(each, -_INT64), _INT64 - 1) for each in value], dtype=np.int64)
    return finite_numbers(value)


def within_int64(values: Steps, noise: Steps) -> Steps:
    """Return the sums; where one lies outside int64, its end. The type of an answer would tell that one does."""
    sums: Steps = values + noise
    beyond = ((values ^ sums) & (noise ^ sums)) < 0  # both signs differ from the sum's
    return np.where(beyond, np.where(values < 0, -_INT64, _INT64 - 1), sums)
