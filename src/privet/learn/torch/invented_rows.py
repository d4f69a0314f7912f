"""InventedRows: rows that nobody has, of the shapes and types that a network will see."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import torch
from torch import Tensor

from privet.learn.torch.network import Batch

FAR = 1e6  # as no invented row is otherwise

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
        """How many units, the first ones, are the same in the first of `others`; in the rest the units behind are."""
        return -(-self.units // 2)

    def batch(self, seed: int) -> list[Tensor]:
        """Rows that look like chance."""
        count, last = self.units * self.rows, len(self.shapes) - 1
        return [
            _invented((count, *shape), kind, seed * 1000 + at, target=at == last)
            for at, (shape, kind) in enumerate(self.shapes)
        ]

    def others(self, first: Batch) -> list[tuple[slice, list[Tensor]]]:
        """Batches with some units as in `first`, and which: those in front, and in the rest those behind.

        Beside them are others, nobody, numbers far away, and numbers that are none.
        """
        beside = [
            self.batch(2),
            [torch.zeros_like(each) for each in first],
            [_far(each) for each in first],
            [_no_numbers(each) for each in first],
        ]
        half = self.kept * self.rows
        return [(slice(0, self.kept), _halves(first, each, half)) for each in beside] + [
            (slice(self.kept, None), _halves(each, first, half)) for each in beside
        ]


def _halves(front: Batch, behind: Batch, half: int) -> list[Tensor]:
    return [torch.cat((one[:half], other[half:])) for one, other in zip(front, behind, strict=True)]


def _invented(shape: tuple[int, ...], kind: torch.dtype, seed: int, *, target: bool) -> Tensor:
    """Numbers that nobody has and that look like chance: a target between 0 and 1, a whole number 0 or 1."""
    places = torch.arange(math.prod(shape), dtype=torch.float64).reshape(shape)
    shares = (torch.sin(places * 12.9898 + seed * 78.233) * 43758.5453).frac().abs()
    if kind.is_floating_point:
        return (shares if target else (shares - 0.5) * 4).to(kind)
    return (shares < 0.5).to(kind)  # noqa: PLR2004 - a half


def _far(rows: Tensor) -> Tensor:
    """Large numbers of both signs; a whole number stays as it is."""
    return FAR * torch.sign(rows) if rows.is_floating_point() else rows


def _no_numbers(rows: Tensor) -> Tensor:
    """NaN, which whatever is computed from it becomes; a whole number stays as it is."""
    return torch.full_like(rows, math.nan) if rows.is_floating_point() else rows
