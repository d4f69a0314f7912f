"""Features: the rows of X as numbers whose size is public: within a box of bounds, or within a ball."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privet.asking.bounds import Bounds
from privet.errors import InvalidParameter
from privet.loss.exact import shown

Floats: TypeAlias = NDArray[np.float64]
BITS = 15  # values are multiples of 2^-15: sums of products of 2^23 rows are exact in float64
BLOCK = 2048  # rows at a time: they stay in a cache
INSIDE = 1 - 2.0**-40  # more than rounding can add to a row's length
WIDE = 2048  # columns up to which that is so for a plain sum of squares
SMALL = 1e-200  # squares between this and its inverse have kept their digits
EXAMPLE = "for example bounds=(0, 100), or bounds=([0, 18], [1, 99]) with one number a column; never from the data"


@dataclass(frozen=True)
class Box:
    """Public bounds of every column; values outside are clipped, missing ones count as the middle.

    Args:
        columns: a pair of bounds for each column.
        bits: values are rounded to multiples of 2^-bits of half the width.

    Privacy: what a row becomes depends on that row and on public bounds only, and lies in [-1, 1] in every column
        whatever the row holds. So |row|∞ <= 1, |row|₂ <= √d, |row|₁ <= d.

    Example:
        >>> Box.of(([0, 0], [10, 4]), width=2).unit(np.array([[0.0, 4.0], [5.0, np.nan], [99.0, -np.inf]])).tolist()
        [[-1.0, 1.0], [0.0, 0.0], [1.0, -1.0]]
    """

    columns: tuple[Bounds, ...]
    bits: int = BITS

    @classmethod
    def of(cls, bounds: Any, *, width: int, names: Sequence[str] | None = None) -> "Box":  # noqa: ANN401 - refused in words
        """Return checked bounds.

        Args:
            bounds: (lower, upper), numbers or one for each column; or a pair for each name of a column.
            width: how many columns.
            names: theirs, if X is a frame.
        """
        if bounds is None:
            raise InvalidParameter(f"bounds of the features must be declared: {EXAMPLE}")
        if isinstance(bounds, Mapping):
            return cls(_by_name(bounds, names))
        if isinstance(bounds, str) or not hasattr(bounds, "__len__") or len(bounds) != 2:  # noqa: PLR2004 - a pair
            raise InvalidParameter(f"bounds must be a pair (lower, upper), got {shown(bounds)}: {EXAMPLE}")
        lower, upper = (_spread(side, width) for side in bounds)
        return cls(tuple(Bounds.of(pair) for pair in zip(lower, upper, strict=True)))

    def finer(self, bits: int) -> "Box":
        """The same bounds with values rounded to multiples of 2^-bits."""
        return replace(self, bits=bits)

    @property
    def width(self) -> int:
        """How many columns."""
        return len(self.columns)

    @cached_property
    def middle(self) -> Floats:
        """Halfway between the bounds, in the data's unit."""
        return np.array([float(each.middle) for each in self.columns])

    @cached_property
    def half(self) -> Floats:
        """Half the width, in the data's unit."""
        return np.array([float(each.width / 2) for each in self.columns])

    @property
    def lower(self) -> Floats:
        """The lower bounds, in the data's unit."""
        return np.array([float(each.low) for each in self.columns])

    @property
    def upper(self) -> Floats:
        """The upper bounds, in the data's unit."""
        return np.array([float(each.high) for each in self.columns])

    def unit(self, rows: Floats) -> Floats:
        """Return the rows in half widths from the middle: multiples of 2^-bits in [-1, 1]."""
        steps, middle, half = 2.0**self.bits, self.middle, self.half
        found: Floats = np.empty(rows.shape)
        with np.errstate(all="ignore"):
            for start in range(0, len(rows), BLOCK):
                part = found[start : start + BLOCK]
                np.subtract(rows[start : start + BLOCK], middle, out=part)
                np.divide(part, half, out=part)
                np.multiply(part, steps, out=part)
                np.rint(part, out=part)
                np.clip(part, -steps, steps, out=part)
                part[np.isnan(part)] = 0.0
                np.divide(part, steps, out=part)
                np.add(part, 0.0, out=part)  # one zero
        return found


@dataclass(frozen=True)
class Ball:
    """A public length to which longer rows are shortened; missing values count as 0.

    Args:
        radius: > 0, in the data's unit.
        bits: values are rounded toward 0 to multiples of 2^-bits of the radius.

    Privacy: what a row becomes depends on that row and on the public radius only, and has length at most 1 in the
        radius: it is divided by its length where that is above 1, made shorter by more than rounding adds, and then
        rounded toward 0, which makes no coordinate longer.

    Example:
        >>> Ball.of(5).unit(np.array([[3.0, 4.0], [30.0, 40.0], [np.nan, np.inf]])).round(3).tolist()
        [[0.6, 0.8], [0.6, 0.8], [0.0, 1.0]]
    """

    radius: Fraction
    bits: int = 20

    @classmethod
    def of(cls, norm: Any) -> "Ball":  # noqa: ANN401 - whatever a caller hands over is refused in words
        """Return a checked ball."""
        if isinstance(norm, bool) or not isinstance(norm, int | float | Fraction | np.number):
            raise InvalidParameter(
                f"norm must be a number > 0, the length to which rows are clipped, got {shown(norm)}"
            )
        if not math.isfinite(norm) or not 1e-150 < norm < 1e150:  # noqa: PLR2004 - so that squares are floats
            raise InvalidParameter(f"norm must be a number > 0 within 1e±150, got {shown(norm)}: for example norm=1.0")
        return cls(Fraction(norm.item() if isinstance(norm, np.number) else norm))

    def unit(self, rows: Floats) -> Floats:
        """Return the rows in multiples of the radius, each of length at most 1."""
        found: Floats = np.empty(rows.shape)
        for start in range(0, len(rows), BLOCK):
            found[start : start + BLOCK] = self._unit(
                np.ascontiguousarray(rows[start : start + BLOCK])
            )  # one order of sums
        return found

    def _unit(self, rows: Floats) -> Floats:
        """The same for some rows; which way a row goes is decided by that row alone."""
        finite = rows if np.isfinite(rows).all() else _without_infinities(np.where(np.isnan(rows), 0.0, rows))
        radius = float(self.radius)
        with np.errstate(all="ignore"):
            squares = np.einsum("ij,ij->i", finite, finite)
            inside: Floats = finite * (INSIDE / np.maximum(np.sqrt(squares), radius))[:, None]
        far = ~((squares > SMALL) & (squares < 1 / SMALL)) | (finite.shape[1] > WIDE) | (not SMALL < radius < 1 / SMALL)
        if far.any():
            inside[far] = self._scaled(finite[far])
        inside *= 2.0**self.bits
        np.trunc(inside, out=inside)
        inside *= 2.0**-self.bits
        inside += 0.0
        return inside

    def _scaled(self, finite: Floats) -> Floats:
        """The same before rounding: divided by their largest number first, so that no square is too large."""
        with np.errstate(all="ignore"):
            largest = np.abs(finite).max(axis=1, initial=0.0, keepdims=True)
            direction = np.divide(finite, largest, out=np.zeros_like(finite), where=largest > 0)
            length = np.linalg.norm(direction, axis=1, keepdims=True) * (largest / float(self.radius))
            inside: Floats = np.divide(finite, float(self.radius) * np.maximum(length, 1.0)) * INSIDE
        return inside


def _without_infinities(rows: Floats) -> Floats:
    """Rows that hold infinities point along them; others stay as they are."""
    endless = np.isinf(rows)
    if not endless.any():
        return rows
    return np.where(endless.any(axis=1, keepdims=True), np.where(endless, np.copysign(1e150, rows), 0.0), rows)


def _spread(side: Any, width: int) -> list[Any]:  # noqa: ANN401 - a number, or one for each column
    """One number for each column."""
    if np.ndim(side) == 0:
        return [side] * width
    listed = side.tolist() if isinstance(side, np.ndarray) else list(side)
    if len(listed) != width:
        raise InvalidParameter(
            f"bounds must have one number, or one for each of the {width} columns, got {len(listed)}: {EXAMPLE}"
        )
    return [each.item() if isinstance(each, np.generic) else each for each in listed]


def _by_name(bounds: Mapping[Any, Any], names: Sequence[str] | None) -> tuple[Bounds, ...]:
    if names is None:
        raise InvalidParameter("bounds by name need X to be a frame whose columns have names")
    missing = [name for name in names if name not in bounds]
    if missing or len(bounds) != len(names):
        what = f"{missing[0]!r} has none" if missing else "there are bounds of columns that X does not have"
        raise InvalidParameter(f"bounds by name must be of the columns of X, a pair for each: {what}")
    return tuple(Bounds.of(bounds[name]) for name in names)
