"""release_function: a curve or a surface computed from data, released once and evaluable forever."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from privet.asking.asking import Asking
from privet.asking.called_as import called_as
from privet.asking.payment import Payment
from privet.asking.price import Price
from privet.asking.table import Table
from privet.core import Release, Sensitivity
from privet.errors import InvalidParameter
from privet.loss.exact import Exact, refuse_single
from privet.mechanisms import Bernstein, BernsteinFunction, Gaussian, Laplace
from privet.mechanisms.bernstein import grid_cells, noise_on_grid
from privet.mechanisms.quietly import quietly
from privet.stats.functions.bernstein_grid import BernsteinGrid
from privet.stats.functions.kernel_regression import KernelRegression
from privet.stats.functions.total_function import answer_of

FAR = 800  # bits: values up to so many noise scales are released as they are


@called_as('release_function(f, rows, sensitivity="1/5000", degree=12, order=4, epsilon=1)')
def release_function(  # noqa: PLR0913 - the function, what is known of it, and how to ask, each by name
    f: Callable[[Any], Callable[[Any], Any]],
    data: Any,  # noqa: ANN401 - whatever f takes
    *,
    sensitivity: Sensitivity | Exact,
    degree: int | None = None,
    order: int | None = None,
    waves: float | None = None,
    amplitude: float | None = None,
    dimension: int = 1,
    bounds: Iterable[Any] = (),
    **asking: Unpack[Asking],
) -> Release[BernsteinFunction]:
    """Release the function f(data): its values on a grid with noise, as a Bernstein polynomial.

    Args:
        f: takes the data and returns a function of a point, such as `PriestleyChao("0.1")`. Where it fails or says no
            finite number, it counts as 0, and its sensitivity must hold for that.
        data: the protected data; f sees it after the charge.
        sensitivity: how far f(data) moves between neighbors at any point of the grid: proven, or sampled on this very
            grid (`sampled_sensitivity` with norm="linf"), which makes the release random DP.
        degree: of the polynomial. Without it the one with the least expected error is taken; see `BernsteinGrid`.
        order: how often the operator is iterated; likewise.
        waves: how many full waves the function has across its domain, at most about; needed to choose. A kernel
            regression knows its own.
        amplitude: how high the waves are; needed to choose.
        dimension: of the domain.
        bounds: public lowest and highest value of each coordinate; [0, 1] by default, or the regression's.
        asking: epsilon, delta, rho, mechanism (a `Bernstein`), ledger, purpose, key, neighbors, unit; see `Asking`.

    Privacy: as `Bernstein`; degree and order are chosen from public numbers. Evaluating the answer costs nothing. The
        margin is of the noise, at all points at once; how far the polynomial is from the function without noise is not
        in it (`Bernstein.bias_of_smooth`, `BernsteinGrid.bias`).

    Example:
        >>> x = np.linspace(0, 1, 5000)
        >>> rows = np.stack((x, np.sin(10 * x)), axis=1)
        >>> curve = release_function(
        ...     lambda rows: lambda at: np.clip(rows[:, 1] * (rows[:, 0] < at), -1, 1).mean(),
        ...     rows, sensitivity="2/5000", degree=12, order=4, epsilon=1, neighbors="replace"
        ... )
        >>> curve.value, curve.loss.epsilon(delta=0), len(curve.value.curve()[0])
        (BernsteinFunction(degree=12, order=4, on [0, 1]), 1.0, 200)
    """
    if not callable(f):
        raise InvalidParameter(f"f must be a function of the data that returns a function, got {type(f).__name__}")
    refuse_single(bounds, "bounds must be a pair (low, high) for each coordinate, such as [(0, 1)]")
    payment = Payment.of("release_function", asking)
    moved = sensitivity if isinstance(sensitivity, Sensitivity) else Sensitivity(sensitivity)
    if payment.price.mechanism is not None:
        mechanism = _given(payment.price.mechanism, degree, order, waves, amplitude)
    else:
        if isinstance(f, KernelRegression):
            waves = f.waves if waves is None else waves
            bounds = tuple(bounds) or f.bounds
        known = _Known(degree, order, waves, amplitude, dimension)
        mechanism = _mechanism(payment.price, moved, known, bounds)
    values = _values_of(f, data, mechanism)
    release: Release[BernsteinFunction] = payment.release(values, moved, mechanism, kinds=(BernsteinFunction,))
    return release


def _values_of(f: Any, data: Any, mechanism: Bernstein) -> Callable[[], NDArray[np.float64]]:  # noqa: ANN401 - a function and its data
    """How to compute the exact function on the grid; what can be refused without reading the data is refused now."""
    largest = float(min(mechanism.noise.noise_scale * 2**FAR, Fraction(2) ** FAR))
    if not isinstance(f, KernelRegression):
        return lambda: _on_grid(f, data, mechanism, largest)
    if mechanism.dimension > 1:
        raise InvalidParameter(f"a kernel regression is a curve: dimension must be 1, got {mechanism.dimension}")
    if isinstance(data, np.ndarray) and (data.ndim, *data.shape[1:]) != (2, 2):
        raise InvalidParameter(f"data must have two columns, x and y, got an array of {data.ndim} dimensions")
    on_grid = f.on(mechanism.grid())
    table = Table.of(data, width=2)
    return lambda: answer_of(lambda: on_grid(table.read()), shape=mechanism.shape, largest=largest)


def _on_grid(f: Any, data: Any, mechanism: Bernstein, largest: float) -> NDArray[np.float64]:  # noqa: ANN401 - a function and its data
    """The values of f(data) on the grid; 0 where there is none."""
    function: Callable[[Any], Any] = quietly(lambda: f(data), lambda _: 0.0)
    return mechanism.values_of(lambda point: float(answer_of(lambda: function(point), shape=(), largest=largest)))


def _given(mechanism: object, *choices: float | None) -> Bernstein:
    if not isinstance(mechanism, Bernstein):
        raise InvalidParameter(f"mechanism must be a Bernstein for release_function, got {type(mechanism).__name__}")
    if any(choice is not None for choice in choices):
        raise InvalidParameter("a mechanism has a degree and an order: leave out degree, order, waves and amplitude")
    return mechanism


@dataclass(frozen=True)
class _Known:
    """What the caller says about the function and its grid."""

    degree: int | None
    order: int | None
    waves: float | None
    amplitude: float | None
    dimension: int

    def sizes(self, price: Price, moved: Sensitivity) -> tuple[int, int]:
        """The degree and the order, chosen from public numbers where they are not given."""
        if self.degree is not None and self.order is not None:
            return self.degree, self.order
        if self.waves is None or self.amplitude is None:
            if self.degree is not None:
                return self.degree, 1
            raise InvalidParameter(
                "give the degree, or waves and amplitude (how many waves the function has across its domain, and how "
                "high), from which the best degree and order follow"
            )
        grid = BernsteinGrid.best(
            epsilon=price.epsilon,
            delta=price.delta,
            rho=price.rho,
            sensitivity=moved,
            waves=self.waves,
            amplitude=self.amplitude,
            dimension=self.dimension,
            degree=self.degree,
            order=self.order,
        )
        return grid.degree, grid.order


def _mechanism(price: Price, moved: Sensitivity, known: _Known, bounds: Iterable[Any]) -> Bernstein:
    """The mechanism of this price, from public numbers."""
    degree, order = known.sizes(price, moved)
    every = Sensitivity(moved.linf, cells=grid_cells(degree, known.dimension))
    noise: Laplace | Gaussian
    if price.rho is not None:
        noise = Gaussian.calibrated(rho=price.rho, sensitivity=every)
    else:
        noise = noise_on_grid(epsilon=price.epsilon or 0, delta=price.delta, sensitivity=every)
    return Bernstein(noise, degree=degree, order=order, dimension=known.dimension, bounds=bounds)
