"""Attention as linear layers whose gradients are known: what `nn.MultiheadAttention` computes, recorded."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from privet.learn.torch.layers import Layer, Places, linear

Keep = Callable[[Layer, Tensor, Tensor], None]
Forward = Callable[..., tuple[Tensor, Tensor | None]]


def is_known(module: nn.Module) -> bool:
    """Whether a module is attention that can be taken apart: batches first, no keys of its own."""
    return (
        type(module) is nn.MultiheadAttention
        and module.batch_first
        and module.bias_k is None
        and module.bias_v is None
        and not module.add_zero_attn
    )


def parts_of(module: Any, places: Places) -> list[Layer | None]:  # noqa: ANN401 - nn.MultiheadAttention
    """The layers of queries, keys, values, of all three at once, and of the result."""
    size = module.embed_dim
    ends = [(0, size), (size, 2 * size), (2 * size, 3 * size), (0, 3 * size)]
    shared = module.in_proj_weight
    own = (module.q_proj_weight, module.k_proj_weight, module.v_proj_weight, None)
    found: list[Layer | None] = []
    for (first, last), single in zip(ends, own, strict=True):
        weight = places.of_rows(shared, first, last) if shared is not None else places.of_rows(single)
        bias = places.of_rows(module.in_proj_bias, first, last)
        found.append(None if weight is None and bias is None else linear(weight, bias))
    weight, bias = places.of_rows(module.out_proj.weight), places.of_rows(module.out_proj.bias)
    return [*found, None if weight is None and bias is None else linear(weight, bias)]


def attention(module: Any, layers: list[Layer | None], keep: Keep) -> Forward:  # noqa: ANN401 - nn.MultiheadAttention
    """What stands in for the module's `forward`: the same function, which tells `keep` of its linear layers."""

    def applied(number: int, inputs: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        outputs = functional.linear(inputs, weight, bias)
        layer = layers[number]
        if layer is not None:
            keep(layer, inputs, outputs)
        return outputs

    def projected(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, ...]:
        shared, bias = module.in_proj_weight, module.in_proj_bias
        if shared is not None and query is key and key is value:
            return applied(3, query, shared, bias).chunk(3, dim=-1)
        own = (module.q_proj_weight, module.k_proj_weight, module.v_proj_weight)
        weights = own if shared is None else shared.chunk(3)
        biases = (None, None, None) if bias is None else bias.chunk(3)
        given = enumerate(zip((query, key, value), weights, biases, strict=True))
        return tuple(applied(number, *each) for number, each in given)

    def forward(  # noqa: PLR0913, PLR0917 - as the module's own
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,  # noqa: FBT001, FBT002 - as the module's own
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,  # noqa: FBT001, FBT002 - as the module's own
        is_causal: bool = False,  # noqa: ARG001, FBT001, FBT002 - a hint beside attn_mask
    ) -> tuple[Tensor, Tensor | None]:
        rows, heads = len(query), module.num_heads
        asked, known, told = (
            each.reshape(rows, each.shape[1], heads, module.head_dim).transpose(1, 2)
            for each in projected(query, key, value)
        )
        scores = asked / math.sqrt(module.head_dim) @ known.mT
        for mask in (
            _of_heads(attn_mask, rows, heads),
            None if key_padding_mask is None else key_padding_mask[:, None, None],
        ):
            if mask is not None:
                scores = scores.masked_fill(mask, -math.inf) if mask.dtype == torch.bool else scores + mask
        weights = functional.dropout(scores.softmax(-1), module.dropout, module.training)
        joined = (weights @ told).transpose(1, 2).flatten(2)
        outputs = applied(4, joined, module.out_proj.weight, module.out_proj.bias)
        if not need_weights:
            return outputs, None
        return outputs, weights.mean(1) if average_attn_weights else weights

    return forward


def _of_heads(mask: Tensor | None, rows: int, heads: int) -> Tensor | None:
    """A mask of places, or of rows times heads times places, as it is added to [row, head, place, place]."""
    if mask is None or mask.ndim == 2:  # noqa: PLR2004 - places times places
        return mask
    return mask.reshape(rows, heads, *mask.shape[1:])
