"""Dataset: counts, distances and neighbors."""

from itertools import combinations_with_replacement

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.core.dataset import Dataset, hamming_distance
from privet.errors import InvalidParameter
from privet.loss import Neighbors

UNIVERSE = "abc"
ALL = [
    Dataset.of(records, universe=UNIVERSE)
    for size in range(5)
    for records in combinations_with_replacement(UNIVERSE, size)
]
datasets = st.sampled_from(ALL)


def test_records_and_counts_say_the_same() -> None:
    data = Dataset.of("cab", universe=UNIVERSE)
    assert data.records == ("a", "b", "c")
    assert data == Dataset.of("abc", universe=UNIVERSE)
    assert data.norm == 3


@pytest.mark.parametrize("relation", list(Neighbors))
def test_neighbors_are_all_datasets_one_unit_away(relation: Neighbors) -> None:
    for data in (each for each in ALL if each.norm < 4):
        found = list(data.neighbors(relation))
        expected = {each for each in ALL if data.is_neighbor(each, relation)}
        assert set(found) == expected
        assert len(found) == len(expected), "each once"
        assert data not in expected


@given(datasets, datasets, datasets)
def test_the_distance_is_a_metric(one: Dataset, other: Dataset, third: Dataset) -> None:
    assert one.distance(other) == other.distance(one)
    assert (one.distance(other) == 0) == (one == other)
    assert one.distance(third) <= one.distance(other) + other.distance(third)


def test_a_replacement_is_one_out_and_one_in() -> None:
    two, other, longer = (Dataset.of(records, universe=UNIVERSE) for records in ("ab", "ac", "abcc"))
    assert two.is_neighbor(other, Neighbors.REPLACE)
    assert not two.is_neighbor(longer, Neighbors.REPLACE), "the same distance, but two records more"
    assert not two.is_neighbor(two, Neighbors.ADD_REMOVE)


def test_hamming_distance_counts_places() -> None:
    assert hamming_distance([1, 2, 3], [1, 2, 3]) == 0
    assert hamming_distance([1, 2, 3], [3, 1, 2]) == 3
    with pytest.raises(InvalidParameter, match="same length"):
        hamming_distance([1], [1, 2])


def test_what_is_not_a_dataset_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="universe"):
        Dataset.of("abz", universe=UNIVERSE)
    with pytest.raises(InvalidParameter, match="once"):
        Dataset(("a", "a"), (1, 2))
    with pytest.raises(InvalidParameter, match="once"):
        Dataset(("a", "b"), (1,))
    with pytest.raises(InvalidParameter, match=">= 0"):
        Dataset(("a", "b"), (1, -1))
    with pytest.raises(InvalidParameter, match="same universe"):
        Dataset.of("a", universe="ab").distance(Dataset.of("a", universe="abc"))
