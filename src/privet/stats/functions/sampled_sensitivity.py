"""Sampled sensitivity: how far a function moves between neighbors that a public source of records draws."""

import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privet.asking.called_as import called_as
from privet.core import Sensitivity
from privet.errors import InvalidParameter
from privet.loss import Neighbors
from privet.loss.exact import Exact, shown, whole
from privet.stats.functions.sampling_plan import SamplingPlan

Records: TypeAlias = NDArray[Any] | Sequence[Any]
Item = TypeVar("Item")
NORMS = ("l1", "l2", "linf")
AT_ONCE = 1 << 18  # numbers of records held at a time
PATIENCE = 2.0  # seconds before a bar is shown
ROUNDED = 1 + 2.0**-50  # more than a difference, a sum rounded once and a root lose
SHARED = 1 + 2.0**-30  # the same where a move is computed from what differs, not as a difference of two values


@runtime_checkable
class Moving(Protocol):
    """A function of data that also knows how far it moves when one row is exchanged, for many datasets at once."""

    def move(self, shared: NDArray[Any], one: NDArray[Any], other: NDArray[Any]) -> ArrayLike:
        """Return f(shared and one) - f(shared and other), trials on the first axis, rows on the second."""


@called_as("sampled_sensitivity(np.mean, draw, 1000, gamma=0.05)")
def sampled_sensitivity(  # noqa: PLR0913 - a function, a source, and how to sample, each by name
    f: Any,  # noqa: ANN401 - a function of a dataset of any kind
    oracle: Callable[[int], Records],
    n: int,
    *,
    gamma: Exact | None = None,
    m: int | None = None,
    k: int | None = None,
    norm: str | None = None,
    neighbors: Neighbors | str = Neighbors.REPLACE,
    batched: bool = False,
) -> Sensitivity:
    """Return how far f moves between random neighbors, but for a probability gamma: a sensitivity for random DP.

    Args:
        f: any function of a dataset, to a number or an array of numbers.
        oracle: `oracle(count)` draws that many public records, independently: an array with records on its first axis,
            or a list. It must not look at the protected data, which should be drawn like its records.
        n: the public number of records of the protected data.
        gamma: the probability with which the sensitivity may fail.
        m: how many pairs of neighbors are drawn. Give gamma, m, or both; see `SamplingPlan`.
        k: with m: take the k-th smallest move, and the gamma that this amounts to.
        norm: in which moves are measured, "l1" for Laplace noise, "l2" for Gaussian, "linf" for `release_function` and
            choosing by score. Needed if f has several numbers.
        neighbors: "replace" draws two datasets of n records that share n - 1; "add_remove" one of n, and it without
            its last record.
        batched: True if f takes an array of shape (trials, n, …) and returns one of shape (trials, …).

    Privacy: what is released with it is (ε, γ) *random* DP, however the noise is made: for data drawn like the oracle's
        records, the ε-DP of the mechanism holds except with probability γ. It is never pure DP, as a thesis and others
        have it: for some data the promise does not hold at all. A ledger needs a limit with a γ for it. The function
        must be chosen before any answer about the data is seen (docs/random-dp.md).
    Proof: that of `SamplingPlan`; if the sensitivity holds for the data and its neighbor, so does the mechanism's loss.

    Example:
        >>> draws = iter(np.linspace(-1, 1, 101 * 9).reshape(9, 101))
        >>> found = sampled_sensitivity(np.mean, lambda count: next(draws), 100, m=9)
        >>> round(float(found.l1), 9), round(float(found.gamma), 6)
        (2.2026e-05, 0.45432)
    """
    _refuse_other_than_functions(f, oracle)
    _refuse_norm(norm)
    plan = SamplingPlan.of(gamma=gamma, m=m, k=k)
    pairs = _Pairs(oracle, whole(n, "n"), Neighbors.of(neighbors))
    if not isinstance(batched, bool):
        raise InvalidParameter(f"batched must be True or False, got {shown(batched)}")
    moving = isinstance(f, Moving)
    if moving or batched:
        moves = _moves_of_many(f, pairs, plan.m)
    else:
        moves = (_difference(f(one), f(other)) for one, other in map(pairs.draw, range(plan.m)))
    distances, cells = _measured(_watched(moves, plan.m), norm)
    rounded = SHARED if moving else ROUNDED
    found = float(np.partition(distances, plan.k - 1)[plan.k - 1])
    return _sensitivity(_raised(found, rounded), cells, norm, plan)


def move_of(f: Callable[..., Any], one: Records, other: Records, *, norm: str) -> float:
    """Return how far f moves between two datasets, rounded up; for public or invented ones, as the result tells them.

    Example:
        >>> round(move_of(np.mean, [1, 2, 3], [1, 2, 9], norm="l1"), 9)
        2.0
    """
    _refuse_norm(norm)
    return _raised(float(_length(_difference(f(one), f(other)).reshape(1, -1), norm)[0]), ROUNDED)


def _refuse_other_than_functions(*functions: object) -> None:
    if not all(map(callable, functions)):
        raise InvalidParameter("f must be a function of a dataset, and oracle a function of how many records to draw")


def _refuse_norm(norm: str | None) -> None:
    if norm is not None and str(norm) not in NORMS:
        raise InvalidParameter(f"norm must be one of {', '.join(NORMS)}, got {shown(norm)}")


@dataclass(frozen=True)
class _Pairs:
    """Neighbors drawn from a source of records."""

    oracle: Callable[[int], Records]
    n: int
    neighbors: Neighbors

    def records(self) -> Records:
        """The records of one pair: those of the first dataset, and last the one that replaces its last."""
        count = self.n + (self.neighbors is Neighbors.REPLACE)
        drawn: object = self.oracle(count)
        if not isinstance(drawn, np.ndarray | list | tuple):
            raise InvalidParameter(
                f"oracle must return a numpy array or a list of records, got {type(drawn).__name__}: convert it first"
            )
        if len(drawn) != count:
            raise InvalidParameter(f"oracle({count}) must return {count} records, got {len(drawn)}")
        return drawn

    def draw(self, _: int) -> tuple[Records, Records]:
        """Two neighbors."""
        drawn = self.records()
        shared = drawn[: self.n - 1]
        other = drawn[self.n :]
        joined = np.concatenate((shared, other)) if isinstance(drawn, np.ndarray) else [*shared, *other]
        return drawn[: self.n], joined

    def stacked(self, trials: int) -> NDArray[Any]:
        """The records of several pairs, a pair on the first axis."""
        return np.stack([np.asarray(self.records()) for _ in range(trials)])


def _moves_of_many(f: Any, pairs: _Pairs, trials: int) -> Iterator[NDArray[np.float64]]:  # noqa: ANN401 - either kind of function
    """The moves of some trials at a time, so that memory is bounded."""
    left = trials
    turn = 1
    while left:
        drawn = pairs.stacked(min(left, turn))
        shared = drawn[:, : pairs.n - 1]
        one = drawn[:, pairs.n - 1 : pairs.n]
        other = drawn[:, pairs.n :]
        if isinstance(f, Moving):
            moved = np.asarray(f.move(shared, one, other), dtype=np.float64)
        else:
            moved = _difference(f(drawn[:, : pairs.n]), f(np.concatenate((shared, other), axis=1)))
        if moved.ndim == 0 or len(moved) != len(drawn):
            raise InvalidParameter(
                f"a batched f must return one answer for each of {len(drawn)} datasets, got the shape {moved.shape}"
            )
        yield from moved
        left -= len(drawn)
        turn = max(1, AT_ONCE // max(1, drawn[0].size))


def _difference(one: object, other: object) -> NDArray[np.float64]:
    first, second = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    if first.shape != second.shape:
        raise InvalidParameter(
            f"f must return as many numbers for every dataset, got the shapes {first.shape} and {second.shape}"
        )
    with np.errstate(invalid="ignore"):  # infinity less infinity: counted as an infinite move
        return first - second


def _measured(moves: Iterable[NDArray[np.float64]], norm: str | None) -> tuple[NDArray[np.float64], int]:
    """The length of each move, and how many numbers f has."""
    lengths = []
    cells = 1
    for move in moves:
        cells = max(1, move.size)
        if cells > 1 and norm is None:
            raise InvalidParameter(
                f'f has {cells} numbers, so norm must be given: "l1" for Laplace noise, "l2" for Gaussian, "linf" for '
                "release_function"
            )
        lengths.append(_length(move.reshape(1, -1), norm or "l1")[0])
    return np.array(lengths), cells


def _length(moves: NDArray[np.float64], norm: str) -> NDArray[np.float64]:
    """The norm of each row; infinite where something is not a number."""
    size = np.abs(moves)
    largest = size.max(axis=1, initial=0.0)
    if norm == "l1":
        lengths = np.array([math.fsum(row) if np.isfinite(row).all() else math.inf for row in size])
    elif norm == "l2":  # in units of the largest, whose square may be too small or too large for a float
        known = np.where((largest > 0) & np.isfinite(largest), largest, 1.0)
        lengths = np.sqrt(((size / known[:, np.newaxis]) ** 2).sum(axis=1)) * known
    else:
        lengths = largest
    return np.where(np.isnan(lengths), math.inf, lengths)


def _raised(length: float, by: float) -> float:
    """The length, rounded up by a factor, and by one float where that is less than the factor can say."""
    return math.nextafter(length * by, math.inf) if length > 0 else length


def _sensitivity(found: float, cells: int, norm: str | None, plan: SamplingPlan) -> Sensitivity:
    if not math.isfinite(found):
        raise InvalidParameter("f moved without bound, or to something that is no number, too often: clip its answers")
    if found <= 0:
        raise InvalidParameter(
            "f did not move between the sampled neighbors, so there is nothing to scale noise by: draw more records "
            "that matter to f, or declare a Sensitivity that you can prove"
        )
    declared = {norm: found} if norm in ("l1", "l2") else {}
    return Sensitivity(found, cells, gamma=plan.gamma, **declared)


# --- waiting --------------------------------------------------------------------------------------------------------


def _watched(items: Iterable[Item], total: int) -> Iterator[Item]:
    """The items; if they take long, with a bar on the screen."""
    if not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console  # noqa: PLC0415 - slow to load, and few wait that long
    from rich.progress import Progress  # noqa: PLC0415 - the same

    start = time.monotonic()
    progress = Progress(console=Console(stderr=True), transient=True)
    task = progress.add_task("sampling the sensitivity", total=total)
    try:
        for item in items:
            progress.advance(task)
            if not progress.live.is_started and time.monotonic() - start > PATIENCE:
                progress.start()
            yield item
    finally:
        progress.stop()
