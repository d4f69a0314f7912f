"""WaveAnswers: how strongly every place of images answers to waves, in whole numbers."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privet.learn.morlet_waves import mirrored

Whole32 = NDArray[np.float32]
"""Whole numbers up to 2^24, each of which is a float32."""
EXACT_BITS = 24


@dataclass(frozen=True, eq=False)
class WaveAnswers:
    """Images multiplied by waves around every stride-th pixel, mirrored at their edges.

    Args:
        shape: height and width of the images.
        waves: squares of whole numbers, first the real parts, then as many imaginary parts.
        stride: of the places, down and right.

    Privacy: what comes of an image follows from it alone, to the last bit, as long as its largest number times the sum
        of the absolute numbers of a wave is at most 2^24.
    Proof: then every partial sum is a whole number of that size, so a float32, and all orders of additions agree,
        fused or not. What follows are IEEE operations on single numbers.
    """

    shape: tuple[int, int]
    waves: Whole32
    stride: int

    @property
    def places(self) -> tuple[int, int]:
        """How many there are, down and right."""
        height, width = self.shape
        return -(-height // self.stride), -(-width // self.stride)

    @property
    def reach(self) -> int:
        """How many pixels a wave has on each side of its middle."""
        return int(self.waves.shape[1]) // 2

    @cached_property
    def bands(self) -> Whole32:
        """What a band of rows, as high as a wave, is multiplied by: a column for each wave and place to the right."""
        count, side, _ = self.waves.shape
        padded, (_, right) = self.shape[1] + 2 * self.reach, self.places
        found = np.zeros((side, padded, count, right), dtype=np.float32)
        for place in range(right):
            start = place * self.stride
            found[:, start : start + side, :, place] = self.waves.transpose(1, 2, 0)
        return found.reshape(side * padded, count * right)

    @cached_property
    def _mirrors(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        down, right = (mirrored(np.arange(-self.reach, side + self.reach), side) for side in self.shape)
        return down[:, None], right[None, :]

    def of(self, images: Whole32) -> Whole32:
        """Return lengths of complex answers: for each image the places down, the waves, the places right.

        Args:
            images: height by width each, of whole numbers.
        """
        padded = images[:, *self._mirrors]
        (down, right), side, count = self.places, self.waves.shape[1], len(self.waves) // 2
        start, row, number = padded.strides
        bands = np.lib.stride_tricks.as_strided(
            padded, (len(images), down, side * padded.shape[2]), (start, row * self.stride, number), writeable=False
        )
        answers = bands.reshape(len(images) * down, -1) @ self.bands
        parts = answers.reshape(len(images), down, 2, count, right)
        np.multiply(parts, parts, out=parts)
        found: Whole32 = parts[:, :, 0] + parts[:, :, 1]
        return np.sqrt(found, out=found)
