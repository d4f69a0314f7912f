"""Hierarchies of released numbers: every cell is the sum of its children, and costs nothing more."""

import numpy as np
import pytest

from privet import Release, Unit
from privet.errors import InvalidParameter
from privet.mechanisms import DiscreteLaplace
from privet.postprocessing.hierarchy import Hierarchy
from privet.postprocessing.tree import Tree

NOISE = DiscreteLaplace(1, 2)
TREE = Tree.regular(4, branching=2)
LABELS = (("all",), ("low", "high"), ("a", "b", "c", "d"))
NOISY = np.array([103, 48, 57, 20, 31, -3, 60])  # the root, two halves, four leaves


def released(value: object) -> Release[object]:
    return Release(value, NOISE.uncertainty, NOISE.loss, "cells", repr(NOISE), Unit("person"))


FOUND = Hierarchy.of(released(NOISY), TREE, labels=LABELS)


def test_every_cell_is_the_sum_of_its_children() -> None:
    root, halves, leaves = FOUND.levels
    assert halves.sum() == pytest.approx(root[0])
    assert leaves.reshape(2, 2).sum(axis=1) == pytest.approx(halves)
    assert FOUND.loss == NOISE.loss
    assert FOUND.total.value == pytest.approx(root[0])
    assert FOUND.range(0, 2).value == pytest.approx(halves[0])


def test_a_known_total_is_kept() -> None:
    known = Hierarchy.of(released(NOISY[1:]), TREE, labels=LABELS, total=100)
    assert known.levels[0].tolist() == [100]
    assert known.levels[-1].sum() == pytest.approx(100)
    assert known.total.uncertainty is None
    assert known.range(0, 1).margin(0.95) <= FOUND.range(0, 1).margin(0.95)


def test_views_are_whole_numbers_that_still_add_up() -> None:
    view = FOUND.nonnegative()
    assert view.value.min() >= 0
    assert view.value.reshape(2, 2).sum(axis=1).tolist() == view.levels[1].tolist()
    assert view.level(2).to_dict()["c"] >= 0
    assert view.noise is None


def test_margins_belong_to_single_cells() -> None:
    with pytest.raises(InvalidParameter, match="err differently"):
        FOUND.margin(0.95)
    with pytest.raises(InvalidParameter, match="does not say how it errs"):
        Hierarchy.of(Release(NOISY, None, NOISE.loss, "cells", "a guess", Unit("person")), TREE, labels=LABELS)
    with pytest.raises(InvalidParameter, match="0 <= first < after"):
        FOUND.range(2, 2)
