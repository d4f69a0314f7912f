"""StandardScaler: columns with a mean of about 0 and a standard deviation of about 1."""

import math
from collections.abc import Mapping
from typing import Any, Self, Unpack

import numpy as np
from sklearn.base import OneToOneFeatureMixin
from sklearn.utils.validation import check_is_fitted

from privet.asking.payment import Payment
from privet.errors import InvalidParameter
from privet.learn.features import Floats
from privet.learn.fitting import budget_of, replaces
from privet.learn.moment_plan import MomentPlan
from privet.learn.priced import Priced, priced
from privet.learn.private_transformer import PrivateTransformer

EVEN = 1 / 3  # the variance of a mean that may lie anywhere within the bounds, in squared half widths
LEAST_VARIANCE = 2.0**-20


class StandardScaler(OneToOneFeatureMixin, PrivateTransformer):
    """Subtracts noisy means and divides by noisy standard deviations, of all columns from one plan.

    Args:
        bounds: public bounds of the features, (lower, upper).
        with_mean: False to leave means where they are.
        with_std: False to leave widths as they are.
        epsilon, delta, rho, risk, neighbors, ledger, unit, rows_per_unit, purpose: see `PrivateEstimator`.

    Attributes: `mean_`, `var_`, `scale_`, `n_samples_seen_` (noisy, or the public number), `mean_noise_`, `privacy_`.

    Privacy: as promised by the price; what is kept is computed from one paid plan (`MomentPlan`, with its proof).
        Missing values count as the middle of the bounds.
    Not covered: transformed rows, which are as private as the rows were.

    Example:
        >>> rows = [[170.0, 60.0], [180.0, 90.0], [160.0, 60.0]] * 1000
        >>> model = StandardScaler(bounds=([100, 0], [250, 200]), epsilon=10).fit(rows)
        >>> bool(np.abs(model.transform([[170.0, 70.0]])).max() < 0.2)
        True
    """

    @priced
    def __init__(
        self,
        *,
        bounds: Any = None,  # noqa: ANN401 - a pair, pairs by name
        with_mean: bool = True,
        with_std: bool = True,
        **_: Unpack[Priced],
    ) -> None:
        self.bounds = bounds
        self.with_mean = with_mean
        self.with_std = with_std

    def fit(self, X: Any, y: Any = None, *, groups: Any = None) -> Self:  # noqa: ANN401, ARG002, N803 - scikit-learn's names
        """Learn means and standard deviations."""
        fitting = self._begin(X, groups=groups)
        box = self._box()
        public = fitting.public_length
        plan = self._plan(fitting.payment, fitting.rows.width, counted=public is None)
        found = plan.released(fitting, box, classes=1, public=public)
        rows = max(float(found.counts[0]), 1.0)
        means = np.clip(found.sums[0] / rows, -1, 1)
        errors = (found.sum_noise**2 + (means * found.count_noise) ** 2) / rows**2
        variances = found.squares[0] / rows - means**2 + np.minimum(errors, means**2)
        floor = max(found.square_noise / rows, LEAST_VARIANCE)
        self.n_samples_seen_ = rows
        self.mean_ = box.middle + box.half * means * EVEN / (EVEN + errors)  # toward the middle, by what noise explains
        self.mean_noise_ = box.half * np.sqrt(errors)
        self.var_ = box.half**2 * np.clip(variances, min(floor, 1.0), 1.0)
        self.scale_ = np.sqrt(self.var_)
        names = " and ".join(dict.fromkeys(type(each).__name__ for each in plan.mechanisms))
        said = {"bounds": "a pair for each column"} | ({} if public is None else {"rows": "their number"})
        self._keep_receipt(fitting, plan.loss, mechanism=names, public=said)
        return self

    def _transformed(self, rows: Floats) -> Floats:
        """The rows less the means, over the standard deviations; they may lie outside the bounds."""
        if self.with_mean:
            rows = rows - self.mean_
        found: Floats = rows / self.scale_ if self.with_std else rows
        return found

    def inverse_transform(self, X: Any) -> Floats:  # noqa: ANN401, N803 - scikit-learn's names
        """The rows that `transform` made these of."""
        check_is_fitted(self)
        rows = np.asarray(X, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1] != self.n_features_in_:  # noqa: PLR2004 - rows and columns
            raise InvalidParameter(f"X must be rows of {self.n_features_in_} numbers, as transform returns them")
        rows = rows * self.scale_ if self.with_std else rows
        found: Floats = rows + self.mean_ if self.with_mean else rows
        return found

    def _plan(self, payment: Payment, width: int, *, counted: bool) -> MomentPlan:
        said = {"replaces": replaces(payment), "counted": counted}
        return MomentPlan.of(budget_of(payment), width=width, moved=self._most_rows(), **said)

    def _foresee(self, payment: Payment, *, columns: int, rows: int | None) -> Mapping[str, str]:
        """The noise, and what it means if there are as many rows as expected."""
        count, total, _ = self._plan(payment, columns, counted=True).deviations
        told = {"noise of each sum": f"{total:.3g} half widths of the bounds (standard deviation)"}
        if rows is not None:
            most = math.hypot(total, count) / rows
            told["noise of each mean"] = f"{total / rows:.2g} to {most:.2g} half widths, with {rows:,} rows"
        return told
