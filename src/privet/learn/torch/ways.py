"""Ways to the gradients of each unit: layer by layer where all layers are known, else row by row."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from privet.learn.torch.chance import drawn_from, seed_of_pass
from privet.learn.torch.network import Batch, Network
from privet.learn.torch.recording import Recorder
from privet.learn.torch.unit_gradients import DenseGradients, Place, UnitGradients


class Way(ABC):
    """How gradients are found.

    Privacy: what is found for a unit follows from its own rows and from the parameters. Where rows share a pass, a
        rehearsal has shown it on invented rows, to the last bit.
    """

    name: ClassVar[str]
    alone: ClassVar[bool] = False
    """Whether rows never share a pass."""

    @abstractmethod
    def gradients(self, batch: Batch, held: Tensor, units: int) -> list[UnitGradients]:
        """The gradients of all parameters, for each unit.

        Args:
            batch: rows, those of a unit next to each other.
            held: which places of the batch hold a row; the others are filled up with zeros and add nothing.
            units: how many units they belong to.
        """


@dataclass(frozen=True)
class LayerByLayer(Way):
    """One pass forward and one backward, for all rows together, without any gradient of a row alone."""

    network: Network
    recorder: Recorder
    name: ClassVar[str] = "layer by layer"

    @classmethod
    def of(cls, network: Network) -> "LayerByLayer":
        """Raises `NotRecordable` where a layer is not known."""
        return cls(network, Recorder.of(network.model, network.places))

    def gradients(self, batch: Batch, held: Tensor, units: int) -> list[UnitGradients]:
        """Of the recorded layers."""
        with self.recorder.recording() as record:
            losses = self.network.losses(batch)
            record.refuse(len(losses), self.network.model)
            return record.gradients(torch.where(held, losses, 0).sum(), units)


@dataclass(frozen=True)
class Vectorised(Way):
    """Every row's own gradient of all parameters, computed for many rows at once by `torch.func`."""

    network: Network
    name: ClassVar[str] = "row by row, vectorised"

    def gradients(self, batch: Batch, held: Tensor, units: int) -> list[UnitGradients]:
        """One gradient of everything a row."""
        trained = {name: each.detach() for name, each in self.network.trained.items()}

        def loss(parameters: dict[str, Tensor], *row: Tensor) -> Tensor:
            return self.network.losses([each[None] for each in row], parameters)[0]

        axes = (None, *[0] * len(batch))
        found = torch.func.vmap(torch.func.grad(loss), in_dims=axes, randomness="different")(trained, *batch)
        return [
            _summed(self.network.places.starts[id(each)], found[name], held, units)
            for name, each in self.network.trained.items()
        ]


@dataclass(frozen=True)
class OneByOne(Way):
    """Every row by itself, forward and backward."""

    network: Network
    name: ClassVar[str] = "row by row"
    alone: ClassVar[bool] = True

    def gradients(self, batch: Batch, held: Tensor, units: int) -> list[UnitGradients]:
        """One gradient of everything a row; each lies at the beginning of its own memory, and has its own draws."""
        trained, seed = list(self.network.trained.values()), seed_of_pass()
        found: list[list[Tensor]] = [[] for _ in trained]
        for row, there in enumerate(held.tolist()):
            with drawn_from(seed + row):
                own = [each[row : row + 1].clone() for each in batch]
                slopes = self._slopes(own) if there else [None] * len(trained)
            for kept, parameter, slope in zip(found, trained, slopes, strict=True):
                kept.append(torch.zeros_like(parameter) if slope is None else slope)
        starts = self.network.places.starts
        return [
            _summed(starts[id(each)], torch.stack(kept), held, units) for each, kept in zip(trained, found, strict=True)
        ]

    def _slopes(self, row: Batch) -> tuple[Tensor | None, ...]:
        loss = self.network.losses(row)[0]
        return torch.autograd.grad(loss, list(self.network.trained.values()), allow_unused=True)


def _summed(start: int, each: Tensor, held: Tensor, units: int) -> UnitGradients:
    """Rows of one parameter, added up by unit."""
    flat = torch.where(held[:, None], each.detach().flatten(1), 0)
    by_unit = flat.reshape(units, -1, flat.shape[1])
    return DenseGradients(Place(start, flat.shape[1]), by_unit[:, 0] if by_unit.shape[1] == 1 else by_unit.sum(1))
