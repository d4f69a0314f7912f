"""Reading: delta and epsilon of a composition, in one direction."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import starmap

import numpy as np

from privet.loss.curve import Array, LossCurve
from privet.loss.curves.concentrated import converted_delta
from privet.loss.exact import float_at_least
from privet.loss.pricing.composition import OUTWARD, Composition, compose
from privet.loss.pricing.grid import CAREFUL, QUICK, Direction, unbounded_loss
from privet.loss.pricing.growing import Growing, Parts
from privet.loss.pricing.plan import SHALLOW, TILTS, plan_for
from privet.loss.pricing.solving import solved

TINY = 2.0**-1022  # what a curve may have lost to underflow, for each run
ATTEMPTS = (QUICK, CAREFUL, CAREFUL, CAREFUL)  # a quick look, and careful ones where it aimed badly
AIM_LOWER = 12.0  # how far below a spoilt answer the next attempt looks, in natural logarithms
NOISY = 1e-5  # a share of rounding allowance above which the aim was bad


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
    """What several parts can do at most: the logarithm of the chance that no loss is infinite, and the largest loss."""

    log_alive: float
    largest: float  # about
    runs: int
    kinds: int = 1

    def __add__(self, other: "Ends") -> "Ends":
        return Ends(
            self.log_alive + other.log_alive,
            self.largest + other.largest,
            self.runs + other.runs,
            self.kinds + other.kinds,
        )

    @property
    def unbounded(self) -> float:
        """The probability that some part has infinite loss, rounded up.

        Proof: the logarithms have one sign, so each of the `kinds` additions errs by at most a relative 2^-53, and
            1 - e^x is not more sensitive to a relative error of x < 0 than x itself.
        """
        return min(1.0, abs(math.expm1(self.log_alive)) * (1 + 2.0**-48 + self.kinds * 2.0**-52))


_ends = Growing(Ends.__add__)


def ends_of(parts: Parts) -> Ends:
    """The ends of all parts, in whichever direction they are read."""
    return _ends.total(parts.adding, parts.runs, lambda runs: reduce(Ends.__add__, starmap(_ends_of_one, runs)))


def _ends_of_one(direction: Direction, times: int) -> Ends:
    beyond = unbounded_loss(direction)
    log_alive = math.log1p(-beyond) if beyond < 1 else -math.inf
    return Ends(times * log_alive, times * float(direction.curve.largest_loss), times)


def delta(parts: Parts, epsilon: float) -> float:
    """An upper bound of delta at epsilon >= 0."""
    ends = ends_of(parts)
    infinite = ends.unbounded
    if epsilon == math.inf or epsilon >= _as_float(largest_loss(parts)):
        return infinite
    if len(parts) == 1 and parts[0][1] == 1:
        return max(TINY, float(parts[0][0].ahead(np.array([epsilon * (1 - OUTWARD)]))[0]))
    result, guess = 1.0, None
    for scouts in ATTEMPTS:
        found = compose(parts, plan_for(parts, epsilon=epsilon, log_delta=guess, scouts=scouts))
        result = min(result, found.delta(epsilon) + TINY * ends.runs)
        spoilt = found.allowance(epsilon) + found.lost - infinite
        if spoilt <= NOISY * result:
            break
        guess = math.log(max(result, TINY)) - AIM_LOWER
    return result


def epsilon(parts: Parts, delta: float) -> float:
    """An upper bound of the smallest epsilon >= 0 with delta(epsilon) <= delta; inf if there is none."""
    if delta >= 1:
        return 0.0
    ends = ends_of(parts)
    room = delta - ends.unbounded
    if room <= 0:
        return _as_float(largest_loss(parts)) if room == 0 else math.inf
    top = ends.largest
    if top == 0:
        return 0.0
    if len(parts) == 1 and parts[0][1] == 1:
        return min(_as_float(largest_loss(parts)), solved(parts[0][0].ahead, delta) * (1 + OUTWARD))
    target, level, result = delta - TINY * ends.runs, math.log(room), top
    guess: float | None = None
    for scouts in ATTEMPTS if level > SHALLOW else ATTEMPTS[1:]:
        found = compose(parts, plan_for(parts, log_delta=level, epsilon=guess, scouts=scouts))
        answer = found.epsilon(target)
        result = min(result, answer, _chernoff(found, room))
        inside = found.shows(answer - found.plan.step)  # at the edge of the window it may be lower still
        if inside and found.allowance(result) <= NOISY * room:
            break
        guess = result  # the next window is centered on the best answer so far
    return result if result < top else _as_float(largest_loss(parts))


def _as_float(loss: Fraction | float) -> float:
    return float_at_least(loss) if isinstance(loss, Fraction) else loss


def _chernoff(found: Composition, room: float) -> float:
    """The bound of delta by one moment (see `converted_delta`), for what the window does not show."""
    left, tilt = room - found.beyond, found.plan.tilt
    if left <= 0:
        return math.inf
    factor = tilt * math.log(tilt) - (1 + tilt) * math.log1p(tilt)
    return max(0.0, (found.log_total + found.slack + factor - math.log(left)) / tilt) * (1 + 2.0**-44)


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
    flat, ends = epsilon >= _as_float(largest_loss(parts)), ends_of(parts)
    return np.minimum(1.0, np.where(flat, ends.unbounded, best + TINY * ends.runs))


@lru_cache(maxsize=64)
def _levels(parts: Parts) -> tuple[Composition, ...]:
    """The composition seen at several depths; each is a valid bound everywhere and sharp at its own depth."""
    return tuple(compose(parts, plan_for(parts, log_delta=level, scouts=CAREFUL)) for level in PROFILE_LEVELS)


def quantiles(parts: Parts, uniforms: Array) -> Array:
    """The losses at these quantiles of the composed loss distribution."""
    found = compose(parts, plan_for(parts, log_delta=-1.0, scouts=CAREFUL))
    weight = (found.mass - found.noise) * np.exp(np.clip(found.log_total - found.plan.tilt * found.losses, -700, 700))
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
