"""Golden numbers: a count among 10,000 people at ε = 1 errs by √2 centrally and by 95.95 locally."""

import math

import pytest

from privet.errors import InvalidParameter
from privet.local import BinaryResponse, compare_models


def test_golden_errors_and_the_price_of_shuffled_answers() -> None:
    found = compare_models(10_000, epsilon=1)
    assert found["central"].deviation == pytest.approx(1.4142, abs=5e-5)
    assert found["local"].deviation == pytest.approx(95.95, abs=5e-3)
    assert found.amplified == pytest.approx(0.035659, rel=1e-3)
    assert [model.epsilon_betrayed for model in found.models[:2]] == [math.inf, pytest.approx(1)]


@pytest.mark.parametrize(("people", "epsilon"), [(2, 0.5), (50, 2), (3000, 0.1)])
def test_shuffled_answers_keep_the_promise_and_lie_between(people: int, epsilon: float) -> None:
    found = compare_models(people, epsilon=epsilon, delta=1e-5)
    shuffle = found["shuffle"]
    assert epsilon <= shuffle.epsilon_betrayed * (1 + 1e-9)
    assert BinaryResponse(shuffle.epsilon_betrayed).loss.shuffled(people).delta(epsilon) <= 1e-5
    assert shuffle.deviation <= found["local"].deviation
    more = BinaryResponse(shuffle.epsilon_betrayed * 1.001).loss.shuffled(people)
    assert more.delta(epsilon) > 1e-5


def test_says_who_is_trusted_and_what_can_be_verified() -> None:
    found = compare_models(1000, epsilon=1)
    assert found.table.column("model").to_pylist() == ["central", "local", "shuffle"]
    for words in ("nobody but the own device", "1,000 honest people", "verified", "no limit"):
        assert words in repr(found)
        assert words in found._repr_html_()
    assert repr(found.chart()) == "Chart(3 lines: central, local, shuffle)"


@pytest.mark.parametrize("wrong", [{"people": 1}, {"epsilon": 0}, {"delta": 0}, {"delta": 1}, {"people": 2**23}])
def test_refuses_what_has_no_answer(wrong: dict[str, float]) -> None:
    asked = {"people": 100, "epsilon": 1, "delta": 1e-6} | wrong
    people = asked.pop("people")
    with pytest.raises(InvalidParameter):
        compare_models(people, **asked)  # type: ignore[arg-type]
