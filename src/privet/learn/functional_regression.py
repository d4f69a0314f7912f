"""FunctionalRegression: the functional mechanism of 2012, to compare with."""

from typing import Any, Self, Unpack

import numpy as np
from numpy.typing import NDArray

from privet.core import Sensitivity
from privet.errors import InvalidParameter
from privet.learn.features import BITS, Ball, Box, Floats
from privet.learn.line_units import LineUnits
from privet.learn.noisy_moments import squared
from privet.learn.priced import Priced, priced
from privet.learn.private_estimator import PrivateRegressor
from privet.learn.rows import Rows
from privet.learn.second_moments import ONE, SecondMoments
from privet.loss import Guarantee
from privet.mechanisms import DiscreteLaplace
from privet.mechanisms.row_products import row_products

TIMES = 4  # standard deviations of the noise that are added to the squares, as its authors did


def functional_sensitivity(columns: int) -> int:
    """Return how far one row is taken to move all coefficients of a squared loss, in L1: 2 (1 + d)².

    Example:
        >>> functional_sensitivity(4)
        50
    """
    return 2 * (1 + columns) ** 2


class FunctionalRegression(PrivateRegressor):
    """Least squares by noise on the coefficients of the loss: y², -2 y x and all products of features.

    Args:
        norm: a public length to which rows are clipped.
        target_bounds: public bounds of y, as far below 0 as above: the line goes through 0.
        epsilon: a pure ε; a δ is not used.
        risk, neighbors, ledger, unit, rows_per_unit, purpose: see `PrivateEstimator`.

    For comparison: `LinearRegression` needs less noise for the same ε.

    Privacy: ε-DP for one row a unit, for added, removed and replaced rows.
    Proof: with |x| <= 1 and |y| <= 1 the coefficients of (y - x b)² add up to y² + 2 |y| |x|₁ + |x|₁² <= (1 + d)² in
        size, and a replaced row takes some away and brings others (Zhang, Zhang, Xiao, Yang and Winslett 2012, Lemma
        1). The lowest-eigenvalue repair afterwards sees released numbers only. (|x|₁ is at most √d: that is the waste.)

    Example:
        >>> x = np.linspace(-1, 1, 1_000_000)[:, None]
        >>> model = FunctionalRegression(norm=1, target_bounds=(-1, 1), epsilon=1).fit(x, 0.5 * x[:, 0])
        >>> bool(abs(model.coef_[0] - 0.5) < 0.01)
        True
    """

    @priced
    def __init__(self, *, norm: float | None = None, target_bounds: Any = None, **_: Unpack[Priced]) -> None:  # noqa: ANN401 - a pair
        self.norm = norm
        self.target_bounds = target_bounds

    def fit(self, X: Any, y: Any = None, *, groups: Any = None) -> Self:  # noqa: ANN401, N803 - scikit-learn's names
        """Release the coefficients of the loss, and find its least place."""
        fitting = self._begin(X, y, groups=groups)
        if self.norm is None:
            raise InvalidParameter(
                "FunctionalRegression needs norm, a public length to which rows are clipped: norm=1.0"
            )
        units = LineUnits(Ball.of(self.norm), self.n_features_in_, Box((self._target_bounds(),)))
        promise = fitting.budget.promise
        if not isinstance(promise, Guarantee):
            raise InvalidParameter("FunctionalRegression is made for an epsilon: a rho would need other noise")
        if units.shifted:
            raise InvalidParameter("target_bounds must lie as far below 0 as above, such as (-1, 1): move y first")
        plan = SecondMoments(units.features, units.columns, target=units.target, constant=False)
        twice = squared_cells(plan.width)
        moved = functional_sensitivity(units.columns) * fitting.moved_rows * ONE
        sensitivity = Sensitivity(2 * fitting.moved_rows * 2 * ONE, cells=len(twice), l1=moved)

        def coefficients(rows: Rows) -> NDArray[np.int64]:
            return plan.sums(rows) * twice

        noise = DiscreteLaplace(moved, moved / promise.epsilon)
        release = fitting.release(coefficients, sensitivity, noise)
        sums = squared(np.asarray(release.value, dtype=np.float64) / twice / 4.0**BITS)
        reach = TIMES * float(noise.scale) * np.sqrt(2) / 4.0**BITS
        self.intercept_, self.coef_ = units.line(np.array([0.0, *_least(sums, reach)]))
        public = {"norm": "of the features", "target_bounds": "of y"}
        self._keep_receipt(fitting, release.loss, mechanism=release.mechanism, public=public)
        return self

    def predict(self, X: Any) -> Floats:  # noqa: ANN401, N803 - scikit-learn's names
        """Coefficients times features, for every row."""
        found: Floats = row_products(self._matrix(X), self.coef_[:, None])[:, 0] + self.intercept_
        return found


def squared_cells(width: int) -> NDArray[np.int64]:
    """How often each cell of a triangle is in the loss: those beside the diagonal twice."""
    first, second = np.triu_indices(width)
    return np.where(first == second, 1, 2).astype(np.int64)


def _least(sums: Floats, reach: float) -> Floats:
    """The least place of the noisy loss, in the directions in which it rises."""
    products = sums[:-1, :-1] + reach * np.eye(len(sums) - 1)
    values, vectors = np.linalg.eigh(products)
    rising = values > 0
    along = vectors[:, rising]
    found: Floats = along @ ((along.T @ sums[:-1, -1]) / values[rising])
    return found
