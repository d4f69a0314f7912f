"""NetworkSteps: a network as `NoisySteps` trains it: sums of clipped gradients, and steps from what is released."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray

from privet.learn.torch.chance import drawn_from
from privet.learn.torch.clipped_sum import clipped_sum
from privet.learn.torch.network import Network
from privet.learn.torch.rows_of_units import Index, RowsOfUnits
from privet.learn.torch.unit_gradients import REACH
from privet.learn.torch.ways import Way
from privet.noise import BitSource, Entropy, PermutationLaw

EMPTY = -1  # in a seat that nobody has


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
        passes: in how many passes through the network a step is computed; more, where a sample is larger.
        size: how many units a pass has seats for.
        source: where seats are drawn from.
        done: how many steps were made.
        watcher: of an audit, told of every released sum before the parameters move by it.

    Privacy: see `NoisySteps` for the steps and `clipped_sum` for what a unit adds. It follows from its own rows, its
        seat in a pass and the shape of a pass (`Way`), which is always the same: seats that nobody has are filled
        with zeros. What is drawn in a pass, as by dropout, follows from a seed of that pass. Units whose rows make the
        network or the loss fail add nothing.
    Proof: kernels may round otherwise in other seats, so seats are drawn: those of a sample are a uniform choice of so
        many of all seats, each for one unit. Leave a unit out, and the seats of the others are a uniform choice again:
        under this pairing of draws the others add the same to the last bit, and sums differ by what one unit adds.
        Averaging over draws keeps the curve (δ is convex in the pair of laws).
        Where a sample has more units than there are seats, the others sit in further passes. Then the unit that is left
        out makes room for one of these, which adds the same if gradients are the same in every seat
        (`Found.everywhere`).
    Not covered: a sample that is larger than all seats, of a network whose gradients are not: seats suffice up to seven
        deviations above what is expected.
    """

    network: Network
    optimizer: torch.optim.Optimizer
    rows: RowsOfUnits = field(repr=False)
    way: Way
    clip: float
    expected: float
    passes: int
    size: int
    source: BitSource = field(default_factory=Entropy, repr=False)
    done: int = 0
    watcher: Callable[[NDArray[np.float64]], None] | None = None

    @property
    def units(self) -> Index:
        """Those that may take part."""
        return self.rows.by_unit

    def summed(self, chosen: NDArray[np.intp]) -> NDArray[np.int64]:
        """The sum of the chosen units' clipped gradients, in steps of clip / 2^36."""
        total = np.zeros(self.network.places.size, dtype=np.int64)
        seats = self.seated(chosen)
        seeds = [int(each) for each in self.source.words(len(seats))]
        with self.network.training():
            for seated, seed in zip(seats, seeds, strict=True):
                if (seated != EMPTY).any():
                    total += self._passed(seated, seed)
        return total

    def seated(self, chosen: NDArray[np.intp]) -> list[NDArray[np.intp]]:
        """For each pass, who has which seat."""
        passes = max(self.passes, -(-len(chosen) // self.size))
        drawn = [PermutationLaw(each * self.size).one(self.source) for each in (self.passes, passes - self.passes)]
        order = np.concatenate((drawn[0], drawn[1] + len(drawn[0])))
        seats = np.full(len(order), EMPTY, dtype=np.intp)
        seats[order[: len(chosen)]] = chosen
        return np.split(seats, passes)

    def _passed(self, seated: NDArray[np.intp], seed: int = 0) -> NDArray[np.int64]:
        """The sum over units that pass at once; where they fail, over each half of them, down to who fails alone."""
        try:
            return self._sum(seated, seed)
        except Exception as problem:  # noqa: BLE001 - a label or a token that is none: it counts for nothing
            if not self.way.alone and _memory_is_full(problem):
                raise MemoryError("a pass takes more memory than there is: say a smaller physical_batch") from None
            there = np.flatnonzero(seated != EMPTY)
            if len(there) < 2:  # noqa: PLR2004 - halves
                return np.zeros(self.network.places.size, dtype=np.int64)
            first, second = seated.copy(), seated.copy()
            first[there[len(there) // 2 :]] = EMPTY
            second[there[: len(there) // 2]] = EMPTY
            return self._passed(first, seed) + self._passed(second, seed)

    def _sum(self, seated: NDArray[np.intp], seed: int) -> NDArray[np.int64]:
        batch, held = self.rows.batch(seated)
        with drawn_from(seed):
            gradients = self.way.gradients(batch, held, len(seated))
        present = torch.from_numpy(seated != EMPTY)
        return clipped_sum(gradients, self.clip, present, self.network.places.size)

    def move(self, released: NDArray[np.float64]) -> None:
        """Let the optimizer step along the released sum, divided by the public number of units that were expected."""
        if self.watcher is not None:
            self.watcher(released)
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


def _memory_is_full(problem: Exception) -> bool:
    """Whether a pass failed for want of memory; where rows share passes, how much they take is the same for all."""
    return isinstance(problem, MemoryError) or "allocate memory" in str(problem)
