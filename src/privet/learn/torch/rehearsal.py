"""Rehearsal: a network's gradients on invented rows, before anything is paid for or read."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from privet.errors import InvalidParameter
from privet.learn.torch.asked_values import asked_values
from privet.learn.torch.chance import drawn_from
from privet.learn.torch.clipped_sum import clipped_sum
from privet.learn.torch.invented_rows import InventedRows
from privet.learn.torch.kept_state import KeptState
from privet.learn.torch.network import Batch, Network
from privet.learn.torch.recording import NotRecordable
from privet.learn.torch.unit_gradients import REACH, UnitGradients
from privet.learn.torch.ways import LayerByLayer, OneByOne, Vectorised, Way

NEAR = 1e-3  # by how much losses may differ where only their last bits do
AGREES = 0.02  # as above, of gradients whose inputs were rounded to 12 bits
MIXES = (
    "this network mixes the rows of a batch: what it returns for one row changes with the others, so no gradient is "
    "one person's alone; replace what does it, batch norm by nn.GroupNorm, means over the batch by means within a row"
)
LAST_BITS = "the last bits of a row's gradient change with the rows beside it"
REMEMBERS = (
    "this network does not make the same of a row each time: it remembers rows that passed before, or draws from "
    "another generator than torch's; let forward depend on its arguments, and draw with torch.rand"
)


@dataclass(frozen=True)
class Found:
    """The way that was found.

    Args:
        way: to the gradients.
        reasons: why not a faster one, in words.
        everywhere: whether a unit's gradients are the same to the last bit in whichever seat of a pass it sits.
    """

    way: Way
    reasons: tuple[str, ...]
    everywhere: bool


@dataclass(frozen=True)
class Rehearsal:
    """A network that is looked at with rows that nobody has.

    Args:
        network: the network.
        invented: rows in the very shapes that private ones will have.

    Privacy: nothing private is read. Rows share a pass only if all of this holds: the network asks for no value of a
        row (`AskedValues`), so it is one list of operations for all rows; and a unit's gradients stay the same to the
        last bit beside other rows, beside zeros, beside numbers far away, and beside NaN, which comes through whatever
        reads it; in front of others and behind them. Networks that keep rows that passed, in parameters, buffers or
        elsewhere, are refused.
    Not covered: operations that mix rows for some numbers alone, and hide NaN from others meanwhile; kernels of torch
        whose work on a row follows from the values of others.
    """

    network: Network
    invented: InventedRows

    def find(self) -> Found:
        """The fastest way that passes; raises `InvalidParameter` if none can."""
        with drawn_from(0), self.network.training(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as those of slow ways, which are tried
            first = self.invented.batch(1)
            self._refuse_changes(first)
            self._refuse_memory(first)
            others = self.invented.others(first)
            for units, other in others[:: len(others) // 2]:  # beside other rows that look like chance
                self._refuse_mixing(first, units, other)
            reasons: list[str] = []
            for make in (self._layer_by_layer, Vectorised):
                try:
                    way = make(self.network)
                    self._try(way, first, *others)
                except NotRecordable as reason:
                    reasons.append(str(reason))
                except Exception as problem:  # noqa: BLE001 - whatever torch says to a network it cannot do this with
                    reasons.append(f"{type(problem).__name__}: {str(problem).splitlines()[0] if str(problem) else ''}")
                else:
                    return Found(way, tuple(reasons), self._everywhere(way, first))
            return Found(self._alone(first), tuple(reasons), everywhere=True)

    def _layer_by_layer(self, network: Network) -> Way:
        batch = self.invented.batch(1)
        with asked_values(batch) as asked:
            self._losses(batch)
        if asked.operation is not None:
            raise NotRecordable(f"which way it goes may follow from the values of rows, which {asked.operation} tells")
        return LayerByLayer.of(network)

    def _alone(self, batch: Batch) -> Way:
        way, size = OneByOne(self.network), self.invented.rows
        one, other = ([each[at : at + size] for each in batch] for at in (0, size))
        pair = [torch.cat(each) for each in zip(one, other, strict=True)]
        try:
            before, _, after = (self._gradients(way, each) for each in (one, pair, one))
        except Exception as problem:
            raise InvalidParameter(
                f"torch finds no gradients for this network: {type(problem).__name__}: {problem}"
            ) from problem
        try:
            _refuse_bits(before, after, slice(0, 1))
        except NotRecordable:
            raise InvalidParameter(REMEMBERS) from None
        return way

    def _everywhere(self, way: Way, batch: Batch) -> bool:
        """Whether units that move on by one seat, by three and by half a pass take their gradients along."""
        self.network.model.eval()  # what dropout draws is of a seat
        found, rows = self._gradients(way, batch), self.invented.rows
        moved = {1, 3, self.invented.kept}
        try:
            for seats in moved:
                other = self._gradients(way, [each.roll(seats * rows, 0) for each in batch])
                _refuse_bits(found, other, slice(None), seats)
        except NotRecordable:
            return False
        finally:
            self.network.set_modes()
        return True

    # --- what is looked at ------------------------------------------------------------------------------------

    def _refuse_changes(self, batch: Batch) -> None:
        """Raise if the loss cannot be computed, is not one a row, or leaves something in a buffer."""
        model = self.network.model
        before = {name: each.detach().clone() for name, each in _tensors(model)}
        try:
            losses = self._losses(batch)
        except InvalidParameter:
            raise
        except Exception as problem:
            raise InvalidParameter(
                "the network or the loss fails on invented rows of the shapes and types of the data: "
                f"{type(problem).__name__}: {problem}"
            ) from problem
        changed = [name for name, each in _tensors(model) if name not in before or not _same(each, before[name])]
        if changed:
            with torch.no_grad():
                for name, each in _tensors(model):
                    each.copy_(before.get(name, each))
            kind = "parameter" if changed[0] in dict(model.named_parameters()) else "buffer"
            raise InvalidParameter(
                f"the {kind} {changed[0]!r} is changed by the rows that pass, and would leave with the model as it is: "
                "replace what keeps it, as batch norm by nn.GroupNorm"
            )
        if losses.dtype not in {torch.float32, torch.float64}:
            raise InvalidParameter(f"losses must be of float32 or float64, got {losses.dtype}: train without autocast")
        if not losses.requires_grad:
            raise InvalidParameter("the loss does not depend on any parameter that the optimizer moves")

    def _refuse_memory(self, batch: Batch) -> None:
        """Raise if a module holds something else after rows have passed; what the first pass prepares may stay."""
        parts = self.network.model, self.network.loss
        before = KeptState.of(*parts)
        self._losses(batch)
        name = before.changed(KeptState.of(*parts))
        if name is not None:
            raise InvalidParameter(
                f"{name!r} is changed by the rows that pass, and would leave with the model: keep nothing of rows in "
                "forward; return what you want to see, and look at public rows"
            )

    def _refuse_mixing(self, first: Batch, units: slice, second: Batch) -> None:
        """Raise if rows that stay have other losses beside other rows, in front of them or behind."""
        half = self.invented.kept * self.invented.rows
        rows = slice(half, None) if units.start else slice(0, half)
        one, other = self._losses(first)[rows], self._losses(second)[rows]
        if not torch.allclose(one, other, rtol=NEAR, atol=NEAR * float(one.detach().abs().mean()), equal_nan=True):
            raise InvalidParameter(MIXES)

    def _losses(self, batch: Batch) -> Tensor:
        with drawn_from(0):
            return self.network.losses(batch)

    def _try(self, way: Way, batch: Batch, *changed: tuple[slice, Batch]) -> None:
        """Raise unless gradients are those of autograd, and stay the same, to the last bit, when other rows change."""
        if isinstance(way, LayerByLayer):
            self._compare(way, batch)
        found = self._gradients(way, batch)
        for units, other in changed:
            try:
                beside = self._gradients(way, other)
            except NotRecordable:
                raise
            except Exception:
                if not any(each.is_floating_point() and each.isnan().any() for each in other):
                    raise
                continue  # it fails on what is no number, and so would a pass, as a whole
            _refuse_bits(found, beside, units)

    def _gradients(self, way: Way, batch: Batch) -> list[UnitGradients]:
        units = len(batch[0]) // self.invented.rows
        with drawn_from(0):
            return way.gradients(batch, torch.ones(len(batch[0]), dtype=torch.bool), units)

    def _compare(self, way: Way, batch: Batch) -> None:
        """Raise unless two units' gradients are what autograd finds, in all parameters and in their length."""
        model, trained = self.network.model, list(self.network.trained.values())
        units, rows = self.invented.units, self.invented.rows
        model.eval()
        found = self._gradients(way, batch)
        for unit in {0, units - 1}:
            own = self._losses(batch)[unit * rows : (unit + 1) * rows].sum()
            slopes = torch.autograd.grad(own, trained, allow_unused=True)
            wanted = torch.cat([_flat(each, slope) for each, slope in zip(trained, slopes, strict=True)])
            length = float(wanted.norm())
            clip = 4 * length or 1.0
            only = torch.arange(units) == unit
            steps = clipped_sum(found, clip, only, self.network.places.size)
            off = float((torch.from_numpy(steps.astype(np.float64)) * (clip / REACH) - wanted).norm())
            if not off <= AGREES * length + 1e-12:
                raise NotRecordable("a parameter is used in other ways than by its layer")
        self.network.set_modes()


def _tensors(model: nn.Module) -> Iterator[tuple[str, Tensor]]:
    """All that leaves with a network."""
    yield from model.named_parameters()
    yield from model.named_buffers()


def _flat(parameter: nn.Parameter, slope: Tensor | None) -> Tensor:
    return (torch.zeros_like(parameter) if slope is None else slope).flatten().double()


def _refuse_bits(one: list[UnitGradients], other: list[UnitGradients], units: slice, moved: int = 0) -> None:
    """Raise unless all that a sum follows from is the same to the last bit, for these units, so many seats further."""
    for mine, theirs in zip(one, other, strict=True):
        for trace, again in zip(mine.traces(), theirs.traces(), strict=True):
            if not _same(trace.roll(moved, 0)[units], again[units]):
                raise NotRecordable(LAST_BITS)


def _same(one: Tensor, other: Tensor) -> bool:
    """To the last bit."""
    return bool(((one == other) | (one.isnan() & other.isnan())).all())
