"""The loss distribution on a grid, rounded against us.

Connect-the-dots discretisation (Doroshenko, Ghazi, Kamath, Kumar and Manurangsi 2022): the hockey-stick curve
H(x) = sup_S P(S) - x Q(S) is replaced by its chords through the grid points. H is convex in x, so the chords
lie above it. A curve that lies above at every x >= 0 stays above under composition (Zhu, Dong and Wang 2022,
Theorem 10; their proof never uses that the masses add up to one), so everything read off the grid is an upper
bound. Only three moves are used afterwards: raising a mass, moving mass to a higher loss, rounding up.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np

from privet.loss.curve import ROUNDING, Array, LossCurve

QUICK, CAREFUL = 24, 1024  # points of a scouting grid on each side of zero
WIGGLE = 1e-9  # negative mass that is put down to rounding; more comes from a curve that is not convex
WIDEST = 600.0  # losses further apart have no common floating scale
HALF = 0.5  # the mantissa of a power of two
SPREAD = 8.0  # how much denser the scouting grid is around zero than at its ends, at least
CELL = 0.25  # how wide its innermost cells are at most, in widths of the bulk of the losses
DENSER = 0.25  # what a lean grid may cost beyond an even one, as a share of it
EVEN, LEAN = 2**14, 2**18  # how many points an even grid and about how many a lean one may have


@dataclass(frozen=True)
class Direction:
    """One curve read in one direction, at any loss of either sign."""

    curve: LossCurve
    adding: bool
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.curve, self.adding)))

    def __hash__(self) -> int:
        """Computed once: directions are the keys of every memory."""
        return self._hash

    def ahead(self, epsilon: Array) -> Array:
        """Delta at increasing epsilon >= 0 in this direction; whatever the curve returns, a decreasing bound."""
        return _bound(self.curve.adding if self.adding else self.curve.removing, epsilon)

    def behind(self, epsilon: Array) -> Array:
        """Delta at increasing epsilon >= 0 in the other direction."""
        return _bound(self.curve.removing if self.adding else self.curve.adding, epsilon)


def _bound(curve: Callable[[Array], Array], epsilon: Array) -> Array:
    """The true curve decreases, so a value bounds all later ones: NaN and wiggles are replaced by the last bound."""
    with np.errstate(all="ignore"):
        delta = curve(epsilon)
    return np.fmin.accumulate(np.fmin(delta, 1.0)) if delta.size else delta


@dataclass(frozen=True)
class Atoms:
    """P[loss = losses[i]] = mass[i], and P[loss = inf] = beyond; dominates the curve it was made from."""

    losses: Array
    mass: Array
    beyond: float

    def log_moment(self, order: float) -> float:
        """Log E[e^(order * loss); loss < inf]."""
        kept = self.mass > 0
        exponent = np.log(self.mass[kept]) + order * self.losses[kept]
        top = float(np.max(exponent, initial=-math.inf))
        return top if math.isinf(top) else top + math.log(float(np.exp(exponent - top).sum()))


def equal_grid(direction: Direction, step: float, low: int, high: int) -> Atoms:
    """The loss distribution on the multiples of a step, from -low to high."""
    exact = math.frexp(step)[0] == HALF  # multiples of a power of two are floats, equally far apart
    return connect_the_dots(direction, step * np.arange(-low, high + 1.0), low, gap=step if exact else None)


_equal_grid_again = lru_cache(maxsize=256)(equal_grid)


def lean_grid(direction: Direction, step: float, low: int, high: int, tilt: float) -> Atoms:
    """The same on some of the multiples if they are many: all where the tilted losses gather, few where they are rare.

    A cell of width g with the share w of the tilted losses adds w g^2/6 to the variance of a run. For a given number of
    cells that is least with g^3 ~ 1/w; the constant is the one at which all cells together add a share of what an even
    grid of this step adds. Both the losses and the tilted losses count, and with them all that are tilted less. This
    decides how tight the bound is; a polygon through any points of the curve is one.
    """
    if low + high <= EVEN:
        return _equal_grid_again(direction, step, low, high)
    atoms = scouted(direction, CAREFUL).atoms
    inside = (atoms.losses >= -low * step) & (atoms.losses <= high * step)
    with np.errstate(divide="ignore"):
        exponent = np.where(inside, np.log(atoms.mass) + tilt * atoms.losses, -math.inf)
    weight = np.exp(exponent - exponent.max())
    share = np.maximum(weight / weight.sum(), np.where(inside, atoms.mass, 0.0))
    roots = np.cbrt(np.maximum(share[1:], share[:-1]) + 1e-300)
    fewer = np.minimum(roots * math.sqrt(float(roots.sum()) / DENSER), 1.0)  # points for each multiple of the step
    edges = np.clip(atoms.losses / step, -low, high)
    points = np.concatenate([[0.0], np.cumsum(fewer * np.diff(edges))])
    points += np.arange(len(points)) if points[-1] <= LEAN else 0.0
    places = np.interp(np.linspace(0.0, points[-1], math.ceil(min(points[-1], LEAN))), points, edges)
    kept = np.unique(np.concatenate([np.rint(places), [-low, -1.0, 0.0, 1.0, high]]))
    return connect_the_dots(direction, step * kept, int(np.searchsorted(kept, 0.0)), even=False)


def connect_the_dots(
    direction: Direction, losses: Array, zero: int, *, gap: float | Array | None = None, even: bool = True
) -> Atoms:
    """The loss distribution whose hockey-stick curve is the polygon through the given losses.

    Args:
        direction: the curve.
        losses: increasing.
        zero: the index of loss 0, neither the first nor the last.
        gap: the differences of the losses, where known.
        even: whether losses that end as far from zero as they begin are their own mirror image.

    Proof: with x = e^loss, an atom of Q-mass q at x bends H by q there, so masses are differences of slopes.
        Left of x = 1, H(x) = 1 - x + x H'(1/x) with H' the other direction's curve; the straight part 1 - x
        bends nowhere, so only g(x) = x H'(1/x) is differenced, and small masses keep their digits. Neighboring
        values differ by less than a factor of two on a fine grid, where their difference is exact (Sterbenz).
        Left of the grid the chord runs to H(0) = 1; right of it H stays at its last value, as infinite loss.
    """
    ahead = direction.ahead(losses[zero:])
    mirrored = even and losses[0] == -losses[-1] and direction.curve.symmetric
    behind = (ahead if mirrored else direction.behind(-losses[zero::-1]))[::-1] * np.exp(losses[: zero + 1])
    top = max(float(ahead[0]), float(behind[-1]))
    ahead[0] = behind[-1] = top
    climb = np.empty(len(losses) - 1)
    np.subtract(behind[1:], behind[:-1], out=climb[:zero])
    np.subtract(ahead[1:], ahead[:-1], out=climb[zero:])
    gap = losses[1:] - losses[:-1] if gap is None else gap
    mass = _masses(climb, gap, zero, float(behind[0]))
    if not mass.min() >= 0 and -float(mass[mass < 0].sum()) > WIGGLE and losses[-1] - losses[0] < WIDEST:
        climb = np.concatenate([_convex(climb[:zero], losses[: zero + 1]), _convex(climb[zero:], losses[zero:])])
        mass = _masses(climb, gap, zero, float(behind[0]))
    np.maximum(mass, 0.0, out=mass)
    mass *= 1.0 + ROUNDING
    return Atoms(losses, mass, float(ahead[-1]))


@lru_cache(maxsize=1024)
def unbounded_loss(direction: Direction) -> Fraction:
    """The probability of infinite loss; exact where the curve knows it, else from above."""
    known = direction.curve.unbounded(adding=direction.adding)
    return Fraction(float(direction.ahead(np.array([0.0, math.inf]))[1])) if known is None else known


def _masses(climb: Array, gap: float | Array, zero: int, left: float) -> Array:
    """Differences of slopes: the mass at each loss, from how much the polygon climbs in each gap."""
    mass = np.empty(len(climb) + 1)
    with np.errstate(over="ignore"):
        np.divide(climb, np.expm1(gap), out=mass[:-1])
    mass[-1] = 0.0
    mass[1:] += climb / np.expm1(-gap)
    mass[zero] += 1.0
    mass[0] -= left
    return mass


def _convex(climb: Array, losses: Array) -> Array:
    """The climbs of the lower convex hull of the polygon's points.

    Proof: between two points of the hull its chord lies above the chord of the true curve, whose values lie below the
        points, and that chord lies above the true curve, which is convex. So the hull is still an upper bound; points
        above it are the wiggles of a curve that was itself computed. Its slopes are the isotonic regression of theirs.
    """
    from scipy.optimize import isotonic_regression  # noqa: PLC0415 - slow to load, and few need it

    width = np.exp(losses[:-1]) * np.expm1(losses[1:] - losses[:-1])
    slopes: Array = isotonic_regression(climb / width, weights=width).x * width
    return slopes


@dataclass(frozen=True)
class Scout:
    """A curve on a small unequal grid over everything it can do, from which orders of magnitude are read."""

    direction: Direction
    atoms: Atoms
    above: Array  # the positive losses of the grid

    @property
    def top(self) -> float:
        """Where the curve becomes flat."""
        return float(self.above[-1])

    @cached_property
    def _delta(self) -> Array:
        """The curve at the positive losses of the grid and at infinity."""
        return self.direction.ahead(np.append(self.above, math.inf))

    @property
    def unbounded(self) -> float:
        """The probability of infinite loss."""
        return float(self._delta[-1])

    def cut_above(self, share: float) -> float:
        """A loss beyond which at most this much remains."""
        place = int(np.searchsorted(self.unbounded - self._delta[:-1], -share))
        return float(self.above[min(place, len(self.above) - 1)])

    def kept(self, cut: float) -> Atoms:
        """The loss distribution up to where it would be cut off."""
        if not cut:
            return self.atoms
        count = int(np.searchsorted(self.atoms.losses, self.cut_above(cut), side="right"))
        return Atoms(self.atoms.losses[:count], self.atoms.mass[:count], self.atoms.beyond + cut)

    def cut_below(self, share: float) -> float:
        """A negative loss below which at most this much lies."""
        below = len(self.atoms.losses) - len(self.above) - 1
        place = int(np.searchsorted(np.cumsum(self.atoms.mass[:below]), share))
        return float(self.atoms.losses[min(place, below - 1)])


@lru_cache(maxsize=1024)
def scouted(direction: Direction, points: int) -> Scout:
    """Scout a curve. The grid ends where the curve is flat (or underflows), so moments bound the finite losses."""
    if math.isfinite(direction.curve.largest_loss):
        top = bottom = bulk = largest_of(direction)
        if points != QUICK:
            ladder = top * 2.0 ** np.arange(-40.0, 1.0)
            bulk = _fallen(direction.ahead(ladder), ladder, 0.5)
    else:
        ladder = 2.0 ** np.arange(-40.0, 21.0)
        ahead = direction.ahead(ladder)
        top, bulk = _fallen(ahead, ladder, 1.0), _fallen(ahead, ladder, 0.5)
        bottom = _fallen(direction.behind(ladder), ladder, 1.0)
    losses = _shape(points, _spread(points, top / bulk)) * top
    losses[:points] *= bottom / top
    return Scout(direction, connect_the_dots(direction, losses, points), losses[points + 1 :])


def largest_of(direction: Direction) -> float:
    """The largest loss of a curve that has one, rounded up and not zero."""
    return max(float(direction.curve.largest_loss) * (1 + 2.0**-50), 2.0**-40)


def _spread(points: int, wide: float) -> int:
    """How dense the scouting grid must be for the innermost cells to show a bulk `wide` times narrower than all."""
    spread = SPREAD
    for _ in range(3):
        spread = max(SPREAD, math.log(2 * wide * spread / (points * CELL)))
    return math.ceil(spread)


@lru_cache(maxsize=64)
def _shape(points: int, spread: int) -> Array:
    """A grid from -1 to 1, denser around zero."""
    shape: Array = np.sinh(spread * np.arange(-points, points + 1) / points) / math.sinh(spread)
    return shape


def _fallen(delta: Array, ladder: Array, share: float) -> float:
    """Where a curve has done this share of its fall."""
    level = delta[-1] + (1.0 - share) * (delta[0] - delta[-1])
    return float(ladder[min(int(np.searchsorted(-delta, -level)), len(ladder) - 1)])


def renyi_from_curve(curve: LossCurve, order: float) -> tuple[float, float]:
    """Rényi divergence of a curve without a closed form; inf where its losses are not bounded."""
    if not math.isfinite(curve.largest_loss):
        return math.inf, math.inf
    return _moment(Direction(curve, adding=False), order), _moment(Direction(curve, adding=True), order)


def _moment(direction: Direction, order: float) -> float:
    atoms = _bounded(direction)
    return math.inf if atoms.beyond > 0 else max(0.0, atoms.log_moment(order - 1.0)) / (order - 1.0)


@lru_cache(maxsize=64)
def _bounded(direction: Direction) -> Atoms:
    """A curve of bounded losses on a fine equal grid."""
    top = largest_of(direction)
    return connect_the_dots(direction, top * np.arange(-CAREFUL, CAREFUL + 1) / CAREFUL, CAREFUL)


def zcdp_from_renyi(curve: LossCurve) -> float:
    """Smallest rho found with renyi(a) <= rho a for every order a.

    Proof: renyi grows with the order, so on [a, b] the ratio is at most renyi(b)/a; beyond order A it is at
        most (largest loss)/A. A pure bound never costs more than epsilon^2/2 (Bun and Steinke 2016).
    """
    top = float(curve.largest_loss)
    if not math.isfinite(top) or top == 0 or math.isinf(max(curve.renyi(2.0))):
        return 0.0 if top == 0 and not math.isinf(max(curve.renyi(2.0))) else math.inf
    ratio, order, rho = 1.001, 1.0, 0.0
    while order == 1.0 or (top / order > rho and rho < top * top / 2):
        rho = max(rho, max(curve.renyi(order * ratio)) / order)
        order *= ratio
    return min(rho, top * top / 2)
