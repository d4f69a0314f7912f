"""Simulated noise: how else the noise of released numbers could have fallen. No random bits: always the same points.

A released number is the exact one plus noise of a known, symmetric law. So the exact one is the released one less a
noise that fell as the law says: what released numbers less simulated noise are, the exact numbers may be. This is
post-processing, and costs nothing.
"""

import hashlib
import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from privet.mechanisms import DiscreteLaplace, Gaussian
from privet.query.measures.noise_margin import Floats, Noise

REPLICATES = 1_000  # at 95 %
IN_TAILS = 50  # replicates beyond both ends together, at any confidence
MOST_REPLICATES = 20_000
SEED = b"privet: simulated noise"


def replicates_for(confidence: float) -> int | None:
    """How many replicates the ends of an interval are read off; None where that would be too many.

    Example:
        >>> replicates_for(0.95), replicates_for(0.99), replicates_for(0.9999)
        (1000, 5000, None)
    """
    wanted = max(REPLICATES, math.ceil(IN_TAILS / (1 - confidence) * (1 - 1e-9)))
    return wanted if wanted <= MOST_REPLICATES else None


@lru_cache(maxsize=64)
def noise_levels(noise: Noise, number: int) -> Floats:
    """The noise's quantiles at the middles of so many parts of equal probability, in order.

    Example:
        >>> from privet.mechanisms import Laplace
        >>> noise_levels(Laplace(l1_sensitivity=1, scale=1), 4).round(3) + 0.0
        array([-1.386, -0.288,  0.288,  1.386])
    """
    beyond = (np.arange(number // 2) + 0.5) / number  # the tails of the upper half, from the outside in
    scale = noise.uncertainty.scale
    if isinstance(noise, Gaussian):
        outer = -ndtri(beyond) * scale
    elif isinstance(noise, DiscreteLaplace):
        share = math.exp(-1 / scale)
        outer = np.maximum(np.ceil(-scale * np.log(beyond * (1 + share)) - 1 - 1e-12), 0.0)
    else:
        outer = -np.log(2 * beyond) * scale
    if step := getattr(noise.uncertainty, "step", 0.0):
        outer = np.rint(outer / step) * step  # a whole number plus noise is rounded as the noise is
    levels = np.concatenate([-outer, np.zeros(number % 2), outer[::-1]])
    levels.flags.writeable = False
    return levels


def shuffles(dimensions: int, number: int, *, seed: bytes = SEED) -> NDArray[np.int64]:
    """For each dimension an order of the levels, unlike that of any other, and the same every time.

    Each dimension has every level once (a Latin hypercube, McKay, Beckman and Conover 1979), in an order that a hash
    gives: dimensions are as independent as a hash is.
    """
    words = hashlib.shake_256(seed).digest(8 * dimensions * number)
    return np.frombuffer(words, "<u8").reshape(dimensions, number).argsort(axis=1)


def ends_of(replicates: Floats, confidence: float) -> tuple[Floats, Floats]:
    """The outer ends of the middle part of each column of replicates; infinite where too many have no value.

    Args:
        replicates: one row for each, one column for each number; NaN where a replicate has none.
        confidence: the share of the middle part.

    Example:
        >>> low, high = ends_of(np.arange(1000.0)[:, None], 0.95)
        >>> float(low[0]), float(high[0])
        (24.0, 975.0)
    """
    number = len(replicates)
    left = max(math.floor(number * (1 - confidence) / 2 * (1 + 1e-9)), 1) - 1
    missing = np.isnan(replicates)
    low = np.partition(np.where(missing, -np.inf, replicates), left, axis=0)[left]
    high = np.partition(np.where(missing, np.inf, replicates), number - 1 - left, axis=0)[number - 1 - left]
    return low, high
