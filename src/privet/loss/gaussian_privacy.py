"""Gaussian noise: the exact guarantee, and the textbook's sigma beside it.

mu is the L2 sensitivity divided by the scale of the noise; everything about the mechanism follows from it.
"""

import math
from decimal import Decimal

from scipy import special

from privet.errors import InvalidParameter
from privet.loss.divergences.divergence import RESERVE
from privet.loss.exact import Exact
from privet.loss.outward import decimal_of, float_up, nonnegative, precise, probability_of

_ROOT_TWO = math.sqrt(2)
_HALVINGS = 200  # more than enough to bring any two floats together
_LARGEST_EXPONENT = 700.0
_INVERSE = 1e-13  # relative allowance for an inverse of the normal distribution


def gaussian_delta(mu: float, *, epsilon: float) -> float:
    """Return the exact δ(ε) of Gaussian noise: Φ(μ/2 - ε/μ) - e^ε Φ(-μ/2 - ε/μ), rounded up.

    Args:
        mu: L2 sensitivity over the scale of the noise; at least 0.
        epsilon: at least 0.

    Proof: Balle and Wang 2018, Theorem 8. With a and b the two arguments, e^ε φ(b) = φ(a), so both terms are
    e^{-a²/2}/2 times a scaled complementary error function: nothing overflows and few digits cancel. The
    arguments are off by at most 2^-52 (μ/2 + ε/μ), which moves the result by a relative |a| times that.

    Example:
        >>> round(gaussian_delta(1, epsilon=1), 6)
        0.126937
    """
    ratio, level = _positive(mu, "mu"), _positive(epsilon, "epsilon")
    if ratio == 0 or math.isinf(level):
        return 0.0
    if math.isinf(ratio):
        return 1.0
    half = ratio / 2
    shift = level / ratio
    a = half - shift
    b = -half - shift
    if math.isinf(shift) or a < -_LARGEST_EXPONENT:
        return math.nextafter(0, 1)
    bell = math.exp(-a * a / 2) / 2
    reversed_tail = bell * float(special.erfcx(-b / _ROOT_TWO))
    tail = float(special.ndtr(a)) if a > 0 else bell * float(special.erfcx(-a / _ROOT_TWO))
    slack = RESERVE * (1 + (1 + abs(a)) * (half + shift)) * (tail + reversed_tail)
    return min(1.0, max(0.0, tail - reversed_tail) + slack + math.nextafter(0, 1))


def gaussian_epsilon(mu: float, *, delta: float) -> float:
    """Return the smallest ε with `gaussian_delta(mu, epsilon=ε) <= delta`; infinite at delta 0.

    Example:
        >>> round(gaussian_epsilon(1, delta=0.1), 6)
        1.160334
    """
    ratio = _positive(mu, "mu")
    failure = _failure(delta)
    if ratio == 0 or gaussian_delta(ratio, epsilon=0) <= failure:
        return 0.0
    if failure == 0 or math.isinf(ratio):
        return math.inf
    low = 0.0
    high = ratio * ratio / 2 + ratio * math.sqrt(-2 * math.log(failure)) + 1
    while gaussian_delta(ratio, epsilon=high) > failure:
        high *= 2
    for _ in range(_HALVINGS):
        middle = low + (high - low) / 2
        if gaussian_delta(ratio, epsilon=middle) <= failure:
            high = middle
        else:
            low = middle
    return high


def gaussian_scale(epsilon: float, *, delta: float, l2_sensitivity: float = 1.0) -> float:
    """Return the smallest scale of Gaussian noise that is (ε, δ)-DP, for any ε (Balle and Wang 2018).

    Args:
        epsilon: at least 0.
        delta: above 0; no finite scale reaches 0.
        l2_sensitivity: largest L2 move between neighbors, in the input's unit.

    Example:
        >>> round(gaussian_scale(1, delta=1e-4), 6)
        3.185703
    """
    level = _positive(epsilon, "epsilon")
    failure = _failure(delta)
    move = _positive(l2_sensitivity, "l2_sensitivity")
    if move == 0 or failure == 1:
        return 0.0
    if failure == 0:
        return math.inf
    low, high = 1.0, 1.0
    while gaussian_delta(1 / high, epsilon=level) > failure:
        high *= 2
    while gaussian_delta(1 / low, epsilon=level) <= failure and low > math.ulp(0.0):
        low /= 2
    for _ in range(_HALVINGS):
        middle = low + (high - low) / 2
        if gaussian_delta(1 / middle, epsilon=level) <= failure:
            high = middle
        else:
            low = middle
    scale = move * high
    while not gaussian_delta(move / scale, epsilon=level) <= failure:
        scale *= 1 + RESERVE
    return scale


def pure_to_gaussian(epsilon: float) -> float:
    """Return the smallest μ such that every ε-DP mechanism is μ-Gaussian private: 2 Φ^{-1}(e^ε/(1+e^ε)).

    Proof: Randomized response dominates; its trade-off function is the polygon through (0, 1), (c, c), (1, 0) with
    c = 1/(1+e^ε). The Gaussian one is convex, so it lies below the polygon as soon as it does at (c, c).

    Example:
        >>> round(pure_to_gaussian(1), 6)
        1.232035
    """
    level = _positive(epsilon, "epsilon")
    if level <= 1:
        mu = 2 * _ROOT_TWO * float(special.erfinv(math.tanh(level / 2)))
    else:
        mu = -2 * float(special.ndtri_exp(-level - math.log1p(math.exp(-level))))
    return mu * (1 + _INVERSE)


@precise()
def gaussian_scale_classical(epsilon: Exact, *, delta: Exact, l2_sensitivity: Exact = 1) -> float:
    """Return the textbook's sensitivity √(2 ln(1.25/δ)) / ε, for comparison; refused above ε = 1.

    Proof: Dwork and Roth 2014, Theorem 3.22, for ε < 1; ε = 1 follows because δ(ε) is continuous in the
    scale. For larger ε the theorem says nothing, and the formula is unsafe in the end: at δ = 1e-4 from
    about ε = 8 on.

    Example:
        >>> round(gaussian_scale_classical(1, delta="1e-4"), 6)
        4.343612
    """
    level, failure = nonnegative(epsilon, "epsilon"), probability_of(delta, "delta")
    if not 0 < level <= 1 or not 0 < failure < 1:
        raise InvalidParameter(
            "the classical formula is proven only for 0 < epsilon <= 1 and 0 < delta < 1; "
            f"got epsilon {epsilon} and delta {delta}: use gaussian_scale, exact for every epsilon."
        )
    spread = (2 * (Decimal("1.25") / decimal_of(failure)).ln()).sqrt()
    return float_up(decimal_of(nonnegative(l2_sensitivity, "l2_sensitivity")) * spread / decimal_of(level))


def _positive(value: float, name: str) -> float:
    number = float(value)
    if not number >= 0:
        raise InvalidParameter(f"{name} must be at least 0; got {value}.")
    return number


def _failure(delta: float) -> float:
    number = float(delta)
    if not 0 <= number <= 1:
        raise InvalidParameter(f"delta must lie between 0 and 1; got {delta}.")
    return number
