"""DistributionEstimate: how a bounded number is distributed, from reports near its value."""

import hashlib
import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.special import ndtri

from privet.asking.bounds import Bounds
from privet.core.release import CONFIDENCE
from privet.core.uncertainty import refuse_certainty
from privet.errors import InvalidParameter
from privet.local.estimate import Estimate

if TYPE_CHECKING:
    from privet.display import Chart

Floats = NDArray[np.float64]
ROUNDS = 1_000
DONE = 1e-3  # how much the likelihood of all reports still grows when the climb ends
REPEATS = 200  # simulated collections


@dataclass(frozen=True, repr=False, eq=False)
class DistributionEstimate(Estimate):
    """The share of each bin, smoothed; the mean; quantiles.

    Args:
        protocol, reports, loss, epsilon: as of every `Estimate`.
        bounds: of the values.
        counts: of each bin of reports.
        law: the probability of each bin of reports (rows) for each bin of values (columns).

    `value` is the likeliest distribution among smooth ones (expectation and maximization, each round followed by
    smoothing over neighboring bins: Li and others 2020). It is not unbiased: shares of single bins shrink towards their
    neighbors. The mean is unbiased.

    Example:
        >>> from privet.local import SquareWave
        >>> protocol = SquareWave(bounds=(0, 100), epsilon=2, bins=16)
        >>> estimate = protocol.estimate(protocol.privatize([20.0, 30.0] * 2000))
        >>> isinstance(estimate, DistributionEstimate), round(float(estimate.value.sum()), 6)
        (True, 1.0)
    """

    bounds: Bounds
    counts: NDArray[np.int64]
    law: Floats

    @cached_property
    def value(self) -> Floats:
        """The share of each bin; they add up to 1."""
        return climbed(self.law, self.counts[:, None])[:, 0]

    @cached_property
    def standard_error(self) -> Floats:
        """The deviation of each bin's share over simulated collections; what smoothing shifts is not in it.

        So it is no measure of how far a share may be off: intervals are.
        """
        return np.asarray(self._simulated.std(axis=1), dtype=np.float64)

    def interval(
        self, confidence: float = CONFIDENCE, *, simultaneous: bool = False, population: bool = True
    ) -> tuple[Floats, Floats]:
        """Which shares each bin can have, whatever the distribution: all of them hold together; see `_extremes`.

        They are wide for bins much narrower than the wave: reports cannot tell those apart. `cumulative_interval` is
        narrow.
        """
        del simultaneous, population
        return self._extremes(np.eye(len(self.value)), confidence)

    def cumulative_interval(self, confidence: float = CONFIDENCE) -> tuple[Floats, Floats]:
        """Which share of the devices can lie below each edge of a bin, from the first to the last."""
        return self._extremes(np.tri(len(self.value) + 1, len(self.value), -1), confidence)

    def _extremes(self, sums: Floats, confidence: float) -> tuple[Floats, Floats]:
        """The least and the largest value of each sum of shares, over all distributions that the reports allow.

        Proof: with this probability the share of reports up to each bin is, for all bins at once, within
            √(ln(2/α)/2n) of its expectation (Dvoretzky, Kiefer and Wolfowitz 1956, with Massart's constant), if devices
            are a sample. So the true shares are among those allowed: a polytope, over which a sum is smallest and
            largest in a corner.
        """
        refuse_certainty(confidence, "confidence")
        reach = math.sqrt(math.log(2 / (1 - confidence)) / (2 * self.reports))
        seen = np.cumsum(self.counts)[:-1] / self.reports
        below = np.cumsum(self.law, axis=0)[:-1]
        slack = max(float(np.abs(below @ self.value - seen).max()) - reach, 0.0)  # so that some distribution fits
        limits = np.concatenate([seen + reach + slack, reach + slack - seen]) + 1e-9
        facts = {"A_ub": np.concatenate([below, -below]), "b_ub": limits, "A_eq": np.ones((1, below.shape[1]))}
        ends = [[_least(sign * each, facts) * sign for each in sums] for sign in (1.0, -1.0)]
        return np.clip(ends[0], 0.0, 1.0), np.clip(ends[1], 0.0, 1.0)

    @cached_property
    def mean(self) -> float:
        """The unbiased mean of the values' bins."""
        return self._mean_and_error[0]

    @cached_property
    def mean_error(self) -> float:
        """Its standard error."""
        return self._mean_and_error[1]

    def quantile(self, share: float) -> float:
        """The value below which this share of the devices lies, by straight lines within bins."""
        if not 0 <= share <= 1:
            raise InvalidParameter("share must lie from 0 to 1")
        return float(np.interp(share, np.concatenate([[0.0], np.cumsum(self.value)]), self.edges))

    @cached_property
    def edges(self) -> Floats:
        """Where bins begin and end."""
        return np.linspace(float(self.bounds.low), float(self.bounds.high), self.law.shape[1] + 1)

    @cached_property
    def table(self) -> pa.Table:
        """One row for each bin: its ends, its share with an interval, and the standard error."""
        low, high = self.interval()
        columns = {"from": self.edges[:-1], "to": self.edges[1:], "share": self.value}
        return pa.table(columns | {"share_low": low, "share_high": high, "standard_error": self.standard_error})

    def plot(self) -> "Chart":
        """The shares as steps; needs `pip install 'privet[charts]'`."""
        from privet.display import Chart  # noqa: PLC0415 - for those who draw

        heights = np.append(self.value, self.value[-1])
        return Chart.steps({"share of devices": (self.edges, heights)}, x="value", y="share of each bin")

    def _words(self) -> list[str]:
        """As of every estimate, but for what the intervals are."""
        *above, _, last = super()._words()
        return [
            *above,
            f"± at {CONFIDENCE:.0%} for all bins together, whatever the distribution; see also quantile",
            last,
        ]

    @cached_property
    def _simulated(self) -> Floats:
        """Estimates of simulated collections, one a column; the same reports give the same ones.

        Many reports make counts nearly normal: n q + √n (√q z - q Σ √q z) has their covariance for normal z.
        """
        likely = self.law @ self.value
        bits = hashlib.shake_256(self.counts.tobytes()).digest(8 * len(likely) * REPEATS)
        uniform = (np.frombuffer(bits, "<u8").reshape(len(likely), REPEATS) >> 11) * 2.0**-53 + 2.0**-54
        noise = np.sqrt(likely)[:, None] * ndtri(uniform)
        counts = self.reports * likely[:, None] + np.sqrt(self.reports) * (noise - likely[:, None] * noise.sum(axis=0))
        return climbed(self.law, np.maximum(counts, 0.0))

    @cached_property
    def _mean_and_error(self) -> tuple[float, float]:
        """The mean report is a straight line in the value's bin, so the mean bin can be read off it.

        Proof: every bin of reports has the weight `other`, and those of a window that moves with the value more.
        """
        places = np.arange(len(self.counts), dtype=np.float64)
        first, last = places @ self.law[:, 0], places @ self.law[:, -1]
        slope = (last - first) / (self.law.shape[1] - 1)
        mean = float(places @ self.counts) / self.reports
        spread = float((places - mean) ** 2 @ self.counts) / self.reports
        cell = float(self.bounds.width) / self.law.shape[1]
        error = float(np.sqrt(spread / self.reports)) / slope * cell
        return float(self.bounds.low) + ((mean - first) / slope + 0.5) * cell, error


def climbed(law: Floats, counts: NDArray[Any]) -> Floats:
    """The smooth shares under which counts are likeliest, for each column of counts.

    Each round makes the likelihood of all reports larger (Dempster, Laird and Rubin 1977), then smooths by (1, 2, 1)/4;
    it ends where the likelihood grows by no more than a thousandth, or no longer.
    """
    shares = np.full((law.shape[1], counts.shape[1]), 1 / law.shape[1])
    before = np.full(counts.shape[1], -np.inf)
    for _ in range(ROUNDS):
        likely = law @ shares
        now = np.einsum("ij,ij->j", counts, np.log(likely))
        if (now - before < DONE).all():
            break
        before = now
        shares = _smoothed(shares * (law.T @ (counts / likely)))
    return shares


def _smoothed(shares: Floats) -> Floats:
    padded = np.concatenate([shares[:1], shares, shares[-1:]])
    smooth: Floats = (padded[:-2] + 2 * shares + padded[2:]) / 4
    scaled: Floats = smooth / smooth.sum(axis=0)
    return scaled


def _least(sums: Floats, facts: dict[str, Any]) -> float:
    """The least value of a sum of shares under these facts; -inf if it is not found: an interval then still holds."""
    found = linprog(sums, b_eq=np.ones(1), bounds=(0, 1), **facts)
    return float(found.fun) - 1e-9 if found.status == 0 else -math.inf
