"""Score intervals: where a share of reports may lie, solved for the share, so that they hold near 0 and 1 too."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Maybe = float | Floats  # one for all, or one for each


def score_interval(
    seen: Floats, reports: int, deviations: float, *, spread: tuple[Maybe, Maybe, Maybe], more: Maybe = 0.0
) -> tuple[Floats, Floats]:
    """The shares λ that are at most so many deviations away from what was seen.

    Args:
        seen: shares of the reports that were seen.
        reports: how many there are.
        deviations: z, > 0.
        spread: a, b and c of the variance of one report, (a + b λ + c λ²), at a share λ.
        more: variance that does not become smaller with λ, such as that of collisions.

    Proof: (seen - λ)² <= z² ((a + b λ + c λ²)/n + more) is a quadratic inequality in λ, whose leading coefficient is
        positive; its two roots are the ends (Wilson 1927, for a = 0, b = 1, c = -1).

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
