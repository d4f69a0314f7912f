"""Scattering: what images answer to waves, and their answers to waves again, averaged over places (Mallat 2012)."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.learn.features import Floats
from privet.learn.morlet_waves import WIDTH, averages, morlet_waves, reach_of
from privet.learn.wave_answers import EXACT_BITS, WaveAnswers, Whole32

LEVELS = 255  # of brightness
FIRST_BITS = EXACT_BITS - 8  # the sum of a wave that meets brightness
AGAIN_BITS = 11  # of answers that meet waves again
SECOND_BITS = EXACT_BITS - AGAIN_BITS  # the sum of such a wave
KEPT_BITS = 17  # of answers that are averaged
AVERAGE_BITS = 17  # the sum of weights, down and right
WHOLE_BITS = KEPT_BITS + 2 * AVERAGE_BITS  # of averages
MOST_NUMBERS = 1 << 16
BLOCK = 128  # images at a time


@dataclass(frozen=True)
class Scattering:
    """The scattering transform of order two of gray images.

    Args:
        height, width: of the images, in pixels.
        scales: the longest wave has 2^(scales - 1) times the length of the finest, and averages are 2^scales apart.
        angles: of the waves.

    Privacy: what comes of an image follows from that image alone, to the last bit, wherever it stands and on every
        machine with the same filters.
    Proof: docs/proofs/training.md, "Maps of rows": brightness has 8 bits, and every product is one of whole numbers
        whose partial sums are exact in the floats that hold them.
    """

    height: int
    width: int
    scales: int = 2
    angles: int = 8

    def __post_init__(self) -> None:
        least = reach_of(max(self.scales - 1, 0)) + 1
        if min(self.height, self.width) < least:
            raise InvalidParameter(
                f"image_shape must be at least {least} by {least} pixels for scales={self.scales}: "
                f"take fewer scales, or features='fourier'"
            )
        if self.numbers > MOST_NUMBERS:
            raise InvalidParameter(
                f"an image would become {self.numbers} numbers, more than {MOST_NUMBERS}: take more scales, "
                "fewer angles or smaller images"
            )

    @property
    def channels(self) -> int:
        """How many averages there are at each place: of brightness, of answers, and of answers to answers."""
        return 1 + self.scales * self.angles + self.scales * (self.scales - 1) // 2 * self.angles**2

    @property
    def places(self) -> int:
        """How many places averages are around."""
        return math.prod(-(-side // 2**self.scales) for side in (self.height, self.width))

    @property
    def numbers(self) -> int:
        """How many numbers an image becomes."""
        return self.channels * self.places

    def of(self, levels: NDArray[np.uint8]) -> Iterator[tuple[slice, Floats]]:
        """Yield what images become, some at a time: channels by places, of whole numbers below 2^51.

        Args:
            levels: of brightness, a row for each image.
        """
        for start in range(0, len(levels), BLOCK):
            part = slice(start, start + BLOCK)
            images = levels[part].reshape(-1, self.height, self.width).astype(np.float32)
            averages = [each.reshape(len(images), -1, self.places) for each in self._averages(images)]
            yield part, np.concatenate(averages, axis=1)

    def _averages(self, images: Whole32) -> Iterator[Floats]:
        """Averages of brightness, then of answers to the waves of every scale, then of those to longer waves."""
        yield self._averaged(images[:, :, None, :] * 2.0 ** (KEPT_BITS - 8), 0)
        answers = []
        for scale in range(self.scales):
            answers.append(_kept(self._first[scale].of(images), KEPT_BITS))
            yield self._averaged(answers[-1], scale)
        for scale, further in self._pairs:
            met = np.trunc(answers[scale] * np.float32(2.0 ** (AGAIN_BITS + 1 - KEPT_BITS)))
            np.minimum(met, np.float32(2.0**AGAIN_BITS), out=met)
            for angle in range(self.angles):
                again = self._second[scale, further].of(np.ascontiguousarray(met[:, :, angle]))
                yield self._averaged(_kept(again, KEPT_BITS), further)

    @property
    def _pairs(self) -> list[tuple[int, int]]:
        return [(scale, further) for scale in range(self.scales) for further in range(scale + 1, self.scales)]

    def _shape(self, scale: int) -> tuple[int, int]:
        """How many places answers at this scale are around."""
        return -(-self.height // 2**scale), -(-self.width // 2**scale)

    @cached_property
    def _first(self) -> list[WaveAnswers]:
        waves = [morlet_waves(self.angles, scale, 1 << FIRST_BITS) for scale in range(self.scales)]
        return [WaveAnswers(self._shape(0), each, 2**scale) for scale, each in enumerate(waves)]

    @cached_property
    def _second(self) -> dict[tuple[int, int], WaveAnswers]:
        found = {}
        for scale, further in self._pairs:
            waves = morlet_waves(self.angles, further - scale, 1 << SECOND_BITS)
            found[scale, further] = WaveAnswers(self._shape(scale), waves, 2 ** (further - scale))
        return found

    @cached_property
    def _hills(self) -> list[tuple[Floats, Floats]]:
        """Weights of averages, down and right, at every scale."""
        found = []
        for scale in range(self.scales):
            apart = 2 ** (self.scales - scale)
            down, right = (averages(side, apart, WIDTH * apart / 2, 1 << AVERAGE_BITS) for side in self._shape(scale))
            found.append((down, right))
        return found

    def _averaged(self, answers: Whole32, scale: int) -> Floats:
        """Averages of answers: images, then waves, then places down and right; at most 2^(17 + 17 + 17), so exact."""
        down, right = self._hills[scale]
        count, height, waves, width = answers.shape
        found = np.matmul(down, answers.reshape(count, height, waves * width).astype(np.float64))
        found = found.reshape(count, len(down), waves, width) @ right.T
        return np.asarray(found.transpose(0, 2, 1, 3))


def _kept(answers: Whole32, bits: int) -> Whole32:
    """Answers rounded toward 0 to whole numbers of so many bits; none is larger than 2^24 √2."""
    return np.asarray(np.minimum(np.trunc(answers * np.float32(2.0 ** (bits - EXACT_BITS))), np.float32(2.0**bits)))


@lru_cache(maxsize=8)
def scattering(height: int, width: int, scales: int, angles: int) -> Scattering:
    """The transform, with its filters kept for the next use."""
    return Scattering(height, width, scales, angles)
