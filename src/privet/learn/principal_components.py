"""PCA: principal components from noisy sums of products."""

from collections.abc import Mapping
from typing import Any, Self, Unpack

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.utils.validation import check_is_fitted

from privet.asking.payment import Payment
from privet.errors import InvalidParameter
from privet.learn.features import Box, Floats
from privet.learn.priced import Priced, priced
from privet.learn.principal_axes import PrincipalAxes
from privet.learn.private_transformer import PrivateTransformer
from privet.loss.exact import shown, whole

LARGEST = 1e150  # so that squares are floats
EDGE, BEYOND = 2.0, 2.0  # the largest eigenvalue of noise of d columns lies near 2√d deviations (Wigner 1958)


class PCA(ClassNamePrefixFeaturesOutMixin, PrivateTransformer):
    """Principal components.

    Args:
        n_components: how many; all columns by default, "auto" for those that stand out from the noise.
        bounds: (lower, upper) of the features, numbers or one for each column; or
        norm: the length to which rows are clipped.
        whiten: whether components are divided by their deviations, none of them below the noise floor.
        epsilon, delta, rho, risk, neighbors, ledger, unit, rows_per_unit, purpose: see `PrivateEstimator`.

    Attributes:
        components_: one in each row, by falling variance; the largest coordinate of each is positive.
        explained_variance_, explained_variance_ratio_: of each, never below 0.
        noise_floor_: the variance that noise alone may well show: what lies below cannot be told from it.
        mean_, n_components_: as in scikit-learn.

    Privacy: as promised by the price.
    Proof: that of `PrincipalAxes`; all else is computed from what it released. X is never changed, and no number of
        rows, sign or size is read off it.
    Not covered: time.

    Example:
        >>> rows = np.outer(np.sin(np.arange(20_000)), [3.0, 4.0])
        >>> model = PCA(1, bounds=(-5, 5), epsilon=1).fit(rows)
        >>> model.components_.round(1).tolist()
        [[0.6, 0.8]]
    """

    @priced
    def __init__(
        self,
        n_components: Any = None,  # noqa: ANN401 - refused in words
        *,
        bounds: Any = None,  # noqa: ANN401 - refused in words
        norm: Any = None,  # noqa: ANN401 - refused in words
        whiten: bool = False,
        **_: Unpack[Priced],
    ) -> None:
        self.n_components = n_components
        self.bounds = bounds
        self.norm = norm
        self.whiten = whiten

    def fit(self, X: Any, y: Any = None, *, groups: Any = None) -> Self:  # noqa: ANN401, ARG002, N803 - scikit-learn's names
        """Release the sums of products, and find the directions in which rows vary most."""
        fitting = self._begin(X, groups=groups)
        features, width = self._map(), self.n_features_in_
        wanted = self._wanted(width)
        plan = PrincipalAxes.of(fitting.budget, width, rows=fitting.moved_rows, replaces=fitting.replaces)
        found = plan.find(fitting, features)
        lengths = features.half if isinstance(features, Box) else np.full(width, float(features.radius))
        self.mean_: Floats = (features.middle if isinstance(features, Box) else 0.0) + found.middle * lengths
        largest = float(lengths.max())
        shares = lengths / largest
        variances, axes = np.linalg.eigh(found.matrix * np.outer(shares, shares))
        variances, axes = variances[::-1], _signed(axes[:, ::-1].T)
        floor = found.deviation * float(shares.max() * (EDGE * np.linalg.norm(shares) + BEYOND * shares.max()))
        self.noise_floor_ = floor * largest**2
        self.n_components_ = int(np.count_nonzero(variances > floor)) or 1 if wanted is None else wanted
        self.components_: Floats = axes[: self.n_components_]
        kept = np.maximum(variances[: self.n_components_], 0.0)
        total = max(float(variances.sum()), float(kept.sum()))
        self.explained_variance_: Floats = kept * largest**2
        self.explained_variance_ratio_: Floats = kept / total if total > 0 else np.zeros_like(kept)
        public = {
            "bounds" if self.norm is None else "norm": "one pair a column" if self.norm is None else shown(self.norm)
        }
        self._keep_receipt(fitting, found.loss, mechanism=plan.words, public=public)
        return self

    def _transformed(self, rows: Floats) -> Floats:
        """The coordinates of rows along the components."""
        known = np.clip(np.where(np.isnan(rows), self.mean_, rows), -LARGEST, LARGEST)
        found: Floats = (known - self.mean_) @ self.components_.T
        return found / self._scales if self.whiten else found

    def inverse_transform(self, X: Any) -> Floats:  # noqa: ANN401, N803 - scikit-learn's names
        """Rows that have these coordinates."""
        check_is_fitted(self)
        found = np.asarray(X, dtype=np.float64)
        back: Floats = (found * self._scales if self.whiten else found) @ self.components_ + self.mean_
        return back

    @property
    def _scales(self) -> Floats:
        """The deviations that whitening divides by."""
        floored: Floats = np.sqrt(np.maximum(self.explained_variance_, max(self.noise_floor_, 1e-300)))
        return floored

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def _wanted(self, columns: int) -> int | None:
        """How many components are asked for; None where the noise tells."""
        if self.n_components is None:
            return columns
        if isinstance(self.n_components, str) and self.n_components == "auto":
            return None
        if isinstance(self.n_components, str | float) or not 1 <= whole(self.n_components, "n_components") <= columns:
            raise InvalidParameter(
                f'n_components must be a whole number from 1 to the number of columns, or "auto", got '
                f"{shown(self.n_components)}"
            )
        return whole(self.n_components, "n_components")

    def _foresee(self, payment: Payment, *, columns: int, rows: int | None) -> Mapping[str, str]:
        if payment.price.budget is None:
            raise InvalidParameter("say what a model may cost with epsilon, epsilon and delta, rho or risk")
        replaces = payment.unit.neighbors.name == "REPLACE"
        plan = PrincipalAxes.of(payment.price.budget, columns, rows=self._most_rows(), replaces=replaces)
        return plan.foreseen(rows)


def _signed(axes: Floats) -> Floats:
    """The same axes, the largest coordinate of each positive."""
    largest = np.take_along_axis(axes, np.abs(axes).argmax(axis=1)[:, None], axis=1)
    signed: Floats = axes * np.where(largest < 0, -1.0, 1.0)
    return signed
