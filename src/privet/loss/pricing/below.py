"""Below: what a composition certainly costs, to show how little the upper bounds give away.

Optimistic discretisation. With the atoms q_j (Q-masses at x_j = e^(loss j)) of the polygon through the curve,
convexity bounds the curve from below on each cell by the neighboring chords, so a chord lowered by
g_j = w_j q_j q_(j+1) / (q_j + q_(j+1)), w_j the width of the cell, lies below the curve everywhere. The upper envelope
of these lines is again a polygon with the same q_j, bent at x_j + (g_j - g_(j-1))/q_j: within O(step^2) of the grid.
Moving the bends down (to the grid, less one common shift) only lowers it.
"""

import math
from functools import reduce

import numpy as np

from privet.loss.curve import Array
from privet.loss.pricing.composition import UNIT, Product, Spectrum, repeated, tilted
from privet.loss.pricing.figures import epsilon, largest_loss
from privet.loss.pricing.grid import CAREFUL, Atoms, lean_grid, scouted
from privet.loss.pricing.grid_layout import TILTS, GridLayout, layout_for, moments
from privet.loss.pricing.growing import Parts
from privet.loss.pricing.solving import solved

GIVEN_UP = 2.0**-36  # relative error that a curve's own values may have
COARSE = 30.0  # a step so wide that a lowered chord would vanish: nothing is claimed then
FAR = 2.8  # natural logarithm of how much steeper or gentler the tilts are that bound what strays
GUARD = 14.0  # how much less may stray from the window than for an upper bound, in natural logarithms


def lowered(atoms: Atoms, step: float, tilt: float) -> tuple[Atoms, float]:
    """Atoms on the grid that stay below the curve once every loss is reduced by the returned shift."""
    mass = atoms.mass.copy()
    losses = atoms.losses
    mass[0] = 0.0  # what lies left of the grid is given up
    gap = np.diff(losses)
    with np.errstate(divide="ignore", invalid="ignore"):
        right = np.nan_to_num(mass[1:] * np.exp(-gap) / (mass[:-1] + mass[1:] * np.exp(-gap)))
        left = np.nan_to_num(mass[:-1] / (mass[:-1] + mass[1:] * np.exp(-gap)))
    bend = np.log1p(np.append(np.expm1(gap) * right, 0.0) + np.insert(np.expm1(-gap) * left, 0, 0.0))
    places = np.where(mass > 0, losses + bend, math.inf)
    places = np.minimum.accumulate(places[::-1])[::-1]
    kept = mass > 0
    places, losses, mass = places[kept], losses[kept], mass[kept]
    shift = _best_shift(losses - places, mass, tilt * losses, step) + 1e-8 * step
    index = np.floor((places + shift) / step - 1e-9)
    moved = mass * np.exp(step * index - shift - losses) * (1 - GIVEN_UP)
    first = int(index[0]) if index.size else 0
    summed = np.bincount((index - first).astype(np.int64), weights=moved, minlength=1).astype(np.float64)
    return Atoms(step * (first + np.arange(len(summed), dtype=np.float64)), summed, 0.0), shift


def _best_shift(deficit: Array, mass: Array, exponent: Array, step: float) -> float:
    """The shift that costs least: all atoms pay it, and those that need more pay a whole step."""
    if not mass.size:
        return 0.0
    weight = np.log(mass) + exponent
    weight = np.exp(weight - np.max(weight))
    order = np.argsort(deficit)
    above = 1.0 - np.cumsum(weight[order]) / weight.sum()
    shifts = np.maximum(deficit[order], 0.0)
    return float(shifts[np.argmin(shifts + step * above)])


def epsilon_below(parts: Parts, delta: float) -> float:
    """An epsilon at which delta(epsilon) is certainly larger than delta; 0 if none was found."""
    certain = _unbounded_below(parts)
    if certain > delta:
        return math.inf
    if largest_loss(parts) == 0:
        return 0.0
    if len(parts) == 1 and parts[0][1] == 1:
        return solved(parts[0][0].ahead, delta * (1 + GIVEN_UP)) * (1 - GIVEN_UP)
    layout = layout_for(parts, log_delta=math.log(max(delta - certain, 1e-300)), scouts=CAREFUL, guard=GUARD)
    product, shift, astray = _product_below(parts, layout) if layout.step <= COARSE else (None, 0.0, 0.0)
    if product is None:
        return 0.0
    mass = np.roll(np.fft.irfft(product.values, layout.size), -(layout.first % layout.size))
    noise = 32 * UNIT * math.log2(layout.size) * (product.noise + math.sqrt(float(np.sum(mass * mass))))
    mass = np.maximum(mass - noise, 0.0)
    losses = layout.step * np.arange(layout.first, layout.first + layout.size, dtype=np.float64)

    def delta_at(level: float) -> float:
        start = int(np.searchsorted(losses, level, side="right"))
        exponent = np.minimum(product.log_total - layout.tilt * losses[start:], 700.0)
        seen = float(np.sum(mass[start:] * np.exp(exponent) * -np.expm1(level - losses[start:])))
        doubtful = astray * math.exp(min(product.log_total - layout.tilt * level, 700.0))
        return certain + max(0.0, seen * (1 - product.slack - 2.0**-30) - doubtful)

    top = min(epsilon(parts, delta), float(losses[-1])) + shift
    ladder = top * (1 - 2.0 ** (-np.arange(41.0) / 2))  # ever closer to the upper bound
    sure = [i for i, point in enumerate(ladder) if delta_at(float(point)) > delta]
    if not sure:
        return 0.0
    low = float(ladder[sure[-1]])
    high = float(np.append(ladder, top)[sure[-1] + 1])
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if delta_at(middle) > delta else (low, middle)
    return max(0.0, low - shift)


def _product_below(parts: Parts, layout: GridLayout) -> tuple[Product | None, float, float]:
    """The product of the spectra, how much every loss must be reduced, and how much may have strayed into the window.

    Losses beyond the layout's cut are given up.
    """
    products = []
    shift = 0.0
    away = np.abs(np.log(TILTS / layout.tilt))
    tilts = TILTS[(away > 0) & (away < FAR)]
    logs = np.zeros_like(tilts)
    for direction, times in parts:
        scout = scouted(direction, CAREFUL)
        high = math.ceil(scout.cut_above(layout.cut(parts.total)) / layout.step) + 2
        low = math.ceil(-scout.cut_below(1e-18) / layout.step) + 2
        atoms, one = lowered(lean_grid(direction, layout.step, low, high, layout.tilt), layout.step, layout.tilt)
        part: Spectrum | None = tilted(atoms, layout.tilt, layout.step, layout.size) if atoms.mass.sum() > 0 else None
        if part is None:
            return None, 0.0, 0.0
        products.append(repeated(part, times, layout.size))
        shift += times * one
        logs += times * moments(atoms, tilts).logs
    product = reduce(Product.__mul__, products)
    return product, shift * (1 + 1e-12), _astray(layout, tilts, logs - product.log_total)


def _astray(layout: GridLayout, tilts: Array, rise: Array) -> float:
    """A bound of the tilted mass outside the window, which the transform folded into it (Chernoff)."""
    first = layout.first * layout.step
    end = (layout.first + layout.size) * layout.step
    exponents = rise + (layout.tilt - tilts) * np.where(tilts < layout.tilt, first, end)
    outside = [math.exp(float(exponents[side].min(initial=0.0))) for side in (tilts < layout.tilt, tilts > layout.tilt)]
    return min(1.0, sum(outside) * (1 + 2.0**-20))


def _unbounded_below(parts: Parts) -> float:
    """The probability of infinite loss, rounded down."""
    alive = 0.0
    for direction, times in parts:
        beyond = scouted(direction, CAREFUL).unbounded
        alive += times * (math.log1p(-beyond) if beyond < 1 else -math.inf)
    return -math.expm1(alive) * (1 - GIVEN_UP) + 0.0
