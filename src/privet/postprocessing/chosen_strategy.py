"""chosen_strategy: of several ways to answer a workload, the one of the least expected error."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privet.noise.lazy import Floats
from privet.postprocessing.factorization import gaussian_strategy
from privet.postprocessing.strategy import Strategy

STEPS = 16  # whole numbers that stand for 1 in a strategy of two levels
FARTHEST = 64  # the most that blocks count, where cells count `STEPS`
FACTORED = 512  # cells up to which the search for the best takes less than a second or so
FINE = 1 << 10  # whole numbers that stand for the largest weight
SAME = 1 + 1e-9  # what differs by less is equal
LOSES = 1.01  # times the variance: less is rounding


@dataclass(frozen=True, eq=False)
class ChosenStrategy:
    """A strategy, and how it was found.

    Args:
        strategy: what is asked.
        name: in words.
        variances: of the answers to each question, for noise on a move of 1: with Laplace noise of scale 1 for a unit
            that moves all sums together by 1, or with a normal one for as long a move.
        others: what else was looked at, and how many times its root mean squared error is larger.
    """

    strategy: Strategy
    name: str
    variances: Floats
    others: tuple[tuple[str, float], ...]


def chosen_strategy(workload: ArrayLike, *, gaussian: bool, weights: ArrayLike | None = None) -> ChosenStrategy:
    """Return the strategy of the least weighted sum of variances among those in which no question loses.

    Args:
        workload: the questions, a row each; a column for each cell, in their order if they have one: whether it counts.
            Each cell counts in one of them at least.
        gaussian: whether noise is normal, and moves are as the crow flies; else Laplace's, and moves are sums.
        weights: of the questions: how much of what is spent is each one's, if they are asked one by one.

    A question loses if its variance is larger than if all were asked one by one. With weights w that gives question i
    noise of scale sum(w) / w_i (Laplace), or sqrt(sum(w) / w_i) (normal). The least sum of v_i w_i³, or v_i w_i², over
    all such ways is at these weights, so that the sum compared here is this one.

    Privacy: only public numbers are looked at.

    Example:
        >>> prefixes = np.tril(np.ones((100, 100), dtype=int))
        >>> found = chosen_strategy(prefixes, gaussian=False)
        >>> found.name, round(float(np.sqrt(2 * found.variances.mean())), 1)  # cells: 10, one by one: 141
        ('blocks of 22 cells, and cells', 6.5)
    """
    asked = np.asarray(workload, dtype=np.int64)
    given = np.ones(len(asked)) if weights is None else np.asarray(weights, dtype=np.float64)
    given = given / given.sum()
    alone = 1 / given if gaussian else 1 / given**2
    importance = given**2 if gaussian else given**3
    ways = sorted(_ways(asked, given, importance, gaussian=gaussian), key=lambda way: way.total)
    for way in ways:
        variances = _size(way.strategy, gaussian=gaussian) * way.strategy.variances(asked)
        if (variances <= alone * LOSES).all():
            break
    least = float(importance @ variances)
    one_by_one = ("one by one", math.sqrt(float(importance @ alone) / least))
    others = tuple((each.name, math.sqrt(each.total / least)) for each in ways if each is not way)
    return ChosenStrategy(way.strategy, way.name, variances, (*others, one_by_one))


@dataclass(frozen=True, eq=False)
class _Way:
    """A strategy and the sum that is compared, or a little more."""

    name: str
    strategy: Strategy
    total: float


def _size(strategy: Strategy, *, gaussian: bool) -> float:
    """The square of how far one row moves all sums together."""
    moves = strategy.moves(rows=1, replaced=False)
    return float(moves.l2 if gaussian else moves.l1) ** 2


def _ways(asked: NDArray[np.int64], given: Floats, importance: Floats, *, gaussian: bool) -> Iterator[_Way]:
    """Every way that is compared. Of the answers themselves none loses."""
    cells = asked.shape[1]
    yield _Way("cells", Strategy(np.eye(cells, dtype=np.int64)), float(importance @ asked.sum(axis=1)))
    answers = Strategy(_answers(asked, given, gaussian=gaussian))
    each = answers.asked.max(axis=1).astype(np.float64)
    asking = each > 0  # a question about no cell has the answer 0
    total = float(importance[asking] @ (1 / each[asking] ** 2))
    yield _Way("answers", answers, _size(answers, gaussian=gaussian) * total)
    yield from _two_levels(asked, importance, gaussian=gaussian)
    if gaussian and cells <= FACTORED:
        roots = np.sqrt(importance / importance.max())
        even = bool((roots > 1 / SAME).all())
        scaled = asked if even else asked * np.maximum(np.rint(FINE * roots), 1).astype(np.int64)[:, None]
        best = gaussian_strategy(scaled)
        total = _size(best, gaussian=True) * float(importance @ best.variances(asked))
        yield _Way("the best sums for normal noise", best, total)


def _answers(asked: NDArray[np.int64], given: Floats, *, gaussian: bool) -> NDArray[np.int64]:
    """The questions themselves, each counted by its weight; no row moves them as far as if they were asked apart."""
    sizes = np.sqrt(given) if gaussian else given
    sizes = sizes / sizes.max()
    if (sizes > 1 / SAME).all():
        return asked
    return np.asarray(asked * np.maximum(np.ceil(FINE * sizes), 1).astype(np.int64)[:, None])


def _two_levels(asked: NDArray[np.int64], importance: Floats, *, gaussian: bool) -> Iterator[_Way]:
    """Blocks of neighboring cells, and the cells: of the best size, counted as often as is best.

    Proof: with blocks counted t times, (A'A)⁻¹ is in a block of n cells the identity less t² / (1 + t² n) everywhere.
    """
    cells = asked.shape[1]
    products = (asked * importance[:, None]).T @ asked.astype(np.float64)
    whole = float(np.trace(products))
    counted = np.arange(1, FARTHEST + 1) / STEPS
    norms = 1 + counted**2 if gaussian else (1 + counted) ** 2
    best, least = None, math.inf
    for size in sorted({round(cells ** (share / 24)) for share in range(2, 23)} - {1}):
        starts = np.arange(0, cells, size)
        inside = np.diag(np.add.reduceat(np.add.reduceat(products, starts, axis=0), starts, axis=1))
        lengths = np.diff(np.append(starts, cells))
        saved = (counted[:, None] ** 2 / (1 + counted[:, None] ** 2 * lengths) * inside).sum(axis=1)
        errors = norms * (whole - saved)
        if errors.min() < least:
            best, least = (size, int(errors.argmin()) + 1), float(errors.min())
    if best is not None:
        blocks = (np.arange(cells) // best[0] == np.arange(math.ceil(cells / best[0]))[:, None]).astype(np.int64)
        levels = [best[1] * blocks, STEPS * np.eye(cells, dtype=np.int64)]
        yield _Way(f"blocks of {best[0]} cells, and cells", Strategy(np.concatenate(levels)), least)
