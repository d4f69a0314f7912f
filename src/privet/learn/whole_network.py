"""WholeNetwork: a network of dense layers computed in whole numbers, so that sums of clipped gradients are exact."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.learn.features import Floats
from privet.learn.whole_numbers import EXACT, SQUARES, bits_of, chances_of, hyperbolic_tangents, toward_zero
from privet.loss.exact import shown

SUM_BITS = 33  # sums are whole multiples of 2^-33 of the length of a row's gradient
EXACT_ROWS = 1 << (EXACT - SUM_BITS)  # of which so many add up exactly in float64
WEIGHT_BITS, VALUE_BITS, SLOPE_BITS = 26, 16, 20  # the finest grids of weights, activations and slopes
LARGEST = 2.0**20  # of a parameter
LONGEST = 2.0**16  # of all weights of a layer together, and of its constants
MOST_LAYERS, MOST_CLASSES = 16, 1 << 13
ACTIVATIONS = ("relu", "tanh", "identity")


@dataclass(frozen=True)
class Layer:
    """One layer with its numbers on public grids.

    Args:
        ahead: weights times 2^-value_bits, a row for each input: what multiplies inputs in whole steps.
        constants: multiples of 2^-(value_bits + weight_bits).
        value_bits: inputs are multiples of 2^-value_bits.
        reach: no row of inputs is longer.
        weight_bits: of the weights.
        slope_bits: slopes of the layer's outputs are multiples of 2^-slope_bits.
    """

    ahead: Floats
    constants: Floats
    value_bits: int
    reach: float
    weight_bits: int
    slope_bits: int

    @property
    def weights(self) -> Floats:
        """Multiples of 2^-weight_bits."""
        return self.ahead * 2.0**self.value_bits


@dataclass(frozen=True)
class WholeNetwork:
    """Dense layers with an activation between them.

    Args:
        sizes: how many numbers a row has, the units of each hidden layer, and how many outputs.
        activation: between layers: "relu", "tanh" or "identity".
        reach: no row is longer; public.
        value_bits: numbers of a row are whole multiples of 2^-value_bits.
        classes: 0 for a number, where slopes are output less target; else how many classes the outputs tell apart.

    Privacy: what `slopes` returns for a row follows from that row and the parameters alone, to the last bit, and
        `summed` is the exact sum, in whole steps of 2^-33, of the rows' clipped gradients, none longer than 2^33 steps.
    Proof: docs/proofs/training.md, "Networks".
    """

    sizes: tuple[int, ...]
    activation: str
    reach: float
    value_bits: int
    classes: int

    def __post_init__(self) -> None:
        if self.activation not in ACTIVATIONS:
            raise InvalidParameter(f"activation must be one of {', '.join(ACTIVATIONS)}, got {shown(self.activation)}")
        if len(self.sizes) > MOST_LAYERS + 2:
            raise InvalidParameter(f"there may be {MOST_LAYERS} hidden layers, got {len(self.sizes) - 2}")
        if self.classes > MOST_CLASSES:
            raise InvalidParameter(f"there may be {MOST_CLASSES:,} classes, got {self.classes:,}")

    @property
    def shapes(self) -> list[tuple[int, int]]:
        """How many inputs and outputs each layer has."""
        return list(zip(self.sizes[:-1], self.sizes[1:], strict=True))

    @cached_property
    def count(self) -> int:
        """How many parameters there are."""
        return sum((ins + 1) * outs for ins, outs in self.shapes)

    def parts(self, flat: Floats) -> Iterator[tuple[Floats, Floats]]:
        """Weights and constants of each layer, as views."""
        place = 0
        for ins, outs in self.shapes:
            middle, end = place + ins * outs, place + (ins + 1) * outs
            yield flat[place:middle].reshape(ins, outs), flat[middle:end]
            place = end

    # --- grids, from parameters, which are public ----------------------------------------------------------------

    def layers(self, flat: Floats) -> list[Layer]:
        """The layers at these parameters, with grids so coarse that no product needs more than 53 bits.

        Proof: a partial sum of Σ_j x_j w_jk is at most |x| |w_k| <= reach · F, with F the length of all weights of the
            layer. Rounding toward 0 makes neither longer. So z = x w + b is exact if reach·F + |b|, in steps of both
            grids, is below 2^53; and so is the way back, where slopes are the rows. Layers longer than `LONGEST` are
            shortened to it, so that of 2^13 · (2^16 + 1)^17, which bounds all there is, the square of the square is a
            float still.
        """
        parts = [(*_limited(weights), *_limited(constants)) for weights, constants in self.parts(flat)]
        steep = [self._steepest]
        for _, length, _, _ in reversed(parts[1:]):
            steep.insert(0, steep[0] * length)
        found, reach, value_bits = [], self.reach, self.value_bits
        for (weights, length, constants, constant), slope in zip(parts, steep, strict=True):
            slope_bits = min(SLOPE_BITS, SQUARES - bits_of(slope))
            ahead = reach * length + constant
            back = EXACT - slope_bits - bits_of(slope * length)
            bits = min(WEIGHT_BITS, EXACT - 1 - value_bits - bits_of(ahead), back)
            whole = np.trunc(steps := weights * 2.0**bits, out=steps)
            whole *= 2.0 ** -(bits + value_bits)
            grid = toward_zero(constants.copy(), value_bits + bits)
            found.append(Layer(whole, grid, value_bits, reach, bits, slope_bits))
            reach = math.sqrt(len(constants)) if self.activation == "tanh" else ahead
            value_bits = min(VALUE_BITS, SQUARES - bits_of(reach))
        return found

    @property
    def _steepest(self) -> float:
        """How long the slopes of a row's outputs are at most."""
        return 2.0 if self.classes == 0 else math.sqrt(2)

    # --- rows ----------------------------------------------------------------------------------------------------

    def values(self, layers: list[Layer], whole: Floats) -> list[Floats]:
        """The inputs of every layer and the outputs, of rows in whole steps; the former in whole steps of theirs."""
        inputs = [whole]
        for place, layer in enumerate(layers):
            outputs = inputs[-1] @ layer.ahead
            outputs += layer.constants
            if place + 1 == len(layers):
                inputs.append(outputs)
                break
            inputs.append(self._activated(outputs, layers[place + 1].value_bits))
        return inputs

    def _activated(self, outputs: Floats, bits: int) -> Floats:
        """Whole steps of 2^-bits."""
        if self.activation == "tanh":
            outputs = hyperbolic_tangents(outputs)
        elif self.activation == "relu":
            np.maximum(outputs, 0.0, out=outputs)
        outputs *= 2.0**bits
        return np.trunc(outputs, out=outputs)

    def slopes(self, layers: list[Layer], values: list[Floats], target: NDArray[np.float64]) -> list[Floats]:
        """The slopes of each row's loss in the outputs of every layer, on their grids.

        Args:
            layers: at the present parameters.
            values: as `values` returns them.
            target: places of classes, or numbers.
        """
        found = [toward_zero(self._last_slopes(values[-1], target), layers[-1].slope_bits)]
        for place in range(len(layers) - 1, 0, -1):
            back = found[0] @ layers[place].weights.T
            if self.activation == "relu":
                back *= values[place] > 0
            elif self.activation == "tanh":
                height = values[place] * 2.0 ** -layers[place].value_bits
                back *= 1.0 - height * height
            found.insert(0, toward_zero(back, layers[place - 1].slope_bits))
        return found

    def _last_slopes(self, outputs: Floats, target: NDArray[np.float64]) -> Floats:
        if not self.classes:
            return np.clip(outputs - target[:, None], -2.0, 2.0)
        chances = chances_of(outputs)
        if chances.shape[1] == 1:
            return chances - target[:, None]
        chances[np.arange(len(chances)), target.astype(np.int64)] -= 1.0
        return chances

    def squared_lengths(
        self, layers: list[Layer], values: list[Floats], slopes: list[Floats], rows: Floats | None = None
    ) -> Floats:
        """The squared length of every row's gradient, in all layers: Σ (|a|² + 1) |d|² (Goodfellow 2015).

        Args:
            layers: at the present parameters.
            values: as `values` returns them.
            slopes: as `slopes` returns them.
            rows: the squared lengths of the rows themselves, in whole steps, where they are known.
        """
        total = np.zeros(len(values[0]))
        inner = rows
        for layer, value, slope in zip(layers, values, slopes, strict=False):
            if inner is None:
                inner = np.einsum("ij,ij->i", value, value)
            total += (inner * 4.0**-layer.value_bits + 1.0) * np.einsum("ij,ij->i", slope, slope)
            inner = None
        return total

    def add(  # noqa: PLR0913 - what there is of some rows
        self,
        layers: list[Layer],
        values: list[Floats],
        slopes: list[Floats],
        factors: Floats,
        total: Floats,
        *,
        first: bool = False,
    ) -> None:
        """Add the sum of gradients times their factors to a total, in whole steps of 2^-33.

        Args:
            layers: at the present parameters.
            values: as `values` returns them.
            slopes: as `slopes` returns them; used up.
            factors: one for each row: at most 1 over the length of its gradient.
            total: of all parameters; exact if it is of at most `EXACT_ROWS` rows.
            first: whether to write over what the total holds.
        """
        for parts, layer, value, slope in zip(self.parts(total), layers, values, slopes, strict=False):
            bits = min(SUM_BITS, SUM_BITS - layer.value_bits)
            np.multiply(slope, (factors * 2.0**bits)[:, None], out=slope)
            np.trunc(slope, out=slope)
            weights, constants = parts
            product = np.matmul(value.T, slope, out=weights if first else None)
            if layer.value_bits < 0:
                product *= 2.0**-layer.value_bits
            constant = slope.sum(axis=0) * 2.0 ** (SUM_BITS - bits)
            if first:
                constants[:] = constant
            else:
                weights += product
                constants += constant


def _limited(numbers: Floats) -> tuple[Floats, float]:
    """The numbers, shortened to `LONGEST` if they are longer, and how long they then are."""
    flat = numbers.ravel()
    length = math.sqrt(float(flat @ flat))
    return (numbers, length) if length <= LONGEST else (numbers * (LONGEST / length), LONGEST)
