"""Lipschitz constants on a few points."""

import pytest

from privet.core.dataset import Dataset
from privet.core.lipschitz import is_lipschitz, lipschitz, lipschitz_at
from privet.errors import InvalidParameter


def test_a_constant_function_does_not_move() -> None:
    assert lipschitz(lambda _: 7, range(5)) == 0
    assert lipschitz(lambda _: 7, [3]) == 0


def test_points_need_not_be_one_apart() -> None:
    assert lipschitz(lambda x: x * x, [0, 2, 5]) == 7
    assert lipschitz_at(lambda x: x * x, [0, 2, 5]) == {0: 5, 2: 7, 5: 7}


def test_sensitivity_is_a_lipschitz_constant_of_datasets() -> None:
    data = [Dataset.of("a" * a + "b" * b, universe="ab") for a in range(4) for b in range(4)]
    assert lipschitz(lambda each: each.counts[0], data, distance=Dataset.distance) == 1
    assert lipschitz(lambda each: 3 * each.norm, data, distance=Dataset.distance) == 3


def test_a_bound_at_each_point() -> None:
    assert is_lipschitz(lambda x: 2 * x, range(4), bound=lambda _: 2)
    assert not is_lipschitz(lambda x: 2 * x, range(4), bound=lambda _: "1.999")


def test_what_has_no_distance_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="at least one"):
        lipschitz(lambda x: x, [])
    with pytest.raises(InvalidParameter, match="distance"):
        lipschitz(lambda _: 1, "ab", distance=lambda _x, _y: 0)
