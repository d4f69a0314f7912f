"""ClusterGrid: clusters of few columns, from noisy numbers of rows in cells."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans as PlainKMeans
from threadpoolctl import threadpool_limits

from privet.asking.budget import Budget
from privet.core import Sensitivity
from privet.core.sensitivity import root_above
from privet.errors import InvalidParameter
from privet.learn.budget_shares import gaussian_shares, pure_shares
from privet.learn.cluster_rounds import NARROWEST, Found, strength
from privet.learn.features import Box, Floats
from privet.learn.first_look import Cloud, UnitRows, look
from privet.learn.fitting import Fitting
from privet.learn.nearest_sums import NearestSums
from privet.learn.rows import Rows
from privet.mechanisms import DiscreteLaplace, Gaussian
from privet.mechanisms.least_noise import standard_deviation
from privet.postprocessing.simplex import with_total

SHARES = Fraction(3, 10), Fraction(7, 10)  # of the first look, and of the cells
MOST_CELLS = 1 << 14
PER_CELL = 5.0  # rows times ε for each cell, in one dimension
WIDE = 2.0  # spreads on each side of the middle that cells cover at ε = 1; rows beyond count in the outermost
STARTS = 4  # of k-means on released cells, which cost nothing


@dataclass(frozen=True)
class ClusterGrid:
    """A plan of two releases: a first look, and a histogram of the cells where it says that rows are.

    Args:
        clusters: how many.
        first: where the rows are.
        cells: adds noise to the numbers of rows.
        sensitivity: how far one unit moves these.
        price: as an ε.

    Privacy: the plan is made of public numbers, and paid for at once. The cells follow what the first look released.
    Proof: a row is in one cell, so r rows of a unit move the counts by r in L1 and L2; replaced ones by 2r and √2 r.
        k-means on the middles of cells, weighted by noisy counts, reads nothing else.
    """

    clusters: int
    first: NearestSums
    cells: DiscreteLaplace | Gaussian
    sensitivity: Sensitivity
    price: float

    words: ClassVar[str] = "counts of cells"
    iterations: ClassVar[int] = 1

    @classmethod
    def of(  # noqa: PLR0913 - public numbers, each by name
        cls, budget: Budget, clusters: int, *, columns: int, rows: int, replaces: bool, rounds: int | None
    ) -> "ClusterGrid":
        """Return the plan with the least noise; see `ClusterRounds.of`."""
        del rounds  # there is one
        if clusters > MOST_CELLS // 4:
            raise InvalidParameter(f"n_clusters must be at most {MOST_CELLS // 4:,} with a grid, got {clusters:,}")
        cells = rows * (2 if replaces else 1)
        sensitivity = Sensitivity(rows, cells=cells, l1=cells, l2=rows * root_above(Fraction(2 if replaces else 1)))
        ways: list[tuple[NearestSums, DiscreteLaplace | Gaussian]] = []
        if (pure := pure_shares(budget, SHARES)) is not None:
            noise = DiscreteLaplace.calibrated(epsilon=pure[1], sensitivity=sensitivity)
            ways.append((NearestSums.pure(pure[0], columns=columns, rows=rows, replaces=replaces), noise))
        if (gaussian := gaussian_shares(budget, SHARES)) is not None:
            wide = Gaussian.calibrated(rho=gaussian[1], sensitivity=sensitivity)
            ways.append((NearestSums.gaussian(gaussian[0], columns=columns, rows=rows, replaces=replaces), wide))
        first, counts = min(ways, key=lambda way: standard_deviation(way[1]))
        return cls(clusters, first, counts, sensitivity, strength(budget))

    def find(self, fitting: Fitting, box: Box) -> Found:
        """Pay for the plan, release, and return the centres."""
        draws = fitting.reserve([self.first.mechanism, self.cells])
        unit = UnitRows(box)
        cloud = look(draws, self.first, unit)
        side = self._side(cloud)
        low, high = self._ends(cloud)

        def compute(rows: Rows) -> NDArray[np.int64]:
            return counted(unit(rows), low, high, side)

        released = draws.release(compute, self.sensitivity, self.cells)
        weights = with_total(np.asarray(released.value, dtype=np.float64), cloud.rows)
        places = np.stack(np.unravel_index(np.arange(side**box.width), (side,) * box.width), axis=1)
        middles = low + (places + 0.5) / side * (high - low)
        lengths = np.maximum(box.half / box.half.max(), NARROWEST)
        centers, sizes = _clusters(middles, weights, self.clusters, lengths)
        return Found(centers, sizes, self.first.mechanism.loss + self.cells.loss)

    def _side(self, cloud: Cloud) -> int:
        """How many cells a column has: finer where there are more rows for the noise (Su and others 2016)."""
        columns = self.first.columns
        most = int(MOST_CELLS ** (1 / columns) + 1e-9)
        least = min(max(2, int(np.ceil((2 * self.clusters) ** (1 / columns)))), most)
        return int(np.clip((cloud.rows * min(self.price, 1e9) / PER_CELL) ** (2 / (2 + columns)), least, most))

    def _ends(self, cloud: Cloud) -> tuple[Floats, Floats]:
        """Where cells begin and end, in half widths."""
        around = min(WIDE * max(1.0, self.price) ** 0.35 * cloud.spread + cloud.error, 2.0)
        return np.maximum(cloud.middle - around, -1.0), np.minimum(cloud.middle + around, 1.0)

    def foreseen(self, rows: int | None) -> Mapping[str, str]:
        """What can be said of the errors."""
        said = {"noise of each cell": f"{standard_deviation(self.cells):.3g} rows"}
        if rows is not None:
            side = self._side(Cloud(float(rows), np.zeros(self.first.columns), 1.0, 0.0))
            said["cells"] = f"about {side} for each column, {side**self.first.columns:,} in all"
        return said


def counted(unit: Floats, low: Floats, high: Floats, side: int) -> NDArray[np.int64]:
    """Return how many rows are in each cell; rows beyond the ends are in the outermost ones.

    Example:
        >>> counted(np.array([[-1.0], [0.1], [0.9]]), np.array([-0.5]), np.array([0.5]), 2).tolist()
        [1, 2]
    """
    places = np.clip(np.floor((unit - low) / (high - low) * side), 0, side - 1).astype(np.int64)
    cells = np.ravel_multi_index(tuple(places.T), (side,) * unit.shape[1])
    return np.bincount(cells, minlength=side ** unit.shape[1]).astype(np.int64)


def _clusters(middles: Floats, weights: Floats, count: int, lengths: Floats) -> tuple[Floats, Floats]:
    """Centres of weighted points, and the weight of each."""
    kept = np.argsort(-weights, kind="stable")[: max(count, int((weights > 0).sum()))]
    points, heavy = middles[kept] * lengths, weights[kept] + 1e-9
    with threadpool_limits(1):  # threads wait for each other longer than they work
        plain: Any = PlainKMeans(count, n_init=STARTS, random_state=0).fit(points, sample_weight=heavy)
    sizes: Floats = np.bincount(plain.labels_, weights=weights[kept], minlength=count).astype(np.float64)
    centers: Floats = plain.cluster_centers_ / lengths
    return centers, sizes
