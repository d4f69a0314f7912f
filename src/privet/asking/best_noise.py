"""best_noise: the noise with the smallest expected error for a budget, chosen from public numbers."""

from fractions import Fraction
from functools import lru_cache

from privet.asking.budget import Budget
from privet.core import Sensitivity
from privet.loss import ConcentratedGuarantee, Guarantee
from privet.mechanisms import CubeNoise, DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace, Staircase
from privet.mechanisms.least_noise import Error, Noise, expected_error, least_noise
from privet.noise.cube import MOST_WIDTH, WIDEST

_STAIRS = 100  # above this ε the stairs are too narrow for the lattice to be worth it


@lru_cache(maxsize=1024)
def best_noise(
    budget: Budget, sensitivity: Sensitivity, *, whole: bool = False, row: int = 1, error: Error = expected_error
) -> Noise:
    """Return the mechanism of the smallest expected absolute error of a number.

    Args:
        budget: what the answer may cost.
        sensitivity: how far one unit can move it.
        whole: True for counts: whole numbers in, whole numbers out.
        row: of whole numbers, how many stand in a row of which one unit can move each (`CubeNoise`); 1 if no rows do.
            The largest move is that of all rows together, added up.
        error: another one that decides, see `least_noise`.

    Privacy: the choice depends on the budget and the sensitivity only. Where a pure mechanism wins, no δ is spent.

    Example:
        >>> best_noise(Budget.of(epsilon=1), Sensitivity(1))  # one number: Laplace noise errs by 1, this by 0.9595
        Staircase(sensitivity=1, epsilon=1)
        >>> best_noise(Budget.of(epsilon=1, delta=1e-6), Sensitivity(1, cells=20))
        Gaussian(l2_sensitivity=4.47213595, scale=18.8933384)
    """
    if isinstance(budget.promise, ConcentratedGuarantee):
        kind = DiscreteGaussian if whole else Gaussian
        return kind.calibrated(rho=budget.promise.rho, sensitivity=sensitivity)
    candidates = _candidates(budget.promise, sensitivity, whole=whole, stairs=error is expected_error)
    if whole and row > 1 and fits(budget.promise.epsilon, sensitivity, row):
        epsilon = budget.promise.epsilon
        candidates.append(CubeNoise.calibrated(epsilon=epsilon, width=row, sensitivity=sensitivity, added_up=True))
    (noise,) = least_noise([[each] for each in candidates], error=error)
    return noise


def fits(epsilon: Fraction, sensitivity: Sensitivity, width: int) -> bool:
    """Whether cubes can be drawn at the scale that an ε needs."""
    if not epsilon or width > MOST_WIDTH:
        return False
    return Fraction(width, 4) <= sensitivity.linf / epsilon <= WIDEST / width


def _candidates(promise: Guarantee, sensitivity: Sensitivity, *, whole: bool, stairs: bool) -> list[Noise]:
    epsilon, delta = promise.epsilon, promise.delta
    found: list[Noise] = []
    if whole:
        found.append(DiscreteLaplace.calibrated(epsilon=epsilon, sensitivity=sensitivity))
    else:
        if stairs and sensitivity.cells == 1 and epsilon <= _STAIRS:
            found.append(Staircase.calibrated(epsilon=epsilon, sensitivity=sensitivity))
        found.append(Laplace.calibrated(epsilon=epsilon, sensitivity=sensitivity))
    if delta:
        kind = DiscreteGaussian if whole else Gaussian
        found.append(kind.calibrated(epsilon=epsilon, delta=delta, sensitivity=sensitivity))
    return found
