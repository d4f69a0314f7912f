"""PlacedWeights: whole weights at whole places, in arrays."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Wholes = NDArray[np.int64]


class PlacedWeights(Mapping[int, int]):
    """A mapping from places to weights, for thousands of them: whoever knows arrays need not look at each.

    Args:
        places: int64, rising, each once.
        weights: int64, one for each place.

    Example:
        >>> weights = PlacedWeights(np.array([2, 5]), np.array([10, 30]))
        >>> weights == {2: 10, 5: 30}, weights[5], weights.get(3)
        (True, 30, None)
    """

    __slots__ = ("places", "weights")

    def __init__(self, places: Wholes, weights: Wholes) -> None:
        self.places = places
        self.weights = weights

    def __getitem__(self, place: int) -> int:
        at = int(np.searchsorted(self.places, place))
        if at == len(self.places) or self.places[at] != place:
            raise KeyError(place)
        return int(self.weights[at])

    def __iter__(self) -> Iterator[int]:
        return iter(self.places.tolist())

    def __len__(self) -> int:
        return len(self.places)

    def fit(self, most: int) -> bool:
        """Whether they are what they should be: places rising from 0 on and below `most`, and weights >= 0."""
        places, weights = self.places, self.weights
        kinds = {getattr(each, "dtype", None) for each in (places, weights)}
        if kinds != {np.dtype(np.int64)} or len(places) != len(weights):
            return False
        if not len(places):
            return True
        return bool(places[0] >= 0 and places[-1] < most and (places[1:] > places[:-1]).all() and weights.min() >= 0)


def in_arrays(weights: Mapping[int, int]) -> tuple[Wholes, NDArray[Any]]:
    """The places of any mapping to weights, rising, and the weights there, which may be of any size."""
    if isinstance(weights, PlacedWeights):
        return weights.places, weights.weights
    places = sorted(weights)
    return np.array(places, dtype=np.int64), np.array([weights[place] for place in places], dtype=np.object_)
