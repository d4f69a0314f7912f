"""Independent answers to compare with: exact sums over all outcomes, in plain arithmetic."""

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal, localcontext
from functools import reduce

import numpy as np

from privet.loss.curve import Array


def joint(parts: Iterable[tuple[Sequence[float], Sequence[float]]]) -> tuple[Array, Array]:
    """The joint laws of independent outputs under P and under Q."""
    pairs = [(np.asarray(p, dtype=float), np.asarray(q, dtype=float)) for p, q in parts]
    return reduce(lambda a, b: (np.outer(a[0], b[0]).ravel(), np.outer(a[1], b[1]).ravel()), pairs)


def hockey_stick(p: Array, q: Array, epsilon: float) -> float:
    """The definition: the sum of (P - e^epsilon Q)+."""
    return math.fsum(np.maximum(p - math.exp(epsilon) * q, 0.0))


def exact_epsilon(p: Array, q: Array, delta: float) -> float:
    """The smallest epsilon >= 0 with hockey_stick <= delta, by bisection."""
    low, high = 0.0, 200.0
    if hockey_stick(p, q, low) <= delta:
        return 0.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (low, middle) if hockey_stick(p, q, middle) <= delta else (middle, high)
    return high


def repeated_response_delta(epsilon0: str, times: int, epsilon: str) -> Decimal:
    """Delta of `times` randomized responses (Kairouz, Oh and Viswanath 2015), with 80 digits."""
    with localcontext() as context:
        context.prec = 80
        one, level = Decimal(epsilon0), Decimal(epsilon)
        total = Decimal(0)
        for lies in range(times + 1):
            gain = (one * (times - lies)).exp() - (level + one * lies).exp()
            total += math.comb(times, lies) * max(gain, Decimal(0))
        return total / (1 + one.exp()) ** times
