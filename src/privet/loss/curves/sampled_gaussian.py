"""Moments of a sampled Gaussian at any order, by a quadrature whose error is known.

With r = e^(mu z - mu^2/2), z standard normal, and w = 1 - q + q r, the Rényi divergence of order a of one run is
log(E w^a) / (a - 1) (Mironov, Talwar and Zhang 2019). Since E w = 1,

    E w^a - 1 = E g(w)      with      g(w) = w^a - 1 - a (w - 1) >= 0,

so nothing cancels however small the loss is. The expectation is a sum at equal distances h, whose error falls like
e^(-2 pi d/h) because the integrand is analytic for |Im z| < d (Trefethen and Weideman 2014, Theorem 5.1: at most
2 M / (e^(2 pi d/h) - 1), where M bounds the integral of the modulus along every line of the strip).

Proof of M. Let |Im z| <= d <= pi/(2 mu). Then |r| is that of the real part, Re w > 0, and the density grows by at
most e^(d^2/2). Taylor's remainder gives |g(w)| <= a (a-1)/2 q^2 |r - 1|^2 s, where s bounds |1 + x (w - 1)|^(a-2) for x
in [0, 1]: (1-q)^(a-2) for a < 2, else 1 + W^(a-2) with W = 1 - q + q |r|. Since |r - 1|^2 <= 2 (1 + |r|^2), it remains
to bound E |r|^j W^(a-2) for j = 0 and 2. The factor |r|^j shifts z by j mu: that is E |r|^j times the expectation of
W^(a-2) with |r| larger by e^(j mu^2), at most (1 - q + q e^(j mu^2) ||r||)^(a-2) by Minkowski, the norm being of order
max(a-2, 1).
"""

import math

import numpy as np

from privet.loss.curve import Array

EXACT = 32.0  # natural logarithm of how small the error shall be, relative to what is computed
LOWEST = -13.0  # standard deviations; further down there is less than 1e-37
FARTHER = 4.0  # how much farther the sum goes at a time
MOST = 2**20  # terms
SMALL = 0.25  # below, g is summed as a series of TERMS, each at most a quarter of the one before
TERMS = 24
PLAIN = 30.0  # where w^(a-1) is more than e to this, w^a alone is a bound of g, and as good
LARGE = 600.0  # where r is more than e to this, it is not a float
HALF_LOG = 0.5 * math.log(2 * math.pi)


def log_excess(mu: float, rate: float, order: float) -> float:
    """An upper bound of log(E w^order - 1), for mu > 0 and rate in (0, 1); inf where it would take too long."""
    least = _about(mu, rate, order)
    modulus = _log_modulus(mu, rate, order)
    wanted = EXACT + max(modulus - least, 0.0)
    d = min(math.pi / (2 * mu), math.sqrt(2 * wanted)) * (1 - 2.0**-40)
    h = 2 * math.pi * d / (wanted + d * d / 2)
    highest = max(order, 2.0) * mu + FARTHER
    while (above := _log_above(mu, rate, order, h, highest)) > least - EXACT and highest - LOWEST < h * MOST:
        highest += FARTHER
    if highest - LOWEST >= h * MOST:
        return math.inf
    places = h * np.arange(math.floor(LOWEST / h), math.ceil(highest / h) + 1.0)
    error = math.log(2) + d * d / 2 + modulus - 2 * math.pi * d / h + 1e-9
    parts = (_log_sum(mu, rate, order, places) + math.log(h), above, _log_below(rate, order, h), error)
    return float(np.logaddexp.reduce(parts)) + 2.0**-48


def _about(mu: float, rate: float, order: float) -> float:
    """Roughly the logarithm of what is computed, to decide how fine the sum must be."""
    small = math.log(order - 1) + 2 * math.log(rate) + 2 * math.log(min(mu, 1.0)) - 3
    large = order * math.log(rate) + order * (order - 1) * mu * mu / 2
    return max(small, large - 1) if large > 1 else small


def _log_modulus(mu: float, rate: float, order: float) -> float:
    """The logarithm of M, but for e^(d^2/2)."""
    power = order - 2
    if power <= 0:
        inside = [power * math.log1p(-rate), mu * mu + power * math.log1p(-rate)]
    else:
        norm = max(power - 1, 0.0) * mu * mu / 2
        grown = [power * _log_mixed(rate, j * mu * mu + norm) for j in (0, 2)]
        inside = [float(np.logaddexp(0.0, grown[0])), mu * mu + float(np.logaddexp(0.0, grown[1]))]
    both = float(np.logaddexp.reduce(inside))
    return math.log(order) + math.log(order - 1) + 2 * math.log(rate) + both + 2.0**-40 * (1 + abs(both))


def _log_mixed(rate: float, log_ratio: float) -> float:
    """log(1 - rate + rate e^log_ratio)."""
    return float(np.logaddexp(math.log1p(-rate), math.log(rate) + log_ratio))


def _log_above(mu: float, rate: float, order: float, h: float, start: float) -> float:
    """The logarithm of what the sum leaves out above a place beyond max(order, 2) mu.

    Proof: there r >= 1, so g <= a (a-1)/2 q^2 r^2 W^(a-2) for a >= 2, and without the power for a < 2. W is at most r,
        and at most q r e^((1-q)/(q r)). Now r^b times the density is E r^b times the density around b mu, which falls
        from there on, so the sum is at most its integral and one term; a normal tail at x >= 2 is below the density.
    """
    b = max(order, 2.0)
    beyond = start - b * mu
    log_r = mu * start - mu * mu / 2
    power = max(order - 2, 0.0)
    share = min(0.0, math.log(rate) + math.exp(min(math.log1p(-rate) - math.log(rate) - log_r, 700.0)))
    size = math.log(order) + math.log(order - 1) + 2 * math.log(rate) + power * share + b * (b - 1) * mu * mu / 2
    return size - beyond * beyond / 2 + math.log1p(h) + 2.0**-44 * (1 + abs(size) + beyond * beyond)


def _log_below(rate: float, order: float, h: float) -> float:
    """The logarithm of what the sum leaves out below LOWEST, where |w - 1| <= rate."""
    shrink = min(order - 2, 0.0) * math.log1p(-rate)
    return math.log(order) + math.log(order - 1) + 2 * math.log(rate) + shrink - LOWEST**2 / 2 + math.log1p(h)


def _log_sum(mu: float, rate: float, order: float, places: Array) -> float:
    """The logarithm of the sum of g times the normal density over these places."""
    exponent = mu * places - mu * mu / 2
    u = rate * np.expm1(np.minimum(exponent, LARGE))
    log_w = np.where(exponent > LARGE, np.logaddexp(math.log1p(-rate), math.log(rate) + exponent), np.log1p(u))
    plain = (exponent > LARGE) | ((order - 1) * log_w > PLAIN)
    with np.errstate(divide="ignore"):
        terms = np.where(plain, order * log_w, np.log(_g(u, np.where(plain, 0.0, log_w), order)))
    terms -= places * places / 2 + HALF_LOG
    top = float(terms.max())
    reach = float(np.max(np.abs(order * log_w))) + float(places[-1] ** 2) + abs(top)
    return top + math.log(float(np.exp(terms - top).sum())) + 2.0**-44 * (4 + reach)


def _g(u: Array, log_w: Array, order: float) -> Array:
    """w^order - 1 - order (w - 1) with u = w - 1, to a relative 2^-44; nothing for u = 0."""
    near = (np.abs(u) <= SMALL) & (np.abs(order * u) <= SMALL)
    v = np.where(near, u, 0.0)
    series = np.ones_like(u)
    for k in range(TERMS, 1, -1):
        series = 1 + (order - k) * v / (k + 1) * series
    small = order * (order - 1) / 2 * v * v * series
    large = (1 + u) * np.expm1((order - 1) * log_w) - (order - 1) * u
    return np.where(near, small, np.maximum(large, 0.0))
