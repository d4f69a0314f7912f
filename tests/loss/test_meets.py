"""What was typed, `keeps`, `meets` and the ledger: one verdict, and never a broken promise."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from flint import arb, ctx, fmpq
from hypothesis import given
from hypothesis import strategies as st

from privet import BudgetExceeded, Guarantee, Ledger, Sensitive, Sensitivity, Unit
from privet.loss import (
    ApproximateCurve,
    ConcentratedGuarantee,
    DiscreteLaplaceCurve,
    EpsilonSum,
    GaussianCurve,
    LaplaceCurve,
    PrivacyLoss,
    RandomizedResponseCurve,
    ZcdpSum,
)
from privet.mechanisms import FiniteMechanism, RandomizedResponse

of = PrivacyLoss.of
PERSON = Unit("person", "replace")


def response(odds: Fraction) -> RandomizedResponse:
    return RandomizedResponse.symmetric(truth=odds / (1 + odds))


def released(limit: Guarantee, mechanism: RandomizedResponse) -> bool:
    try:
        Ledger(limit, unit=PERSON).release(Sensitive(1, Sensitivity(1), PERSON), mechanism, purpose="a bit")
    except BudgetExceeded:
        return False
    return True


def logarithm(number: Fraction) -> Decimal:
    with localcontext(prec=60):
        return (Decimal(number.numerator) / Decimal(number.denominator)).ln()


@pytest.mark.parametrize("odds", range(2, 60))
def test_one_verdict_about_the_logarithm_that_was_typed(odds: int) -> None:
    """math.log is a float near the loss, above or below it: what lies above is kept, what lies below is not."""
    mechanism = response(Fraction(odds))
    typed = Guarantee(math.log(odds))
    truth = Decimal(repr(math.log(odds))) >= logarithm(Fraction(odds))
    table = FiniteMechanism(
        [[Fraction(odds, 1 + odds), Fraction(1, 1 + odds)], [Fraction(1, 1 + odds), Fraction(odds, 1 + odds)]]
    )
    assert mechanism.loss.meets(typed) == truth
    assert table.keeps(typed) == truth
    assert released(typed, mechanism) == truth
    assert EpsilonSum().cost(mechanism.loss).fits(EpsilonSum().capacity(typed)) == truth


def test_the_verdicts_on_logarithms_are_of_both_kinds() -> None:
    above = [Decimal(repr(math.log(odds))) >= logarithm(Fraction(odds)) for odds in range(2, 60)]
    assert 10 < sum(above) < 48


@given(st.fractions(Fraction(11, 10), 1000, max_denominator=10**6), st.sampled_from([0, 1, 2]))
def test_a_response_is_released_at_what_it_says_it_costs(odds: Fraction, further: int) -> None:
    """Types what `epsilon` says, or a little more; the next float below is refused by all three."""
    mechanism = response(odds)
    said = mechanism.loss.epsilon(0)
    for _ in range(further):
        said = math.nextafter(said, math.inf)
    assert mechanism.loss.meets(Guarantee(said))
    assert released(Guarantee(said), mechanism)
    less = math.nextafter(mechanism.loss.epsilon(0), 0)
    assert Decimal(repr(less)) < logarithm(odds)
    assert not mechanism.loss.meets(Guarantee(less))
    assert not released(Guarantee(less), mechanism)


@given(st.floats(0.01, 20), st.integers(1, 4))
def test_what_is_calibrated_to_a_number_is_released_at_it(epsilon: float, cells: int) -> None:
    mechanism = RandomizedResponse.calibrated(epsilon=epsilon, cells=cells)
    assert mechanism.loss.meets(Guarantee(epsilon))
    assert released(Guarantee(epsilon), mechanism)
    odds = (1 - mechanism.flip_zero) / mechanism.flip_zero
    with localcontext(prec=60):
        assert cells * logarithm(odds) <= Decimal(repr(epsilon))  # never a broken promise
        assert cells * logarithm(odds) > Decimal(repr(epsilon)) * (1 - Decimal("1e-14"))


def test_a_refusal_shows_two_numbers_that_differ_and_says_what_to_do() -> None:
    short = Guarantee(math.log(7))  # the float is below ln 7
    with pytest.raises(BudgetExceeded) as refused:
        Ledger(short, unit=PERSON).release(Sensitive(1, Sensitivity(1), PERSON), response(Fraction(7)), purpose="a bit")
    assert str(refused.value) == (
        "'a bit' requests ε=1.9459101490553133, δ=0, but ε=1.9459101490553132, δ=0 remains of the limit "
        "(ε=1.9459101490553132)-DP: that is a rounding too much: make the mechanism with .calibrated for what remains, "
        "or ask for less"
    )
    assert released(short, RandomizedResponse.calibrated(epsilon=math.log(7)))


@pytest.mark.parametrize(
    "loss",
    [
        of(GaussianCurve("0.3"), 5),
        of(GaussianCurve("1/3")) + of(LaplaceCurve("0.7")),
        of(LaplaceCurve("1/7"), 9),
        of(RandomizedResponseCurve("0.1", "0.2"), 4),
        of(DiscreteLaplaceCurve("1/3"), 3),
        of(ApproximateCurve("1/3", "1e-10"), 7),
        of(GaussianCurve(1)).sampled("0.1") * 10,
    ],
    ids=repr,
)
@pytest.mark.parametrize("delta", ["1e-9", "1e-6", "1e-3", "1/3"])
def test_a_limit_that_was_read_off_a_loss_is_kept_by_it(loss: PrivacyLoss, delta: str) -> None:
    limit = Guarantee(loss.epsilon(delta), delta)
    assert loss.meets(limit)
    assert EpsilonSum().cost(loss, delta=delta).fits(EpsilonSum().capacity(limit))
    concentrated = ConcentratedGuarantee(loss.zcdp()) if math.isfinite(loss.zcdp()) else None
    assert concentrated is None or ZcdpSum().cost(loss).fits(ZcdpSum().capacity(concentrated))


@given(st.floats(0.001, 30), st.floats(1e-12, 0.9))
def test_the_decimal_of_an_epsilon_is_not_below_the_truth(pure: float, delta: float) -> None:
    """A float stands for its shortest decimal, which may be below it; ε(δ) = ε + 2 ln(1 - δ), to 100 digits."""
    said = of(LaplaceCurve(pure)).epsilon(delta)
    with ctx.workprec(400):
        truth = arb(_q(pure)) + 2 * (1 - arb(_q(delta))).log()
        assert arb(_q(said)) >= truth or said == 0 >= truth


@given(st.floats(0.01, 5), st.floats(1e-12, 0.5))
def test_the_decimal_of_a_gaussian_epsilon_keeps_its_delta(mu: float, delta: float) -> None:
    said = of(GaussianCurve(mu)).epsilon(delta)
    with ctx.workprec(400):
        root = arb(2).sqrt()
        level = arb(_q(said))
        size = arb(_q(mu))
        high, low = (((level / size + sign * size / 2) / root).erfc() / 2 for sign in (-1, 1))
        assert high - level.exp() * low <= arb(_q(delta))


def _q(number: float) -> fmpq:
    typed = Fraction(repr(number))
    return fmpq(typed.numerator, typed.denominator)
