"""private_choice: the better model for one price, scores that move by one, and models that are alike."""

from typing import Any

import numpy as np
import pytest

from privet import Guarantee, Ledger, Unit
from privet.errors import InvalidParameter
from privet.learn import PrivateChoice, private_choice
from tests.learn.first_column import FirstColumn
from tests.learn.most_frequent import MostFrequent
from tests.support.recording_ledger import RecordingPlans, assert_within

X = np.linspace(0, 1, 120).reshape(60, 2)
Y = np.array(["no", "no", "yes"] * 20)
NEVER = 10**5


def said(label: str) -> MostFrequent:
    """A model that always says the label."""
    return MostFrequent(classes=["no", "yes"], epsilon=NEVER).fit(X, [label] * len(X))


@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
def test_the_better_model_is_chosen_for_one_price(neighbors: str) -> None:
    unit = Unit("person", neighbors)
    ledger = Ledger(Guarantee(5), unit=unit)
    asked: Any = {"epsilon": 5, "ledger": ledger, "neighbors": neighbors}
    found = private_choice({"bad": said("yes"), "good": said("no"), "worse": said("yes")}, X, Y, **asked)
    assert isinstance(found, PrivateChoice)
    assert found.name == "good"
    assert found.model.predict(X[:1]).tolist() == ["no"]
    assert found.loss.epsilon(0) <= 5
    assert found.unit == unit
    assert [entry.purpose for entry in ledger.entries] == ["choice among 3 models"]
    assert "good" in repr(found)


def test_numbers_are_judged_by_squared_errors() -> None:
    near = FirstColumn(target_bounds=(0, 1), epsilon=NEVER).fit(X, X[:, 0])
    assert private_choice([near, near], X, X[:, 0], epsilon=1).name in {0, 1}


@pytest.mark.parametrize("replaced", [False, True])
@pytest.mark.parametrize("rows", [1, 3])
def test_a_person_moves_each_score_by_as_many_rows_as_count(replaced: bool, rows: int) -> None:  # noqa: FBT001 - a case
    unit = Unit("person", "replace" if replaced else "add_remove")
    models, told = [said("yes"), said("no")], []
    more: dict[str, Any] = {"rows_per_unit": rows}
    lists = (Y, [*Y[:-rows], *["no" if each == "yes" else "yes" for each in Y[-rows:]]]) if replaced else (Y, Y[:-rows])
    for labels in lists:
        ledger = RecordingPlans(unit)
        private_choice(models, X[: len(labels)], labels, epsilon=1, ledger=ledger, unit=unit, **more)
        told.append(ledger.secrets[-1])
        assert_within(told[0], told[-1], ledger.sensitivities[-1])
    assert told[0] != told[1]


@pytest.mark.parametrize(
    ("models", "asked", "words"),
    [
        ([], {"epsilon": 1}, "at least one fitted model"),
        ([said("no"), FirstColumn(target_bounds=(0, 1))], {"epsilon": 1}, "all of one kind"),
        ([said("no"), MostFrequent(classes=["no", "yes"])], {"epsilon": 1}, "not fitted"),
        ([said("no"), MostFrequent(classes=["a", "b"], epsilon=1).fit(X, Y)], {"epsilon": 1}, "the same classes"),
        ([said("no")], {"rho": 1}, "not made for a rho"),
        ([said("no")], {}, "price"),
    ],
)
def test_refuses_in_words(models: list[Any], asked: dict[str, Any], words: str) -> None:
    with pytest.raises((InvalidParameter, ValueError), match=words):
        private_choice(models, X, Y, **asked)
