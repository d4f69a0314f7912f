"""Networks of a few parameters, one for each kind of layer, and rows that nobody has."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from privet.learn.torch.network import Network


def curved(outputs: Tensor, target: Tensor) -> Tensor:
    """A loss of any outputs, whose slope is another one at every number."""
    flat = outputs.flatten(1)
    weights = torch.linspace(-1, 2, flat.shape[1], dtype=flat.dtype)
    return torch.tanh(flat * weights).sum(1) + (flat * weights).square().mean(1) + target


class Applied(nn.Module):
    """A module that is called in a way of its own."""

    def __init__(self, module: nn.Module, how: Callable[[Any, Tensor], Tensor]) -> None:
        super().__init__()
        self.module = module
        self.how = how

    def forward(self, inputs: Tensor) -> Tensor:
        return self.how(self.module, inputs)


def itself(module: Any, inputs: Tensor) -> Tensor:  # noqa: ANN401 - attention
    found: Tensor = module(inputs, inputs, inputs, need_weights=False)[0]
    return found


def masked(module: Any, inputs: Tensor) -> Tensor:  # noqa: ANN401 - attention
    places = inputs.shape[1]
    later = torch.ones(places, places, dtype=torch.bool).triu(1)
    absent = torch.zeros(inputs.shape[:2], dtype=torch.bool)
    absent[:, -1] = True
    found, weights = module(inputs, inputs, inputs * 2, attn_mask=later, key_padding_mask=absent)
    return torch.cat((found.flatten(1), weights.flatten(1)), 1)


def crossed(module: Any, inputs: Tensor) -> Tensor:  # noqa: ANN401 - attention
    found, weights = module(inputs, inputs[..., :3], inputs[:, :, 1:3], average_attn_weights=False)
    return torch.cat((found.flatten(1), weights.flatten(1)), 1)


def decoded(module: Any, inputs: Tensor) -> Tensor:  # noqa: ANN401 - a decoder
    found: Tensor = module(
        inputs, inputs * 2 + 1, tgt_mask=nn.Transformer.generate_square_subsequent_mask(inputs.shape[1])
    )
    return found


@dataclass(frozen=True)
class Case:
    """A network, and the shape of its rows."""

    name: str
    make: Callable[[], nn.Module]
    shape: tuple[int, ...]
    tokens: int = 0

    def network(self, *, double: bool = False) -> Network:
        torch.manual_seed(5)
        model = self.make()
        for each in model.parameters():
            nn.init.normal_(each, std=0.5)
        if double:
            model.double()
        return Network.of(model, curved, torch.optim.SGD(model.parameters(), lr=0.1))

    def rows(self, count: int, seed: int = 7) -> list[Tensor]:
        drawn = torch.Generator().manual_seed(seed)
        shape = (count, *self.shape)
        sizes = torch.logspace(-2, 2, count).reshape(-1, *[1] * len(self.shape))  # some are clipped and some are not
        inputs = (
            torch.randint(0, self.tokens, shape, generator=drawn)
            if self.tokens
            else torch.randn(shape, generator=drawn) * sizes
        )
        return [inputs, torch.rand(count, generator=drawn)]

    def __str__(self) -> str:
        return self.name


def frozen() -> nn.Module:
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
    model[0].weight.requires_grad_(False)  # noqa: FBT003 - torch's own
    return model


KNOWN = [
    Case("rows", lambda: nn.Linear(5, 3), (5,)),
    Case("sequences", lambda: nn.Linear(5, 3), (4, 5)),
    Case("long sequences", lambda: nn.Linear(40, 40, bias=False), (2, 40)),
    Case("sequences of sequences", lambda: nn.Linear(3, 2), (2, 3, 3)),
    Case(
        "several layers",
        lambda: nn.Sequential(nn.Linear(5, 4), nn.ReLU(inplace=True), nn.Dropout(0.5), nn.Linear(4, 2)),
        (5,),
    ),
    Case("frozen weights", frozen, (3,)),
    Case("conv1d", lambda: nn.Conv1d(2, 3, 3, stride=2, padding=1), (2, 7)),
    Case("conv2d", lambda: nn.Conv2d(2, 4, (2, 3), stride=(1, 2), padding=(1, 0), dilation=(2, 1)), (2, 5, 6)),
    Case("conv2d in groups", lambda: nn.Conv2d(4, 6, 2, groups=2, padding="same", padding_mode="reflect"), (4, 4, 4)),
    Case(
        "conv2d by channels",
        lambda: nn.Conv2d(3, 3, 3, groups=3, bias=False, padding=1, padding_mode="circular"),
        (3, 4, 4),
    ),
    Case("conv2d with few places", lambda: nn.Conv2d(40, 40, 3), (40, 3, 4)),
    Case("conv3d", lambda: nn.Conv3d(1, 2, 2, stride=2, dilation=1), (1, 4, 3, 4)),
    Case("tokens", lambda: nn.Embedding(4, 3, padding_idx=1), (6,), 4),
    Case("layer norm", lambda: nn.LayerNorm(5), (3, 5)),
    Case("layer norm of tables", lambda: nn.LayerNorm([3, 5], bias=False), (3, 5)),
    Case("group norm", lambda: nn.GroupNorm(2, 4), (4, 3, 3)),
    Case("instance norm", lambda: nn.InstanceNorm2d(3, affine=True), (3, 4, 4)),
    Case("rms norm", lambda: nn.RMSNorm(5), (3, 5)),
    Case("attention", lambda: Applied(nn.MultiheadAttention(6, 2, batch_first=True), itself), (3, 6)),
    Case(
        "masked attention", lambda: Applied(nn.MultiheadAttention(6, 3, batch_first=True, dropout=0.2), masked), (3, 6)
    ),
    Case(
        "crossed attention",
        lambda: Applied(nn.MultiheadAttention(6, 2, batch_first=True, kdim=3, vdim=2, bias=False), crossed),
        (4, 6),
    ),
    Case("encoder", lambda: nn.TransformerEncoderLayer(4, 2, 5, batch_first=True), (3, 4)),
    Case("decoder", lambda: Applied(nn.TransformerDecoderLayer(4, 2, 5, batch_first=True), decoded), (3, 4)),
]


class Twice(nn.Module):
    """A layer that is used twice."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, inputs: Tensor) -> Tensor:
        found: Tensor = self.layer(torch.tanh(self.layer(inputs)))
        return found


class Tied(nn.Module):
    """Two layers with one weight."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(4, 4), nn.Linear(4, 4)
        self.last.weight = self.first.weight

    def forward(self, inputs: Tensor) -> Tensor:
        found: Tensor = self.last(torch.tanh(self.first(inputs)))
        return found


class Besides(nn.Module):
    """A weight that is used outside of its layer too."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, inputs: Tensor) -> Tensor:
        found: Tensor = self.layer(inputs) + inputs @ self.layer.weight.T
        return found


class Own(nn.Module):
    """A parameter of the network's own."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.scale = nn.Linear(4, 2), nn.Parameter(torch.ones(4))

    def forward(self, inputs: Tensor) -> Tensor:
        found: Tensor = self.layer(inputs * self.scale)
        return found


class Changed(nn.Module):
    """What came into a layer is changed in place afterwards."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, inputs: Tensor) -> Tensor:
        held = self.first(inputs) * 1
        found: Tensor = self.last(held)
        with torch.no_grad():
            held.mul_(2)
        return found


class Folded(nn.Module):
    """Rows and places in one dimension."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 2)

    def forward(self, inputs: Tensor) -> Tensor:
        found: Tensor = self.layer(inputs.reshape(-1, 4)).reshape(len(inputs), -1)
        return found


class Recurrent(nn.Module):
    """A layer whose kernels work on several rows at a time."""

    def __init__(self) -> None:
        super().__init__()
        self.cells, self.last = nn.LSTM(4, 3, batch_first=True), nn.Linear(3, 2)

    def forward(self, inputs: Tensor) -> Tensor:
        found: Tensor = self.last(self.cells(inputs)[0][:, -1])
        return found


UNKNOWN = [
    (Case("used twice", Twice, (4,)), "a layer is used twice"),
    (Case("tied weights", Tied, (4,)), "layers share a parameter"),
    (Case("used besides", Besides, (4,)), "other ways than by its layer"),
    (Case("a parameter of its own", Own, (4,)), "Own is a layer of a kind that is not known"),
    (Case("changed in place", Changed, (4,)), "changed in place"),
    (Case("folded", Folded, (3, 4)), "first dimension is not the batch"),
]
RECURRENT = Case("recurrent", Recurrent, (3, 4))
