"""NetworkSteps: a network as `NoisySteps` trains it: sums of clipped gradients, and the optimizer's step from what is released."""

from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray

from privet.learn.torch.clipped_sum import clipped_sum
from privet.learn.torch.network import Network
from privet.learn.torch.rows_of_units import Index, RowsOfUnits
from privet.learn.torch.unit_gradients import REACH
from privet.learn.torch.ways import Way


@dataclass
class NetworkSteps:
    """A network, its rows and its optimizer.

    Args:
        network: what is trained.
        optimizer: moves the parameters.
        rows: unread until a step is paid for.
        way: how gradients are found, as rehearsed.
        clip: the largest length of a unit's gradient.
        expected: how many units a step is expected to have, a public number: the sum is divided by it.
        size: how many units pass through the network at once; larger samples pass in turns.

    Privacy: see `NoisySteps` for the steps, `clipped_sum` for what a unit adds, `Way` for what that follows from. Every pass
        has the same shapes, whoever is in it, so which kernels run does not follow from the sample. Units whose rows
        make the network or the loss fail add nothing.
    """

    network: Network
    optimizer: torch.optim.Optimizer
    rows: RowsOfUnits = field(repr=False)
    way: Way
    clip: float
    expected: float
    size: int
    done: int = 0

    @property
    def units(self) -> Index:
        """Those that may take part."""
        return self.rows.by_unit

    def summed(self, chosen: NDArray[np.intp]) -> NDArray[np.int64]:
        """The sum of the chosen units' clipped gradients, in steps of clip / 2^36."""
        total = np.zeros(self.network.places.size, dtype=np.int64)
        with self.network.training():
            for start in range(0, len(chosen), self.size):
                total += self._passed(chosen[start : start + self.size])
        return total

    def _passed(self, units: Index) -> NDArray[np.int64]:
        """The sum over units that pass at once; where they fail, over each half of them, down to who fails alone."""
        try:
            return self._sum(units)
        except MemoryError:
            raise
        except Exception:  # noqa: BLE001 - a label or a token that is none: it counts for nothing
            if len(units) == 1:
                return np.zeros(self.network.places.size, dtype=np.int64)
            half = len(units) // 2
            return self._passed(units[:half]) + self._passed(units[half:])

    def _sum(self, units: Index) -> NDArray[np.int64]:
        batch, held = self.rows.batch(units, size=self.size)
        gradients = self.way.gradients(batch, held, self.size)
        present = torch.arange(self.size) < len(units)
        return clipped_sum(gradients, self.clip, present, self.network.places.size)

    def move(self, released: NDArray[np.float64]) -> None:
        """Let the optimizer step along the released sum, divided by the public number of units that were expected."""
        mean = torch.from_numpy(released * (self.clip / REACH / self.expected))
        start = 0
        for each in self.network.trained.values():
            each.grad = mean[start : start + each.numel()].reshape(each.shape).to(each.dtype)
            start += each.numel()
        self.optimizer.step()
        for each in self.network.trained.values():
            each.grad = None
        self.done += 1

    def released(self) -> int:
        """How many steps were made: the parameters are in the network, and follow from what was released."""
        return self.done
