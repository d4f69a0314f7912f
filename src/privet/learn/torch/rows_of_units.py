"""Rows of units: the tensors of a training, unread, and which rows belong to whom."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.data import TensorDataset

from privet.asking.column import ArrayColumn
from privet.asking.contributions import kept_rows
from privet.errors import InvalidParameter

Index = NDArray[np.intp]
DATA = (
    "data must be (inputs, targets), or (inputs, further inputs, targets), each a tensor or an array with one entry "
    "a row, or a TensorDataset of them"
)


@dataclass(frozen=True)
class RowsOfUnits:
    """What a training was given, unread.

    Args:
        tensors: what the network is given, and the targets last; one entry a row.
        kinds: the type that each is trained in.
        owners: whose row each is; None where every row is a unit's only one.
        most: how many rows of a unit count.

    Privacy: shapes behind the first dimension and types are public. How many rows there are is read after the charge,
        and so is what they hold. Which rows of a unit count follows from that unit alone.
    """

    tensors: tuple[Tensor, ...] = field(repr=False)
    kinds: tuple[torch.dtype, ...]
    owners: ArrayColumn | None = field(repr=False)
    most: int

    @classmethod
    def of(cls, data: Any, *, kind: torch.dtype, groups: Any = None, most: int = 1) -> "RowsOfUnits":  # noqa: ANN401 - rows of any kind
        """Return the rows, or refuse them by shape and type; nothing is read.

        Args:
            data: tensors, arrays, or a dataset of tensors.
            kind: the type of the network's parameters: numbers that are floats are trained in it.
            groups: whose row each is, or None.
            most: how many rows of a unit count.
        """
        given = data.tensors if isinstance(data, TensorDataset) else data
        if not isinstance(given, tuple | list) or len(given) < 2:  # noqa: PLR2004 - inputs and targets
            raise InvalidParameter(DATA)
        tensors = tuple(_tensor(each) for each in given)
        if len({len(each) for each in tensors}) > 1:
            raise InvalidParameter("inputs and targets must have one entry for each row: their lengths differ")
        owners = None if groups is None else ArrayColumn.of(groups, "groups")
        if owners is not None and owners.length != len(tensors[0]):
            raise InvalidParameter("inputs and groups must have one entry for each row: their lengths differ")
        kinds = tuple(kind if each.dtype.is_floating_point else each.dtype for each in tensors)
        return cls(tensors, kinds, owners, most)

    @property
    def length(self) -> int:
        """How many rows there are; private, unless neighbors have as many."""
        return len(self.tensors[0])

    @property
    def shapes(self) -> list[tuple[tuple[int, ...], torch.dtype]]:
        """Of one row of each part, with its type."""
        return [(tuple(each.shape[1:]), kind) for each, kind in zip(self.tensors, self.kinds, strict=True)]

    @cached_property
    def by_unit(self) -> Index:
        """The rows [unit, row] of each unit, -1 where it has fewer than others may have."""
        if self.owners is None:
            return np.arange(self.length, dtype=np.intp)[:, None]
        owners = self.owners.owners()
        kept = np.flatnonzero(kept_rows(owners, most=self.most))
        order = kept[np.argsort(owners[kept], kind="stable")]
        names, places = np.unique(owners[order], return_inverse=True)
        starts = np.searchsorted(owners[order], names)
        table = np.full((len(names), self.most), -1, dtype=np.intp)
        table[places, np.arange(len(order)) - starts[places]] = order
        return table

    def batch(self, seated: Index) -> tuple[list[Tensor], Tensor]:
        """The rows of the units in these seats, zeros where the unit is -1; and which places hold a row."""
        table = np.where((seated < 0)[:, None], -1, self.by_unit[seated] if len(self.by_unit) else -1)
        places = torch.from_numpy(table.ravel())
        held = places >= 0
        found = []
        for tensor, kind in zip(self.tensors, self.kinds, strict=True):
            if len(tensor):
                rows = tensor[places.clamp(min=0)].to(kind)
                rows[~held] = 0
            else:
                rows = torch.zeros((len(places), *tensor.shape[1:]), dtype=kind)
            found.append(rows)
        return found, held


def _tensor(rows: Any) -> Tensor:  # noqa: ANN401 - a tensor or an array
    if isinstance(rows, np.ndarray):
        if rows.dtype.kind not in "biuf":
            raise InvalidParameter(f"data must hold numbers, got an array of {rows.dtype}: convert it first")
        rows = torch.from_numpy(np.ascontiguousarray(rows))
    if not isinstance(rows, Tensor) or rows.ndim == 0:
        raise InvalidParameter(DATA)
    if rows.is_complex() or rows.layout != torch.strided or rows.device.type != "cpu":
        raise InvalidParameter("data must be dense tensors of real numbers on the CPU: convert them first")
    return rows.detach()
