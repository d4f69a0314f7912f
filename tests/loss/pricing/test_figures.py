"""A delta that is met exactly is met, and one that is missed by the least is not."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.loss import (
    ApproximateCurve,
    FiniteCurve,
    GaussianCurve,
    Guarantee,
    LossCurve,
    MixtureCurve,
    PrivacyLoss,
    TabulatedCurve,
    WorstOfCurve,
)
from privet.loss.curves.combined import ReversedCurve
from privet.loss.exact import shortest
from privet.loss.pricing.composition import LONG, UNIT
from privet.loss.privacy_loss import sum_of

of = PrivacyLoss.of
TINY = Fraction(1, 10**60)
LEAKY = FiniteCurve([["0.5", "0.45", "0.05"], ["0.5", "0.5", 0]])
SAMPLED = of(ApproximateCurve(1, "0.4")).sampled("0.1")


def test_the_delta_of_two_promises_is_met_exactly() -> None:
    loss = of(ApproximateCurve(1, 0.1)) + of(ApproximateCurve(2, 0.2))
    for typed in (0.28, "0.28", Fraction(28, 100)):
        assert loss.epsilon(typed) == 3
        assert loss.meets(Guarantee(3, typed))
    assert loss.delta(3) == loss.delta(math.inf) == 0.28
    assert loss.epsilon("0.27999999999999999999999999") == math.inf
    assert not loss.meets(Guarantee(3, "0.27999999999999999999999999"))
    assert not loss.meets(Guarantee("2.99999999999999999999", "0.28"))


def test_ends_that_no_float_is_are_met_exactly() -> None:
    third = of(ApproximateCurve("1/3", "1/3"))
    assert third.epsilon("1/3") == pytest.approx(1 / 3)
    assert third.delta("1/3") == pytest.approx(1 / 3)
    assert of(ApproximateCurve("1/3")).delta("1/3") == 0
    assert (of(ApproximateCurve("1/3")) + of(ApproximateCurve("1/7"))).delta(Fraction(10, 21)) == 0
    assert third.epsilon(Fraction(1, 3) - TINY) == math.inf


shares = st.fractions(0, Fraction(9, 10), max_denominator=1000)


@given(st.lists(st.tuples(shares, st.integers(1, 9)), min_size=1, max_size=6))
def test_any_composition_of_promises_meets_its_delta_and_no_less(found: list[tuple[Fraction, int]]) -> None:
    curves = {share: ApproximateCurve(Fraction(index, 7), share) for index, (share, _) in enumerate(found)}
    loss = sum_of(of(curves[share], times) for share, times in found)
    infinite = 1 - math.prod(((1 - share) ** times for share, times in found), start=Fraction(1))
    top = loss.largest_loss
    assert loss.epsilon(infinite) == pytest.approx(float(top))
    assert loss.meets(Guarantee(top, infinite))
    if infinite:
        assert loss.epsilon(infinite - min(TINY, infinite / 2)) == math.inf
        assert not loss.meets(Guarantee(top, infinite - min(TINY, infinite / 2)))


@pytest.mark.parametrize(
    ("curve", "infinite"),
    [
        (LEAKY, Fraction(1, 20)),
        (TabulatedCurve(((1, "0.1"), (2, "0.3"))), Fraction(1, 10)),
        (ReversedCurve(LEAKY), Fraction(1, 20)),
        (WorstOfCurve((of(LEAKY, 2), of(GaussianCurve(1)))), 1 - Fraction(19, 20) ** 2),
        (MixtureCurve(("1/3", "2/3"), (of(LEAKY), of(ApproximateCurve(1)))), Fraction(1, 60)),
        (next(iter(SAMPLED.parts))[0], Fraction(4, 100)),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, LossCurve) else shortest(value),
)
def test_every_curve_that_is_exact_says_so(curve: LossCurve, infinite: Fraction) -> None:
    twice = 1 - (1 - infinite) ** 2
    assert of(curve).unbounded() == infinite
    assert (of(curve) * 2).unbounded() == twice
    if math.isfinite(curve.largest_loss):
        assert (of(curve) * 2).epsilon(twice) == pytest.approx(2 * float(curve.largest_loss))
    assert (of(curve) * 2).epsilon(twice - TINY) == math.inf


def test_nothing_is_infinite_when_a_sampled_unit_joins() -> None:
    """What the unit's absence can give, its presence gives too, when it is not sampled."""
    assert SAMPLED.unbounded(adding=True) == 0


def test_products_that_are_long_are_rounded_against_us_and_stay_short() -> None:
    """A million runs of one part, and a thousand parts: the exact product would have millions of digits."""
    x = Fraction(1, 10**9)
    n = 10**6
    infinite = of(ApproximateCurve("0.001", x), n).unbounded()
    assert n * x - n * (n - 1) * x**2 / 2 < infinite < n * x  # the first terms of 1 - (1 - x)^n
    shares = [Fraction(1, 10**6 + k * k) for k in range(1000)]
    summed = sum_of(of(ApproximateCurve(1, share)) for share in shares).unbounded()
    assert 0 <= summed - (1 - math.prod(1 - share for share in shares)) < TINY
    assert max(infinite.denominator, summed.denominator).bit_length() < 10_000


def test_probabilities_below_all_floats_are_not_lost() -> None:
    least = Fraction(1, 10**500)
    loss = of(ApproximateCurve(1, least)) + of(ApproximateCurve(2, least))
    assert loss.unbounded() >= 2 * least - least**2
    assert loss.epsilon(0) == math.inf
    assert loss.epsilon(2 * least) == 3


@pytest.mark.parametrize(
    ("rate", "sigma", "steps", "delta", "least", "most"),
    [  # between the two bounds of dp-accounting 0.6.0, at intervals as fine as it can bear
        (1.45993e-05, 2.64689, 2, 1.15751e-10, 5.81604e-05, 5.84372e-05),  # a window made for another answer
        (2.37176e-05, 0.840514, 3765, 1.13379e-09, 0.0152505, 0.0255873),  # rare and large losses: what rounding
        (1.57378e-05, 0.614206, 254, 1.33841e-10, 0.215904, 0.223754),  # may hide is a part of such a delta
        (6.16104e-05, 0.546123, 2, 2.38578e-05, 0.00060219, 0.000655957),  # few runs: a coarse grid bends too little
    ],
)
def test_rare_large_losses_are_read_closely(  # noqa: PLR0913, PLR0917 - one point
    rate: float, sigma: float, steps: int, delta: float, least: float, most: float
) -> None:
    loss = of(GaussianCurve(1 / sigma)).sampled(rate) * steps
    close = 1.001 if LONG < UNIT else 1.02
    assert least <= loss.epsilon(delta) <= close * most
    assert loss.delta(most) <= close**4 * delta


@pytest.mark.parametrize(
    ("rate", "sigma", "steps", "delta"),
    [(0.000300671, 1.7123, 65, 1.86588e-09), (4.82903e-05, 1.20126, 4934, 5.93489e-06)],
)
def test_delta_and_epsilon_read_the_same_point(rate: float, sigma: float, steps: int, delta: float) -> None:
    """The window of delta was planned with more cut off than was cut off then, and what was not folded into it."""
    loss = of(GaussianCurve(1 / sigma)).sampled(rate) * steps
    assert loss.delta(loss.epsilon(delta)) == pytest.approx(delta, rel=1e-3)
