"""mean_variances: how far the protocols for means err, with those of the literature that need real numbers beside."""

import math

from privet.local.grid_mean import GridMean
from privet.local.one_bit_mean import OneBitMean
from privet.local.weights import declared
from privet.loss.exact import Exact

HYBRID_FROM = 0.60935  # below, the hybrid is the one-bit mechanism
SHARES = 201  # values that are tried for the worst one


def mean_variances(epsilon: Exact) -> dict[str, float]:
    """The largest variance of one report's part in a mean of values in [-1, 1], by protocol.

    `one_bit_mean` and `grid_mean` are Privet's: whole weights, reports of a byte. Laplace noise, the piecewise and the
    hybrid mechanism (Wang and others 2019) report real numbers, whose rounding breaks the guarantee; they are here to
    compare with.

    Example:
        >>> {name: round(variance, 4) for name, variance in mean_variances(2).items()}
        {'one_bit_mean': 1.7241, 'grid_mean': 0.9999, 'laplace': 2.0, 'piecewise': 1.2276, 'hybrid': 1.0423}
    """
    cost = declared(epsilon)
    e = float(cost)
    half = math.exp(e / 2)
    one = ((math.exp(e) + 1) / (math.exp(e) - 1)) ** 2
    piecewise = 1 / (half - 1) + (half + 3) / (3 * (half - 1) ** 2)
    mixed = (half + 3) / (3 * half * (half - 1)) + (math.exp(e) + 1) ** 2 / (half * (math.exp(e) - 1) ** 2)
    own = {kind.name: kind((-1, 1), cost) for kind in (OneBitMean, GridMean)}
    return {
        **{name: max(each.variance(f"{i}/{SHARES - 1}") for i in range(SHARES)) for name, each in own.items()},
        "laplace": 8 / e**2,
        "piecewise": piecewise,
        "hybrid": mixed if e > HYBRID_FROM else one,
    }
