"""Recording: what comes into each layer and which slope comes back, in one pass through the user's network."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.graph import GradientEdge, get_gradient_edge

from privet.learn.torch.attention import attention, is_known, parts_of
from privet.learn.torch.layers import Layer, Places, layer_of
from privet.learn.torch.unit_gradients import UnitGradients


class NotRecordable(Exception):  # noqa: N818 - what is found out about a network, and never leaves this room
    """This network's gradients cannot be told apart layer by layer; the text says why."""


@dataclass
class Recorded:
    """One run of one layer."""

    layer: Layer
    inputs: Tensor = field(repr=False)
    version: int
    outputs: GradientEdge = field(repr=False)
    shape: torch.Size


@dataclass
class Recording:
    """Everything that was recorded in one pass, in its order."""

    runs: list[Recorded] = field(default_factory=list)

    def keep(self, layer: Layer, inputs: Tensor, outputs: Tensor) -> None:
        """Remember a run: the slope is that of the outputs as they are now, whatever is done to them in place later."""
        if outputs.requires_grad:
            held = inputs.detach()
            self.runs.append(Recorded(layer, held, inputs._version, get_gradient_edge(outputs), outputs.shape))  # noqa: SLF001 - counts changes in place

    def gradients(self, total: Tensor, units: int) -> list[UnitGradients]:
        """The gradients of each unit, from the slopes of the summed losses."""
        edges = [each.outputs for each in self.runs]
        if not edges:
            raise NotRecordable("none of its layers ran")
        slopes = torch.autograd.grad(total, edges, allow_unused=True)
        if len(self.runs) > len(edges):
            raise NotRecordable("layers ran again while slopes were computed, as checkpoints do")
        found: list[UnitGradients] = []
        for each, slope in zip(self.runs, slopes, strict=True):
            if slope is not None:
                if each.inputs._version != each.version:  # noqa: SLF001 - the same
                    raise NotRecordable("what came into a layer is changed in place afterwards")
                found.extend(each.layer(each.inputs, slope, units))
        return found

    def refuse(self, rows: int, model: nn.Module) -> None:
        """Raise if the runs are not one of each layer, on tensors that have the batch in the first dimension."""
        if len({id(each.layer) for each in self.runs}) < len(self.runs):
            raise NotRecordable("a layer is used twice")
        for each in self.runs:
            if each.inputs.shape[0] != rows or each.shape[0] != rows:
                raise NotRecordable(
                    f"a layer of {type(model).__name__} sees tensors whose first dimension is not the batch"
                )


@dataclass(frozen=True)
class Recorder:
    """A network whose trained parameters all belong to layers that are known.

    Args:
        model: the network.
        layers: those of its modules that are known by their kind.
        attentions: those that are taken apart.
    """

    model: nn.Module
    layers: Mapping[nn.Module, Layer]
    attentions: Mapping[nn.Module, list[Layer | None]]

    @classmethod
    def of(cls, model: nn.Module, places: Places) -> "Recorder":
        """Look at every module; raises `NotRecordable` where a trained parameter belongs to none that is known."""
        layers: dict[nn.Module, Layer] = {}
        attentions: dict[nn.Module, list[Layer | None]] = {}
        met: set[int] = set()
        skipped: set[nn.Module] = set()
        for module in model.modules():
            trained = [each for each in module.parameters(recurse=False) if id(each) in places.starts]
            if is_known(module):
                attentions[module] = parts_of(module, places)
                skipped.add(module.out_proj)  # type: ignore[arg-type] # a module
                trained += [each for each in module.out_proj.parameters() if id(each) in places.starts]  # type: ignore[union-attr] # the same
            elif module in skipped or not trained:
                continue
            elif (layer := layer_of(module, places)) is not None:
                layers[module] = layer
            else:
                raise NotRecordable(f"{type(module).__name__} is a layer of a kind that is not known")
            if met & {id(each) for each in trained}:
                raise NotRecordable("layers share a parameter")
            met |= {id(each) for each in trained}
        return cls(model, layers, attentions)

    @contextmanager
    def recording(self) -> Iterator[Recording]:
        """Record whatever runs meanwhile."""
        record = Recording()
        with ExitStack() as stack:
            for module, layer in self.layers.items():
                handle = module.register_forward_hook(partial(_keep, record, layer), with_kwargs=True)
                stack.callback(handle.remove)
            for module, parts in self.attentions.items():
                stack.enter_context(_replaced(module, attention(module, parts, record.keep)))
            yield record


def _keep(record: Recording, layer: Layer, *called: Any, **_: Any) -> None:  # noqa: ANN401 - as a hook is called
    """A hook: what came in is the first argument, or the one called input."""
    _, args, named, outputs = called
    record.keep(layer, args[0] if args else named["input"], outputs)


@contextmanager
def _replaced(module: nn.Module, forward: Callable[..., Any]) -> Iterator[None]:
    """Let a module run by another function for a while."""
    before = vars(module).get("forward")
    module.forward = forward
    try:
        yield
    finally:
        del module.forward
        if before is not None:
            module.forward = before
