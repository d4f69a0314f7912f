"""NoisyDescent: gradient perturbation, steps down noisy sums of the gradients of all rows."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from privet.core import Sensitivity
from privet.errors import InvalidParameter
from privet.learn.features import Floats
from privet.learn.linear_plan import CENTERING, Setting, gaussian_privacy
from privet.learn.rows import Rows
from privet.loss import PrivacyLoss
from privet.loss.exact import Exact
from privet.loss.privacy_loss import sum_of
from privet.mechanisms import CubeNoise, Gaussian
from privet.mechanisms.linear_loss import Codes, LinearLoss
from privet.mechanisms.perturbed_minimiser import LabeledRows
from privet.mechanisms.row_products import row_products

STEPS = 30
ROW_BITS, SLOPE_BITS = 20, 16  # the sums are whole numbers of steps of 2^-36
PENALTY = 1.0
STRIDE = 1.5  # in the step that is safe; up to 2 the way does not diverge


@dataclass(frozen=True)
class NoisyDescent:
    """The releases of gradient perturbation.

    Args:
        setting: what it was made for.
        center: the noise of the first release; None if there is none.
        step: the noise of each sum of gradients.

    Privacy: a row adds one gradient to each sum, of length at most the loss's reach once slopes and rows are rounded
        toward 0; sums are of whole numbers, exact. All steps together have the Gaussian privacy of the budget.
    """

    setting: Setting
    center: Gaussian | CubeNoise | None
    step: Gaussian

    @classmethod
    def plan(cls, setting: Setting) -> "NoisyDescent":
        """Return the plan that keeps the budget, checked."""
        if setting.budget.epsilon is not None and not setting.budget.promise.delta:  # type: ignore[union-attr] # ε has a δ
            raise InvalidParameter('perturbation="gradient" needs a delta or a rho: its noise is Gaussian')
        mu = gaussian_privacy(setting.budget)
        share = CENTERING if setting.intercept else 0.0
        center = setting.centering.gaussian(mu * math.sqrt(share)) if share else None
        each = mu * math.sqrt((1 - share) / STEPS / setting.models) * (1 - 1e-9)
        length = setting.row_loss.reach * setting.rows * 2 ** (ROW_BITS + SLOPE_BITS)
        return cls(setting, center, Gaussian(length, length / Fraction(each)))

    @property
    def mechanisms(self) -> list[Gaussian | CubeNoise]:
        """All of them, in order."""
        first = [] if self.center is None else [self.center]
        return [*first, *[self.step] * (STEPS * self.setting.models)]

    @property
    def loss(self) -> PrivacyLoss:
        """Of all."""
        return sum_of(each.loss for each in self.mechanisms)

    @property
    def described(self) -> str:
        """What it is, in words."""
        return f"{STEPS} steps of GradientPerturbation"

    @property
    def sensitivity(self) -> Sensitivity:
        """How far a unit moves a sum of gradients."""
        cells = self.setting.columns * self.setting.row_loss.outputs
        return Sensitivity(self.step.l2_sensitivity, cells=cells, l2=self.step.l2_sensitivity)

    @property
    def penalty(self) -> Exact:
        """Of the squared parameters."""
        return PENALTY if self.setting.penalty is None else self.setting.penalty

    @property
    def length(self) -> float:
        """About how long the noise of the mean gradient is."""
        count = self.setting.columns * self.setting.row_loss.outputs
        return math.ldexp(float(self.step.scale), -(ROW_BITS + SLOPE_BITS)) * math.sqrt(count / STEPS)

    def gradients_at(
        self, place: Floats, labeled: Callable[[Rows], LabeledRows]
    ) -> Callable[[Rows], NDArray[np.int64]]:
        """What computes the exact sum of the rows' gradients, in whole steps."""

        def gradients(rows: Rows) -> NDArray[np.int64]:
            data = labeled(rows)
            return summed(self.setting.row_loss, data.features, data.codes, place)

        return gradients

    def moved(self, place: Floats, released: NDArray[np.float64], count: float) -> Floats:
        """The next place."""
        penalty = float(self.penalty)
        slope = np.ldexp(np.asarray(released, dtype=np.float64), -(ROW_BITS + SLOPE_BITS)) + penalty * place
        return place - STRIDE * slope / (count * float(self.setting.row_loss.curvature) + penalty)


def summed(row_loss: LinearLoss, rows: Floats, codes: Codes, place: Floats) -> NDArray[np.int64]:
    """Return Σ slope ⊗ row, of slopes and rows that were rounded toward 0, which makes none longer.

    Proof: slopes and rows are rounded, so what comes of a row must follow from it alone: `row_products`, and functions
        of single numbers or of single rows; the sums are of whole numbers.
    """
    slopes = row_loss.slopes(row_products(rows, place.T), codes)
    reach = float(row_loss.reach)
    longer = np.maximum(np.linalg.norm(slopes, axis=1, keepdims=True) / reach * (1 + 2.0**-40), 1.0)
    steps = np.trunc(np.ldexp(slopes / longer, SLOPE_BITS)).astype(np.int64)
    sums: NDArray[np.int64] = steps.T @ np.trunc(np.ldexp(rows, ROW_BITS)).astype(np.int64)
    return sums
