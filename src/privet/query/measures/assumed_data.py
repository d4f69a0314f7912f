"""Assumed data: what limits and bounds cut off, where only means and deviations are known.

Explanations need a law to get from a mean to what lies beyond a limit; nothing else rests on these:

* Of R rows of U units, m = R / U each, and C of a unit's rows that may count, a share (1 - 1/m) / (1 + (C-1) / 2(m-1))²
  is cut off, as if the rows of a unit after its first were Lomax with the exponent 3: between units that are nearly
  alike and those of which few have most. Where one row counts this is so for every law: U rows of R are left. None
  loses less than 1 - C/m (Jensen), and those that are more spread, in the convex order, lose more.
* Values are lognormal if their bounds are not below 0 and their mean is less than two deviations from it, else normal.
"""

import math

from privet.query.scalars.facts import ExpectedValues

FAR = 2  # deviations of a mean from 0: from here on values are rather normal than lognormal
LARGEST = 1e150  # of a ratio that is squared


def lost_share(rows_of_unit: float, cap: int) -> float:
    """The share of rows that is cut off where units have so many on average, and so many of each count.

    Example:
        >>> lost_share(6, 1), round(lost_share(6, 8), 2), lost_share(1, 1)
        (0.8333333333333334, 0.29, 0.0)
    """
    more = rows_of_unit - 1
    return 0.0 if more <= 0 else more / rows_of_unit / (1 + (cap - 1) / (2 * more)) ** 2


def beyond_bounds(expected: ExpectedValues, low: float, high: float) -> float | None:
    """How far the mean of clipped values probably lies below that of the values; None if nobody knows.

    Example:
        >>> from fractions import Fraction
        >>> money = ExpectedValues(Fraction(300), Fraction(400))
        >>> round(beyond_bounds(money, 0, 1000), 1), round(beyond_bounds(money, 0, 5000), 1)
        (29.0, 0.9)
        >>> beyond_bounds(ExpectedValues(Fraction(40), Fraction(20)), 0, 110) < 0.01
        True
    """
    if expected.deviation is None:
        return None
    mean, deviation = float(expected.mean), float(expected.deviation)
    if not deviation:
        return max(mean - high, 0.0) - max(low - mean, 0.0)
    if low >= 0 and 0 < mean < FAR * deviation:
        above, below = (_lognormal_excess(mean, deviation, bound) for bound in (high, low))
    else:
        above, below = (_normal_excess(mean, deviation, bound) for bound in (high, low))
    return above - (below - mean + low)  # what lacks below is what exceeds there, less the way from the mean


def _normal_excess(mean: float, deviation: float, bound: float) -> float:
    """E(X - bound)+ of a normal X."""
    z = (bound - mean) / deviation
    return deviation * math.exp(-z * z / 2) / math.sqrt(2 * math.pi) - (bound - mean) * _tail(z)


def _lognormal_excess(mean: float, deviation: float, bound: float) -> float:
    """E(X - bound)+ of a lognormal X (Black and Scholes 1973)."""
    if bound <= 0:
        return mean - bound
    squared = math.log1p(min(deviation / mean, LARGEST) ** 2)
    z = (math.log(bound / mean) + squared / 2) / math.sqrt(squared)
    return mean * _tail(z - math.sqrt(squared)) - bound * _tail(z)


def _tail(z: float) -> float:
    """How often a standard normal number is larger."""
    return math.erfc(z / math.sqrt(2)) / 2
