"""BayesianLinearRegression: what is known of a line's coefficients once noise is counted as noise."""

from typing import Any, Literal, Unpack, overload

import numpy as np

from privet.errors import InvalidParameter
from privet.learn.features import Floats
from privet.learn.line_units import LineUnits
from privet.learn.linear_model import LinearModel
from privet.learn.priced import Priced, priced
from privet.loss.exact import exact

NARROWEST, WIDEST = 1e-6, 1e6


class BayesianLinearRegression(LinearModel):
    """A normal posterior of the coefficients that knows how the sums were made noisy.

    Args:
        prior_scale: > 0; how far from 0 each coefficient is thought to be before anything is known, in half widths
            of the target for one of the feature (or the norm). Public.
        bounds, norm, target_bounds, fit_intercept, epsilon, delta, rho, risk, neighbors, ledger, unit, rows_per_unit,
            purpose: see `LinearRegression`.

    Attributes: as `LinearRegression`'s: `coef_` is the posterior's mean, `covariance_` its covariance.

    Privacy: as `LinearRegression`'s. Noisy sums are not put where exact ones belong, which would be too sure: the
        posterior is that of the coefficients given the noisy sums (`NoisyPosterior`).

    Example:
        >>> import numpy as np
        >>> x = np.linspace(-1, 1, 10_000)[:, None]
        >>> model = BayesianLinearRegression(bounds=(-1, 1), target_bounds=(-1, 1), epsilon=1).fit(x, 0.5 * x[:, 0])
        >>> low, high = model.credible_intervals(0.999999)[0]
        >>> bool(low < 0.5 < high), model.predict(x[:2], return_std=True)[1].shape
        (True, (2,))
    """

    @priced
    def __init__(
        self,
        *,
        prior_scale: float = 1.0,
        bounds: Any = None,  # noqa: ANN401 - numbers, lists or names
        norm: float | None = None,
        target_bounds: Any = None,  # noqa: ANN401 - a pair
        fit_intercept: bool = True,
        **_: Unpack[Priced],
    ) -> None:
        self.prior_scale = prior_scale
        self.bounds = bounds
        self.norm = norm
        self.target_bounds = target_bounds
        self.fit_intercept = fit_intercept

    def credible_intervals(self, confidence: float = 0.95) -> Floats:
        """Return the lower and upper end, for each coefficient, between which it lies with this probability."""
        return self.confidence_intervals(confidence)

    @overload
    def predict(self, X: Any, *, return_std: Literal[False] = False) -> Floats: ...  # noqa: ANN401, N803

    @overload
    def predict(self, X: Any, *, return_std: Literal[True]) -> tuple[Floats, Floats]: ...  # noqa: ANN401, N803

    def predict(self, X: Any, *, return_std: bool = False) -> Floats | tuple[Floats, Floats]:  # noqa: N803
        """Return the mean for every row, and with `return_std` how far a new target is from it, typically."""
        mean = super().predict(X)
        if not return_std:
            return mean
        rows = self._matrix(X)
        line = np.hstack([np.ones((len(rows), 1)), rows])
        spread = np.einsum("ij,jk,ik->i", line, self.covariance_, line) + self.residual_variance_
        return mean, np.sqrt(np.maximum(spread, 0.0))

    def _check_units(self, units: LineUnits) -> None:
        """With the prior checked, before anything is paid."""
        if not NARROWEST <= exact(self.prior_scale, "prior_scale") <= WIDEST:
            raise InvalidParameter(f"prior_scale must be a number > 0 within 1e±6, got {self.prior_scale}: usually 1")
        super()._check_units(units)

    def _prior(self, units: LineUnits) -> Floats:
        return np.array([1.0, *[1.0] * units.columns]) * float(self.prior_scale) ** 2
