"""enumerated_sensitivity: how far an answer can move, by trying all pairs of neighbors."""

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, combinations_with_replacement
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privet.core.dataset import Dataset
from privet.core.sensitivity import Sensitivity, root_above
from privet.errors import InvalidParameter
from privet.loss import Neighbors
from privet.loss.exact import Exact, exact, whole

MOST_PAIRS = 500_000
Vector = tuple[Fraction, ...]
Answer: TypeAlias = Exact | Sequence[Exact] | NDArray[Any]


def enumerated_sensitivity(
    function: Callable[[Dataset], Answer],
    *,
    universe: Iterable[Hashable],
    size: int,
    neighbors: Neighbors | str,
) -> Sensitivity:
    """Return the exact sensitivity of a function of small datasets: the largest move over ALL pairs of neighbors.

    Args:
        function: gives a number, or as many numbers for every dataset; exact where it returns ints or fractions.
        universe: all values a record can have.
        size: the number of records; when one comes or goes, of the larger of two neighbors, and all smaller ones.
        neighbors: one record more or less, or one replaced.

    Privacy: it holds for datasets of this universe and at most this size, nothing larger; the largest L1, Euclidean and
        single moves may come from different pairs. The difference of two given datasets is never a sensitivity.

    Example:
        >>> def histogram(data):
        ...     return data.counts
        >>> enumerated_sensitivity(histogram, universe="abc", size=4, neighbors="add_remove")
        Sensitivity(1)
        >>> replaced = enumerated_sensitivity(histogram, universe="abc", size=4, neighbors="replace")
        >>> replaced, replaced.l1, round(float(replaced.l2), 6)
        (Sensitivity(1, cells=2), Fraction(2, 1), 1.414214)
    """
    values = tuple(universe)
    relation = Neighbors.of(neighbors)
    records = whole(size, "size")
    pairs = _number_of_pairs(len(values), records, relation)
    if pairs > MOST_PAIRS:
        raise InvalidParameter(
            f"there are {pairs:,} pairs of neighbors, too many to try ({MOST_PAIRS:,} are allowed): "
            "take a smaller universe or size, or derive the sensitivity by hand"
        )
    answer = lru_cache(maxsize=None)(lambda data: _vector(function(data)))
    each = total = square = Fraction(0)
    cells = 0
    for one, other in _pairs(values, records, relation):
        moves = _moves(answer(one), answer(other))
        each = max(each, *moves)
        total = max(total, sum(moves, Fraction(0)))
        square = max(square, sum((move * move for move in moves), Fraction(0)))
        cells = max(cells, sum(move > 0 for move in moves))
    if not each:
        raise InvalidParameter("the function is the same for all neighbors: what no unit can move needs no release")
    return Sensitivity(each, cells, l1=total, l2=root_above(square))


def _number_of_pairs(values: int, size: int, relation: Neighbors) -> int:
    if relation is Neighbors.ADD_REMOVE:  # any dataset with fewer than `size` records, and one record more
        return math.comb(values + size - 1, size - 1) * values
    return math.comb(values + size - 2, size - 1) * math.comb(values, 2)


def _pairs(values: tuple[Hashable, ...], size: int, relation: Neighbors) -> Iterator[tuple[Dataset, Dataset]]:
    """All pairs of neighbors, each once: what they share, and what they do not."""
    smaller = range(size) if relation is Neighbors.ADD_REMOVE else (size - 1,)
    for shared in (records for n in smaller for records in combinations_with_replacement(values, n)):
        if relation is Neighbors.ADD_REMOVE:
            fewer = Dataset.of(shared, universe=values)
            yield from ((fewer, Dataset.of((*shared, value), universe=values)) for value in values)
        else:
            more = [Dataset.of((*shared, value), universe=values) for value in values]
            yield from combinations(more, 2)


def _vector(answer: Answer) -> Vector:
    numbers = answer.tolist() if isinstance(answer, np.ndarray) else answer
    if isinstance(numbers, str) or not isinstance(numbers, Sequence):
        numbers = (numbers,)
    return tuple(exact(number, "the value of the function") for number in numbers)


def _moves(one: Vector, other: Vector) -> Vector:
    if len(one) != len(other) or not one:
        raise InvalidParameter("the function must give the same number of numbers for every dataset, at least one")
    return tuple(abs(a - b) for a, b in zip(one, other, strict=True))
