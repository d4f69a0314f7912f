"""Noise on whole numbers: what the discrete mechanisms share."""

from abc import abstractmethod
from typing import TypeAlias

import numpy as np

from privet.core import Mechanism
from privet.errors import InvalidParameter
from privet.mechanisms.additive import Numbers, finite_numbers
from privet.noise import BitSource, Lattice, Law
from privet.noise.lazy import Steps

WholeAnswer: TypeAlias = int | Steps  # a number for a number, an array for an array


class WholeNoise(Mechanism[Numbers, WholeAnswer]):
    """Adds independent whole-numbered noise to every whole number; exact however large."""

    @property
    @abstractmethod
    def law(self) -> Law:
        """The noise."""

    def check(self, value: Numbers) -> None:
        """Refuse what is not a whole number or a non-empty array of them."""
        if not isinstance(value, int):
            array = finite_numbers(value)
            if array.dtype.kind not in "biu":
                raise InvalidParameter(
                    f"the value must hold whole numbers, got {array.dtype}: round them, or use a continuous mechanism"
                )

    def sample(self, value: Numbers, source: BitSource) -> WholeAnswer:
        """The numbers plus noise."""
        if isinstance(value, int | np.integer):
            return int(value) + self.law.one(source)
        array = np.asarray(value)
        wide = array.astype(np.object_) if array.dtype == np.uint64 else array.astype(np.int64)
        steps = Lattice.add(wide.ravel(), self.law.many(source, array.size)).reshape(array.shape)
        return steps if array.ndim else int(steps)
