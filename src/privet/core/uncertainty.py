"""Uncertainty: how far a released number may lie from the exact one."""

import math
from abc import ABC, abstractmethod
from typing import ClassVar

from privet.errors import InvalidParameter
from privet.loss.exact import whole

UP = 1 + 2.0**-48  # more than a closed form of a few operations loses


class Uncertainty(ABC):
    """The law of the error of one released cell. Subclasses are frozen dataclasses of public numbers.

    Privacy: an uncertainty is read off the mechanism's parameters, never off the data; showing it costs nothing.
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


def refuse_certainty(chance: float, name: str) -> None:
    """Raise if this is not a probability between 0 and 1, both excluded."""
    if not 0 < chance < 1:
        raise InvalidParameter(f"{name} must be between 0 and 1, both excluded, got {chance}")
