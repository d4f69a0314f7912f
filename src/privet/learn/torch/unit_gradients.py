"""UnitGradients: what each unit's gradient is in one stretch of the parameters, and exact sums of the clipped."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

import torch
from torch import Tensor

REACH = 1 << 36  # whole steps in the length that a unit's gradient is clipped to
INPUT_BITS = 12  # of the largest number that comes into a layer, for each unit
CANCELED = 2.0**-14  # of what a sum of products would be without signs: its length counts as at least this part
ROUNDED = 2.0**-52
PIECE = 1 << 16  # numbers that are worked on at once, so that what lies between stays in the cache
DENSE = 1 << 24  # numbers of gradients that are kept one by one, at most


@dataclass(frozen=True)
class Place:
    """A stretch of the flat vector of all parameters that are trained.

    Args:
        start: where it begins.
        size: how many numbers it has.
    """

    start: int
    size: int

    @property
    def stretch(self) -> slice:
        """As an index."""
        return slice(self.start, self.start + self.size)


class UnitGradients(ABC):
    """The gradients [unit, number] in one place, in whatever form takes the least work.

    Privacy: `summed` of any scales s is exact: Σ of whole vectors v, one a unit, each of which follows from that unit's
        own numbers and is no longer than s √squares + slack. It is a sum of whole numbers in float64, exact in any
        order, as long as Σ (s spread + slack) over the units stays below 2^52.
    """

    place: Place
    squares: Tensor
    """At least the squared length, one a unit, as float64."""
    spread: Tensor
    """At least the sum of the lengths of what is added up, one a unit."""
    slack: Tensor
    """By how much rounding to whole numbers can lengthen it, one a unit."""

    @abstractmethod
    def summed(self, scales: Tensor, units: slice) -> Tensor:
        """The sum of these units' vectors, flat."""

    @abstractmethod
    def traces(self) -> list[Tensor]:
        """All that the sum follows from, one entry a unit."""

    @abstractmethod
    def drop(self, units: Tensor) -> None:
        """Make these units' gradients zero, whatever is in them."""


@dataclass
class DenseGradients(UnitGradients):
    """Gradients kept one by one.

    Args:
        place: of the numbers.
        numbers: [unit, number].

    Proof: v = round(s g) is within 1/2 of s g in each of P numbers, so no longer than s |g| + √P / 2. The square is a
        sum of P products in float64, in any order within P 2^-52 of the real one.
    """

    place: Place
    numbers: Tensor = field(repr=False)

    def __post_init__(self) -> None:
        flat = self.numbers = self.numbers.reshape(len(self.numbers), -1)
        parts = torch.split(flat, max(1, PIECE // max(flat.shape[1], 1)))
        lengths = torch.cat([torch.linalg.vector_norm(each, dim=1, dtype=torch.float64) for each in parts])
        self.squares = lengths**2 * (1 + (flat.shape[1] + 16) * ROUNDED)
        self.spread = self.squares.sqrt()
        self.slack = torch.full_like(self.squares, flat.shape[1] ** 0.5 / 2 * (1 + ROUNDED))

    def summed(self, scales: Tensor, units: slice) -> Tensor:
        """Σ round(s g)."""
        numbers, scale = self.numbers[units], scales[units, None]
        width = max(16, PIECE // len(numbers))
        return torch.cat([(each * scale).round_().sum(0) for each in torch.split(numbers, width, dim=1)])

    def traces(self) -> list[Tensor]:
        """The numbers."""
        return [self.numbers, self.squares]

    def drop(self, units: Tensor) -> None:
        """Zeros in their place."""
        self.numbers = self.numbers.masked_fill(units[:, None], 0)


class ProductGradients(UnitGradients):
    """Σ_t delta_t ⊗ input_t over the places t of a layer, never multiplied out for a unit alone.

    Args:
        place: of the matrix [output, input].
        inputs: [unit, t, input].
        deltas: [unit, t, output].

    Proof: inputs are rounded to whole numbers α of at most 12 bits, times a power of two of the unit's own; what is
        clipped is the gradient of these. v = Σ_t round(s d_t) ⊗ α_t, whose distance from s Σ_t d_t ⊗ α_t is at most
        Σ_t √out / 2 |α_t|. Its square without s is Σ_tu (α_t·α_u) (d_t·d_u) (Goodfellow 2015; Rochette, Manoel and
        Tramel 2019), one product for a single t; computed in float64 it errs by less than (T² + in + out + 16) 2^-52
        times (Σ_t |d_t| |α_t|)², which is added. All products are of whole numbers.
    """

    def __init__(self, place: Place, inputs: Tensor, deltas: Tensor) -> None:
        self.place = place
        places, width, height = inputs.shape[1], inputs.shape[2], deltas.shape[2]
        power = torch.frexp(inputs.abs().amax((1, 2)))[1].double()
        self._exponents = torch.where(torch.isfinite(power), INPUT_BITS - power, 0).clamp(-1000, 1000)
        wide = inputs.double()
        self._inputs = wide.mul_(torch.exp2(self._exponents)[:, None, None]).round_()
        self._deltas = deltas
        exact = deltas.double()
        long_inputs = torch.linalg.vecdot(self._inputs, self._inputs)
        long_deltas = torch.linalg.vecdot(exact, exact)
        products = (long_inputs * long_deltas).sqrt().sum(1)
        if places == 1:
            squares = products**2
        else:
            squares = (self._inputs @ self._inputs.mT).mul_(exact @ exact.mT).sum((1, 2)).clamp_min_(0)
        error = (places * places + width + height + 16) * ROUNDED
        scale = torch.exp2(-self._exponents)
        self.spread = products * scale * (1 + error)
        self.squares = (squares + error * products**2) * (1 + error) * scale**2
        self.slack = long_inputs.sqrt().sum(1) * (height**0.5 / 2 * (1 + error))

    def summed(self, scales: Tensor, units: slice) -> Tensor:
        """Σ round(s d)ᵀ α, of whole numbers."""
        scale = (scales * torch.exp2(-self._exponents))[units, None, None]
        rounded = (self._deltas[units] * scale).round_()
        return (rounded.flatten(0, 1).T @ self._inputs[units].flatten(0, 1)).flatten()

    def traces(self) -> list[Tensor]:
        """Inputs, deltas and squares."""
        return [self._inputs, self._deltas, self.squares]

    def drop(self, units: Tensor) -> None:
        """Zeros in their place."""
        self._inputs = self._inputs.masked_fill(units[:, None, None], 0)
        self._deltas = self._deltas.masked_fill(units[:, None, None], 0)
        self._exponents = self._exponents.masked_fill(units, 0)


class TokenGradients(UnitGradients):
    """Σ_t of delta_t in the row of token t: the gradient of a table that is looked up.

    Args:
        place: of the table [token, width].
        tokens: [unit, t].
        deltas: [unit, t, width]; zeros where a token has no gradient.

    Proof: as `ProductGradients`, with inputs that are 1 at the token: equal tokens are added up before any square.
    """

    def __init__(self, place: Place, tokens: Tensor, deltas: Tensor) -> None:
        self.place = place
        self._tokens, self._deltas = tokens, deltas
        places, width = deltas.shape[1], deltas.shape[2]
        exact = deltas.double()
        equal = tokens[:, :, None] == tokens[:, None, :]
        squares = (exact @ exact.mT).mul_(equal).sum((1, 2)).clamp_min_(0)
        error = (places * places + width + 16) * ROUNDED
        self.spread = torch.linalg.vecdot(exact, exact).sqrt().sum(1) * (1 + error)
        self.squares = (squares + error * self.spread**2) * (1 + error)
        self.slack = torch.full_like(squares, places * width**0.5 / 2 * (1 + error))

    def summed(self, scales: Tensor, units: slice) -> Tensor:
        """Σ round(s d) in the rows of the tokens."""
        width = self._deltas.shape[2]
        rounded = (self._deltas[units] * scales[units, None, None]).round_()
        table = torch.zeros(self.place.size // width, width, dtype=torch.float64, device=rounded.device)
        return table.index_add_(0, self._tokens[units].flatten(), rounded.flatten(0, 1)).flatten()

    def traces(self) -> list[Tensor]:
        """Tokens, deltas and squares."""
        return [self._tokens, self._deltas, self.squares]

    def drop(self, units: Tensor) -> None:
        """Zeros in their place."""
        self._deltas = self._deltas.masked_fill(units[:, None, None], 0)


def product_gradients(place: Place, inputs: Tensor, deltas: Tensor) -> UnitGradients:
    """Σ_t delta_t ⊗ input_t in the cheaper form: multiplied out where that is less than comparing all places.

    The rule is Bu, Mao and Xu's (2022), from shapes alone.
    """
    units, places, width = inputs.shape
    cells = width * deltas.shape[2]
    if places > 1 and cells <= 4 * places * (width + deltas.shape[2]) and units * cells <= DENSE:
        return DenseGradients(place, torch.bmm(deltas.mT, inputs))
    return ProductGradients(place, inputs, deltas)
