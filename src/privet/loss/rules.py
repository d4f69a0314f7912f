"""Spending rules: how a ledger counts when each question is chosen after seeing the earlier answers.

Composing loss distributions is tight but valid only for losses fixed in advance. When the next question depends
on the answers so far, a ledger must stop by a *filter*: a sum that is sound whatever the analyst does. Four are
here: ε and δ, zCDP's ρ, Rényi divergence at one fixed order, and the square of Gaussian privacy's μ. Inside one
plan, fixed before its first answer, add `PrivacyLoss`es and charge their total. Proofs:
docs/proofs/composition.md.

A rule is chosen when a ledger opens and never changed: each is a promise about a different sum.
"""

import json
import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Protocol, runtime_checkable

import numpy as np

from privet.errors import InvalidParameter
from privet.loss.amount import Amount, Part, charge
from privet.loss.curves.gaussian import GaussianCurve
from privet.loss.exact import Exact, shortest
from privet.loss.gaussian_privacy import gaussian_scale, pure_to_gaussian
from privet.loss.guarantee import ConcentratedGuarantee, Guarantee, Promise
from privet.loss.outward import decimal_of, float_down, float_up, precise, probability_of
from privet.loss.privacy_loss import PrivacyLoss
from privet.loss.renyi_orders import best_order, check_order, log_of

_PAIR = ("epsilon", "delta")


@runtime_checkable
class SpendingRule(Protocol):
    """A filter: as long as the costs fit the capacity, the promise holds, however the losses were chosen.

    `cost` rounds up and `capacity` rounds down; both are exact from then on.

    Example:
        >>> isinstance(EpsilonSum(), SpendingRule)
        True
    """

    @property
    def name(self) -> str:
        """Return what the rule is called, with its parameter."""

    def cost(self, loss: PrivacyLoss, *, promise: Guarantee | None = None, delta: Exact | None = None) -> Amount:
        """Return what this loss takes from the capacity; infinite where the rule cannot price it.

        Args:
            loss: under the neighbor relation of the ledger.
            promise: a guarantee the loss is known to keep, at which a rule that counts ε and δ may charge it.
            delta: the δ at which such a rule shall charge it instead; other rules need neither.
        """

    def capacity(self, promise: Promise) -> Amount:
        """Return the largest total that keeps the promise."""

    def __hash__(self) -> int:
        """Rules are facts: frozen, and equal if their parameters are."""

    def to_json(self) -> str:
        """Return the rule as `rule_from_json` reads it, to be recorded when a ledger opens."""


@dataclass(frozen=True)
class EpsilonSum:
    """Basic composition: Σε and Σδ. What people expect: ten answers at ε=0.1 fill a limit of 1.

    Args:
        delta_per_answer: the δ at which a loss that is not pure is charged; 0 when only pure losses are spent.

    Privacy: while Σε_i <= ε and Σδ_i <= δ the whole is (ε, δ)-DP, with every ε_i and δ_i chosen adaptively.

    Proof: Induction from the last answer back: given the first answer the rest is (ε - ε_1, δ - δ_1)-DP
    because ε_1 and δ_1 were fixed before it. Rogers, Roth, Ullman and Vadhan 2016; Whitehouse, Ramdas,
    Rogers and Wu 2023.

    Example:
        >>> EpsilonSum(delta_per_answer="1e-8").name
        'ε and δ add up (δ=1e-08 for an answer that is not pure)'
    """

    delta_per_answer: Exact = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "delta_per_answer", probability_of(self.delta_per_answer, "delta_per_answer"))

    @property
    def name(self) -> str:
        """Return the rule in words."""
        share = float(Fraction(self.delta_per_answer))
        return f"ε and δ add up (δ={share:g} for an answer that is not pure)" if share else "ε and δ add up"

    def cost(self, loss: PrivacyLoss, *, promise: Guarantee | None = None, delta: Exact | None = None) -> Amount:
        """Return (ε(delta), delta) if asked for, or the promise if it is kept, or (ε(0), 0), or (ε(share), share).

        The share is the rule's `delta_per_answer`. A pure loss is charged exactly where its parts are exact.
        """
        if delta is not None and (failure := probability_of(delta, "delta")):
            return Amount(_charged(loss, failure), failure, units=_PAIR)
        if promise is not None and not promise.gamma and loss.meets(promise):
            return Amount(promise.epsilon, promise.delta, units=_PAIR)
        share = Fraction(self.delta_per_answer)
        pure = _charged(loss, Fraction(0))
        if pure < math.inf:
            return Amount(pure, Fraction(0), units=_PAIR)
        return Amount(_charged(loss, share) if share else math.inf, share, units=_PAIR)

    def capacity(self, promise: Promise) -> Amount:
        """Return (ε, δ) themselves."""
        if isinstance(promise, ConcentratedGuarantee):
            raise InvalidParameter(f"{promise!r} is a limit on ρ, which {self.name!r} does not count: use ZcdpSum()")
        return Amount(promise.epsilon, promise.delta, units=_PAIR)

    def to_json(self) -> str:
        """Return the rule and its parameter."""
        return json.dumps({"rule": "epsilon", "delta_per_answer": shortest(Fraction(self.delta_per_answer))})


def _charged(loss: PrivacyLoss, delta: Fraction) -> Part:
    """Return ε(δ); where some ε keeps this δ, the largest loss does, which may be known to more digits than a float."""
    found = charge(loss.epsilon(delta))
    top = loss.largest_loss
    return min(found, top) if found < math.inf and isinstance(top, Fraction) else found


@dataclass(frozen=True)
class ZcdpSum:
    """Zero-concentrated composition: Σρ. Admits about 1/ε² small answers where Σε admits 1/ε.

    Privacy: while Σρ_i <= ρ the whole is ρ-zCDP, hence (ε, δ)-DP for the ε of `zcdp_to_epsilon`.

    Proof: `RenyiSum`'s induction holds at every order a at once, with bounds a ρ_i and the same stopping time
    (Feldman and Zrnic 2021; Whitehouse, Ramdas, Rogers and Wu 2023). The capacity is the largest
    (ε + ln(a/(a-1)) + (ln δ + ln a)/(a-1)) / a over a; every order a is sound, the best is searched.

    Example:
        >>> from privet.mechanisms import Gaussian
        >>> ZcdpSum().name, ZcdpSum().cost(Gaussian(l2_sensitivity=1, scale=2).loss)
        ('zCDP: ρ adds up', ρ=0.125)
    """

    @property
    def name(self) -> str:
        """Return the rule in words."""
        return "zCDP: ρ adds up"

    def cost(self, loss: PrivacyLoss, *, promise: Guarantee | None = None, delta: Exact | None = None) -> Amount:  # noqa: ARG002 - ρ needs neither
        """Return the loss's ρ."""
        return Amount(charge(loss.zcdp()), units=("rho",))

    def capacity(self, promise: Promise) -> Amount:
        """Return the largest ρ that keeps the promise, rounded down; a limit on ρ itself."""
        if isinstance(promise, ConcentratedGuarantee):
            return Amount(promise.rho, units=("rho",))
        if promise.delta == 0:
            return Amount(Fraction(0), units=("rho",))
        order = _roomiest_order(float(promise.epsilon), promise.delta)
        return Amount(_renyi_room(promise, order, per=order), units=("rho",))

    def to_json(self) -> str:
        """Return the rule."""
        return json.dumps({"rule": "zcdp"})


@dataclass(frozen=True)
class RenyiSum:
    """Rényi composition at one order: the sum of D_order. Never much worse than Σρ, at its best order better.

    Args:
        order: above 1, fixed when the ledger opens.

    Privacy: while the sum stays below r the whole has D_order <= r, hence (ε, δ)-DP by `renyi_to_epsilon`.

    Proof: Given the first answer y the rest has E_Q[(dP/dQ)^a | y] <= e^{(a-1)(r - r_1)}, because r_1 was
    fixed before y; averaging over y multiplies by at most e^{(a-1) r_1}. Induction from the last answer
    back. Feldman and Zrnic 2021, Theorem 3.1. Only one order may be watched: "some order is still below its
    r" is no filter.

    Example:
        >>> RenyiSum(order=16).name
        'Rényi divergence of order 16 adds up'
    """

    order: Exact

    def __post_init__(self) -> None:
        object.__setattr__(self, "order", check_order(self.order))

    @property
    def name(self) -> str:
        """Return the rule in words."""
        return f"Rényi divergence of order {shortest(Fraction(self.order))} adds up"

    def cost(self, loss: PrivacyLoss, *, promise: Guarantee | None = None, delta: Exact | None = None) -> Amount:  # noqa: ARG002 - divergences need neither
        """Return the loss's Rényi divergence at the order, or at the next float above."""
        return Amount(charge(loss.renyi(float_up(Fraction(self.order)))), units=("divergence",))

    def capacity(self, promise: Promise) -> Amount:
        """Return the largest Rényi divergence that keeps the promise, rounded down."""
        if isinstance(promise, ConcentratedGuarantee):
            raise InvalidParameter(f"{promise!r} bounds every order, which one order cannot promise: use ZcdpSum()")
        if promise.delta == 0:
            return Amount(Fraction(0), units=("divergence",))
        return Amount(_renyi_room(promise, Fraction(self.order), per=Fraction(1)), units=("divergence",))

    def to_json(self) -> str:
        """Return the rule and its parameter."""
        return json.dumps({"rule": "renyi", "order": shortest(Fraction(self.order))})


@dataclass(frozen=True)
class GaussianSum:
    """Gaussian composition: Σμ². The best rule for Gaussian answers, and only for them.

    Privacy: while Σμ_i² <= μ² the whole is at least as private as one Gaussian release with that μ.

    Proof: Given the first answer the rest is ν-Gaussian private with ν² = μ² - μ_1², a constant because μ_1 was
    fixed before the answer; so the whole is the composition of two trade-off functions, which for Gaussians is
    the Gaussian one of √(μ_1² + ν²) (Dong, Roth and Su 2022; Smith and Thakurta 2022). A pure ε costs the square
    of 2 Φ^{-1}(e^ε/(1+e^ε)), about 1.57 ε², so pure answers go further under `ZcdpSum`.

    Example:
        >>> GaussianSum().cost(PrivacyLoss.of(GaussianCurve("0.1"), 3)) == Amount(Fraction(3, 100))
        True
    """

    @property
    def name(self) -> str:
        """Return the rule in words."""
        return "Gaussian: μ² adds up"

    def cost(self, loss: PrivacyLoss, *, promise: Guarantee | None = None, delta: Exact | None = None) -> Amount:  # noqa: ARG002 - μ needs neither
        """Return the sum of μ² over Gaussian and pure parts; infinite with any other."""
        total: Part = Fraction(0)
        for curve, times in loss.parts:
            if isinstance(curve, GaussianCurve):
                total += times * Fraction(curve.mu) ** 2
            else:
                total += times * charge(pure_to_gaussian(PrivacyLoss.of(curve).epsilon(0)) ** 2 * _CARE)
        return Amount(total, units=("mu_squared",))

    def capacity(self, promise: Promise) -> Amount:
        """Return the largest μ² that keeps the promise, rounded down; μ-Gaussian privacy is (μ²/2)-zCDP."""
        if isinstance(promise, ConcentratedGuarantee):
            return Amount(2 * promise.rho, units=("mu_squared",))
        if promise.delta == 0:
            return Amount(Fraction(0), units=("mu_squared",))
        scale = gaussian_scale(float_down(promise.epsilon), delta=float_down(promise.delta))
        return Amount(1 / Fraction(scale * _CARE) ** 2, units=("mu_squared",))

    def to_json(self) -> str:
        """Return the rule."""
        return json.dumps({"rule": "gaussian"})


_CARE = 1 + 2.0**-50  # more than a product or a quotient of floats loses


def rule_from_json(text: str) -> SpendingRule:
    """Return the rule that `to_json` wrote.

    Example:
        >>> rule_from_json(RenyiSum(order=16).to_json())
        RenyiSum(order=Fraction(16, 1))
    """
    try:
        facts = json.loads(text)
        kind = facts.pop("rule")
        made: SpendingRule = _RULES[kind](**facts)
    except (ValueError, TypeError, KeyError, AttributeError) as problem:
        raise InvalidParameter(f"not the JSON of a spending rule: {text[:80]!r}") from problem
    return made


_RULES = {"epsilon": EpsilonSum, "zcdp": ZcdpSum, "renyi": RenyiSum, "gaussian": GaussianSum}


@precise()
def _renyi_room(promise: Guarantee, order: Fraction, *, per: Fraction) -> Fraction:
    """Return the largest Rényi bound whose tight conversion is at most ε, divided by `per`, rounded down."""
    level = decimal_of(order)
    bound = decimal_of(promise.epsilon) - ((level - 1) / level).ln()
    bound += (decimal_of(promise.delta).ln() + level.ln()) / (level - 1)
    return Fraction(float_down(max(Decimal(0), bound) / decimal_of(per)))


def _roomiest_order(epsilon: float, delta: Fraction) -> Fraction:
    """Return the order that leaves the most room for ρ."""
    log_delta = log_of(delta)
    return best_order(
        lambda orders: -(epsilon - np.log1p(-1 / orders) + (log_delta + np.log(orders)) / (orders - 1)) / orders
    )
