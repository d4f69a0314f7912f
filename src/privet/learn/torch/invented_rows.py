"""InventedRows: rows that nobody has, of the shapes and types that a network will see."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import torch
from torch import Tensor

from privet.learn.torch.network import Batch

Shapes: TypeAlias = Sequence[tuple[tuple[int, ...], torch.dtype]]


@dataclass(frozen=True)
class InventedRows:
    """Batches for a rehearsal.

    Args:
        shapes: of one row of each part of a batch, and its type; the targets last.
        units: how many a pass has.
        rows: of each unit.
    """

    shapes: Shapes
    units: int
    rows: int

    @property
    def kept(self) -> int:
        """How many units, the first ones, are the same in all of `others`."""
        return -(-self.units // 2)

    def batch(self, seed: int) -> list[Tensor]:
        """Rows that look like chance."""
        count, last = self.units * self.rows, len(self.shapes) - 1
        return [
            _invented((count, *shape), kind, seed * 1000 + at, target=at == last)
            for at, (shape, kind) in enumerate(self.shapes)
        ]

    def others(self, first: Batch) -> list[list[Tensor]]:
        """The first half of the units as in `first`; beside them others, nobody, and numbers that are none."""
        return [
            self._beside(first, self.batch(2)),
            self._beside(first, [torch.zeros_like(each) for each in first]),
            self._beside(first, [_no_numbers(each) for each in first]),
        ]

    def _beside(self, first: Batch, second: Batch) -> list[Tensor]:
        half = self.kept * self.rows
        return [torch.cat((one[:half], other[half:])) for one, other in zip(first, second, strict=True)]


def _invented(shape: tuple[int, ...], kind: torch.dtype, seed: int, *, target: bool) -> Tensor:
    """Numbers that nobody has and that look like chance: a target between 0 and 1, a whole number 0 or 1."""
    places = torch.arange(math.prod(shape), dtype=torch.float64).reshape(shape)
    shares = (torch.sin(places * 12.9898 + seed * 78.233) * 43758.5453).frac().abs()
    if kind.is_floating_point:
        return (shares if target else (shares - 0.5) * 4).to(kind)
    return (shares < 0.5).to(kind)  # noqa: PLR2004 - a half


def _no_numbers(rows: Tensor) -> Tensor:
    """NaN, which whatever is computed from it becomes; a whole number stays as it is."""
    return torch.full_like(rows, math.nan) if rows.is_floating_point() else rows
