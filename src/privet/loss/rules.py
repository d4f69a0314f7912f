"""Spending rules: how a ledger counts when each question is chosen after seeing the earlier answers.

Composing loss distributions is tight but valid only for losses fixed in advance. When the next question
depends on the answers so far, a ledger must stop by a *filter*: a sum that is sound whatever the analyst
does. Three are known to be sound for every adaptive choice and are here: ε and δ, zCDP's ρ, and Rényi
divergence at one fixed order. Inside one plan, fixed before its first answer, use `PrivacyLoss` and charge
its total. Proofs: docs/proofs/composition.md.

A rule is chosen when a ledger opens and never changed: each is a promise about a different sum.
"""

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Protocol, runtime_checkable

import numpy as np

from privet.loss.amount import Amount, charge
from privet.loss.exact import Exact
from privet.loss.outward import decimal_of, float_down, float_up, nonnegative, precise, probability_of
from privet.loss.theorems.conversion import best_order, check_order, log_of


class Loss(Protocol):
    """What a rule reads of a `PrivacyLoss`: upper bounds, infinite where there is none."""

    def epsilon(self, delta: float) -> float:
        """Return the ε at this δ."""

    def renyi(self, order: float) -> float:
        """Return the Rényi divergence of this order."""

    def zcdp(self) -> float:
        """Return the ρ of zero-concentrated privacy."""


class Promise(Protocol):
    """What a rule reads of a `Guarantee`."""

    @property
    def epsilon(self) -> Exact:
        """Return the ε that is promised in total."""

    @property
    def delta(self) -> Exact:
        """Return the δ that is promised in total."""


@runtime_checkable
class SpendingRule(Protocol):
    """A filter: as long as the costs fit the capacity, the promise holds, however the losses were chosen.

    `cost` rounds up and `capacity` rounds down; both are exact from then on.
    """

    @property
    def name(self) -> str:
        """Return what the rule is called, with its parameter."""

    def cost(self, loss: Loss) -> Amount:
        """Return what this loss takes from the capacity; infinite where the rule cannot price it."""

    def capacity(self, promise: Promise) -> Amount:
        """Return the largest total that keeps the promise."""


@dataclass(frozen=True)
class EpsilonSum:
    """Basic composition: Σε and Σδ. What people expect: ten answers at ε=0.1 fill a limit of 1.

    Args:
        delta_per_answer: the δ at which a loss that is not pure is charged; 0 when only pure losses are
        spent.

    Privacy: while Σε_i <= ε and Σδ_i <= δ the whole is (ε, δ)-DP, with every ε_i and δ_i chosen adaptively.

    Proof: Induction from the last answer back: given the first answer the rest is (ε - ε_1, δ - δ_1)-DP
    because ε_1 and δ_1 were fixed before it. Rogers, Roth, Ullman and Vadhan 2016; Whitehouse, Ramdas,
    Rogers and Wu 2023.

    Example:
        >>> EpsilonSum(delta_per_answer="1e-8").name
        'ε and δ add up (δ=1e-08 for an answer that is not pure)'
    """

    delta_per_answer: Exact = 0

    @property
    def name(self) -> str:
        """Return the rule in words."""
        share = self._share
        return (
            f"ε and δ add up (δ={float(share):g} for an answer that is not pure)"
            if share
            else "ε and δ add up"
        )

    @property
    def _share(self) -> Fraction:
        return probability_of(self.delta_per_answer, "delta_per_answer")

    def cost(self, loss: Loss) -> Amount:
        """Return (ε(0), 0) for a pure loss, else (ε(share), share)."""
        pure = charge(loss.epsilon(0.0))
        if pure != math.inf or self._share == 0:
            return Amount(pure, Fraction(0))
        return Amount(charge(loss.epsilon(float_down(self._share))), self._share)

    def capacity(self, promise: Promise) -> Amount:
        """Return (ε, δ) themselves."""
        return Amount(nonnegative(promise.epsilon, "epsilon"), probability_of(promise.delta, "delta"))


@dataclass(frozen=True)
class ZcdpSum:
    """Zero-concentrated composition: Σρ. Admits about 1/ε² small answers where Σε admits 1/ε.

    Privacy: while Σρ_i <= ρ the whole is ρ-zCDP, hence (ε, δ)-DP for the ε of `zcdp_to_epsilon`.

    Proof: `RenyiSum`'s induction holds at every order a at once, with bounds a ρ_i and the same stopping
    time. Feldman and Zrnic 2021; Whitehouse, Ramdas, Rogers and Wu 2023, Theorem 1. The capacity is the
    largest (ε + ln(a/(a-1)) + (ln δ + ln a)/(a-1)) / a over a; every order a is sound, the best is
    searched.
    """

    @property
    def name(self) -> str:
        """Return the rule in words."""
        return "zCDP: ρ adds up"

    def cost(self, loss: Loss) -> Amount:
        """Return the loss's ρ."""
        return Amount(charge(loss.zcdp()))

    def capacity(self, promise: Promise) -> Amount:
        """Return the largest ρ that keeps the promise, rounded down."""
        epsilon, delta = nonnegative(promise.epsilon, "epsilon"), probability_of(promise.delta, "delta")
        if delta == 0:
            return Amount(Fraction(0))
        order = _roomiest_order(float(epsilon), delta)
        return Amount(_renyi_room(epsilon, delta, order, per=order))


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
        check_order(self.order)

    @property
    def name(self) -> str:
        """Return the rule in words."""
        return f"Rényi divergence of order {float(check_order(self.order)):g} adds up"

    def cost(self, loss: Loss) -> Amount:
        """Return the loss's Rényi divergence at the order, taken at the next float above where it is none."""
        return Amount(charge(loss.renyi(float_up(check_order(self.order)))))

    def capacity(self, promise: Promise) -> Amount:
        """Return the largest Rényi divergence that keeps the promise, rounded down."""
        epsilon, delta = nonnegative(promise.epsilon, "epsilon"), probability_of(promise.delta, "delta")
        if delta == 0:
            return Amount(Fraction(0))
        return Amount(_renyi_room(epsilon, delta, check_order(self.order), per=Fraction(1)))


@precise()
def _renyi_room(epsilon: Fraction, delta: Fraction, order: Fraction, *, per: Fraction) -> Fraction:
    """Return the largest Rényi bound whose tight conversion is at most ε, divided by `per`, rounded down."""
    level = decimal_of(order)
    bound = decimal_of(epsilon) - ((level - 1) / level).ln()
    bound += (decimal_of(delta).ln() + level.ln()) / (level - 1)
    return Fraction(float_down(max(Decimal(0), bound) / decimal_of(per)))


def _roomiest_order(epsilon: float, delta: Fraction) -> Fraction:
    """Return the order that leaves the most room for ρ."""
    log_delta = log_of(delta)
    return best_order(
        lambda orders: (
            -(epsilon - np.log1p(-1 / orders) + (log_delta + np.log(orders)) / (orders - 1)) / orders
        )
    )
