"""NestedLabels: which leaf a row is in, by the whole path."""

from itertools import product

import numpy as np
import pytest

from privet.asking.labeled import label_numbers
from privet.errors import InvalidParameter
from privet.stats.cells.nested_labels import NestedLabels

NESTED = NestedLabels.of({"x": {"a": [1, 2], "b": [1]}, "y": {"a": [2, 3]}})


def test_leaves_are_found_by_their_whole_path() -> None:
    paths = list(product(["x", "y", "z"], ["a", "b", "c"], [1, 2, 3, 4]))
    columns = [np.array([path[level] for path in paths], dtype=object) for level in range(3)]
    numbers = tuple(label_numbers(column, names) for column, names in zip(columns, NESTED.names, strict=True))
    listed = NESTED.levels[-1]
    assert NESTED.leaves(numbers).tolist() == [listed.index(path) if path in listed else -1 for path in paths]


def test_the_tree_is_that_of_the_labels() -> None:
    assert NESTED.tree.sizes == (1, 2, 3, 5)
    assert [parents.tolist() for parents in NESTED.tree.parents] == [[0, 0], [0, 0, 1], [0, 0, 1, 2, 2]]
    assert NestedLabels.of(["a", "b"]).tree.sizes == (1, 2)


@pytest.mark.parametrize("labels", [{}, [], {"a": ["b"], "c": {"d": ["e"]}}, {"a": "bc"}, 3], ids=str)
def test_bad_labels_are_refused(labels: object) -> None:
    with pytest.raises(InvalidParameter):
        NestedLabels.of(labels)
