"""sum_noise: the noise of the least variance for whole numbers whose law posteriors and predictions know."""

from privet.asking.best_noise import best_noise
from privet.asking.budget import Budget
from privet.core import Sensitivity
from privet.mechanisms import Gaussian
from privet.mechanisms.least_noise import Noise, least_noise, standard_deviation


def sum_noise(budget: Budget, sensitivity: Sensitivity) -> Noise:
    """Return discrete Laplace noise, or Gaussian noise where the price allows it and its variance is less.

    Privacy: from public numbers only.

    Example:
        >>> sum_noise(Budget.of(epsilon=1, delta="1e-6"), Sensitivity(1))
        DiscreteLaplace(l1_sensitivity=1, scale=1)
        >>> sum_noise(Budget.of(epsilon=1, delta="1e-6"), Sensitivity(1, cells=30))
        Gaussian(l2_sensitivity=5.47722558, scale=23.1395193)
    """
    if budget.epsilon is None:
        return best_noise(budget, sensitivity, whole=True)
    ways: list[list[Noise]] = [[best_noise(Budget.of(epsilon=budget.epsilon), sensitivity, whole=True)]]
    delta = getattr(budget.promise, "delta", None)
    if delta:
        ways.append([Gaussian.calibrated(epsilon=budget.epsilon, delta=delta, sensitivity=sensitivity)])
    (noise,) = least_noise(ways, error=standard_deviation)
    return noise
