"""Mission rows R002 to R009 and R011: datasets, their neighbors, and how far answers move between them."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.core import Sensitivity, Unit
from privet.core.dataset import Dataset, hamming_distance
from privet.core.enumerated_sensitivity import enumerated_sensitivity
from privet.core.lipschitz import is_lipschitz, lipschitz, lipschitz_at
from privet.loss import Neighbors
from privet.mechanisms import Laplace
from tests.golden.printed import agrees

TEN = tuple(range(1, 11))
X, Y, J = ("ann", "bob", "cid"), ("ann", "bob", "dan"), ("bob", "ann", "cid")


def of(*records: int) -> Dataset:
    return Dataset.of(records, universe=TEN)


def test_r002_ordered_rows_and_multisets_have_different_neighbors() -> None:
    """The same three lists: the order counts for Hamming's distance, and does not for counts."""
    universe = ("ann", "bob", "cid", "dan")
    x, y, j = (Dataset.of(rows, universe=universe) for rows in (X, Y, J))
    assert hamming_distance(X, Y) == 1
    assert hamming_distance(X, J) == 2
    assert x.distance(j) == 0
    assert x.distance(y) == 2
    assert x.is_neighbor(y, Neighbors.REPLACE)
    assert not x.is_neighbor(y, Neighbors.ADD_REMOVE)


@pytest.mark.parametrize(("neighbors", "scale"), [("add_remove", 1), ("replace", 2)])
def test_r003_the_relation_decides_the_sensitivity_and_the_noise(neighbors: str, scale: int) -> None:
    """A histogram at ε = 1; the promise names its relation, and only the unit's relation is used."""
    sensitivity = enumerated_sensitivity(lambda data: data.counts, universe="abc", size=3, neighbors=neighbors)
    assert Laplace.calibrated(epsilon=1, sensitivity=sensitivity).scale == scale
    assert Unit("person", neighbors=neighbors).neighbors is Neighbors.of(neighbors)


def test_r004_datasets_are_count_vectors() -> None:
    assert of(1, 2, 2).counts == (1, 2, 0, 0, 0, 0, 0, 0, 0, 0)
    assert of(1).difference(of(1, 2)) == (0, 1, 0, 0, 0, 0, 0, 0, 0, 0)
    assert of(1).difference(of(2)) == (1, 1, 0, 0, 0, 0, 0, 0, 0, 0)


def test_r005_norms_and_distances() -> None:
    assert of(1).distance(of(1, 2)) == 1
    assert of(1).distance(of(2)) == 2
    assert of(1, 2, 2).norm == 3
    assert of(1).difference(of(1, 2)) != (1, 0, 0, 0, 0, 0, 0, 0, 0, 0)  # the misprint: the first count is unchanged


multisets = st.lists(st.sampled_from(TEN), max_size=12).map(lambda records: of(*records))


@given(multisets, multisets, st.sets(st.sampled_from(TEN)))
def test_r006_norm_and_distance_add_over_a_partition(one: Dataset, other: Dataset, part: set[int]) -> None:
    rest = set(TEN) - part
    assert one.norm == one.within(part).norm + one.within(rest).norm
    parts = one.within(part).distance(other.within(part)), one.within(rest).distance(other.within(rest))
    assert one.distance(other) == sum(parts)


def test_r007_lipschitz_constants() -> None:
    function = {0: 0, 1: 1, 2: 2, 3: 5}.__getitem__
    assert lipschitz_at(function, range(4)) == {0: Fraction(5, 3), 1: 2, 2: 3, 3: 3}
    assert lipschitz(function, range(4)) == 3
    assert lipschitz(lambda x: x, range(4)) == 1
    per_point = [Fraction(5, 3), Fraction(2), Fraction(3), Fraction(3)]
    assert is_lipschitz(function, range(4), bound=lambda y: per_point[y])
    assert not is_lipschitz(function, range(4), bound=lambda y: per_point[y] - Fraction(1, 10**9) * (y == 0))


@pytest.mark.parametrize(("neighbors", "histogram"), [("add_remove", 1), ("replace", 2)])
def test_r008_counting_and_histograms(neighbors: str, histogram: int) -> None:
    def ill(data: Dataset) -> int:
        return data.counts[0]

    assert enumerated_sensitivity(ill, universe=("ill", "well"), size=4, neighbors=neighbors) == Sensitivity(1)
    counts = enumerated_sensitivity(lambda data: data.counts, universe="abcd", size=4, neighbors=neighbors)
    assert counts.l1 == histogram


def test_r009_sensitivity_is_the_largest_over_all_neighbors() -> None:
    histogram = enumerated_sensitivity(lambda data: data.counts, universe="abc", size=3, neighbors="replace")
    assert histogram.l1 == 2
    assert agrees(float(histogram.l2), "1.414214")
    assert histogram.l2**2 >= 2
    assert histogram.linf == 1


def test_r009_one_pair_of_datasets_says_nothing() -> None:
    """The median of five zeros is that of four: a move of 0. Yet some median moves over the whole range."""

    def median(data: Dataset) -> Fraction:
        return Fraction(str(np.median(np.array(data.records, dtype=float)))) if data.norm else Fraction(0)

    zeros = [Dataset.of([0] * n, universe=(0, 1, 100)) for n in (4, 5)]
    assert median(zeros[0]) == median(zeros[1])
    assert enumerated_sensitivity(median, universe=(0, 1, 100), size=5, neighbors="replace") == Sensitivity(100)


@pytest.mark.parametrize(("events", "printed"), [(1, "0.1"), (5, "0.5"), (24, "2.4")])
def test_r011_event_window_and_user(events: int, printed: str) -> None:
    """A trajectory of 24 events, each released at ε = 0.1: what is hidden is one event, five in a row, or all."""
    hour = Laplace(l1_sensitivity=1, scale=10).loss
    assert (hour * events).epsilon(0) == float(printed)
    assert math.isclose((hour * events).epsilon(0), events * 0.1)
