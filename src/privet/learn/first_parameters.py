"""First parameters of networks: public numbers that look random and are the same for everybody."""

import math

import numpy as np
from scipy import special

from privet.learn.features import Floats
from privet.learn.whole_network import WholeNetwork

WEYL, FIRST, SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
LAST = 0.1  # how much smaller the last weights are, so that nothing is told apart before the first step


def first_parameters(network: WholeNetwork, usual: float) -> Floats:
    """Return normal weights whose deviation is that of He et al. (2015), and constants of 0.

    Args:
        network: its layers.
        usual: about how long its rows are.
    """
    flat = np.zeros(network.count)
    place = 0
    for number, (weights, _) in enumerate(network.parts(flat)):
        inputs, outputs = weights.shape
        deviation = math.sqrt(2) / (usual if number == 0 else math.sqrt(inputs))
        if number + 1 == len(network.shapes):
            deviation *= LAST if number else 0.0
        weights[:] = deviation * public_normals(place, weights.size).reshape(inputs, outputs)
        place += weights.size
    return flat


def public_normals(first: int, count: int) -> Floats:
    """Normal quantiles of hashed places (Steele, Lea and Flood 2014): they need only look random.

    Example:
        >>> public_normals(0, 3).round(3).tolist() == public_normals(0, 4)[:3].round(3).tolist()
        True
    """
    mixed = (np.arange(first + 1, first + count + 1, dtype=np.uint64)) * np.uint64(WEYL)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(FIRST)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(SECOND)
    mixed ^= mixed >> np.uint64(31)
    found: Floats = special.ndtri(((mixed >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52)
    return found
