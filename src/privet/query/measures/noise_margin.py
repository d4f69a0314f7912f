"""noise_margin: how far a weighted sum of independent noises may lie from 0."""

import numpy as np
from numpy.typing import NDArray

from privet.core.uncertainty import UP, refuse_certainty
from privet.mechanisms import DiscreteLaplace, Gaussian, Laplace

Floats = NDArray[np.float64]
Noise = Laplace | DiscreteLaplace | Gaussian
APART = 1e-3  # relative distance by which equal scales are drawn apart, upward
HALVINGS = 60


def noise_margin(weights: Floats, noise: Noise, confidence: float) -> Floats:
    """A distance that |sum of weight × noise| exceeds with probability at most 1 - confidence, for each row of weights.

    Args:
        weights: one row for each sum, one column for each independent noise.
        noise: the mechanism that drew them; its scale is the unit of the weights.
        confidence: between 0 and 1, both excluded.

    Proof: one noise: the mechanism's own law. Gaussian: the sum is Gaussian with the Euclidean length of the weights.
        Laplace: with distinct scales s_j, the characteristic function is the product of 1/(1 + s_j² w²); by partial
        fractions the tail is the sum of s_j^(2k-2) / prod_{i != j} (s_j² - s_i²) e^(-t/s_j). Equal scales are first
        drawn a little apart, upward, which only widens a sum of symmetric unimodal laws (Birnbaum 1948). Each cell is
        rounded by half a step; a discrete Laplace number lies within one step of a continuous one (same quantiles:
        2 t^k/(1+t) lies between t^k and t^(k-1)).

    Example:
        >>> noise_margin(np.array([[1.0, 1.0]]), Laplace(l1_sensitivity=1, scale=1), 0.95).round(2)
        array([4.12])
    """
    refuse_certainty(confidence, "confidence")
    sizes = np.abs(np.atleast_2d(weights))
    error = noise.uncertainty
    if sizes.shape[1] == 1:
        return np.asarray(sizes[:, 0] * error.margin(confidence))
    step = 1.0 if isinstance(noise, DiscreteLaplace) else getattr(error, "step", 0.0) / 2
    slack = sizes.sum(axis=1) * step
    if isinstance(noise, Gaussian):
        alone = error.margin(confidence)
        return np.asarray(np.sqrt((sizes**2).sum(axis=1)) * alone * UP + slack)
    return np.asarray(_laplace_margin(sizes * error.scale * UP, 1 - confidence) * UP + slack)


def _laplace_margin(scales: Floats, tail: float) -> Floats:
    """Solve for the distance at which the tail of a sum of Laplace noises is `tail`, by halving, from above."""
    apart = np.sort(np.maximum(scales, scales.max(axis=1, keepdims=True) * 1e-4 + 1e-300), axis=1)
    for column in range(1, apart.shape[1]):
        apart[:, column] = np.maximum(apart[:, column], apart[:, column - 1] * (1 + APART))
    shares = np.ones_like(apart)
    for one in range(apart.shape[1]):
        for other in range(apart.shape[1]):
            if one != other:
                shares[:, one] /= 1 - (apart[:, other] / apart[:, one]) ** 2
    low = np.zeros(len(apart))
    high = apart.sum(axis=1) * (apart.shape[1] - np.log(tail))
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        beyond = (shares * np.exp(-middle[:, None] / apart)).sum(axis=1)
        low, high = np.where(beyond > tail, middle, low), np.where(beyond > tail, high, middle)
    return np.asarray(high)
