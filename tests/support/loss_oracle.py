"""The same quantities in ball arithmetic: what the float64 results must not fall below."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction

from flint import arb, ctx, fmpq

from privet.loss.exact import exact


@contextmanager
def digits(bits: int = 400) -> Iterator[None]:
    """Compute with this many bits inside."""
    before = ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before


def ball(number: float | str | Fraction) -> arb:
    """Return the number a person meant, as the library reads it."""
    value = exact(number, "number")
    return arb(fmpq(value.numerator, value.denominator))


def binary(number: float) -> arb:
    """Return a float's exact binary value."""
    value = Fraction(number)
    return arb(fmpq(value.numerator, value.denominator))


def at_least(result: float, truth: arb, *, within: float) -> bool:
    """Return whether `result` is certainly not below the truth, and at most `within` above, relatively."""
    return bool(binary(result) >= truth) and bool(binary(result) <= truth + abs(truth) * within + arb(10) ** -320)


def normal_cdf(x: arb) -> arb:
    return (-x / arb(2).sqrt()).erfc() / 2


def gaussian_delta(mu: float, epsilon: float) -> arb:
    with digits():
        m, e = binary(mu), binary(epsilon)
        return normal_cdf(m / 2 - e / m) - e.exp() * normal_cdf(-m / 2 - e / m)


def hockey_stick(p: Sequence[float], q: Sequence[float], epsilon: float) -> arb:
    with digits():
        growth = binary(epsilon).exp()
        gaps = (binary(a) - growth * binary(b) for a, b in zip(p, q, strict=True))
        return sum((gap for gap in gaps if gap > 0), arb(0))


def renyi(p: Sequence[float], q: Sequence[float], order: float) -> arb:
    """For masses that sum to 1 exactly."""
    with digits():
        pairs = [(binary(a), binary(b)) for a, b in zip(p, q, strict=True) if a > 0]
        if order == 1:
            return sum((a * (a / b).log() for a, b in pairs), arb(0))
        slope = binary(order) - 1
        return sum((a * (slope * (a / b).log()).exp() for a, b in pairs), arb(0)).log() / slope


def approximate_max_divergence(p: Sequence[float], q: Sequence[float], delta: float) -> arb | None:
    """By trying every set of outcomes; None where infinite."""
    with digits():
        best = arb(0)
        for subset in range(1, 1 << len(p)):
            inside = [i for i in range(len(p)) if subset >> i & 1]
            gap = sum((Fraction(p[i]) for i in inside), -Fraction(delta))
            under = sum((Fraction(q[i]) for i in inside), Fraction(0))
            if gap <= 0:
                continue
            if under == 0:
                return None
            ratio = gap / under
            value = arb(fmpq(ratio.numerator, ratio.denominator)).log()
            best = max(best, value)
        return best


def response_delta(epsilon: Fraction, times: int, at: arb) -> arb:
    """The exact δ of `times` randomized responses at level `at`, by the binomial sum."""
    with digits():
        growth = ball(epsilon).exp()
        total = arb(0)
        for heads in range(times + 1):
            ways = arb(math.comb(times, heads))
            gap = growth**heads - at.exp() * growth ** (times - heads)
            if gap > 0:
                total += ways * gap
        return total / (1 + growth) ** times
