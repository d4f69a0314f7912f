"""Many rounded normals at once, drawn from bars."""

import math
from fractions import Fraction

import numpy as np
from flint import arb
from numpy.typing import NDArray

from privet.noise.entropy import BitSource, Words
from privet.noise.lazy import CHUNK, Floats, Steps, ball_of, certain_whole, collect_around, joined, settle
from privet.noise.normal_bars import SLOT_BITS, LazyReal, NormalBars

MANY = 1 << 12  # from so many values on, making the bars is soon forgotten
WIDEST = 1 << 30  # steps; up to here 48 bits of a place decide nearly every value
NEAR = 2.0**31  # steps; sums with centers up to here lose next to nothing in float64


class BarredGaussian:
    """The normal distribution with mean 0 around any center, rounded to the nearest lattice step.

    Args:
        scale: the standard deviation, in lattice steps; at most 2^30.
        bars: of the standard normal distribution.

    Proof of the law:
        A value is floor(c + 1/2 + s X), where X has the law of `bars`: in a bar it is w (2 u - 1), and a word gives 48
        bits of u. The word is taken as a float whole, at most 2^-47 w from each X that begins so; float64 adds at most
        2^-51 s w in the products and 2^-52 (|c| + s w + 1) in the sums. The slack is at least twice all that. Where
        its two ends have one floor, it is the value; elsewhere more bits are drawn, and for the rest always.
    """

    def __init__(self, scale: Fraction, bars: NormalBars) -> None:
        self.scale = scale
        self._scale = float(scale)
        self._bits = 40 + math.ceil(scale).bit_length()
        self._bars = bars
        self._per_cell = self._scale * 2.0 ** (-63 - bars.grid)

    def many(self, source: BitSource, count: int) -> Steps:
        """Draw `count` independent values."""
        return self.around(source, np.broadcast_to(0.0, count))

    def around(self, source: BitSource, centers: Floats) -> Steps:
        """Draw the whole number nearest to center + noise for each center; they are finite, in lattice steps."""

        def near(start: int) -> Steps:
            piece = centers[start : start + CHUNK]
            most = float(max(piece.max(), -piece.min()))
            if most > NEAR:
                return collect_around(piece, lambda rests: self._near(source, rests, 0.5))
            return self._near(source, piece, most)

        return joined(len(centers), near)

    def _near(self, source: BitSource, centers: Floats, most: float) -> Steps:
        words = source.words(len(centers))
        floors, places = self.decide(words, centers, self.slack(most))
        floors[places] = [self._settled(int(words[at]), float(centers[at]), source) for at in places.tolist()]
        return floors.astype(np.int64)

    def slack(self, most: float, *, known: int = 64 - SLOT_BITS) -> float:
        """Return how far a sum may be off in float64 where `known` bits of a place are, for centers up to `most`."""
        widest = self._scale * self._bars.reach
        return widest * 2.0 ** (2 - known) + (most + 2.0 * widest + 2.0) * 2.0**-50

    def decide(self, words: Words, centers: Floats, slack: float) -> tuple[Floats, NDArray[np.intp]]:
        """Return floor(c + 1/2 + X) for each word and center, and the places where the word does not decide it."""
        slots = words.astype(np.uint16)
        value = np.empty(len(words))
        self._bars.half_widths.take(slots, out=value, mode="wrap")  # any other mode would copy; all slots are in
        value *= words.view(np.int64)
        value *= self._per_cell
        value += centers
        value += 0.5 - slack
        floors: Floats = np.floor(value)
        value -= floors
        return floors, np.flatnonzero((value >= 1.0 - 2.0 * slack) | (slots >= self._bars.filled))

    def _settled(self, word: int, center: float, source: BitSource) -> int:
        """Return the value that a word begins and more bits decide."""
        slot = word & (1 << SLOT_BITS) - 1
        if slot < self._bars.filled:
            return self._floor(self._bars.place(slot, word, source), center)
        return self._floor(self._bars.rest(source), center)

    def _floor(self, real: LazyReal, center: float) -> int:
        noise = self._scale * real.value
        slack = self._scale * real.radius + (abs(center) + abs(noise) + 2.0) * 2.0**-50
        decided = certain_whole(center + 0.5 + noise, slack)
        if decided is not None:
            return decided

        def total(uniform: arb) -> list[arb]:
            return [arb(center) + arb(0.5) + ball_of(self.scale) * real.formula(uniform)]

        return settle(total, [real.uniform], bits=self._bits)[0]
