"""Network rows: what makes rows of length at most 1 of X, and reads them once for all releases of a fit."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from privet.core import Mechanism
from privet.learn.centered_rows import Centering, UnitRows
from privet.learn.features import Ball, Floats
from privet.learn.network_steps import WholeRows
from privet.learn.rows import Rows
from privet.learn.spread_rows import BLOCK, SpreadRows


class NetworkColumns(UnitRows, Protocol):
    """What makes rows of length at most 1 of X, and how large their numbers are."""

    @property
    def longest(self) -> float:
        """The largest number in a row."""


@dataclass(frozen=True)
class WithinBall:
    """Rows within a declared length."""

    ball: Ball
    longest: float = 1.0

    def unit(self, rows: Floats) -> Floats:
        """Return rows of length at most 1."""
        return self.ball.unit(rows)


class ReadOnce:
    """The rows, read by the first release and kept for the others of the same fit.

    Args:
        columns: makes rows of length at most 1.
        mapped: makes what `columns` takes of X.
        target: makes what outputs are compared with of y.
    """

    def __init__(
        self, columns: UnitRows, mapped: Callable[[Floats], NDArray[Any]], target: Callable[[NDArray[Any]], Floats]
    ) -> None:
        self._columns, self._mapped, self._target = columns, mapped, target
        self._pairs: tuple[NDArray[Any], NDArray[Any]] | None = None
        self._whole: WholeRows | None = None

    def sums(self, rows: Rows, centering: Centering, noise: Mechanism[Any, Any]) -> NDArray[Any]:
        """The exact sums that say where rows of length at most 1 lie."""
        features, _ = self._read(rows)
        parts = [centering.sums(self._columns.unit(features[part]), noise) for part in blocks(len(features))]
        return np.asarray(np.sum(parts, axis=0))  # of whole steps: exact in any order

    def whole(self, rows: Rows, spread: SpreadRows) -> WholeRows:
        """Rows as the network sees them."""
        if self._whole is None:
            features, target = self._read(rows)
            owners = rows.read_pair_owners()
            self._whole = WholeRows.of(spread.whole(features), self._target(target), owners)
            self._pairs = None
        return self._whole

    def _read(self, rows: Rows) -> tuple[NDArray[Any], NDArray[Any]]:
        if self._pairs is None:
            features, target = rows.read_pairs()
            self._pairs = self._mapped(features), target
        return self._pairs


def blocks(rows: int) -> list[slice]:
    """So many rows a block at a time; one empty block of none.

    Example:
        >>> [(each.start, each.stop) for each in blocks(600)]
        [(0, 512), (512, 1024)]
    """
    return [slice(start, start + BLOCK) for start in range(0, max(rows, 1), BLOCK)]
