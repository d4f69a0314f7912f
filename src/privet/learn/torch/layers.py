"""Layers whose gradients are known for each unit without computing them one by one, a function for each kind.

Each takes what came into the layer and the slope of the summed losses at what came out, both with the rows of a batch
in the first dimension, and how many units these are the rows of; a unit's rows stand next to each other.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch
from torch import Tensor, nn
from torch.nn import functional

from privet.learn.torch.unit_gradients import DenseGradients, Place, TokenGradients, UnitGradients, product_gradients

Layer: TypeAlias = Callable[[Tensor, Tensor, int], Iterator[UnitGradients]]
NORMS = (nn.LayerNorm, nn.GroupNorm, nn.InstanceNorm1d, nn.InstanceNorm2d, nn.InstanceNorm3d, nn.RMSNorm)
CONVOLUTIONS = (nn.Conv1d, nn.Conv2d, nn.Conv3d)


@dataclass(frozen=True)
class Places:
    """Where each trained parameter lies in the flat vector of all.

    Args:
        starts: by the parameter's id.
        size: of the vector.
    """

    starts: Mapping[int, int]
    size: int

    @classmethod
    def of(cls, parameters: list[nn.Parameter]) -> "Places":
        """One after the other."""
        starts, size = {}, 0
        for each in parameters:
            starts[id(each)] = size
            size += each.numel()
        return cls(starts, size)

    def of_rows(self, parameter: Tensor | None, first: int = 0, last: int | None = None) -> Place | None:
        """The place of a parameter, or of some of its rows; None if it is not trained."""
        if parameter is None or id(parameter) not in self.starts:
            return None
        width = parameter[0].numel()
        end = len(parameter) if last is None else last
        return Place(self.starts[id(parameter)] + first * width, (end - first) * width)


def layer_of(module: nn.Module, places: Places) -> Layer | None:
    """The gradients of a module of a known kind; None for others, and for subclasses, which compute anything."""
    kind = type(module)
    weight, bias = places.of_rows(_parameter(module, "weight")), places.of_rows(_parameter(module, "bias"))
    if kind is nn.Linear:
        return linear(weight, bias)
    if kind in CONVOLUTIONS:
        return _convolution(module, weight, bias)
    if kind is nn.Embedding and _is_plain_table(module):
        return _embedding(module, weight)
    if kind in NORMS and not getattr(module, "track_running_stats", False):
        return _scaled(module, weight, bias)
    return None


def linear(weight: Place | None, bias: Place | None) -> Layer:
    """W x + b, of rows or of sequences."""

    def gradients(inputs: Tensor, deltas: Tensor, units: int) -> Iterator[UnitGradients]:
        held, slopes = _by_unit(inputs, units), _by_unit(deltas, units)
        if bias is not None:
            yield DenseGradients(bias, slopes.sum(1))
        if weight is not None:
            yield product_gradients(weight, held, slopes)

    return gradients


def _convolution(module: Any, weight: Place | None, bias: Place | None) -> Layer:  # noqa: ANN401 - one of three classes
    """Each place of the result is a linear function of a patch, the same for all places of a group."""

    def gradients(inputs: Tensor, deltas: Tensor, units: int) -> Iterator[UnitGradients]:
        slopes = deltas.flatten(2)  # [row, output, place]
        if bias is not None:
            yield DenseGradients(bias, slopes.sum(2).reshape(units, -1, module.out_channels).sum(1))
        if weight is None:
            return
        columns, groups, rows = _columns(module, inputs), module.groups, len(inputs)
        if groups == 1:
            yield product_gradients(weight, _by_unit(columns.mT, units), _by_unit(slopes.mT, units))
            return
        parted = columns.reshape(rows, groups, -1, columns.shape[2])
        each = slopes.reshape(rows, groups, -1, slopes.shape[2]) @ parted.mT  # [row, group, output, channel × cell]
        yield DenseGradients(weight, each.reshape(units, -1, weight.size).sum(1))

    return gradients


def _columns(module: Any, inputs: Tensor) -> Tensor:  # noqa: ANN401 - one of three classes
    """What each place of a convolution's result sees: [row, channel × cell, place]."""
    mode = "constant" if module.padding_mode == "zeros" else module.padding_mode
    seen = functional.pad(inputs, list(module._reversed_padding_repeated_twice), mode=mode)  # noqa: SLF001 - as its forward does
    if isinstance(module, nn.Conv2d):
        return functional.unfold(seen, module.kernel_size, module.dilation, stride=module.stride)
    for axis, (size, step, apart) in enumerate(zip(module.kernel_size, module.stride, module.dilation, strict=True)):
        seen = seen.unfold(2 + axis, apart * (size - 1) + 1, step)[..., ::apart]
    axes = len(module.kernel_size)
    return seen.flatten(2, 1 + axes).flatten(3).transpose(2, 3).flatten(1, 2)


def _embedding(module: Any, weight: Place | None) -> Layer:  # noqa: ANN401 - nn.Embedding
    """A table that is looked up."""

    def gradients(inputs: Tensor, deltas: Tensor, units: int) -> Iterator[UnitGradients]:
        if weight is None:
            return
        tokens, slopes = inputs.reshape(units, -1), _by_unit(deltas.reshape(*inputs.shape, -1), units)
        if module.padding_idx is not None:
            slopes = torch.where((tokens == module.padding_idx)[:, :, None], 0, slopes)
        yield TokenGradients(weight, tokens, slopes.reshape(units, tokens.shape[1], -1))

    return gradients


def _is_plain_table(module: Any) -> bool:  # noqa: ANN401 - nn.Embedding
    """Whether the gradient of each row is its own: counts of a batch, and what lookups change, are others'."""
    return module.max_norm is None and not module.scale_grad_by_freq and not module.sparse


def _scaled(module: Any, weight: Place | None, bias: Place | None) -> Layer:  # noqa: ANN401 - one of NORMS
    """Each number is scaled and moved after the numbers of its own row have been normed."""
    last = len(module.normalized_shape) if hasattr(module, "normalized_shape") else 0

    def gradients(inputs: Tensor, deltas: Tensor, units: int) -> Iterator[UnitGradients]:
        for place, numbers in ((weight, deltas * _normed(module, inputs)), (bias, deltas)):
            if place is None:
                continue
            each = (
                numbers.reshape(units, -1, place.size)
                if last
                else numbers.flatten(2).sum(2).reshape(units, -1, place.size)
            )
            yield DenseGradients(place, each.sum(1))

    return gradients


def _normed(module: Any, inputs: Tensor) -> Tensor:  # noqa: ANN401 - one of NORMS
    """What a norm makes of its inputs before scaling."""
    if isinstance(module, nn.LayerNorm):
        return functional.layer_norm(inputs, list(module.normalized_shape), None, None, module.eps)
    if isinstance(module, nn.RMSNorm):
        return functional.rms_norm(inputs, list(module.normalized_shape), None, module.eps)
    if isinstance(module, nn.GroupNorm):
        return functional.group_norm(inputs, module.num_groups, None, None, module.eps)
    return functional.instance_norm(inputs, eps=module.eps)


def _parameter(module: nn.Module, name: str) -> Tensor | None:
    found = getattr(module, name, None)
    return found if isinstance(found, nn.Parameter) else None


def _by_unit(numbers: Tensor, units: int) -> Tensor:
    """[unit, place, number] of [row, …, number]."""
    return numbers.reshape(units, -1, numbers.shape[-1])
