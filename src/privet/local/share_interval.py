"""Intervals of shares of reports: which shares may well have led to what was seen; they hold for few reports too."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainccinv, betaincinv, ndtri

Floats = NDArray[np.float64]
Counts = NDArray[Any]  # whole numbers
Maybe = float | Floats  # one for all, or one for each


def share_interval(supports: Counts, reports: int, tail: float, *, more: Maybe = 0.0) -> tuple[Floats, Floats]:
    """Where the share of supporting reports lies in the population that the devices are a sample of.

    Args:
        supports: how many of the reports were seen to support something.
        reports: how many there are.
        tail: what may lie beyond each end, above 0 and below 1/2.
        more: variance that does not become smaller with the share, such as that of collisions.

    Proof: the wider of two intervals of which the first, `exact_interval`, holds where the number of supports is
        binomial, and the second, `score_interval`, counts what comes on top of that.

    Example:
        >>> low, high = share_interval(np.array([0, 60]), 200, 0.025)
        >>> low.round(5).tolist(), high.round(5).tolist()
        ([0.0, 0.23739], [0.01885, 0.36865])
    """
    distinct, which = np.unique(supports, return_inverse=True)
    low, high = (end[which] for end in exact_interval(distinct, reports, tail))
    ends = score_interval(supports / reports, reports, -float(ndtri(tail)), spread=(0.0, 1.0, -1.0), more=more)
    return np.minimum(low, ends[0]), np.maximum(high, ends[1])


def exact_interval(supports: Counts, reports: int, tail: float) -> tuple[Floats, Floats]:
    """The shares under which neither so many supports, or more, nor so few, or fewer, are rarer than `tail`.

    Proof: the number of supports is binomial, and its upper tail grows with the share: P[X >= s] = I_λ(s, n - s + 1)
        (Clopper and Pearson 1934).

    Example:
        >>> low, high = exact_interval(np.array([60]), 200, 0.025)
        >>> low.round(5).tolist(), high.round(5).tolist()
        ([0.23739], [0.36865])
    """
    left = reports - supports
    low = np.where(supports > 0, betaincinv(np.maximum(supports, 1), left + 1, tail), 0.0)
    high = np.where(left > 0, betainccinv(supports + 1, np.maximum(left, 1), tail), 1.0)
    return low, high


def device_interval(
    supports: Counts, reports: int, tail: float, *, chances: tuple[Maybe, Maybe], more: Maybe = 0.0
) -> tuple[Floats, Floats]:
    """Where the share of supporting reports lies on average over the noise, for these very devices.

    Args:
        supports: as of `share_interval`.
        reports: likewise.
        tail: likewise.
        chances: p and q: how likely a report supports the value of its device, and another one.
        more: as of `share_interval`.

    Proof: the number of supports is a sum of Bernoulli numbers, of which a share f has the chance p, the others q. It
        has a variance that is a straight line in λ = q + f (p - q), and the third cumulant is `lean` times that. Its
        tail beyond x is that of a normal number beyond x - 1/2 - lean (z² - 1)/6, up to terms of 1/√n less (Cornish
        and Fisher 1938), so both ends are score intervals of numbers that are moved by as much, but never inwards.

    Example:
        >>> low, high = device_interval(np.array([0, 60]), 200, 0.025, chances=(0.75, 0.25))
        >>> low.round(5).tolist(), high.round(5).tolist()
        ([-0.0637, 0.23654], [0.06133, 0.36156])
    """
    true, other = chances
    deviations = -float(ndtri(tail))
    share = np.clip((supports / reports - other) / (true - other), 0.0, 1.0)
    own, others = share * true * (1 - true), (1 - share) * other * (1 - other)
    lean = (own * (1 - 2 * true) + others * (1 - 2 * other)) / (own + others)
    skew = lean * (deviations**2 - 1) / 6
    spread = (true * other, 1 - true - other, 0.0)
    below, above = (
        (supports + sign * np.maximum(0.5 - sign * skew, 0.0)) / reports
        for sign in (-1, 1)  # never inwards: few lean more
    )
    low, _ = score_interval(below, reports, deviations, spread=spread, more=more)
    _, high = score_interval(above, reports, deviations, spread=spread, more=more)
    return np.minimum(low, below), np.maximum(high, above)  # nothing below 0 or above 1 is ruled out by them


def score_interval(
    seen: Floats, reports: int, deviations: float, *, spread: tuple[Maybe, Maybe, Maybe], more: Maybe = 0.0
) -> tuple[Floats, Floats]:
    """The shares λ that are at most so many deviations away from what was seen.

    Args:
        seen: shares of the reports that were seen.
        reports: how many there are.
        deviations: z, > 0.
        spread: a, b and c of the variance of one report, (a + b λ + c λ²), at a share λ.
        more: as of `share_interval`.

    Proof: (seen - λ)² <= z² ((a + b λ + c λ²)/n + more) is a quadratic inequality in λ, whose leading coefficient is
        positive; its two roots are the ends (Wilson 1927, for a = 0, b = 1, c = -1). That a sum lies within so many
        deviations is as likely as for a normal number if it is of many reports that support and many that do not.

    Example:
        >>> low, high = score_interval(np.array([0.3]), 200, 1.96, spread=(0, 1, -1))
        >>> low.round(5).tolist(), high.round(5).tolist()
        ([0.24075], [0.36679])
    """
    constant, slope, curvature = spread
    unit = deviations**2 / reports
    leading = 1 - unit * curvature
    half = seen + unit * slope / 2
    rest = seen**2 - unit * constant - deviations**2 * more
    root = np.sqrt(np.maximum(half**2 - leading * rest, 0.0))
    return (half - root) / leading, (half + root) / leading
