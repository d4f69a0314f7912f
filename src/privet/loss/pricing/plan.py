"""Plan: where on the loss axis a question will be decided, and how fine a grid it needs.

A plan is guesswork: it decides speed and tightness, never validity.
"""

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce

import numpy as np

from privet.loss.curve import Array, Moments
from privet.loss.pricing.grid import CAREFUL, QUICK, Atoms, Direction, reach_of, scouted
from privet.loss.pricing.growing import Growing, Parts, Runs

TILTS = 2.0 ** np.concatenate([np.arange(-20, 0, 0.5), np.arange(0, 24.1, 0.25)])  # where moments are tabulated
ROUGH = 4  # shallow questions use every fourth tilt, so that they meet again what was computed for others
TOLERANCE = 1e-5  # how much of epsilon the discretisation may cost
SMALLEST, LARGEST = 2**9, 2**18  # sizes of the grid
SMALL = 2**14  # spectra up to this size are remembered, so their steps are few: plans repeat while a loss grows
ABOVE = 18.0  # natural logarithm of how small the tail above the window is, relative to delta
CLOSE, MARGIN = 15.0, 9.0  # the same for a quick look at a known delta; and how far below its aim the window begins
ANSWER = 2.0  # how far below that aim the answer usually lies
BELOW = 12.0  # and of the tilted tail below it
SHALLOW = -40.0  # above this log(delta) a tilt within a factor of two is good enough, and is met again more often
PENALTY = 4.0  # natural logarithm of what a tilt may lose for speed
STEEP, STEEPEST = 16.0, 256.0  # the largest tilts of shallow and deep questions, times the standard deviation
FINEST = 2.0**-20  # the smallest step, in reaches of the widest part


@dataclass(frozen=True)
class Ladder:
    """The tilts at which moments are tabulated."""

    tilts: Array
    every: int  # how many of these there are to a rough one
    negative: Array  # further ones, for the lower end of a wide window

    @cached_property
    def forward(self) -> Array:
        """All of them."""
        return np.concatenate([self.negative, self.tilts])

    @cached_property
    def tighter(self) -> Array:
        """The best factor with (1 - e^(e - L))+ <= e^tighter e^(t (L - e)), see `converted_delta`."""
        return self.tilts * np.log(self.tilts) - (1 + self.tilts) * np.log1p(self.tilts)


LADDERS = {QUICK: Ladder(TILTS[:: ROUGH // 2], 2, TILTS[:0]), CAREFUL: Ladder(TILTS, ROUGH, -TILTS[60::-ROUGH])}


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


def moments(atoms: Atoms, tilts: Array) -> Moments:
    """The moments of one loss distribution at these tilts.

    Each is scaled by its term at the last loss, or at the first if the tilt is negative: of the terms e^(t loss) that
    one is the largest, so nothing overflows, and its mass is a float, so neither does the largest product underflow.
    """
    kept = atoms.mass > 0
    mass, losses = atoms.mass[kept], atoms.losses[kept]
    if not mass.size:
        return Moments(np.full(tilts.shape, -math.inf), 0.0, 0.0)
    scale = tilts * np.where(tilts > 0, losses[-1], losses[0])
    exponent = np.multiply.outer(losses, tilts)
    exponent -= scale
    logs = np.log(mass @ np.exp(exponent, out=exponent)) + scale
    total = float(mass.sum())
    mean = float(mass @ losses) / total
    return Moments(logs, mean, float(mass @ (losses - mean) ** 2) / total)


@dataclass(frozen=True)
class Summary:
    """What planning asks of all parts together."""

    logs: Array  # of the moments at every tilt of the ladder
    variance: float
    runs: int
    reach: float  # the largest scouted loss of any part
    most: int  # how often the most frequent part runs
    spacing: float | None  # of that part
    even: bool  # whether all parts run equally often
    lattice: float | None  # the spacing of a grid on which all parts are exact
    kinds: int = 1

    def __add__(self, other: "Summary") -> "Summary":
        return Summary(
            self.logs + other.logs,
            self.variance + other.variance,
            self.runs + other.runs,
            max(self.reach, other.reach),
            max(self.most, other.most),
            self.spacing if self.most >= other.most else other.spacing,
            self.even and other.even and self.most == other.most,
            self.lattice if self.lattice == other.lattice else None,
            self.kinds + other.kinds,
        )


_summaries = Growing(Summary.__add__)


def summary_of(parts: Parts, scouts: int) -> Summary:
    """The summary of all parts, in whichever direction they are read."""

    def of(runs: Runs) -> Summary:
        return reduce(Summary.__add__, (_summary_of_one(direction, times, scouts) for direction, times in runs))

    return _summaries.total((scouts, parts.adding), parts.runs, of)


def _summary_of_one(direction: Direction, times: int, scouts: int) -> Summary:
    found, curve = scouted_moments(direction, scouts), direction.curve
    spacing = curve.spacing
    return Summary(
        times * found.logs,
        times * found.variance,
        times,
        reach_of(direction, scouts),
        times,
        spacing,
        even=True,
        lattice=spacing if curve.atomic else None,
    )


@lru_cache(maxsize=1024)
def scouted_moments(direction: Direction, scouts: int) -> Moments:
    """Moments in closed form, or of the scouting grid with this many points on each side."""
    known = direction.curve.moments(LADDERS[scouts].forward)
    return known if known is not None else moments(scouted(direction, scouts).atoms, LADDERS[scouts].forward)


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
    summary, ladder = summary_of(parts, scouts), LADDERS[scouts]
    logs, tilts, spread = summary.logs, ladder.tilts, math.sqrt(summary.variance)
    wide = scouts != QUICK or epsilon is not None
    rising = logs[-len(tilts) :]
    tight = rising + ladder.tighter
    if epsilon is None:
        assert log_delta is not None  # noqa: S101 - one of the two is given
        bounds = (tight - log_delta) / tilts
        best = int(bounds.argmin())
        epsilon = float(bounds[best])
        bounds = tight - tilts * epsilon
    else:
        bounds = tight - tilts * epsilon
        best = int(bounds.argmin())
        log_delta = float(min(bounds[best], 0.0)) if log_delta is None else log_delta
    sharpest = _lowest(tilts, bounds, best)
    best = _chosen_tilt(ladder, best, bounds, spread, shallow=log_delta > SHALLOW)
    tilt, close = float(tilts[best]), (ABOVE if wide else CLOSE) + guard
    high = (float(rising[best]) - log_delta + close) / tilt
    if scouts == QUICK and best + 1 < len(tilts):
        width = _period(tilts, rising, best, epsilon - ANSWER / tilt, close - log_delta)
        low = min(high - width, epsilon - MARGIN / tilt)
    else:
        low = min(_lower_end(ladder, logs, best, guard), epsilon - ABOVE / tilt)
    step, size = _resolution(summary, high - low, min(tilt, sharpest), max(epsilon, spread / 16))
    return Plan(tilt, step, math.floor(low / step), size, log_delta, epsilon)


def _lower_end(ladder: Ladder, logs: Array, chosen: int, guard: float) -> float:
    """Where the tilted losses begin."""
    slower = len(ladder.negative) + chosen
    rise, gap = logs[slower] - logs[:slower], ladder.forward[slower] - ladder.forward[:slower]
    return float(((rise - BELOW - guard) / gap).max())


def _period(tilts: Array, rising: Array, chosen: int, answer: float, room: float) -> float:
    """A width of the window at which what lies outside hardly changes delta at the answer, when it is folded into it.

    Folding moves a loss by the width w, down or up, and its weight in delta becomes e^(tilt w) or e^(-tilt w) times
    what it was. So losses from below add at most e^(-tilt w), and those from above that come to lie above the answer
    e^(tilt w) P[loss > answer + w], which every steeper tilt bounds.
    """
    tilt, steeper = float(tilts[chosen]), tilts[chosen + 1 :]
    from_above = (rising[chosen + 1 :] - steeper * answer + room) / (steeper - tilt)
    return max(room / tilt, float(from_above.min()))


def _lowest(tilts: Array, bounds: Array, best: int) -> float:
    """Where the bound is smallest, by the parabola through the lowest of the tabulated points and its neighbors."""
    if not 0 < best < len(tilts) - 1:
        return float(tilts[best])
    left, at, right = tilts[best - 1 : best + 2].tolist()
    below, lowest, above = bounds[best - 1 : best + 2].tolist()
    rise, fall = (above - lowest) * (at - left), (below - lowest) * (right - at)
    if not 0 < rise + fall < math.inf:
        return float(at)
    return float(at - (rise * (at - left) - fall * (right - at)) / (2 * (rise + fall)))


def _chosen_tilt(ladder: Ladder, best: int, bounds: Array, spread: float, *, shallow: bool) -> int:
    """The index of the best tilt, moved for speed as far as the bound grows by no more than a small factor."""
    narrow = 1.0 / max(spread, 1e-300)
    gentle = int(ladder.tilts.searchsorted(2.0 * narrow))
    steep = int(ladder.tilts.searchsorted((STEEP if shallow else STEEPEST) * narrow))
    best = min(best, steep, len(bounds) - 1)
    near = (bounds <= bounds[best] + PENALTY).nonzero()[0]
    best = max(best, min(gentle, int(near[-1])))
    rough = near[near % ladder.every == 0] if shallow else near[:0]
    return int(rough[min(int(rough.searchsorted(best)), rough.size - 1)]) if rough.size else best


def _resolution(summary: Summary, width: float, tilt: float, scale: float) -> tuple[float, int]:
    """Step and number of points: each smooth part adds the variance step^2/6, which costs (tilt + 1)/2 times it."""
    lattice = summary.lattice
    if lattice is not None and width / lattice <= LARGEST:
        return lattice, _size(width / lattice)
    wanted = math.sqrt(12 * TOLERANCE * max(scale, 1e-12) / ((tilt + 1) * summary.runs))
    finest = FINEST * summary.reach
    step = _aligned(summary, max(min(wanted, width / SMALLEST), finest))
    if width / step > LARGEST:
        step = max(width / LARGEST, finest)
    return step, min(_size(width / step), LARGEST)


def _aligned(summary: Summary, step: float) -> float:
    """The next smaller step that divides the spacing of the most frequent part, or else a power of two."""
    spacing = summary.spacing if summary.kinds == 1 or not summary.even else None
    if spacing is not None and spacing >= step:
        return spacing / math.ceil(spacing / step)
    return 2.0 ** math.floor(math.log2(step))


def _size(count: float) -> int:
    """The next power of two, or three quarters of it: few sizes, and fast to transform."""
    power = 1 << max(6, math.ceil(math.log2(max(min(count, 2.0**40), 1.0))))
    return power if count > 0.75 * power else 3 * power // 4
