"""Shuffled: privacy amplification by shuffling local reports."""

import math
from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import betainc, gammaln

from privet.errors import InvalidParameter
from privet.loss.curve import ROUNDING, Array, LossCurve, rounded_up
from privet.loss.curves.finite import KaryResponseCurve, TableCurve
from privet.loss.curves.tallies import tally_delta
from privet.loss.exact import Exact, float_at_least, whole
from privet.loss.neighbors import Neighbors
from privet.loss.outward import log_above

if TYPE_CHECKING:
    from privet.loss.privacy_loss import PrivacyLoss

BINARY = 2  # outputs of a yes-or-no report
MOST = 2**22  # reports whose tallies are computed; of more only the bounds are
FEW, TABLE = 64, 256  # values that are computed one by one; points of a table for more
FINEST = 5_000  # a number of clones is rounded down by at most this part of itself
WIDTHS = (7.0, 14.0, 40.0)  # standard deviations of the number of clones that are summed, until it suffices


def shuffled_curve(local: "PrivacyLoss", reports: int) -> LossCurve:
    """The central curve of a shuffled local randomizer."""
    whole(reports, "reports", low=1)
    if Neighbors.REPLACE not in local.neighbors:
        raise InvalidParameter("shuffling needs a local loss under REPLACE: a person's value is replaced by another")
    top = local.epsilon(0)
    if math.isinf(top):
        raise InvalidParameter("shuffling needs a pure local loss (delta = 0); a (epsilon, delta) randomizer has none")
    if len(local.parts) == 1:
        ((curve, times),) = local.parts
        if isinstance(curve, KaryResponseCurve) and times == 1:
            return ShuffledKaryCurve(curve.categories, curve.epsilon, reports)
        if isinstance(curve, TableCurve) and times == 1 and len(curve.rows[0]) == BINARY:
            ones = [row[1] for row in curve.rows]
            return ShuffledResponseCurve(min(ones), 1 - max(ones), reports)
    return ShuffledCurve(top, reports)


class ReportsCurve(LossCurve):
    """Shuffled reports of a local randomizer that is epsilon-DP; every value is a computation of its own."""

    epsilon: Exact
    reports: int

    def __post_init__(self) -> None:
        self._keep_exact("epsilon")
        whole(self.reports, "reports", low=1)

    @property
    def neighbors(self) -> frozenset[Neighbors]:
        """One person's value replaced."""
        return frozenset({Neighbors.REPLACE})

    @property
    def largest_loss(self) -> Fraction:
        """Shuffling never costs more than the local loss."""
        return Fraction(self.epsilon)

    @property
    def slow(self) -> bool:
        """Every value is summed anew."""
        return True

    @abstractmethod
    def delta_at(self, epsilon: float) -> float:
        """Delta at one epsilon."""

    @cached_property
    def _table(self) -> tuple[Array, Array]:
        """Values from 0 to the largest loss, denser around zero, against e^epsilon."""
        shape = np.sinh(6.0 * np.arange(TABLE + 1) / TABLE) / math.sinh(6.0)
        points = float(self.largest_loss) * shape
        return np.exp(points), np.array([self.delta_at(float(point)) for point in points])

    def removing(self, epsilon: Array) -> Array:
        """A few values directly; many by chords, which lie above because the curve is convex in e^epsilon."""
        if epsilon.size <= FEW or self.largest_loss == 0:
            return np.array([self.delta_at(float(e)) for e in epsilon.ravel()]).reshape(epsilon.shape)
        grown, delta = self._table
        return np.interp(np.exp(np.minimum(epsilon, 700.0)), grown, delta)


@dataclass(frozen=True)
class ShuffledCurve(ReportsCurve):
    """Shuffled reports of any local randomizer that is epsilon-DP.

    Args:
        epsilon: the local loss, >= 0.
        reports: how many honest people report, guaranteed, >= 1.

    Privacy: the clones bound, evaluated numerically, for one person's value replaced. Trust in the shuffler.
    Proof: every other report is, with probability e^-epsilon, a clone of one of the two possible reports,
        either with probability 1/2. So the pair is a post-processing of (A + D, C - A + 1 - D) against the
        exchanged pair, C ~ Bin(n - 1, e^-epsilon), A ~ Bin(C, 1/2), D ~ Bernoulli(e^eps/(1 + e^eps)) (Feldman,
        McMillan and Talwar 2021, Theorem 3.2). For each C the ratio grows with A + D, so the worst set is a tail; and
        fewer clones cost more, because one can be added by anyone, so a run of counts may be taken for its least.
        The larger number of clones in the same authors' paper of 2023 is not used: its erratum restricts it.

    Example:
        >>> from privet.loss import PrivacyLoss
        >>> round(PrivacyLoss.of(ShuffledCurve(epsilon=1, reports=1000)).epsilon(delta=1e-6), 4)
        0.1824
    """

    __hash__ = LossCurve.__hash__

    epsilon: Exact
    reports: int

    def delta_at(self, epsilon: float) -> float:
        """Delta at one epsilon."""
        top = float(self.epsilon)
        if epsilon >= top:
            return 0.0
        result = 1.0
        for width in WIDTHS:
            clones, mass, missing = _likely(self.reports - 1, math.exp(-top), width)
            some = max(int(clones[0]) // FINEST, 1)  # so many counts at a time are taken for the least of them
            starts = np.arange(0, len(clones), some)
            total = float(np.add.reduceat(mass, starts) @ _given_clones(clones[starts], top, epsilon))
            result = min(1.0, total * (1 + 1e-10) + missing)
            if missing <= 1e-6 * total:
                break
        return min(result, -math.expm1(epsilon - top) / (1 + math.exp(-top)) * (1 + 2.0**-48))


@lru_cache(maxsize=64)
def _likely(trials: int, chance: float, width: float) -> tuple[Array, Array, float]:
    """Counts of a binomial within some standard deviations, their probabilities, and a bound of the rest."""
    mean = trials * chance
    spread = math.sqrt(trials * chance * (1 - chance)) + 1.0
    low = max(0, math.floor(mean - width * spread))
    high = min(trials, math.ceil(mean + width * spread))
    counts = np.arange(low, high + 1.0)
    return (
        counts,
        _binomial(trials, counts, chance),
        2 * math.exp(-(width**2) / (2 + width / spread)) * (low > 0 or high < trials),
    )


def _binomial(trials: int | Array, counts: Array, chance: float) -> Array:
    """Binomial probabilities, by logarithms."""
    if chance >= 1:
        return np.where(counts == trials, 1.0, 0.0)
    choose = gammaln(np.asarray(trials) + 1.0) - gammaln(counts + 1.0) - gammaln(trials - counts + 1.0)
    result: Array = np.exp(choose + counts * math.log(chance) + (trials - counts) * math.log1p(-chance))
    return result


def _given_clones(clones: Array, top: float, epsilon: float) -> Array:
    """The hockey stick for each number of clones: (1 - e^e) P[A >= a] + (p - e^e (1 - p)) P[A = a - 1].

    With p = e^eps/(1 + e^eps) the ratio at A + D = a exceeds e^e once a/(C + 1) exceeds a fixed fraction.
    """
    truth = 1 / (1 + math.exp(-top))
    grown = math.exp(epsilon)
    fraction = (grown * truth - (1 - truth)) / ((2 * truth - 1) * (1 + grown))
    first = np.floor((clones + 1) * fraction) + 1.0
    inside = first <= clones + 1
    edge = np.minimum(first - 1, clones)
    tail = np.where(edge < clones, betainc(edge + 1.0, np.maximum(clones - edge, 1.0), 0.5), 0.0)
    gain = (truth - grown * (1 - truth)) * _binomial(clones, edge, 0.5)
    return np.where(inside, np.maximum(gain * (1 + 1e-10) - (grown - 1) * tail * (1 - 1e-10), 0.0), 0.0)


@dataclass(frozen=True)
class ShuffledKaryCurve(ReportsCurve):
    """Shuffled reports of k-ary randomized response.

    Args:
        categories: k >= 2.
        epsilon: the local loss, >= 0.
        reports: how many honest people report, guaranteed, >= 1.

    Privacy: for one person's value replaced; for two categories exact, as `ShuffledResponseCurve`, else the smaller of
        the clones bound and the privacy blanket.
    Proof: each report is, with probability g = k/(e^eps + k - 1), drawn uniformly whatever the value: a blanket
        under which the others hide. delta(e) <= E[(sum over the blanket of l_i)+] / (g n), where l takes g(E - e^e)
        and g(1 - e^e E) with probability 1/k each and g(1 - e^e) else, E = e^eps (Balle, Bell, Gascón and Nissim
        2019, Lemma 5.3). The sum is placed on a grid by splits that keep its mean, which raises E[(.)+].

    Example:
        >>> from privet.loss import PrivacyLoss
        >>> kary = ShuffledKaryCurve(categories=10, epsilon=1, reports=1000)
        >>> round(PrivacyLoss.of(kary).epsilon(delta=1e-6), 4)
        0.0802
    """

    __hash__ = LossCurve.__hash__

    categories: int
    epsilon: Exact
    reports: int

    def __post_init__(self) -> None:
        super().__post_init__()
        whole(self.categories, "categories", low=BINARY)

    def removing(self, epsilon: Array) -> Array:
        """Two categories: the tally is all there is."""
        if self.categories > BINARY or self.reports > MOST:
            return super().removing(epsilon)
        low = 1.0 / (1.0 + math.exp(min(float(self.epsilon), 700.0))) * (1 - ROUNDING)
        return rounded_up(tally_delta(low, 1.0 - low, self.reports, epsilon))

    def delta_at(self, epsilon: float) -> float:
        """Delta at one epsilon."""
        clones = ShuffledCurve(self.epsilon, self.reports).delta_at(epsilon)
        return min(clones, self._blanket(epsilon) * (1 + ROUNDING))

    def _blanket(self, epsilon: float) -> float:
        top = float(self.epsilon)
        k = self.categories
        n = self.reports
        if epsilon >= top:
            return 0.0
        share = k / (math.exp(top) + k - 1)
        grown, big = math.exp(epsilon), math.exp(top)
        values = np.array([big - grown, 1 - grown * big, 1 - grown, 0.0])
        chances = np.array([share / k, share / k, share * (1 - 2 / k), 1 - share])
        return positive_part(values, chances, n) / n


@dataclass(frozen=True)
class ShuffledResponseCurve(LossCurve):
    """Shuffled reports of binary randomized response, possibly asymmetric, or of any yes-or-no report.

    Args:
        flip_zero: the least probability that somebody reports a 1, above 0.
        flip_one: the least probability that somebody reports a 0, above 0.
        reports: how many honest people report, guaranteed, >= 1.

    Privacy: for one person's value replaced, the worst over all values of the others: exact up to 512 reports, and
        within a thousandth of epsilon beyond; the clones bound above 2^22 reports.
    Proof: shuffled bits are their sum; see `tally_delta`. The other direction is the same with 0 and 1 exchanged.

    Example:
        >>> from privet.loss import PrivacyLoss, RandomizedResponseCurve
        >>> local = PrivacyLoss.of(RandomizedResponseCurve.truthful("0.731058578"))  # epsilon 1
        >>> round(local.shuffled(10_000).epsilon(delta=1e-6), 5)
        0.03566
    """

    __hash__ = LossCurve.__hash__

    flip_zero: Exact
    flip_one: Exact
    reports: int

    def __post_init__(self) -> None:
        self._keep_exact("flip_zero", high=1)
        self._keep_exact("flip_one", high=1)
        whole(self.reports, "reports", low=1)
        if 0 in (self.flip_zero, self.flip_one) or self._chances[0] > self._chances[1]:
            raise InvalidParameter("flip_zero and flip_one must be > 0 and at most 1 in sum: exchange 0 and 1 if not")

    @property
    def _chances(self) -> tuple[Fraction, Fraction]:
        """The least and the largest probability of a 1."""
        return Fraction(self.flip_zero), 1 - Fraction(self.flip_one)

    @property
    def neighbors(self) -> frozenset[Neighbors]:
        """One person's value replaced."""
        return frozenset({Neighbors.REPLACE})

    @property
    def slow(self) -> bool:
        """Every value is the worst of many tallies."""
        return True

    @cached_property
    def largest_loss(self) -> Fraction:
        """Shuffling never costs more than the local loss."""
        low, high = self._chances
        return log_above(max(high / low, (1 - low) / (1 - high)))

    def removing(self, epsilon: Array) -> Array:
        """Delta at each epsilon, the larger of the two directions."""
        low, high = self._chances
        if self.reports > MOST:
            return ShuffledCurve(self.largest_loss, self.reports).removing(epsilon)
        worst = np.zeros_like(epsilon)
        for least, most in dict.fromkeys([(low, high), (1 - high, 1 - low)] if low < high else []):
            below = -float_at_least(-least)
            above = float_at_least(most)
            worst = np.maximum(worst, tally_delta(below, above, self.reports, epsilon))
        return rounded_up(worst)


def positive_part(values: Array, chances: Array, times: int) -> float:
    """E[(sum of `times` independent draws)+] for a draw with few values, from above.

    Proof: as in `composition`: tilted, transformed, powered, with the same allowance for rounding; a value between
        two grid points is split so that its mean stays, which raises the mean of every convex function.
    """
    tilt, log_moment = _best_tilt(values, chances, times)
    weights = chances * np.exp(tilt * values - log_moment)
    mean = float(weights @ values)
    spread = math.sqrt(max(float(weights @ (values - mean) ** 2) * times, 1e-300))
    size = 1 << 13
    step = max(36 * spread / size, float(np.ptp(values)) / (size // 4))
    low = np.floor(values / step)
    upper = values / step - low
    index = np.concatenate([low, low + 1]).astype(np.int64)
    split = np.concatenate([weights * (1 - upper), weights * upper * math.exp(tilt * step)])
    split *= np.exp(tilt * np.concatenate([low * step - values, low * step - values]))
    total = float(split.sum())
    line = np.bincount(index % size, weights=split / total, minlength=size)
    log_total = times * (log_moment + math.log(total))
    masses = np.maximum(np.fft.irfft(np.fft.rfft(line) ** times, size), 0.0)
    noise = 2.0**-48 * math.log2(size) * (times * float(np.sqrt(np.sum(line * line))) + 1.0)
    first = round(mean * times / step) - size // 2
    sums = step * np.arange(first, first + size, dtype=np.float64)
    kept = sums > 0
    rolled = np.roll(masses, -(first % size)) + noise
    height = np.exp(np.minimum(log_total - tilt * sums[kept], 700.0))
    end = max(float(sums[-1]), 0.0)
    lost = math.exp(min(log_total - tilt * end, 700.0)) * (end + 1 / tilt)
    return float(np.sum(rolled[kept] * height * sums[kept])) + lost


def _best_tilt(values: Array, chances: Array, times: int) -> tuple[float, float]:
    """The tilt that centers the sum a little above zero, with its log-moment."""
    grid = 2.0 ** np.arange(-30.0, 12.0, 0.125) / float(np.abs(values).max())
    with np.errstate(divide="ignore"):
        exponent = np.log(chances)[:, None] + values[:, None] * grid
    top = exponent.max(axis=0)
    logs = top + np.log(np.exp(exponent - top).sum(axis=0))
    # minimise the Chernoff bound of E[(S)+] <= E[e^(tS)] / (e t)
    best = int(np.argmin(times * logs - np.log(grid)))
    return float(grid[best]), float(logs[best])
