import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx, fmpq

from privet.errors import InvalidParameter
from privet.loss import (
    ApproximateCurve,
    FiniteCurve,
    Guarantee,
    KaryResponseCurve,
    PrivacyLoss,
    RandomizedResponseCurve,
)


def test_ten_randomized_responses_cost_ten_times_as_much() -> None:
    """One popular accountant forgets the count and says 1.0986 for all ten."""
    loss = PrivacyLoss.of(RandomizedResponseCurve.truthful(0.75)) * 10
    assert loss.epsilon(0) == pytest.approx(10 * math.log(3), rel=1e-12)
    assert loss.epsilon(0) >= 10 * math.log(3)


def test_published_max_divergences() -> None:
    one = PrivacyLoss.of(RandomizedResponseCurve.truthful("3/4"))
    assert one.max_divergence() == pytest.approx(1.098612, abs=5e-7)
    assert one.max_divergence(0.1) == pytest.approx(0.955511, abs=5e-7)
    assert (one * 2).max_divergence(0.1) == pytest.approx(2.001480, abs=5e-7)
    assert (one * 2).max_divergence(0.2) == pytest.approx(1.757858, abs=5e-7)


def test_kary_response_is_its_matrix() -> None:
    k = 4
    big = math.exp(1)
    matrix = (np.ones((k, k)) + (big - 1) * np.eye(k)) / (big + k - 1)
    table = FiniteCurve(matrix.tolist())
    closed = KaryResponseCurve(k, 1)
    epsilon = np.linspace(0, 1.2, 13)
    np.testing.assert_allclose(table.removing(epsilon), closed.removing(epsilon), rtol=1e-9, atol=1e-14)
    assert table.renyi(3.0)[0] == pytest.approx(closed.renyi(3.0)[0], rel=1e-9)


def test_an_output_that_only_one_input_can_give_has_infinite_loss() -> None:
    loss = PrivacyLoss.of(FiniteCurve([["0.9", "0.1"], [1, 0]]), 2)
    assert loss.epsilon(0) == math.inf
    assert loss.delta(math.inf) == pytest.approx(1 - 0.9**2)
    assert loss.renyi(2) == math.inf
    assert loss.epsilon(0.2) < math.inf


def test_asymmetric_response_takes_the_worse_direction() -> None:
    loss = PrivacyLoss.of(RandomizedResponseCurve(flip_zero=0.1, flip_one=0.3))
    assert loss.epsilon(0) == pytest.approx(math.log(0.7 / 0.1))
    assert loss.delta(0) == pytest.approx(0.6)


def test_identical_rows_cost_nothing_and_unequal_sums_are_refused() -> None:
    assert PrivacyLoss.of(FiniteCurve([["0.5", "0.5"]] * 3), 4).epsilon(0) == pytest.approx(0, abs=1e-12)
    with pytest.raises(InvalidParameter, match="add up to 1"):
        FiniteCurve([[0.5, 0.4], [0.5, 0.5]])
    with pytest.raises(InvalidParameter, match="equal length"):
        FiniteCurve([[1], [0.5, 0.5]])


@pytest.mark.parametrize("lift", [Fraction(1, 10**k) for k in (1, 3, 8, 15, 16, 17, 20, 40, 200)], ids=float)
def test_tiny_losses_are_not_taken_for_none(lift: Fraction) -> None:
    """Flips just below a half: the largest loss is at least ln of the exact ratio, and no more than a trifle larger."""
    curve = RandomizedResponseCurve.truthful((1 + lift) / 2)
    with ctx.workprec(2000):
        truth = arb(fmpq((1 + lift).numerator, (1 + lift).denominator)) / arb(
            fmpq((1 - lift).numerator, (1 - lift).denominator)
        )
        loss = truth.log()
        claimed = arb(fmpq(curve.largest_loss.numerator, curve.largest_loss.denominator))
        assert claimed >= loss
        assert claimed <= loss * arb("1.00000000000001")
    assert not PrivacyLoss.of(curve).meets(Guarantee(0))


def test_probabilities_below_all_floats_still_count() -> None:
    least = Fraction(1, 10**400)
    curve = FiniteCurve([[least, 1 - least], [0, 1]])
    assert curve.removing(np.array([math.inf]))[0] > 0
    assert PrivacyLoss.of(ApproximateCurve(1, least)).delta(2) > 0
