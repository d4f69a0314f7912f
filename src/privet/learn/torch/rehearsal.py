"""Rehearsal: a network's gradients on invented rows, before anything is paid for or read."""

import math
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from privet.errors import InvalidParameter
from privet.learn.torch.clipped_sum import clipped_sum
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
Shapes = Sequence[tuple[tuple[int, ...], torch.dtype]]


@dataclass(frozen=True)
class Found:
    """The way that was found.

    Args:
        way: to the gradients.
        reasons: why not a faster one, in words.
    """

    way: Way
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Rehearsal:
    """A network that is looked at with rows that nobody has.

    Args:
        network: the network.
        shapes: of one row of each part of a batch, and its type.
        units: how many a physical batch has.
        rows: of each unit.

    Privacy: nothing private is read. It refuses what can be seen to break the bound on a unit, on invented rows and in
        the very shapes that private ones will have: losses that depend on other rows, buffers that rows change.
    Not covered: a network that does so for some rows only, and not for invented ones.
    """

    network: Network
    shapes: Shapes
    units: int
    rows: int

    def find(self) -> Found:
        """The fastest way that passes; raises `InvalidParameter` if none can."""
        with _own_seeds(), self.network.training(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as those of slow ways, which are tried
            first = self._batch(1)
            second = self._mixed(first, self._batch(2))
            empty = self._mixed(first, [torch.zeros_like(each) for each in first])
            self._refuse_changes(first)
            self._refuse_mixing(first, second)
            reasons: list[str] = []
            for make in (LayerByLayer.of, Vectorised):
                try:
                    way = make(self.network)
                    self._try(way, first, second, empty)
                except NotRecordable as reason:
                    reasons.append(str(reason))
                except Exception as problem:  # noqa: BLE001 - whatever torch says to a network it cannot do this with
                    reasons.append(f"{type(problem).__name__}: {str(problem).splitlines()[0] if str(problem) else ''}")
                else:
                    return Found(way, tuple(reasons))
            return Found(self._alone(first), tuple(reasons))

    def _alone(self, batch: Batch) -> Way:
        way = OneByOne(self.network)
        try:
            way.gradients([each[: self.rows] for each in batch], self._held(1), 1)
        except Exception as problem:
            raise InvalidParameter(
                f"torch finds no gradients for this network: {type(problem).__name__}: {problem}"
            ) from problem
        return way

    # --- invented rows ----------------------------------------------------------------------------------------

    def _batch(self, seed: int) -> list[Tensor]:
        count = self.units * self.rows
        last = len(self.shapes) - 1
        return [
            _invented((count, *shape), kind, seed * 1000 + at, target=at == last)
            for at, (shape, kind) in enumerate(self.shapes)
        ]

    def _mixed(self, first: Batch, second: Batch) -> list[Tensor]:
        """The first half of the units as in the first, the others as in the second."""
        half = -(-self.units // 2) * self.rows
        return [torch.cat((one[:half], other[half:])) for one, other in zip(first, second, strict=True)]

    def _held(self, units: int) -> Tensor:
        return torch.ones(units * self.rows, dtype=torch.bool)

    # --- what is looked at ------------------------------------------------------------------------------------

    def _refuse_changes(self, batch: Batch) -> None:
        """Raise if the loss cannot be computed, is not one a row, or leaves something in the network."""
        model = self.network.model
        before = {name: each.detach().clone() for name, each in model.named_buffers()}
        try:
            losses = self._losses(batch)
        except InvalidParameter:
            raise
        except Exception as problem:
            raise InvalidParameter(
                "the network or the loss fails on invented rows of the shapes and types of the data: "
                f"{type(problem).__name__}: {problem}"
            ) from problem
        changed = [name for name, each in model.named_buffers() if name not in before or not _same(each, before[name])]
        if changed:
            with torch.no_grad():
                for name, each in model.named_buffers():
                    each.copy_(before.get(name, each))
            raise InvalidParameter(
                f"the buffer {changed[0]!r} is changed by the rows that pass, and would leave with the model as it is: "
                "replace what keeps it, as batch norm by nn.GroupNorm"
            )
        if losses.dtype not in {torch.float32, torch.float64}:
            raise InvalidParameter(f"losses must be of float32 or float64, got {losses.dtype}: train without autocast")
        if not losses.requires_grad:
            raise InvalidParameter("the loss does not depend on any parameter that the optimizer moves")

    def _refuse_mixing(self, first: Batch, second: Batch) -> None:
        half = -(-self.units // 2) * self.rows
        one, other = self._losses(first)[:half], self._losses(second)[:half]
        if not torch.allclose(one, other, rtol=NEAR, atol=NEAR * float(one.detach().abs().mean()), equal_nan=True):
            raise InvalidParameter(MIXES)

    def _losses(self, batch: Batch) -> Tensor:
        torch.manual_seed(0)
        return self.network.losses(batch)

    def _try(self, way: Way, batch: Batch, *changed: Batch) -> None:
        """Raise unless gradients are those of autograd, and stay the same, to the last bit, when other rows change."""
        if isinstance(way, LayerByLayer):
            self._compare(way, batch)
        half = -(-self.units // 2)
        found = self._gradients(way, batch)
        for other in changed:
            _refuse_bits(found, self._gradients(way, other), slice(0, half))

    def _gradients(self, way: Way, batch: Batch) -> list[UnitGradients]:
        torch.manual_seed(0)
        return way.gradients(batch, self._held(self.units), self.units)

    def _compare(self, way: Way, batch: Batch) -> None:
        """Raise unless two units' gradients are what autograd finds, in all parameters and in their length."""
        model, trained = self.network.model, list(self.network.trained.values())
        model.eval()
        found = self._gradients(way, batch)
        for unit in {0, self.units - 1}:
            own = self._losses(batch)[unit * self.rows : (unit + 1) * self.rows].sum()
            slopes = torch.autograd.grad(own, trained, allow_unused=True)
            wanted = torch.cat([_flat(each, slope) for each, slope in zip(trained, slopes, strict=True)])
            length = float(wanted.norm())
            clip = 4 * length or 1.0
            only = torch.arange(self.units) == unit
            steps = clipped_sum(found, clip, only, self.network.places.size)
            off = float((torch.from_numpy(steps.astype(np.float64)) * (clip / REACH) - wanted).norm())
            if not off <= AGREES * length + 1e-12:
                raise NotRecordable("a parameter is used in other ways than by its layer")
        self.network.set_modes()


def _flat(parameter: Tensor, slope: Tensor | None) -> Tensor:
    return (torch.zeros_like(parameter) if slope is None else slope).flatten().double()


def _refuse_bits(one: list[UnitGradients], other: list[UnitGradients], units: slice) -> None:
    """Raise unless all that a sum follows from is the same to the last bit, for these units."""
    for mine, theirs in zip(one, other, strict=True):
        for trace, again in zip(mine.traces(), theirs.traces(), strict=True):
            if not _same(trace[units], again[units]):
                raise NotRecordable(LAST_BITS)


def _same(one: Tensor, other: Tensor) -> bool:
    """To the last bit."""
    return torch.equal(torch.nan_to_num(one), torch.nan_to_num(other))


def _invented(shape: tuple[int, ...], kind: torch.dtype, seed: int, *, target: bool) -> Tensor:
    """Numbers that nobody has and that look like chance: a target between 0 and 1, a whole number 0 or 1."""
    places = torch.arange(math.prod(shape), dtype=torch.float64).reshape(shape)
    shares = (torch.sin(places * 12.9898 + seed * 78.233) * 43758.5453).frac().abs()
    if kind.is_floating_point:
        return (shares if target else (shares - 0.5) * 4).to(kind)
    return (shares < 0.5).to(kind)  # noqa: PLR2004 - a half


@contextmanager
def _own_seeds() -> Iterator[None]:
    """Let dropout be drawn again and again from one seed, and the caller's go on where it was."""
    before = torch.get_rng_state()
    try:
        yield
    finally:
        torch.set_rng_state(before)
