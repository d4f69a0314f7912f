"""Figures: delta and epsilon of a composition, in one direction."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache, reduce
from itertools import starmap

import numpy as np

from privet.loss.curve import Array, LossCurve
from privet.loss.curves.concentrated import converted_delta
from privet.loss.exact import float_at_least, meant_by
from privet.loss.pricing.composition import OUTWARD, Composition, compose
from privet.loss.pricing.grid import CAREFUL, QUICK, Direction, unbounded_loss
from privet.loss.pricing.grid_layout import ANSWER, NARROW, SHALLOW, TILTS, layout_for
from privet.loss.pricing.growing import Growing, Parts
from privet.loss.pricing.solving import solved, solved_in_few

TINY = 2.0**-1022  # what a curve may have lost to underflow, for each run
ATTEMPTS = (QUICK, CAREFUL, CAREFUL, CAREFUL)  # a quick look, and careful ones where it aimed badly
AIM_LOWER = 12.0  # how far below a spoilt answer the next attempt looks, in natural logarithms
SHORT = 4096  # bits of a probability that is still multiplied out exactly
FINE = 1 << 2400  # longer ones are multiples of its inverse: far below the smallest float, however many are multiplied
AIMED = 0.8  # how much lower than it was aimed at an answer may lie that is believed at once
NOISY = 2e-4  # a share of rounding allowance above which the aim was bad, and of epsilon that is worth no other attempt


def directed(parts: Iterable[tuple[LossCurve, int]], *, adding: bool) -> Parts:
    """All parts read in one direction."""
    return Parts([(_direction(curve, adding), times) for curve, times in parts])


@lru_cache(maxsize=4096)
def _direction(curve: LossCurve, adding: bool) -> Direction:  # noqa: FBT001 - a key of the memory
    """One object for each direction, because equal objects are compared slowly and the same one fast."""
    return Direction(curve, adding)


def largest_loss(parts: Parts) -> Fraction | float:
    """The sum of the largest finite losses, exact where the parts are."""
    total: Fraction | float = Fraction(0)
    for direction, times in parts:
        total += times * direction.curve.largest_loss
    return total


@dataclass(frozen=True)
class Ends:
    """What several parts can do at most: the chance that no loss is infinite, from below, and the largest loss.

    The chance is exact where that of every part is, as long as it is SHORT: a delta that is met exactly is met.
    """

    alive: Fraction
    largest: float  # about
    runs: int

    def __add__(self, other: "Ends") -> "Ends":
        return Ends(_both(self.alive, other.alive), self.largest + other.largest, self.runs + other.runs)

    @cached_property
    def infinite(self) -> Fraction:
        """The probability that some part has infinite loss, exact or from above."""
        return 1 - self.alive

    @cached_property
    def unbounded(self) -> float:
        """The same as a float, rounded up."""
        return float_at_least(self.infinite)


def _both(one: Fraction, other: Fraction) -> Fraction:
    """The product of two probabilities, rounded down where it is long."""
    product = other if one == 1 else one if other == 1 else one * other
    if product.denominator.bit_length() <= SHORT:
        return product
    return Fraction(product.numerator * FINE // product.denominator, FINE)


def _each_time(alive: Fraction, times: int) -> Fraction:
    """A power of a probability, by squaring, rounded down where it is long."""
    result = Fraction(1)
    while times and alive != 1:
        if times & 1:
            result = _both(result, alive)
        times >>= 1
        alive = _both(alive, alive) if times else alive
    return result


_ends = Growing(Ends.__add__)


def ends_of(parts: Parts) -> Ends:
    """The ends of all parts, in whichever direction they are read."""
    return _ends.total(parts.adding, parts.runs, lambda runs: reduce(Ends.__add__, starmap(_ends_of_one, runs)))


def _ends_of_one(direction: Direction, times: int) -> Ends:
    alive = _each_time(1 - unbounded_loss(direction), times)
    return Ends(alive, times * float(direction.curve.largest_loss), times)


def delta(parts: Parts, epsilon: float) -> float:
    """An upper bound of delta at epsilon >= 0."""
    ends = ends_of(parts)
    infinite = ends.unbounded
    if epsilon == math.inf or epsilon >= _as_float(largest_loss(parts)):
        return infinite
    if len(parts) == 1 and parts[0][1] == 1:
        return max(TINY, float(parts[0][0].ahead(np.array([epsilon * (1 - OUTWARD)]))[0]))
    result = 1.0
    guess = None
    worth = NARROW
    for scouts in ATTEMPTS:
        layout = layout_for(parts, epsilon=epsilon, log_delta=guess, scouts=scouts, worth=worth)
        found = compose(parts, layout)
        before = result
        result = min(result, _delta_seen(found, epsilon) + TINY * ends.runs)
        level = math.log(max(result, TINY))
        met = level <= layout.log_delta + ANSWER  # what a moment promises is kept, or the window was made for less
        if met and found.allowance(epsilon) + found.lost - infinite <= NOISY * result:
            return result
        if guess is not None and result > before * (1 - NOISY):
            break
        guess = min(level, layout.log_delta) - AIM_LOWER
        worth = 1.0
    precise = compose(parts, replace(layout, precise=True))
    return min(result, _delta_seen(precise, epsilon) + TINY * ends.runs)


def _delta_seen(found: Composition, epsilon: float) -> float:
    return min(found.delta(epsilon), _moment_bound(found, epsilon))


def epsilon(parts: Parts, delta: float, exactly: Fraction | None = None) -> float:
    """An upper bound of the smallest epsilon >= 0 with delta(epsilon) <= delta; inf if there is none.

    Args:
        parts: in one direction.
        delta: not above what was typed.
        exactly: what was typed, if that is no float.
    """
    if delta >= 1:
        return 0.0
    ends = ends_of(parts)
    room = delta
    if ends.infinite:
        left = (meant_by(delta) if exactly is None else exactly) - ends.infinite
        if left < 0:
            return math.inf
        room = float(left) * (1 - OUTWARD)
    if room == 0:
        return _as_float(largest_loss(parts))
    top = ends.largest
    if top == 0:
        return 0.0
    if len(parts) == 1 and parts[0][1] == 1:
        direction = parts[0][0]
        most = _as_float(largest_loss(parts))
        least = solved_in_few(direction.ahead, delta, most) if direction.curve.slow else solved(direction.ahead, delta)
        return min(most, least * (1 + OUTWARD))
    target = delta - TINY * ends.runs
    level = math.log(room)
    result = top
    guess: float | None = None
    worth = NARROW
    for scouts in ATTEMPTS if level > SHALLOW else ATTEMPTS[1:]:
        found = compose(parts, layout_for(parts, log_delta=level, epsilon=guess, scouts=scouts, worth=worth))
        answer = found.epsilon(target)
        before = result
        result = min(result, answer, _chernoff(found, room))
        inside = found.shows(answer - found.layout.step)  # at the edge of the window it may be lower still
        noise = found.allowance(result) / room
        met = guess is None or result > AIMED * guess  # else the window was made for another answer
        if inside and met and found.layout.fits(result) and noise <= NOISY:
            break
        if guess is not None and result > before * (1 - NOISY):
            result = _precise_epsilon(parts, level, target, room, result)
            break
        guess = result  # the next window is centered on the best answer so far
        worth = NARROW if noise <= NOISY else 1.0
    else:
        result = _precise_epsilon(parts, level, target, room, result)
    return result if result < top else _as_float(largest_loss(parts))


def _precise_epsilon(parts: Parts, level: float, target: float, room: float, best: float) -> float:
    """The last attempts, where others came no closer: careful ones in the longest floats, the first from nothing."""
    for guess in (False, True):
        layout = layout_for(parts, log_delta=level, epsilon=best if guess else None, scouts=CAREFUL, worth=1.0)
        found = compose(parts, replace(layout, precise=True))
        best = min(best, found.epsilon(target), _chernoff(found, room))
    return best


def _as_float(loss: Fraction | float) -> float:
    return float_at_least(loss) if isinstance(loss, Fraction) else loss


def _log_moment(found: Composition) -> float:
    """Log of E[(1 - e^(e - L))+] e^(tilt e) at most, for every e: the Rényi conversion (see `converted_delta`)."""
    tilt = found.layout.tilt
    return found.log_total + found.slack + tilt * math.log(tilt) - (1 + tilt) * math.log1p(tilt)


def _moment_bound(found: Composition, epsilon: float) -> float:
    """The bound of delta by one moment, for what the window does not show."""
    moment = _log_moment(found)
    fall = found.layout.tilt * epsilon
    exponent = moment - fall + 2.0**-44 * (1 + abs(moment) + fall)
    return min(1.0, (found.beyond + math.exp(min(exponent, 0.0))) * (1 + 2.0**-40))


def _chernoff(found: Composition, room: float) -> float:
    """The bound of epsilon by the same moment."""
    left = room - found.beyond
    if left <= 0:
        return math.inf
    return max(0.0, (_log_moment(found) - math.log(left)) / found.layout.tilt) * (1 + 2.0**-44)


ORDERS = slice(26, 104)  # tilts from 2^-7 to 2^16: orders beyond decide nothing
PROFILE_LEVELS = (-0.5, -3.0, -7.0, -14.0, -28.0, -56.0, -110.0, -220.0, -440.0, -700.0)


def profile(parts: Parts, epsilon: Array) -> Array:
    """An upper bound of delta at many epsilons >= 0."""
    if len(parts) == 1 and parts[0][1] == 1:
        order = np.argsort(epsilon, axis=None)
        found = np.empty(epsilon.size)
        found[order] = parts[0][0].ahead(epsilon.ravel()[order])
        return found.reshape(epsilon.shape)
    best = np.ones_like(epsilon)
    for composed in _levels(parts):
        best = np.minimum(best, composed.profile(epsilon))
    flat = epsilon >= _as_float(largest_loss(parts))
    ends = ends_of(parts)
    return np.minimum(1.0, np.where(flat, ends.unbounded, best + TINY * ends.runs))


@lru_cache(maxsize=64)
def _levels(parts: Parts) -> tuple[Composition, ...]:
    """The composition seen at several depths; each is a valid bound everywhere and sharp at its own depth."""
    return tuple(compose(parts, layout_for(parts, log_delta=level, scouts=CAREFUL)) for level in PROFILE_LEVELS)


def quantiles(parts: Parts, uniforms: Array) -> Array:
    """The losses at these quantiles of the composed loss distribution."""
    found = compose(parts, layout_for(parts, log_delta=-1.0, scouts=CAREFUL))
    weight = (found.mass - found.noise) * np.exp(np.clip(found.log_total - found.layout.tilt * found.losses, -700, 700))
    below = np.cumsum(weight) / (np.sum(weight) / (1 - found.beyond))
    losses = np.append(found.losses, math.inf)
    return losses[np.minimum(np.searchsorted(below, uniforms), len(losses) - 1)]


def divergences(renyi: Callable[[float], float]) -> tuple[Array, Array]:
    """The orders at which a Rényi divergence is finite, among many, and the divergences there."""
    orders = 1.0 + TILTS[ORDERS]
    found = np.array([renyi(float(order)) for order in orders])
    known = np.isfinite(found)
    return orders[known], found[known]


def best_conversion(orders: Array, divergences: Array, epsilon: Array) -> Array:
    """Delta at each epsilon from Rényi divergences alone, at the best of the orders."""
    delta: Array = converted_delta(orders[:, None], divergences[:, None], epsilon).min(axis=0, initial=1.0)
    return delta
