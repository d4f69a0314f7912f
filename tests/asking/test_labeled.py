"""Columns of labels: found fast or one by one, with the same result."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.asking.labeled import distinct_labels, label_numbers, labeled
from privet.errors import InvalidParameter

WORDS = st.sampled_from(["", "a", "b", "ba", "é", "zz"])


@given(st.lists(WORDS, max_size=20), st.lists(WORDS, min_size=1, max_size=6, unique=True))
def test_texts_are_found_where_they_are_listed(values: list[str], labels: list[str]) -> None:
    expected = [labels.index(value) if value in labels else -1 for value in values]
    assert label_numbers(np.array(values, dtype="U3"), tuple(labels)).tolist() == expected
    assert label_numbers(np.array(values, dtype=object), tuple(labels)).tolist() == expected


@given(st.lists(st.integers(-5, 5), max_size=20), st.lists(st.integers(-5, 5), min_size=1, max_size=6, unique=True))
def test_numbers_are_found_where_they_are_listed(values: list[int], labels: list[int]) -> None:
    expected = [labels.index(value) if value in labels else -1 for value in values]
    for kind in (np.int64, np.float64, object):
        assert label_numbers(np.array(values, dtype=kind), tuple(labels)).tolist() == expected


def test_what_is_missing_is_not_unlisted() -> None:
    numbers = labeled(["a", None, "x", float("nan")], ("a",)).numbers()
    assert numbers[[0, 2]].tolist() == [0, -1]
    assert np.isnan(numbers[[1, 3]]).all()


def test_labels_may_come_from_numpy() -> None:
    assert distinct_labels(np.array([3, 1])) == (3, 1)


@pytest.mark.parametrize("labels", ["ab", 3, None, [], ["a", "a"], [None], [float("nan")], [{}]], ids=str)
def test_bad_labels_are_refused(labels: Any) -> None:  # noqa: ANN401 - anything
    with pytest.raises(InvalidParameter, match="categories must"):
        distinct_labels(labels)
