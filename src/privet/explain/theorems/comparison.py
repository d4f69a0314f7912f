"""compare_composition: every theorem's answer to one question, best first."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from privet.explain.theorems.composition import (
    advanced_composition,
    basic_composition,
    improved_composition,
    optimal_composition,
    renyi_composition,
    renyi_composition_ferrari,
    renyi_composition_standard,
    zcdp_composition,
    zcdp_composition_standard,
)
from privet.explain.theorems.conversion import (
    renyi_to_epsilon,
    renyi_to_epsilon_standard,
    standard_epsilons,
    tight_epsilons,
    zcdp_to_epsilon,
    zcdp_to_epsilon_standard,
)
from privet.loss.amount import charge
from privet.loss.divergences.divergence import Array
from privet.loss.exact import Exact, whole
from privet.loss.outward import float_up, probability_of
from privet.loss.privacy_loss import PrivacyLoss
from privet.loss.renyi_orders import best_order


@dataclass(frozen=True)
class CompositionBound:
    """One theorem's promise.

    Args:
        theorem: its name and source.
        epsilon: the total ε it promises; infinite where it promises nothing.

    Example:
        >>> compare_composition(1, times=2, delta=0).best
        CompositionBound(theorem='exact (Kairouz-Oh-Viswanath)', epsilon=2.0)
    """

    theorem: str
    epsilon: float


@dataclass(frozen=True)
class Comparison:
    """Every theorem's promise, best first; `exact` is the value no theorem can beat.

    Its bounds are a tuple; print it for a table.

    Example:
        >>> found = compare_composition("0.1", times=100, delta="1e-5")
        >>> round(found.exact.epsilon, 6), len(found.bounds)
        (4.306791, 9)
    """

    title: str
    bounds: tuple[CompositionBound, ...]
    exact: CompositionBound

    @property
    def best(self) -> CompositionBound:
        """Return the smallest promise, the exact one included."""
        return self.bounds[0]

    def __str__(self) -> str:
        """Return a table: theorem, ε, and how many times the exact value it is."""
        width = max(len(bound.theorem) for bound in self.bounds)
        lines = [self.title, f"{'theorem':<{width}}  {'total ε':>10}  {'/ exact':>8}"]
        lines += [
            f"{bound.theorem:<{width}}  {bound.epsilon:>10.6g}  {self._excess(bound):>8}" for bound in self.bounds
        ]
        return "\n".join(lines)

    def _excess(self, bound: CompositionBound) -> str:
        return f"{bound.epsilon / self.exact.epsilon:.3f}" if self.exact.epsilon > 0 else "-"


EXACT = "exact (Kairouz-Oh-Viswanath)"
THEOREMS: tuple[tuple[str, Callable[..., float]], ...] = (
    (EXACT, optimal_composition),
    ("Rényi, tight conversion", renyi_composition),
    ("zCDP, tight conversions", zcdp_composition),
    ("Rényi, standard conversion", renyi_composition_standard),
    ("advanced (Kairouz-Oh-Viswanath)", improved_composition),
    ("zCDP, standard conversions", zcdp_composition_standard),
    ("advanced (Dwork-Roth)", advanced_composition),
    ("Rényi, threefold bound (Ferrari)", renyi_composition_ferrari),
    ("basic", basic_composition),
)


def compare_composition(epsilon: Exact, *, times: int, delta: Exact, delta_each: Exact = 0) -> Comparison:
    """Return what each theorem promises for `times` releases that are (epsilon, delta_each)-DP, best first.

    Args:
        epsilon: the promise of one release.
        times: how many releases, each chosen after seeing the earlier answers.
        delta: the failure probability allowed in total.
        delta_each: that of one release.

    Example:
        >>> print(compare_composition(0.1, times=100, delta=1e-5))
        100 releases of (ε=0.1, δ=0) at total δ=1e-05
        theorem                              total ε   / exact
        exact (Kairouz-Oh-Viswanath)         4.30679     1.000
        Rényi, tight conversion              4.61523     1.072
        zCDP, tight conversions              4.72613     1.097
        Rényi, standard conversion           5.15821     1.198
        advanced (Kairouz-Oh-Viswanath)      5.29811     1.230
        zCDP, standard conversions           5.29853     1.230
        advanced (Dwork-Roth)                5.85024     1.358
        Rényi, threefold bound (Ferrari)     9.81129     2.278
        basic                                     10     2.322
    """
    found = [
        CompositionBound(name, theorem(epsilon, times=times, delta=delta, delta_each=delta_each))
        for name, theorem in THEOREMS
    ]
    return Comparison(
        title=f"{times} releases of (ε={epsilon}, δ={delta_each}) at total δ={delta}",
        bounds=tuple(sorted(found, key=lambda bound: bound.epsilon)),
        exact=found[0],
    )


def compare_composition_of(loss: PrivacyLoss, *, times: int, delta: Exact) -> Comparison:
    """Return what each route promises for `times` releases of one known loss, best first.

    `compare_composition` knows only that a release is (ε, δ)-DP; here its whole curve is known, so the exact
    value is smaller.

    Args:
        loss: of one release.
        times: how many, fixed in advance.
        delta: the failure probability allowed in total.

    Example:
        >>> from privet.loss import LaplaceCurve
        >>> print(compare_composition_of(PrivacyLoss.of(LaplaceCurve("0.1")), times=100, delta=1e-5))
        100 times PrivacyLoss(laplace(epsilon=0.1)) at total δ=1e-05
        theorem                        total ε   / exact
        exact (loss distribution)      4.22035     1.000
        exact for its pure ε alone     4.30679     1.020
        Rényi, tight conversion        4.53268     1.074
        zCDP, tight conversion         4.64216     1.100
        Rényi, standard conversion     5.07052     1.201
        zCDP, standard conversion      5.20645     1.234
        basic                          9.99998     2.369
    """
    count, failure = whole(times, "times"), probability_of(delta, "delta")
    pure, rho = (_total(count, value) for value in (loss.epsilon(0), loss.zcdp()))
    routes = {
        "exact (loss distribution)": (loss * count).epsilon(failure),
        "exact for its pure ε alone": _or_inf(optimal_composition, loss.epsilon(0), times=count, delta=failure),
        "Rényi, tight conversion": _renyi_route(loss, count, failure, tight_epsilons, renyi_to_epsilon),
        "Rényi, standard conversion": _renyi_route(loss, count, failure, standard_epsilons, renyi_to_epsilon_standard),
        "zCDP, tight conversion": _or_inf(zcdp_to_epsilon, rho, delta=failure),
        "zCDP, standard conversion": _or_inf(zcdp_to_epsilon_standard, rho, delta=failure),
        "basic": min(_up(pure), _up(_total(count, loss.epsilon(failure / count)))),
    }
    found = [CompositionBound(name, epsilon) for name, epsilon in routes.items()]
    return Comparison(
        title=f"{count} times {loss!r} at total δ={delta}",
        bounds=tuple(sorted(found, key=lambda bound: bound.epsilon)),
        exact=found[0],
    )


def _renyi_route(
    loss: PrivacyLoss,
    count: int,
    delta: Fraction,
    guess: Callable[[Array, Array, Fraction], Array],
    convert: Callable[..., float],
) -> float:
    """Return the conversion at the order that float64 guesses to be the best; at δ = 0 only order infinity speaks."""
    if delta == 0:
        return _up(_total(count, loss.epsilon(0)))
    order = best_order(lambda orders: guess(np.array([count * loss.renyi(float(a)) for a in orders]), orders, delta))
    return _or_inf(convert, _total(count, loss.renyi(float_up(order))), order=order, delta=delta)


def _total(count: int, value: float) -> Fraction | float:
    """Return count times an upper bound, exactly."""
    return count * charge(value)


def _up(number: Fraction | float) -> float:
    return float_up(number) if isinstance(number, Fraction) else number


def _or_inf(theorem: Callable[..., float], number: Fraction | float, **rest: object) -> float:
    return theorem(number, **rest) if number < math.inf else math.inf
