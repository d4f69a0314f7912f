"""The arithmetic of losses, and what is read off them."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.errors import InvalidParameter
from privet.loss import (
    ApproximateCurve,
    GaussianCurve,
    Guarantee,
    LaplaceCurve,
    LossCurve,
    Neighbors,
    PrivacyLoss,
    RandomizedResponseCurve,
)

of = PrivacyLoss.of
CURVES: list[LossCurve] = [
    ApproximateCurve("0.5"),
    ApproximateCurve("0.1", "1e-7"),
    LaplaceCurve("0.3"),
    LaplaceCurve(2),
    GaussianCurve("0.2"),
    GaussianCurve(1),
    RandomizedResponseCurve("0.2", "0.4"),
]
losses = st.lists(st.tuples(st.sampled_from(CURVES), st.integers(1, 4)), max_size=3).map(
    lambda parts: sum((of(curve, n) for curve, n in parts), PrivacyLoss())
)
deltas = st.sampled_from([0.1, 1e-3, 1e-6, 1e-10])
TOLERANCE = 3e-5  # readings of different compositions use different grids


@given(losses, losses, deltas)
def test_adding_commutes_and_never_lowers_epsilon(a: PrivacyLoss, b: PrivacyLoss, delta: float) -> None:
    assert a + b == b + a
    assert hash(a + b) == hash(b + a)
    assert (a + b).epsilon(delta) >= a.epsilon(delta) * (1 - TOLERANCE) - 1e-9


@given(losses, losses, losses)
def test_adding_associates(a: PrivacyLoss, b: PrivacyLoss, c: PrivacyLoss) -> None:
    assert (a + b) + c == a + (b + c)
    assert a * 2 == a + a == 2 * a
    assert a * 0 == PrivacyLoss()


@settings(max_examples=40)
@given(losses, losses, deltas)
def test_parallel_is_at_most_sequential(a: PrivacyLoss, b: PrivacyLoss, delta: float) -> None:
    parallel = (a | b).epsilon(delta)
    assert parallel <= (a + b).epsilon(delta) * (1 + 1e-3) + 1e-9
    assert parallel >= max(a.epsilon(delta), b.epsilon(delta)) * (1 - 1e-3) - 1e-9


@given(losses)
def test_doing_nothing_changes_nothing(a: PrivacyLoss) -> None:
    assert a.sampled(1) == a
    assert a.group(1) == a
    assert a + PrivacyLoss() == a
    assert PrivacyLoss.from_json(a.to_json()) == a
    assert a.preprocessed(2) == a.group(2)


@given(losses, st.lists(st.integers(0, 6_000), min_size=3, max_size=8))
def test_delta_is_decreasing_and_convex_in_exp_epsilon(a: PrivacyLoss, thousandths: list[int]) -> None:
    epsilon = np.unique(np.array(thousandths)) / 1000
    delta = np.array([a.delta(float(e)) for e in epsilon])
    assert np.all(np.diff(delta) <= 1e-4 * delta[:-1] + 1e-15)
    x = np.exp(epsilon)
    for i in range(1, len(x) - 1):
        chord = delta[i - 1] + (delta[i + 1] - delta[i - 1]) * (x[i] - x[i - 1]) / (x[i + 1] - x[i - 1])
        assert delta[i] <= chord * (1 + 1e-3) + 1e-12


@settings(max_examples=30)
@given(losses, deltas, st.sampled_from(["0.01", "0.2"]))
def test_sampling_never_costs_more(a: PrivacyLoss, delta: float, rate: str) -> None:
    assert a.sampled(rate).epsilon(delta) <= a.epsilon(delta) * (1 + 1e-3) + 1e-9


def test_under_replacement_parallel_parts_cost_their_two_worst_together() -> None:
    blocks = of(LaplaceCurve(1)) | of(LaplaceCurve("0.5")) | of(LaplaceCurve("0.25"))
    assert blocks.epsilon(0) == 1
    assert blocks.under(Neighbors.ADD_REMOVE) == blocks
    assert blocks.under(Neighbors.REPLACE).epsilon(0) == 1.5
    same = of(LaplaceCurve(1)) | of(LaplaceCurve(1))
    assert same.under(Neighbors.REPLACE).epsilon(0) == 2


def test_sampled_blocks_can_be_read_under_replacement_as_leaving_and_joining() -> None:
    sampled = of(GaussianCurve(1)).sampled("0.1")
    moved = (sampled | of(LaplaceCurve("0.5"))).under(Neighbors.REPLACE)
    assert moved.neighbors == frozenset({Neighbors.REPLACE})
    assert moved.epsilon(1e-6) >= (sampled + of(LaplaceCurve("0.5"))).epsilon(1e-6) * (1 - 1e-3)


def test_relations_do_not_mix() -> None:
    shuffled = of(ApproximateCurve(1)).shuffled(100)
    sampled = of(GaussianCurve(1)).sampled("0.1")
    with pytest.raises(InvalidParameter, match="share a neighbor relation"):
        _ = shuffled + sampled
    with pytest.raises(InvalidParameter, match="SampledCurve holds only for ADD_REMOVE"):
        sampled.under(Neighbors.REPLACE)
    assert shuffled.neighbors == frozenset({Neighbors.REPLACE})


def test_meets_is_exact() -> None:
    tenth = of(LaplaceCurve(0.1))
    assert (tenth * 3).meets(Guarantee(0.3))
    assert not (tenth * 3).meets(Guarantee("0.2999999999999999999"))
    assert (tenth * 10).meets(Guarantee(1))
    for delta in ("1e-6", "0.1", "0.3"):
        assert of(ApproximateCurve(1, delta)).meets(Guarantee(1, delta))
    assert not of(ApproximateCurve(1, "0.1")).meets(Guarantee(1, "0.09999999"))
    assert not of(GaussianCurve(1)).meets(Guarantee(100))
    assert of(LaplaceCurve("1/3"), 3).epsilon(0) == 1


def test_readings_of_pure_privacy() -> None:
    """Mission rows R032 and R034."""
    one = of(ApproximateCurve(1))
    assert one.advantage() == pytest.approx(math.tanh(0.5), rel=1e-12)
    assert 1 - one.advantage() == pytest.approx(0.537883, abs=5e-7)
    response = of(RandomizedResponseCurve.truthful("3/4"))
    low, high = response.posterior(0.1)
    assert low == pytest.approx(1 / 28, rel=1e-9)
    assert high == pytest.approx(0.25, rel=1e-9)
    assert response.tradeoff(0.1) == pytest.approx(0.7, rel=1e-9)
    assert response.tradeoff(0) == pytest.approx(1, rel=1e-9)


def test_readings_of_the_gaussian() -> None:
    one = of(GaussianCurve(1))
    assert one.tradeoff(0.05) == pytest.approx(0.740489, abs=2e-6)
    assert one.posterior(0.5) == (0.0, 1.0)
    low, high = one.posterior(0.5, failure=1e-6)
    assert 0 < low < 0.01
    assert 0.99 < high < 1
    assert one.zcdp() == 0.5
    assert one.renyi(1) == pytest.approx(0.5, rel=1e-6)
    assert one.renyi(math.inf) == math.inf


def test_the_tradeoff_of_a_composition_is_below_that_of_one_part() -> None:
    one = of(LaplaceCurve("0.5"))
    many = of(LaplaceCurve("0.5")) * 5 + of(GaussianCurve("0.5"))
    for level in (0.01, 0.1, 0.5):
        assert 0 < many.tradeoff(level) < one.tradeoff(level) < 1 - level


def test_renyi_orders_near_one_are_not_zero() -> None:
    for order in (1, 1 + 1e-12, 1 + 1e-8):
        assert of(LaplaceCurve(1)).renyi(order) == pytest.approx(math.exp(-1), rel=1e-5)


def test_pure_privacy_is_concentrated() -> None:
    rho = of(ApproximateCurve("0.5")).zcdp()
    assert 0.5 * math.tanh(0.25) <= rho <= 0.125
    assert of(ApproximateCurve("0.5", "1e-6")).zcdp() == math.inf


def test_losses_at_quantiles_are_the_loss_as_a_random_variable() -> None:
    uniforms = (np.arange(2000) + 0.5) / 2000
    found = of(GaussianCurve(1)).losses_at(uniforms)
    assert float(found.mean()) == pytest.approx(0.5, abs=0.02)
    assert float(found.std()) == pytest.approx(1, abs=0.02)
    assert np.mean(np.maximum(0, 1 - np.exp(1 - found))) == pytest.approx(0.126937, abs=2e-3)
    assert of(ApproximateCurve(1, "0.25")).losses_at([0.9])[0] == math.inf


def test_the_lower_bound_brackets_tightly_where_it_matters() -> None:
    for loss in (
        of(LaplaceCurve("0.05")) * 1000,
        of(ApproximateCurve("0.1")) * 100,
        of(RandomizedResponseCurve("0.1", "0.3")) * 8,
    ):
        low, high = loss.lower_bound(1e-6), loss.epsilon(1e-6)
        assert high * (1 - 1e-3) <= low <= high


def test_nothing_costs_nothing() -> None:
    nothing = PrivacyLoss()
    assert nothing.epsilon(0) == nothing.delta(0) == nothing.zcdp() == nothing.renyi(2) == nothing.advantage() == 0
    assert nothing.lower_bound(0) == 0
    assert nothing.meets(Guarantee(0))
    assert nothing.tradeoff(0.3) == pytest.approx(0.7)
    assert list(nothing.losses_at([0.5])) == [0.0]
    assert repr(nothing) == "PrivacyLoss(nothing)"


@pytest.mark.parametrize("bad", [-1, float("nan"), "x", None])
def test_refuses_what_is_no_level(bad: float) -> None:
    with pytest.raises(InvalidParameter):
        of(LaplaceCurve(1)).delta(bad)
    with pytest.raises(InvalidParameter):
        of(LaplaceCurve(1)).epsilon(bad)


def test_refuses_what_cannot_be_counted_or_believed() -> None:
    one = of(LaplaceCurve(1))
    with pytest.raises(InvalidParameter, match="times"):
        _ = one * -1
    with pytest.raises(InvalidParameter, match="times"):
        _ = one * True
    with pytest.raises(InvalidParameter, match="size"):
        one.group(-1)
    with pytest.raises(InvalidParameter, match="false_positive"):
        one.tradeoff(2)
    with pytest.raises(InvalidParameter, match="prior"):
        one.posterior(-1)
    with pytest.raises(InvalidParameter, match="order"):
        one.renyi(0.5)
    with pytest.raises(InvalidParameter, match="uniforms"):
        one.losses_at([1.5])


def test_large_and_small_all_at_once() -> None:
    loss = of(LaplaceCurve(1000)) + of(LaplaceCurve("0.001")) * 10**6 + of(GaussianCurve("0.0001")) * 10**6
    assert loss.epsilon(0) == math.inf
    assert 1000 < loss.epsilon(1e-6) < 1010
    assert isinstance((of(LaplaceCurve(1000)) * 3).largest_loss, Fraction)
