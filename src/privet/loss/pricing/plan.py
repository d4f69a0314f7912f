"""Plan: where on the loss axis a question will be decided, and how fine a grid it needs.

A plan is guesswork: it decides speed and tightness, never validity.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from privet.loss.curve import Array
from privet.loss.pricing.grid import QUICK, Atoms, Direction, scouted

Parts = tuple[tuple[Direction, int], ...]

TILTS = 2.0 ** np.concatenate([np.arange(-20, 0, 0.5), np.arange(0, 24.1, 0.25)])  # where moments are tabulated
FORWARD = np.concatenate([-TILTS[60::-1], TILTS])  # with moderate negative ones, for the lower end
# the best factor with (1 - e^(e - L))+ <= e^TIGHTER e^(t (L - e)), see `converted_delta`
TIGHTER = TILTS * np.log(TILTS) - (1 + TILTS) * np.log1p(TILTS)
TOLERANCE = 1e-5  # how much of epsilon the discretisation may cost
SMALLEST, LARGEST = 2**9, 2**18  # sizes of the grid
SMALL = 2**14  # spectra up to this size are remembered, so their steps are few: plans repeat while a loss grows
ABOVE = 18.0  # natural logarithm of how small the tail above the window is, relative to delta
BELOW = 12.0  # and of the tilted tail below it
SHALLOW = -40.0  # above this log(delta) a tilt within a factor of two is good enough, and is met again more often
ROUGH = 4  # shallow questions use every fourth tilt, so that they meet again what was computed for others
PENALTY = 4.0  # natural logarithm of what a tilt may lose for speed
STEEP, STEEPEST = 16.0, 256.0  # the largest tilts of shallow and deep questions, times the standard deviation
FINEST = 2.0**-20  # the smallest step, in reaches of the widest part


@dataclass(frozen=True)
class Moments:
    """log E[e^(t loss)] at every t in FORWARD, with mean and variance of the finite losses."""

    logs: Array
    mean: float
    variance: float


@dataclass(frozen=True)
class Plan:
    """A window of `size` grid points of width `step` from index `first`, seen through e^(tilt * loss).

    `log_delta` and `epsilon` are the point on the curve that is asked for, as far as known beforehand.
    """

    tilt: float
    step: float
    first: int
    size: int
    log_delta: float
    epsilon: float


def moments(atoms: Atoms) -> Moments:
    """All moments of one loss distribution."""
    kept = atoms.mass > 0
    mass, losses = atoms.mass[kept], atoms.losses[kept]
    if not mass.size:
        return Moments(np.full(FORWARD.shape, -math.inf), 0.0, 0.0)
    exponent = np.log(mass)[:, None] + losses[:, None] * FORWARD
    top = exponent.max(axis=0)
    logs = top + np.log(np.exp(exponent - top).sum(axis=0))
    total = float(mass.sum())
    mean = float(mass @ losses) / total
    return Moments(logs, mean, float(mass @ (losses - mean) ** 2) / total)


@lru_cache(maxsize=1024)
def scouted_moments(direction: Direction, scouts: int) -> Moments:
    """Moments of the scouting grid with this many points on each side."""
    return moments(scouted(direction, scouts).atoms)


def plan_for(
    parts: Parts,
    *,
    log_delta: float | None = None,
    epsilon: float | None = None,
    scouts: int = QUICK,
    guard: float = 0.0,
) -> Plan:
    """The plan for the epsilon at a delta, or for the delta at an epsilon; given both, for that point.

    The tilt is the one at which the moment bound of delta is smallest, because there the tilted losses gather around
    the answer; it is kept above two over the standard deviation, so that the window stays narrow.
    """
    found = [(scouted_moments(direction, scouts), times) for direction, times in parts]
    logs = sum((times * moment.logs for moment, times in found), np.zeros_like(FORWARD))
    spread = math.sqrt(sum(times * moment.variance for moment, times in found))
    rising = logs[-len(TILTS) :]
    if epsilon is None:
        assert log_delta is not None  # noqa: S101 - one of the two is given
        bounds = (rising + TIGHTER - log_delta) / TILTS
        best = int(np.argmin(bounds))
        epsilon = float(bounds[best])
    else:
        bounds = rising + TIGHTER - TILTS * epsilon
        best = int(np.argmin(bounds))
        log_delta = float(min(bounds[best], 0.0)) if log_delta is None else log_delta
    sharpest = float(TILTS[best])
    best = _chosen_tilt(best, rising + TIGHTER - TILTS * epsilon, spread, shallow=log_delta > SHALLOW)
    tilt, at_tilt = float(TILTS[best]), float(rising[best])
    high = (at_tilt - log_delta + ABOVE + guard) / tilt
    slower = tilt > FORWARD
    low = float(np.max((at_tilt - logs[slower] - BELOW - guard) / (tilt - FORWARD[slower])))
    low = min(low, epsilon - ABOVE / tilt)
    step, size = _resolution(parts, high - low, min(tilt, sharpest), max(epsilon, spread / 16))
    return Plan(tilt, step, math.floor(low / step), size, log_delta, epsilon)


def _chosen_tilt(best: int, bounds: Array, spread: float, *, shallow: bool) -> int:
    """The index of the best tilt, moved for speed as far as the bound grows by no more than a small factor."""
    limits = np.array([2.0, STEEP if shallow else STEEPEST]) / max(spread, 1e-300)
    gentle, steep = np.searchsorted(TILTS, limits)
    best = min(best, int(steep), len(TILTS) - 1)
    near = np.flatnonzero(bounds <= bounds[best] + PENALTY)
    best = max(best, min(int(gentle), int(near[-1])))
    rough = near[near % ROUGH == 0]
    return int(rough[min(int(np.searchsorted(rough, best)), rough.size - 1)]) if shallow and rough.size else best


def _resolution(parts: Parts, width: float, tilt: float, scale: float) -> tuple[float, int]:
    """Step and number of points: each smooth part adds the variance step^2/6, which costs (tilt + 1)/2 times it."""
    spacings = {direction.curve.spacing for direction, _ in parts if direction.curve.atomic}
    if len(spacings) == 1 and all(direction.curve.atomic for direction, _ in parts):
        (spacing,) = spacings
        if spacing is not None and width / spacing <= LARGEST:
            return spacing, _power_of_two(width / spacing)
    total = sum(times for _, times in parts)
    wanted = math.sqrt(12 * TOLERANCE * max(scale, 1e-12) / ((tilt + 1) * total))
    finest = FINEST * max(scouted(direction, QUICK).top for direction, _ in parts)
    step = _aligned(parts, max(min(wanted, width / SMALLEST), finest))
    if width / step > LARGEST:
        step = max(width / LARGEST, finest)
    return step, min(_power_of_two(width / step), LARGEST)


def _aligned(parts: Parts, step: float) -> float:
    """The next smaller step that divides the spacing of the most frequent part, or else a power of two."""
    curve = max(parts, key=lambda part: part[1])[0].curve
    spacing = curve.spacing if len(parts) == 1 or len({times for _, times in parts}) > 1 else None
    if spacing is not None and spacing >= step:
        return spacing / math.ceil(spacing / step)
    return 2.0 ** math.floor(math.log2(step))


def _power_of_two(count: float) -> int:
    return 1 << max(6, math.ceil(math.log2(max(min(count, 2.0**40), 1.0))))
