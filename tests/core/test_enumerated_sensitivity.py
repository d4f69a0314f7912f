"""enumerated_sensitivity: against the definition over every pair, and what it refuses."""

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pytest

from privet.core import Sensitivity
from privet.core.dataset import Dataset
from privet.core.enumerated_sensitivity import _number_of_pairs, _pairs, enumerated_sensitivity
from privet.errors import InvalidParameter
from privet.loss import Neighbors

UNIVERSE = (0, 1, 3, 7)
FUNCTIONS: dict[str, Callable[[Dataset], list[int]]] = {
    "count": lambda data: [data.norm],
    "sum": lambda data: [sum(data.records)],  # type: ignore[arg-type] # numbers
    "histogram": lambda data: list(data.counts),
    "maximum": lambda data: [max(data.records, default=0)],  # type: ignore[type-var, list-item] # numbers
    "sum and count": lambda data: [sum(data.records), data.norm],  # type: ignore[arg-type] # numbers
    "squares of counts": lambda data: [count**2 for count in data.counts],
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("relation", list(Neighbors))
def test_it_is_the_largest_move_over_all_pairs(name: str, relation: Neighbors) -> None:
    function = FUNCTIONS[name]
    size = 3
    if name == "count" and relation is Neighbors.REPLACE:
        return  # refused: see below
    found = enumerated_sensitivity(function, universe=UNIVERSE, size=size, neighbors=relation)
    every = [
        Dataset.of(records, universe=UNIVERSE)
        for n in (range(size + 1) if relation is Neighbors.ADD_REMOVE else [size])
        for records in combinations_with_replacement(UNIVERSE, n)
    ]
    moves = [
        [abs(a - b) for a, b in zip(function(one), function(other), strict=True)]
        for one in every
        for other in every
        if one.is_neighbor(other, relation)
    ]
    assert found.linf == max(max(move) for move in moves)
    assert found.l1 == max(sum(move) for move in moves)
    assert found.l2 == pytest.approx(max(sum(step**2 for step in move) for move in moves) ** 0.5)
    assert found.l2**2 >= max(sum(step**2 for step in move) for move in moves)
    assert found.cells == max(sum(step > 0 for step in move) for move in moves)


def test_numbers_arrays_and_fractions_are_answers() -> None:
    for answer in (lambda data: np.array(data.counts) / 4, lambda data: [Fraction(n, 4) for n in data.counts]):
        found = enumerated_sensitivity(answer, universe="ab", size=2, neighbors="replace")
        assert found == Sensitivity("1/4", cells=2)
    assert enumerated_sensitivity(
        lambda data: "0.1" if data.norm else 0, universe="a", size=1, neighbors="add_remove"
    ) == (Sensitivity("0.1"))


@pytest.mark.parametrize("relation", list(Neighbors))
@pytest.mark.parametrize("size", [1, 2, 3])
def test_every_pair_is_tried_and_their_number_is_known_in_advance(relation: Neighbors, size: int) -> None:
    every = [
        Dataset.of(records, universe=UNIVERSE)
        for n in (range(size + 1) if relation is Neighbors.ADD_REMOVE else [size])
        for records in combinations_with_replacement(UNIVERSE, n)
    ]
    expected = {frozenset((a, b)) for a in every for b in every if a.is_neighbor(b, relation)}
    tried = list(_pairs(UNIVERSE, size, relation))
    assert {frozenset(pair) for pair in tried} == expected
    assert _number_of_pairs(len(UNIVERSE), size, relation) == len(tried)


def test_too_many_pairs_are_refused_before_the_first() -> None:
    with pytest.raises(InvalidParameter, match="too many to try"):
        enumerated_sensitivity(lambda data: data.norm, universe=range(100), size=20, neighbors="add_remove")


@pytest.mark.parametrize(
    ("function", "neighbors", "message"),
    [
        (lambda data: data.norm, "replace", "needs no release"),
        (lambda data: [1] * data.norm, "add_remove", "same number"),
        (lambda _: [], "replace", "same number"),
        (lambda _: "many", "replace", "finite number"),
        (lambda _: float("nan"), "replace", "finite number"),
        (lambda data: data.norm, "sideways", "neighbors must be"),
    ],
)
def test_what_has_no_sensitivity_is_refused(function: Callable[[Dataset], Any], neighbors: str, message: str) -> None:
    with pytest.raises(InvalidParameter, match=message):
        enumerated_sensitivity(function, universe="ab", size=2, neighbors=neighbors)
