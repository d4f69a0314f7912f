"""BernsteinGrid: the degree and order with the least expected error, from public numbers alone."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from privet.asking.budget import Budget
from privet.core import Sensitivity
from privet.loss import ConcentratedGuarantee, Promise
from privet.loss.exact import Exact, whole
from privet.mechanisms import Gaussian, Laplace
from privet.mechanisms.additive import positive
from privet.mechanisms.bernstein import MOST_AXES
from privet.mechanisms.bernstein_function import bernstein_basis
from privet.mechanisms.least_noise import standard_deviation

Floats: TypeAlias = NDArray[np.float64]
READ_AT = np.linspace(0.0, 1.0, 50)  # where errors are averaged
HIGHEST_ORDER = 16
HIGHEST_DEGREE = 128
LARGEST_DEGREE, LARGEST_ORDER = 4_096, 1_000  # of those that are given: a matrix so large is multiplied so often
MOST_CELLS = 1 << 16  # values on the grid


@dataclass(frozen=True)
class BernsteinGrid:
    """A degree and an order of Bernstein polynomials, and what error to expect of them.

    Args:
        degree: the grid has degree + 1 points on each axis.
        order: how often the operator is iterated.
        noise: the mean square error from noise, over the points of the domain.
        bias: the mean square error without noise, for waves as declared.

    Example:
        >>> BernsteinGrid.best(epsilon=1, sensitivity=Sensitivity("0.001"), waves=2, amplitude=1)
        BernsteinGrid(degree=19, order=16, root mean square error about 0.022)
    """

    degree: int
    order: int
    noise: float
    bias: float

    @classmethod
    def best(  # noqa: PLR0913 - a price, a sensitivity, and what is known of the function, each by name
        cls,
        *,
        sensitivity: Sensitivity,
        waves: float,
        amplitude: float,
        epsilon: Exact | None = None,
        delta: Exact = 0,
        rho: Exact | None = None,
        dimension: int = 1,
        degree: int | None = None,
        order: int | None = None,
    ) -> "BernsteinGrid":
        """Return the grid of the least error for functions that wave as declared.

        Args:
            sensitivity: how far the function moves at any point, as `linf`.
            waves: > 0; how many full waves the function has across its domain, at most about. A kernel regression has
                `waves` of its own.
            amplitude: > 0; how high the waves are, from the middle.
            epsilon: what may be spent.
            delta: above 0 allows Gaussian noise, where that is less.
            rho: instead of epsilon: what Gaussian noise may spend in zCDP.
            dimension: of the domain.
            degree: where it is given.
            order: where it is given.

        Privacy: nothing here has seen the data. A wrong declaration costs accuracy, never privacy.
        Proof of the error: for a sine and a cosine of this many waves, so for waves of all phases on average, the bias
            is computed as it is, at 50 even points; of the noise the variance of a coefficient times the squares of
            its weights. In more dimensions noise multiplies and bias adds up over the axes, which is an estimate.
        """
        count = float(positive(waves, "waves"))
        height = float(positive(amplitude, "amplitude"))
        axes = whole(dimension, "dimension", high=MOST_AXES)
        laplace, gaussian = _spreads(Budget.of(epsilon=epsilon, delta=delta, rho=rho).promise)
        grids = []
        for found, times, squares, bias in _errors(count, _degrees(degree, axes), _orders(order)):
            cells = float((found + 1) ** axes)
            spread = min(laplace * cells, gaussian * math.sqrt(cells)) * float(sensitivity.linf)
            grids.append(cls(found, times, spread**2 * squares**axes, bias * height**2 * axes))
        return min(grids, key=lambda grid: grid.noise + grid.bias)

    @property
    def error(self) -> float:
        """The root of the mean square error to expect, if the function waves as declared."""
        return math.sqrt(self.noise + self.bias)

    def __repr__(self) -> str:
        return f"BernsteinGrid(degree={self.degree}, order={self.order}, root mean square error about {self.error:.2g})"


def _spreads(promise: Promise) -> tuple[float, float]:
    """The standard deviations of Laplace and Gaussian noise for a move of 1; infinite where there is no such noise."""
    unit = Sensitivity(1)
    if isinstance(promise, ConcentratedGuarantee):
        return math.inf, standard_deviation(Gaussian.calibrated(rho=promise.rho, sensitivity=unit))
    laplace = standard_deviation(Laplace.calibrated(epsilon=promise.epsilon, sensitivity=unit))
    if not promise.delta:
        return laplace, math.inf
    gaussian = Gaussian.calibrated(epsilon=promise.epsilon, delta=promise.delta, sensitivity=unit)
    return laplace, standard_deviation(gaussian)


def _degrees(degree: int | None, dimension: int) -> tuple[int, ...]:
    if degree is not None:
        return (whole(degree, "degree", high=LARGEST_DEGREE),)
    most = min(HIGHEST_DEGREE, max(1, int(MOST_CELLS ** (1 / dimension)) - 1))
    return tuple(range(1, most + 1))


def _orders(order: int | None) -> tuple[int, ...]:
    return tuple(range(1, HIGHEST_ORDER + 1)) if order is None else (whole(order, "order", high=LARGEST_ORDER),)


Errors: TypeAlias = tuple[tuple[int, int, float, float], ...]  # degree, order, squared weights, bias


@lru_cache(maxsize=64)
def _errors(waves: float, degrees: tuple[int, ...], orders: tuple[int, ...]) -> Errors:
    """For each degree and order: the mean sum of squared weights, and the bias for waves of height 1."""
    found = []
    for degree in degrees:
        grid = np.arange(degree + 1) / degree
        turns = 2 * math.pi * waves
        exact_waves = np.stack((np.sin(turns * READ_AT), np.cos(turns * READ_AT)), axis=1)
        on_grid = np.stack((np.sin(turns * grid), np.cos(turns * grid)), axis=1)
        for order, weights in _weights(degree, orders):
            bias = float(np.mean((weights @ on_grid - exact_waves) ** 2))
            found.append((degree, order, float(np.mean((weights**2).sum(axis=1))), bias))
    return tuple(found)


def _weights(degree: int, orders: tuple[int, ...]) -> Iterator[tuple[int, Floats]]:
    """What each value on the grid weighs at each point, for operators of these orders."""
    basis = bernstein_basis(degree, READ_AT)
    rest = np.eye(degree + 1) - bernstein_basis(degree, np.arange(degree + 1) / degree)
    weights = power = basis
    for order in range(1, max(orders) + 1):
        if order > 1:
            power = power @ rest  # B (I - W)^(order - 1)
            weights = weights + power
        if order in orders:
            yield order, weights
