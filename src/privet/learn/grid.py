"""Grid: the cells that bins of several columns make together."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.learn.features import Box, Floats
from privet.loss.exact import shown, whole

MOST_CELLS = 2**22


@dataclass(frozen=True)
class Grid:
    """Equally wide bins within public bounds of each column; each row is in one cell.

    Args:
        box: the bounds.
        bins: how many bins each column has.

    Privacy: the cell of a row follows from that row and public facts alone: values beyond the bounds are in the
        outermost bins, missing ones in the middle.

    Example:
        >>> grid = Grid.of(Box.of((0, 4), width=2), [4, 2])
        >>> grid.cells(np.array([[0.5, 3.0], [99.0, np.nan]])).ravel().tolist(), grid.size
        ([1, 7], 8)
    """

    box: Box
    bins: tuple[int, ...]

    @classmethod
    def of(cls, box: Box, bins: Any) -> "Grid":  # noqa: ANN401 - refused in words
        """Return the grid with so many bins a column, one number for all or one for each."""
        return cls(box, bins_of(bins, box.width))

    @property
    def size(self) -> int:
        """How many cells."""
        return math.prod(self.bins)

    @property
    def volume(self) -> float:
        """Of each cell, in the data's units."""
        return float(np.prod(2 * self.box.half / np.array(self.bins)))

    @property
    def ends(self) -> list[Floats]:
        """The ends of the bins of each column."""
        return [
            np.linspace(low, high, bins + 1)
            for low, high, bins in zip(self.box.lower, self.box.upper, self.bins, strict=True)
        ]

    def cells(self, rows: Floats) -> NDArray[np.int64]:
        """The cell of each row, in a column."""
        shares = (self.box.unit(rows) + 1) / 2
        bins = np.array(self.bins)
        places = np.minimum((shares * bins).astype(np.int64), bins - 1)
        found: NDArray[np.int64] = np.ravel_multi_index(tuple(places.T), self.bins).astype(np.int64)
        return found[:, None]


def bins_of(bins: Any, width: int) -> tuple[int, ...]:  # noqa: ANN401 - refused in words
    """How many bins each column has, from one number for all or one for each."""
    listed = [bins] * width if np.ndim(bins) == 0 else list(bins)
    if len(listed) != width:
        raise InvalidParameter(f"bins must be one number, or one for each of the {width} columns, got {shown(bins)}")
    numbers = tuple(whole(each.item() if isinstance(each, np.generic) else each, "bins") for each in listed)
    if math.prod(numbers) > MOST_CELLS:
        raise InvalidParameter(
            f"more than {MOST_CELLS:,} cells are too many for counts to say anything: use fewer bins or columns"
        )
    return numbers
