"""NetworkSteps: a network in training: rows in whole numbers, exact sums of clipped gradients, and moves."""

from collections.abc import Mapping, Sized
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.learn.features import Floats
from privet.learn.row_clipping import ONE, RowClipping
from privet.learn.whole_network import EXACT_ROWS, LARGEST, Layer, WholeNetwork

BLOCK = 1 << 13  # rows at a time, and fewer where they are wide: so many numbers stay in a cache
NUMBERS, FEWEST = 1 << 20, 64
PIECE = 1 << 13  # parameters at a time
AT_ONCE = 1 << 9  # rows at a time, where each is looked at once
FORGETS = 10.0  # the average is over about the last part in 10 of the way (Shamir and Zhang 2013)


@dataclass(frozen=True, eq=False, repr=False)
class WholeRows:
    """Rows as a network sees them.

    Args:
        whole: numbers in whole steps of the network's grid.
        target: places of classes, or numbers.
        starts: where the rows of each unit begin, and the end; None where a row is a unit.
    """

    whole: NDArray[Any]
    target: Floats
    starts: NDArray[np.int64] | None = None

    @classmethod
    def of(cls, whole: NDArray[Any], target: NDArray[Any], owners: NDArray[np.int64] | None) -> "WholeRows":
        """Return the rows, those of each owner beside each other."""
        numbers = target.astype(np.float64)
        if owners is None:
            return cls(whole, numbers)
        order = np.argsort(owners, kind="stable")
        _, starts = np.unique(owners[order], return_index=True)
        return cls(whole[order], numbers[order], np.append(starts, len(order)))

    @cached_property
    def squares(self) -> Floats:
        """The squared length of each row, in whole steps: exact, and the same in every step of a training."""
        found = np.empty(len(self.whole))
        for start in range(0, len(self.whole), AT_ONCE):
            some = self.whole[start : start + AT_ONCE].astype(np.float64)
            np.einsum("ij,ij->i", some, some, out=found[start : start + AT_ONCE])
        return found

    def __len__(self) -> int:
        """How many units there are."""
        return len(self.whole) if self.starts is None else len(self.starts) - 1

    def chosen(self, units: NDArray[np.intp]) -> tuple[NDArray[np.intp], Floats | None]:
        """The places of these units' rows, and one over how many rows the unit of each has."""
        if self.starts is None:
            return units, None
        counts = self.starts[units + 1] - self.starts[units]
        ends = counts.cumsum()
        places = np.arange(ends[-1] if len(ends) else 0) + np.repeat(self.starts[units] - ends + counts, counts)
        return places, np.repeat(1.0 / counts, counts)

    def __repr__(self) -> str:
        return "WholeRows(hidden)"


@dataclass(frozen=True)
class StepRule:
    """How parameters move by what was released.

    Args:
        learning_rate: of the mean gradient.
        momentum: of the last move that is kept.
        expected: how many units take part in a step, from public or released numbers.
    """

    learning_rate: float
    momentum: float
    expected: float


class NetworkSteps:
    """What `NoisySteps` draws of a network.

    Args:
        network: its layers.
        rows: those that take part.
        clipping: of their gradients.
        rule: how parameters move.
        state: where to begin: `begun` makes it.

    Privacy: what a unit adds is the sum of its rows' clipped gradients over the number of its rows, so no longer than
        one of them; it follows from the unit's rows and from the state.
    """

    def __init__(
        self, network: WholeNetwork, rows: WholeRows, clipping: RowClipping, rule: StepRule, state: Mapping[str, Any]
    ) -> None:
        self.network, self.rows, self.clipping, self.rule = network, rows, clipping, rule
        self.flat = np.array(state["parameters"], dtype=np.float64)
        self.velocity = np.array(state["velocity"], dtype=np.float64)
        self.average = np.array(state["average"], dtype=np.float64)
        self.length = float(state["length"])
        self.step = int(state["steps"])

    @property
    def units(self) -> Sized:
        """Those who may take part."""
        return self.rows

    def summed(self, chosen: NDArray[np.intp]) -> NDArray[Any]:
        """The exact sum, in whole steps of 2^-33."""
        places, shares = self.rows.chosen(chosen)
        size = min(BLOCK, max(NUMBERS // max(self.network.sizes), FEWEST))
        layers = self.network.layers(self.flat)
        exact: NDArray[Any] | None = None
        for start in range(0, max(len(places), 1), EXACT_ROWS):
            total = np.empty(self.network.count + self.clipping.told)
            for block in range(start, max(min(start + EXACT_ROWS, len(places)), 1), size):
                part = slice(block, min(block + size, start + EXACT_ROWS))
                some = None if shares is None else shares[part]
                self._add(layers, places[part], some, total, first=block == start)
            if len(places) <= EXACT_ROWS:
                return total
            exact = total.astype(np.int64) + (0 if exact is None else exact)
        return np.asarray(exact)

    def _add(
        self, layers: list[Layer], places: NDArray[np.intp], shares: Floats | None, total: Floats, *, first: bool
    ) -> None:
        """Add what the rows at these places say to a total, or write over it where they are the first; of none, 0."""
        network, clipping = self.network, self.clipping
        values = network.values(layers, self.rows.whole[places].astype(np.float64))
        slopes = network.slopes(layers, values, self.rows.target[places])
        squares = network.squared_lengths(layers, values, slopes, self.rows.squares[places])
        factors = clipping.factors(squares, self.length)
        if shares is not None:
            factors *= shares
        network.add(layers, values, slopes, factors, total, first=first)
        if clipping.told:
            said = clipping.longer(squares, self.length)
            told = said.sum() if shares is None else np.trunc(said * shares).sum()
            total[-1] = told if first else total[-1] + told

    def move(self, released: NDArray[np.float64]) -> None:
        """Go to the next parameters; their average forgets the first ones."""
        if self.clipping.told:
            self.length = self.clipping.followed(self.length, float(released[-1]), self.rule.expected)
        unit = 1.0 if self.clipping.kind == "automatic" else self.length
        self.step += 1
        forgets = FORGETS / (FORGETS + self.step)
        for start in range(0, len(self.flat), PIECE):  # so that what is between stays in the cache
            flat, velocity, average = (each[start : start + PIECE] for each in (self.flat, self.velocity, self.average))
            velocity *= self.rule.momentum
            between = released[start : start + len(flat)] * (unit / (ONE * self.rule.expected))
            velocity += between
            flat -= np.multiply(velocity, self.rule.learning_rate, out=between)
            np.clip(flat, -LARGEST, LARGEST, out=flat)
            np.subtract(flat, average, out=between)
            between *= forgets
            average += between

    def released(self) -> dict[str, NDArray[Any]]:
        """The state, of which `begun` says what it holds."""
        return {
            "parameters": self.flat,
            "velocity": self.velocity,
            "average": self.average,
            "length": np.array(self.length),
            "steps": np.array(self.step),
        }


def begun(parameters: Floats, clipping: RowClipping) -> dict[str, NDArray[Any]]:
    """The state before the first step."""
    return {
        "parameters": parameters,
        "velocity": np.zeros_like(parameters),
        "average": parameters,
        "length": np.array(clipping.length),
        "steps": np.array(0),
    }
