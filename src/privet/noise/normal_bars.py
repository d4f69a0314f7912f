"""The standard normal distribution taken apart into bars: nearly every draw is one look-up and one multiplication."""

import math
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import accumulate

import numpy as np
from flint import arb

from privet.noise.entropy import BitSource
from privet.noise.lazy import RESERVE, Floats, LazyUniform, center_of, certain_floor, settle, try_floors

SLOT_BITS = 16  # the low bits of a word choose a bar, the other 48 a place in it
_UNIT = 32  # densities are whole multiples of 2^-32
_FINE = 32  # bits that sums of bars have besides


@dataclass(frozen=True)
class LazyReal:
    """A real number that is known as far as the bits of its uniform are.

    Args:
        formula: the number, as a function of the uniform.
        uniform: the uniform.
        value: the number, roughly.
        radius: how far `value` may be off.
    """

    formula: Callable[[arb], arb]
    uniform: LazyUniform
    value: float = 0.0
    radius: float = math.inf


class NormalBars:
    """The normal density as equally likely bars around zero, and a rest.

    Args:
        bits: one bar has the probability 2^-bits; at most 16.
        grid: bars end at whole multiples of 2^-grid.
        reach: no bar is wider than this whole number.

    Proof of the law:
        After MacLaren, Marsaglia and Bray (1964). A draw falls on one of 2^bits slots. Slot k < filled is a bar: even
        on (-w_k, w_k). Together they have the density s(x) = sum over w_k > |x| of 2^-bits / (2 w_k). It is nowhere
        above phi: s is constant between edges and phi falls, so s just inside of an edge need only be at most phi
        there; bars are put in from outside while their sum, rounded up, stays below phi, rounded down. The other slots
        draw from phi - s, whose mass is what the bars leave of 1. So the density is s + (phi - s).
    """

    def __init__(self, *, bits: int = SLOT_BITS, grid: int = 12, reach: int = 5) -> None:
        self.bits = bits
        self.grid = grid
        self.reach = reach
        self.cells = reach << grid
        below = _densities_rounded_down(self.cells, grid)
        self.counts, sums = self._fill(below)
        self._sums = [math.ldexp(total, -_FINE) for total in sums]
        least = [max(0, total - self.cells) >> _FINE for total in sums]  # what is added up is rounded up once an edge
        # over each cell a box from the bars to above phi, and last the tail's: weights in units of 2^-32 times a cell
        self.heights = [below[cell] + 1 - least[cell] for cell in range(self.cells)]
        self.tail = -(-(below[self.cells] + 1 << grid) // reach)
        self._ends = list(accumulate([*self.heights, self.tail]))
        self._pick_bits = self._ends[-1].bit_length()
        copies = 1 << SLOT_BITS - bits
        self.filled = sum(self.counts) * copies
        self.half_widths: Floats = np.zeros(1 << SLOT_BITS)  # in cells; zero for the rest
        self.half_widths[: self.filled] = np.repeat(np.arange(self.cells + 1), np.array(self.counts) * copies)
        self.half_widths.flags.writeable = False

    def _fill(self, below: list[int]) -> tuple[list[int], list[int]]:
        """Return how many bars end at each edge, and the sum of the densities over each cell in units of 2^-64."""
        counts = [0] * (self.cells + 1)
        sums = [0] * (self.cells + 1)
        total = 0
        for edge in range(self.cells, 0, -1):
            unit = edge << self.bits + 1  # one bar of half a width `edge` has the density 2^grid / unit
            counts[edge] = ((below[edge] << _FINE) - total) * unit >> self.grid + _UNIT + _FINE
            total -= -(counts[edge] << self.grid + _UNIT + _FINE) // unit
            sums[edge - 1] = total
        return counts, sums

    def place(self, slot: int, word: int, source: BitSource) -> LazyReal:
        """Return the place in a slot's bar whose first 48 bits are the upper ones of a word."""
        bits = (word >> SLOT_BITS) ^ 1 << 63 - SLOT_BITS  # a signed number's, from the lowest to the highest
        edge = int(self.half_widths[slot])
        uniform = LazyUniform(source, bits=bits, known=64 - SLOT_BITS)
        return LazyReal(lambda real: edge * (2 * real - 1) / (1 << self.grid), uniform)

    def rest(self, source: BitSource) -> LazyReal:
        """Draw from phi - s, by rejection.

        Proof: a cell is chosen with the weight of its box, then a point of the box, which is kept below phi. A box
            begins at s and ends above phi at the cell's inner edge, where phi is largest. Beyond the reach a,
            x = sqrt(a^2 - 2 ln u) has the density x exp((a^2 - x^2) / 2) (Marsaglia 1964) and is kept with
            probability phi(a) / (t x), where t is the tail's weight, at least phi(a) / a.
        """
        while True:
            pick, first, second = source.words(3).tolist()
            cell = bisect_right(self._ends, pick >> 64 - self._pick_bits)
            if cell <= self.cells:  # beyond lies what is left to a power of two
                draw = self._in_box if cell < self.cells else self._in_tail
                real = draw(cell, -1 if pick & 1 else 1, first, second, source)
                if real is not None:
                    return real

    def _in_box(self, cell: int, sign: int, first: int, second: int, source: BitSource) -> LazyReal | None:
        """Return the point over a cell if it lies below phi. In float64 the reserve covers all errors: phi < 1/2."""
        x = math.ldexp(cell + center_of(first), -self.grid)
        density = math.ldexp(math.exp(-x * x / 2) / math.sqrt(2 * math.pi), _UNIT)
        room = density - self._sums[cell] - self.heights[cell] * center_of(second)
        slack = math.ldexp(RESERVE, _UNIT)
        if room < -slack:
            return None
        uniform = LazyUniform.continuing(first, source)
        if room <= slack:
            other = LazyUniform.continuing(second, source)
            (kept,) = settle(lambda u, v: [self.room(cell, u, v)], [uniform, other])
            if kept < 0:
                return None
        return LazyReal(lambda real: sign * self._point(cell, real), uniform, sign * x, self.reach * 2.0**-50)

    def room(self, cell: int, real: arb, other: arb) -> arb:
        """Return how far below phi a point of a box lies, in units of 2^-32."""
        bars = (arb(self.counts[edge]) / edge for edge in range(cell + 1, self.cells + 1) if self.counts[edge])
        level = sum(bars, arb(0)) * arb((1, self.grid - self.bits - 1))
        return (_density(self._point(cell, real)) - level) * (1 << _UNIT) - self.heights[cell] * other

    def _point(self, cell: int, real: arb) -> arb:
        return (cell + real) / (1 << self.grid)

    def _in_tail(self, _: int, sign: int, first: int, second: int, source: BitSource) -> LazyReal | None:
        uniforms = [LazyUniform.continuing(word, source) for word in (first, second)]

        def beyond(real: arb) -> arb:
            return (self.reach**2 - 2 * real.log()).sqrt()

        (kept,) = settle(lambda u, v: [self.tail_room(beyond(u), v)], uniforms)
        return LazyReal(lambda real: sign * beyond(real), uniforms[0]) if kept >= 0 else None

    def tail_room(self, point: arb, other: arb) -> arb:
        """Return a number that is not negative where a point of the tail is kept."""
        return _density(arb(self.reach)) * (1 << _UNIT + self.grid) - self.tail * other * point


def _density(point: arb) -> arb:
    return (-point * point / 2).exp() / (2 * arb.pi()).sqrt()


def _densities_rounded_down(cells: int, grid: int) -> list[int]:
    """Return the whole part of 2^32 phi at every edge."""
    edges = np.ldexp(np.arange(cells + 1.0), -grid)
    values = np.ldexp(np.exp(-edges * edges / 2) / math.sqrt(2 * math.pi), _UNIT)
    floors, undecided = certain_floor(values, RESERVE + RESERVE * values)
    whole: list[int] = floors.astype(np.int64).tolist()
    for edge in np.flatnonzero(undecided).tolist():
        exact = try_floors(lambda: [_density(arb(edge) / (1 << grid)) * (1 << _UNIT)], [], precision=128)  # noqa: B023
        (whole[edge],) = exact or (whole[edge],)
    return whole


@cache
def normal_bars() -> NormalBars:
    """Return the bars that all draws share; made at the first one, in some hundredths of a second."""
    return NormalBars()
