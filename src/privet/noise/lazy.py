"""Lazily exact decisions: float64 for nearly every value, ball arithmetic for the rest.

A sampler draws real numbers uniform on (0, 1) and returns a whole number computed from them. Of each real it
first knows 52 bits, that is, an interval. It evaluates its formula at the centre in float64 together with a
*slack* that covers both the interval and every rounding error. If all numbers within the slack give the same
result, more bits would not change it: the value is decided. Otherwise more bits are drawn and the same formula
is evaluated on balls (rigorous intervals of arbitrary precision) until one result is left. So every value is
exactly what the ideal real numbers give, and its law is exactly the ideal law.

The float64 error of each formula here is below 2^-48, relative and absolute (numpy's logarithm is documented to
4 ulp, the square root and the arithmetic are correctly rounded); `RESERVE` allows 2^-40. The tests measure the
worst error against balls and insist on a factor of 2^10 below the reserve.
"""

import math
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias, TypeVar

import numpy as np
from flint import arb, ctx, fmpq
from numpy.typing import NDArray

from privet.noise.entropy import BitSource, Words

Floats: TypeAlias = NDArray[np.float64]
Flags: TypeAlias = NDArray[np.bool_] | np.bool_
F = TypeVar("F", NDArray[np.float64], np.float64)  # decisions are written once, for many values and for one
Steps: TypeAlias = NDArray[np.int64] | NDArray[np.object_]

CHUNK = 1 << 14  # values worked on at once: their arrays stay in the cache, and are not given back to the system
RADIUS = 2.0**-53  # half the width of an interval known to 52 bits
RESERVE = 2.0**-40  # allowance for float64 errors, both relative and absolute

_INT64 = 2.0**63
_LOW_52 = (1 << 52) - 1
_ONE = 1023 << 52  # the bits of the float64 1.0


def midpoints(words: Words) -> Floats:
    """Return the centre of the interval of width 2^-52 that the low 52 bits of each word choose in (0, 1).

    Exact: the bits become the fraction of a float64 in [1, 2), and (1 + m 2^-52) - (1 - 2^-53) needs 53 bits.
    """
    centres: Floats = ((words & np.uint64(_LOW_52)) | np.uint64(_ONE)).view(np.float64)
    centres -= 1.0 - RADIUS
    return centres


def midpoint(word: int) -> np.float64:
    """Return what `midpoints` returns for one word."""
    return np.float64(center_of(word))


def center_of(word: int) -> float:
    """Return the same as a plain float."""
    return (2 * (word & _LOW_52) + 1) * RADIUS


def certain_whole(value: float, slack: float) -> int | None:
    """Return floor(value) if `value - slack` and `value + slack` agree about it, else None."""
    if not slack < math.inf:
        return None
    low = math.floor(value - slack)
    return low if low == math.floor(value + slack) else None


def exponential(uniform: F, radius: float) -> tuple[F, F]:
    """Return -ln(u) and its slack: for every v within `radius` of u, -ln(v) is within the slack of it.

    Proof: |ln v - ln u| <= radius / (u - radius) by the mean value theorem; float64 adds at most the reserve. The
    slack is infinite in the interval that touches zero.
    """
    value = np.log(uniform)
    value *= -1.0
    slack = in_place(np.reciprocal, uniform - radius)
    slack *= radius * (1 + RESERVE)
    slack += RESERVE
    slack += RESERVE * value
    return value, slack


def certain_floor(value: F, slack: F) -> tuple[F, Flags]:
    """Return floor(value), and whether `value - slack` and `value + slack` disagree about it.

    The array `value` is used up as working space.
    """
    low = in_place(np.floor, value - slack)
    value += slack
    return low, low != in_place(np.floor, value)


def in_place(function: Callable[..., Any], value: F) -> F:
    """Apply a numpy function to an array without making another; a single number is simply replaced."""
    many = isinstance(value, np.ndarray)
    result: F = function(value, out=value) if many else function(value)
    return result


class LazyUniform:
    """A real number uniform on (0, 1) whose bits are drawn when they are needed."""

    def __init__(self, source: BitSource, *, bits: int = 0, known: int = 0) -> None:
        self._source = source
        self._bits = bits
        self.known = known

    @classmethod
    def continuing(cls, word: int, source: BitSource) -> "LazyUniform":
        """Return the real that `midpoints` sees in `word`, with the 11 bits above it but the topmost, a sign."""
        return cls(source, bits=(word & _LOW_52) << 11 | (word >> 52 & 0x7FF), known=63)

    def extend(self) -> None:
        """Draw 64 more bits."""
        self._bits = self._bits << 64 | int(self._source.words(1)[0])
        self.known += 64

    def ball(self) -> arb:
        """Return the interval of all reals that begin with the known bits."""
        unit, width = _cell(self.known)
        return arb(2 * self._bits + 1) * unit + width


@lru_cache(maxsize=64)
def _cell(known: int) -> tuple[arb, arb]:
    """Return half the width of an interval known to so many bits, and the ball around zero with that radius."""
    return arb(mid=(1, -known - 1)), arb(mid=0, rad=(1, -known - 1))


def settle(
    formula: Callable[..., Sequence[arb]], uniforms: Sequence[LazyUniform], *, bits: int = 60
) -> tuple[int, ...]:
    """Return the floor of each number in `formula(*uniforms)`, drawing as many bits as that takes.

    Args:
        formula: takes one ball per uniform and returns balls that contain the ideal numbers.
        uniforms: the reals the formula is evaluated at; the more bits are known, the smaller the balls.
        bits: how many to know before the first try.
    """
    while True:
        while uniforms[0].known < bits:
            for uniform in uniforms:
                uniform.extend()
        floors = try_floors(formula, uniforms, precision=uniforms[0].known + 64)
        if floors is not None:
            return floors
        bits += 64


def try_floors(
    formula: Callable[..., Sequence[arb]], uniforms: Sequence[LazyUniform], *, precision: int
) -> tuple[int, ...] | None:
    """Return the floor of each number in `formula(*uniforms)`, or nothing where the known bits leave one open."""
    with at_precision(precision):
        balls = formula(*(uniform.ball() for uniform in uniforms))
        whole = [ball.floor().unique_fmpz() for ball in balls if ball.is_finite()]
    floors = tuple(int(number) for number in whole if number is not None)
    return floors if len(floors) == len(balls) else None


@contextmanager
def at_precision(bits: int) -> Iterator[None]:
    """Compute balls with so many bits inside."""
    with _PRECISION_LOCK:  # the precision belongs to the whole process; balls are right at any, only wider
        before = ctx.prec
        ctx.prec = bits
        try:
            yield
        finally:
            ctx.prec = before


_PRECISION_LOCK = threading.Lock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_PRECISION_LOCK.acquire,
        after_in_parent=_PRECISION_LOCK.release,
        after_in_child=_PRECISION_LOCK.release,
    )


def ball_of(number: Fraction) -> arb:
    """Return the smallest ball around a fraction at the present precision."""
    return arb(fmpq(number.numerator, number.denominator))


def decided_steps(values: Floats, undecided: NDArray[np.intp], refined: Callable[[int], int]) -> Steps:
    """Return whole-numbered floats as int64, each undecided place replaced by its refined value.

    Where int64 is too narrow for a refined value, the result holds Python ints.
    """
    values[undecided] = 0.0
    steps = values.astype(np.int64)
    exact = [refined(int(place)) for place in undecided]
    if any(not -(2**63) <= value < 2**63 for value in exact):
        steps = steps.astype(np.object_)
    steps[undecided] = exact
    return steps


def collect(count: int, draw: Callable[[int], Steps]) -> Steps:
    """Return `count` values from draws of a chunk at a time, so that the arrays they are made from stay in the cache.

    A draw may return fewer values than it is asked for, as rejection samplers do.
    """
    return joined(count, lambda start: draw(min(CHUNK, count - start)))


def joined(count: int, piece: Callable[[int], Steps]) -> Steps:
    """Return `count` values from pieces: each begins at a place, where the one before it ended."""
    first = piece(0) if count else np.empty(0, dtype=np.int64)
    kind = np.result_type(np.int64, first)
    if len(first) == count and first.dtype == kind:  # nothing to join, and nothing to copy
        return first
    values: Steps = np.empty(count, dtype=kind)
    values[: len(first)] = first
    filled = len(first)
    while filled < count:
        chunk = piece(filled)
        values = values.astype(np.result_type(values, chunk), copy=False)
        values[filled : filled + len(chunk)] = chunk
        filled += len(chunk)
    return values


def collect_around(centers: Floats, draw: Callable[[Floats], Steps]) -> Steps:
    """Return the whole number nearest to each center plus what `draw` gives for the rest of it, a chunk at a time.

    The rest lies in [-1/2, 1/2] and is exact. Proof: a center is a whole multiple of the unit 2^e of its last bit, and
    e >= -53 from 1/2 on; so the rest is such a multiple too, at most 1/2, and a float. Below 1/2 the center is its own
    rest. (With the floor in place of the nearest, -2^-60 would leave 1 - 2^-60, which is no float.)
    """

    def near(start: int) -> Steps:
        piece = centers[start : start + CHUNK]
        nearest = np.rint(piece)
        return added(whole_steps(nearest), draw(piece - nearest))

    return joined(len(centers), near)


def parted(center: float) -> tuple[int, float]:
    """Return the whole number nearest to one center and the rest, exact as in `collect_around`."""
    nearest = round(center)
    return nearest, center - nearest


def whole_steps(values: Floats) -> Steps:
    """Return whole-numbered floats as int64, or as Python ints where one lies outside int64."""
    if len(values) and not float(np.abs(values).max()) < _INT64:
        wide = np.empty(len(values), dtype=np.object_)
        wide[:] = [int(value) for value in values.tolist()]
        return wide
    return values.astype(np.int64)


def added(steps: Steps, more: Steps) -> Steps:
    """Return the exact sums, as Python ints where one lies outside int64."""
    if steps.dtype == more.dtype == np.int64:
        total: Steps = steps + more
        wrapped = ((steps ^ total) & (more ^ total)) < 0  # both signs differ from the sum's
        if not wrapped.any():
            return total
    wide: Steps = steps.astype(np.object_) + more.astype(np.object_)
    return wide
