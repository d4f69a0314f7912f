"""LinearModel: what linear regressions share: one release of all sums of products, and coefficients made from it."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from scipy.special import ndtri

from privet.asking.bounds import Bounds
from privet.asking.payment import Payment
from privet.core.uncertainty import refuse_certainty
from privet.errors import InvalidParameter
from privet.learn.features import Ball, Box, Floats
from privet.learn.fitting import Fitting
from privet.learn.line_units import LineUnits
from privet.learn.noisy_moments import NoisyMoments, squared
from privet.learn.noisy_posterior import NoisyPosterior
from privet.learn.private_estimator import PRICE, PrivateRegressor
from privet.learn.rows import Rows
from privet.learn.second_moments import SecondMoments
from privet.learn.stored_rows import StoredRows
from privet.mechanisms.row_products import row_products

SPREAD = 1 / 3  # the variance of what is spread evenly between -1 and 1


class LinearModel(PrivateRegressor):
    """A model y = intercept + x coef that is learned from noisy sums of products of all columns."""

    def fit(self, X: Any, y: Any = None, *, groups: Any = None) -> Self:  # noqa: ANN401, N803 - scikit-learn's names
        """Release the sums of products and solve for the coefficients.

        Args:
            X: rows of features.
            y: their targets; rows without one do not count.
            groups: whose rows they are; with rows_per_unit.

        X can be rows that an engine keeps, `session.rows("SELECT …")`, and y then the name of the target among its
        columns: the engine adds up. Bounds are then those of the catalog, as are the ledger and rows_per_unit.
        """
        if isinstance(X, StoredRows):
            return self._fit_stored(X, y)
        fitting = self._begin(X, y, groups=groups)
        units = self._units()
        moments = self._asked(units).release(fitting)
        self._learn(units, moments)
        public = {
            "bounds" if isinstance(units.features, Box) else "norm": "of the features",
            "target_bounds": "of y",
        }
        self._keep_receipt(fitting, moments.release.loss, mechanism=moments.release.mechanism, public=public)
        return self

    def _fit_stored(self, rows: StoredRows, target: Any) -> Self:  # noqa: ANN401 - refused in words
        """Learn from what an engine adds up."""
        for name in ("bounds", "norm", "target_bounds", "rows_per_unit", "unit"):
            if self._said(name) is not None:
                raise InvalidParameter(f"{name} of stored rows is what the catalog says: leave it out here")
        if self._said("ledger") not in (None, rows.ledger):
            raise InvalidParameter("stored rows are paid for by the ledger of their session: leave ledger out")
        if target not in rows.columns:
            raise InvalidParameter(f"y must be the name of the target, one of {', '.join(rows.columns)}")
        features = [name for name in rows.columns if name != target]
        if not features:
            raise InvalidParameter("there must be a column beside the target")
        *bounds, ends = (Bounds(*pair) for pair in rows.bounds([*features, target]))
        units = LineUnits(Box(tuple(bounds)), len(features), Box((ends,)))
        self._check_units(units)
        said = {name: self._said(name) for name in PRICE if self._said(name) is not None}
        payment = Payment.of(type(self).__name__, {**said, "ledger": rows.ledger})
        fitting = Fitting(payment, Rows(0, len(features), _unread, None, None, rows.rows_per_unit))
        plan = SecondMoments(units.features, units.columns, target=units.target)
        moments = plan.release(fitting, lambda: rows.products([*features, target]))
        self.n_features_in_, self.feature_names_in_ = len(features), np.array(features, dtype=object)
        self._learn(units, moments)
        public = {"bounds": "of the features, in the catalog", "target_bounds": "of y, in the catalog"}
        self._keep_receipt(fitting, moments.release.loss, mechanism=moments.release.mechanism, public=public)
        return self

    def predict(self, X: Any) -> Floats:  # noqa: ANN401, N803 - scikit-learn's names
        """Intercept plus coefficients times features, for every row."""
        found: Floats = row_products(self._matrix(X), self.coef_[:, None])[:, 0] + self.intercept_
        return found

    def confidence_intervals(self, confidence: float = 0.95) -> Floats:
        """Return the lower and upper end of an interval for each coefficient.

        Args:
            confidence: of each interval by itself.

        They count both the noise and the sample: each holds the coefficient of the population with about this
        probability, as far as both are normal, and features and targets within their bounds are meant. Where there is
        much noise they lean on the prior, as the coefficients do, and are narrower than noise alone would have them.
        """
        refuse_certainty(confidence, "confidence")
        reach = -float(ndtri((1 - confidence) / 2)) * self.standard_errors_
        return np.stack([self.coef_ - reach, self.coef_ + reach], axis=1)

    def _learn(self, units: LineUnits, moments: NoisyMoments) -> None:
        """Keep the coefficients, and how far they may be off."""
        found = NoisyPosterior.of(
            *units.completed(moments),
            prior=self._prior(units),
            penalty=self._penalty(units),
            within=None if self._said("fit_intercept") else units.without_intercept,
        )
        self.intercept_, self.coef_ = units.line(found.mean)
        self.covariance_ = units.line_covariance(found.covariance)
        self.standard_errors_ = np.sqrt(np.diag(self.covariance_)[1:])
        self.residual_variance_ = found.residual * float(units.target.half[0]) ** 2

    def _units(self) -> LineUnits:
        units = LineUnits(self._map(), self.n_features_in_, Box((self._target_bounds(),)))
        self._check_units(units)
        return units

    def _check_units(self, units: LineUnits) -> None:
        """Refuse, before anything is paid, what no line can be learned in."""
        if not self._said("fit_intercept") and not units.near_zero:
            raise InvalidParameter(
                "bounds lie so far from 0 that a line through 0 says nothing: use fit_intercept=True"
            )

    def _asked(self, units: LineUnits) -> SecondMoments:
        constant = bool(self._said("fit_intercept")) or units.shifted
        return SecondMoments(units.features, units.columns, target=units.target, constant=constant)

    def _prior(self, units: LineUnits) -> Floats:
        """The variance of the intercept and of each coefficient, in half widths, before anything is known."""
        return np.array([SPREAD, *[1 / units.columns] * units.columns])

    def _penalty(self, units: LineUnits) -> Floats | None:  # noqa: ARG002 - for models to say
        """What is added to the sums of squares."""
        return None

    def _foresee(self, payment: Payment, *, columns: int, rows: int | None) -> Mapping[str, str]:
        budget = payment.price.budget
        if budget is None:
            raise InvalidParameter("say what a model may cost with epsilon, epsilon and delta, rho or risk")
        features = Ball.of(self.norm) if self._said("norm") is not None else Box.of((0, 1), width=columns)
        plan = SecondMoments(features, columns, target=Box.of((0, 1), width=1))
        way = plan.best(budget, rows=self._most_rows(), replaces=payment.unit.neighbors.name == "REPLACE")
        noise = squared(way.deviations)
        told = {
            "released": f"{len(way.deviations)} sums of products, by {type(way.mechanism).__name__}",
            "noise of each sum": f"{noise[1, 1]:.3g} rows for squares, {noise[1, -1]:.3g} rows for products with y",
        }
        if rows is not None:
            spread = rows * (SPREAD if isinstance(features, Box) else 1 / columns)
            each = float(np.hypot(noise[1, -1], noise[1, 1])) / spread
            error = min(each, 1.0)
            told["noise of a coefficient"] = (
                f"about {error:.2g} half widths of y for a half width of x (or the norm), if features are spread evenly"
            )
        return told


def _unread() -> Floats:
    raise TypeError("rows that an engine keeps are not read here")
