"""ScatteringMap: images as scattering coefficients, each group of them centered and of one length."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.learn.blocks_shown import blocks_shown
from privet.learn.features import Box, Floats
from privet.learn.row_map import INSIDE, Whole16, as_floats, in_steps
from privet.learn.scattering import LEVELS, WHOLE_BITS, Scattering, scattering
from privet.learn.whole_numbers import EXACT, bits_of

FLAT = 2.0**-12  # of the largest coefficient: groups that vary less become shorter than the others, not louder
BLOCK = 1 << 9  # rows at a time


@dataclass(frozen=True)
class ScatteringMap:
    """Rows of pixels as scattering coefficients.

    Args:
        box: the declared bounds of the pixels; a missing one counts as the middle.
        image: height, width and colors; the colors of a pixel stand beside each other, and each is transformed alone.
        scales, angles: see `Scattering`.

    Privacy: a row becomes what it is by itself, to the last bit, and at most 1 long.
    Proof: docs/proofs/training.md, "Maps of rows": the deviations d of a group from its rounded mean are whole numbers,
        and Σ d² is exact. They are divided by the root of more than Σ d² times the number of groups, and rounded
        toward 0.
    """

    box: Box
    image: tuple[int, int, int]
    scales: int
    angles: int

    @property
    def transform(self) -> Scattering:
        """Of one color."""
        return scattering(*self.image[:2], self.scales, self.angles)

    @property
    def width(self) -> int:
        """How many numbers a mapped row has."""
        return self.image[2] * self.transform.numbers

    @property
    def longest(self) -> float:
        """The largest of them."""
        return 1 / math.sqrt(self.image[2] * len(self.groups))

    @property
    def groups(self) -> list[slice]:
        """Channels that are brought to one length: brightness, waves of a scale, waves again after each wave."""
        angles = self.angles
        return [slice(0, 1), *(slice(at, at + angles) for at in range(1, self.transform.channels, angles))]

    def whole(self, rows: Floats) -> Whole16:
        """Return mapped rows in whole steps, each of length at most 1."""
        found = np.empty((len(rows), self.width), dtype=np.int16)
        for part in blocks_shown(len(rows), BLOCK, "mapping rows"):
            found[part] = self._mapped(rows[part])
        return found

    def unit(self, rows: NDArray[Any]) -> Floats:
        """Return rows that were mapped, of length at most 1."""
        return as_floats(rows)

    def _mapped(self, rows: Floats) -> Whole16:
        levels = np.rint((self.box.unit(rows) + 1.0) * (LEVELS / 2)).astype(np.uint8)
        colors = levels.reshape(len(rows), -1, self.image[2])
        found = np.empty((len(rows), self.image[2], self.transform.channels, self.transform.places), dtype=np.int16)
        for color in range(self.image[2]):
            for part, averages in self.transform.of(np.ascontiguousarray(colors[:, :, color])):
                for group in self.groups:
                    found[part, color, group] = self._centered(averages[:, group])
        return found.reshape(len(rows), self.width)

    def _centered(self, averages: Floats) -> Whole16:
        """One group of some rows: around its mean, of one length."""
        numbers = averages[0].size
        steps = (EXACT - bits_of(numbers)) // 2  # so that no sum of squares is above 2^53
        whole = np.trunc(averages.reshape(len(averages), -1) * 2.0 ** (steps - WHOLE_BITS))
        whole -= np.rint(whole.sum(axis=1, keepdims=True) / numbers)
        squares = np.einsum("ij,ij->i", whole, whole) + numbers * (FLAT * 2.0**steps) ** 2
        whole *= (INSIDE * self.longest / np.sqrt(squares))[:, None]
        return in_steps(whole).reshape(averages.shape)
