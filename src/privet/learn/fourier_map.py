"""FourierMap: rows as waves of public frequencies, near to what a Gaussian kernel sees (Rahimi and Recht 2007)."""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.learn.blocks_shown import blocks_shown
from privet.learn.features import Ball, Box, Floats
from privet.learn.first_parameters import public_normals
from privet.learn.row_map import INSIDE, Whole16, as_floats, in_steps
from privet.learn.whole_numbers import EXACT, bits_of, toward_zero, waves_of

BLOCK = 1 << 12  # rows at a time


@dataclass(frozen=True)
class FourierMap:
    """Rows as cos and sin of as many public frequencies.

    Args:
        columns: gives rows in half widths of the bounds, or in lengths of `norm`.
        many: how many columns there are.
        pairs: how many frequencies.
        gamma: of the kernel exp(-gamma |x - x'|²) that products of mapped rows are near.

    Privacy: a row becomes what it is by itself, to the last bit, and at most 1 long.
    Proof: docs/proofs/training.md, "Maps of rows": angles are products of whole numbers whose partial sums are exact;
        cos² + sin² = 1 over `pairs` pairs, divided by √pairs. Rows of √(2/D) cos(wx + b) would be up to √2 long.
    """

    columns: Box | Ball
    many: int
    pairs: int
    gamma: float

    @property
    def width(self) -> int:
        """How many numbers a mapped row has."""
        return 2 * self.pairs

    @property
    def longest(self) -> float:
        """The largest of them."""
        return 1 / math.sqrt(self.pairs)

    @property
    def frequencies(self) -> Floats:
        """In turns, one column for each pair, the same for everybody."""
        reach = math.sqrt(self.many) if isinstance(self.columns, Box) else 1.0
        return frequencies(self.many, self.pairs, self.gamma, self.columns.bits, reach)

    def whole(self, rows: Floats) -> Whole16:
        """Return mapped rows in whole steps, each of length at most 1."""
        found = np.empty((len(rows), self.width), dtype=np.int16)
        factor = INSIDE / math.sqrt(self.pairs)
        for part in blocks_shown(len(rows), BLOCK, "mapping rows"):
            turns = self.columns.unit(rows[part]) @ self.frequencies
            for place, wave in enumerate(waves_of(turns)):
                found[part, place * self.pairs : (place + 1) * self.pairs] = in_steps(wave * factor)
        return found

    def unit(self, rows: NDArray[Any]) -> Floats:
        """Return rows that were mapped, of length at most 1."""
        return as_floats(rows)


@lru_cache(maxsize=4)
def frequencies(many: int, pairs: int, gamma: float, rows_bits: int, reach: float) -> Floats:
    """Public frequencies in turns, on a grid so coarse that products with rows are exact.

    Args:
        many: columns of the rows.
        pairs: how many frequencies.
        gamma: of the kernel.
        rows_bits: numbers of rows are multiples of 2^-rows_bits.
        reach: no row is longer.

    Proof: a partial sum of x w is at most |x| |w|; the grid is chosen so that this is below 2^53 steps of both grids.
    """
    found = public_normals(0, many * pairs).reshape(many, pairs) * (math.sqrt(2 * gamma) / (2 * math.pi))
    longest = reach * math.sqrt(float(np.einsum("ij,ij->j", found, found).max()))
    return toward_zero(found, EXACT - rows_bits - bits_of(longest))
