"""Curves of pure and approximate differential privacy, and of the exponential mechanism."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import cast

import numpy as np

from privet.loss.curve import ROUNDING, Array, LossCurve, rounded_up
from privet.loss.exact import Exact, exact, float_at_least
from privet.loss.guarantee import Guarantee

OVERFLOW = 300.0  # hyperbolic functions of less are floats, and so are their products


@dataclass(frozen=True)
class ApproximateCurve(LossCurve):
    """Any mechanism of which only (epsilon, delta)-DP is known.

    Args:
        epsilon: >= 0.
        delta: in [0, 1].

    Privacy: delta(e) = delta + (1 - delta) max(0, e^epsilon - e^e) / (1 + e^epsilon).
    Proof: every (epsilon, delta)-DP pair of laws is a post-processing of one four-point pair: loss inf with
        probability delta, loss +-epsilon as in randomized response else (Kairouz, Oh and Viswanath 2015,
        Theorem 3.1; Murtagh and Vadhan 2016, Lemma 3.2). This is that pair's hockey stick.

    Example:
        >>> ApproximateCurve(1, 1e-6).removing(np.array([1.0, math.inf])).round(9)
        array([1.e-06, 1.e-06])
    """

    __hash__ = LossCurve.__hash__

    epsilon: Exact
    delta: Exact = 0

    def __post_init__(self) -> None:
        self._keep_exact("epsilon")
        self._keep_exact("delta", high=1)

    def keeps(self, promise: Guarantee) -> bool:
        """True if the promise asks for no more than is known, compared exactly."""
        return self.largest_loss <= promise.epsilon and cast("Fraction", self.delta) <= promise.delta

    def unbounded(self, *, adding: bool) -> Fraction:  # noqa: ARG002 - the same in both directions
        """The delta that was promised."""
        return cast("Fraction", self.delta)

    def removing(self, epsilon: Array) -> Array:
        """Delta at each epsilon."""
        top = float(self.epsilon)
        delta = float_at_least(cast("Fraction", self.delta))
        inside = -np.expm1(np.minimum(epsilon - top, 0.0)) / (1.0 + math.exp(-top))
        return rounded_up(delta + (1.0 - delta) * inside)

    @property
    def largest_loss(self) -> Fraction:
        """The epsilon that was promised."""
        return cast("Fraction", self.epsilon)

    @property
    def spacing(self) -> float | None:
        """The losses are +-epsilon."""
        return float(self.epsilon) or None

    @property
    def atomic(self) -> bool:
        """No loss lies between."""
        return self.epsilon != 0

    def renyi(self, order: float) -> tuple[float, float]:
        """Randomized response's closed form; unbounded as soon as delta > 0."""
        value = math.inf if self.delta else response_renyi(float(self.epsilon), order)
        return value, value

    def grouped(self, size: int) -> LossCurve:
        """Pure: epsilon grows linearly (Dwork and Roth 2014, Theorem 2.2); else delta grows too."""
        return super().grouped(size) if self.delta else ApproximateCurve(size * self.largest_loss)


def response_renyi(epsilon: float, order: float) -> float:
    """Rényi divergence of binary randomized response with truth e^epsilon / (1 + e^epsilon).

    Proof: log(p^a (1-p)^(1-a) + (1-p)^a p^(1-a)) / (a - 1) with p = 1/(1 + e^-epsilon), which is
        log(cosh(epsilon (a - 1/2)) / cosh(epsilon/2)) / (a - 1). The difference of the two cosh is
        2 sinh(epsilon a/2) sinh(epsilon (a-1)/2), so nothing cancels for small epsilon. Rounded up.

    Example:
        >>> round(response_renyi(math.log(3), 2), 6)
        0.847298
    """
    wide = epsilon * (order - 0.5)
    half = epsilon / 2
    if wide < OVERFLOW:
        lift = 2 * math.sinh(half * order) * math.sinh(half * (order - 1)) / math.cosh(half)
        return math.log1p(lift) / (order - 1) * (1 + ROUNDING)
    grown = wide - half + math.log1p(math.exp(-2 * wide)) - math.log1p(math.exp(-epsilon))
    return grown / (order - 1) * (1 + ROUNDING)


@dataclass(frozen=True)
class ExponentialCurve(LossCurve):
    """The exponential mechanism, or any mechanism whose loss has range epsilon.

    Args:
        epsilon: >= 0; probabilities proportional to exp(epsilon score / (2 sensitivity)).

    Privacy: delta(e) = (e^(epsilon/2) - e^(e/2))^2 / (e^epsilon - 1) for e < epsilon, better than pure epsilon.
    Proof: the losses of two neighbors lie in an interval [t - epsilon, t] (Durfee and Rogers 2019), so the
        pair is a post-processing of the two-point pair with losses t and t - epsilon, whose hockey stick is
        (e^epsilon - e^t)(1 - e^(e-t)) / (e^epsilon - 1); the worst t is (epsilon + e)/2
        (Dong, Durfee and Rogers 2020). The worst t differs from e to e, so Rényi divergences read off the curve are
        too large; with K(a) = log E_Q[(p/q)^a], K(0) = K(1) = 0 and K'' is a variance of numbers within
        epsilon, at most epsilon^2/4, so K(a) - a (a-1) epsilon^2/8 is concave, 0 at 0 and 1, and not above 0 beyond:
        K(a)/(a-1) <= a epsilon^2/8, in both directions (Cesar and Rogers 2021, Lemma 3.4).

    Example:
        >>> bool(np.isclose(ExponentialCurve(1).removing(np.array([0.0]))[0], math.tanh(1 / 4)))
        True
    """

    __hash__ = LossCurve.__hash__

    epsilon: Exact

    def __post_init__(self) -> None:
        self._keep_exact("epsilon")

    def removing(self, epsilon: Array) -> Array:
        """Delta at each epsilon."""
        top = float(self.epsilon)
        if top == 0:
            return np.zeros_like(epsilon)
        root = np.expm1(np.minimum(epsilon - top, 0.0) / 2.0)
        return rounded_up(root**2 / -math.expm1(-top))

    def renyi(self, order: float) -> tuple[float, float]:
        """At most order epsilon^2 / 8, and what the curve says."""
        top = float_at_least(exact(order, "order") * self.largest_loss**2 / 8)
        removing, adding = super().renyi(order)
        return min(removing, top), min(adding, top)

    def zcdp(self) -> float:
        """At most epsilon^2 / 8, and what the curve says: that is less where epsilon is large."""
        top = float_at_least(self.largest_loss**2 / 8)
        return top if self.largest_loss <= 1 else min(top, super().zcdp())

    @property
    def largest_loss(self) -> Fraction:
        """Pure epsilon-DP (McSherry and Talwar 2007)."""
        return cast("Fraction", self.epsilon)

    @property
    def spacing(self) -> float | None:
        """The curve ends at epsilon."""
        return float(self.epsilon) or None

    def grouped(self, size: int) -> LossCurve:
        """Neighbors k apart move every score k times as far: the range grows linearly."""
        return ExponentialCurve(size * self.largest_loss)
