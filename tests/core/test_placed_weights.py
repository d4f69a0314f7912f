"""PlacedWeights is the mapping that a dict would be, and knows when it is none."""

from typing import Any

import numpy as np
import pytest

from privet.core.placed_weights import PlacedWeights, in_arrays

AT, WEIGHTS = np.array([0, 2, 7]), np.array([5, 1, 9])


def test_it_is_what_a_dict_would_be() -> None:
    one, same = PlacedWeights(AT, WEIGHTS), {0: 5, 2: 1, 7: 9}
    assert one == same
    assert list(one) == list(same)
    assert [one.get(place) for place in range(-1, 9)] == [same.get(place) for place in range(-1, 9)]
    assert all(np.array_equal(*pair) for pair in zip(in_arrays(one), in_arrays(same), strict=True))


@pytest.mark.parametrize(
    ("places", "weights"),
    [
        (AT[::-1], WEIGHTS),  # not rising
        (np.array([1, 1]), AT[:2]),  # a place twice
        (np.array([-1, 2, 7]), WEIGHTS),
        (np.array([0, 2, 8]), WEIGHTS),  # beyond the last
        (AT, np.array([5, -1, 9])),
        (AT, WEIGHTS[:2]),
        (AT, WEIGHTS.astype(float)),
        (AT.astype(np.int32), WEIGHTS),
        ([0, 2, 7], WEIGHTS),
    ],
)
def test_what_it_should_not_be_is_told(places: Any, weights: Any) -> None:  # noqa: ANN401 - anything
    assert PlacedWeights(AT, WEIGHTS).fit(8)
    assert not PlacedWeights(places, weights).fit(8)
