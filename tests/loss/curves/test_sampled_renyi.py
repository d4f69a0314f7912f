"""Rényi divergences of sampled losses: never below the truth, and within 0.1 % of it at every order."""

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx

from privet.loss import (
    DiscreteGaussianCurve,
    GaussianCurve,
    KaryResponseCurve,
    LaplaceCurve,
    PrivacyLoss,
    RandomizedResponseCurve,
)
from privet.loss.curves import sampled_renyi
from tests.loss.curves.quadrature import BITS, ball, gaussian_divergence, laplace_divergence

of = PrivacyLoss.of
ORDERS = (1 + 2.0**-23, 1.01, 1.25, 1.5, 2.0, 2.5, 2.99, 3.0, 4.5, 8.0, 16.75, 40.5, 130.2)


def not_below(claimed: float, truth: arb, *, share: float) -> bool:
    """Whether the claim is the truth or above it, by no more than this share."""
    with ctx.workprec(BITS):
        return bool(ball(claimed) >= truth) and bool(ball(claimed) <= truth * ball(1 + share))


def points(seed: int, count: int) -> list[tuple[float, float, float]]:
    """Random (mu, rate, order) over all that anybody asks for, and more."""
    chance = np.random.default_rng(seed)
    made: list[tuple[float, float, float]] = [
        (10 ** chance.uniform(-3, 1), 10 ** chance.uniform(-5, -0.01), 1 + 10 ** chance.uniform(-6, 2.7))
        for _ in range(2 * count)
    ]
    return [(mu, rate, order) for mu, rate, order in made if mu * order < 300][:count]


def refuse_a_gaussian_off(seed: int, count: int) -> None:
    for mu, rate, order in points(seed, count):
        claimed = of(GaussianCurve(mu)).sampled(rate).renyi(order)
        truth = gaussian_divergence(Fraction(repr(mu)), Fraction(repr(rate)), order)
        assert not_below(claimed, truth, share=1e-6), (mu, rate, order)


def test_a_sampled_gaussian_is_integrated_to_nine_digits() -> None:
    refuse_a_gaussian_off(seed=1, count=30)


@pytest.mark.soak
def test_a_sampled_gaussian_is_integrated_to_nine_digits_everywhere() -> None:
    refuse_a_gaussian_off(seed=2, count=1000)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("epsilon", "rate"), [(1.0, 0.0078125), (0.125, 0.25), (4.0, 0.5), (2.0, 2.0**-14)])
def test_sampled_laplace_noise_is_integrated_over_its_hockey_sticks(epsilon: float, rate: float, order: float) -> None:
    claimed = of(LaplaceCurve(epsilon)).sampled(rate).renyi_pair(order)[0]
    assert not_below(claimed, laplace_divergence(epsilon, rate, order), share=1e-3)


@pytest.mark.parametrize("order", [order for order in ORDERS if order < 20])
@pytest.mark.parametrize(("mu", "rate"), [(1.0, 0.015625), (0.25, 0.5), (2.0, 0.125), (0.5, 2.0**-10)])
def test_unbounded_losses_are_integrated_up_to_a_bounded_tail(mu: float, rate: float, order: float) -> None:
    """The way of sums of unlike losses, tried on a Gaussian, whose truth is known."""
    ((curve, _),) = of(GaussianCurve(mu)).sampled(rate).parts
    claimed = sampled_renyi._general(curve, order) / (order - 1)  # type: ignore[arg-type] # it is the one made above
    assert not_below(claimed, gaussian_divergence(mu, rate, order), share=1e-3)


def finite_divergence(present: list[Fraction], absent: list[Fraction], rate: Fraction, order: float) -> arb:
    """By the definition."""
    with ctx.workprec(BITS):
        total = arb(0)
        level = ball(order)
        for p, q in zip(present, absent, strict=True):
            total += ball((1 - rate) * q + rate * p) ** level * ball(q) ** (1 - level)
        return total.log() / (level - 1)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("rate", [Fraction(1, 128), Fraction(1, 2)])
def test_sampled_responses_against_the_definition(rate: Fraction, order: float) -> None:
    """Of rows that are not each other's mirror image the curve is the worse of two, so more than either is claimed."""
    one, other = [Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]
    claimed = of(RandomizedResponseCurve("1/4", "1/4")).sampled(rate).renyi_pair(order)[0]
    assert not_below(claimed, finite_divergence(one, other, rate, order), share=1e-3)
    skewed = of(RandomizedResponseCurve("0.1", "0.3")).sampled(rate).renyi_pair(order)[0]
    rows = [Fraction(9, 10), Fraction(1, 10)], [Fraction(3, 10), Fraction(7, 10)]
    with ctx.workprec(BITS):
        truth = max((finite_divergence(*pair, rate, order) for pair in (rows, rows[::-1])), key=float)
    assert not_below(skewed, truth, share=0.07)


@pytest.mark.parametrize("order", [1.01, 1.5, 2.5, 6.0, 33.5])
def test_what_is_not_its_own_mirror_image_is_integrated_both_ways(order: float) -> None:
    """A sample of a sample is a sample: both directions of the twice sampled loss are known."""
    removing, adding = of(GaussianCurve("0.5")).sampled("0.5").sampled("0.25").renyi_pair(order)
    assert not_below(removing, gaussian_divergence(0.5, 0.125, order), share=1e-3)
    assert not_below(adding, gaussian_divergence(0.5, 0.125, order, adding=True), share=1e-3)


@pytest.mark.parametrize(
    "loss",
    [
        of(GaussianCurve(1)),
        of(LaplaceCurve(1)),
        of(DiscreteGaussianCurve(2)),
        of(KaryResponseCurve(5, 2)),
        of(GaussianCurve(1)) + of(LaplaceCurve(1)),
        of(GaussianCurve(1)).sampled("0.5"),
    ],
    ids=repr,
)
@pytest.mark.parametrize("rate", ["1e-5", "0.01", "0.3", "0.99"])
def test_divergences_grow_with_the_order_from_whole_to_whole(loss: PrivacyLoss, rate: str) -> None:
    """Whichever of the ways is taken at an order, none jumps above the next whole order's."""
    found = {order: loss.sampled(rate).renyi(order) for order in (1.001, 1.7, 2.0, 2.3, 3.0, 7.9, 8.0, 511.5, 512.0)}
    for order, value in found.items():
        above = found.get(float(math.ceil(order)), math.inf)
        assert 0 < value <= above * (1 + 1e-12)
        assert value <= loss.renyi(order) * (1 + 1e-12)


def test_orders_without_end_take_no_time() -> None:
    """Expanded term by term they would take years; of them the rate and the highest losses are all that counts."""
    order = 1e13
    for inner in (of(GaussianCurve(1)), of(GaussianCurve(1)) + of(LaplaceCurve(1))):
        assert inner.sampled("0.01").renyi(order) == pytest.approx(inner.renyi(order) + math.log(0.01), rel=1e-9)
    bounded = of(LaplaceCurve(1)).sampled("0.01")
    assert bounded.renyi(order) == pytest.approx(float(bounded.largest_loss), rel=1e-9)
