"""What a sampled Gaussian or Laplace loss is, by integration in ball arithmetic: the truth to 18 digits, proven."""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

from flint import acb, arb, ctx, fmpq

BITS = 200
Integrand = Callable[[acb, bool], acb]


def ball(number: float | Fraction) -> arb:
    """The very number."""
    exactly = Fraction(number)
    return arb(fmpq(exactly.numerator, exactly.denominator))


def integral(integrand: Integrand, places: list[float]) -> arb:
    """From the first place to the last, piece by piece."""
    total = arb(0)
    for low, high in pairwise(places):
        total += acb.integral(integrand, ball(low), ball(high), rel_tol=2.0**-60, abs_tol=2.0**-600).real
    return total


def excess(ratio: acb, order: arb, *, analytic: bool) -> acb:
    """w^order - 1 - order (w - 1)."""
    return (order * ratio.log(analytic=analytic)).exp() - 1 - order * (ratio - 1)


def gaussian_divergence(mu: float | Fraction, rate: float | Fraction, order: float, *, adding: bool = False) -> arb:
    """Rényi divergence of a sampled Gaussian: log E w^a / (a - 1), or with w^(1-a)."""
    with ctx.workprec(BITS):
        m = ball(mu)
        q = ball(rate)
        level = ball(order)
        a = ball(1 - order if adding else order)

        def integrand(z: acb, analytic: bool) -> acb:  # noqa: FBT001 - the library's own way to call
            ratio = 1 - q + q * (m * z - m * m / 2).exp()
            return excess(ratio, a, analytic=analytic) * (-z * z / 2).exp() / (2 * arb.pi()).sqrt()

        high = max(order, 2.0) * float(mu) + 30
        pieces = max(int((high + 30) / 6), 2)
        found = integral(integrand, [-30 + (high + 30) * k / pieces for k in range(pieces + 1)])
        return (1 + found).log() / (level - 1)


def laplace_divergence(epsilon: float, rate: float, order: float, *, adding: bool = False) -> arb:
    """The same of sampled Laplace noise, whose ratio is constant left of 0 and right of 1."""
    with ctx.workprec(BITS):
        e = ball(epsilon)
        q = ball(rate)
        level = ball(order)
        a = ball(1 - order if adding else order)

        def integrand(x: acb, analytic: bool) -> acb:  # noqa: FBT001 - the library's own way to call
            ratio = 1 - q + q * (e * (2 * x - 1)).exp()
            return excess(ratio, a, analytic=analytic) * (-e * x).exp() * e / 2

        ends = [excess(acb(1 - q + q * (sign * e).exp()), a, analytic=False).real for sign in (-1, 1)]
        outside = ends[0] / 2 + ends[1] * (-e).exp() / 2
        return (1 + outside + integral(integrand, [0.0, 0.5, 1.0])).log() / (level - 1)
