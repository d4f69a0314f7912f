"""KMeans: centres of clusters, from noisy counts of cells or from noisy rounds of Lloyd's algorithm."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Self, Unpack

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin

from privet.asking.best_noise import best_noise
from privet.asking.payment import Payment
from privet.asking.scaled import Scaled
from privet.core import Release, Sensitivity
from privet.errors import InvalidParameter
from privet.learn.cluster_grid import ClusterGrid
from privet.learn.cluster_rounds import ClusterRounds
from privet.learn.features import Floats
from privet.learn.priced import Priced, priced
from privet.learn.private_transformer import PrivateTransformer
from privet.learn.rows import Rows, two_dimensional
from privet.loss.exact import shown, whole

FEW = 3  # columns up to which cells are fewer than rows
METHODS = ("auto", "grid", "relative")
FARTHEST, LEAST = 1e150, 1e-300  # so that squares are floats
STEPS = 1 << 24  # of a row's share: sums of 2^29 rows are exact in float64


class KMeans(ClassNamePrefixFeaturesOutMixin, ClusterMixin, PrivateTransformer):
    """Centres of clusters.

    Args:
        n_clusters: how many.
        bounds: (lower, upper) of the features, numbers or one for each column.
        max_iter: rounds of the relative method; by default 2 to 12, more where the price is high.
        method: "grid" releases how many rows lie in each cell of a grid, whose size follows a first noisy round, and
            finds centres of the cells; "relative" releases, round by round, how many rows are nearest to each centre,
            and how far off they lie on average, which are small numbers near a good centre; "auto" is "grid" up to 3
            columns: more have more cells than noise allows.
        epsilon, delta, rho, risk, neighbors, ledger, unit, rows_per_unit, purpose: see `PrivateEstimator`.

    Attributes:
        cluster_centers_: in the unit of the features.
        cluster_sizes_: noisy numbers of rows.
        method_: "grid" or "relative".
        n_iter_: how many noisy rounds there were.

    Privacy: as promised by the price. There are no labels_ and no inertia_ of the rows learned from, which would leave
        without noise (`private_inertia` pays); `predict` tells the clusters of rows that you hand over, and its answer
        is as private as these.
    Proof: each round and the grid have theirs (`NearestSums`, `ClusterGrid`); their losses compose to the price. The
        number of rounds is made of the price and the number of columns; first centres are public points, put around
        the noisy middle of the rows; empty clusters get noise like others.
    Not covered: time.

    Example:
        >>> rows = np.repeat([[1.0, 1.0], [8.0, 9.0]], 5000, axis=0)
        >>> model = KMeans(2, bounds=(0, 10), epsilon=1).fit(rows)
        >>> model.cluster_centers_[model.predict([[1, 1], [8, 9]])].round(0).tolist()
        [[1.0, 1.0], [8.0, 9.0]]
    """

    @priced
    def __init__(
        self,
        n_clusters: int = 8,
        *,
        bounds: Any = None,  # noqa: ANN401 - refused in words
        max_iter: int | None = None,
        method: str = "auto",
        **_: Unpack[Priced],
    ) -> None:
        self.n_clusters = n_clusters
        self.bounds = bounds
        self.max_iter = max_iter
        self.method = method

    def fit(self, X: Any, y: Any = None, *, groups: Any = None) -> Self:  # noqa: ANN401, ARG002, N803 - scikit-learn's names
        """Release what the centres are found from."""
        count, rounds = self._asked()
        fitting = self._begin(X, groups=groups)
        box = self._box()
        self.method_ = self._method(self.n_features_in_)
        kind = ClusterGrid if self.method_ == "grid" else ClusterRounds
        moved, replaces = fitting.moved_rows, fitting.replaces
        way = kind.of(fitting.budget, count, columns=box.width, rows=moved, replaces=replaces, rounds=rounds)
        found = way.find(fitting, box)
        self._middle = box.middle
        self.cluster_centers_: Floats = box.middle + found.centers * box.half
        self.cluster_sizes_: Floats = found.sizes
        self.n_iter_ = way.iterations
        self._n_features_out = count
        public = {"bounds": "one pair a column", "n_clusters": str(count), "method": f"{self.method_}, {self._why()}"}
        self._keep_receipt(fitting, found.loss, mechanism=way.words, public=public)
        return self

    def predict(self, X: Any) -> NDArray[np.intp]:  # noqa: ANN401, N803 - scikit-learn's names
        """The nearest centre of each row."""
        found: NDArray[np.intp] = self._transformed(self._matrix(X)).argmin(axis=1)
        return found

    def fit_predict(self, X: Any, y: Any = None, **fitted: Any) -> NDArray[np.intp]:  # noqa: ANN401, ARG002, N803 - scikit-learn's names
        """Fit, and predict the same rows: their clusters are as private as the rows are."""
        return self.fit(X, **fitted).predict(X)

    def score(self, X: Any, y: Any = None) -> float:  # noqa: ANN401, ARG002, N803 - scikit-learn's names
        """Minus the sum of squares of the distances of the rows to their centres, without noise: for public rows."""
        return -float((self._transformed(self._matrix(X)).min(axis=1) ** 2).sum())

    def private_inertia(self, X: Any, *, groups: Any = None, **asked: Unpack[Priced]) -> Release[Any]:  # noqa: ANN401, N803 - scikit-learn's names
        """The sum of squares of the distances of protected rows to their centres, for a price of its own.

        Args:
            X: the rows; those of the fit, or others.
            groups: whose row each is, see `fit`.
            **asked: the price, and what shall differ from the model's ledger, unit, neighbors and rows_per_unit.

        Privacy: as promised by the price.
        Proof: rows are clipped to the bounds, and so are centres, so a square is at most that of the diagonal. In
            shares of it a row adds a whole number of steps in [0, 1]: r rows of a unit move the sum by r, and no
            further if they are replaced.
        """
        table = two_dimensional(X)
        fitting = self._begin_score(table, np.zeros(len(table)), groups, asked)
        box, centers = self._box(), self.cluster_centers_
        with np.errstate(over="ignore"):
            longest = min(max(float(np.square(2 * box.half).sum()), LEAST), FARTHEST**2)

        def compute(rows: Rows) -> float:
            known = box.middle + box.half * box.unit(rows.read_features())
            nearest = np.min([np.square(known - center).sum(axis=1) for center in centers], axis=0)
            return float(np.rint(np.clip(nearest / longest, 0.0, 1.0) * STEPS).sum()) / STEPS

        sensitivity = Sensitivity(fitting.moved_rows)
        noise = Scaled(best_noise(fitting.budget, sensitivity), factor=Fraction(longest))
        return fitting.release(compute, sensitivity, noise)

    def _asked(self) -> tuple[int, int | None]:
        """The parameters, checked."""
        if self.method not in METHODS:
            raise InvalidParameter(f"method must be one of {', '.join(METHODS)}, got {shown(self.method)}")
        return whole(self.n_clusters, "n_clusters"), None if self.max_iter is None else whole(self.max_iter, "max_iter")

    def _method(self, columns: int) -> str:
        """Which method it is, by the number of columns."""
        return self.method if self.method != "auto" else "grid" if columns <= FEW else "relative"

    def _why(self) -> str:
        return f"the choice up to {FEW} columns is a grid" if self.method == "auto" else "as was said"

    def _transformed(self, rows: Floats) -> Floats:
        """How far each row lies from each centre."""
        known = np.clip(np.where(np.isnan(rows), self._middle, rows), -FARTHEST, FARTHEST)
        found = np.empty((len(rows), len(self.cluster_centers_)))
        for place, center in enumerate(self.cluster_centers_):
            found[:, place] = np.linalg.norm(known - center, axis=1)
        return found

    def _foresee(self, payment: Payment, *, columns: int, rows: int | None) -> Mapping[str, str]:
        count, rounds = self._asked()
        method = self._method(columns)
        kind = ClusterGrid if method == "grid" else ClusterRounds
        if payment.price.budget is None:
            raise InvalidParameter("say what a model may cost with epsilon, epsilon and delta, rho or risk")
        replaces = payment.unit.neighbors.name == "REPLACE"
        moved = self._most_rows()
        way = kind.of(payment.price.budget, count, columns=columns, rows=moved, replaces=replaces, rounds=rounds)
        return {"method": f"{method}, {self._why()}", **way.foreseen(rows)}
