"""SeededDirections: uniform directions that devices and collectors make of one public seed."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, betainc, betaln, ndtri

SEEDS = 1 << 56
NODES = 400  # of Gauss and Legendre, for means that are right to twelve digits
REACH = 12  # deviations of an inner product, beyond which nothing is
_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIXES = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SeededDirections:
    """`pairs` directions u for each seed, and their opposites: number 2 i is the i-th, number 2 i + 1 is its opposite.

    A direction is a row of normal numbers divided by its length, made of SplitMix64 (Steele, Lea and Flood 2014).

    Args:
        dimensions: d >= 2.
        pairs: H >= 1.

    Privacy: directions are public. How well they are spread decides how well they estimate, nothing else.

    Example:
        >>> SeededDirections(dimensions=2, pairs=1).of(np.array([7, 7]), np.array([0, 1])).sum(axis=0).tolist()
        [0.0, 0.0]
    """

    dimensions: int
    pairs: int

    def of(self, seeds: NDArray[Any], numbers: NDArray[Any]) -> Floats:
        """One direction a row, by its seed and its number."""
        rows = self._rows(seeds, numbers // 2)
        return np.where(numbers % 2 == 1, -1.0, 1.0)[:, None] * rows

    def ranked(self, seeds: NDArray[Any], wanted: Floats) -> NDArray[np.int64]:
        """For each seed all numbers of directions, once each, the nearest to the wanted one first.

        The order is that of |<u, w>|: first of each pair the direction on the wanted side, then the opposites.
        """
        rows = self._rows(seeds[:, None], np.arange(self.pairs)[None])
        products = np.einsum("nhd,nd->nh", rows, wanted)
        order = np.argsort(-np.abs(products), axis=1)
        near = 2 * order + (np.take_along_axis(products, order, axis=1) < 0)
        return np.hstack([near, near ^ 1]).astype(np.int64, copy=False)

    @cached_property
    def nearest_means(self) -> Floats:
        """The mean of <u, w> over the t nearest of the directions, for t = 1 to H, over all seeds.

        Proof: |<u, w>| = sin θ has the density 2 cos^(d-2) θ/B(1/2, (d-1)/2), and exceeds it with the probability S(θ)
            = I_{cos² θ}((d-1)/2, 1/2). A pair is among the t nearest if at most t - 1 of the H - 1 others exceed it;
            so their sum has the mean H ∫ sin θ P[Bin(H - 1, S(θ)) < t] density dθ.
        """
        rest = (self.dimensions - 1) / 2
        places, parts = np.polynomial.legendre.leggauss(NODES)
        half = min(np.pi / 2, REACH / np.sqrt(self.dimensions)) / 2
        angles = half * (places + 1)
        density = 2 * np.exp((self.dimensions - 2) * np.log(np.cos(angles)) - betaln(0.5, rest))
        nearest = np.arange(1, self.pairs + 1)
        among = bdtr(nearest[:, None] - 1.0, self.pairs - 1, betainc(rest, 0.5, np.cos(angles) ** 2)[None])
        means: Floats = self.pairs * (among @ (half * parts * density * np.sin(angles))) / nearest
        return means

    def _rows(self, seeds: NDArray[Any], pairs: NDArray[Any]) -> Floats:
        counters = np.arange(1, self.dimensions + 1) + self.dimensions * pairs[..., None]
        states = seeds.astype(np.uint64)[..., None] + counters.astype(np.uint64) * _STEP
        normal = _normal(_mixed(states))
        rows: Floats = normal / np.sqrt((normal**2).sum(axis=-1, keepdims=True))
        return rows


def _normal(words: NDArray[np.uint64]) -> Floats:
    """Normal numbers, finite and not 0: a half and 52 bits fit a float exactly, so that none rounds to 1."""
    numbers: Floats = ndtri(((words >> np.uint64(12)).astype(np.float64) + 0.5) / 2**52)
    return numbers


def _mixed(states: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """What SplitMix64 makes of its states."""
    for shift, factor in _MIXES:
        states = (states ^ (states >> np.uint64(shift))) * np.uint64(factor)
    return states ^ (states >> np.uint64(31))
