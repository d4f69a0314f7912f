"""ObjectivePerturbation: the minimiser of a sum of losses to which a random linear term was added."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.loss import ApproximateCurve, GaussianCurve, PrivacyLoss
from privet.loss.curves.objective import PerturbedObjectiveCurve, log_bend
from privet.mechanisms.objective_solver import PerturbedObjective
from privet.mechanisms.perturbed_minimiser import LabeledRows, PerturbedMinimiser
from privet.noise import BitSource

LEAST_PENALTY = 64  # the noise may be so much larger


@dataclass(frozen=True, init=False, repr=False)
class ObjectivePerturbation(PerturbedMinimiser):
    """Releases the T that minimises Σ loss(T u, y) + penalty/2 |T|² + <noise, T>: the noise is in the objective.

    Args:
        row_loss, width, penalty, scale, gaussian, moved, replaced: see `PerturbedMinimiser`.

    Privacy: with r = reach / scale for a row. Not Gaussian: moved · r, doubled if replaced, plus moved · bend unless
        penalty >= pure_share / r. Gaussian: r moved (doubled if replaced)-GDP if penalty >= 2 sharpness / r²; else
        `PerturbedObjectiveCurve`.
    Proof: docs/proofs/objective-perturbation.md. In short: T determines the noise, minus the gradient of the rest,
        so its density is that of the noise there times the determinant of the second derivatives. A row moves the noise
        by its gradient, and the determinant by at most exp(bend); logistic curvature s(1 - s) is 0 where the gradient s
        is largest, so with penalty enough the sum of both is never above that of the gradient alone.
    Not covered: time; normal numbers beyond 2^20 deviations, and more rows than memory holds, for which it fails.

    Example:
        >>> from privet.mechanisms.linear_loss import SoftHinge
        >>> round(ObjectivePerturbation(SoftHinge(), 3, penalty=2, scale=2, gaussian=False).main_loss.epsilon(0), 6)
        0.5
    """

    def __post_init__(self) -> None:
        """Refuse penalties that no solver could end with, whatever the rows."""
        if self.penalty * LEAST_PENALTY < self.scale:
            raise InvalidParameter(
                f"penalty must be at least a {LEAST_PENALTY}th of the noise's scale: with less, parameters become so "
                "large that no float is near enough to the minimiser"
            )

    @property
    def ratio(self) -> Fraction:
        """How far a row moves the noise, in its scale."""
        return self.row_loss.reach / self.scale

    @property
    def bend(self) -> Fraction:
        """How far a row moves the logarithm of the determinant."""
        outputs = self.row_loss.outputs
        return log_bend(outputs, self.row_loss.trace / (outputs * self.penalty))

    @cached_property
    def main_loss(self) -> PrivacyLoss:
        """What the ideal minimiser reveals."""
        if not self.gaussian:
            share = self.row_loss.pure_share
            free = share is not None and self.penalty * self.ratio >= share
            return PrivacyLoss.of(ApproximateCurve(self.reach + (0 if free else self.moved * self.bend)))
        free_from = Fraction(0)
        if self.row_loss.sharpness is not None:
            free_from = max(Fraction(0), self.row_loss.sharpness / self.penalty - self.ratio**2 / 2)
            if not free_from:
                return PrivacyLoss.of(GaussianCurve(self.reach))
        curve = PerturbedObjectiveCurve(
            self.ratio,
            self.bend,
            self.row_loss.outputs,
            0 if self.replaced else free_from,
            self.replaced,
        )
        return PrivacyLoss.of(curve).group(self.moved)

    def sample(self, value: LabeledRows, source: BitSource) -> NDArray[np.float64]:
        """The parameters, one row for each prediction."""
        self.check(value)
        push, rounded = self.noise(source)
        objective = PerturbedObjective(self.row_loss, value.features, value.codes, float(self.penalty), push)
        return self.covered(objective.minimiser(self.tolerance - rounded), source)
