"""top_k: the most frequent labels, at which price."""

from typing import Any

import numpy as np
import pytest

from privet import ConcentratedGuarantee, Guarantee, Ledger, Sensitivity, Unit
from privet.asking.choice_price import choice_at
from privet.asking.price import Price
from privet.errors import InvalidParameter
from privet.mechanisms import DiscreteLaplace, Laplace, TopChoices
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
    sharper = choice_at(
        Price.of({"epsilon": 1, "delta": 1e-6}),
        TopChoices,
        lambda epsilon, promise: TopChoices(20, score_sensitivity="0.5", epsilon=epsilon, promise=promise),
        parts=20,
        sensitivity=Sensitivity("0.5"),
    )
    assert sharper.loss.epsilon(0) > 1.3
    assert sharper.loss.meets(Guarantee(1, 1e-6))


def test_a_ready_mechanism_says_the_way() -> None:
    ready = TopChoices(2, score_sensitivity="0.5", epsilon=2)
    answer = top_k(WORDS, 2, categories=["a", "b"], mechanism=ready)
    assert (answer.loss, answer.counts) == (ready.loss, None)
    for noise in (DiscreteLaplace(1, 2), Laplace(1, 2)):
        answer = top_k(WORDS, 1, categories=["a", "b"], mechanism=noise)
        assert answer.loss == noise.loss
        assert answer.counts is not None


@pytest.mark.parametrize(
    ("asking", "k", "kind"),
    [
        ({"epsilon": 1}, 1, "PermuteAndFlip"),
        ({"epsilon": 1}, 2, "DiscreteLaplace(l1_sensitivity=1"),
        ({"epsilon": 1, "neighbors": "replace"}, 2, "DiscreteLaplace(l1_sensitivity=2"),
        ({"epsilon": 1, "rows_per_unit": 7}, 2, "DiscreteLaplace(l1_sensitivity=7"),
        ({"epsilon": 1, "delta": 1e-6}, 20, "DiscreteLaplace"),
        ({"rho": 0.1}, 1, "TopChoices"),
        ({"rho": 0.1}, 2, "DiscreteGaussian(l2_sensitivity=1,"),
        ({"rho": 0.1, "neighbors": "replace"}, 2, "DiscreteGaussian(l2_sensitivity=1.414"),
    ],
    ids=str,
)
def test_the_way_with_less_noise_is_taken_and_named(asking: dict[str, Any], k: int, kind: str) -> None:
    answer = top_k([3, 4], k, categories=range(30), **asking)
    assert answer.mechanism.startswith(kind)
    assert (answer.counts is not None) == ("noisy counts of all labels" in answer.way) == (k > 1)
    assert answer.way in repr(answer)


def test_one_choice_costs_less_where_a_ledger_counts_rho() -> None:
    ledger = Ledger(ConcentratedGuarantee(1), unit=Unit("row"))
    answer = top_k([3, 4], 1, categories=range(30), epsilon=1, ledger=ledger)
    assert answer.mechanism.startswith("TopChoices")


def test_the_counts_that_decided_come_along() -> None:
    answer = top_k(WORDS, 2, categories=["c", "b", "a", "d"], epsilon=10)
    assert answer.counts is not None
    assert answer.counts.labels == ("c", "b", "a", "d")
    assert np.argsort(-answer.counts.value, kind="stable")[:2].tolist() == list(answer.numbers)
    assert answer.counts.loss == answer.loss
    assert answer.counts.margin(0.95) < 2


def test_many_labels_are_found_where_choices_find_few() -> None:
    """At 30 of 1,000 labels. Falsely red at most once in 10^6 runs: 20 labels would have to move by over 20 scales."""
    column = np.repeat(np.arange(30), 400)
    asking: dict[str, Any] = {"categories": range(1000)}
    answer = top_k(column, 30, epsilon="0.1", **asking)
    assert len(set(range(30)) & set(answer.numbers)) >= 25
    control = top_k(column, 30, mechanism=TopChoices(30, score_sensitivity="0.5", epsilon="0.1"), **asking)
    assert len(set(range(30)) & set(control.numbers)) <= 24


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


@pytest.mark.parametrize("way", ["counts", "choices", "one"])
def test_r186_no_chosen_label_falls_short_by_more(way: str) -> None:
    """n = 300 answers, of which 5 % may exceed it: 38 or more have a chance of 1e-6. A tenth of it is the control."""
    rows = [f"l{place}" for place in range(12) for _ in range(20 - place)]
    labels = [f"l{place}" for place in range(12)]
    k = 1 if way == "one" else 3
    price: dict[str, Any] = (
        {"epsilon": "0.4"} if way != "choices" else {"mechanism": TopChoices(3, score_sensitivity="0.5", epsilon="0.4")}
    )
    exceeded = tight = 0
    for _ in range(300):
        answer = top_k(rows, k, categories=labels, **price)
        true = [20 - int(label[1:]) for label in answer.value]
        left = max(20 - place for place in range(12) if f"l{place}" not in answer.value)
        exceeded += left - min(true) > answer.shortfall()
        tight += left - min(true) > answer.shortfall() / 10
    assert exceeded < 38
    assert tight >= 38


def test_r186_the_shortfall_is_told_with_the_answer() -> None:
    answer = top_k(["a"] * 90 + ["b"] * 50 + ["c"], 2, categories=["a", "b", "c", "d"], epsilon=2)
    assert answer.counts is not None
    assert answer.shortfall(0.99) == 2 * answer.counts.margin(0.99, simultaneous=True) > answer.shortfall()
    assert "no count falls short by more than 4 (95%)" in repr(answer)
    for wrong in (0, 1, None):
        with pytest.raises(InvalidParameter, match="confidence"):
            answer.shortfall(wrong)  # type: ignore[arg-type] # wrong on purpose
