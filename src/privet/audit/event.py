"""Event: a set of outcomes that one input gives more often; how one is chosen from runs, and said in words."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privet.audit.bounds import promising
from privet.audit.outcomes import Array, Outcomes
from privet.audit.views import View

CUTS = (12, 120)  # cells of equal size, for numbers that do not repeat
FULL = 200  # runs in a cell, if that leaves enough of them
SETS_COST = 0.02  # by how much a set of many cells must be better than one stretch
FACTORS = (0.3, 0.6, 1.6, 3.0)  # by which events that are tested beside the best are larger or smaller
VIEWS = 2  # of each direction whose best events are tested
SAID = 3  # stretches that are written out
Cells = NDArray[np.int64]


@dataclass(frozen=True)
class Event:
    """Some of the cells into which a view's scores fall.

    Args:
        view: what is read off an outcome.
        edges: where cells begin, ascending; the cell before the first has the smaller scores. The last cell of all is
            for outcomes without a score.
        path: cells, in the order in which they join the event.
        length: how many of them belong to it.
        others: other lengths that are as promising.
        promise: about the ε that tests will show.
    """

    view: View
    edges: Array
    path: Cells
    length: int
    others: tuple[int, ...]
    promise: float

    @property
    def size(self) -> int:
        """How many cells there are."""
        return len(self.edges) + 2

    @property
    def lengths(self) -> tuple[int, ...]:
        """All lengths that are worth a test, the most promising first."""
        return (self.length, *self.others)

    def cut(self, length: int) -> "Event":
        """The event of the first so many cells of the path."""
        return replace(self, length=length, others=())

    @cached_property
    def chosen(self) -> NDArray[np.bool_]:
        """For each cell, whether it belongs to the event."""
        flags = np.zeros(self.size, dtype=np.bool_)
        flags[self.path[: self.length]] = True
        return flags

    @cached_property
    def whole_path(self) -> Cells:
        """The path, and after it all cells that it does not reach."""
        return np.concatenate([self.path, np.setdiff1d(np.arange(self.size), self.path)])

    def counts(self, runs: Outcomes) -> Cells:
        """How many runs fall into each cell."""
        scores = self.view.scores(runs)
        cells = np.searchsorted(self.edges, scores, side="right")
        cells[np.isnan(scores)] = self.size - 1
        return np.bincount(cells, minlength=self.size)

    def stretches(self) -> list[tuple[float, float]]:
        """The chosen scores as stretches [from, below), without those that have no score."""
        ends = np.concatenate([[-math.inf], self.edges, [math.inf]])
        flags = np.concatenate([[False], self.chosen[:-1], [False]]).astype(np.int8)
        starts, stops = np.flatnonzero(np.diff(flags) == 1), np.flatnonzero(np.diff(flags) == -1)
        return [(float(ends[start]), float(ends[stop])) for start, stop in zip(starts, stops, strict=True)]

    def words(self) -> str:
        """The event as a sentence without an end."""
        if self.view.says is not None:
            return _listed([self.view.says(value) for value in self.values()], self.view.name)
        parts = [stretch(low, high) for low, high in self.stretches()]
        return _listed([f"{self.view.name} is {part}" for part in parts] + ["not there"] * bool(self.chosen[-1]), "")

    def values(self) -> list[float]:
        """The chosen scores that are cells of their own, those first that point most to the event's input."""
        cells = self.path[: self.length]
        inside = cells[(cells > 0) & (cells < len(self.edges))]
        alone = np.nextafter(self.edges[inside - 1], math.inf) == self.edges[inside]
        return self.edges[inside[alone] - 1].tolist()  # type: ignore[no-any-return]


def _listed(parts: list[str], what: str) -> str:
    """The first of them, and how many more there are."""
    if not parts:
        return f"{what} is none that was seen before" if what else "nothing"
    more = len(parts) - SAID
    return " or ".join(parts) if more <= 0 else f"{' or '.join(parts[:SAID])} or one of {more} more cases"


def stretch(low: float, high: float) -> str:
    """The numbers from `low` to below `high`, in words.

    Example:
        >>> stretch(0.5, math.inf), stretch(-math.inf, 3.0000000000000004), stretch(2.0, 2.0000000000000004)
        ('at least 0.5', 'at most 3', '2')
    """
    if np.nextafter(low, math.inf) == high:
        return _number(low)
    after = math.isfinite(low) and _shorter(float(np.nextafter(low, -math.inf)), low)
    until = math.isfinite(high) and _shorter(float(np.nextafter(high, -math.inf)), high)
    begin = f"above {_number(float(np.nextafter(low, -math.inf)))}" if after else f"at least {_number(low)}"
    end = f"at most {_number(float(np.nextafter(high, -math.inf)))}" if until else f"below {_number(high)}"
    if math.isinf(low):
        return end if math.isfinite(high) else "any number"
    return begin if math.isinf(high) else f"{begin} and {end}"


def _shorter(one: float, other: float) -> bool:
    return len(repr(one)) < len(repr(other))


def _number(value: float) -> str:
    return f"{value:.6g}" if value else "0"


@dataclass(frozen=True)
class Aim:
    """What an event is chosen for.

    Args:
        delta: of the claim.
        later: runs of each input in which it will be tested.
        alpha: of that test.
    """

    delta: float
    later: int
    alpha: float


def best_events(one: Outcomes, other: Outcomes, looks: Iterable[View], aim: Aim) -> tuple[list[Event], list[Event]]:
    """The most promising events that the first input gives more often, each of another view, and the second's."""
    found: tuple[list[Event], list[Event]] = ([], [])
    for view in looks:
        for place, event in enumerate(_of_view(view, view.scores(one), view.scores(other), aim)):
            found[place].append(event)
    ranked = [sorted(events, key=lambda event: -event.promise)[:VIEWS] for events in found]
    return ranked[0], ranked[1]


def _of_view(view: View, one: Array, other: Array, aim: Aim) -> tuple[Event, Event]:
    """The best events of one view, in both directions."""
    ranked = np.sort(one), np.sort(other)  # NaN last
    edges = _edges(*ranked, view.atoms)
    whole = [_counted(scores, edges) for scores in ranked]
    first = [_counted(np.sort(scores[: len(scores) // 2]), edges) for scores in (one, other)]
    trials = len(one), len(other)
    mine, theirs = (Halves(every, half, number) for every, half, number in zip(whole, first, trials, strict=True))
    return _best(view, edges, mine, theirs, aim), _best(view, edges, theirs, mine, aim)


@dataclass(frozen=True)
class Halves:
    """How many of an input's runs fall into each cell: of all, and of the first half of them.

    Args:
        every: of all runs.
        first: of the first half.
        trials: all runs.
    """

    every: Cells
    first: Cells
    trials: int

    @property
    def second(self) -> Cells:
        """Of the second half."""
        return self.every - self.first


def _edges(one: Array, other: Array, atoms: int) -> Array:
    """Where cells begin: values that repeat are cells of their own, the others are cut by quantiles, finest far out."""
    clean = [scores[: len(scores) - int(np.isnan(scores).sum())] for scores in (one, other)]
    pooled = np.sort(np.concatenate(clean))
    if not len(pooled):
        return np.zeros(0)
    firsts = np.flatnonzero(np.concatenate([[True], pooled[1:] != pooled[:-1]]))
    values, often = pooled[firsts], np.diff(np.concatenate([firsts, [len(pooled)]]))
    repeated = values[often > 1] if len(values) > atoms else values
    if len(repeated) > atoms:
        repeated = values[np.argsort(-often, kind="stable")[:atoms]]
    cuts = [] if len(values) <= atoms else [scores[_places(len(scores))] for scores in clean if len(scores)]
    edges = np.concatenate([repeated, np.nextafter(repeated, math.inf), *cuts])
    return np.unique(edges)


def _places(number: int) -> Cells:
    """Ranks at which to cut: even ones, and in the tails doubling ones."""
    cuts = int(np.clip(number / FULL, *CUTS))
    even = np.linspace(0, number - 1, cuts).astype(np.int64)
    tail = np.geomspace(1, max(number / cuts, 2), 24).astype(np.int64)
    return np.unique(np.concatenate([even, np.minimum(tail, number - 1), np.maximum(number - 1 - tail, 0)]))


def _counted(ranked: Array, edges: Array) -> Cells:
    """How many of the sorted scores fall into each cell."""
    missing = int(np.isnan(ranked).sum())
    clean = ranked[: len(ranked) - missing]
    up_to = np.searchsorted(clean, edges, side="left")
    return np.concatenate([np.diff(np.concatenate([[0], up_to, [len(clean)]])), [missing]])


def _best(view: View, edges: Array, mine: Halves, theirs: Halves, aim: Aim) -> Event:
    """The most promising set of cells: a stretch at either end, one cell, or those of the largest ratios.

    Sets of many cells are ordered by the first half of the runs and judged by the second: who judges by the runs that
    made the order sees ratios in all noise.
    """

    def promise(hits: Cells, others: Cells, share: float = 1.0) -> Array:
        trials = max(int(mine.trials * share), 1), max(int(theirs.trials * share), 1)
        return promising(hits, others, trials, delta=aim.delta, later=aim.later, alpha=aim.alpha)

    order = np.argsort(-(mine.first + 1) / (theirs.first + 1), kind="stable")
    order = order[(mine.every + theirs.every)[order] > 0]  # what was never seen has no ratio
    places = np.arange(len(mine.every) - 1)  # without "no score"
    up, down = np.cumsum(mine.every[:-1]), np.cumsum(theirs.every[:-1])
    found = (
        promise(up, down),
        promise(up[-1] - up, down[-1] - down),
        np.minimum(promise(mine.first, theirs.first, 0.5), promise(mine.second, theirs.second, 0.5)),
        promise(np.cumsum(mine.second[order]), np.cumsum(theirs.second[order]), 0.5),
    )
    costs = (view.cost, view.cost, view.cost, view.cost + SETS_COST)
    tops = [_less(float(each.max()), cost) for each, cost in zip(found, costs, strict=True)]
    kind = int(np.argmax(tops))
    at = int(np.argmax(found[kind]))
    path = (places, places[::-1], np.array([at]), order)[kind]
    length = (at + 1, len(places) - 1 - at, 1, at + 1)[kind]
    weights = np.cumsum((mine.every + theirs.every)[path])
    return Event(view, edges, path, length, _near(weights, length), tops[kind])


def _less(promise: float, cost: float) -> float:
    """What is left of a promise; of none at all, nothing."""
    return promise if math.isinf(promise) else promise - cost * abs(promise)


def _near(weights: Cells, length: int) -> tuple[int, ...]:
    """Lengths of a path at which the event would be smaller or larger by certain factors."""
    if not 0 < length <= len(weights) or len(weights) == 1:
        return ()
    wanted = np.searchsorted(weights, np.array(FACTORS) * weights[length - 1]) + 1
    return tuple(sorted({int(each) for each in wanted if each < len(weights)} - {length}))
