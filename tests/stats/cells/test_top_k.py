"""top_k: the most frequent labels, at which price."""

from typing import Any

import numpy as np
import pytest

from privet import Guarantee, Sensitivity, Unit
from privet.errors import InvalidParameter
from privet.mechanisms import TopChoices
from privet.stats import top_k
from tests.support.recording_ledger import Recording, recorded

WORDS = ["a"] * 900 + ["b"] * 600 + ["c"] * 300 + [None] * 5000 + ["zz"] * 5000


def test_the_most_frequent_listed_labels_come_first() -> None:
    answer = top_k(WORDS, 2, categories=["c", "b", "a", "d"], epsilon=10)
    assert answer.value == ("a", "b")
    assert answer.numbers == (2, 1)
    assert top_k(np.array([7, 7, 7, 9]), 1, categories=[9, 7], epsilon=100).value == (7,)


def test_what_is_counted() -> None:
    secret, _ = recorded(
        lambda ledger: top_k(WORDS, 1, categories=["c", "b", "a", "d"], epsilon=1, ledger=ledger), Unit("person")
    )
    assert [int(cell) for cell in secret] == [300, 600, 900, 0]


@pytest.mark.parametrize(
    ("asking", "sensitivity"), [({}, "0.5"), ({"neighbors": "replace"}, 1), ({"rows_per_unit": 4}, 2)], ids=str
)
def test_one_row_that_comes_counts_as_half(asking: dict[str, Any], sensitivity: Any) -> None:  # noqa: ANN401 - a number
    ledger = Recording(Unit("person", asking.get("neighbors", "add_remove")))
    answer = top_k(["a"], 1, categories=["a", "b"], epsilon=1, ledger=ledger, **asking)
    assert ledger.sensitivities == [Sensitivity(sensitivity)]
    assert answer.loss.epsilon(0) == 1


def test_a_delta_makes_many_choices_sharper() -> None:
    answer = top_k(WORDS, 20, categories=range(30), epsilon=1, delta=1e-6)
    assert answer.loss.epsilon(0) > 1.3
    assert answer.loss.meets(Guarantee(1, 1e-6))
    ready = TopChoices(1, score_sensitivity="0.5", epsilon=2)
    assert top_k(WORDS, 1, categories=["a", "b"], mechanism=ready).loss == ready.loss


@pytest.mark.parametrize(
    ("k", "asking", "words"),
    [
        (0, {}, "k must"),
        (4, {}, "at most the number"),
        (1, {"missing": 3}, "missing must"),
        (1, {"mechanism": TopChoices(2, score_sensitivity=1, epsilon=1), "epsilon": None}, "made for 2 choices"),
    ],
    ids=str,
)
def test_bad_questions_are_refused(k: int, asking: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidParameter, match=words):
        top_k(["a"], k, categories=["a", "b", "c"], **({"epsilon": 1} | asking))
