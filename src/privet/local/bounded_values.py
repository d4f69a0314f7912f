"""BoundedValues: numbers between two bounds, as places on a public grid."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.asking.bounds import Bounds
from privet.asking.column import NUMBERS, ArrayColumn
from privet.errors import InvalidParameter
from privet.loss.exact import exact, shortest


@dataclass(frozen=True)
class BoundedValues:
    """What devices may measure. A value outside the bounds counts as the nearest bound.

    Args:
        bounds: the lowest and the highest value; public, not read off the values.

    Example:
        >>> BoundedValues(Bounds.of((0, 10))).places([-3, 2.6, 11.0], steps=4).tolist()
        [0, 1, 4]
    """

    bounds: Bounds

    @classmethod
    def of(cls, bounds: Any) -> "BoundedValues":  # noqa: ANN401 - whatever a caller hands over is refused in words
        """The values between a pair of bounds."""
        return cls(Bounds.of(bounds))

    @classmethod
    def from_config(cls, words: Sequence[str]) -> "BoundedValues":
        """What `config` wrote."""
        if not isinstance(words, list | tuple) or not all(isinstance(word, str) for word in words):
            raise TypeError("bounds must be a pair of texts")
        low, high = words
        return cls(Bounds.of((exact(low, "bounds"), exact(high, "bounds"))))

    @property
    def config(self) -> list[str]:
        """The bounds as texts, which JSON keeps exactly."""
        return [shortest(self.bounds.low), shortest(self.bounds.high)]

    def places(self, values: Any, *, steps: int) -> NDArray[np.int64]:  # noqa: ANN401 - any column
        """The nearest of the places 0 to `steps`, which cut the range into equal parts; nobody's may be missing."""
        column = ArrayColumn.of(values)
        column.refuse_other_than(NUMBERS, "values")
        numbers = np.asarray(column.numbers(), dtype=np.float64)
        if np.isnan(numbers).any():
            raise InvalidParameter("no value may be missing or no number: let such devices report a public default")
        low, high = float(self.bounds.low), float(self.bounds.high)
        share = (np.clip(numbers, low, high) - low) / (high - low)
        return np.clip(np.rint(share * steps), 0, steps).astype(np.int64)
