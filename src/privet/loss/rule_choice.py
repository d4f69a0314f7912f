"""Choosing a spending rule: how many answers of a given size each rule admits, before a ledger opens."""

import math
from dataclasses import dataclass

from privet.loss.amount import charge
from privet.loss.outward import float_down, nonnegative, probability_of
from privet.loss.rules import EpsilonSum, Loss, Promise, RenyiSum, SpendingRule, ZcdpSum

_ORDERS = (1.25, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024, 4096)
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


def compare_rules(promise: Promise, *, answer: Loss) -> RuleComparison:
    """Return how many answers of one size each rule admits under a promise, best first.

    Args:
        promise: the limit of the ledger.
        answer: the loss of one typical answer.

    Rules are compared in the order ε, ρ, Rényi; of equals the first, the simplest to explain, comes first.
    """
    rules = (_epsilon_rule(promise, answer), ZcdpSum(), _renyi_rule(promise, answer))
    found = [Admission(rule, admitted(promise, rule=rule, answer=answer)) for rule in rules]
    return RuleComparison(tuple(sorted(found, key=lambda admission: -admission.answers)))


def best_rule(promise: Promise, *, answer: Loss) -> SpendingRule:
    """Return the rule that admits the most answers of one size under a promise."""
    return compare_rules(promise, answer=answer).best


def admitted(promise: Promise, *, rule: SpendingRule, answer: Loss) -> int | float:
    """Return how many answers of one size a rule admits under a promise."""
    return rule.capacity(promise).holds(rule.cost(answer))


def _epsilon_rule(promise: Promise, answer: Loss) -> EpsilonSum:
    """Return the rule with the δ per answer that admits the most: n answers at ε(δ/n) while n ε(δ/n) <= ε."""
    limit, failure = nonnegative(promise.epsilon, "epsilon"), probability_of(promise.delta, "delta")
    if failure == 0 or charge(answer.epsilon(0.0)) != math.inf:
        return EpsilonSum()

    def fit(count: int) -> bool:
        return count * charge(answer.epsilon(float_down(failure / count))) <= limit

    low, high = 1, 2
    while high < _MOST and fit(high):
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fit(middle) else (low, middle)
    return EpsilonSum(delta_per_answer=failure / low)


def _renyi_rule(promise: Promise, answer: Loss) -> RenyiSum:
    """Return the rule at the order with the most room for this answer."""

    def room(order: float) -> float:
        rule = RenyiSum(order)
        (capacity,), (cost,) = rule.capacity(promise).parts, rule.cost(answer).parts
        return float(capacity / cost) if 0 < cost < math.inf else (math.inf if cost == 0 else -1.0)

    return RenyiSum(max(_ORDERS, key=room))
