"""Law: a distribution on whole numbers that can be drawn from exactly."""

import numbers
from abc import ABC, abstractmethod
from fractions import Fraction
from typing import SupportsFloat, SupportsIndex

import numpy as np

from privet.errors import InvalidParameter
from privet.noise.entropy import BitSource
from privet.noise.lazy import Steps

Number = int | float | Fraction | np.integer | np.floating

WIDEST = 256  # scales lie between 2^-256 and 2^256 lattice steps


class Law(ABC):
    """A distribution on whole numbers (lattice steps), with every parameter checked before anything is drawn."""

    @abstractmethod
    def one(self, source: BitSource) -> int:
        """Draw one value, exact however large."""

    @abstractmethod
    def many(self, source: BitSource, count: int) -> Steps:
        """Draw `count` independent values: int64, or Python ints where a value lies outside int64."""
