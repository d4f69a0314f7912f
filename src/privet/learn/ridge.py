"""Ridge: least squares with a public penalty, from noisy sums of products."""

from typing import Any, Unpack

import numpy as np

from privet.errors import InvalidParameter
from privet.learn.features import Floats
from privet.learn.line_units import LineUnits
from privet.learn.linear_model import LinearModel
from privet.learn.priced import Priced, priced
from privet.loss.exact import exact

MOST = 1e150


class Ridge(LinearModel):
    """Least squares with a penalty on the squares of the coefficients, from one release of all sums of products.

    Args:
        alpha: >= 0; the penalty, as scikit-learn's `Ridge` has it: Σ (y - line)² + alpha Σ coef², in the data's units.
            It is public: chosen by looking at private rows it would be a release.
        bounds, norm, target_bounds, fit_intercept, epsilon, delta, rho, risk, neighbors, ledger, unit, rows_per_unit,
            purpose: see `LinearRegression`.

    Attributes: as `LinearRegression`'s; standard errors are about the coefficients of this penalty without noise.

    Privacy: as `LinearRegression`'s.

    Example:
        >>> import numpy as np
        >>> x = np.linspace(-1, 1, 100_000)[:, None]
        >>> model = Ridge(alpha=1e5, bounds=(-1, 1), target_bounds=(-1, 1), epsilon=1).fit(x, 0.8 * x[:, 0])
        >>> bool(abs(model.coef_[0] - 0.2) < 0.05)  # 0.8 times 33,333 / (33,333 + 100,000)
        True
    """

    @priced
    def __init__(
        self,
        *,
        alpha: float = 1.0,
        bounds: Any = None,  # noqa: ANN401 - numbers, lists or names
        norm: float | None = None,
        target_bounds: Any = None,  # noqa: ANN401 - a pair
        fit_intercept: bool = True,
        **_: Unpack[Priced],
    ) -> None:
        self.alpha = alpha
        self.bounds = bounds
        self.norm = norm
        self.target_bounds = target_bounds
        self.fit_intercept = fit_intercept

    def _check_units(self, units: LineUnits) -> None:
        """With the penalty checked, before anything is paid."""
        if not 0 <= exact(self.alpha, "alpha") <= MOST:
            raise InvalidParameter(f"alpha must be a public number >= 0, got {self.alpha}")
        super()._check_units(units)

    def _penalty(self, units: LineUnits) -> Floats:
        with np.errstate(all="ignore"):
            each = float(self.alpha) / units.half**2
        penalty: Floats = np.minimum(np.array([0.0, *each]), MOST)
        return penalty
