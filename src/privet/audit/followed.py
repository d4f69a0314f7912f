"""Followed: a training that is looked at on its way, and another that goes the same way."""

from collections.abc import Sequence, Sized
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

PLACES = 5  # of a training at which the sum over all units is looked at


@dataclass
class Followed:
    """What `NoisySteps` trains, with the sum over all units at the first few places, and what led from one to the next.

    Args:
        steps: what is trained.
        sums: the exact sum over all units at each place.
        led: what was released there.
    """

    steps: Any = field(repr=False)
    sums: list[NDArray[Any]] = field(default_factory=list, repr=False)
    led: list[NDArray[np.float64]] = field(default_factory=list, repr=False)

    @property
    def units(self) -> Sized:
        """Those that may take part."""
        found: Sized = self.steps.units
        return found

    def summed(self, chosen: NDArray[np.intp]) -> NDArray[Any]:
        """The sum over some, after a look at that over all."""
        if len(self.sums) == len(self.led) < PLACES:
            self.sums.append(self._over_all())
        found: NDArray[Any] = self.steps.summed(chosen)
        return found

    def move(self, released: NDArray[np.float64]) -> None:
        """Go on."""
        if len(self.led) < PLACES:
            self.led.append(np.array(released))
        self.steps.move(released)

    def released(self) -> Any:  # noqa: ANN401 - whatever is known in the end
        """What is known in the end."""
        return self.steps.released()

    def follow(self, led: Sequence[NDArray[np.float64]]) -> None:
        """Go where another training went."""
        for each in led:
            self.sums.append(self._over_all())
            self.steps.move(each)

    def _over_all(self) -> NDArray[Any]:
        return np.array(self.steps.summed(np.arange(len(self.steps.units))))
