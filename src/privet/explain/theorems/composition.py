"""Composition theorems by name, all in one form.

Each function answers the same question: `times` releases on the same data, each (epsilon, delta_each)-DP
and chosen after seeing the earlier answers, are together (ε, delta)-DP for which ε? The answers differ only
in tightness. `math.inf` means that the theorem promises nothing at that delta. Proofs:
docs/proofs/composition.md.
"""

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np

from privet.explain.theorems.conversion import (
    pure_to_zcdp,
    pure_to_zcdp_standard,
    randomized_response_renyi,
    renyi_to_epsilon,
    renyi_to_epsilon_standard,
    standard_epsilons,
    tanh_half,
    tight_epsilons,
    zcdp_to_epsilon,
    zcdp_to_epsilon_standard,
)
from privet.loss.divergences.divergence import Array
from privet.loss.exact import Exact, whole
from privet.loss.outward import decimal_of, float_up, nonnegative, precise, probability_of
from privet.loss.renyi_orders import best_order


@dataclass(frozen=True)
class _Releases:
    """The checked question: how many releases, how large, and the δ left after theirs is taken out."""

    epsilon: Fraction
    times: int
    delta: Fraction
    delta_each: Fraction

    @classmethod
    def of(cls, epsilon: Exact, times: int, delta: Exact, delta_each: Exact) -> "_Releases":
        return cls(
            epsilon=nonnegative(epsilon, "epsilon"),
            times=whole(times, "times"),
            delta=probability_of(delta, "delta"),
            delta_each=probability_of(delta_each, "delta_each"),
        )

    @property
    def left_by_sum(self) -> Fraction:
        """Return δ - k δ_each: the textbook's way of setting the releases' own failures aside."""
        return self.delta - self.times * self.delta_each

    @property
    def left(self) -> Fraction:
        """Return the δ' with 1 - (1 - δ_each)^k (1 - δ') = δ, rounded down.

        An (ε, δ)-DP release is dominated by one that fails with probability δ and is randomized response
        otherwise (Kairouz, Oh and Viswanath 2015), so k of them fail with probability 1 - (1 - δ_each)^k, and
        given that none fails they are k pure releases.
        """
        failing = min(Fraction(1), self.times * self.delta_each)
        if failing > _TINY:
            with precise():
                survive = (1 - decimal_of(self.delta_each)) ** self.times
                failing = min(failing, Fraction(1 - survive + _CARE))
        return self.delta - failing if failing >= self.delta else (self.delta - failing) / (1 - failing)


_TINY = Fraction(1, 10**30)
_CARE = Decimal("1e-70")


def basic_composition(epsilon: Exact, *, times: int, delta: Exact = 0, delta_each: Exact = 0) -> float:
    """Return k ε: epsilons add, deltas add (Dwork, McSherry, Nissim and Smith 2006; Dwork and Lei 2009).

    Example:
        >>> basic_composition(0.1, times=10)
        1.0
    """
    releases = _Releases.of(epsilon, times, delta, delta_each)
    return float_up(releases.times * releases.epsilon) if releases.left_by_sum >= 0 else math.inf


@precise()
def advanced_composition(epsilon: Exact, *, times: int, delta: Exact, delta_each: Exact = 0) -> float:
    """Return ε √(2k ln(1/δ')) + k ε (e^ε - 1), with δ = k δ_each + δ' (Dwork, Rothblum and Vadhan 2010).

    The form printed as Theorem 3.20 of Dwork and Roth's book; worse than basic for large ε.

    Example:
        >>> round(advanced_composition(0.1, times=100, delta="1e-5"), 6)
        5.850235
    """
    releases = _Releases.of(epsilon, times, delta, delta_each)
    if releases.left_by_sum <= 0:
        return math.inf
    level = decimal_of(releases.epsilon)
    return float_up(_spread(level, times, releases.left_by_sum) + times * level * (level.exp() - 1))


@precise()
def improved_composition(epsilon: Exact, *, times: int, delta: Exact, delta_each: Exact = 0) -> float:
    """Return ε √(2k ln(1/δ')) + k ε (e^ε - 1)/(e^ε + 1), with 1 - δ = (1 - δ_each)^k (1 - δ').

    The closed form of Kairouz, Oh and Viswanath 2015, Theorem 3.4 (third expression): the second term is
    the mean privacy loss of randomized response, about half of Dwork and Roth's. The denominator is e^ε +
    1, not e^{ε+1}.

    Example:
        >>> round(improved_composition(0.1, times=100, delta="1e-5"), 6)
        5.29811
    """
    releases = _Releases.of(epsilon, times, delta, delta_each)
    if releases.left <= 0:
        return math.inf
    level = decimal_of(releases.epsilon)
    return float_up(_spread(level, times, releases.left) + times * level * tanh_half(level))


def _spread(level: Decimal, times: int, delta: Fraction) -> Decimal:
    return level * (2 * times * -decimal_of(delta).ln()).sqrt()


@precise()
def optimal_composition(epsilon: Exact, *, times: int, delta: Exact = 0, delta_each: Exact = 0) -> float:
    """Return the smallest ε that holds for every choice of such releases (Kairouz, Oh and Viswanath 2015).

    Proof: k randomized responses dominate and attain it. Of n heads, P has C(k,n) e^{nε} and Q has C(k,n)
    e^{(k-n)ε}, both over (1 + e^ε)^k, and ε is the largest ln((P(S) - δ')/Q(S)) over the sets S = {at least
    n heads}. Adding one more n raises the ratio exactly while e^{(2n-k)ε} exceeds it, so the first fall
    ends the search.

    Example:
        >>> round(optimal_composition(0.1, times=100, delta="1e-5"), 6)
        4.306791
    """
    releases = _Releases.of(epsilon, times, delta, delta_each)
    if releases.left < 0:
        return math.inf
    basic = float_up(releases.times * releases.epsilon)
    if releases.left == 0 or releases.epsilon == 0:
        return basic
    return min(basic, float_up(max(Decimal(0), _largest_ratio(releases).ln())))


def _largest_ratio(releases: _Releases) -> Decimal:
    """Return the largest (P(n >= m) - δ') / Q(n >= m) over m, or 1 where none exceeds it."""
    k = releases.times
    left = decimal_of(releases.left)
    growth = decimal_of(releases.epsilon).exp()
    shrink = 1 / growth
    p = (1 + shrink) ** -k  # every head: e^{kε} / (1 + e^ε)^k
    q = (1 + growth) ** -k
    above = p - left
    below = q
    for n in range(k - 1, k // 2, -1):  # below, the loss is negative and no set gains by it
        factor = Decimal(n + 1) / Decimal(k - n)
        p, q = p * factor * shrink, q * factor * growth
        if p * below <= q * above:
            break
        above, below = above + p, below + q
    return max(Decimal(1), above / below)


def zcdp_composition(epsilon: Exact, *, times: int, delta: Exact, delta_each: Exact = 0) -> float:
    """Return the best that zero-concentrated privacy promises: ρ = k ε tanh(ε/2), converted tightly.

    Example:
        >>> round(zcdp_composition(0.1, times=100, delta="1e-5"), 6)
        4.726126
    """
    releases = _Releases.of(epsilon, times, delta, delta_each)
    if releases.left <= 0:
        return math.inf
    return zcdp_to_epsilon(times * Fraction(pure_to_zcdp(releases.epsilon)), delta=releases.left)


def zcdp_composition_standard(epsilon: Exact, *, times: int, delta: Exact, delta_each: Exact = 0) -> float:
    """Return what the textbook promises: ρ = k ε²/2, then ρ + 2 √(ρ ln(1/δ')) (Bun and Steinke 2016).

    Example:
        >>> round(zcdp_composition_standard(0.1, times=100, delta="1e-5"), 6)
        5.298526
    """
    releases = _Releases.of(epsilon, times, delta, delta_each)
    if releases.left <= 0:
        return math.inf
    return zcdp_to_epsilon_standard(times * Fraction(pure_to_zcdp_standard(releases.epsilon)), delta=releases.left)


def renyi_composition_ferrari(epsilon: Exact, *, times: int, delta: Exact, delta_each: Exact = 0) -> float:
    """Return 3k ε²/2 + ε √(6k ln(1/δ')), with δ = k δ_each + δ' (Ferrari's thesis, Theorem 3.4.4).

    A Rényi bound of 3 order ε²/2, three times as large as the best, at the order that is best for it. The thesis prints
    the second term without its ε, which is never unsafe and only useless: 84.6 where this is 9.8.

    Example:
        >>> round(renyi_composition_ferrari(0.1, times=100, delta="1e-5"), 6)
        9.811291
    """
    releases = _Releases.of(epsilon, times, delta, delta_each)
    if releases.left_by_sum <= 0:
        return math.inf
    return zcdp_to_epsilon_standard(3 * releases.times * releases.epsilon**2 / 2, delta=releases.left_by_sum)


@precise()
def renyi_composition(epsilon: Exact, *, times: int, delta: Exact, delta_each: Exact = 0) -> float:
    """Return the best order's k D_order(randomized response), converted tightly.

    Example:
        >>> round(renyi_composition(0.1, times=100, delta="1e-5"), 6)
        4.61523
    """
    releases = _Releases.of(epsilon, times, delta, delta_each)
    if releases.left <= 0:
        return basic_composition(epsilon, times=times, delta=delta, delta_each=delta_each)
    level = float(releases.epsilon)
    left = releases.left
    order = best_order(lambda orders: tight_epsilons(times * response_renyi(level, orders), orders, left))
    return renyi_to_epsilon(_renyi_at(releases, order), order=order, delta=left)


@precise()
def renyi_composition_standard(epsilon: Exact, *, times: int, delta: Exact, delta_each: Exact = 0) -> float:
    """Return the best order's k D_order(randomized response) + ln(1/δ')/(order - 1) (Mironov 2017).

    Example:
        >>> round(renyi_composition_standard(0.1, times=100, delta="1e-5"), 6)
        5.158213
    """
    releases = _Releases.of(epsilon, times, delta, delta_each)
    if releases.left <= 0:
        return basic_composition(epsilon, times=times, delta=delta, delta_each=delta_each)
    level = float(releases.epsilon)
    left = releases.left
    order = best_order(lambda orders: standard_epsilons(times * response_renyi(level, orders), orders, left))
    return renyi_to_epsilon_standard(_renyi_at(releases, order), order=order, delta=left)


def _renyi_at(releases: _Releases, order: Fraction) -> Decimal:
    return releases.times * randomized_response_renyi(decimal_of(releases.epsilon), decimal_of(order))


def response_renyi(epsilon: float, orders: Array) -> Array:
    """Return the Rényi divergence of randomized response at many orders in float64: for choosing an order.

    By cosh a - cosh b = 2 sinh((a+b)/2) sinh((a-b)/2), which keeps its digits for small ε.
    """
    wide = epsilon * (orders - 0.5)
    with np.errstate(over="ignore"):
        grown = 2 * np.sinh(epsilon * orders / 2) * np.sinh(epsilon * (orders - 1) / 2)
    small = np.log1p(grown / np.cosh(min(epsilon / 2, _LARGEST_COSH)))
    large = wide + np.log1p(np.exp(-2 * wide)) - epsilon / 2 - math.log1p(math.exp(-epsilon))
    values: Array = np.where(wide < 1, small, large) / (orders - 1)
    return values


_LARGEST_COSH = 700.0
