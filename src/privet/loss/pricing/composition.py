"""Composition: the loss of many runs on the same data, by one Fourier transform.

Losses of independent runs add, so their masses convolve. Before the transform every mass is multiplied by
e^(tilt * loss) and normalised; afterwards the factor is divided out again. That is exact, it gathers the
numbers around the answer (Cramér's change of measure), and it turns the absolute rounding error of the
transform into a small relative error of delta, be delta 1e-2 or 1e-300.

Rounding of the transform. Let y be the transform of a tilted part p of total 1, and u = 2^-53. A transform of
size N errs by at most eta |y| in the Euclidean norm with eta = 16 u log2 N (Higham 2002, Theorem 24.2, has
about 7 u log2 N). A product of the y_i^n_i then errs, after the inverse transform, in every entry by at most
sum_i n_i eta |p_i| rms(y_i^(n_i - 1)), by Cauchy and Schwarz and |y_i| <= 1; the rounding of the products and of
the inverse transform is of the same form. Twice that bound is added to every entry before anything is read.

Wrapping around. The transform is periodic: mass below the window reappears at its upper end, which only raises
delta. Mass above the window would be lost, so its largest possible contribution, e^(K - tilt * end), is added.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from privet.loss.curve import Array
from privet.loss.pricing.grid import QUICK, Atoms, Direction, connect_the_dots, scouted
from privet.loss.pricing.plan import SMALL, Parts, Plan

UNIT = 2.0**-53
OUTWARD = 2.0**-49  # relative error of a loss: of grid points, of a spacing that is no float, of an answer's logarithm
REMEMBERED = 64  # grids whose last product is kept
NEGLECTED = 1e-9  # share of delta that may become infinite loss when a curve is cut off


@dataclass(frozen=True)
class Spectrum:
    """The transform of one tilted part, and what is needed to bound its errors."""

    values: NDArray[np.complex128]
    log_total: float
    beyond: float
    norm: float
    reach: float  # largest |tilt * loss|


@dataclass(frozen=True)
class Composition:
    """P[loss = (first + i) step] <= mass[i] e^(log_total - tilt * loss), for a window of losses around the answer."""

    plan: Plan
    mass: Array
    log_total: float
    noise: float
    beyond: float
    slack: float

    @property
    def losses(self) -> Array:
        """The losses of the window."""
        plan = self.plan
        return plan.step * np.arange(plan.first, plan.first + plan.size, dtype=np.float64)

    @property
    def lost(self) -> float:
        """Everything above the window, and everything of infinite loss."""
        end = (self.plan.first + self.plan.size) * self.plan.step
        return self.beyond + _exp(self.log_total - self.plan.tilt * end)

    def delta(self, epsilon: float) -> float:
        """E[(1 - e^(epsilon - loss))+], rounded up; 1 where the window begins too high to see it all."""
        plan = self.plan
        if not self.shows(epsilon):
            return 1.0
        start = min(max(math.floor(epsilon / plan.step) - plan.first, 0), plan.size)
        losses = plan.step * np.arange(plan.first + start, plan.first + plan.size, dtype=np.float64)
        gap = np.minimum(epsilon - losses - OUTWARD * np.abs(losses), 0.0)
        weight = np.exp(np.minimum(self.log_total - plan.tilt * losses, 700.0)) * -np.expm1(gap)
        return min(1.0, (float(np.sum(weight * self.mass[start:])) + self.lost) * (1 + self.slack))

    def allowance(self, epsilon: float) -> float:
        """How much of delta(epsilon) may be allowance for the rounding of the transform."""
        plan = self.plan
        return self.noise * _exp(self.log_total - plan.tilt * epsilon) / -math.expm1(-plan.tilt * plan.step)

    def shows(self, epsilon: float) -> bool:
        """True if the window reaches below this epsilon, so that an answer there is no artefact of its edge."""
        return self.plan.first * self.plan.step <= epsilon

    def epsilon(self, delta: float) -> float:
        """The smallest epsilon >= 0 at which delta(epsilon) <= delta; inf if it lies above the window.

        Between grid points delta(epsilon) = a - b e^epsilon, with two sums over the losses above; both are
        running sums from the far end, so one pass gives delta at every grid point. The sums are scaled around
        a center, which walks down if the answer lies below what floating point can hold at once.
        """
        losses, center = self.losses, self.plan.epsilon
        share = delta / (1 + self.slack + losses.size * 4 * UNIT * (self.plan.tilt + 2)) - self.lost
        if share <= 0:
            return math.inf
        while True:
            lowest = max(-self.plan.step, center - 300.0 / (self.plan.tilt + 1.0))
            start = max(0, int(np.searchsorted(losses, lowest)) - 1)
            found = self._crossing(losses[start:], start, center, share)
            if found > losses[start] or start == 0 or lowest < 0:
                return max(0.0, found) * (1 + OUTWARD)
            center = float(losses[start])

    def profile(self, epsilon: Array) -> Array:
        """Delta at many epsilons >= 0; 1 below what the window can show."""
        plan, losses = self.plan, self.losses
        start = int(np.searchsorted(losses, plan.epsilon - 300.0 / (plan.tilt + 1.0)))
        away = np.clip(losses[start:] - plan.epsilon, -300.0, 600.0)
        height = self.mass[start:] * np.exp(-plan.tilt * away)
        total = np.cumsum(height[::-1])[::-1]
        shrunk = np.cumsum((height * np.exp(-away))[::-1])[::-1]
        reading = (total - np.exp(away) * shrunk) * (1 + away.size * 4 * UNIT) + total * (away.size * 4 * UNIT)
        with np.errstate(over="ignore"):
            delta = (reading * _exp(self.log_total - plan.tilt * plan.epsilon) + self.lost) * (1 + self.slack)
        at = np.exp(np.clip(epsilon * (1 - OUTWARD) - plan.epsilon, -600.0, 600.0))
        values = np.interp(at, np.exp(away), delta, left=1.0, right=1.0) if away.size else np.ones_like(epsilon)
        beyond = epsilon >= (losses[-1] if losses.size else math.inf)
        return np.where(beyond, min(1.0, self.lost * (1 + self.slack)), np.minimum(values, 1.0))

    def _crossing(self, losses: Array, start: int, center: float, share: float) -> float:
        """Where delta falls to `share` among these losses; the first of them if it is already lower there."""
        if losses.size < 2:  # noqa: PLR2004 - no interval to search
            return math.inf
        away = losses - center
        height = self.mass[start:] * np.exp(np.minimum(-self.plan.tilt * away, 340.0))
        total = np.cumsum(height[::-1])[::-1]
        shrunk = np.cumsum((height * np.exp(np.minimum(-away, 340.0)))[::-1])[::-1]
        room = share * _exp(self.plan.tilt * center - self.log_total)
        reading = total[1:] - np.exp(np.minimum(away[:-1], 600.0)) * shrunk[1:]  # delta at losses[:-1]
        enough = np.flatnonzero(reading <= room)
        if not enough.size:
            return math.inf
        first = int(enough[0])
        if first == 0:
            return float(losses[0])
        if not shrunk[first] > 0:
            return float(losses[first])
        rounding = 4 * UNIT * (losses.size - first)  # of the running sums, whose difference may be all but cancelled
        inside = math.log(max((total[first] - room) / shrunk[first], 5e-324)) + center + rounding
        return max(inside, float(losses[first - 1]))


@dataclass(frozen=True)
class Product:
    """The product of several spectra, with the sums of what bounds their errors."""

    values: NDArray[np.complex128]
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


def compose(parts: Parts, plan: Plan) -> Composition:
    """The composition of all parts, seen through the plan's window."""
    product = _multiplied(frozenset(parts), plan, _cut(plan, sum(times for _, times in parts)))
    mass = np.roll(np.fft.irfft(product.values, plan.size), -(plan.first % plan.size))
    noise = 32 * UNIT * math.log2(plan.size) * (product.noise + _norm(mass))
    beyond = abs(math.expm1(product.log_alive))
    return Composition(plan, np.maximum(mass, 0.0) + noise, product.log_total, noise, beyond, product.slack + 2.0**-40)


def _multiplied(parts: frozenset[tuple[Direction, int]], plan: Plan, cut: float) -> Product:
    """The product of the spectra of these parts.

    The last product of each grid is remembered: a loss that is priced after every spend is multiplied by the latest
    spend only. Up to the order of the factors, the result is the same with and without a memory.
    """
    key = (plan.tilt, plan.step, plan.size, cut)
    known, product = _products.get(key, (frozenset(), None))
    if not known <= parts:
        known, product = frozenset(), None
    make = _transformed_again if plan.size <= SMALL else _transformed
    for direction, times in parts - known:
        more = repeated(make(direction, *key), times, plan.size)
        product = more if product is None else product * more
    assert product is not None  # noqa: S101 - an empty loss is never composed
    if plan.size <= SMALL:
        _products[key] = (parts, product)
        for old in list(_products)[:-REMEMBERED]:
            _products.pop(old, None)
    return product


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


def _power(values: NDArray[np.complex128], times: int) -> NDArray[np.complex128] | None:
    """Raise to a power by squaring, each product rounding by less than 4 UNIT; None for the zeroth power."""
    result: NDArray[np.complex128] | None = None
    square = values
    while times:
        if times & 1:
            result = square if result is None else result * square
        times >>= 1
        if times:
            square = square * square
    return result


def _rms(half: NDArray[np.complex128], size: int) -> float:
    """Root mean square over the whole circle, of which a real transform keeps half."""
    return math.sqrt(2 * float(np.sum(half.real**2 + half.imag**2)) / size)


def _cut(plan: Plan, runs: int) -> float:
    """The infinite loss that one run may be charged for cutting off its curve; on a coarse scale, to be reused."""
    return _exp(16 * math.floor((plan.log_delta + math.log(NEGLECTED / runs)) / 16))


def discretised(direction: Direction, step: float, cut: float) -> Atoms:
    """The part on the grid of the plan, cut off where at most `cut` of it remains."""
    top = float(direction.curve.largest_loss)
    bottom = -top
    if math.isinf(top):
        scout = scouted(direction, QUICK)
        top, bottom = scout.cut_above(cut), scout.cut_below(1e-18)
    high, low = max(1, math.ceil(top / step * (1 - 1e-12))), max(1, math.ceil(-bottom / step * (1 - 1e-12)))
    return connect_the_dots(direction, step * np.arange(-low, 0.0), step * np.arange(1.0, high + 1))


def _transformed(direction: Direction, tilt: float, step: float, size: int, cut: float) -> Spectrum:
    return tilted(discretised(direction, step, cut), tilt, step, size)


def tilted(atoms: Atoms, tilt: float, step: float, size: int) -> Spectrum:
    """The transform of a loss distribution on the grid, seen through e^(tilt * loss)."""
    with np.errstate(divide="ignore"):
        exponent = np.log(atoms.mass) + tilt * atoms.losses
    top = float(np.max(exponent))
    if math.isinf(top):
        return Spectrum(np.zeros(size // 2 + 1, dtype=np.complex128), 0.0, 1.0, 0.0, 0.0)
    weight = np.exp(exponent - top)
    total = float(weight.sum())
    low = round(float(atoms.losses[0]) / step)
    positions = np.arange(low, low + len(weight)) % size
    folded = np.bincount(positions, weights=weight / total, minlength=size).astype(np.float64, copy=False)
    reach = tilt * max(abs(float(atoms.losses[0])), abs(float(atoms.losses[-1]))) + abs(top)
    return Spectrum(np.fft.rfft(folded), top + math.log(total), atoms.beyond, _norm(folded), reach)


_transformed_again = lru_cache(maxsize=256)(_transformed)
_products: dict[tuple[float, float, int, float], tuple[frozenset[tuple[Direction, int]], Product]] = {}


def _norm(values: Array) -> float:
    return math.sqrt(float(np.sum(values * values)))


def _exp(exponent: float) -> float:
    return math.exp(min(exponent, 700.0))
