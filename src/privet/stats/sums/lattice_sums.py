"""Exact sums: rows are mapped one by one to whole steps of a public lattice, and the steps are added up."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.asking.bounds import Bounds

BITS = 24  # of the lattice: sums of up to 2^29 rows are whole numbers below 2^53, so exact in float64
COARSE = 20  # of the lattice whose squares are added up
CHUNK = 2**15  # rows at a time: they fit a cache
SQUARES = 2**13  # rows at a time where squares on the coarse lattice are added up: the sum stays within 2^53

Floats = NDArray[np.float64]
Weigh = Callable[..., tuple[float, ...]]


@dataclass(frozen=True)
class RowMap:
    """Maps a value x to the whole number nearest to (x - origin) * factor, clipped to [lowest, highest].

    Args:
        origin: what 0 steps stand for.
        factor: steps per unit of x.
        lowest: the least number of steps.
        highest: the largest number of steps.
        fill: the steps of a missing value; None if it counts for nothing.

    Privacy: a row's steps depend on that row only, and differ from any other row's by at most highest - lowest,
        whatever it holds: infinite, huge, denormal. However the product rounds, sums move by no more than declared.
    """

    origin: float
    factor: float
    lowest: int
    highest: int
    fill: float | None = None

    def steps(self, values: NDArray[Any], out: Floats) -> Floats:
        """Return the steps of some rows in the room of `out`, NaN where missing."""
        # a short float must not decide the precision
        steps = out[: len(values)]
        wide = np.float64
        if self.origin:
            np.subtract(values, self.origin, out=steps, dtype=wide)
            np.multiply(steps, self.factor, out=steps)
        else:
            np.multiply(values, self.factor, out=steps, dtype=wide)
        np.rint(steps, out=steps)
        if steps.size and not (steps.min() >= self.lowest and steps.max() <= self.highest):  # looking is faster
            np.clip(steps, self.lowest, self.highest, out=steps)
        return steps


def unit_map(bounds: Bounds, fill: Fraction | None, *, bits: int = BITS) -> RowMap:
    """Return the map of the bounds onto 0 to 2^bits."""
    one = 2**bits
    factor = float(one / bounds.width)
    plain = RowMap(float(bounds.low), factor, 0, one)
    return plain if fill is None else RowMap(plain.origin, factor, 0, one, _filled(plain, fill))


def signed_map(bounds: Bounds, fill: Fraction | None, *, reach: Fraction) -> RowMap:
    """Return the map of values onto multiples of reach / 2^BITS, at most one reach from zero.

    Args:
        bounds: values are clipped to them.
        fill: what a missing value counts as; None if it counts for nothing.
        reach: at least the size of every value; where units are replaced also the distance of any two of them.

    Proof: bounds on either side of zero that are one reach apart are so on the lattice: two parts that add up to a
        whole number are rounded, halves to even, to two whole numbers that add up to the same.
    """
    one = 2**BITS
    factor = float(2**BITS / reach)
    highest, lowest = round(bounds.high / reach * one), round(bounds.low / reach * one)
    plain = RowMap(0.0, factor, lowest, highest)
    return plain if fill is None else RowMap(0.0, factor, lowest, highest, _filled(plain, fill))


def _filled(plain: RowMap, fill: Fraction) -> float:
    with np.errstate(over="ignore"):
        return float(plain.steps(np.array([float(fill)]), np.empty(1))[0])


def lattice_sums(
    arrays: tuple[NDArray[Any], ...], maps: tuple[RowMap, ...], weigh: Weigh, *, chunk: int = CHUNK
) -> tuple[int, ...]:
    """Return the exact sums over all rows of what `weigh` says about chunks of their steps.

    Args:
        arrays: columns of equal length, NaN where missing.
        maps: one for each of them; with fill=None in all, rows with a missing value are left out, else they are filled.
        weigh: sums over one chunk, from the steps of its rows: whole numbers up to 2^53, and NaN if any step is.
        chunk: how many rows at a time.

    Proof: each partial sum of a chunk is a whole number up to 2^53, so float64 adds without rounding in any order;
        the chunks are added as Python's integers.
    """
    return tuple(_sums(arrays, maps, weigh, chunk))


def in_rows(sums: list[int]) -> Floats:
    """Return sums of steps in rows, exactly: whole numbers up to 2^53, divided by a power of two."""
    rows: Floats = np.ldexp(np.array(sums, dtype=np.float64), -BITS)
    return rows


def _sums(arrays: tuple[NDArray[Any], ...], maps: tuple[RowMap, ...], weigh: Weigh, chunk: int) -> list[int]:
    """One thread: the steps in between are Python's, and a second thread only waits for them."""
    room = [np.empty(chunk) for _ in arrays]
    totals: list[int] = []
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        for rows in _chunks(len(arrays[0]), chunk):
            steps = [each.steps(array[rows], out) for each, array, out in zip(maps, arrays, room, strict=True)]
            sums = weigh(*steps)
            if any(total != total for total in sums):  # noqa: PLR0124 - NaN: a missing value
                sums = weigh(*_without_missing(steps, maps))
            found = [int(total) for total in sums]
            totals = [old + new for old, new in zip(totals, found, strict=True)] if totals else found
    return totals


def _chunks(length: int, size: int) -> Iterator[slice]:
    """Slices of up to `size` rows; an empty one if there are no rows, so that sums of nothing are zero."""
    for first in range(0, max(length, 1), size):
        yield slice(first, min(first + size, length))


def _without_missing(steps: list[Floats], maps: tuple[RowMap, ...]) -> list[Floats]:
    fills = [each.fill for each in maps]
    if None in fills:
        present = ~np.isnan(np.sum(steps, axis=0))
        return [each[present] for each in steps]
    for each, fill in zip(steps, fills, strict=True):
        each[np.isnan(each)] = fill
    return steps
