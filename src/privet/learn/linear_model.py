"""LinearModel: what linear regressions share: one release of all sums of products, and coefficients made from it."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from scipy.special import ndtri

from privet.asking.payment import Payment
from privet.core.uncertainty import refuse_certainty
from privet.errors import InvalidParameter
from privet.learn.features import Ball, Box, Floats
from privet.learn.line_units import LineUnits
from privet.learn.noisy_moments import NoisyMoments, squared
from privet.learn.noisy_posterior import NoisyPosterior
from privet.learn.private_estimator import PrivateRegressor
from privet.learn.second_moments import SecondMoments

SPREAD = 1 / 3  # the variance of what is spread evenly between -1 and 1


class LinearModel(PrivateRegressor):
    """A model y = intercept + x coef that is learned from noisy sums of products of all columns."""

    def fit(self, X: Any, y: Any = None, *, groups: Any = None) -> Self:  # noqa: ANN401, N803 - scikit-learn's names
        """Release the sums of products and solve for the coefficients.

        Args:
            X: rows of features.
            y: their targets; rows without one do not count.
            groups: whose rows they are; with rows_per_unit.
        """
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

    def predict(self, X: Any) -> Floats:  # noqa: ANN401, N803 - scikit-learn's names
        """Intercept plus coefficients times features, for every row."""
        found: Floats = self._matrix(X) @ self.coef_ + self.intercept_
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
        if not self._said("fit_intercept") and not units.near_zero:
            raise InvalidParameter(
                "bounds lie so far from 0 that a line through 0 says nothing: use fit_intercept=True"
            )
        return units

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
