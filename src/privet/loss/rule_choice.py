"""Choosing a spending rule: how many answers of a given size each rule admits, before a ledger opens."""

import math
from dataclasses import dataclass

from privet.loss.amount import charge
from privet.loss.guarantee import Guarantee
from privet.loss.privacy_loss import PrivacyLoss
from privet.loss.rules import EpsilonSum, GaussianSum, RenyiSum, SpendingRule, ZcdpSum

_ORDERS = (1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 28, 32, 48, 64, 96, 128, 256, 512, 1024, 4096)
_MOST = 1 << 40  # answers; beyond this nobody counts


@dataclass(frozen=True)
class Admission:
    """How many equal answers a rule admits.

    Args:
        rule: the rule, with its parameter chosen for this answer.
        answers: how many fit; infinite when an answer costs nothing.
    """

    rule: SpendingRule
    answers: int | float


@dataclass(frozen=True)
class RuleComparison:
    """Every rule with the number of answers it admits, best first; print it for a table."""

    admissions: tuple[Admission, ...]

    @property
    def best(self) -> SpendingRule:
        """Return the rule that admits the most; of equals the simplest."""
        return self.admissions[0].rule

    def __str__(self) -> str:
        """Return a table."""
        width = max(len(admission.rule.name) for admission in self.admissions)
        lines = [f"{'rule':<{width}}  answers"]
        lines += [f"{admission.rule.name:<{width}}  {admission.answers:>7}" for admission in self.admissions]
        return "\n".join(lines)


def compare_rules(promise: Guarantee, *, answer: PrivacyLoss) -> RuleComparison:
    """Return how many answers of one size each rule admits under a promise, best first.

    Args:
        promise: the limit of the ledger.
        answer: the loss of one typical answer.

    Of equals the first in the order ε, ρ, Rényi, Gaussian, the simplest to explain, comes first.

    Example:
        >>> from privet.loss import GaussianCurve
        >>> print(compare_rules(Guarantee(1, 1e-6), answer=PrivacyLoss.of(GaussianCurve("0.01"))))
        rule                                                         answers
        Gaussian: μ² adds up                                             560
        zCDP: ρ adds up                                                  487
        Rényi divergence of order 22 adds up                             487
        ε and δ add up (δ=4.16667e-08 for an answer that is not pure)     24
    """
    rules = (_epsilon_rule(promise, answer), ZcdpSum(), _renyi_rule(promise, answer), GaussianSum())
    found = [Admission(rule, admitted(promise, rule=rule, answer=answer)) for rule in rules]
    return RuleComparison(tuple(sorted(found, key=lambda admission: -admission.answers)))


def best_rule(promise: Guarantee, *, answer: PrivacyLoss) -> SpendingRule:
    """Return the rule that admits the most answers of one size under a promise.

    Example:
        >>> from privet.loss import GaussianCurve
        >>> best_rule(Guarantee(1, 1e-6), answer=PrivacyLoss.of(GaussianCurve("0.01"))).name
        'Gaussian: μ² adds up'
    """
    return compare_rules(promise, answer=answer).best


def admitted(promise: Guarantee, *, rule: SpendingRule, answer: PrivacyLoss) -> int | float:
    """Return how many answers of one size a rule admits under a promise."""
    return rule.capacity(promise).holds(rule.cost(answer))


def _epsilon_rule(promise: Guarantee, answer: PrivacyLoss) -> EpsilonSum:
    """Return the rule with the δ per answer that admits the most: n answers at ε(δ/n) while n ε(δ/n) <= ε."""
    limit, failure = promise.epsilon, promise.delta
    if failure == 0 or answer.epsilon(0) < math.inf:
        return EpsilonSum()

    def fit(count: int) -> bool:
        return count * charge(answer.epsilon(failure / count)) <= limit

    low, high = 1, 2
    while high < _MOST and fit(high):
        low = high
        high = high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fit(middle) else (low, middle)
    return EpsilonSum(delta_per_answer=failure / low)


def _renyi_rule(promise: Guarantee, answer: PrivacyLoss) -> RenyiSum:
    """Return the rule at the order with the most room for this answer."""

    def room(order: float) -> float:
        rule = RenyiSum(order)
        (capacity,) = rule.capacity(promise).parts
        (cost,) = rule.cost(answer).parts
        return float(capacity / cost) if 0 < cost < math.inf else (math.inf if cost == 0 else -1.0)

    return RenyiSum(max(_ORDERS, key=room))
