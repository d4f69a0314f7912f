"""GridLayout: where on the loss axis a question will be decided, and how fine a grid it needs.

A layout is guesswork: it decides speed and tightness, never validity.
"""

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce
from typing import NamedTuple

import numpy as np

from privet.loss.curve import Array, Moments
from privet.loss.pricing.grid import CAREFUL, QUICK, Atoms, Direction, scouted
from privet.loss.pricing.growing import Growing, Parts, Runs

TILTS = 2.0 ** np.concatenate([np.arange(-20, 0, 0.5), np.arange(0, 24.1, 0.25)])  # where moments are tabulated
ROUGH = 4  # shallow questions use every fourth tilt, so that they meet again what was computed for others
TOLERANCE = 1e-5  # how much of epsilon the discretisation may cost
RELAXED, DEEP = 4.0, 50.0  # tolerances of epsilon, and of log(delta), that it may cost where the window is broad
CELLS = 32  # of the grid, at least, between 0 and the answer
SMALLEST, LARGEST = 2**9, 2**20  # sizes of the grid
SMALL = 2**14  # spectra up to this size are remembered, so their steps are few: layouts repeat while a loss grows
BROAD = 2**16  # from this size on the step is as wide as the tolerance allows, and no longer a round number
COSTLY = 2**15  # from this size on a careful layout costs less than it saves
ABOVE = 18.0  # natural logarithm of how small the tail above the window is, relative to delta
CLOSE, MARGIN = 15.0, 9.0  # the same for a quick look at a known delta; and how far below its aim the window begins
ANSWER = 2.0  # how far below that aim the answer usually lies
BELOW = 12.0  # and of the tilted tail below it
SHALLOW = -40.0  # above this log(delta) a tilt within a factor of two is good enough, and is met again more often
PENALTY, MOST = 4.0, 20.0  # natural logarithm of what a tilt may lose for speed, in a quick look and in a careful one
NARROW = 3.0  # what a narrower window is worth of it
STEEP, STEEPEST = 16.0, 256.0  # the largest tilts of shallow and deep questions, times the standard deviation
NEGLECTED = 1e-7  # share of delta that may become infinite loss when curves are cut off
EDGE = 513 / 512  # a loss where a curve is cut off is a step or two higher on the grid than on the scouting grid
CUTS = 4  # how often a careful plan looks anew at what is left when so much is cut off: the aim depends on it
AGREES = 0.6  # how much lower than planned an answer may lie without asking for a finer step
LEAST = -745.0  # log(delta) below which no float lies: a point that is lower is aimed at as if it were here
SHORT = 2.0**20  # steps are whole multiples of a power of two by less than twice this: their multiples are floats


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
class GridLayout:
    """A window of `size` grid points of width `step` from index `first`, seen through e^(tilt * loss).

    `log_delta` and `epsilon` are the point on the curve that is asked for, as far as known beforehand.
    """

    tilt: float
    step: float
    first: int
    size: int
    log_delta: float
    epsilon: float
    least: float  # epsilons below need no finer step than this one
    precise: bool = False  # whether the transform is computed in the longest floats there are

    def fits(self, epsilon: float) -> bool:
        """Whether the step is fine enough for an answer that turned out to be here."""
        return max(epsilon, self.least) >= AGREES * max(self.epsilon, self.least)

    def cut(self, runs: int) -> float:
        """The infinite loss that one of so many runs may be charged for cutting off its curve."""
        return cut_for(self.log_delta, runs)


def cut_for(log_delta: float, runs: int) -> float:
    """The infinite loss that one of so many runs may be charged; on a coarse scale, to be met again."""
    return math.exp(max(8 * math.floor((log_delta + math.log(NEGLECTED / runs)) / 8), -740))


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
            max(self.most, other.most),
            self.spacing if self.most >= other.most else other.spacing,
            self.even and other.even and self.most == other.most,
            self.lattice if self.lattice == other.lattice else None,
            self.kinds + other.kinds,
        )


_summaries = Growing(Summary.__add__)


def summary_of(parts: Parts, scouts: int, cut: float = 0.0) -> Summary:
    """The summary of all parts, in whichever direction they are read, without the rare losses that will be cut off."""

    def of(runs: Runs) -> Summary:
        return reduce(Summary.__add__, (_summary_of_one(direction, times, scouts, cut) for direction, times in runs))

    return _summaries.total((scouts, cut, parts.adding), parts.runs, of)


def _summary_of_one(direction: Direction, times: int, scouts: int, cut: float) -> Summary:
    found = scouted_moments(direction, scouts, cut)
    curve = direction.curve
    spacing = curve.spacing
    return Summary(
        times * found.logs,
        times * found.variance,
        times,
        times,
        spacing,
        even=True,
        lattice=spacing if curve.atomic else None,
    )


@lru_cache(maxsize=1024)
def scouted_moments(direction: Direction, scouts: int, cut: float = 0.0) -> Moments:
    """Moments in closed form, or of the scouting grid with this many points on each side."""
    known = direction.curve.moments(LADDERS[scouts].forward)
    return known if known is not None else moments(scouted(direction, scouts).kept(cut), LADDERS[scouts].forward)


def layout_for(  # noqa: PLR0913 - what is asked and how to look, each by name
    parts: Parts,
    *,
    log_delta: float | None = None,
    epsilon: float | None = None,
    scouts: int = QUICK,
    guard: float = 0.0,
    worth: float = NARROW,
) -> GridLayout:
    """The layout for the epsilon at a delta, or for the delta at an epsilon; given both, for that point.

    The tilt is the one at which the moment bound of delta is smallest, because there the tilted losses gather around
    the answer; it is kept above two over the standard deviation, so that the window stays narrow. Where a quick look
    finds that the grid is large, a careful one costs less than it saves.
    """
    summary = summary_of(parts, scouts)
    ladder = LADDERS[scouts]
    aim = _aimed(summary, ladder, log_delta, epsilon)
    cut = 0.0
    for _ in range(CUTS if scouts == CAREFUL else 0):
        before = cut
        cut = cut_for(aim.log_delta, parts.total)
        if cut == before:
            break
        summary = summary_of(parts, scouts, cut)
        aim = _aimed(summary, ladder, log_delta, epsilon)
    layout = _laid_out(summary, ladder, aim, guard, worth)
    if scouts == QUICK and layout.size > COSTLY:
        return layout_for(parts, log_delta=log_delta, epsilon=epsilon, scouts=CAREFUL, guard=guard, worth=worth)
    return layout


class Aim(NamedTuple):
    """The point on the curve that is asked for, and how small each tilt's bound of delta is there."""

    log_delta: float
    epsilon: float
    bounds: Array
    best: int  # the tilt whose bound is smallest
    sure: bool  # whether the point was given, not guessed


def _aimed(summary: Summary, ladder: Ladder, log_delta: float | None, epsilon: float | None) -> Aim:
    tight = summary.logs[-len(ladder.tilts) :] + ladder.tighter
    sure = epsilon is not None
    if epsilon is None:
        assert log_delta is not None  # noqa: S101 - one of the two is given
        epsilon = float(((tight - log_delta) / ladder.tilts).min())
    bounds = np.maximum(tight - ladder.tilts * epsilon, LEAST)  # of those that are low enough the gentlest is best
    best = int(bounds.argmin())
    return Aim(float(min(bounds[best], 0.0)) if log_delta is None else log_delta, epsilon, bounds, best, sure)


def _laid_out(summary: Summary, ladder: Ladder, aim: Aim, guard: float, worth: float) -> GridLayout:
    tilts = ladder.tilts
    spread = math.sqrt(summary.variance)
    steepest = (STEEP if aim.log_delta > SHALLOW else STEEPEST) / max(spread, 1e-300)
    steep = min(int(tilts.searchsorted(steepest)), len(tilts) - 1)
    if ladder is LADDERS[QUICK]:
        chosen = _chosen_tilt(ladder, aim, min(aim.best, steep), spread)
        low, high = _quick_window(summary.logs, tilts, aim, chosen)
    else:
        excess = aim.bounds[: steep + 1] - aim.bounds[min(aim.best, steep)]
        near = (excess <= MOST).nonzero()[0].tolist()
        windows = [_careful_window(summary.logs, ladder, aim, index, guard) for index in near]
        scores = [
            excess[index] + worth * math.log(high - low) for index, (low, high) in zip(near, windows, strict=True)
        ]
        place = int(np.argmin(scores))
        chosen = near[place]
        low, high = windows[place]
    tilt = float(tilts[chosen])
    least = spread / 16
    sharpest = min(tilt, _lowest(tilts, aim.bounds, aim.best))
    step, size = _resolution(summary, high - low, sharpest, max(aim.epsilon, least))
    return GridLayout(tilt, step, math.floor(low / step), size, aim.log_delta, aim.epsilon, least)


def _quick_window(rising: Array, tilts: Array, aim: Aim, chosen: int) -> tuple[float, float]:
    tilt = float(tilts[chosen])
    room = (ABOVE if aim.sure else CLOSE) - aim.log_delta
    high = (float(rising[chosen]) + room) / tilt
    width = _period(tilts, rising, chosen, aim.epsilon - ANSWER / tilt, room)
    return min(high - width, aim.epsilon - MARGIN / tilt), high


def _careful_window(logs: Array, ladder: Ladder, aim: Aim, chosen: int, guard: float) -> tuple[float, float]:
    """Where the tilted losses begin, or lower, and where they end for delta's purpose; with a guard, where they end."""
    tilts = ladder.tilts
    rising = logs[len(ladder.negative) :]
    slower = len(ladder.negative) + chosen
    tilt = float(tilts[chosen])
    room = ABOVE + guard - aim.log_delta
    high = (float(rising[chosen]) + room) / tilt
    if guard:
        high = max(high, _steeper(tilts, rising, chosen, BELOW + guard - float(rising[chosen])))
    rise = rising[chosen] - logs[:slower]
    gap = tilt - ladder.forward[:slower]
    begin = float(((rise - BELOW - guard) / gap).max())
    return min(begin, high - _period(tilts, rising, chosen, aim.epsilon, room, EDGE), aim.epsilon - ABOVE / tilt), high


def _period(tilts: Array, rising: Array, chosen: int, answer: float, room: float, edge: float = 1.0) -> float:  # noqa: PLR0913, PLR0917 - one formula
    """A width of the window at which what lies outside hardly changes delta at the answer, when it is folded into it.

    Folding moves a loss by the width w, down or up, and its weight in delta becomes e^(tilt w) or e^(-tilt w) times
    what it was. So losses from below add at most e^(-tilt w), and those from above that come to lie above the answer
    e^(tilt w) P[loss > answer + w], which every steeper tilt bounds.
    """
    tilt = float(tilts[chosen])
    return max(room / tilt, edge * _steeper(tilts, rising, chosen, room - tilt * answer) - answer)


def _steeper(tilts: Array, rising: Array, chosen: int, room: float) -> float:
    """The lowest of (rising + room)/(steeper - tilt) over all tilts that are steeper; 0 if none is."""
    if chosen + 1 == len(tilts):
        return 0.0
    return float(((rising[chosen + 1 :] + room) / (tilts[chosen + 1 :] - tilts[chosen])).min())


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


def _chosen_tilt(ladder: Ladder, aim: Aim, best: int, spread: float) -> int:
    """The index of the best tilt, moved for speed as far as the bound grows by no more than a small factor."""
    gentle = int(ladder.tilts.searchsorted(2.0 / max(spread, 1e-300)))
    near = (aim.bounds <= aim.bounds[best] + PENALTY).nonzero()[0]
    best = max(best, min(gentle, int(near[-1])))
    rough = near[near % ladder.every == 0] if aim.log_delta > SHALLOW else near[:0]
    return int(rough[min(int(rough.searchsorted(best)), rough.size - 1)]) if rough.size else best


def _resolution(summary: Summary, width: float, tilt: float, scale: float) -> tuple[float, int]:
    """Step and number of points: each smooth part adds the variance step^2/6, which costs (tilt + 1)/2 times it.

    Of few runs that hardly ever lose much the curve bends more than its tilt says, between 0 and the answer.
    """
    lattice = summary.lattice
    if lattice is not None and width / lattice <= LARGEST:
        return lattice, _size(width / lattice)
    costs = 12 * TOLERANCE / ((tilt + 1) * summary.runs)
    finest = max(scale, 1e-12) / CELLS
    wanted = min(math.sqrt(costs * max(scale, 1e-12)), finest)
    step = _aligned(summary, min(wanted, width / SMALLEST))
    if width / step <= BROAD:
        return step, _size(width / step)
    coarser = min(math.sqrt(costs * max(min(RELAXED * scale, DEEP / tilt), scale, 1e-12)), finest)
    size = _size(min(max(width / coarser, BROAD), LARGEST))
    return _short(width / size), size


def _aligned(summary: Summary, step: float) -> float:
    """The next smaller step that divides the spacing of the most frequent part, or else a power of two."""
    spacing = summary.spacing if summary.kinds == 1 or not summary.even else None
    if spacing is not None and spacing >= step:
        return spacing / math.ceil(spacing / step)
    return 2.0 ** math.floor(math.log2(step))


def _short(step: float) -> float:
    """The next larger number with few digits, so that its multiples up to 2^32 are floats, equally far apart."""
    mantissa, exponent = math.frexp(step)
    return math.ldexp(math.ceil(mantissa * SHORT) / SHORT, exponent)


def _size(count: float) -> int:
    """The next power of two, or three quarters of it: few sizes, and fast to transform."""
    power = 1 << max(6, math.ceil(math.log2(max(min(count, 2.0**40), 1.0))))
    return power if count > 0.75 * power else 3 * power // 4
