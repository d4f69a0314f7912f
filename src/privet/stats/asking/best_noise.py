"""The noise with the smallest expected error at a price, chosen from public numbers."""

import math
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from privet.core import Mechanism, Sensitivity
from privet.core.mechanism import refuse_uncovered
from privet.core.sensitivity import root_above
from privet.errors import InvalidParameter
from privet.mechanisms import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace, Staircase
from privet.stats.asking.price import Price

Noise: TypeAlias = Laplace | Gaussian | Staircase | DiscreteLaplace | DiscreteGaussian
_STAIRS = 100  # above this ε the stairs are too narrow for the lattice to be worth it
_SUMMED = 1000.0  # discrete Gaussian scales up to here are summed term by term


def best_noise(price: Price, sensitivity: Sensitivity, *, whole: bool = False) -> Mechanism[Any, Any]:
    """Return the mechanism of the smallest expected absolute error of a number, or the caller's own.

    Args:
        price: what the answer may cost.
        sensitivity: how far one unit can move it.
        whole: True for counts: whole numbers in, whole numbers out.

    Privacy: the choice depends on the price and the sensitivity only. Where a pure mechanism wins, no δ is spent.

    Example:
        >>> best_noise(Price.of({"epsilon": 1}), Sensitivity(1))  # one number: Laplace noise errs by 1, this by 0.9595
        Staircase(sensitivity=1, epsilon=1)
        >>> best_noise(Price.of({"epsilon": 1, "delta": 1e-6}), Sensitivity(1, cells=20))
        Gaussian(l2_sensitivity=4.47213595, scale=18.8933384)
    """
    if price.mechanism is not None:
        refuse_uncovered(price.mechanism, sensitivity)
        return price.mechanism
    return _best(price, sensitivity, whole=whole)


@lru_cache(maxsize=1024)
def _best(price: Price, sensitivity: Sensitivity, *, whole: bool) -> Noise:
    return min(_candidates(price, sensitivity, whole=whole), key=expected_error)


def _candidates(price: Price, sensitivity: Sensitivity, *, whole: bool) -> list[Noise]:
    if price.rho is not None:
        if not whole:
            return [Gaussian.concentrated(rho=price.rho, sensitivity=sensitivity)]
        scale = sensitivity.l2 * root_above(1 / (2 * price.rho))
        return [DiscreteGaussian(sensitivity.l2, scale, cells=sensitivity.cells)]
    if price.epsilon is None:
        raise TypeError("a price without a mechanism has an epsilon or a rho")
    found: list[Noise] = []
    if whole:
        found.append(DiscreteLaplace.calibrated(epsilon=price.epsilon, sensitivity=sensitivity))
    else:
        found.append(Laplace.calibrated(epsilon=price.epsilon, sensitivity=sensitivity))
        if sensitivity.cells == 1 and price.epsilon <= _STAIRS:
            found.insert(0, Staircase.calibrated(epsilon=price.epsilon, sensitivity=sensitivity))
    if price.delta:
        kind = DiscreteGaussian if whole else Gaussian
        found.append(kind.calibrated(epsilon=price.epsilon, delta=price.delta, sensitivity=sensitivity))
    return found


def expected_error(noise: Mechanism[Any, Any]) -> float:
    """Return the mean absolute error of one number under this noise.

    Example:
        >>> round(expected_error(Laplace(1, 2)), 4), round(expected_error(DiscreteLaplace(1, 2)), 4)
        (2.0, 1.919)
    """
    if isinstance(noise, Staircase):
        return noise.expected_error
    if isinstance(noise, Laplace):
        return float(noise.scale)
    if isinstance(noise, DiscreteLaplace):
        return 1 / math.sinh(1 / float(noise.scale)) if noise.scale > 1 / 700 else 0.0
    if isinstance(noise, Gaussian):
        return float(noise.scale) * math.sqrt(2 / math.pi)
    if isinstance(noise, DiscreteGaussian):
        return _whole_gaussian_error(float(noise.scale))
    raise InvalidParameter(f"the expected error of {noise!r} is not known: use Laplace, Staircase or Gaussian noise")


def _whole_gaussian_error(scale: float) -> float:
    if scale > _SUMMED:
        return scale * math.sqrt(2 / math.pi)
    sizes = np.arange(math.ceil(40 * scale) + 2)
    weights = np.exp(-0.5 * (sizes / scale) ** 2)
    return float(2 * (sizes * weights).sum() / (2 * weights.sum() - 1))
