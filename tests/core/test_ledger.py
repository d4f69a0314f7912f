"""Ledger: checked, charged, then computed; in that order, always."""

import copy
import gc
import math
import pickle
import threading
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.core import Ledger, Mechanism, Release, Sensitive, Sensitivity, Unit
from privet.errors import BudgetExceeded, EntropyError, InvalidParameter, KeyReused, ReleaseFailed
from privet.loss import (
    ConcentratedGuarantee,
    EpsilonSum,
    GaussianCurve,
    GaussianSum,
    Guarantee,
    LaplaceCurve,
    Neighbors,
    PrivacyLoss,
    RenyiSum,
    SpendingRule,
    ZcdpSum,
)
from privet.mechanisms import DiscreteLaplace, Gaussian, Laplace
from privet.noise import BitSource, Entropy

PERSON = Unit("person")
COUNT = DiscreteLaplace(l1_sensitivity=1, scale=1)


def secret(value: Any = 42, sensitivity: Any = 1, unit: Unit = PERSON) -> Sensitive[Any]:  # noqa: ANN401 - anything
    return Sensitive(value, Sensitivity(sensitivity), unit)


def ask(ledger: Ledger, mechanism: Mechanism[Any, Any] = COUNT) -> Release[Any]:
    return ledger.release(secret(), mechanism, purpose="a count")


# --- the limit --------------------------------------------------------------------------------------------------


def test_ten_answers_at_one_fit_a_limit_of_ten() -> None:
    ledger = Ledger(Guarantee(10), unit=PERSON)
    for _ in range(10):
        ask(ledger)
    with pytest.raises(BudgetExceeded, match=r"requests ε=1, δ=0, but ε=0, δ=0 remains of the limit \(ε=10\)-DP"):
        ask(ledger)
    assert ledger.spent.epsilon == 10
    assert ledger.remaining.epsilon == 0
    assert len(ledger.entries) == 10


def test_three_tenths_fit_and_the_fourth_is_refused() -> None:
    ledger = Ledger(Guarantee("0.3"), unit=PERSON)
    for _ in range(3):
        ask(ledger, Laplace(l1_sensitivity=1, scale=10))
    with pytest.raises(BudgetExceeded):
        ask(ledger, Laplace(l1_sensitivity=1, scale=Fraction(10) ** 15))
    assert ledger.spent.epsilon == Fraction(3, 10)


def test_epsilon_and_delta_both_count() -> None:
    """R031: three answers at (0.5, 1e-6) are (1.5, 3e-6)."""
    mechanism = Gaussian.calibrated(epsilon="0.5", delta="1e-6", sensitivity=Sensitivity(1))
    ledger = Ledger(Guarantee("1.5", "3e-6"), unit=PERSON)
    for _ in range(3):
        ask(ledger, mechanism)
    assert (ledger.spent.epsilon, ledger.spent.delta) == (Fraction(3, 2), Fraction(3, 10**6))
    short = Ledger(Guarantee(100, "2.9e-6"), unit=PERSON)
    ask(short, mechanism)
    ask(short, mechanism)
    with pytest.raises(BudgetExceeded):
        ask(short, mechanism)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [(EpsilonSum(), 100), (ZcdpSum(), 488), (RenyiSum(22), 492), (GaussianSum(), 356)],
    ids=lambda x: str(x)[:12],
)
def test_each_rule_admits_what_compare_rules_says(rule: SpendingRule, expected: int) -> None:
    answer = Laplace(l1_sensitivity=1, scale=100)
    limit = Guarantee(1, 1e-6)
    assert {type(a.rule): a.answers for a in Ledger.compare_rules(limit, answer).admissions}[type(rule)] == expected
    ledger = Ledger(limit, unit=PERSON, rule=rule)
    for _ in range(expected):
        ask(ledger, answer)
    with pytest.raises(BudgetExceeded):
        ask(ledger, answer)


def test_a_limit_on_rho_counts_rho() -> None:
    ledger = Ledger(ConcentratedGuarantee("0.01"), unit=PERSON)
    mechanism = Gaussian.calibrated(rho="0.005", sensitivity=Sensitivity(1))
    ask(ledger, mechanism)
    ask(ledger, mechanism)
    assert ledger.spent.rho <= Fraction(1, 100)
    assert repr(ledger.limit) == "(ρ=0.01)-zCDP"
    with pytest.raises(BudgetExceeded):
        ask(ledger, mechanism)


@pytest.mark.parametrize("rule", [EpsilonSum(), RenyiSum(8)])
def test_a_limit_on_rho_refuses_rules_that_cannot_promise_it(rule: SpendingRule) -> None:
    with pytest.raises(InvalidParameter, match="ZcdpSum"):
        Ledger(ConcentratedGuarantee(1), unit=PERSON, rule=rule)


def test_an_answer_that_is_not_pure_needs_a_delta() -> None:
    mechanism = Gaussian(l2_sensitivity=1, scale=10)
    with pytest.raises(BudgetExceeded, match="this limit has no δ"):
        ask(Ledger(Guarantee(10), unit=PERSON), mechanism)
    ledger = Ledger(Guarantee(10, 1e-6), unit=PERSON)
    with pytest.raises(BudgetExceeded, match="pass delta="):
        ask(ledger, mechanism)
    ledger.release(secret(), mechanism, purpose="a mean", delta="5e-7")
    assert ledger.spent.delta == Fraction(5, 10**7)
    assert ledger.spent.epsilon >= Fraction(mechanism.loss.epsilon("5e-7"))
    assert EpsilonSum(delta_per_answer="5e-7").cost(mechanism.loss) == ledger.spent


@given(st.lists(st.fractions(min_value=Fraction(1, 50), max_value=2, max_denominator=60), max_size=12))
def test_the_total_is_the_exact_sum_and_never_above_the_limit(prices: list[Fraction]) -> None:
    ledger = Ledger(Guarantee(3), unit=PERSON)
    paid = Fraction(0)
    for price in prices:
        if paid + price <= 3:
            ask(ledger, Laplace(l1_sensitivity=1, scale=1 / price))
            paid += price
        else:
            with pytest.raises(BudgetExceeded):
                ask(ledger, Laplace(l1_sensitivity=1, scale=1 / price))
    assert ledger.spent.epsilon == paid
    assert ledger.remaining.epsilon == 3 - paid


def test_threads_never_overspend() -> None:
    ledger = Ledger(Guarantee(20), unit=PERSON)
    outcomes = []

    def spend() -> None:
        for _ in range(10):
            try:
                outcomes.append(ask(ledger).value is not None)
            except BudgetExceeded:
                outcomes.append(False)

    threads = [threading.Thread(target=spend) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(outcomes) == 20 == len(ledger.entries)
    assert [entry.sequence for entry in ledger.entries] == list(range(1, 21))


# --- before the charge ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("attempt", "says"),
    [
        (lambda ledger: ledger.release(42, COUNT, purpose="raw"), "wrap it as Sensitive"),
        (lambda ledger: ledger.release(secret(), "laplace", purpose="no mechanism"), "must be a Mechanism"),
        (lambda ledger: ledger.release(secret(), COUNT, purpose=" "), "purpose must say"),
        (lambda ledger: ledger.release(secret(), COUNT, purpose=None), "purpose must say"),
        (lambda ledger: ledger.release(secret(sensitivity=2), COUNT, purpose="far"), "does not cover"),
        (lambda ledger: ledger.release(secret(unit=Unit("visit")), COUNT, purpose="who"), "protects Unit"),
        (lambda ledger: ledger.release(secret(unit=Unit("person", "replace")), COUNT, purpose="who"), "protects Unit"),
        (lambda ledger: ledger.release(secret(math.nan), Laplace(1, 1), purpose="nan"), "must be finite"),
        (lambda ledger: ledger.release(secret([]), Laplace(1, 1), purpose="none"), "at least one number"),
        (lambda ledger: ledger.release(secret(), COUNT, purpose="delta", delta=2), "delta"),
        (lambda ledger: ledger.reserve([], purpose="nothing"), "at least one loss"),
        (lambda ledger: ledger.reserve(PrivacyLoss(), purpose="nothing"), "at least one loss"),
    ],
)
def test_what_does_not_fit_is_refused_before_the_charge(attempt: Callable[[Ledger], Any], says: str) -> None:
    ledger = Ledger(Guarantee(10), unit=PERSON)
    with pytest.raises(InvalidParameter, match=says):
        attempt(ledger)
    assert not ledger.entries


def test_a_refused_spend_reads_no_data() -> None:
    ledger = Ledger(Guarantee("0.5"), unit=PERSON)
    with pytest.raises(BudgetExceeded):
        ledger.release(Sensitive.later(pytest.fail, Sensitivity(1), PERSON), COUNT, purpose="too much")
    assert not ledger.entries


def test_a_deferred_secret_is_computed_after_its_entry_is_written() -> None:
    ledger = Ledger(Guarantee(10), unit=PERSON)
    seen = []

    def compute() -> int:
        seen.append([entry.purpose for entry in ledger.entries])
        return 42

    ledger.release(Sensitive.later(compute, Sensitivity(1), PERSON), COUNT, purpose="late")
    assert seen == [["late"]]


def test_the_loss_is_priced_under_the_units_neighbors() -> None:
    """Two parallel blocks cost their worst when a unit leaves, and both when it can move between them."""
    plan = PrivacyLoss.of(LaplaceCurve(1)) | PrivacyLoss.of(LaplaceCurve(2))
    for neighbors, price in ((Neighbors.ADD_REMOVE, 2), (Neighbors.REPLACE, 3)):
        ledger = Ledger(Guarantee(10), unit=Unit("person", neighbors))
        ledger.reserve(plan, purpose="two blocks")
        assert ledger.spent.epsilon == price
    sampled = PrivacyLoss.of(LaplaceCurve(1)).sampled("0.1")
    with pytest.raises(InvalidParameter, match="ADD_REMOVE"):
        Ledger(Guarantee(10), unit=Unit("person", "replace")).reserve(sampled, purpose="sampled")


# --- after the charge -------------------------------------------------------------------------------------------


def explode() -> int:
    raise ValueError("Ada Lovelace has 17 visits")


@pytest.mark.parametrize("compute", [explode, lambda: math.nan, lambda: "17 visits", lambda: np.array([])])
def test_a_failure_after_the_charge_keeps_the_spend_and_tells_nothing(compute: Callable[[], Any]) -> None:
    ledger = Ledger(Guarantee(10), unit=PERSON)
    late = Sensitive.later(compute, Sensitivity(1), PERSON)
    with pytest.raises(ReleaseFailed) as caught:
        ledger.release(late, Laplace(l1_sensitivity=1, scale=1), purpose="fails")
    assert ledger.spent.epsilon == 1
    assert "17" not in str(caught.value)
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None


def test_every_failure_says_the_same() -> None:
    texts = set()
    for compute in (explode, lambda: math.nan):
        with pytest.raises(ReleaseFailed) as caught:
            Ledger(Guarantee(10), unit=PERSON).release(
                Sensitive.later(compute, Sensitivity(1), PERSON), Laplace(1, 1), purpose="fails"
            )
        texts.add(str(caught.value))
    assert len(texts) == 1


def test_lost_entropy_keeps_the_spend(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_randomness(self: Entropy, count: int) -> Any:  # noqa: ANN401, ARG001 - a stand-in
        raise EntropyError("no randomness")

    ledger = Ledger(Guarantee(10), unit=PERSON)
    monkeypatch.setattr(Entropy, "words", no_randomness)
    with pytest.raises(EntropyError):
        ask(ledger)
    assert ledger.spent.epsilon == 1


# --- reservations -----------------------------------------------------------------------------------------------


def test_a_reservation_pays_the_composed_price_once() -> None:
    ledger = Ledger(Guarantee(1, 1e-6), unit=PERSON)
    noisy = Gaussian(l2_sensitivity=1, scale=50)
    plan = ledger.reserve([noisy] * 50, purpose="fifty means", delta=1e-6)
    assert ledger.spent.epsilon == EpsilonSum(delta_per_answer="1e-6").cost(noisy.loss * 50).epsilon
    before = ledger.spent
    for _ in range(50):
        plan.release(secret(1.5), noisy, purpose="a mean")
    assert ledger.spent == before
    with pytest.raises(BudgetExceeded, match="the plan 'fifty means' has PrivacyLoss\\(nothing\\) left"):
        plan.release(secret(1.5), noisy, purpose="one more")
    assert [entry.kind for entry in ledger.entries] == ["reservation"] + ["draw"] * 50
    assert {entry.reservation for entry in ledger.entries} == {None, 1}


def test_only_the_reserved_curves_can_be_drawn_in_any_order() -> None:
    ledger = Ledger(Guarantee(10), unit=PERSON)
    one, two = Laplace(l1_sensitivity=1, scale=1), Laplace(l1_sensitivity=1, scale=2)
    plan = ledger.reserve([one, two], purpose="both")
    with pytest.raises(BudgetExceeded, match="reserve the very losses"):
        plan.release(secret(), Laplace(l1_sensitivity=1, scale=3), purpose="another")
    with pytest.raises(BudgetExceeded):  # not even a cheaper one: the plan was priced as it was fixed
        plan.release(secret(), Laplace(l1_sensitivity=1, scale=100), purpose="cheaper")
    plan.release(secret(), two, purpose="second first")
    plan.release(secret(), one, purpose="first second")
    assert plan.left == PrivacyLoss()


def test_a_part_of_a_reservation_can_be_set_aside() -> None:
    ledger = Ledger(Guarantee(10), unit=PERSON)
    plan = ledger.reserve(COUNT.loss * 5, purpose="five")
    two = plan.reserve(COUNT.loss * 2, purpose="two of them")
    assert plan.left == COUNT.loss * 3
    assert two.left == COUNT.loss * 2
    assert ledger.spent.epsilon == 5
    ask(two)
    with pytest.raises(BudgetExceeded):
        plan.reserve(COUNT.loss * 4, purpose="too many")


def test_a_reservation_that_does_not_fit_is_refused_whole() -> None:
    ledger = Ledger(Guarantee(3), unit=PERSON)
    with pytest.raises(BudgetExceeded):
        ledger.reserve(COUNT.loss * 4, purpose="four")
    assert not ledger.entries


def test_threads_draw_each_curve_once() -> None:
    ledger = Ledger(Guarantee(100), unit=PERSON)
    plan = ledger.reserve(COUNT.loss * 20, purpose="twenty")
    drawn = []

    def draw() -> None:
        for _ in range(10):
            try:
                drawn.append(ask(plan))
            except BudgetExceeded:
                return

    threads = [threading.Thread(target=draw) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(drawn) == 20


# --- a handle, not data -----------------------------------------------------------------------------------------


def test_copies_are_the_same_ledger() -> None:
    ledger = Ledger(Guarantee(10), unit=PERSON)
    plan = ledger.reserve(COUNT.loss, purpose="one")
    for handle in (ledger, plan):
        assert copy.copy(handle) is handle
        assert copy.deepcopy([handle])[0] is handle
        with pytest.raises(TypeError, match="second budget"):
            pickle.dumps(handle)


def test_a_ledger_takes_no_entropy_from_outside() -> None:
    with pytest.raises(InvalidParameter, match="unexpected keyword argument 'entropy'"):
        Ledger(Guarantee(1), unit=PERSON, entropy=Entropy())  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("limit", "unit", "says"),
    [
        (1.0, PERSON, "must be a Guarantee"),
        (Guarantee(1), "person", "must be a Unit"),
    ],
)
def test_bad_terms_are_refused(limit: Any, unit: Any, says: str) -> None:  # noqa: ANN401 - anything
    with pytest.raises(InvalidParameter, match=says):
        Ledger(limit, unit=unit)


def test_it_reads_well() -> None:
    with Ledger(Guarantee(1, 1e-6), unit=PERSON) as ledger:
        ask(ledger, Laplace(l1_sensitivity=1, scale=4))
    assert repr(ledger) == (
        "Ledger((ε=1, δ=1e-6)-DP per person, one unit more or less; ε and δ add up; spent ε=0.25, δ=0; 1 entry)"
    )
    (entry,) = ledger.entries
    assert entry.loss == PrivacyLoss.of(LaplaceCurve("1/4"))
    assert entry.mechanism == "Laplace(l1_sensitivity=1, scale=4)"


def test_a_release_keeps_no_secret() -> None:
    """Nothing reachable from a release or its ledger holds the exact value."""
    ledger = Ledger(Guarantee(10), unit=PERSON)
    marker = 123_456_789_012_345
    release = ledger.release(secret(marker), Laplace(l1_sensitivity=1, scale=1000), purpose="hidden")
    gc.collect()
    reached = set[int]()
    todo = [release, ledger]
    while todo:
        thing = todo.pop()
        if id(thing) in reached or isinstance(thing, type | type(gc)):
            continue
        reached.add(id(thing))
        assert not (isinstance(thing, int) and thing == marker)
        if len(reached) < 20_000:
            todo.extend(gc.get_referents(thing) if not callable(thing) else [])


def test_gaussian_answers_add_up_under_their_own_rule() -> None:
    ledger = Ledger(Guarantee(1, 1e-6), unit=PERSON, rule=GaussianSum())
    ask(ledger, Gaussian(l2_sensitivity=1, scale=100))
    assert ledger.spent.parts == (Fraction(1, 10_000),)
    assert repr(ledger.spent) == "μ²=0.0001"
    ledger.reserve(PrivacyLoss.of(GaussianCurve("0.01")) * 3, purpose="more")
    assert ledger.spent.parts == (Fraction(4, 10_000),)


def test_a_mechanism_that_cheats_on_its_promise_is_charged_its_loss() -> None:
    class Cheat(Laplace):
        promise = Guarantee("0.001")

        def sample(self, value: Any, source: BitSource) -> float:  # noqa: ANN401, ARG002 - a stand-in
            return 0.0

    ledger = Ledger(Guarantee(10), unit=PERSON)
    ask(ledger, Cheat(l1_sensitivity=1, scale=1))
    assert ledger.spent.epsilon == 1


def test_a_delta_that_does_not_fit_is_named() -> None:
    ledger = Ledger(Guarantee(1, 1e-9), unit=PERSON)
    mechanism = Gaussian.calibrated(epsilon="0.1", delta="1e-6", sensitivity=Sensitivity(1))
    with pytest.raises(BudgetExceeded, match="its δ does not fit"):
        ask(ledger, mechanism)


# --- random DP: a sensitivity that was sampled ----------------------------------------------------------------------


SAMPLED = Sensitivity(1, gamma="0.05")


def sampled(value: Any = 42) -> Sensitive[Any]:  # noqa: ANN401 - anything
    return Sensitive(value, SAMPLED, PERSON)


def test_a_limit_without_gamma_refuses_what_was_sampled_before_anything_is_spent() -> None:
    touched: list[int] = []

    def touch() -> int:
        touched.append(1)
        return 42

    secret = Sensitive.later(touch, SAMPLED, PERSON)
    for limit in (Guarantee(10), Guarantee(10, "1e-6"), ConcentratedGuarantee(1)):
        ledger = Ledger(limit, unit=PERSON)
        with pytest.raises(BudgetExceeded, match=r"γ=0.05.*was sampled.*Guarantee\(1, gamma=0.05\)"):
            ledger.release(secret, COUNT, purpose="a count")
        with pytest.raises(BudgetExceeded, match="was sampled"):
            ledger.reserve([COUNT], purpose="a plan").release(secret, COUNT, purpose="a count")
        assert [entry.kind for entry in ledger.entries] == ["reservation"]
    assert not touched


@pytest.mark.parametrize(
    ("limit", "rule", "spent"),
    [
        (Guarantee(10, gamma="0.15"), EpsilonSum(), (Fraction(3), Fraction(0), Fraction(3, 20))),
        (Guarantee(100, "1e-6", "0.15"), ZcdpSum(), (None, Fraction(3, 20))),
        (Guarantee(100, "1e-6", "0.15"), RenyiSum(8), (None, Fraction(3, 20))),
        (Guarantee(100, "1e-6", "0.15"), GaussianSum(), (None, Fraction(3, 20))),
    ],
    ids=str,
)
def test_gammas_add_up_exactly_whatever_the_rule(limit: Guarantee, rule: SpendingRule, spent: Any) -> None:  # noqa: ANN401 - parts
    ledger = Ledger(limit, unit=PERSON, rule=rule)
    for _ in range(3):
        assert ledger.release(sampled(), COUNT, purpose="a count").gamma == Fraction(1, 20)
    assert ledger.spent.gamma == Fraction(3, 20)
    assert ledger.remaining.gamma == 0
    assert all(known is None or known == part for known, part in zip(spent, ledger.spent.parts, strict=True))
    with pytest.raises(BudgetExceeded, match="its γ does not fit"):
        ledger.release(sampled(), COUNT, purpose="a count")
    assert ask(ledger).gamma == 0  # a proven sensitivity needs none
    assert len(ledger.entries) == 4


def test_a_release_of_what_was_sampled_never_claims_pure_dp() -> None:
    """R140: the claim is (ε, γ) random DP."""
    ledger = Ledger(Guarantee(1, gamma="0.05"), unit=PERSON)
    release = ledger.release(sampled(), COUNT, purpose="a count")
    assert "spent (ε=1, γ=0.05) random DP per person" in repr(release)
    assert "spent (ε=1, γ=0.05) random DP per person" in repr(release.map(float))
    assert repr(ledger).startswith("Ledger((ε=1, γ=0.05) random DP per person")
    assert "spent ε=1, δ=0, γ=0.05" in repr(ledger)


def test_a_plan_pays_for_losses_and_each_draw_for_its_gamma() -> None:
    ledger = Ledger(Guarantee(2, gamma="0.05"), unit=PERSON)
    plan = ledger.reserve([COUNT, COUNT], purpose="two counts")
    assert ledger.spent.gamma == 0
    assert plan.release(sampled(), COUNT, purpose="the first").gamma == Fraction(1, 20)
    assert repr(ledger.spent) == "ε=2, δ=0, γ=0.05"
    with pytest.raises(BudgetExceeded, match="γ does not fit"):
        plan.release(sampled(), COUNT, purpose="the second")
    assert plan.left == COUNT.loss.under(Neighbors.ADD_REMOVE)
    assert plan.release(secret(), COUNT, purpose="the second, proven").gamma == 0


def test_a_key_is_bound_to_gamma_and_keeps_the_label() -> None:
    ledger = Ledger(Guarantee(10, gamma="0.5"), unit=PERSON)
    first = ledger.release(sampled(), COUNT, purpose="a count", key="k")
    again = ledger.release(sampled(), COUNT, purpose="a count", key="k")
    assert (again.value, again.gamma) == (first.value, Fraction(1, 20))
    with pytest.raises(KeyReused):
        ledger.release(secret(), COUNT, purpose="a count", key="k")
    assert ledger.spent.gamma == Fraction(1, 20)


def test_a_stable_map_takes_no_sampled_sensitivity_across_several_units() -> None:
    def same(value: int) -> int:
        return value

    assert COUNT.after(same, stability=1).covers(SAMPLED)
    assert COUNT.after(same, stability=2).covers(Sensitivity(1))
    assert not COUNT.after(same, stability=2).covers(SAMPLED)
