"""Tallies: what shuffled yes-or-no reports tell of one person, exactly."""

import math
from functools import lru_cache
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from privet.loss.curve import Array

BLOCKS, FINEST = 512, 32  # the others' values are tried in at least so many blocks, finer towards one end
NEGLIGIBLE = 46.0  # e^-46 is far below float64's rounding
STEP = 2.0  # deviations by which the tally's mean moves from one tilt to the next
# places of a tilt at which the profile is computed, more of them farther out
FEWEST = 32
MORE = 16.0
MOST = 256
LEAST, FARTHEST = 1e-290, 64.0  # smaller values and larger tilts are not followed
CELLS = 100_000  # deviations, over all blocks, that are looked at together
SETTLED = 1e-3  # a mean as near as this to the largest tally: the mode stays there
FEW = 8  # values up to here are computed one by one
NEAR = 4  # whole numbers around the mean, one of which is the mode


class Others(NamedTuple):
    """Who else reports: in each block, how many certainly hold a one and how many a zero; the rest is given away."""

    ones: Array
    zeros: Array
    low: float
    high: float

    def parts(self, size: int) -> "list[Others]":
        """So many blocks at a time, to bound the memory that is needed."""
        cuts = range(0, len(self.ones), size)
        return [Others(self.ones[at : at + size], self.zeros[at : at + size], self.low, self.high) for at in cuts]

    @property
    def people(self) -> float:
        """How many are left of the others, in the largest block."""
        return float((self.ones + self.zeros).max())

    def mean(self, tilt: float | Array) -> Array:
        """The mean tally of each block, under e^(tilt tally)."""
        result: Array = self.ones * tilted(self.high, tilt) + self.zeros * tilted(self.low, tilt)
        return result

    def variance(self, tilt: float) -> Array:
        """Its variance."""
        one, zero = tilted(self.high, tilt), tilted(self.low, tilt)
        result: Array = self.ones * one * (1 - one) + self.zeros * zero * (1 - zero)
        return result

    def log_moment(self, tilt: float) -> Array:
        """The logarithm of the mean of e^(tilt tally)."""
        grown = math.expm1(tilt)
        result: Array = self.ones * math.log1p(self.high * grown) + self.zeros * math.log1p(self.low * grown)
        return result


def tilted(chance: float, tilt: float | Array) -> Array:
    """The probability of a one, of one person, under e^(tilt tally)."""
    result: Array = chance / (chance + (1 - chance) * np.exp(-tilt))
    return result


def tally_delta(low: float, high: float, reports: int, epsilon: Array) -> Array:
    """The hockey stick of the tally of all reports, one of them a one with probability `high` against `low`.

    Proof: with N ones among the others, Pr[tally >= k] is Pr[N >= k] + high Pr[N = k - 1], or that with `low`. N is a
        sum of independent bits, so Pr[N = k - 1]/Pr[N = k] grows with k, and with it the ratio of the two laws: the
        worst sets are {tally >= k}. There the difference is c (Pr[N = k - 1] - y Pr[N >= k]) with c = high - e^e low
        and y = (e^e - 1)/c; it is linear in everybody's chance of a one, so each of the others is worst at `low` or at
        `high`. What remains is W, see `TallyProfile`. Smaller `low` and larger `high` cost more: bits can be blurred.
    """
    grown = np.exp(np.minimum(epsilon, 700.0))
    slack = high - grown * low + 2.0**-50 * (high + grown * low)
    inside = slack > 0
    gain = np.where(inside, slack, 1.0)
    slope = np.expm1(np.minimum(epsilon, 700.0)) / gain * (1 - 2.0**-48)
    delta = np.zeros_like(gain)
    delta[inside] = gain[inside] * tally_profile(low, high, reports)(slope[inside])
    return delta


class TallyProfile:
    """W(y) = max of Pr[N = k - 1] - y Pr[N >= k] over k and over the others' values, from above.

    Args:
        low, high: the probabilities of reporting a one, of those who hold a zero and of those who hold a one.
        reports: how many people report; N is the number of ones of all others.

    Proof: W is convex in y, so chords lie above it, and it falls, so its last value holds beyond. The best k - 1 is
        the mode of N under e^(tilt N) with e^tilt = 1 + y, because the difference of neighboring k is
        (1 + y) Pr[N = k] - Pr[N = k - 1]; and a mode is less than 1 from the mean (Darroch 1964). So each tilt
        looks at whole numbers near its means, from the present tilt's to the next one's. Blocks: see `blocks`.
    """

    def __init__(self, low: float, high: float, reports: int) -> None:
        self._others = blocks(low, high, reports)
        self._tilt = 0.0
        self._ended = False
        self._lock = Lock()
        self._places = np.zeros(0)
        self._heights = np.zeros(0)

    def __call__(self, place: Array) -> Array:
        """W at these places: a few directly; many by chords, computed as far out as was ever asked for."""
        if place.size <= FEW:
            return np.array([self._at(each) for each in place.ravel().tolist()]).reshape(place.shape)
        with self._lock:
            while not self._ended and not self._places.max(initial=-1.0) >= place.max(initial=0.0):
                self._extend()
            return np.interp(place, self._places, self._heights)

    def _at(self, place: float) -> float:
        """W at one place; at most that of the farthest tilt, because W falls."""
        tilt = min(math.log1p(place) * (1 - 2.0**-50), FARTHEST)
        return _height(self._others, tilt) * (1 + 2.0**-48)

    def _extend(self) -> None:
        others, tilt = self._others, self._tilt
        deviation = math.sqrt(max(float(others.variance(tilt).max()), 1e-12))
        tilts = np.linspace(
            tilt, tilt + min(STEP / deviation, 0.5), min(FEWEST + math.ceil(MORE * tilt * deviation), MOST)
        )
        heights = np.max([_heights(part, tilts) for part in others.parts(math.ceil(CELLS / deviation))], axis=0)
        self._places = np.concatenate([self._places, np.expm1(tilts)])
        self._heights = np.concatenate([self._heights, heights])
        self._tilt = tilt = float(tilts[-1])
        settled = others.people * float(1 - tilted(others.low, tilt)) < SETTLED
        self._ended = settled or float(heights[-1]) < LEAST or tilt > FARTHEST


@lru_cache(maxsize=64)
def tally_profile(low: float, high: float, reports: int) -> TallyProfile:
    """The profile, remembered: every figure of a loss asks for it again."""
    return TallyProfile(low, high, reports)


def blocks(low: float, high: float, reports: int) -> Others:
    """Every number of ones among the others, in blocks.

    Proof: a block of b numbers from j on holds j ones, reports - b - j zeros and b - 1 people of whom nothing is said.
        Telling the opponent their reports makes the shuffled reports a function of what is told, so the block's
        curve is at least that of every number in it. A block of one number gives nothing away.
    """
    starts: list[int] = []
    sizes: list[int] = []
    end = reports
    while end > 0:
        size = min(1 + (reports - end) // FINEST, -(-reports // BLOCKS), end)
        end -= size
        starts.append(end)
        sizes.append(size)
    ones = np.array(starts, dtype=np.float64)
    return Others(ones, reports - np.array(sizes, dtype=np.float64) - ones, low, high)


def _heights(others: Others, tilts: Array) -> Array:
    """W at each of these tilts, from above, by the law of the tally at the first of them.

    The probability of more than a tally is added up from below: until nothing is left of it, or little.
    """
    tilt = float(tilts[0])
    mean = others.mean(float(tilts[0]))
    deviation = math.sqrt(float(others.variance(tilt).max()))
    first = np.floor(mean) - 2.0
    rows = math.ceil(float((others.mean(float(tilts[-1])) - mean).max())) + 8
    reach = rows + math.ceil(min(7 * deviation, 20 / max(tilt, 1e-12))) + 12
    upper, lower = _tilted_tallies(others, tilt, first, reach, deviation)
    tallies = first + np.arange(float(reach))[:, None]
    log_moment = others.log_moment(tilt)
    blur = 2.0**-50 * (log_moment.max() + tilt * float(np.abs(tallies).max()) + 64.0)
    weight = np.exp(np.minimum(log_moment - tilt * tallies, 700.0))
    weight[(tallies < 0) | (tallies > others.ones + others.zeros)] = 0.0
    equal = (upper * weight)[:rows] * (1 + blur)
    more = np.cumsum((lower * weight)[::-1], axis=0)[-2 : -rows - 2 : -1] * (1 - blur - 2.0**-36)
    modes = (np.floor(others.mean(tilts[:, None])) - 1 - first).astype(np.int64)
    best = np.zeros_like(tilts)
    for place in range(4):
        lines = (modes + place, np.arange(len(first)))
        best = np.maximum(best, (equal[lines] - np.expm1(tilts)[:, None] * more[lines]).max(axis=1))
    return best * (1 + 2.0**-48)


def _tilted_tallies(others: Others, tilt: float, first: Array, reach: int, deviation: float) -> tuple[Array, Array]:
    """Bounds of the tilted probability of each tally from `first` on, one column for each block; see `Waves`."""
    far = 14 * deviation + 16.0
    waves = Waves.of(others, tilt, first, (int(others.people) + 1, reach + math.ceil(far)))
    turn = waves.angle * np.arange(float(reach))[:, None]
    found = (1 + 2 * (np.cos(turn) @ waves.real + np.sin(turn) @ waves.imaginary)) / waves.size
    noise = waves.noise(np.ones_like(waves.angle))
    wrapped = waves.beyond(far, deviation)
    return np.clip(found + noise, 0.0, 1.0), np.maximum(found - noise - wrapped, 0.0)


def _height(others: Others, tilt: float) -> float:
    """W at one tilt, from above.

    Proof: with P' the tilted law and M the moment, Pr[N = k - 1] - y Pr[N >= k] = M e^(-t (k - 1)) (P'(k - 1) -
        (1 - e^-t) T(k)), T(k) the sum of e^(-t i) P'(k + i) over i >= 0. Of it the first `length` terms are taken: less
        than all, and a geometric sum for each wave. Aliases of their tallies lie 14 deviations from the mean.
    """
    mean = others.mean(tilt)
    deviation = math.sqrt(max(float(others.variance(tilt).max()), 0.0))
    far = 14 * deviation + 16.0
    length = min(math.ceil(far), int(others.people)) + NEAR
    first = np.floor(mean) - 1.0
    waves = Waves.of(others, tilt, first, (int(others.people) + length + NEAR, 2 * length + 1))
    single = np.exp(-1j * np.arange(float(NEAR))[:, None] * waves.angle)
    turn = tilt + 1j * waves.angle
    sums = np.expm1(-turn * length) / np.expm1(-turn)
    start = float(np.expm1(-tilt * length) / np.expm1(-tilt)) if tilt else float(length)
    equal = (1 + 2 * waves.added(single)) / waves.size + waves.noise(np.ones_like(waves.angle))
    more = (start + 2 * waves.added(single * np.exp(-1j * waves.angle) * sums)) / waves.size
    more -= waves.noise(np.abs(sums)) + length * math.exp(-NEGLIGIBLE) + waves.beyond(far, deviation)
    tallies = first + np.arange(float(NEAR))[:, None]
    log_moment = others.log_moment(tilt)
    blur = 2.0**-50 * (log_moment.max() + tilt * float(np.abs(tallies).max()) + 64.0)
    weight = np.exp(np.minimum(log_moment - tilt * tallies, 700.0)) * (1 + blur)
    weight[(tallies < 0) | (tallies > others.ones + others.zeros)] = 0.0
    inside = np.clip(equal, 0.0, 1.0) + math.expm1(-tilt) * np.maximum(more, 0.0) * (1 - 2.0**-36)
    return float(np.maximum(weight * inside, 0.0).max())


class Waves(NamedTuple):
    """The characteristic function of the tilted tally of each block, at roots of unity, turned back by `first`.

    Proof: the mean, over the `size` roots of unity, of the characteristic function times a phase is the probability of
        a tally and of those that are multiples of `size` away: of which there are none, or they are far from the mean
        (`beyond`, by Bernstein's inequality). What is left out is below e^-46 each, as the function falls with the
        frequency; the rest is computed to a few units in the last place of its exponent (`noise`).
    """

    angle: Array
    real: Array
    imaginary: Array
    error: Array
    size: int
    whole: bool  # True if no tally has aliases

    @classmethod
    def of(cls, others: Others, tilt: float, first: Array, sizes: tuple[int, int]) -> "Waves":
        """At as many roots of unity as leave no aliases, or at those that leave far ones, whichever are fewer."""
        size = min(sizes)
        size += 1 - size % 2  # no frequency is its own mirror image
        angle = 2 * math.pi / size * np.arange(1.0, (size + 1) // 2)
        chances = (tilted(others.high, tilt), tilted(others.low, tilt))
        numbers = (others.ones, others.zeros)
        sine = np.sin(angle / 2) ** 2
        falls = [0.5 * np.log1p(-4 * chance * (1 - chance) * sine) for chance in chances]
        kept = int(np.count_nonzero(float((others.ones + others.zeros).min()) * np.maximum(*falls) > -NEGLIGIBLE))
        angle, sine = angle[:kept], sine[:kept]
        turns = [np.arctan2(chance * np.sin(angle), 1 - 2 * chance * sine) for chance in chances]
        height = np.exp(sum(number * fall[:kept, None] for number, fall in zip(numbers, falls, strict=True)))
        phase = (
            sum(number * turn[:, None] for number, turn in zip(numbers, turns, strict=True)) - angle[:, None] * first
        )
        error = height * (2.0**-49 * (others.people * angle[:, None] + NEGLIGIBLE + kept + 64.0))
        return cls(angle, height * np.cos(phase), height * np.sin(phase), error, size, size >= sizes[0])

    def added(self, factors: NDArray[np.complex128]) -> Array:
        """The real part of the sum of all waves, each times a factor: a row for each row of factors."""
        result: Array = factors.real @ self.real - factors.imag @ self.imaginary
        return result

    def noise(self, sizes: Array) -> Array:
        """How far the mean of waves, times factors of these sizes, may be from the truth."""
        result: Array = 2 * (sizes @ self.error) / self.size + math.exp(-NEGLIGIBLE) + 2.0**-50
        return result

    def beyond(self, far: float, deviation: float) -> float:
        """The probability of tallies so far from the mean, at most; 0 if none has aliases."""
        return 0.0 if self.whole else 2 * math.exp(-(far**2) / (2 * (deviation**2 + far / 3)))
