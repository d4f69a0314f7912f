"""Kernel regression: a smooth curve through noisy points, as a function of data that can be released.

Data are rows (x, y). Every estimate here is a total function of them: an x outside the bounds is clipped to them, and a
row with a NaN or an infinity counts as a row at the lowest x that says nothing. So no dataset of at least one row makes
one fail; huge y can make a value infinite, so clip them to public bounds first.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privet.errors import InvalidParameter
from privet.loss.exact import Exact, exact, shortest

Floats: TypeAlias = NDArray[np.float64]
KERNEL_MASS = math.sqrt(2 * math.pi)  # of exp(-u²/2)
AT_ONCE = 1 << 17  # numbers held while evaluating, as many as a cache holds: more are taken in turns


@dataclass(frozen=True, init=False)
class KernelRegression(ABC):
    """What kernel regressions share: `regression(data)` is a function of x, `regression.on(points)` one of data.

    Args:
        bandwidth: > 0; the width of the Gaussian kernel, in the unit of x. Choose it without looking at the data.
        bounds: public lowest and highest x.
    """

    bandwidth: Fraction
    bounds: tuple[Fraction, Fraction]

    def __init__(self, bandwidth: Exact, *, bounds: tuple[Exact, Exact] = (0, 1)) -> None:
        width, low, high = exact(bandwidth, "bandwidth"), exact(bounds[0], "bounds"), exact(bounds[1], "bounds")
        if width <= 0:
            raise InvalidParameter(f"bandwidth must be > 0, got {shortest(width)}: such as a tenth of the width of x")
        if not low < high:
            raise InvalidParameter(f"bounds must be a lower and a higher x, got {shortest(low)} and {shortest(high)}")
        object.__setattr__(self, "bandwidth", width)
        object.__setattr__(self, "bounds", (low, high))

    def __call__(self, data: ArrayLike) -> Callable[[ArrayLike], Any]:
        """Return the curve of this data: a function of one x, or of an array of them."""
        rows = rows_of(data)

        def curve(points: ArrayLike) -> Any:  # noqa: ANN401 - a number for one x, an array for many
            at = self._inside(points)
            values = self._values(rows, at.ravel()).reshape(at.shape)
            return values if values.ndim else float(values)

        return curve

    def on(self, points: ArrayLike) -> "OnPoints":
        """Return the function "data to the values at these points", for one dataset or many at once.

        Example:
            >>> PriestleyChao("0.1").on([0.25, 0.5, 0.75])([[0.0, 1.0], [0.5, 1.0], [1.0, 1.0]]).shape
            (3,)
        """
        at = self._inside(points)
        if at.ndim != 1 or not len(at):
            raise InvalidParameter(f"points must be a list of at least one x, got an array of shape {at.shape}")
        return OnPoints(self, tuple(at.tolist()))

    @property
    def waves(self) -> float:
        """How many full waves a curve can have between the bounds: shorter ones the kernel has smoothed to 0.6 or less.

        Proof: a Gaussian kernel of width b leaves of a wave sin(w x) the part e^(-(b w)²/2), e^(-1/2) at w = 1/b.

        Example:
            >>> round(PriestleyChao("0.1").waves, 4)
            1.5915
        """
        return float((self.bounds[1] - self.bounds[0]) / self.bandwidth) / (2 * math.pi)

    def _inside(self, points: ArrayLike) -> Floats:
        at = np.asarray(points, dtype=np.float64)
        low, high = map(float, self.bounds)
        if not ((at >= low) & (at <= high)).all():
            raise InvalidParameter(
                f"points must lie within the bounds [{shortest(self.bounds[0])}, {shortest(self.bounds[1])}]: a "
                "regression says nothing beyond them"
            )
        return at

    def _kernel(self, points: Floats, x: Floats) -> Floats:
        """exp(-u²/2), the points on a new last axis."""
        scaled = (points - x[..., np.newaxis]) * (1 / float(self.bandwidth))
        np.multiply(scaled, scaled, out=scaled)
        scaled *= -0.5
        weights: Floats = np.exp(scaled, out=scaled)
        return weights

    def _clean(self, rows: Floats) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        """The x within the bounds, y finite, and which rows say something."""
        x, y = rows[..., 0], rows[..., 1]
        known = np.isfinite(x) & np.isfinite(y)
        low, high = map(float, self.bounds)
        return np.clip(np.where(known, x, low), low, high), np.where(known, y, 0.0), known

    @abstractmethod
    def _values(self, rows: Floats, points: Floats) -> Floats:
        """The curve of each dataset at the points, which take the place of the last two axes."""

    @abstractmethod
    def _move(self, shared: Floats, one: Floats, other: Floats, points: Floats) -> Floats:
        """The curve of shared rows with one more minus that with another, of which either may be missing."""


@dataclass(frozen=True)
class OnPoints:
    """The values of a kernel regression at fixed points, as a function of data.

    Args:
        regression: how the curve is made.
        points: where it is read off.
    """

    regression: KernelRegression
    points: tuple[float, ...]

    def __call__(self, data: ArrayLike) -> Floats:
        """Return the values of one dataset of shape (n, 2), or of each of an array of them."""
        return self.regression._values(rows_of(data), np.array(self.points))  # noqa: SLF001 - its own file

    def move(self, shared: ArrayLike, one: ArrayLike, other: ArrayLike) -> Floats:
        """Return f(shared and one) - f(shared and other), looking closely only at what differs.

        Args:
            shared: the rows both datasets have, of shape (..., n - 1, 2).
            one: the row that only the first has, of shape (..., 1, 2), or (..., 0, 2) if it has none.
            other: the row that only the second has.
        """
        known, first, second = (np.asarray(each, dtype=np.float64) for each in (shared, one, other))
        return self.regression._move(known, first, second, np.array(self.points))  # noqa: SLF001 - its own file


@dataclass(frozen=True, init=False)
class PriestleyChao(KernelRegression):
    """The sum of y_i (x_i - x_{i-1}) K((x - x_i) / bandwidth) / bandwidth over the points in the order of x.

    Args:
        bandwidth: > 0; the width of the Gaussian kernel.
        bounds: public lowest and highest x.
        normalized: False takes exp(-u²/2) for K, which lacks 1/√(2π): the curve is then 2.5066 times too large. It is
            here because published code has it so.
        spacing: "gaps" between the points, the first point having none, or "even", the width of the bounds over n,
            for points that are spread evenly.

    Not covered: near the ends the kernel hangs over, and the curve falls to about half; `NadarayaWatson` does not.

    Example:
        >>> x = np.linspace(0, 1, 1001)
        >>> curve = PriestleyChao("0.05")(np.stack((x, 3 + x), axis=1))
        >>> round(curve(0.5), 6), round(PriestleyChao("0.05", normalized=False)(np.stack((x, 3 + x), axis=1))(0.5), 6)
        (3.5, 8.773199)
    """

    normalized: bool
    spacing: str

    def __init__(
        self,
        bandwidth: Exact,
        *,
        bounds: tuple[Exact, Exact] = (0, 1),
        normalized: bool = True,
        spacing: str = "gaps",
    ) -> None:
        super().__init__(bandwidth, bounds=bounds)
        if spacing not in ("gaps", "even"):
            raise InvalidParameter(f'spacing must be "gaps" or "even", got {spacing!r}')
        object.__setattr__(self, "normalized", bool(normalized))
        object.__setattr__(self, "spacing", spacing)

    @property
    def _factor(self) -> float:
        """What every term is multiplied by."""
        return 1 / (float(self.bandwidth) * (KERNEL_MASS if self.normalized else 1.0))

    @property
    def _width(self) -> float:
        return float(self.bounds[1] - self.bounds[0])

    def _values(self, rows: Floats, points: Floats) -> Floats:
        x, y, _ = self._clean(rows)
        if self.spacing == "even":
            weights = y * (self._width / x.shape[-1])
        else:
            order = np.argsort(x, axis=-1, kind="stable")
            x, y = np.take_along_axis(x, order, axis=-1), np.take_along_axis(y, order, axis=-1)
            weights = np.diff(x, axis=-1, prepend=x[..., :1]) * y
        return self._weighted(x, weights, points)

    def _weighted(self, x: Floats, weights: Floats, points: Floats) -> Floats:
        """The sum of kernels around each x with these weights, some points at a time."""
        turn = max(1, AT_ONCE // max(1, x.size))
        parts = [
            np.einsum("...n,...np->...p", weights, self._kernel(points[start : start + turn], x))
            for start in range(0, len(points), turn)
        ]
        found: Floats = np.concatenate(parts, axis=-1) * self._factor
        return found

    def _move(self, shared: Floats, one: Floats, other: Floats, points: Floats) -> Floats:
        """Of the gaps only those of a new point and of the one after it differ; with even spacing its own term.

        Proof: let a new point z stand between the shared neighbors p <= z < q in the order of x. Its gap is z - p, and
            q's is q - z instead of q - p; all other terms are as without it. Without a p (or a q) there is no gap
            (or no term). Of equal x only the order among equals is free, and with a stable sort the new point, given
            last, comes after its equals.
        """
        if self.spacing == "even" and one.shape != other.shape:  # the width over n is another one for every point
            return self._values(_with(shared, one), points) - self._values(_with(shared, other), points)
        if self.spacing == "even":
            share = self._width / (shared.shape[-2] + 1)
            (x, y, _), (also, values, _) = self._clean(one), self._clean(other)
            return self._weighted(x, y * share, points) - self._weighted(also, values * share, points)
        known_x, known_y, _ = self._clean(shared)
        return self._added(known_x, known_y, one, points) - self._added(known_x, known_y, other, points)

    def _added(self, x: Floats, y: Floats, new: Floats, points: Floats) -> Floats:
        """By how much a new row moves the curve of the rows (x, y); nothing if there is none."""
        if new.shape[-2] == 0:
            return np.zeros((*x.shape[:-1], len(points)))
        at, value, _ = self._clean(new)
        below = np.where(x <= at, x, -np.inf).max(axis=-1, keepdims=True, initial=-np.inf)
        after = np.where(x > at, x, np.inf)
        place = np.argmin(after, axis=-1, keepdims=True) if x.shape[-1] else np.zeros((*x.shape[:-1], 1), dtype=np.intp)
        # of several rows at the next x the first in the order of rows has the gap, as in a stable sort
        above = np.take_along_axis(after, place, axis=-1) if x.shape[-1] else np.full_like(at, np.inf)
        first, last = np.isneginf(below), np.isposinf(above)
        own = np.where(first, 0.0, at - np.where(first, at, below)) * value
        gap_before = np.where(first, 0.0, np.where(last, at, above) - np.where(first, at, below))
        gap_after = np.where(last, at, above) - at
        height = np.where(last, 0.0, np.take_along_axis(y, place, axis=-1)) if x.shape[-1] else np.zeros_like(at)
        changed = np.where(last, 0.0, gap_after - gap_before) * height
        centers = np.concatenate((at, np.where(last, at, above)), axis=-1)
        return self._weighted(centers, np.concatenate((own, changed), axis=-1), points)


@dataclass(frozen=True, init=False)
class NadarayaWatson(KernelRegression):
    """The mean of all y, weighted by the kernel of the distance of their x; `otherwise` where no x is near.

    Args:
        bandwidth: > 0; the width of the Gaussian kernel.
        bounds: public lowest and highest x.
        otherwise: what the curve is where all weights vanish; public.

    Not covered: where data are sparse, one row is nearly all of the mean, so its sensitivity is the width of y.

    Example:
        >>> x = np.linspace(0, 1, 11)
        >>> round(NadarayaWatson("0.1")(np.stack((x, 3 + x), axis=1))(0.5), 6)
        3.5
    """

    otherwise: float

    def __init__(self, bandwidth: Exact, *, bounds: tuple[Exact, Exact] = (0, 1), otherwise: float = 0.0) -> None:
        super().__init__(bandwidth, bounds=bounds)
        if not math.isfinite(otherwise):
            raise InvalidParameter(f"otherwise must be a finite number, got {otherwise}")
        object.__setattr__(self, "otherwise", float(otherwise))

    def _values(self, rows: Floats, points: Floats) -> Floats:
        return self._ratio(*self._sums(rows, points))

    def _sums(self, rows: Floats, points: Floats) -> tuple[Floats, Floats]:
        """The weighted sum of y and the sum of weights at each point."""
        x, y, known = self._clean(rows)
        both = np.stack((y, known.astype(np.float64)), axis=-1)
        turn = max(1, AT_ONCE // max(1, x.size))
        parts = [
            np.einsum("...nk,...np->...kp", both, self._kernel(points[start : start + turn], x))
            for start in range(0, len(points), turn)
        ]
        found = np.concatenate(parts, axis=-1)
        return found[..., 0, :], found[..., 1, :]

    def _ratio(self, total: Floats, weight: Floats) -> Floats:
        return np.divide(total, weight, out=np.full_like(total, self.otherwise), where=weight > 0)

    def _move(self, shared: Floats, one: Floats, other: Floats, points: Floats) -> Floats:
        """The sums of the shared rows serve both."""
        total, weight = self._sums(shared, points)
        first, second = (self._sums(each, points) for each in (one, other))
        return self._ratio(total + first[0], weight + first[1]) - self._ratio(total + second[0], weight + second[1])


def rows_of(data: ArrayLike) -> Floats:
    """Rows (x, y) as an array; the shape is public, what they hold is not looked at."""
    rows = np.asarray(data, dtype=np.float64)
    if rows.ndim < 2 or rows.shape[-1] != 2:  # noqa: PLR2004 - x and y
        raise InvalidParameter(f"data must have the shape (rows, 2), x and y in each row, got {rows.shape}")
    if rows.shape[-2] == 0:
        raise InvalidParameter("data must have at least one row: there is no curve through nothing")
    return rows


def _with(shared: Floats, new: Floats) -> Floats:
    return np.concatenate((shared, new), axis=-2)
