"""Members: weights by group, against the same unit by unit; and what must not depend on how groups are written."""

from collections.abc import Collection

import numpy as np
import pytest

from privet.mechanisms import TwoRoundSelection
from privet.query.measures.members import Keys, Members

RANDOM = np.random.default_rng(5)
SIZES = RANDOM.integers(1, 9, 200)
SETS: list[set[Keys]] = [
    {(f"g{group}",) for group in RANDOM.integers(0, 12, size)} for size in RANDOM.integers(1, 9, 200)
]


def listed(sets: Collection[set[Keys]]) -> Members:
    """Units are numbered with gaps, as an engine may."""
    found: dict[Keys, list[int]] = {}
    for unit, groups in enumerate(sets):
        for group in groups:
            found.setdefault(group, []).append(3 * unit + 1)
    return Members((group, np.array(units, dtype=np.int64)) for group, units in found.items())


@pytest.mark.parametrize(
    "left_out", [(), {("g0",), ("g3",)}, {(f"g{place}",) for place in range(11)}, {("elsewhere",)}]
)
def test_units_give_what_they_have_to_the_groups_that_are_not_left_out(left_out: Collection[Keys]) -> None:
    expected: dict[Keys, int] = {}
    for groups in SETS:
        mine = [group for group in groups if group not in left_out]
        for group in mine:
            expected[group] = expected.get(group, 0) + TwoRoundSelection.weight(len(mine))
    assert listed(SETS)(left_out) == expected


def test_a_group_that_is_written_twice_counts_its_units_once() -> None:
    twice = Members(((("a",), np.array([1, 2])), (("b",), np.array([2])), (("a",), np.array([2, 3]))))
    assert twice(()) == listed([{("a",)}, {("a",), ("b",)}, {("a",)}])(())
    assert sorted(map(sorted, twice.groups_of_units())) == [[("a",)], [("a",)], [("a",), ("b",)]]


def test_nobody_is_in_no_group() -> None:
    assert Members(())(()) == {}
    assert Members(())({("a",)}) == {}
