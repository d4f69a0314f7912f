"""noise_margin: how far a weighted sum of independent noises may lie from 0."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from privet.core.uncertainty import UP, refuse_certainty
from privet.mechanisms import DiscreteLaplace, Gaussian, Laplace

Floats = NDArray[np.float64]
Noise = Laplace | DiscreteLaplace | Gaussian
APART = 1e-3  # relative distance by which equal scales are drawn apart, upward
HALVINGS = 60
FEW = 3  # noises whose tail is a short sum of exponentials; of more that are alike, the terms cancel beyond 53 bits
REACH = 60  # largest scales: farther than this a sum of a few noises is not, but for 1e-10
DEVIATIONS = 9  # standard deviations: farther than this a sum of very many is not
NOTHING = 1e-9  # a weight beside the largest of its sum that is left out, and made up for by the others
NODES = (256, 1024, 4096)  # of the sum of sines, as few as will do
TRIED = 14  # halvings of the margin of many
CHUNK = 1 << 20  # numbers held at once
TILTS = np.linspace(0.05, 0.95, 19)  # of Chernoff's bounds
RAREST = 1e-8  # below this tail the sum of sines says nothing


def noise_margin(weights: Floats, noise: Noise, confidence: float) -> Floats:
    """A distance that |sum of weight × noise| exceeds with probability at most 1 - confidence, for each row of weights.

    Args:
        weights: one row for each sum, one column for each independent noise.
        noise: the mechanism that drew them; its scale is the unit of the weights.
        confidence: between 0 and 1, both excluded.

    Proof: one noise: the mechanism's own law. Gaussian: the sum is Gaussian with the Euclidean length of the weights.
        Laplace: with distinct scales s_j, the characteristic function is the product of 1/(1 + s_j² w²); by partial
        fractions the tail is the sum of s_j^(2k-2) / prod_{i != j} (s_j² - s_i²) e^(-t/s_j). Equal scales are first
        drawn a little apart, upward, which only widens a sum of symmetric unimodal laws (Birnbaum 1948). More than
        three: `_margin_of_many`. Each cell is
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
    if sizes.shape[1] <= FEW:
        return np.asarray(_laplace_margin(sizes * error.scale * UP, 1 - confidence) * UP + slack)
    if (sizes > NOTHING * sizes.max(axis=1, keepdims=True)).all():
        return np.asarray(_margin_of_many(sizes * error.scale * UP, 1 - confidence) * UP + slack)
    return np.asarray(np.array([_of_row(row, noise, confidence) for row in sizes]) + slack)


def _of_row(sizes: Floats, noise: Noise, confidence: float) -> float:
    """The margin of one sum of many Laplace noises, of which those that count for nothing are left out.

    Proof: a noise of a part in a billion of the largest scale moves the sum by more than forty such parts with
        probability e^-40; forty times the sizes that are left out are added.
    """
    least = NOTHING * sizes.max()
    used = sizes[sizes > least]
    left_out = 40 * float(sizes[sizes <= least].sum()) * noise.uncertainty.scale
    if not used.size:
        return 0.0
    if used.size == 1:
        return float(used[0]) * noise.uncertainty.margin(confidence) + left_out
    margin_of = _laplace_margin if used.size <= FEW else _margin_of_many
    scales = used[None, :] * noise.uncertainty.scale * UP
    return float(margin_of(scales, 1 - confidence)[0]) * UP + left_out


def sum_margin(parts: Sequence[tuple[Floats, Noise]], confidence: float) -> float | None:
    """The same for one sum of noises of several mechanisms; None where their laws are of different kinds.

    Args:
        parts: the weights of each mechanism's own noises, with the mechanism.
        confidence: between 0 and 1, both excluded.

    Proof: noises of one kind with scales of their own are noises of one scale with weights of their own, as
        `noise_margin` takes them: the largest scale is the unit. What is rounded is added for each.

    Example:
        >>> one, two = Gaussian(l2_sensitivity=1, scale=3), Gaussian(l2_sensitivity=1, scale=4)
        >>> round(sum_margin([(np.ones(1), one), (np.ones(1), two)], 0.95) / one.uncertainty.margin(0.95) * 3, 3)
        5.0
    """
    used = [(weights, noise) for weights, noise in parts if weights.any()]
    if not used:
        return 0.0
    if len(used) == 1:
        return float(noise_margin(used[0][0][None, :], used[0][1], confidence)[0])
    if len({isinstance(noise, Gaussian) for _, noise in used}) > 1:
        return None
    widest = max((noise for _, noise in used), key=lambda noise: noise.uncertainty.scale)
    whole = any(isinstance(noise, DiscreteLaplace) for _, noise in used)
    unit = widest.uncertainty.scale
    joint = np.concatenate([weights * (noise.uncertainty.scale / unit) for weights, noise in used])
    alike = Laplace(l1_sensitivity=1, scale=unit) if whole else widest
    steps = [1.0 if isinstance(noise, DiscreteLaplace) else noise.uncertainty.step / 2 for _, noise in used]
    slack = sum(float(np.abs(weights).sum()) * step for (weights, _), step in zip(used, steps, strict=True))
    return float(noise_margin(joint[None, :], alike, confidence)[0]) + slack


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


def _margin_of_many(scales: Floats, tail: float) -> Floats:
    """The same for many noises, from their characteristic function.

    Proof: in units of the largest scale let φ(w) be the product of 1/(1 + s_j² w²), and h = π / R, where R is REACH, or
        several standard deviations. By Poisson's formula h t / π + 2/π Σ φ(n h) sin(n h t) / n is the probability
        that |S|, wrapped around at 2 R, is at most t. That is too much by at most Pr[|S| >= R], which Chernoff's bound
        is taken for. Leaving out what is beyond N nodes, Ω = N h, errs by at most
        2/π φ(Ω) Σ (N/n)² / n <= φ(Ω) (1 + 1/Ω²) / π. Both are added to the tail. Halving starts from Chernoff's bound
        and keeps the outer end.
    """
    largest = np.maximum(scales.max(axis=1), 1e-300)
    unit = scales / largest[:, None]
    high = _chernoff(unit, tail)
    if tail < RAREST or not len(unit):
        return np.asarray(high * largest)
    reach = np.maximum(REACH, DEVIATIONS * np.sqrt(2 * (unit**2).sum(axis=1)))
    wrapped = _beyond(unit, reach)
    for nodes in NODES:
        end = nodes * np.pi / reach
        left = np.prod(1 / (1 + (unit * end[:, None]) ** 2), axis=1) * (1 + 1 / end**2) / np.pi + wrapped
        if left.max() < tail / 1000:
            break
    few = max(1, CHUNK // nodes)
    parts = [slice(start, start + few) for start in range(0, len(unit), few)]
    found = [_halved(unit[part], high[part], left[part], reach[part], nodes, tail) for part in parts]
    return np.asarray(np.concatenate(found) * largest)


def _chernoff(unit: Floats, tail: float) -> Floats:
    """A distance beyond which the sum is with probability at most `tail`: the best of several exponential bounds."""
    return np.asarray(((_tilted(unit) + np.log(2 / tail)) / TILTS).min(axis=1))


def _beyond(unit: Floats, distance: Floats) -> Floats:
    """What the probability that the sum is beyond a distance is below: the best of the same bounds."""
    return np.asarray(2 * np.exp((_tilted(unit) - distance[:, None] * TILTS).min(axis=1)))


def _tilted(unit: Floats) -> Floats:
    """The logarithm of the mean of e^(tilt × sum), for each tilt."""
    return np.asarray(-np.log1p(-((unit[:, :, None] * TILTS) ** 2)).sum(axis=1))


def _halved(unit: Floats, high: Floats, left: Floats, reach: Floats, nodes: int, tail: float) -> Floats:  # noqa: PLR0913, PLR0917 - numbers of one search
    steps = np.arange(1, nodes + 1) * np.pi / reach[:, None]
    law = 1 / np.arange(1, nodes + 1) * np.ones((len(unit), 1))
    for column in range(unit.shape[1]):
        law /= 1 + (unit[:, column, None] * steps) ** 2
    low = np.zeros(len(unit))
    for _ in range(TRIED):
        middle = (low + high) / 2
        within = middle / reach + 2 / np.pi * (law * np.sin(middle[:, None] * steps)).sum(axis=1)
        beyond = 1 - within + left > tail
        low, high = np.where(beyond, middle, low), np.where(beyond, high, middle)
    return high
