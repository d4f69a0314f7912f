"""What is chosen beforehand: R149 (δ from n), R188 (who is trusted), noise and rule with the error they will have."""

import math
from fractions import Fraction
from typing import Any

import pytest

import privet
from privet import Guarantee, Ledger, Sensitive, Sensitivity, Unit
from privet.errors import BudgetExceeded, InvalidParameter
from privet.explain import choose, delta_for, trust_models
from privet.local import compare_models
from privet.mechanisms import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace, Staircase

PERSON = Unit("person")


@pytest.mark.parametrize("people", [1, 2, 99, 100, 101, 150, 10_000, 8_000_000_000])
def test_r149_delta_is_far_below_one_in_the_number_of_people(people: int) -> None:
    delta = delta_for(people)
    assert delta * people <= Fraction(1, 100) < 10 * delta * people
    assert 1 / delta == 10 ** round(math.log10(1 / delta))


def test_r188_three_models_side_by_side() -> None:
    """n = 10^4, ε = 1: about 1.4, 95.95 and a few; the local room computes the same from its own protocols."""
    central, local, shuffle = trust_models(10_000, epsilon=1, delta=1e-6)
    assert central.deviation == pytest.approx(math.sqrt(1.841347), abs=1e-6)  # R059: whole noise
    assert local.deviation == pytest.approx(95.95, abs=0.01)
    room = compare_models(10_000, epsilon=1, delta=1e-6)
    assert local.deviation == pytest.approx(room["local"].deviation, rel=1e-6)
    assert shuffle.deviation == pytest.approx(room["shuffle"].deviation, rel=1e-4)
    assert shuffle.if_betrayed == pytest.approx(room["shuffle"].epsilon_betrayed, rel=1e-4)
    assert central.deviation < shuffle.deviation < local.deviation
    assert (central.if_betrayed, local.if_betrayed) == (math.inf, 1.0)


def test_one_pure_count_has_laplace_noise() -> None:
    found = choose(people=1000, epsilon=1, delta=0)
    assert found.mechanism == DiscreteLaplace(1, 1)
    assert len(found.ways) == 1
    assert found.notes == ()


def test_one_number_has_staircase_noise() -> None:
    found = choose(people=1000, epsilon=4, delta=0, sensitivity=Sensitivity("0.5"), integers=False)
    assert isinstance(found.mechanism, Staircase)
    assert isinstance(found.ways[1].mechanism, Laplace)
    assert found.ways[0].error < found.ways[1].error == pytest.approx(0.125, rel=1e-3)


def test_many_answers_have_gaussian_noise_and_few_have_laplace() -> None:
    many = choose(people=10_000, epsilon=1, answers=200, integers=False)
    assert isinstance(many.mechanism, Gaussian)
    assert [type(way.mechanism) for way in many.ways] == [Gaussian, Laplace]
    few = choose(people=10_000, epsilon=1, answers=2, integers=False)
    assert isinstance(few.mechanism, Laplace)


@pytest.mark.parametrize("answers", [1, 3, 60])
def test_as_many_answers_fit_as_were_asked_for(answers: int) -> None:
    """The chosen ledger pays for all of them, and not for many more: there is no less noise of that kind."""
    found = choose(people=10_000, epsilon=1, answers=answers)
    made = Ledger(found.limit, unit=PERSON, rule=found.rule)
    secret: Any = Sensitive(5, Sensitivity(1), PERSON)
    for _ in range(answers):
        made.release(secret, found.mechanism, purpose="a count")
    more = math.ceil(answers * 0.01) + 1
    with pytest.raises(BudgetExceeded):
        _ = [made.release(secret, found.mechanism, purpose="one more") for _ in range(more)]


def test_vectors_and_whole_numbers() -> None:
    found = choose(people=10_000, epsilon=1, answers=10, sensitivity=Sensitivity(1, cells=6))
    assert isinstance(found.mechanism, DiscreteGaussian)
    assert found.mechanism.covers(Sensitivity(1, cells=6))
    part = choose(people=10_000, epsilon=1, sensitivity=Sensitivity("0.5"))  # whole answers that move by a half: floats
    assert not isinstance(part.mechanism, DiscreteLaplace)


@pytest.mark.parametrize(("trusted", "model"), [("keeper", "central"), ("nobody", "local"), ("shuffler", "shuffle")])
def test_the_model_follows_from_who_is_trusted(trusted: str, model: str) -> None:
    found = choose(people=1000, epsilon=1, trusted=trusted)
    assert found.model.name == model
    assert repr(found).startswith(f"{model} model, 1 answer under (ε=1, δ=1e-5)-DP from 1,000 units")
    assert "δ = 1e-5: at most one hundredth of 1/1,000" in repr(found)
    assert found._repr_html_().count("<table") == 2


def test_nothing_is_spent_by_choosing() -> None:
    made = Ledger(Guarantee(1), unit=PERSON)
    choose(people=10, epsilon=1)
    assert made.entries == ()
    assert privet.explain.choose is choose


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"people": 1}, "people must be a whole number"),
        ({"epsilon": 0}, "epsilon must be in"),
        ({"delta": 1}, "delta must be in"),
        ({"answers": 0}, "answers must be a whole number"),
        ({"trusted": "nobdy"}, "trusted cannot be 'nobdy': did you mean nobody"),
    ],
)
def test_wrong_words_are_refused(words: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidParameter, match=said):
        choose(**{"people": 100, "epsilon": 1, **words})
