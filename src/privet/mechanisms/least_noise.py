"""least_noise: of several ways to make numbers noisy, the one of the smallest expected error."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, TypeAlias, TypeVar

import numpy as np

from privet.core import Mechanism, Sensitivity
from privet.core.sensitivity import refuse_undeclared
from privet.errors import InvalidParameter
from privet.loss import LaplaceCurve, PrivacyLoss
from privet.loss.exact import Exact, exact
from privet.mechanisms.cube_noise import CubeNoise
from privet.mechanisms.discrete_gaussian import DiscreteGaussian
from privet.mechanisms.discrete_laplace import DiscreteLaplace
from privet.mechanisms.gaussian import Gaussian
from privet.mechanisms.laplace import Laplace
from privet.mechanisms.staircase import Staircase

Noise: TypeAlias = Laplace | Gaussian | Staircase | DiscreteLaplace | DiscreteGaussian | CubeNoise
Error: TypeAlias = Callable[[Any], float]
M = TypeVar("M", bound=Mechanism[Any, Any])
_SUMMED = 1000.0  # discrete Gaussian scales up to here are summed term by term
_NARROW = 1 / 700  # discrete Laplace noise of a smaller scale is zero, as far as floats can tell


def expected_error(noise: Mechanism[Any, Any]) -> float:
    """Return the mean absolute error of one number under this noise.

    Example:
        >>> round(expected_error(Laplace(1, 2)), 4), round(expected_error(DiscreteLaplace(1, 2)), 4)
        (2.0, 1.919)
    """
    if isinstance(noise, Staircase):
        return noise.expected_error
    if isinstance(noise, Laplace):
        return _float(noise.scale)
    if isinstance(noise, DiscreteLaplace):
        return 1 / math.sinh(1 / _float(noise.scale)) if noise.scale > _NARROW else 0.0
    if isinstance(noise, Gaussian):
        return _float(noise.scale) * math.sqrt(2 / math.pi)
    if isinstance(noise, DiscreteGaussian):
        return _whole_gaussian_moment(_float(noise.scale), 1)
    if isinstance(noise, CubeNoise):
        return noise.expected_error
    raise InvalidParameter(f"the expected error of {noise!r} is not known: use Laplace, Staircase or Gaussian noise")


def standard_deviation(noise: Mechanism[Any, Any]) -> float:
    """Return the root of the mean squared error of one number under this noise.

    Example:
        >>> round(standard_deviation(Laplace(1, 2)), 4), round(standard_deviation(DiscreteLaplace(1, 2)), 4)
        (2.8284, 2.7992)
    """
    if isinstance(noise, DiscreteLaplace):
        return 1 / math.sinh(0.5 / _float(noise.scale)) / math.sqrt(2) if noise.scale > _NARROW else 0.0
    if isinstance(noise, DiscreteGaussian):
        return math.sqrt(_whole_gaussian_moment(_float(noise.scale), 2))
    if isinstance(noise, CubeNoise):
        return noise.standard_deviation
    if isinstance(noise, Laplace | Gaussian):
        return _float(noise.scale) * (math.sqrt(2) if isinstance(noise, Laplace) else 1)
    raise InvalidParameter(f"the standard deviation of {noise!r} is not known: use Laplace or Gaussian noise")


def least_noise(ways: Sequence[Sequence[M]], *, error: Error = expected_error) -> Sequence[M]:
    """Return the way with the smallest expected errors; of equals the first.

    Args:
        ways: at least one; each has a mechanism for each of the same numbers. What chooses instead of adding noise is
            passed over: every way has it.
        error: of one number. Its mean absolute error, unless only weighted sums of many of the numbers are read: their
            law is nearly normal, whatever the noise, and `standard_deviation` alone decides how wide it is.

    Privacy: the choice depends on public numbers only.
    Proof: several numbers are compared by the product of their errors. They may be measured in different units, and
        the product is the only mean that no change of units can turn round.

    Example:
        >>> few = [Laplace(1, 2)], [Gaussian(1, "2.6")]  # 2 and 2.0745; the deviations are 2.83 and 2.6
        >>> least_noise(few), least_noise(few, error=standard_deviation)
        ([Laplace(l1_sensitivity=1, scale=2)], [Gaussian(l2_sensitivity=1, scale=2.6)])
    """
    return min(ways, key=lambda way: typical_error(way, error=error))


def typical_error(way: Sequence[Mechanism[Any, Any]], *, error: Error = expected_error) -> float:
    """Return the geometric mean of the errors of several numbers, 0 if noise is added to none of them.

    Example:
        >>> typical_error([Laplace(1, 2), Laplace(1, 8)])
        4.0
    """
    logs = [_logarithm(error(noise)) for noise in way if isinstance(noise, Noise)]
    return math.exp(sum(logs) / len(logs)) if logs else 0.0


def laplace_or_gaussian(
    *, epsilon: Exact, delta: Exact, sensitivity: Sensitivity, error: Error = expected_error
) -> Laplace | Gaussian:
    """Return the mechanism of the smaller error that is (epsilon, delta)-DP for this sensitivity.

    Privacy: the choice depends on public numbers only. Where Laplace noise wins it is pure: the delta is not spent.

    Example:
        >>> laplace_or_gaussian(epsilon=1, delta=1e-5, sensitivity=Sensitivity(1, cells=8))
        Laplace(l1_sensitivity=8, scale=8)
        >>> laplace_or_gaussian(epsilon=1, delta=1e-5, sensitivity=Sensitivity(1, cells=9))
        Gaussian(l2_sensitivity=3, scale=11.1918949)
    """
    refuse_undeclared(sensitivity)
    ways: list[list[Laplace | Gaussian]] = []
    if exact(epsilon, "epsilon") or not exact(delta, "delta"):
        ways.append([Laplace.calibrated(epsilon=epsilon, sensitivity=sensitivity)])
    if exact(delta, "delta"):
        ways.append([Gaussian.calibrated(epsilon=epsilon, delta=delta, sensitivity=sensitivity)])
    (noise,) = least_noise(ways, error=error)
    return noise


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


def _whole_gaussian_moment(scale: float, power: int) -> float:
    """The mean size of discrete Gaussian noise, or the mean of its squares."""
    if scale > _SUMMED:
        return scale * math.sqrt(2 / math.pi) if power == 1 else scale * scale
    sizes = np.arange(math.ceil(40 * scale) + 2, dtype=np.float64)
    weights = np.exp(-0.5 * (sizes / scale) ** 2)
    return float(2 * (sizes**power * weights).sum() / (2 * weights.sum() - 1))


def _float(number: Fraction) -> float:
    """The nearest float, infinite beyond the largest."""
    try:
        return float(number)
    except OverflowError:
        return math.inf


def _logarithm(number: float) -> float:
    return math.log(number) if number else -math.inf
