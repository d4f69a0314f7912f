"""Morlet waves and Gaussian averages of pixels, in whole numbers: the public filters of scattering."""

import math

import numpy as np
from numpy.typing import NDArray

from privet.learn.features import Floats

WIDTH, TURN = (
    0.8,
    0.75 * math.pi,
)  # of the finest wave: its deviation, and how far it turns from pixel to pixel
REACH = 3.2  # deviations beyond which a filter is 0


def morlet_waves(angles: int, octave: int, total: int) -> NDArray[np.float32]:
    """Return waves as squares of whole numbers: first the real parts, one for each angle, then the imaginary parts.

    Args:
        angles: how many, evenly spaced over half a turn.
        octave: the wave is 2^octave pixels as long as the finest.
        total: the sum of the absolute numbers of each part is at most this.

    Example:
        >>> morlet_waves(4, 0, 1 << 16).shape, bool(np.abs(morlet_waves(4, 0, 1 << 16)).sum(axis=(1, 2)).max() <= 65536)
        ((8, 7, 7), True)
    """
    deviation, turn = WIDTH * 2**octave, TURN / 2**octave
    side = np.arange(-reach_of(octave), reach_of(octave) + 1, dtype=np.float64)
    down, right = side[:, None], side[None, :]
    waves = []
    for angle in np.arange(angles) * (math.pi / angles):
        along = right * math.cos(angle) + down * math.sin(angle)
        across = (down * math.cos(angle) - right * math.sin(angle)) * (4 / angles)
        hill = np.exp(-(along**2 + across**2) / (2 * deviation**2))
        wave = hill * np.exp(1j * turn * along)
        waves.append(wave - hill * (wave.sum() / hill.sum()))  # no wave answers to what is equally bright everywhere
    parts = np.array([*(each.real for each in waves), *(each.imag for each in waves)])
    scale = total / np.abs(parts).sum(axis=(1, 2)).max()
    whole: NDArray[np.float32] = np.trunc(parts * scale).astype(np.float32)
    return whole


def reach_of(octave: int) -> int:
    """How many pixels such a wave has on each side of its middle."""
    return math.ceil(REACH * WIDTH * 2.0**octave)


def averages(pixels: int, stride: int, deviation: float, total: int) -> Floats:
    """Return whole weights, a row for each average: Gaussian hills on every stride-th pixel, mirrored at the ends.

    Args:
        pixels: how many there are.
        stride: how far hills are apart.
        deviation: of a hill, in pixels.
        total: the sum of a row is at most this.

    Example:
        >>> averages(4, 2, 0.5, 100).astype(int).tolist()
        [[78, 21, 0, 0], [0, 10, 78, 10]]
    """
    reach = math.ceil(REACH * deviation)
    steps = np.arange(-reach, reach + 1)
    hill = np.exp(-(steps**2) / (2 * deviation**2))
    hill *= total / hill.sum()
    weights = np.zeros((-(-pixels // stride), pixels))
    for place, row in enumerate(weights):
        np.add.at(row, mirrored(place * stride + steps, pixels), hill)
    return np.trunc(weights)


def mirrored(places: NDArray[np.intp], pixels: int) -> NDArray[np.intp]:
    """Places beyond the ends, as in two mirrors at the first and the last pixel.

    Example:
        >>> mirrored(np.array([-2, -1, 0, 3, 4, 5]), 4).tolist()
        [2, 1, 0, 3, 2, 1]
    """
    around = max(2 * (pixels - 1), 1)
    within = np.mod(places, around)
    found: NDArray[np.intp] = np.minimum(within, around - within)
    return np.minimum(found, pixels - 1)
