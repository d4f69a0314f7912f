"""Rényi divergences of a sampled loss at any order, from above.

For the pair (P', Q) of a sampled loss, with w = P'/Q, moments are mixtures of its hockey sticks (Sason and Verdú 2016):

    E_Q w^a - 1 = a (a-1) G(a),      G(a) = int_0^inf e^((a-1) x) removing(x) + e^(-a x) adding(x) dx.

G is a mixture of exponentials in a, so log G is convex. With the sticks of the inner pair, r = P/Q and w = 1 - q + q r,

    G(a) = q^2 int_0^inf (1 - q + q t)^(a-2) E_Q[(r - t)+ for t > 1, (t - r)+ for t < 1] dt,

and with the power -a - 1 the same is the other direction.
"""

import math
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln

from privet.loss.curve import Array
from privet.loss.curves.gaussian import GaussianCurve
from privet.loss.curves.sampled_gaussian import log_excess
from privet.loss.outward import float_up

if TYPE_CHECKING:
    from privet.loss.curves.sampled import SampledCurve
    from privet.loss.privacy_loss import PrivacyLoss

HIGHEST = 512  # the highest whole order that is expanded term by term
FEWEST, MOST = 2**9, 2**16  # cells of an integral
FINE = 0.02  # width of a cell, times the order: what is computed is larger than the integral by a square of this
CLOSE = 1e-4  # bounds that differ by less are as good as equal
NEGLIGIBLE = 1e-6  # the share of an integral that its tail may be
OUTWARD = 1 + 2.0**-46
LARGE = 700.0  # e to this is a float


def sampled_renyi(curve: "SampledCurve", order: float) -> tuple[float, float]:
    """Rényi divergence of a sampled loss, removing and adding; inf where the inner loss is not bounded.

    Proof: removing: each of the bounds below holds. Adding: for pairs that are their own mirror image the reverse
        divergence is smaller (Mironov, Talwar and Zhang 2019, Theorem 5); for others (1 - q + q r)^(1-a) <= 1 - q +
        q r^(1-a), and no loss exceeds -log(1 - q), so that the integral of hockey sticks is finite.
    """
    inner = curve.inner
    rate = _rate(curve)
    moments = [(order - 1) * divergence * OUTWARD for divergence in inner.renyi_pair(order)]
    if rate == 1:
        return moments[0] / (order - 1) * OUTWARD, moments[1] / (order - 1) * OUTWARD
    removing = _removing(curve, order, moments[0])
    adding = removing
    if not inner.symmetric or math.isinf(removing):
        adding = min(_log_mixed(rate, moments[1]), _grown(_log_adding(curve, order), order))
    return removing / (order - 1) * OUTWARD, adding / (order - 1) * OUTWARD


def _rate(curve: "SampledCurve") -> float:
    """The rate, rounded up: divergences grow with it."""
    rate = float(curve.rate)
    return rate if Fraction(rate) >= Fraction(curve.rate) else math.nextafter(rate, 1.0)


def _removing(curve: "SampledCurve", order: float, moment: float) -> float:
    """Log E_Q w^order, where `moment` is log E_Q r^order.

    Proof of the first bound: the norm of a sum is at most the sum of norms (Minkowski), so the logarithm is at most
        a log(1 - q + q (E_Q r^a)^(1/a)). High orders see only q r, and are almost as large.
    """
    rate = _rate(curve)
    if math.isinf(moment):
        return math.inf
    best = order * _log_mixed(rate, moment / order) * OUTWARD
    least = order * math.log(rate) + moment
    if best - least <= CLOSE * CLOSE * best:
        return best
    best = min(best, (order - 1) * float(curve.largest_loss) * OUTWARD)
    mu = _gaussian(curve.inner)
    return min(best, _general(curve, order) if mu is None else _log_one_more(log_excess(mu, rate, order)))


def _general(curve: "SampledCurve", order: float) -> float:
    """Log E_Q w^order for any inner loss: the expansion at whole orders, in between the best of three bounds.

    Proof of the chord: the logarithm of a moment is convex in the order, and 0 at order 1.
    """
    low = math.floor(order)
    if low >= HIGHEST:
        return _grown(_log_sticks(curve, order), order)
    wholes = [_grown(_log_g(curve, n), n) if n > 1 else 0.0 for n in (low, low + 1)]
    if order == low:
        return wholes[0]
    above, below = _between(curve, order)
    chord = ((1 - (order - low)) * wholes[0] + (order - low) * wholes[1]) * OUTWARD
    sticks = math.inf if above - below <= CLOSE else _log_sticks(curve, order)
    return min(chord, _grown(min(above, sticks), order))


def _log_mixed(rate: float, exponent: float) -> float:
    """log(1 - rate + rate e^exponent), rounded up."""
    if math.isinf(exponent):
        return math.inf
    if exponent < 1:
        return math.log1p(rate * math.expm1(exponent)) * OUTWARD
    return float(np.logaddexp(math.log1p(-rate), math.log(rate) + exponent)) * OUTWARD


def _gaussian(inner: "PrivacyLoss") -> float | None:
    """The mu of a loss that is one Gaussian, rounded up; None of another."""
    if any(not isinstance(curve, GaussianCurve) for curve, _ in inner.parts):
        return None
    fused = GaussianCurve.fused([(curve, n) for curve, n in inner.parts if isinstance(curve, GaussianCurve)])
    mu = float_up(Fraction(fused.mu)) * OUTWARD if isinstance(fused, GaussianCurve) else 0.0
    return mu or None


# --- whole orders and between them ------------------------------------------------------------------------------------


def _log_g(curve: "SampledCurve", order: int) -> float:
    """Log G at a whole order from 2 on: of E_Q w^n - 1 = sum over k >= 2 of C(n, k) (1-q)^(n-k) q^k (E_Q r^k - 1).

    Proof: E_Q w^n expands into E_Q r^k (Mironov, Talwar and Zhang 2019, Section 3.3); the weights add up to 1, and
        E_Q r^0 = E_Q r = 1. All terms are positive, and each is right to a few units relative to its exponents.
    """
    rate = _rate(curve)
    k = np.arange(2.0, order + 1)
    moments = _whole_moments(curve.inner, 1 << max(4, order.bit_length()))[2 : order + 1]
    if math.isinf(moments[-1]):
        return math.inf
    with np.errstate(divide="ignore"):
        excess = moments + np.log(-np.expm1(-moments))
    choose = gammaln(order + 1) - gammaln(k + 1) - gammaln(order - k + 1)
    terms = choose + (order - k) * math.log1p(-rate) + k * math.log(rate) + excess
    top = float(terms.max())
    if math.isinf(top):
        return -math.inf
    reach = 2 * float(gammaln(order + 1)) - order * math.log(rate) + float(moments[-1]) + abs(top)
    return top + math.log(float(np.exp(terms - top).sum())) - math.log(order * (order - 1)) + 2.0**-46 * (1 + reach)


@lru_cache(maxsize=64)
def _whole_moments(inner: "PrivacyLoss", count: int) -> Array:
    """Log E_Q r^k for k < count."""
    return np.array([0.0, 0.0, *((k - 1) * inner.renyi_pair(float(k))[0] * OUTWARD for k in range(2, count))])


def _between(curve: "SampledCurve", order: float) -> tuple[float, float]:
    """Log G between two whole orders: the chord, and about how much less it may be by the chords beside that.

    Proof: log G is convex. G(1) is the mean loss, at most D_2 = log(1 + 2 G(2)).
    """
    low = math.floor(order)
    logs = {n: _log_g(curve, n) for n in range(max(low - 1, 2), low + 3)}
    second = logs.get(2, math.inf)
    logs[1] = math.log(_grown_log(second)) if 1 in (low, low - 1) and -LARGE < second < LARGE else second
    if math.isinf(logs[low]) or math.isinf(logs[low + 1]):
        return max(logs[low], logs[low + 1]), -math.inf
    share = order - low
    above = (1 - share) * logs[low] + share * logs[low + 1]
    before = logs[low] + share * (logs[low] - logs[low - 1]) if low > 1 else -math.inf
    after = logs[low + 1] - (1 - share) * (logs[low + 2] - logs[low + 1])
    return above + 2.0**-46 * (1 + abs(above)), max(before, after)


def _grown_log(log_g: float) -> float:
    """log(1 + 2 e^log_g)."""
    return math.log1p(2 * math.exp(log_g)) * OUTWARD


def _grown(log_g: float, order: float) -> float:
    """log(1 + a (a-1) G)."""
    return _log_one_more(log_g + math.log(order) + math.log(order - 1)) if log_g > -math.inf else 0.0


def _log_one_more(exponent: float) -> float:
    """log(1 + e^exponent), rounded up."""
    grown = math.log1p(math.exp(exponent)) if exponent < LARGE else exponent + math.exp(-LARGE)
    return grown * OUTWARD


# --- integrals of hockey sticks ---------------------------------------------------------------------------------------


def _log_sticks(curve: "SampledCurve", order: float) -> float:
    """Log G from the inner curves; the tail of unbounded losses by a higher whole order.

    Proof of the tail: with b > a, removing(x) <= (1/b) (1 - 1/b)^(b-1) E_Q w^b e^(-(b-1) x) (`converted_delta`), times
        e^((a-1) x) an exponential whose integral from x on is its value over b - a.
    """
    inner = curve.inner
    rate = _rate(curve)
    top = float(inner.largest_loss) * OUTWARD
    if math.isfinite(top):
        return _log_integrals(inner, rate, order - 2, top) if order * top < MOST else math.inf
    b = math.ceil(order) + max(2, math.ceil(order / 2))
    if b > HIGHEST or math.isinf(_log_g(curve, b)):
        return math.inf
    size = _grown(_log_g(curve, b), b) - math.log(b) + (b - 1) * math.log1p(-1 / b) - math.log(b - order)
    about = [log_g for log_g in _between(curve, order) if math.isfinite(log_g)]
    end = max((size - min(about) - math.log(NEGLIGIBLE)) / (b - order), rate / order)
    tail = size - (b - order) * end + 2.0**-44 * (1 + abs(size) + (b - order) * end)
    top = (math.log1p(math.expm1(end) / rate) if end < LARGE else end - math.log(rate)) * OUTWARD
    return float(np.logaddexp(_log_integrals(inner, rate, order - 2, top), tail)) + 2.0**-48


def _log_adding(curve: "SampledCurve", order: float) -> float:
    """Log G of the other direction, E_Q w^(1-a) - 1 = a (a-1) G; its tail by the last value of the curve.

    Proof of the tail: curves decrease, and the integral of (1 - q + q t)^(-a-1) from t on is (1 - q + q t)^-a / (a q).
    """
    inner = curve.inner
    rate = _rate(curve)
    top = min(float(inner.largest_loss) * OUTWARD, LARGE / 2)
    rungs = top * 2.0 ** np.arange(-30.0, 1.0)
    values = inner.profile(rungs)
    place = int(np.argmax(values <= NEGLIGIBLE**2 * values[0]))
    top = float(rungs[place]) if place else top
    with np.errstate(divide="ignore"):
        last = float(np.log(inner.profile(np.array([top * (1 - 2.0**-50)]))[0]))
    tail = last - order * _log_mixed(rate, top) + math.log(rate) - math.log(order) + 2.0**-40
    return float(np.logaddexp(_log_integrals(inner, rate, -order - 1, top), tail)) + 2.0**-48


def _log_integrals(inner: "PrivacyLoss", rate: float, power: float, top: float) -> float:
    """The logarithm of q^2 times the integral over t of (1 - q + q t)^power times the inner hockey stick, from above.

    Up to t = e^top. From 1 on the stick is removing(log t), below t adding(-log t).
    Proof: the stick is convex in t, so it lies below its chord on every cell, and the power below its own chord, or
        tangent where it is concave. Products of linear functions are integrated exactly. Curves decrease, so values a
        trifle before the ends of cells bound those at the ends. Below the last cell the power is largest at an end.
    """
    places = _cells(inner, max(abs(power), 1.0), top)
    before = places * (1 - 2.0**-50)
    end = min(places[-1], LARGE / 2)
    low = _cells(inner, 1.0, end)
    behind = inner.profile(low * (1 - 2.0**-50), adding=True) * np.exp(-low)
    with np.errstate(divide="ignore"):
        edge = max(power * math.log1p(-rate), power * math.log1p(rate * math.expm1(-low[-1])))
        rest = float(np.log(behind[-1])) - low[-1] + edge
        parts = (
            _log_cells(places, inner.profile(before), rate, power),
            _log_cells(-low[::-1], behind[::-1], rate, power),
            rest,
        )
    reach = abs(power) * (top - math.log1p(-rate)) + 2 * top
    return float(np.logaddexp.reduce(parts)) + 2 * math.log(rate) + 2.0**-44 * (4 + reach)


def _cells(inner: "PrivacyLoss", slope: float, top: float) -> Array:
    """Equal cells from 0 to top; those of a discrete loss end where its losses are."""
    count = min(max(math.ceil(top * slope / FINE), FEWEST), MOST)
    width = top / count
    spacings = {curve.spacing for curve, _ in inner.parts}
    spacing = spacings.pop() if len(spacings) == 1 else None
    if spacing and spacing < top and count * width / spacing < MOST:
        width = spacing / math.ceil(spacing / width)
        count = math.ceil(top / width)
    cells: Array = width * np.arange(count + 1.0)
    return cells


def _log_cells(places: Array, stick: Array, rate: float, power: float) -> float:
    """The logarithm of the sum over cells of the integral of two linear functions of t = e^place."""
    log_w = np.where(
        places < 1,
        np.log1p(rate * np.expm1(np.minimum(places, 1.0))),
        np.logaddexp(math.log1p(-rate), math.log(rate) + places),
    )
    one = power * log_w[:-1]
    other = power * log_w[1:]
    if 0 < power < 1:  # concave: the tangent in the middle of the cell
        step = np.exp(log_w[1:] - log_w[:-1])
        middle = power * np.log((1 + step) / 2)
        tilt = power * (step - 1) / (1 + step)
        one, other = one + middle + np.log1p(-tilt), one + middle + np.log1p(tilt)
    grown = np.exp(other - one)
    left = stick[:-1]
    right = stick[1:]
    inside = (2 + grown) * left + (1 + 2 * grown) * right
    logs = np.log(inside / 6 * np.expm1(places[1:] - places[:-1])) + one + places[:-1]
    highest = float(logs.max())
    return highest if math.isinf(highest) else highest + math.log(float(np.exp(logs - highest).sum()))
