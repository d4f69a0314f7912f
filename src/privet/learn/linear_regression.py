"""LinearRegression: least squares from noisy sums of products."""

from typing import Any, Unpack

from privet.learn.linear_model import LinearModel
from privet.learn.priced import Priced, priced


class LinearRegression(LinearModel):
    """Least squares, from one release of all sums of products, with standard errors that count the noise.

    Args:
        bounds: public bounds of the features; or
        norm: a public length to which rows are clipped.
        target_bounds: public bounds of y.
        fit_intercept: whether the line has an intercept; without, it goes through 0 in the data's units.
        epsilon, delta, rho, risk, neighbors, ledger, unit, rows_per_unit, purpose: see `PrivateEstimator`. With a delta
            Gaussian noise is used where it is the smaller one: for many features, or rows of a norm.

    Attributes: `coef_`, `intercept_`; `standard_errors_` of the coefficients and `covariance_` of the intercept and
        them; `residual_variance_`; `privacy_`, the receipt.

    Privacy: as promised by the price. `score(X, y)` on rows that are to be protected is not covered: it reads them.
    Proof: only the sums leave (`SecondMoments`); all that is kept is computed from them (`NoisyPosterior`).

    Where noise is large the coefficients lean to 0, as those of a ridge regression do whose penalty follows from the
    noise (the idea of AdaSSP, Wang 2018, with the noise's own law in place of a bound of it).

    Example:
        >>> import numpy as np
        >>> ages = np.tile(np.arange(20.0, 70.0), 2000)[:, None]
        >>> model = LinearRegression(bounds=(18, 80), target_bounds=(0, 5000), epsilon=1)
        >>> model = model.fit(ages, 500 + 40 * ages[:, 0])
        >>> bool(abs(model.coef_[0] - 40) < 1), bool(model.standard_errors_[0] < 1)
        (True, True)
    """

    @priced
    def __init__(
        self,
        *,
        bounds: Any = None,  # noqa: ANN401 - numbers, lists or names
        norm: float | None = None,
        target_bounds: Any = None,  # noqa: ANN401 - a pair
        fit_intercept: bool = True,
        **_: Unpack[Priced],
    ) -> None:
        self.bounds = bounds
        self.norm = norm
        self.target_bounds = target_bounds
        self.fit_intercept = fit_intercept
