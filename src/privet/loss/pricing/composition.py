"""Composition: the loss of many runs on the same data, by one Fourier transform.

Losses of independent runs add, so their masses convolve. Before the transform every mass is multiplied by
e^(tilt * loss) and normalised; afterwards the factor is divided out again. That is exact, it gathers the
numbers around the answer (Cramér's change of measure), and it turns the absolute rounding error of the
transform into a small relative error of delta, be delta 1e-2 or 1e-300.

Rounding of the transform. Let y be the transform of a tilted part p of total 1, and u = 2^-53. A transform of
size N errs by at most eta |y| in the Euclidean norm with eta = 16 u log2 N (Higham 2002, Theorem 24.2, has
about 7 u log2 N for powers of two; a factor of three is one more stage of sums of three terms, which errs by
less than (6 sqrt 3 + 4) u, where eta allows 16 u log2 3). A product of the y_i^n_i then errs, after the inverse
transform, in every entry by at most sum_i n_i eta |p_i| rms(y_i^(n_i - 1)), by Cauchy and Schwarz and |y_i| <= 1; the
rounding of the products and of the inverse transform is of the same form. Twice that bound is added to every entry
before anything is read. The transform of a loss of zero is the constant 1, so that mass m is left out of the transform
and added afterwards: of runs that hardly ever lose anything only the rest r errs by eta |r|, while the addition errs by
u |y| and the products by 4 u |y| for each run, where |y| = |p| <= m + |r|. So |p_i| may be |r_i| + 5 m_i u/eta instead.

Where that bound is a large part of a small delta, the transforms and products are computed in long floats, whose u is
smaller: the same code of the same library, so the same bound holds with that u. Masses and weights stay as they are.

Wrapping around. The transform is periodic: mass below the window reappears at its upper end, which only raises
delta. Mass above the window would be lost, so its largest possible contribution, e^(K - tilt * end), is added.
"""

import math
from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import fft

from privet.loss.curve import Array
from privet.loss.pricing.grid import CAREFUL, Atoms, Direction, lean_grid, scouted
from privet.loss.pricing.grid_layout import SMALL, GridLayout
from privet.loss.pricing.growing import Growing, Parts, Runs

UNIT = 2.0**-53
LONG = {63: 2.0**-64, 112: 2.0**-113}.get(np.finfo(np.longdouble).nmant, UNIT)  # of IEEE's long floats, if these are
OUTWARD = 2.0**-49  # relative error of a loss: of grid points, of a spacing that is no float, of an answer's logarithm
NEARBY = 4.0  # how far around the expected answer is looked first, in natural logarithms of delta
FARTHEST = 300.0  # and what is looked at later at once
SCARCE = 2.0**-900  # room below which weights that underflowed could matter
UNDERFLOW = 746.0  # e to minus this is 0 in floats
GENTLE = 300.0  # natural logarithm of how far apart weights may be that are multiplied without care


Values: TypeAlias = NDArray[np.complex128] | NDArray[np.clongdouble]


@dataclass(frozen=True)
class Spectrum:
    """The transform of one tilted part, and what is needed to bound its errors."""

    values: Values
    log_total: float
    beyond: float
    norm: float
    reach: float  # largest |tilt * loss|


@dataclass(frozen=True)
class Composition:
    """P[loss = (first + i) step] <= mass[i] e^(log_total - tilt * loss), for a window of losses around the answer."""

    layout: GridLayout
    mass: Array
    log_total: float
    noise: float
    beyond: float
    slack: float

    @property
    def losses(self) -> Array:
        """The losses of the window."""
        layout = self.layout
        return layout.step * np.arange(layout.first, layout.first + layout.size, dtype=np.float64)

    @property
    def lost(self) -> float:
        """Everything above the window, and everything of infinite loss."""
        end = (self.layout.first + self.layout.size) * self.layout.step
        return self.beyond + _exp(self.log_total - self.layout.tilt * end)

    def delta(self, epsilon: float) -> float:
        """E[(1 - e^(epsilon - loss))+], rounded up; 1 where the window begins too high to see it all."""
        layout = self.layout
        if not self.shows(epsilon):
            return 1.0
        start = min(max(math.floor(epsilon / layout.step) - layout.first, 0), layout.size)
        losses = layout.step * np.arange(layout.first + start, layout.first + layout.size, dtype=np.float64)
        gap = np.minimum(epsilon - losses - OUTWARD * np.abs(losses), 0.0)
        weight = np.exp(np.minimum(self.log_total - layout.tilt * losses, 700.0)) * -np.expm1(gap)
        return min(1.0, (float(np.sum(weight * self.mass[start:])) + self.lost) * (1 + self.slack))

    def allowance(self, epsilon: float) -> float:
        """How much of delta(epsilon) may be allowance for the rounding of the transform.

        The sum of e^(-tilt x) (1 - e^-x) over the multiples x > 0 of the step.
        """
        tilt, step = self.layout.tilt, self.layout.step
        weights = math.expm1(-step) / (math.expm1(-tilt * step) * math.expm1(-(tilt + 1) * step)) * -_exp(-tilt * step)
        return self.noise * _exp(self.log_total - tilt * epsilon) * weights

    def shows(self, epsilon: float) -> bool:
        """True if the window reaches below this epsilon, so that an answer there is no artefact of its edge."""
        return self.layout.first * self.layout.step <= epsilon

    def epsilon(self, delta: float) -> float:
        """The smallest epsilon >= 0 at which delta(epsilon) <= delta; inf if it lies above the window.

        Between grid points delta(epsilon) = a - b e^epsilon, with two sums over the losses above; both are
        running sums from the far end, so one pass gives delta at every grid point. The first pass looks around
        the expected answer only. If that was elsewhere, the next ones walk down from the end of the window, each over
        what floating point can hold at once.
        """
        layout = self.layout
        rounding = layout.size * 4 * UNIT * (layout.tilt + 2) + 2.0**-42  # of the sums, and of their weights
        share = delta / (1 + self.slack + rounding) - self.lost
        if share <= 0:
            return math.inf
        expected = layout.epsilon / layout.step - layout.first
        near = NEARBY / ((layout.tilt + 1.0) * layout.step)
        start = math.floor(expected - near)
        stop = math.ceil(expected + near / 4)
        if max(0, -layout.first) < start < stop < layout.size:
            found = self._crossing(start, stop, share)
            if self._loss(start) < found < math.inf:
                return found * (1 + OUTWARD)
        center = layout.epsilon
        while True:
            lowest = max(-layout.step, center - FARTHEST / (layout.tilt + 1.0))
            start = max(0, math.ceil(min(lowest / layout.step - layout.first, layout.size)) - 1)
            found = self._crossing(start, layout.size, share)
            if found > self._loss(start) or start == 0 or lowest < 0:
                return max(0.0, found) * (1 + OUTWARD)
            center = self._loss(start)

    def _loss(self, index: int) -> float:
        return self.layout.step * (self.layout.first + index)

    def profile(self, epsilon: Array) -> Array:
        """Delta at many epsilons >= 0; 1 below what the window can show."""
        layout, losses = self.layout, self.losses
        start = int(np.searchsorted(losses, layout.epsilon - 300.0 / (layout.tilt + 1.0)))
        away = np.clip(losses[start:] - layout.epsilon, -300.0, 600.0)
        height = self.mass[start:] * np.exp(-layout.tilt * away)
        total = np.cumsum(height[::-1])[::-1]
        shrunk = np.cumsum((height * np.exp(-away))[::-1])[::-1]
        reading = (total - np.exp(away) * shrunk) * (1 + away.size * 4 * UNIT) + total * (away.size * 4 * UNIT)
        with np.errstate(over="ignore"):
            delta = (reading * _exp(self.log_total - layout.tilt * layout.epsilon) + self.lost) * (1 + self.slack)
        at = np.exp(np.clip(epsilon * (1 - OUTWARD) - layout.epsilon, -600.0, 600.0))
        values = np.interp(at, np.exp(away), delta, left=1.0, right=1.0) if away.size else np.ones_like(epsilon)
        beyond = epsilon >= (losses[-1] if losses.size else math.inf)
        return np.where(beyond, min(1.0, self.lost * (1 + self.slack)), np.minimum(values, 1.0))

    @property
    def _seen(self) -> int:
        """How many grid points have a weight above 0 in floats, and two more."""
        away = self.layout.tilt * self.layout.step
        return self.layout.size if away * self.layout.size <= UNDERFLOW else math.ceil(UNDERFLOW / away) + 2

    def _crossing(self, start: int, stop: int, share: float) -> float:
        """Where delta falls to `share` between these grid points; the first if it is lower there, inf if above all.

        Proof: everything is scaled by e^(tilt * loss) at the first point, so no weight exceeds 1, and those that
            underflow are smaller than the room by far. An error in the weight of a loss is one in its mass, which
            `epsilon` allows for. Running sums of n terms err by n u, and a factor e^-x by less than if the loss were
            lower by (x + 4) u: both are added, to delta where it is compared and to the answer where it is solved for.
            So delta is low enough at the point that is found, and on the interval before it the equation is exact.
        """
        layout = self.layout
        first = self._loss(start)
        room = share * _exp(layout.tilt * first - self.log_total)
        if stop - start < 2 or room < SCARCE:  # noqa: PLR2004 - no interval to search
            return math.inf
        weights, growth = (_weights_again if layout.size <= SMALL else _weights)(layout.tilt, layout.step, self._seen)
        count = layout.size - start
        seen = min(count, self._seen)  # what lies beyond counts for nothing
        here = min(stop - start, seen)
        heights = self.mass[start : start + seen] * weights[:, :seen]
        sums = heights[:, here - 1 :: -1].cumsum(axis=1)[:, ::-1]
        if here < seen:
            sums += heights[:, here:].sum(axis=1, keepdims=True)
        total, shrunk = sums
        rounding = 4 * UNIT * (count * (1 + layout.step) + 4)
        reading = total[1:] * (1 + rounding) - growth[: here - 1] * shrunk[1:]  # delta at every point but the last
        place = int((reading <= room).argmax())
        if not reading[place] <= room:
            return math.inf
        if place == 0:
            return first
        if not shrunk[place] > 0:
            return self._loss(start + place)
        inside = math.log(max((total[place] - room) / shrunk[place], 5e-324)) + first + rounding
        return max(inside, self._loss(start + place - 1))


def _weights(tilt: float, step: float, size: int) -> tuple[Array, Array]:
    """The factors e^(-tilt x) and e^(-tilt x) e^-x, and e^x, at the distances x of the grid."""
    away = step * np.arange(size, dtype=np.float64)
    weight = np.exp(-tilt * away)
    return np.stack([weight, weight * np.exp(-away)]), np.exp(np.minimum(away, 600.0))


_weights_again = lru_cache(maxsize=16)(_weights)


@dataclass(frozen=True)
class Product:
    """The product of several spectra, with the sums of what bounds their errors."""

    values: Values
    log_total: float
    log_alive: float
    noise: float
    slack: float

    def __mul__(self, other: "Product") -> "Product":
        return Product(
            self.values * other.values,
            self.log_total + other.log_total,
            self.log_alive + other.log_alive,
            self.noise + other.noise,
            self.slack + other.slack,
        )


class Grid(NamedTuple):
    """What the transform of a part depends on, and is remembered by."""

    tilt: float
    step: float
    size: int
    cut: float
    precise: bool


def compose(parts: Parts, layout: GridLayout) -> Composition:
    """The composition of all parts, seen through the layout's window."""
    product = _multiplied(parts.runs, layout, layout.cut(parts.total))
    start = layout.first % layout.size
    wrapped = fft.irfft(product.values, layout.size).astype(np.float64, copy=False)
    noise = 32 * (LONG if layout.precise else UNIT) * math.log2(layout.size) * (product.noise + _norm(wrapped))
    mass = np.maximum(np.concatenate([wrapped[start:], wrapped[:start]]), 0.0)
    mass += noise
    beyond = abs(math.expm1(product.log_alive))
    return Composition(layout, mass, product.log_total, noise, beyond, product.slack + 2.0**-40)


def _multiplied(runs: Runs, layout: GridLayout, cut: float) -> Product:
    """The product of the spectra of these parts; that of a small grid is remembered, to be extended."""
    grid = Grid(layout.tilt, layout.step, layout.size, cut, layout.precise)

    def of(few: Runs) -> Product:
        make = _transformed_again if layout.size <= SMALL else _transformed
        return reduce(Product.__mul__, (repeated(make(part, grid), times, layout.size) for part, times in few))

    return _products.total(grid, runs, of) if layout.size <= SMALL else of(runs)


def repeated(part: Spectrum, times: int, size: int) -> Product:
    """The product of one spectrum with itself."""
    fewer = _power(part.values, times - 1)
    return Product(
        part.values if fewer is None else fewer * part.values,
        times * part.log_total,
        times * (math.log1p(-part.beyond) if part.beyond < 1 else -math.inf),
        times * part.norm * (1.0 if fewer is None else _rms(fewer, size)),
        times * 8 * UNIT * (2 + part.reach),
    )


def _power(values: Values, times: int) -> Values | None:
    """Raise to a power by squaring, each product rounding by less than 4 UNIT; None for the zeroth power."""
    result: Values | None = None
    square = values
    while times:
        if times & 1:
            result = square if result is None else result * square
        times >>= 1
        if times:
            square = square * square
    return result


def _rms(half: Values, size: int) -> float:
    """Root mean square over the whole circle, of which a real transform keeps half."""
    return math.sqrt(2 * float(np.sum(half.real**2 + half.imag**2)) / size)


def discretised(direction: Direction, step: float, cut: float, tilt: float) -> Atoms:
    """The part on the grid of the layout, cut off where at most `cut` of it remains."""
    top = float(direction.curve.largest_loss)
    bottom = -top
    if math.isinf(top):
        scout = scouted(direction, CAREFUL)
        top = scout.cut_above(cut)
        bottom = scout.cut_below(1e-18)
    high = max(1, math.ceil(top / step * (1 - 1e-12)))
    low = max(1, math.ceil(-bottom / step * (1 - 1e-12)))
    return lean_grid(direction, step, low, high, tilt)


def _transformed(direction: Direction, grid: Grid) -> Spectrum:
    atoms = discretised(direction, grid.step, grid.cut, grid.tilt)
    return tilted(atoms, grid.tilt, grid.step, grid.size, precise=grid.precise)


_transformed_again = lru_cache(maxsize=256)(_transformed)
_products = Growing(Product.__mul__)


def tilted(atoms: Atoms, tilt: float, step: float, size: int, *, precise: bool = False) -> Spectrum:
    """The transform of a loss distribution on the grid, seen through e^(tilt * loss).

    Every mass is scaled by its weight at the last loss. Weights that are far apart could underflow where they count, so
    they are then scaled by the largest product instead. What underflows else is far below the allowance for rounding.
    """
    lowest = float(atoms.losses[0])
    highest = float(atoms.losses[-1])
    count = len(atoms.mass)
    start = round(lowest / step)
    span = round((highest - lowest) / step) + 1
    if count == span <= size <= SMALL and tilt * (highest - lowest) < GENTLE:
        (weights, _), _ = _weights_again(tilt, step, size)
        weight = atoms.mass * weights[count - 1 :: -1]
        scale = tilt * highest
    else:
        with np.errstate(divide="ignore"):
            exponent = np.log(atoms.mass) + tilt * atoms.losses
        scale = float(exponent.max())
        weight = np.exp(exponent - (0.0 if math.isinf(scale) else scale))
    total = float(weight.sum())
    if total == 0:
        return Spectrum(np.zeros(size // 2 + 1, dtype=np.complex128), 0.0, 1.0, 0.0, 0.0)
    weight /= total
    circle = _circle(weight, start if count == span else np.rint(atoms.losses / step).astype(np.int64), size)
    log_total = scale + math.log(total)
    reach = tilt * max(abs(lowest), abs(highest)) + abs(scale) + abs(math.log(total))
    laid = circle if span > size else weight
    still = float(circle[0])
    circle[0] = 0.0
    values = fft.rfft(circle.astype(np.longdouble) if precise else circle)
    values += still
    norm = math.sqrt(max(float(laid @ laid) - still * still, 0.0)) + 5 * still / (16 * math.log2(size))
    return Spectrum(values, log_total, atoms.beyond, norm, reach)


def _circle(weight: Array, places: int | NDArray[np.int64], size: int) -> Array:
    """The weights laid around a circle of this size, at these places or side by side from one on."""
    count = len(weight)
    if not isinstance(places, int) or count > size:
        around = (np.arange(places, places + count) if isinstance(places, int) else places) % size
        return np.bincount(around, weights=weight, minlength=size).astype(np.float64, copy=False)
    circle = np.zeros(size)
    start = places % size
    before = min(count, size - start)
    circle[start : start + before] = weight[:before]
    circle[: count - before] = weight[before:]
    return circle


def _norm(values: Array) -> float:
    return math.sqrt(float(values @ values))


def _exp(exponent: float) -> float:
    return math.exp(min(exponent, 700.0))
