"""histogram and histogram2d: what is counted, the price, labels and views."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from privet import Guarantee, Ledger, Sensitivity, Unit
from privet.errors import BudgetExceeded, InvalidParameter
from privet.mechanisms import DiscreteLaplace
from privet.stats import count, histogram, histogram2d
from tests.support.recording_ledger import Recording, recorded

AGES = [3, 3, 27, 45, 110, 111, -1]
TENS = range(0, 111, 10)


def exact_counts(values: Any, **asking: Any) -> list[int]:  # noqa: ANN401 - any column, any keyword
    secret, _ = recorded(lambda ledger: histogram(values, epsilon=1, ledger=ledger, **asking), Unit("person"))
    return [int(cell) for cell in secret]


@pytest.mark.parametrize(
    ("values", "asking", "expected"),
    [
        (AGES, {"edges": [0, 10, 50, 110]}, [2, 2, 1]),
        (AGES, {"edges": [0, 10, 50, 110], "outside": "clip"}, [3, 2, 2]),
        ([1.0, None, np.nan, 3.0, "x"], {"edges": [0, 2, 4]}, [1, 1]),
        ([1.0, None, 3.0], {"edges": [0, 2, 4], "missing": 1}, [2, 1]),
        ([1.0, None, 3.0], {"edges": [0, 2, 4], "missing": "none"}, [1, 1]),
        ([1.0, None, 3.0, np.inf], {"edges": [0, 2, 4], "outside": "clip"}, [1, 2]),
        (["b", "a", "b", "z", None], {"categories": ["a", "b"]}, [1, 2]),
        (["b", "a", "b", "z", None], {"categories": ["a", "b"], "other": True}, [1, 2, 1]),
        (np.array(["b", "a", "bb"]), {"categories": ["b", "a"]}, [1, 1]),
        (np.array([3, 5, 5, 8]), {"categories": [5, 3]}, [2, 1]),
        (pd.Series(["x", None, "y"]), {"categories": ["x", "y"], "other": True}, [1, 1, 0]),
        (pl.Series(["x", None, "y", "y"]), {"categories": ["x", "y"]}, [1, 2]),
        (pa.array([1, None, 9]), {"edges": [0, 5, 10]}, [1, 1]),
        (pd.Series(["x", "y", "x"], dtype="category"), {"categories": ["x", "y"]}, [2, 1]),
        ([True, False, True], {"categories": [True, False]}, [2, 1]),
        ([1, 2, 3, 9], {"edges": [0, 5, 10], "unit_ids": list("aaab"), "rows_per_unit": 1}, [1, 1]),
        ([], {"edges": [0, 1]}, [0]),
        ([[1], "a", {}], {"categories": ["a"], "other": True}, [1, 2]),
    ],
    ids=str,
)
def test_what_is_counted(values: Any, asking: dict[str, Any], expected: list[int]) -> None:  # noqa: ANN401 - any column
    assert exact_counts(values, **asking) == expected


@pytest.mark.parametrize(
    ("asking", "sensitivity"),
    [
        ({}, Sensitivity(1)),
        ({"neighbors": "replace"}, Sensitivity(1, cells=2)),
        ({"rows_per_unit": 3}, Sensitivity(3, cells=3, l1=3, l2=3)),
        ({"rows_per_unit": 30}, Sensitivity(30, cells=11, l1=30, l2=30)),
        ({"neighbors": "replace", "rows_per_unit": 3}, Sensitivity(3, cells=6, l1=6, l2=Sensitivity(3, cells=2).l2)),
    ],
    ids=str,
)
def test_the_sensitivity(asking: dict[str, Any], sensitivity: Sensitivity) -> None:
    ledger = Recording(Unit("person", asking.get("neighbors", "add_remove")))
    histogram(AGES, edges=TENS, epsilon=1, ledger=ledger, **asking)
    assert ledger.sensitivities == [sensitivity]


def test_many_cells_with_a_delta_take_gaussian_noise_for_many_rows() -> None:
    one = histogram(AGES, edges=TENS, epsilon=1, delta=1e-6)
    assert one.mechanism == "DiscreteLaplace(l1_sensitivity=1, scale=1)"
    assert histogram(AGES, edges=TENS, rho="0.5").mechanism.startswith("DiscreteGaussian")


def test_a_ready_mechanism_must_fit() -> None:
    ready = DiscreteLaplace(l1_sensitivity=1, scale=2)
    assert histogram(AGES, edges=TENS, mechanism=ready).loss == ready.loss
    with pytest.raises(InvalidParameter, match="does not cover"):
        histogram(AGES, edges=TENS, mechanism=ready, neighbors="replace")


def test_a_ledger_is_charged_once_for_all_cells() -> None:
    with Ledger(Guarantee(1), unit=Unit("person", "replace")) as ledger:
        answer = histogram(AGES, edges=TENS, epsilon=1, ledger=ledger, purpose="ages")
        assert (answer.purpose, str(ledger.spent)) == ("ages", "ε=1, δ=0")
        with pytest.raises(BudgetExceeded):
            histogram(AGES, edges=TENS, epsilon=1, ledger=ledger)


def test_the_same_key_gives_the_same_counts_with_labels() -> None:
    ledger = Ledger(Guarantee(1), unit=Unit("person"))
    first = histogram(AGES, edges=TENS, epsilon=1, ledger=ledger, key="k")
    again = histogram(AGES, edges=TENS, epsilon=1, ledger=ledger, key="k")
    assert first.to_dict() == again.to_dict()
    assert again.margin() == first.margin()


@pytest.mark.parametrize(
    ("asking", "words"),
    [
        ({}, "either edges"),
        ({"edges": [0, 1], "categories": ["a"]}, "either edges"),
        ({"edges": [1, 0]}, "increase"),
        ({"edges": [0, 1], "outside": "keep"}, "outside must"),
        ({"edges": [0, 1], "other": True}, "other goes with categories"),
        ({"categories": []}, "at least one label"),
        ({"categories": ["a", "a"]}, "each once"),
        ({"categories": [None]}, "none missing"),
        ({"categories": "ab"}, "list of labels"),
        ({"categories": [["a"]]}, "texts, numbers or dates"),
        ({"categories": ["a"], "missing": 3}, "missing must"),
        ({"edges": [0, 1], "epsilonn": 3}, "did you mean epsilon"),
    ],
    ids=str,
)
def test_bad_questions_are_refused_before_the_charge(asking: dict[str, Any], words: str) -> None:
    ledger = Ledger(Guarantee(1), unit=Unit("person"))
    with pytest.raises(InvalidParameter, match=words):
        histogram([1, 2], epsilon=1, ledger=ledger, **asking)
    assert not ledger.entries


def test_labels_of_another_type_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="column's type"):
        histogram(np.array([1, 2]), categories=["a"], epsilon=1)
    with pytest.raises(InvalidParameter, match="column's type"):
        histogram(np.array(["a"]), categories=[1], epsilon=1)


def test_a_table_of_two_columns() -> None:
    first = [1, 1, 3, 9, 1, None]
    second = ["a", "b", "b", "b", None, "a"]
    secret, sensitivity = recorded(
        lambda ledger: histogram2d(
            first, second, edges=([0, 2, 4], None), categories=(None, ["a", "b"]), epsilon=1, ledger=ledger
        ),
        Unit("person"),
    )
    assert [int(cell) for cell in secret] == [1, 1, 0, 1]
    assert sensitivity == Sensitivity(1)
    answer = histogram2d(
        first, second, edges=([0, 2, 4], None), categories=(None, ["a", "b"]), other=True, outside="clip", epsilon=1
    )
    assert answer.value.shape == (2, 3)
    assert answer.to_dict()["[0, 2)"].keys() == {"a", "b", "other"}
    assert "other" in repr(answer)
    with pytest.raises(InvalidParameter, match="must be a pair"):
        histogram2d(first, second, edges=[0, 1, 2], epsilon=1)  # type: ignore[arg-type] # on purpose


def test_views_are_consistent_and_free() -> None:
    answer = histogram(AGES, edges=TENS, epsilon="0.1", neighbors="replace")
    cut = answer.nonnegative()
    assert cut.value.min() >= 0
    assert cut.loss == answer.loss
    exact = answer.with_total(7)
    assert exact.value.sum() == pytest.approx(7)
    assert exact.value.min() >= 0
    whole = answer.with_total(7, whole_counts=True)
    assert whole.value.dtype == np.int64
    assert whole.value.sum() == 7
    with pytest.raises(InvalidParameter, match="not known without the data"):
        whole.margin()
    with pytest.raises(InvalidParameter, match="total must"):
        answer.with_total("seven")


def test_a_released_total_adds_to_what_was_spent() -> None:
    answer = histogram(AGES, edges=TENS, epsilon=1)
    total = count(AGES, epsilon=2)
    both = answer.with_total(total)
    assert both.loss.epsilon(0) == 3
    assert both.value.sum() == pytest.approx(max(total.value, 0))


def test_it_reads_as_a_table() -> None:
    shown = repr(histogram(AGES, edges=TENS, epsilon=1))
    assert "[100, 110]" in shown
    assert "each ± 3, all together ± 5 (95%)" in shown
    assert "spent ε=1 per person on 'histogram'" in shown
    long = repr(histogram(AGES, edges=range(100), epsilon=1))
    assert "… 75 more" in long
