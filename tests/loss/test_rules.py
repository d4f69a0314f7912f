"""Spending rules: prices, capacities, and soundness against adversaries that adapt."""

import math
import random
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.errors import InvalidParameter
from privet.explain.theorems import renyi_to_epsilon, zcdp_to_epsilon
from privet.loss import ApproximateCurve
from privet.loss.amount import Amount
from privet.loss.divergences.divergence import hockey_stick
from privet.loss.guarantee import Guarantee
from privet.loss.privacy_loss import PrivacyLoss
from privet.loss.rule_choice import admitted, best_rule
from privet.loss.rules import EpsilonSum, GaussianSum, RenyiSum, SpendingRule, ZcdpSum, rule_from_json
from tests.loss.losses import LEAK, UNPRICEABLE, normal, response

RULES: tuple[SpendingRule, ...] = (
    EpsilonSum(),
    EpsilonSum(delta_per_answer="1e-8"),
    ZcdpSum(),
    RenyiSum(order=8),
    GaussianSum(),
)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_what_cannot_be_priced_fits_no_limit(rule: SpendingRule) -> None:
    capacity = rule.capacity(Guarantee(100, "0.1"))
    for loss in (LEAK, *UNPRICEABLE):
        assert not rule.cost(loss).fits(capacity)
        assert capacity.holds(rule.cost(loss)) == 0


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_rules_are_spending_rules_with_one_shape_of_amount(rule: SpendingRule) -> None:
    assert isinstance(rule, SpendingRule)
    assert len(rule.cost(response(0.5)).parts) == len(rule.capacity(Guarantee(1, "1e-6")).parts)


def test_epsilon_sum_prices_pure_losses_without_delta() -> None:
    rule = EpsilonSum(delta_per_answer="1e-8")
    assert rule.cost(response(0.1)) == Amount(Fraction(1, 10), Fraction(0))
    epsilon, delta = rule.cost(normal(0.1)).parts
    assert delta == Fraction(1, 10**8)
    assert Fraction(normal(0.1).epsilon(1e-8)) <= epsilon < 1
    assert EpsilonSum().cost(normal(0.1)).parts[0] == math.inf


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_recorded_rule_is_read_back(rule: SpendingRule) -> None:
    assert rule_from_json(rule.to_json()) == rule


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", "3", '{"rule": "x"}', '{"rule": "renyi"}', '{"rule": "zcdp", "order": 2}']
)
def test_what_is_no_rule_is_refused(text: str) -> None:
    with pytest.raises(InvalidParameter, match="not the JSON of a spending rule"):
        rule_from_json(text)


def test_gaussian_sum_is_exact_for_gaussians_and_prices_pure_losses() -> None:
    rule = GaussianSum()
    assert rule.cost(normal("0.1") * 100 + normal("0.2")) == Amount(1 + Fraction(4, 100))
    (pure,) = rule.cost(response("0.1")).parts
    assert float(pure) == pytest.approx(0.1**2 * math.pi / 2, rel=1e-3)
    (room,) = rule.capacity(Guarantee(1, "1e-6")).parts
    assert normal(Fraction(math.sqrt(room))).delta(1) <= 1e-6
    assert normal(Fraction(math.sqrt(room) * (1 + 1e-6))).delta(1) > 1e-6
    assert rule.capacity(Guarantee(1)) == Amount(Fraction(0))


def test_costs_of_pure_losses_are_fractions() -> None:
    third = PrivacyLoss.of(ApproximateCurve("1/3"))
    assert EpsilonSum().cost(third) == Amount(Fraction(1, 3), Fraction(0))
    assert admitted(Guarantee(1), rule=EpsilonSum(), answer=third) == 3


def test_ten_answers_of_a_tenth_fill_one() -> None:
    assert admitted(Guarantee(1), rule=EpsilonSum(), answer=response(0.1)) == 10
    assert admitted(Guarantee("0.3"), rule=EpsilonSum(), answer=response(0.1)) == 3


@given(st.floats(0.01, 50), st.floats(1e-12, 0.4))
def test_capacities_keep_the_promise_and_waste_little(epsilon: float, delta: float) -> None:
    limit = Guarantee(epsilon, delta)
    (rho,) = ZcdpSum().capacity(limit).parts
    assert zcdp_to_epsilon(Fraction(rho), delta=delta) <= epsilon * (1 + 1e-9)
    assert rho > 0
    assert zcdp_to_epsilon(Fraction(rho) * Fraction(1001, 1000), delta=delta) > epsilon
    for order in (2, 16, 300):
        (room,) = RenyiSum(order=order).capacity(limit).parts
        if room > 0:
            assert renyi_to_epsilon(Fraction(room), order=order, delta=delta) <= epsilon * (1 + 1e-15)
            assert renyi_to_epsilon(Fraction(room) + Fraction(1, 10**9), order=order, delta=delta) > epsilon


@pytest.mark.parametrize("rule", [ZcdpSum(), RenyiSum(order=8)], ids=lambda rule: rule.name)
def test_without_delta_only_epsilons_can_be_summed(rule: SpendingRule) -> None:
    assert rule.capacity(Guarantee(1)) == Amount(Fraction(0))
    assert best_rule(Guarantee(1), answer=response(0.1)) == EpsilonSum()


@pytest.mark.parametrize("order", [1, 0.5, math.inf, math.nan, "x"])
def test_orders_that_say_nothing_are_refused(order: float) -> None:
    with pytest.raises(InvalidParameter, match="order"):
        RenyiSum(order=order)


# Soundness under full adaptivity. An adversary chooses each randomized response after seeing the earlier
# outputs; the rule stops it. The two laws of the whole transcript are enumerated and compared exactly.

MENU = (0.05, 0.1, 0.2, 0.35, 0.6)
DEPTH = 9


@dataclass
class Adversary:
    """Bets more after outputs that spoke against the truth, as a gambler does; else at random."""

    rule: SpendingRule
    limit: Guarantee
    seed: int
    greedy: bool
    discount: int = 1

    def transcripts(self) -> tuple[list[float], list[float]]:
        """Return the two laws of the transcript."""
        self._laws: tuple[list[float], list[float]] = ([], [])
        self._capacity = self.rule.capacity(self.limit) * self.discount
        zero = self._capacity * 0
        self._play((), zero, 1.0, 1.0)
        return self._laws

    def _choose(self, history: tuple[int, ...], spent: Amount) -> float | None:
        choice = random.Random(f"{self.seed}{history}")  # noqa: S311 - a strategy, not noise
        losing = sum(1 if bit else -1 for bit in history) <= 0
        menu = sorted(MENU, reverse=True) if self.greedy and losing else choice.sample(MENU, k=len(MENU))
        affordable = (level for level in menu if (spent + _price(self.rule, level)).fits(self._capacity))
        return next(affordable, None) if len(history) < DEPTH else None

    def _play(self, history: tuple[int, ...], spent: Amount, p: float, q: float) -> None:
        level = self._choose(history, spent)
        if level is None:
            self._laws[0].append(p)
            self._laws[1].append(q)
            return
        truth = 1 / (1 + math.exp(-level))
        after = spent + _price(self.rule, level)
        self._play((*history, 1), after, p * truth, q * (1 - truth))
        self._play((*history, 0), after, p * (1 - truth), q * truth)


def _price(rule: SpendingRule, level: float, prices: dict[tuple[str, float], Amount] = {}) -> Amount:  # noqa: B006 - a cache
    if (rule.name, level) not in prices:
        prices[rule.name, level] = rule.cost(response(level))
    return prices[rule.name, level]


SOUND = [
    (EpsilonSum(), Guarantee(1)),
    (EpsilonSum(), Guarantee("0.55", "0.01")),
    (ZcdpSum(), Guarantee("1.2", "0.01")),
    (ZcdpSum(), Guarantee("0.8", "0.1")),
    (RenyiSum(order=4), Guarantee("1.2", "0.05")),
    (RenyiSum(order=16), Guarantee(1, "0.001")),
    (GaussianSum(), Guarantee("1.2", "0.05")),
    (GaussianSum(), Guarantee("0.8", "0.1")),
]


@pytest.mark.parametrize(("rule", "limit"), SOUND, ids=lambda value: getattr(value, "name", str(value)))
def test_adaptive_adversaries_stay_within_the_promise(rule: SpendingRule, limit: Guarantee) -> None:
    worst = 0.0
    for seed in range(12):
        laws = Adversary(rule, limit, seed, greedy=seed % 2 == 0).transcripts()
        for p, q in (laws, laws[::-1]):
            worst = max(worst, hockey_stick(p, q, epsilon=float(limit.epsilon)))
    assert worst <= float(limit.delta) + 1e-12


@pytest.mark.parametrize(("rule", "limit"), SOUND, ids=lambda value: getattr(value, "name", str(value)))
def test_the_same_adversaries_break_a_limit_eight_times_too_high(rule: SpendingRule, limit: Guarantee) -> None:
    laws = Adversary(rule, limit, seed=0, greedy=True, discount=8).transcripts()
    assert hockey_stick(*laws, epsilon=float(limit.epsilon)) > float(limit.delta)


def test_stopping_at_the_composed_profile_is_no_filter() -> None:
    """Why rules exist: composing what was spent as if it had been fixed in advance is not enough.

    A ledger that admits a release while that composition stays within (ε=1, δ=0.1) lets an adversary who
    chooses between releases of 0.3 and 0.9 reach δ=0.121.
    """
    epsilon = 1.0
    delta = 0.1
    small = 0.3
    large = 0.9

    @cache
    def allowed(smalls: int, larges: int) -> bool:
        return _profile((small,) * smalls + (large,) * larges, epsilon) <= delta

    @cache
    def reached(smalls: int, larges: int, net_small: int, net_large: int) -> float:
        """Return the largest δ the adversary can reach from here: stop, or play one more release."""
        best = max(0.0, -math.expm1(epsilon - net_small * small - net_large * large))
        for one_small, one_large, level in ((1, 0, small), (0, 1, large)):
            after = (smalls + one_small, larges + one_large)
            if allowed(*after):
                truth = 1 / (1 + math.exp(-level))
                up = reached(*after, net_small + one_small, net_large + one_large)
                down = reached(*after, net_small - one_small, net_large - one_large)
                best = max(best, truth * up + (1 - truth) * down)
        return best

    assert reached(0, 0, 0, 0) == pytest.approx(0.1211, abs=1e-4)


def _profile(levels: tuple[float, ...], epsilon: float) -> float:
    """Return the δ of randomized responses at these levels, fixed in advance, by enumeration."""
    law = {0.0: 1.0}
    for level in levels:
        truth = 1 / (1 + math.exp(-level))
        after: dict[float, float] = {}
        for loss, mass in law.items():
            for step, share in ((level, truth), (-level, 1 - truth)):
                total = round(loss + step, 9)
                after[total] = after.get(total, 0.0) + mass * share
        law = after
    return sum(mass * -math.expm1(epsilon - loss) for loss, mass in law.items() if loss > epsilon)
