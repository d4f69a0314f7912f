"""OutputPerturbation: the minimiser of a sum of losses, with noise added to it."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privet.loss import ApproximateCurve, GaussianCurve, PrivacyLoss
from privet.mechanisms.objective_solver import PerturbedObjective
from privet.mechanisms.perturbed_minimiser import LabeledRows, PerturbedMinimiser
from privet.noise import BitSource


@dataclass(frozen=True, init=False, repr=False)
class OutputPerturbation(PerturbedMinimiser):
    """Releases T + noise for the T that minimises Σ loss(T u, y) + penalty/2 |T|².

    Args:
        row_loss, width, penalty, scale, gaussian, moved, replaced: see `PerturbedMinimiser`.

    Privacy: with r = reach / (penalty scale): moved · r, doubled if replaced, is the ε of noise that is not Gaussian
        and the μ of Gaussian noise. Smooth losses are not needed.
    Proof: at the minimiser with a row the gradient without it is that row's, of length at most reach, and the objective
        is strongly convex; so the minimisers are within reach / penalty (Chaudhuri, Monteleoni and Sarwate 2011).
    Not covered: as for `ObjectivePerturbation`.

    Example:
        >>> from privet.mechanisms.linear_loss import SoftHinge
        >>> round(OutputPerturbation(SoftHinge(), 3, penalty=8, scale="0.25", gaussian=False).main_loss.epsilon(0), 6)
        0.5
    """

    @property
    def ratio(self) -> Fraction:
        """How far a row moves the minimiser, in the noise's scale."""
        return self.row_loss.reach / (self.penalty * self.scale)

    @cached_property
    def main_loss(self) -> PrivacyLoss:
        """That of noise added to a vector."""
        kind = GaussianCurve if self.gaussian else ApproximateCurve
        return PrivacyLoss.of(kind(self.reach))

    def sample(self, value: LabeledRows, source: BitSource) -> NDArray[np.float64]:
        """The parameters, one row for each prediction."""
        self.check(value)
        noise, rounded = self.noise(source)
        penalty = float(self.penalty)
        objective = PerturbedObjective(self.row_loss, value.features, value.codes, penalty, np.zeros_like(noise))
        found = objective.minimiser(self.tolerance / 2)
        if rounded + float(np.abs(found + noise).sum()) * 2.0**-52 > self.tolerance / 2 / penalty:
            raise ArithmeticError("the noise is too large for floats")
        return self.covered(found + noise, source)
