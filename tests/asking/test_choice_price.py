"""The ε of a choice at every kind of price."""

from fractions import Fraction

import pytest

from privet import Guarantee, Sensitivity
from privet.asking.choice_price import choice_at
from privet.asking.price import Price
from privet.errors import InvalidParameter
from privet.mechanisms import Laplace, TopChoices


def made(epsilon: Fraction, promise: Guarantee | None, *, choices: int = 8) -> TopChoices:
    return TopChoices(choices, score_sensitivity=1, epsilon=epsilon, promise=promise)


def at(price: Price, *, sensitivity: int = 1) -> TopChoices:
    return choice_at(price, TopChoices, made, parts=8, sensitivity=Sensitivity(sensitivity))


def test_a_pure_price_is_taken_as_it_is() -> None:
    assert at(Price.of({"epsilon": "1/3"})) == made(Fraction(1, 3), None)


def test_a_delta_buys_more_where_there_are_several_parts() -> None:
    chosen = at(Price.of({"epsilon": "1/2", "delta": 1e-6}))
    assert chosen.epsilon > Fraction(1, 2)
    assert chosen.promise == Guarantee("0.5", "1e-6")
    assert chosen.loss.meets(Guarantee("0.5", "1e-6"))
    assert not made(chosen.epsilon * Fraction(101, 100), None).loss.meets(Guarantee("0.5", "1e-6"))
    single = choice_at(
        Price.of({"epsilon": 1, "delta": "0.1"}),
        TopChoices,
        lambda epsilon, promise: made(epsilon, promise, choices=1),
        parts=1,
        sensitivity=Sensitivity(1),
    )
    assert single.epsilon == 1
    assert single.promise is None


@pytest.mark.parametrize("rho", [Fraction(1, 1000), Fraction(1, 3), Fraction(4)])
def test_rho_is_kept_and_used(rho: Fraction) -> None:
    chosen = at(Price.of({"rho": rho}))
    assert 0.98 * rho < chosen.loss.zcdp() <= rho


def test_a_ready_mechanism_is_checked() -> None:
    ready = made(Fraction(1), None)
    assert at(Price(mechanism=ready)) is ready
    with pytest.raises(InvalidParameter, match="must be a TopChoices"):
        at(Price(mechanism=Laplace(1, 1)))
    with pytest.raises(InvalidParameter, match="does not cover"):
        at(Price(mechanism=ready), sensitivity=2)


def test_a_broken_promise_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="does not keep"):
        made(Fraction(3), Guarantee(1, "1e-6"))
