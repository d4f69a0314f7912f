"""KernelSVC: support vectors with a Gaussian kernel, by public random features."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Unpack

import numpy as np
from scipy import special
from scipy.stats import qmc

from privet.learn.centered_rows import UnitRows
from privet.learn.features import Ball, Floats
from privet.learn.linear_svc import LinearSVC
from privet.learn.priced import Priced, priced
from privet.loss.exact import Exact, exact, whole
from privet.mechanisms.row_products import row_products

MOST_FEATURES = 2000


@dataclass(frozen=True, eq=False)
class FourierFeatures:
    """Rows as waves: cos and sin of public frequencies, whose products are near exp(-gamma |x - x'|²).

    Args:
        columns: gives rows in half widths, or in lengths.
        width: how many columns these have.
        pairs: how many frequencies.
        gamma: of the kernel.

    Privacy: frequencies are the normal quantiles of Sobol points, the same for everybody; a row becomes what it is by
        itself. Pairs of cos and sin over √pairs have length 1 whatever the row, and are shortened all the same.
    """

    columns: UnitRows
    width: int
    pairs: int
    gamma: float

    @cached_property
    def frequencies(self) -> Floats:
        """One column for each pair."""
        points = qmc.Sobol(self.width, scramble=False).random_base2(math.ceil(math.log2(self.pairs + 1)))
        normal: Floats = special.ndtri(points[1 : self.pairs + 1])  # the first point is 0
        return math.sqrt(2 * self.gamma) * normal.T

    def unit(self, rows: Floats) -> Floats:
        """Return rows of length at most 1."""
        angles = row_products(self.columns.unit(rows), self.frequencies)
        waves = np.hstack([np.cos(angles), np.sin(angles)]) / math.sqrt(self.pairs)
        return Ball(Fraction(1)).unit(waves)


class KernelSVC(LinearSVC):
    """Support vectors with the kernel exp(-gamma |x - x'|²), x in half widths of the bounds (or in lengths of `norm`).

    Args:
        gamma: of the kernel.
        pairs: how many frequencies, each a cos and a sin: more follow the kernel more closely and need more rows.
        bounds, norm, classes, loss, width, perturbation, penalty, fit_intercept: see `LinearSVC`.
        epsilon, delta, rho, risk, neighbors, ledger, unit, rows_per_unit, purpose: see `PrivateEstimator`.

    Privacy: as promised by the price. The support vectors of a plain kernel machine are rows of the data; here is none.
    Proof: that of `LinearSVC` for rows of `FourierFeatures` (Rahimi and Recht 2007; Rubinstein and others 2012).

    Example:
        >>> import numpy as np
        >>> X = np.random.default_rng(1).uniform(-1, 1, size=(4000, 2))
        >>> model = KernelSVC(bounds=(-1, 1), classes=[0, 1], gamma=2, epsilon=2, delta=1e-6)
        >>> inside = (np.linalg.norm(X, axis=1) < 0.7).astype(int)
        >>> bool(model.fit(X, inside).score(X, inside) > 0.8)
        True
    """

    @priced
    def __init__(  # noqa: PLR0913 - parameters of the model, each by name
        self,
        *,
        gamma: Exact = 1,
        pairs: int = 50,
        bounds: Any = None,  # noqa: ANN401 - refused in words
        norm: Any = None,  # noqa: ANN401 - refused in words
        classes: Any = None,  # noqa: ANN401 - any labels
        loss: str = "soft",
        width: Exact = 0.5,
        perturbation: str = "objective",
        penalty: Exact | None = None,
        fit_intercept: bool = True,
        **_: Unpack[Priced],
    ) -> None:
        self.gamma = gamma
        self.pairs = pairs
        self.bounds = bounds
        self.norm = norm
        self.classes = classes
        self.loss = loss
        self.width = width
        self.perturbation = perturbation
        self.penalty = penalty
        self.fit_intercept = fit_intercept

    def _columns(self) -> UnitRows:
        """Waves of the declared columns."""
        pairs = whole(self.pairs, "pairs", low=1, high=MOST_FEATURES)
        return FourierFeatures(self._map(), self.n_features_in_, pairs, float(exact(self.gamma, "gamma")))

    def _width(self, columns: int) -> int:  # noqa: ARG002 - waves are as many as were asked for
        """Two for each frequency."""
        return 2 * whole(self.pairs, "pairs", low=1, high=MOST_FEATURES)

    def _longest(self, width: int) -> float:
        """A wave is at most 1 / √pairs."""
        return math.sqrt(2 / width)
