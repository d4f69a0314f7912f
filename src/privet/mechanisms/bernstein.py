"""Bernstein: release a whole function of the data, to be evaluated forever."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.core import Mechanism, Sensitivity, Uncertainty
from privet.core.uncertainty import UP
from privet.errors import InvalidParameter
from privet.loss import PrivacyLoss
from privet.loss.exact import Exact, exact, exact_within, float_at_least, shortest, whole
from privet.mechanisms.additive import Numbers, finite_numbers, positive
from privet.mechanisms.bernstein_function import (
    BernsteinFunction,
    Bounds,
    bernstein_basis,
    box,
    largest_weight,
    said,
)
from privet.mechanisms.gaussian import Gaussian
from privet.mechanisms.laplace import Laplace
from privet.mechanisms.least_noise import laplace_or_gaussian, loss_of_cells, standard_deviation
from privet.noise import BitSource

MOST_CELLS = 1 << 24  # values on the grid
MOST_AXES = 24
HIGHEST_ORDER = 1_000  # beyond it the polynomial can lie off by more than a float holds
SHARP = 512  # the largest degree whose weights are added up


def grid_cells(degree: object, dimension: object) -> int:
    """How many values a grid has; refuses one that is too large."""
    points = whole(degree, "degree", high=MOST_CELLS - 1) + 1
    axes = whole(dimension, "dimension", high=MOST_AXES)
    cells = int(points**axes)
    if cells > MOST_CELLS:
        raise InvalidParameter(f"(degree + 1)^dimension must be at most 2^24, got {points}^{axes}: lower the degree")
    return cells


def noise_on_grid(*, epsilon: Exact, delta: Exact, sensitivity: Sensitivity) -> Laplace | Gaussian:
    """Return the noise on the grid's values that leaves the smallest error of the polynomial.

    Its values are weighted sums of many noisy numbers, so standard deviations are compared.

    Example:
        >>> noise_on_grid(epsilon=1, delta=1e-5, sensitivity=Sensitivity(1, cells=7))
        Gaussian(l2_sensitivity=2.64575131, scale=9.87032354)
    """
    return laplace_or_gaussian(epsilon=epsilon, delta=delta, sensitivity=sensitivity, error=standard_deviation)


@dataclass(frozen=True)
class BernsteinError(Uncertainty):
    """How far a released polynomial may lie from the polynomial of the exact values, anywhere in the box.

    Args:
        each: the error of one value on the grid.
        cells: how many values there are, with independent noise.
        factor: >= 1; how much the polynomial can lie off where every value is off by at most 1.

    Proof: basis polynomials are >= 0 and sum to 1, so a plain polynomial is nowhere farther off than its worst
        coefficient. An iterated one has the coefficients (I + R + ... + R^(h-1)) v with R = I - W, where the rows of
        W are probabilities; the sum of |R| over a row is 2 (1 - W_ii) <= 2 - 2 min W_ii = q, so the factor is at most
        1 + q + ... + q^(h-1). In one dimension it is far less: see `largest_weight`.
    """

    each: Uncertainty
    cells: int
    factor: float = 1.0

    def tail(self, distance: float) -> float:
        """The chance that some value on the grid is off by more than distance / factor."""
        one = self.each.tail(distance / self.factor / UP)
        return 1.0 if one >= 1 else min(1.0, -math.expm1(self.cells * math.log1p(-one)) * UP)

    def distance(self, tail: float) -> float:
        """The factor times the simultaneous margin of all values on the grid."""
        share = -math.expm1(math.log1p(-tail) / self.cells) / UP
        return self.each.distance(share) * self.factor * UP


@dataclass(frozen=True, init=False, repr=False)
class Bernstein(Mechanism[Numbers, BernsteinFunction]):
    """Adds noise to the values of a function on an even grid, and releases their Bernstein polynomial.

    Args:
        noise: what is added to the (degree + 1)^dimension values; `calibrated` chooses it.
        degree: >= 1; the grid has degree + 1 points on each axis. A finer grid bends less and needs more noise.
        dimension: of the function's domain, >= 1.
        order: >= 1; how often the operator is iterated: a smooth function is met better, and noise grows.
        bounds: public lowest and highest value of each coordinate; [0, 1] by default.

    Privacy: for functions that move by at most S anywhere between neighbors. With Laplace noise (n S / scale)-DP, n the
        number of values; the curve is that of n numbers that move by S each. With Gaussian noise the Gaussian curve
        of sqrt(n) S / scale. Either neighbor relation for which S holds.
    Proof: n values with independent noise, none of which moves by more than S; a polynomial of the noisy values is
        post-processing, wherever and however often it is evaluated (Aldà and Rubinstein 2017, Theorem 1).

    Example:
        >>> mechanism = Bernstein.calibrated(epsilon=1, function_sensitivity=1, degree=25)
        >>> mechanism
        Bernstein(Laplace(l1_sensitivity=26, scale=26), degree=25, dimension=1, order=1)
        >>> mechanism.loss.epsilon(delta=0), round(mechanism.loss.epsilon(delta=1e-5), 6)
        (1.0, 0.675752)
        >>> Bernstein.calibrated(epsilon=1, delta=1e-5, function_sensitivity=1, degree=25).noise
        Gaussian(l2_sensitivity=5.09901951, scale=19.0225635)
    """

    noise: Laplace | Gaussian
    degree: int
    dimension: int
    order: int
    bounds: Bounds = field(repr=False)

    def __init__(
        self,
        noise: Laplace | Gaussian,
        *,
        degree: int,
        dimension: int = 1,
        order: int = 1,
        bounds: Iterable[Any] = (),
    ) -> None:
        if not isinstance(noise, Laplace | Gaussian):
            raise InvalidParameter(f"noise must be a Laplace or a Gaussian mechanism, got {type(noise).__name__}")
        grid_cells(degree, dimension)
        self._keep(noise=noise, degree=int(degree), dimension=int(dimension))
        high = whole(order, "order", high=HIGHEST_ORDER)
        self._keep(order=high, bounds=box(bounds, self.dimension), promise=noise.promise)

    @classmethod
    def calibrated(  # noqa: PLR0913 - a promise and a grid
        cls,
        *,
        epsilon: Exact,
        function_sensitivity: Exact,
        degree: int,
        dimension: int = 1,
        order: int = 1,
        delta: Exact = 0,
        bounds: Iterable[Any] = (),
    ) -> "Bernstein":
        """Return the mechanism with the least noise that is (epsilon, delta)-DP.

        Args:
            epsilon: > 0 if delta is 0.
            function_sensitivity: > 0; how far the function can move between neighbors, at any point of the box.
            degree: of the polynomial in each coordinate.
            dimension: of the function's domain.
            order: of the iteration.
            delta: above 0 allows Gaussian noise, which is taken where its standard deviation is smaller.
            bounds: of the domain.
        """
        cells = (whole(degree, "degree") + 1) ** whole(dimension, "dimension")
        moved = Sensitivity(positive(function_sensitivity, "function_sensitivity"), cells=cells)
        noise = noise_on_grid(epsilon=epsilon, delta=delta, sensitivity=moved)
        return cls(noise, degree=degree, dimension=dimension, order=order, bounds=bounds)

    # --- the grid ---------------------------------------------------------------------------------------------

    @property
    def cells(self) -> int:
        """How many values the grid has."""
        return int((self.degree + 1) ** self.dimension)

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the array that `sample` takes."""
        return (self.degree + 1,) * self.dimension

    def grid(self) -> NDArray[np.float64]:
        """The points where the function is evaluated; in more than one dimension their coordinates on the last axis.

        Example:
            >>> Bernstein(Laplace(3, 3), degree=2, bounds=(0, 10)).grid()
            array([ 0.,  5., 10.])
        """
        steps = np.arange(self.degree + 1) / self.degree
        axes = [float(low) * (1 - steps) + float(high) * steps for low, high in self.bounds]
        return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1) if self.dimension > 1 else axes[0]

    def values_of(self, function: Callable[[Any], float]) -> NDArray[np.float64]:
        """The values of a function on the grid, one call a point; it gets a number, or an array of coordinates."""
        points = self.grid().reshape((-1, self.dimension) if self.dimension > 1 else -1)
        return np.array([float(function(point)) for point in points]).reshape(self.shape)

    # --- the mechanism ----------------------------------------------------------------------------------------

    @cached_property
    def loss(self) -> PrivacyLoss:
        """That of as many numbers as the grid has points, each moved by at most the function's sensitivity."""
        return loss_of_cells(self.noise, self.cells)

    def covers(self, sensitivity: Sensitivity) -> bool:
        """Compared in the largest move of one value: all of them may move at once, whatever `cells` says."""
        return self.noise.covers(Sensitivity(sensitivity.linf, cells=self.cells))

    def check(self, value: Numbers) -> None:
        """Refuse what is not an array of finite numbers, one for each point of the grid."""
        array = finite_numbers(value)
        if array.shape != self.shape:
            raise InvalidParameter(
                f"the value must have the shape {self.shape} of the grid, got {array.shape}: evaluate the function on "
                "grid(), for example with values_of"
            )
        self.noise.check(array)

    def sample(self, value: Numbers, source: BitSource) -> BernsteinFunction:
        """The polynomial of the noisy values."""
        noisy = self.noise.sample(np.asarray(value).reshape(self.shape), source)
        return BernsteinFunction(np.asarray(noisy), self.order, self.bounds)

    # --- how good it is ---------------------------------------------------------------------------------------

    @cached_property
    def uncertainty(self) -> BernsteinError:
        """How far noise moves the polynomial, at all points at once; `bias_of_*` say how far it is from the function.

        Example:
            >>> round(Bernstein.calibrated(epsilon=1, function_sensitivity=1, degree=25).uncertainty.margin(0.95), 2)
            161.96
        """
        return BernsteinError(self.noise.uncertainty, self.cells, self._factor)

    @property
    def _factor(self) -> float:
        """That of `BernsteinError`: the sum of weights if that is not too long, else 1 + q + ... + q^(order - 1)."""
        if self.dimension == 1 and self.degree <= SHARP:
            return largest_weight(self.degree, self.order) * UP
        stays = bernstein_basis(self.degree, np.arange(self.degree + 1) / self.degree).diagonal().min()
        most = 2 * (1 - float(stays) ** self.dimension * (1 - 1e-9))
        return math.fsum(most**power for power in range(self.order)) * UP

    def bias_of_holder(self, *, constant: Exact, exponent: Exact) -> float:
        """How far the exact polynomial can be from a function with |f(x) - f(y)| <= constant |x - y|^exponent.

        Args:
            constant: >= 0; |x - y| is the Euclidean distance in the units of the bounds.
            exponent: above 0, at most 1; at 0 nothing would be said about the function.

        Proof: Bf(x) is the mean of f at random points of the grid with mean x, whose coordinates have variances of
            at most width² / (4 degree); by Jensen E|X - x|^exponent <= (sum of variances)^(exponent/2). A
            higher order errs by (I - B)^h f, at most 2^(h-1) times as much; it is made for smooth functions.

        Example:
            >>> round(Bernstein(Laplace(26, 26), degree=25).bias_of_holder(constant=1, exponent=1), 9)
            0.1
        """
        size = exact_within(constant, "constant", low=0)
        power = exact(exponent, "exponent")
        if not 0 < power <= 1:
            raise InvalidParameter(f"exponent must be above 0 and at most 1, got {shortest(power)}")
        square = sum(((high - low) ** 2 for low, high in self.bounds), Fraction(0)) / (4 * self.degree)
        return float(size) * math.pow(float(square), float(power) / 2) * 2.0 ** (self.order - 1) * UP

    def bias_of_smooth(self, *, curvature: Exact) -> float:
        """How far the exact polynomial can be from a function whose second derivatives are at most `curvature`.

        Args:
            curvature: >= 0; bounds the second derivative along each axis, in the units of the bounds.

        Proof: in one dimension Taylor's formula at x gives curvature Var(X) / 2 <= curvature width² / (8 degree);
            the operator is one of these after another, none of which enlarges what the others err by.

        Example:
            >>> Bernstein(Laplace(26, 26), degree=25).bias_of_smooth(curvature=2)  # x², off by x(1 - x)/25
            0.01
        """
        size = exact_within(curvature, "curvature", low=0)
        square = sum(((high - low) ** 2 for low, high in self.bounds), Fraction(0))
        return float_at_least(size * square / (8 * self.degree) * 2 ** (self.order - 1))

    def __repr__(self) -> str:
        words = f"degree={self.degree}, dimension={self.dimension}, order={self.order}"
        where = "" if self.bounds == box((), self.dimension) else f", on {said(self.bounds)}"
        return f"Bernstein({self.noise!r}, {words}{where})"
