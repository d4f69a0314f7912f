"""RatioLaw: the law of a likelihood ratio P/Q under Q, and of means of several, from above.

"From above" is in the convex order: E f of what is kept here is at least E f of the truth for every convex f, and both
hockey sticks, E[(W - a)+] and E[(1 - a W)+], are such means. The one move that is made, again and again, is to take the
mass from a value and give it to two values around it so that their mean is the value: a mean of f over them is at least
f there (Jensen). It is kept by sums of independent ratios. Everything added up is positive, so that no digits cancel.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from privet.loss.curve import Array
from privet.loss.pricing.grid import CAREFUL, Direction, scouted

NODES = 1024  # about how many values a law has; the cost of a bound grows with the square of it
LARGEST = 300.0  # ratios beyond e to this are counted as infinite
ROWS = 64  # rows of pairs that are spread at once, to stay in fast memory
FARTHEST = 13.0  # standard deviations of a normal: how rare the values are that nodes are placed for
APART = 0.5  # standard deviations between knots
FLOOR = 0.4  # the share of all nodes that is given to every interval between knots alike
COARSE = 6  # how many values are seen as one where nodes are chosen
TINY = 2.0**-500  # more than all masses that are too small for a float, times their ratios
MASS, VALUE = 2.0**-30, 2.0**-48  # how much rounding may change masses and values in one spread, relatively


@dataclass(frozen=True)
class RatioLaw:
    """A law of the mean of `count` independent ratios, each with mean at most 1; what is missing is infinite loss.

    Args:
        values: increasing from 0.
        mass: the probability of each under Q.
        count: how many ratios the mean is of.
        spreads: how often mass was spread, one after the other.
        beyond: the probability of infinite loss under P.
    """

    values: Array
    mass: Array
    count: int
    spreads: int
    beyond: float

    @classmethod
    def of(cls, direction: Direction) -> "RatioLaw":
        """The ratio of one run.

        Proof: `Atoms` dominate the curve, their masses are those of P, and the ratio at a loss is e^loss. What they
            leave of Q's mass has the ratio 0. A ratio that is called infinite keeps its mass under P, and one that is
            raised to e^-`LARGEST` too, the rest of its mass under Q going to 0: both only raise hockey sticks.
        """
        atoms = scouted(direction, CAREFUL).atoms
        near = atoms.losses <= LARGEST
        values = np.concatenate([[0.0], np.exp(np.maximum(atoms.losses[near], -LARGEST))])
        mass = np.concatenate([[0.0], atoms.mass[near] / values[1:]])
        mass[0] = max(0.0, 1.0 - float(mass.sum())) + 2.0**-46
        order = np.argsort(values, kind="stable")
        values, mass = values[order], mass[order]
        nodes = np.unique(np.concatenate([values[[0, -1]], _nodes(values, mass)]))
        return cls(nodes, _spread(values, mass, nodes), 1, 1, atoms.beyond + float(atoms.mass[~near].sum()))

    def mean_with(self, other: "RatioLaw") -> "RatioLaw":
        """The mean of these ratios and of others."""
        count = self.count + other.count
        mine, theirs = self.values * self.count, other.values * other.count
        lowest, highest = (mine[0] + theirs[0]) / count, (mine[-1] + theirs[-1]) / count
        (few, few_mass), (more, more_mass) = self._coarse, other._coarse  # noqa: SLF001 - of the same class
        around = np.add.outer(few * self.count, more * other.count) / count
        chosen = _nodes(around.ravel(), np.outer(few_mass, more_mass).ravel())
        inside = chosen[(chosen > lowest) & (chosen < highest)]
        nodes = np.concatenate([[lowest], inside, [highest]])
        mass = np.zeros(len(nodes))
        for start in range(0, len(mine), ROWS):
            rows = slice(start, start + ROWS)
            values = np.add.outer(mine[rows], theirs) / count
            mass += _spread(values.ravel(), np.outer(self.mass[rows], other.mass).ravel(), nodes)
        return RatioLaw(nodes, mass, count, self.spreads + other.spreads + 1, self.beyond)

    def mean_of(self, count: int) -> "RatioLaw":
        """The mean of `count` ratios like this one, by doubling."""
        total: RatioLaw | None = None
        power = self
        while True:
            if count & 1:
                total = power if total is None else total.mean_with(power)
            count >>= 1
            if not count:
                break
            power = power.mean_with(power)
        return self if total is None else total

    def above(self, epsilon: Array) -> Array:
        """sup_S P(S) - e^epsilon Q(S), from above: E[(W - a)+] and the infinite.

        Proof: if values are a share s too small the stick is (1 + s) E[(W - a/(1 + s))+] at most. At a value it is that
            at the next one, plus the gap times the mass above: sums of positive numbers.
        """
        level = np.exp(np.minimum(epsilon - VALUE * self.spreads, LARGEST + 1))
        place = np.clip(np.searchsorted(self.values, level, side="left"), 0, len(self.values) - 1)
        gap = np.maximum(self.values[place] - level, 0.0)
        return self._rounded(self._sticks_above[place] + gap * self._mass_above[place]) + self.beyond

    def below(self, epsilon: Array) -> Array:
        """sup_S Q(S) - e^epsilon P(S), from above: E[(1 - a W)+], which is a E[(1/a - W)+]."""
        level = np.exp(-np.minimum(epsilon + VALUE * self.spreads, LARGEST))
        place = np.clip(np.searchsorted(self.values, level, side="right") - 1, 0, len(self.values) - 1)
        stick = self._sticks_below[place] + (level - self.values[place]) * self._mass_below[place]
        return self._rounded(stick / level)

    def _rounded(self, delta: Array) -> Array:
        result: Array = delta * (1 + MASS * self.spreads) + TINY
        return result

    @cached_property
    def _coarse(self) -> tuple[Array, Array]:
        """Several values as one, with their mean: only to choose nodes by."""
        starts = np.arange(0, len(self.values), COARSE)
        mass = np.add.reduceat(self.mass, starts)
        weighed = np.add.reduceat(self.mass * self.values, starts)
        return np.where(mass > 0, weighed / np.where(mass > 0, mass, 1.0), self.values[starts]), mass

    @cached_property
    def _mass_above(self) -> Array:
        """The mass at each value and above."""
        return np.cumsum(self.mass[::-1])[::-1]

    @cached_property
    def _mass_below(self) -> Array:
        """The mass at each value and below."""
        return np.cumsum(self.mass)

    @cached_property
    def _sticks_above(self) -> Array:
        """E[(W - w)+] at each value w."""
        steps = np.diff(self.values) * self._mass_above[1:]
        return np.concatenate([np.cumsum(steps[::-1])[::-1], [0.0]])

    @cached_property
    def _sticks_below(self) -> Array:
        """E[(w - W)+] at each value w."""
        return np.concatenate([[0.0], np.cumsum(np.diff(self.values) * self._mass_below[:-1])])


def _spread(values: Array, mass: Array, nodes: Array) -> Array:
    """The mass of each value on the two nodes around it, with its mean.

    Rounding: a share of a gap errs by a few units in its last place, hence a mean by less than `VALUE` of the value. A
        node gets at most some million positive numbers, whose sum errs by less than `MASS`.
    """
    place = np.clip(np.searchsorted(nodes, values, side="right") - 1, 0, len(nodes) - 2)
    low = nodes[place]
    share = np.clip((values - low) / (nodes[place + 1] - low), 0.0, 1.0)
    upper = mass * share
    found = np.bincount(place + 1, weights=upper, minlength=len(nodes))
    found += np.bincount(place, weights=mass - upper, minlength=len(nodes))
    return np.asarray(found, dtype=np.float64)


def _nodes(values: Array, mass: Array) -> Array:
    """Where to put nodes: dense where P or Q have much mass, and some at whatever is not rarer than a normal's tail.

    Spreading adds the square of a relative gap to the variance of the loss, times its mass; for a given number of nodes
    that is least with a density like the cubic root of the mass. Any nodes give a bound; these decide how tight it is.
    """
    order = np.argsort(values)
    values, mass = values[order], mass[order]
    weighed = mass * values
    low, high = np.arange(-FARTHEST, 4 + APART, APART), np.arange(-4, FARTHEST + APART, APART)
    knots = [values[[0, -1]], np.interp(low, _scores(mass), values), np.interp(high, _scores(weighed), values)]
    edges = np.unique(np.concatenate(knots))
    edges = edges[np.append(True, np.diff(edges) > 1e-9 * edges[1:])]
    absent, present = (np.diff(np.interp(edges, values, np.cumsum(each))) for each in (mass, weighed))
    share = np.cbrt(np.maximum(absent, present) * (np.diff(edges) / edges[1:]) ** 2)
    total = float(share.sum()) or 1.0
    counts = np.ceil(NODES * (FLOOR / len(share) + (1 - FLOOR) * share / total)).astype(np.int64)
    cells = np.repeat(np.arange(len(counts)), counts)
    inside = (np.arange(len(cells)) - np.repeat(np.cumsum(counts) - counts, counts)) / counts[cells]
    return np.unique(np.append(edges[cells] + inside * np.diff(edges)[cells], edges[-1]))


def _scores(mass: Array) -> Array:
    """What a standard normal has at the same rank, not decreasing."""
    total = float(mass.sum())
    left, right = np.cumsum(mass) / total, np.cumsum(mass[::-1])[::-1] / total
    with np.errstate(invalid="ignore", divide="ignore"):
        scores = np.where(left < 1 / 2, ndtri(np.minimum(left, 1.0)), -ndtri(np.minimum(right, 1.0)))
    limited: NDArray[np.float64] = np.clip(np.nan_to_num(scores, nan=0.0), -40.0, 40.0)
    return np.maximum.accumulate(limited)
