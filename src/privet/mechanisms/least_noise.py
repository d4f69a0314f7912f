"""Laplace or Gaussian noise on several numbers, whichever is less, and its loss when no number moves far."""

from privet.core import Sensitivity
from privet.core.sensitivity import refuse_undeclared
from privet.loss import LaplaceCurve, PrivacyLoss
from privet.loss.exact import Exact, exact
from privet.mechanisms.gaussian import Gaussian
from privet.mechanisms.laplace import Laplace


def least_noise(*, epsilon: Exact, delta: Exact, sensitivity: Sensitivity) -> Laplace | Gaussian:
    """Return the mechanism of the smaller standard deviation that is (epsilon, delta)-DP for this sensitivity.

    Privacy: the choice depends on public numbers only. Where Laplace noise wins it is pure: the delta is not spent.

    Example:
        >>> least_noise(epsilon=1, delta=1e-5, sensitivity=Sensitivity(1, cells=6))
        Laplace(l1_sensitivity=6, scale=6)
        >>> least_noise(epsilon=1, delta=1e-5, sensitivity=Sensitivity(1, cells=7))
        Gaussian(l2_sensitivity=2.64575131, scale=9.87032354)
    """
    refuse_undeclared(sensitivity)
    if not exact(delta, "delta"):
        return Laplace.calibrated(epsilon=epsilon, sensitivity=sensitivity)
    gaussian = Gaussian.calibrated(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
    if not exact(epsilon, "epsilon"):
        return gaussian
    laplace = Laplace.calibrated(epsilon=epsilon, sensitivity=sensitivity)
    return laplace if 2 * laplace.scale**2 <= gaussian.scale**2 else gaussian


def loss_of_cells(noise: Laplace | Gaussian, cells: int) -> PrivacyLoss:
    """Return the loss of noise on `cells` numbers, each of which moves by at most its share of the sensitivity.

    Proof: the numbers have independent noise, so their losses add up; one that moves less far than the share is a
        post-processing of one that moves as far. With Laplace noise this is less than the loss of one number that
        moves by the whole sum: the same pure ε, and far less δ and ρ. With Gaussian noise only the
        Euclidean length counts.

    Example:
        >>> noise = Laplace(l1_sensitivity=26, scale=26)
        >>> round(loss_of_cells(noise, 26).zcdp(), 3), round(noise.loss.zcdp(), 3)
        (0.019, 0.368)
    """
    if isinstance(noise, Laplace):
        return PrivacyLoss.of(LaplaceCurve(noise.l1_sensitivity / cells / noise.scale), cells)
    return noise.loss
