"""ClusterRounds: Lloyd's algorithm in a few noisy rounds, relative to the centres of the round before."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import add
from typing import ClassVar

import numpy as np

from privet.asking.budget import Budget
from privet.learn.budget_shares import gaussian_shares, pure_shares
from privet.learn.features import Box, Floats
from privet.learn.first_look import Cloud, UnitRows, look
from privet.learn.fitting import Fitting
from privet.learn.nearest_sums import NearestSums, nearest_by
from privet.learn.spread_out import spread_out
from privet.loss import ConcentratedGuarantee, PrivacyLoss
from privet.mechanisms import CubeNoise

FIRST = Fraction(2, 5)  # the share of the first look
ROUNDS = 5, 2, 16  # at ε = 1, at least, at most
GROWTH = 0.5  # of rounds with ε
APART = 0.5  # how far first centres are from the middle, where normal clusters are at 1: the next round finds how far
DOUBT = 0.5  # how far first centres may be from where they belong, in spreads of all rows
DRIFT = 0.1  # how far these places move in a round, since rows change from centre to centre
OVER, LAST = 0.7, 2  # how much farther centres move, but for the last rounds
FAR = 0.5  # the reach at one standard deviation of noise
NARROWEST = 2.0**-30  # of a column's width beside the widest one


@dataclass(frozen=True)
class Found:
    """Centres in half widths from the middle, the noisy number of rows of each, and what they cost."""

    centers: Floats
    sizes: Floats
    loss: PrivacyLoss


@dataclass(frozen=True)
class ClusterRounds:
    """A plan of releases: a first look, and rounds.

    Args:
        clusters: how many.
        first: where the rows are.
        each: a round.
        iterations: how many rounds.

    Privacy: the plan is made of public numbers, and paid for at once. What a round asks follows what others released.
    """

    clusters: int
    first: NearestSums
    each: NearestSums
    iterations: int

    words: ClassVar[str] = "sums around centres, released round by round"

    @classmethod
    def of(  # noqa: PLR0913 - public numbers, each by name
        cls, budget: Budget, clusters: int, *, columns: int, rows: int, replaces: bool, rounds: int | None
    ) -> "ClusterRounds":
        """Return the plan with the least noise.

        Args:
            budget: of all releases together.
            clusters: how many.
            columns: how many features.
            rows: how many rows one unit can have.
            replaces: whether neighbors have a unit replaced.
            rounds: how many; by default more at a higher price.
        """
        price = strength(budget)
        usual, least, most = ROUNDS
        count = rounds if rounds is not None else int(np.clip(round(usual * price**GROWTH), least, most))
        shares = [FIRST, (1 - FIRST) / count]
        ways = []
        if (pure := pure_shares(budget, shares)) is not None:
            ways.append([NearestSums.pure(share, columns=columns, rows=rows, replaces=replaces) for share in pure])
        if (gaussian := gaussian_shares(budget, shares)) is not None:
            ways.append(
                [NearestSums.gaussian(share, columns=columns, rows=rows, replaces=replaces) for share in gaussian]
            )
        first, each = min(ways, key=lambda way: way[1].deviation)
        return cls(clusters, first, each, count)

    def find(self, fitting: Fitting, box: Box) -> Found:
        """Pay for the plan, release, and return the centres.

        Each round is a noisy measurement of where a centre belongs, and the centre moves by how much it tells beside
        those before (Kalman 1960): where there is hardly any noise by all of it, as in Lloyd's algorithm, and up to the
        last two rounds by more, since rows that change from centre to centre pull the same way again.
        """
        plan = [self.first.mechanism, *[self.each.mechanism] * self.iterations]
        draws = fitting.reserve(plan)
        unit = UnitRows(box)
        cloud = look(draws, self.first, unit)
        centers = cloud.middle + APART * cloud.spread * spread_out(self.clusters, self.each.columns)
        centers, sizes = np.clip(centers, -1.0, 1.0), np.full(self.clusters, cloud.rows / self.clusters)
        doubt = np.full((self.clusters, 1), (DOUBT * cloud.spread) ** 2)
        reach = np.full(self.each.columns, self._reach(cloud))
        nearest = nearest_by(np.maximum(box.half / box.half.max(), NARROWEST))
        for left in reversed(range(self.iterations)):
            here = centers
            released = draws.release(
                lambda rows: self.each.sums(unit(rows), here, reach, nearest),  # noqa: B023 - drawn within its turn
                self.each.sensitivity,
                self.each.mechanism,
            )
            sums, counts, _ = self.each.read(released.value)
            sizes = np.maximum(counts, 0.0)
            weights = np.maximum(sizes, 1.0)[:, None]
            doubt = doubt + (DRIFT * cloud.spread) ** 2
            noise = (self.each.deviation * reach[0] / weights) ** 2
            gain = doubt / (doubt + noise)
            further = 1 + OVER * gain if left >= LAST else 1.0
            centers = np.clip(here + further * gain * reach * np.clip(sums / weights, -1.0, 1.0), -1.0, 1.0)
            doubt = doubt * (1 - gain)
        return Found(centers, sizes, reduce(add, (mechanism.loss for mechanism in plan)))

    def _reach(self, cloud: Cloud) -> float:
        """How far rows count: far where there are many for the noise, since what lies beyond is clipped."""
        clear = cloud.rows / (self.clusters * self.each.deviation)
        return float(min(max(1.0, FAR * clear**0.5) * cloud.spread, 2.0))

    def foreseen(self, rows: int | None) -> Mapping[str, str]:
        """What can be said of the errors."""
        kind = "cubes" if isinstance(self.each.mechanism, CubeNoise) else "Gaussian"
        noise = self.each.deviation
        said = {
            "rounds": f"{self.iterations}, after a first look for the middle of the rows",
            "noise of each sum": f"{noise:.3g} times the reach of a round, from {kind} noise",
        }
        if rows is not None:
            each = noise * self.clusters / max(rows, 1)
            said["error of a centre"] = (
                f"about {each:.2g} times the spread of the rows, in each column, if clusters are even"
            )
        return said


def strength(budget: Budget) -> float:
    """The price as an ε; a ρ as the ε at which Gaussian noise for δ = 1e-5 is as wide."""
    promise = budget.promise
    if isinstance(promise, ConcentratedGuarantee):
        return 3.7 * math.sqrt(2 * promise.rho)
    return float(promise.epsilon)
