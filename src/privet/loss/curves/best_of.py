"""The best of a random number of runs: what it costs to choose by looking, if nobody learns how often one looked."""

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Self, cast

import numpy as np

from privet.errors import InvalidParameter
from privet.loss.curve import Array, LossCurve, rounded_up
from privet.loss.exact import Exact, shown
from privet.loss.guarantee import Guarantee
from privet.loss.neighbors import Neighbors

if TYPE_CHECKING:
    from privet.loss.privacy_loss import PrivacyLoss

UP = 1 + 2.0**-44  # more than the few roundings of a shift lose
SELDOM = Fraction(1, 10**12)  # a law that stops less often never ends
PLACES, ROUNDS = 33, 6  # looks at a curve, and how often they are narrowed
FAR = 30.0  # beyond an ε of so much more, no curve has its knee
ORDERS = np.geomspace(1.1, 1e4, 60)


class BestOf(LossCurve):
    """Runs a computation J times, J random and secret, and releases the run that it scored best, and nothing else.

    Let f(x) = E[x^J]. The proof is in docs/proofs/tuning.md: with R the largest f'(P(T')) / f'(Q(T')) that any event T
    allows (T' is its complement), delta(e) = 1 - f(1 - delta_of_one(e - log R)).
    """

    inner: "PrivacyLoss"

    # --- what the law of J says ---------------------------------------------------------------------------------

    @property
    @abstractmethod
    def mean(self) -> float:
        """E[J], from above: f'(1)."""

    @property
    def none(self) -> float:
        """P(J = 0), from above: f(0)."""
        return 0.0

    @abstractmethod
    def any_of(self, chance: Array) -> Array:
        """The probability that it happens in at least one run, of what happens in one run with this: 1 - f(1 - p)."""

    @abstractmethod
    def _grown(self, *, adding: bool) -> float:
        """Return log R, from above, of the direction whose opposite has the curve that `adding` names."""

    # --- the curve ----------------------------------------------------------------------------------------------

    @property
    def neighbors(self) -> frozenset[Neighbors]:
        """As of one run."""
        return self.inner.neighbors

    @property
    def symmetric(self) -> bool:
        """As of one run."""
        return self.inner.symmetric

    @cached_property
    def shifts(self) -> tuple[float, float]:
        """The logarithm of R when a unit leaves, and when it joins."""
        leaving = self._grown(adding=True) * UP
        return leaving, leaving if self.symmetric else self._grown(adding=False) * UP

    def removing(self, epsilon: Array) -> Array:
        """Delta at each epsilon when a unit leaves."""
        return self._delta(epsilon, adding=False)

    def adding(self, epsilon: Array) -> Array:
        """Delta at each epsilon when a unit joins."""
        return self._delta(epsilon, adding=True)

    @cached_property
    def _knee(self) -> tuple[float, float]:
        """The ε, and its delta in both directions, from which on the formula says more than the line below it."""
        low, high = 0.0, min(float(self.largest_loss), max(self.shifts) + FAR)
        best = (0.0, 1.0)
        for _ in range(ROUNDS):
            places = np.linspace(low, high, PLACES)
            delta = np.maximum(self._plain(places, adding=False), self._plain(places, adding=True))
            steepest = int(np.argmax((1 - delta) / (1 + np.exp(places))))
            best = float(places[steepest]), float(delta[steepest])
            low, high = float(places[max(steepest - 1, 0)]), float(places[min(steepest + 1, PLACES - 1)])
        return best

    def _delta(self, epsilon: Array, *, adding: bool) -> Array:
        """The formula, or below the knee what (ε, delta)-DP there promises anywhere, see `ApproximateCurve`."""
        knee, delta = self._knee
        inside = -np.expm1(np.minimum(epsilon - knee, 0.0)) / (1.0 + math.exp(-knee))
        return np.minimum(self._plain(epsilon, adding=adding), rounded_up(delta + (1.0 - delta) * inside))

    def _plain(self, epsilon: Array, *, adding: bool) -> Array:
        left = epsilon - self.shifts[adding]
        left -= np.where(np.isinf(left), 0.0, np.abs(left) * 2.0**-50)
        ahead = self.inner.profile(np.maximum(left, 0.0), adding=adding)
        back = np.minimum(left, 0.0)  # below 0 the curve of the other direction says it
        behind = -np.expm1(back) + np.exp(back) * self.inner.profile(-back, adding=not adding)
        return rounded_up(self.any_of(np.minimum(np.where(left < 0, behind, ahead), 1.0)))

    def unbounded(self, *, adding: bool) -> Fraction | None:
        """None if one run has none."""
        return None if self.inner.unbounded(adding=adding) else Fraction(0)

    @property
    def largest_loss(self) -> Fraction | float:
        """That of one run, and what counting adds."""
        top = self.inner.largest_loss
        return top if top == math.inf else Fraction(top) + Fraction(max(self.shifts))

    def renyi(self, order: float) -> tuple[float, float]:
        """From the curve, or from the divergence of one run where that says more."""
        level = max(order, self._best_order)  # divergences grow with the order, and this bound falls before it
        pairs = zip(super().renyi(order), self._renyi_pair(level), strict=True)
        leaving, joining = (min(pair) for pair in pairs)
        return leaving, joining

    @cached_property
    def _best_order(self) -> float:
        return float(min(ORDERS, key=lambda order: max(self._renyi_pair(order))))

    def _renyi_pair(self, order: float) -> tuple[float, float]:
        leaving, joining = self.inner.renyi_pair(order)
        return self._renyi(order, leaving, adding=False), self._renyi(order, joining, adding=True)

    def _renyi(self, order: float, one: float, *, adding: bool) -> float:
        """E[(dA/dB)^order] <= f(0) + E[(dP/dQ)^order] f'(1) R^(order - 1)."""
        exponent = (order - 1) * (one + self._weight(order, adding=adding)) + math.log(self.mean) + 2.0**-40
        if self.none and exponent < 700:  # noqa: PLR2004 - exponents up to here are floats
            exponent = math.log(self.none + math.exp(exponent)) + 2.0**-40
        return max(exponent, 0.0) / (order - 1) * UP

    def _weight(self, order: float, *, adding: bool) -> float:  # noqa: ARG002 - for laws that know better
        return self.shifts[adding]

    def grouped(self, size: int) -> Self:
        """Whoever differs, each run sees it."""
        return replace(self, inner=self.inner.group(size))  # type: ignore[type-var] # its subclasses are dataclasses


@dataclass(frozen=True)
class BestOfCurve(BestOf):
    """The best of J runs, J >= 1 by a truncated negative binomial law (Papernot and Steinke 2022).

    P(J = k) is proportional to (1 - stop)^k times the product of (l + shape)/(l + 1) for l < k.

    Args:
        inner: the loss of one run, with its score.
        stop: in (0, 1]; 1 for exactly one run.
        shape: > -1: 1 is the geometric law, 0 the logarithmic one.

    Privacy: of an ε-DP run at most (2 + shape) ε, and less for large ε or few runs: ε + (1 + shape) r, with r the
        least number of which (1 - stop) delta(r) <= stop (e^r - 1); r <= ε and r <= log(1/stop).
    Proof: docs/proofs/tuning.md. f'(x) is proportional to (1 - (1 - stop) x)^(-1-shape).

    Example:
        >>> from privet.loss import LaplaceCurve, PrivacyLoss
        >>> one = PrivacyLoss.of(LaplaceCurve("0.3"))
        >>> best = PrivacyLoss.of(BestOfCurve(one, stop="0.01", shape=0))
        >>> round(best.epsilon(delta=0), 3), round((one * 21).epsilon(delta=0), 3)
        (0.593, 6.3)
    """

    __hash__ = LossCurve.__hash__

    inner: "PrivacyLoss"
    stop: Exact
    shape: Exact

    def __post_init__(self) -> None:
        self._keep_exact("stop", high=1)
        self._keep_exact("shape", low=-1)
        if cast("Fraction", self.stop) < SELDOM or self.shape == -1:
            got = f"stop={shown(self.stop)} and shape={shown(self.shape)}"
            raise InvalidParameter(f"stop must be at least 10^-12 and shape above -1, got {got}")

    @property
    def _log_stop(self) -> float:
        return math.log1p(-float(1 - cast("Fraction", self.stop)))

    @property
    def mean(self) -> float:
        """Papernot and Steinke 2022, Definition 1: f'(1)."""
        shape, log = float(self.shape), self._log_stop
        if self.stop == 1:
            return 1.0
        odds = float((1 - Fraction(self.stop)) / Fraction(self.stop))
        return (-shape * odds / math.expm1(shape * log) if shape else odds / -log) * UP

    def any_of(self, chance: Array) -> Array:
        """(1 - r^-shape) / (1 - stop^shape) with r = 1 + p (1 - stop)/stop, or log r / log(1/stop)."""
        if self.stop == 1:
            return chance
        grown, shape = np.log1p(chance * float((1 - Fraction(self.stop)) / Fraction(self.stop))), float(self.shape)
        found = np.expm1(-shape * grown) / math.expm1(shape * self._log_stop) if shape else grown / -self._log_stop
        return np.asarray(found * UP)

    def _grown(self, *, adding: bool) -> float:
        """(1 + shape) r; whatever the curve is, r <= log(1/stop) and r <= the largest loss."""
        odds = float(Fraction(self.stop) / (1 - Fraction(self.stop))) if self.stop != 1 else math.inf
        if math.isinf(odds) or not self.inner.parts:
            return 0.0
        low, high = 0.0, -self._log_stop * UP
        if not self.inner.unbounded(adding=adding):
            high = min(high, float(self.inner.largest_loss) * UP)
        for _ in range(ROUNDS):
            places = np.linspace(low, high, PLACES)
            kept = self.inner.profile(places, adding=adding) <= odds * np.expm1(places) * (2 - UP)
            first = int(np.argmax(kept[:-1])) if kept[:-1].any() else PLACES - 1
            low, high = (float(places[first - 1]) if first else low), float(places[first])
        return (1 + float(self.shape)) * high

    def keeps(self, promise: Guarantee) -> bool:
        """True if one run keeps the pure promise of a (2 + shape)-th."""
        return self.inner.meets(Guarantee(promise.epsilon / (2 + Fraction(self.shape))))


@dataclass(frozen=True)
class BestOfPoissonCurve(BestOf):
    """The best of J runs, J by a Poisson law; what comes out if J = 0 is fixed and public.

    Args:
        inner: the loss of one run, with its score.
        mean_runs: > 0; the mean of J.

    Privacy: delta(e) = 1 - exp(-m delta_of_one(e - m t)), with m the mean and t the total variation of one run. Rényi
        divergences of low orders are far less: D + m delta(log(a/(a-1))) + log(m)/(a-1) at order a.
    Proof: docs/proofs/tuning.md. f'(x) is m e^(m (x - 1)). The second as in Papernot and Steinke 2022, Theorem 6.

    Example:
        >>> from privet.loss import GaussianCurve, PrivacyLoss
        >>> one = PrivacyLoss.of(GaussianCurve("0.1"))
        >>> round(PrivacyLoss.of(BestOfPoissonCurve(one, mean_runs=10)).epsilon(delta=1e-6), 3)
        0.846
    """

    __hash__ = LossCurve.__hash__

    inner: "PrivacyLoss"
    mean_runs: Exact

    def __post_init__(self) -> None:
        self._keep_exact("mean_runs")
        if not self.mean_runs:
            raise InvalidParameter("mean_runs must be > 0, got 0: nothing would ever run")

    @property
    def mean(self) -> float:
        """As said."""
        return float(self.mean_runs) * UP

    @property
    def none(self) -> float:
        """That nothing runs."""
        return math.exp(-float(self.mean_runs)) * UP

    def any_of(self, chance: Array) -> Array:
        """1 - e^(-m p)."""
        return np.asarray(-np.expm1(-self.mean * chance))

    def _grown(self, *, adding: bool) -> float:
        """The mean number of runs times the largest Q(T) - P(T)."""
        return self.mean * float(self.inner.profile(np.zeros(1), adding=adding)[0])

    def _weight(self, order: float, *, adding: bool) -> float:
        """At most m ((a-1) Q(T) - a P(T)), divided by a - 1."""
        level = np.array([-math.log1p(-1 / order) * (2 - UP)])
        return self.mean * float(self.inner.profile(level, adding=not adding)[0]) * UP
