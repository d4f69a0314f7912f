"""BernsteinFunction: a released function that can be evaluated forever."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from privet.errors import InvalidParameter
from privet.loss.exact import Exact, exact, readable, shortest, whole
from privet.mechanisms.additive import finite_numbers

Floats: TypeAlias = NDArray[np.float64]
Bounds: TypeAlias = tuple[tuple[Fraction, Fraction], ...]  # lowest and highest value of each coordinate
AT_ONCE = 1 << 20  # numbers held while evaluating: more points are taken in turns


@dataclass(frozen=True, eq=False, repr=False)
class BernsteinFunction:
    """A polynomial in Bernstein form on a box: what a `Bernstein` mechanism releases.

    Args:
        coefficients: an array of shape (degree + 1,) * dimension: the (noisy) values on an even grid of the box.
        order: how often the operator was iterated, >= 1; 1 is Bernstein's own polynomial.
        bounds: lowest and highest value of each coordinate; [0, 1] for each by default.

    Privacy: it holds released numbers only; evaluating it, anywhere and as often as wished, costs nothing.
    Proof of the iteration: let B be the operator "values on the grid, then their Bernstein polynomial". The operator of
        order h is I - (I - B)^h = B (I + (I - B) + ... + (I - B)^(h-1)) (Micchelli 1973), so the iterated polynomial
        is a plain one with other coefficients, which are computed once.

    Example:
        >>> square = BernsteinFunction(np.array([0.0, 0.25, 1.0]))  # x² on {0, 1/2, 1}
        >>> square(0.5), square([0.0, 1.0])  # x² + x(1 - x)/2
        (0.375, array([0., 1.]))
        >>> BernsteinFunction(np.array([0.0, 0.25, 1.0]), order=2)(0.5)
        0.3125
    """

    coefficients: Floats
    order: int = 1
    bounds: Bounds = ()

    def __post_init__(self) -> None:
        values = np.array(finite_numbers(self.coefficients), dtype=np.float64)
        if values.ndim == 0 or len(set(values.shape)) > 1 or len(values) < 2:  # noqa: PLR2004 - degree 1
            raise InvalidParameter(f"coefficients must have shape (degree + 1,) * dimension, got {values.shape}")
        values.setflags(write=False)
        object.__setattr__(self, "coefficients", values)
        object.__setattr__(self, "order", whole(self.order, "order"))
        object.__setattr__(self, "bounds", box(self.bounds, values.ndim))

    @property
    def dimension(self) -> int:
        """How many coordinates a point has."""
        return self.coefficients.ndim

    @property
    def degree(self) -> int:
        """Of the polynomial, in each coordinate."""
        return len(self.coefficients) - 1

    @cached_property
    def _polynomial(self) -> Floats:
        """The coefficients of the plain Bernstein polynomial that the iterated one is."""
        grid = np.arange(self.degree + 1) / self.degree
        weights = bernstein_basis(self.degree, grid)
        total, rest = self.coefficients, self.coefficients
        for _ in range(self.order - 1):
            smooth = rest
            for axis in range(self.dimension):
                smooth = np.moveaxis(np.tensordot(weights, smooth, axes=(1, axis)), 0, axis)
            rest = rest - smooth
            total = total + rest
        return total

    def __call__(self, points: ArrayLike) -> Any:  # noqa: ANN401 - a number for one point, an array for many
        """The value at a point, or an array of values.

        Args:
            points: in one dimension numbers, in an array of any shape; in more an array whose last axis holds the
                coordinates. Every coordinate lies within the bounds.
        """
        inside = self._inside(points)
        flat = inside.reshape(-1, self.dimension)
        turn = max(1, AT_ONCE // self._polynomial.size)
        parts = [self._values(flat[start : start + turn]) for start in range(0, len(flat), turn)]
        values = np.concatenate(parts or [np.empty(0)]).reshape(inside.shape[:-1])
        return values if values.ndim else float(values)

    def _values(self, points: Floats) -> Floats:
        """One coordinate after the other: each takes one axis away."""
        values = np.broadcast_to(self._polynomial, (len(points), *self._polynomial.shape))
        for axis in range(self.dimension):
            values = np.einsum("pi,pi...->p...", bernstein_basis(self.degree, points[:, axis]), values)
        return values

    def _inside(self, points: ArrayLike) -> Floats:
        """The points in the unit cube, with the coordinates on the last axis."""
        array = np.asarray(points, dtype=np.float64)
        array = array[..., np.newaxis] if self.dimension == 1 else array
        if array.ndim == 0 or array.shape[-1] != self.dimension:
            raise InvalidParameter(
                f"points must have {self.dimension} coordinates on their last axis, got an array of shape {array.shape}"
            )
        low, high = np.array([[float(end) for end in pair] for pair in self.bounds]).T
        if not ((array >= low) & (array <= high)).all():
            raise InvalidParameter(f"points must lie within the bounds {said(self.bounds)}: clip them first")
        unit: Floats = np.clip((array - low) / (high - low), 0.0, 1.0)
        return unit

    def curve(self, count: int = 200) -> tuple[Floats, Floats]:
        """Points along the domain and the values there, as a chart library takes them; in one dimension only.

        Example:
            >>> x, y = BernsteinFunction(np.array([0.0, 0.25, 1.0])).curve(3)
            >>> x, y
            (array([0. , 0.5, 1. ]), array([0.   , 0.375, 1.   ]))
        """
        if self.dimension > 1:
            raise InvalidParameter(f"a curve has one dimension, got {self.dimension}: evaluate the function on a grid")
        low, high = map(float, self.bounds[0])
        points = np.linspace(low, high, whole(count, "count", low=2))
        return points, self(points)

    def __add__(self, shift: float) -> "BernsteinFunction":
        """The function moved up: a Bernstein polynomial moves by as much as its values do, whatever the order."""
        return BernsteinFunction(self.coefficients + shift, self.order, self.bounds)

    def __sub__(self, shift: float) -> "BernsteinFunction":
        return self + -shift

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BernsteinFunction):
            return NotImplemented
        same = (self.order, self.bounds) == (other.order, other.bounds)
        return same and np.array_equal(self.coefficients, other.coefficients)

    def __hash__(self) -> int:
        return hash((self.order, self.bounds, (self.coefficients + 0.0).tobytes()))

    def __repr__(self) -> str:
        return f"BernsteinFunction(degree={self.degree}, order={self.order}, on {said(self.bounds)})"


def bernstein_basis(degree: int, points: ArrayLike) -> Floats:
    """The degree + 1 basis polynomials at points in [0, 1], on a new last axis; they are >= 0 and sum to 1.

    Proof of accuracy: C(K, i) t^i (1 - t)^(K - i) is the exponential of a sum whose terms are at most a few hundred
        wherever the result is not negligible; each is right to a part in 2^52, so the result is to about 1e-13.

    Example:
        >>> bernstein_basis(2, 0.25).round(12)
        array([0.5625, 0.375 , 0.0625])
    """
    at = np.asarray(points, dtype=np.float64)[..., np.newaxis]
    index = np.arange(degree + 1)
    weights: Floats = np.exp(_log_binomials(degree) + special.xlogy(index, at) + special.xlog1py(degree - index, -at))
    return weights


@lru_cache(maxsize=64)
def largest_weight(degree: int, order: int) -> float:
    """How far the operator of this order can move where no value moves by more than 1, in one dimension; from above.

    Proof: it is the largest sum of |p_j| over x, where p_j is the polynomial that value j is multiplied by; for some
        signs that is one polynomial, of the same degree K. Its maximum is at most that over N > K Chebyshev points,
        divided by cos(πK/(2N)) (Ehlich and Zeller 1964); here N = 16 K. A part in 10^9 is added for rounding.

    Example:
        >>> largest_weight(25, 1) < 1.005, 1.16 < largest_weight(25, 2) < 1.17
        (True, True)
    """
    if order == 1:
        return 1.0
    points = (1 + np.cos((2 * np.arange(16 * degree) + 1) * math.pi / (32 * degree))) / 2
    rest = np.eye(degree + 1) - bernstein_basis(degree, np.arange(degree + 1) / degree)
    weights = power = bernstein_basis(degree, points)
    for _ in range(order - 1):
        power = power @ rest
        weights = weights + power
    most = float(np.abs(weights).sum(axis=1).max())
    return most / math.cos(math.pi / 32) * (1 + 1e-9)


@lru_cache(maxsize=64)
def _log_binomials(degree: int) -> Floats:
    return np.array([math.log(math.comb(degree, index)) for index in range(degree + 1)])


def box(bounds: Iterable[Any], dimension: int) -> Bounds:
    """One pair of exact bounds for each coordinate: the unit cube if there is none, one pair may stand for all."""
    pairs = list(bounds) or [(0, 1)]
    pairs = [pairs] if all(np.ndim(end) == 0 for end in pairs) else pairs
    pairs = pairs * dimension if len(pairs) == 1 else pairs
    if len(pairs) != dimension or any(np.size(pair) != 2 for pair in pairs):  # noqa: PLR2004 - a pair
        raise InvalidParameter(f"bounds must be a pair (lowest, highest) for each of {dimension} coordinates")
    return tuple(interval(low, high) for low, high in pairs)


def interval(low: Exact, high: Exact) -> tuple[Fraction, Fraction]:
    """A pair of exact bounds, the lowest value first."""
    ends = exact(low, "the lowest value"), exact(high, "the highest value")
    if not ends[0] < ends[1]:
        raise InvalidParameter(
            f"the lowest value must be below the highest, got {shortest(ends[0])} and {shortest(ends[1])}"
        )
    return ends


def said(bounds: Bounds) -> str:
    """Bounds for people: [0, 1] x [-1, 1], or [0, 1]^3 where all are the same."""
    words = [f"[{readable(low)}, {readable(high)}]" for low, high in bounds]
    if len(words) > 1 and len(set(words)) == 1:
        return f"{words[0]}^{len(words)}"
    return " x ".join(words)
