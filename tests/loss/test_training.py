"""What trainings on random batches cost, and the least noise for them."""

import math
from collections.abc import Callable
from fractions import Fraction

import pytest

from privet.errors import InvalidParameter
from privet.loss import (
    ConcentratedGuarantee,
    GaussianCurve,
    Guarantee,
    LaplaceCurve,
    Neighbors,
    PrivacyLoss,
    calibrated_scale,
    training_loss,
    training_scale,
)
from privet.loss.pricing.solving import crossing

of = PrivacyLoss.of
WAYS = [
    {"neighbors": "add_remove"},
    {"neighbors": "replace"},
    {"neighbors": "replace", "batches": "drawn"},
    {"neighbors": "add_remove", "batches": "allocated"},
]
KEPT = 1 + 1e-4  # the noise may be a hundred-thousandth more than needed


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize(
    ("rate", "steps", "promise"),
    [("0.01", 1000, Guarantee(2, "1e-6")), ("1/3", 40, Guarantee("0.5", "1e-3")), (1, 7, Guarantee(8, "1e-9"))],
)
def test_the_least_noise_keeps_the_promise_and_less_does_not(
    way: dict[str, str], rate: str, steps: int, promise: Guarantee
) -> None:
    scale = training_scale(rate=rate, steps=steps, promise=promise, **way)
    assert training_loss(scale, rate=rate, steps=steps, **way).meets(promise)
    assert not training_loss(scale / KEPT, rate=rate, steps=steps, **way).meets(promise)


def test_a_training_is_its_steps() -> None:
    assert training_loss(2, rate="0.1", steps=5) == of(GaussianCurve("0.5")).sampled("0.1") * 5
    replaced = training_loss(2, rate="0.1", steps=5, neighbors="replace")
    assert replaced == of(GaussianCurve("0.5")).sampled("0.1", neighbors=Neighbors.REPLACE) * 5
    drawn = training_loss(2, rate="0.1", steps=5, neighbors="replace", batches="drawn")
    assert drawn == of(GaussianCurve(1)).drawn(1, 10) * 5
    allocated = of(GaussianCurve("0.5")).allocated(10)
    assert [training_loss(2, rate="0.1", steps=n, batches="allocated") for n in (30, 31)] == [
        allocated * 3,
        allocated * 4,
    ]
    for batches in ("sampled", "drawn"):
        whole = training_loss(2, rate=1, steps=5, neighbors="replace", batches=batches)
        assert whole.delta(1) == pytest.approx((of(GaussianCurve(1)) * 5).delta(1), rel=1e-3)


def test_a_replaced_unit_in_a_drawn_batch_moves_the_sum_twice_as_far() -> None:
    """One draw of one of two units: exact two Gaussian mixtures, whose distance half the move, the control, misses."""
    loss = training_loss(1, rate="1/2", steps=1, neighbors="replace", batches="drawn")
    advantage = 0.5 * math.erf(1 / math.sqrt(2))  # the unit's vector is 1 or -1, if it is drawn
    assert advantage <= loss.advantage() <= advantage * (1 + 1e-6)
    assert of(GaussianCurve(1)).drawn(1, 2).advantage() < 0.9 * advantage


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_rho_is_met_exactly_and_sees_no_sampling(way: dict[str, str]) -> None:
    promise = ConcentratedGuarantee("0.5")
    scale = training_scale(rate="0.01", steps=100, promise=promise, **way)
    times = 1 if way.get("batches") == "allocated" else 100  # rho of an epoch is that of the one batch a unit is in
    assert scale == math.sqrt(times) * (1 if way["neighbors"] == "add_remove" else 2)
    assert training_loss(scale, rate="0.01", steps=100, **way).zcdp() == 0.5
    odd = training_scale(rate="0.01", steps=7, promise=ConcentratedGuarantee(Fraction(1, 3)), **way)
    loss = training_loss(odd, rate="0.01", steps=7, **way)
    assert Fraction(1, 3) * Fraction(1 - 1e-12) < Fraction(repr(loss.zcdp())) <= Fraction(1, 3)


def test_the_rho_of_a_sampled_loss_is_never_below_its_divergences_and_met_by_high_orders() -> None:
    for loss in (of(GaussianCurve(1)).sampled("0.1"), of(GaussianCurve(1)).sampled("0.1", neighbors="replace")):
        assert all(loss.renyi(order) <= loss.zcdp() * order for order in (1.5, 2, 8, 64, 400))
    high = of(GaussianCurve(1)).sampled("0.1").renyi(400)
    assert high > 0.97 * 400 * of(GaussianCurve(1)).sampled("0.1").zcdp()


def test_refuses_what_no_training_can_keep() -> None:
    with pytest.raises(InvalidParameter, match="delta must be > 0"):
        training_scale(rate="0.1", steps=3, promise=Guarantee(1))
    with pytest.raises(InvalidParameter, match="rho must be > 0"):
        training_scale(rate="0.1", steps=3, promise=ConcentratedGuarantee(0))
    with pytest.raises(InvalidParameter, match='neighbors="replace"'):
        training_loss(1, rate="0.1", steps=3, batches="drawn")
    with pytest.raises(InvalidParameter, match='neighbors="add_remove" alone'):
        training_loss(1, rate="0.1", steps=3, batches="allocated", neighbors="replace")
    with pytest.raises(InvalidParameter, match="rate must be one over a whole number of batches"):
        training_loss(1, rate="0.3", steps=3, batches="allocated")
    with pytest.raises(InvalidParameter, match="batches must be one of sampled, drawn, allocated"):
        training_loss(1, rate="0.1", steps=3, batches="shuffled")
    with pytest.raises(InvalidParameter, match="scale must be > 0"):
        training_loss(0, rate="0.1", steps=3)
    with pytest.raises(InvalidParameter, match="steps must be a whole number"):
        training_scale(rate="0.1", steps=0, promise=Guarantee(1, 1e-6))


@pytest.mark.parametrize("near", [1e-3, 0.5, 13.0, 1e5])
def test_a_search_ends_in_the_same_place_wherever_it_begins(near: float) -> None:
    promise = Guarantee(1, 1e-5)
    kinds: list[Callable[[float], PrivacyLoss]] = [
        lambda s: of(GaussianCurve(1 / s)) * 10,
        lambda s: of(LaplaceCurve(1 / s)) * 10,
    ]
    for loss_at in kinds:
        best = calibrated_scale(loss_at, promise)
        found = calibrated_scale(loss_at, promise, near=near, stride=1.1)
        assert found == pytest.approx(best, rel=3e-9)
        assert loss_at(found).meets(promise)


def test_a_bracket_closes_around_a_jump_and_where_values_say_nothing() -> None:
    curves: list[Callable[[float], float]] = [
        lambda x: 1.0 if x < 1 / 3 else 0.0,
        lambda x: math.inf if x < 1 / 3 else -math.inf,
        lambda x: 1 - 3 * x,
        lambda x: math.exp(-40 * x) - math.exp(-40 / 3),
    ]
    for above in curves:
        looks: list[float] = []

        def looked(x: float, above: Callable[[float], float] = above, looks: list[float] = looks) -> float:
            looks.append(x)
            return above(x)

        low, high = crossing(looked, (0.0, looked(0.0)), (1.0, looked(1.0)), 1e-9)
        assert high - low <= 1e-9
        assert above(low) > 0 >= above(high)
        assert len(looks) <= 70
