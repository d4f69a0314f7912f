"""Uncertainty: how far a released number may lie from the exact one."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from privet.errors import InvalidParameter
from privet.loss.exact import shown, whole

UP = 1 + 2.0**-48  # more than a closed form of a few operations loses


class Uncertainty(ABC):
    """The law of the error of one released cell. Subclasses are frozen dataclasses of public numbers.

    Privacy: an uncertainty is read off the mechanism's parameters, never off the data; showing it costs nothing.

    Example:
        >>> from privet.mechanisms import DiscreteLaplace
        >>> error = DiscreteLaplace(l1_sensitivity=1, scale=2).uncertainty
        >>> isinstance(error, Uncertainty), error.distance(0.05), round(error.tail(10), 4)
        (True, 6.0, 0.0051)
    """

    independent: ClassVar[bool] = True  # whether different cells err independently

    @abstractmethod
    def tail(self, distance: float) -> float:
        """The probability that the released cell is farther than `distance` from the exact one, from above."""

    @abstractmethod
    def distance(self, tail: float) -> float:
        """A distance that is exceeded with at most this probability; exact where a closed form exists."""

    def margin(self, confidence: float = 0.95, *, cells: int = 1) -> float:
        """Half the width of an interval that holds the exact value with this probability, in all `cells` at once.

        Proof: k independent cells all hold with probability c^k if each does with c, so c = confidence^(1/k);
            dependent ones by the union bound.
        """
        refuse_certainty(confidence, "confidence")
        number = whole(cells, "cells")
        share = -math.expm1(math.log(confidence) / number) if self.independent else (1 - confidence) / number
        return self.distance(share / UP)


@dataclass(frozen=True)
class ScaledError(Uncertainty):
    """The error of a number that was multiplied after the noise was added.

    Args:
        error: before.
        factor: > 0.
        rounding: >= 0; how far the number that the noise was added to may lie from the exact one, in the new unit.

    Example:
        >>> from privet.mechanisms.laplace import LaplaceError
        >>> round(ScaledError(LaplaceError(scale=1), factor=1800).margin(0.95), 1)
        5392.3
    """

    error: Uncertainty
    factor: float
    rounding: float = 0.0

    def tail(self, distance: float) -> float:
        """That of the distance before."""
        return self.error.tail(max(distance - self.rounding, 0.0) / self.factor / UP)

    def distance(self, tail: float) -> float:
        """The distance before, times the factor."""
        return self.error.distance(tail) * self.factor * UP + self.rounding


def refuse_certainty(chance: object, name: str) -> None:
    """Raise if this is not a probability between 0 and 1, both excluded."""
    if isinstance(chance, bool) or not isinstance(chance, int | float | Fraction) or not 0 < chance < 1:
        raise InvalidParameter(f"{name} must be a number between 0 and 1, both excluded, got {shown(chance)}")
