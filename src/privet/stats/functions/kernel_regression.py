"""Kernel regression: a smooth curve through noisy points, as a function of data that can be released.

Data are rows (x, y). Every estimate here is a total function of them: an x outside the bounds is clipped to them, and a
row with a NaN or an infinity counts as a row at the lowest x that says nothing. So no dataset of at least one row makes
one fail; huge y can make a value infinite, so clip them to public bounds first.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privet.errors import InvalidParameter
from privet.loss.exact import Exact, exact, shortest

Floats: TypeAlias = NDArray[np.float64]
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
        width = exact(bandwidth, "bandwidth")
        low = exact(bounds[0], "bounds")
        high = exact(bounds[1], "bounds")
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
            >>> from privet.stats import PriestleyChao
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
            >>> from privet.stats import PriestleyChao
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


def rows_of(data: ArrayLike) -> Floats:
    """Rows (x, y) as an array; the shape is public, what they hold is not looked at."""
    rows = np.asarray(data, dtype=np.float64)
    if rows.ndim < 2 or rows.shape[-1] != 2:  # noqa: PLR2004 - x and y
        raise InvalidParameter(f"data must have the shape (rows, 2), x and y in each row, got {rows.shape}")
    if rows.shape[-2] == 0:
        raise InvalidParameter("data must have at least one row: there is no curve through nothing")
    return rows


def turns_of(points: Floats, rows: int) -> Iterator[Floats]:
    """Some points at a time, so that their kernels with all rows stay within memory."""
    turn = max(1, AT_ONCE // max(1, rows))
    return (points[start : start + turn] for start in range(0, len(points), turn))
