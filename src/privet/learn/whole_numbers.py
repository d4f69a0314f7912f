"""Whole numbers in floats: roundings to public grids, and functions of single numbers that are the same everywhere.

Every function here is made of operations that IEEE 754 rounds correctly (+, -, *, /, square roots, rint, trunc, powers
of two), one numpy call each, so what becomes of a number never depends on where in an array it stands.
"""

import math

import numpy as np

from privet.learn.features import Floats

EXACT = 53  # whole numbers up to 2^53 are floats
SQUARES = 26  # bits of numbers whose squares add up to whole numbers below 2^53, if their own length does to 2^26
CHANCES = 40  # bits of an exponential: sums of 2^13 are exact
LOG2E = 1 / math.log(2)
LN2 = math.log(2)
SERIES = tuple(1 / math.factorial(power) for power in range(11, -1, -1))
FARTHEST = -30.0
COSINE = tuple((-1) ** power / math.factorial(2 * power) for power in range(12, -1, -1))
SINE = tuple((-1) ** power / math.factorial(2 * power + 1) for power in range(12, -1, -1))


def bits_of(size: float) -> int:
    """The least k with size <= 2^k; of a float that may lie a little below what it stands for.

    Example:
        >>> bits_of(1.0), bits_of(5.0), bits_of(0.0)
        (1, 3, -1000)
    """
    return -1000 if size <= 0 else math.frexp(size * (1 + 2.0**-30))[1]


def toward_zero(numbers: Floats, bits: int) -> Floats:
    """The numbers rounded toward 0 to multiples of 2^-bits, in place."""
    numbers *= 2.0**bits
    np.trunc(numbers, out=numbers)
    numbers *= 2.0**-bits
    return numbers


def exponentials(numbers: Floats) -> Floats:
    """About exp of numbers <= 0, in multiples of 2^-40: relative to 1 within 2^-38; 0 for those below -30."""
    far = np.maximum(numbers, FARTHEST)
    times = np.rint(far * LOG2E)
    rest = far - times * LN2
    found = np.ldexp(_series(SERIES, rest), times.astype(np.int32))
    return toward_zero(found, CHANCES)


def chances_of(scores: Floats) -> Floats:
    """The softmax of every row; with one column, its logistic function: the chance of the second of two classes."""
    if scores.shape[1] == 1:
        small = exponentials(-np.abs(scores))
        return np.where(scores > 0, 1.0, small) / (1.0 + small)
    found = exponentials(scores - scores.max(axis=1, keepdims=True))
    found /= found.sum(axis=1, keepdims=True)  # whole multiples of 2^-40: exact in any order
    return found


def hyperbolic_tangents(numbers: Floats) -> Floats:
    """About tanh of every number."""
    small = exponentials(-2 * np.abs(numbers))
    return np.copysign((1.0 - small) / (1.0 + small), numbers)


def waves_of(turns: Floats) -> tuple[Floats, Floats]:
    """About cos and sin of so many full turns, within 2^-44, and never above 1.

    Example:
        >>> [each.round(9).tolist() for each in waves_of(np.array([0.0, 0.25, 1000.5]))]
        [[1.0, 0.0, -1.0], [0.0, 1.0, 0.0]]
    """
    rest = turns - np.rint(turns)
    angle = rest * (2 * math.pi)
    square = angle * angle
    cosine, sine = _series(COSINE, square), _series(SINE, square) * angle
    return np.clip(cosine, -1.0, 1.0), np.clip(sine, -1.0, 1.0)


def _series(coefficients: tuple[float, ...], numbers: Floats) -> Floats:
    """A polynomial of every number, its highest power first."""
    found = np.full_like(numbers, coefficients[0])
    for coefficient in coefficients[1:]:
        found *= numbers
        found += coefficient
    return found
