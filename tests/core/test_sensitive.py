"""Sensitive: nothing ordinary code does shows the value."""

import copy
import pickle
from typing import Any

import pytest

from privet.core import Sensitive, Sensitivity, Unit
from privet.errors import InvalidParameter

PERSON = Unit("person")
HIDDEN = 987_654_321
SECRET = Sensitive(HIDDEN, Sensitivity(1), PERSON)


@pytest.mark.parametrize("text", [repr(SECRET), str(SECRET), f"{SECRET}", f"{[SECRET]}", f"{SECRET!r:>10}"])
def test_no_text_shows_the_value(text: str) -> None:
    assert str(HIDDEN) not in text
    assert "hidden" in text


def test_it_cannot_be_pickled_or_compared_by_value() -> None:
    with pytest.raises(TypeError, match="release it through a Ledger"):
        pickle.dumps(SECRET)
    with pytest.raises(TypeError):
        copy.deepcopy(SECRET)
    assert Sensitive(HIDDEN, Sensitivity(1), PERSON) != SECRET
    assert SECRET != HIDDEN  # type: ignore[comparison-overlap]
    with pytest.raises(TypeError):
        SECRET + 1  # type: ignore[operator]
    with pytest.raises(TypeError):
        sorted([SECRET, HIDDEN])  # type: ignore[type-var]
    with pytest.raises(TypeError):
        float(SECRET)  # type: ignore[arg-type]


def test_it_has_no_dictionary_to_print() -> None:
    with pytest.raises(TypeError):
        vars(SECRET)


def test_later_says_so_and_computes_nothing() -> None:
    late = Sensitive.later(pytest.fail, Sensitivity(1), PERSON)
    assert "not yet computed" in repr(late)
    assert late.deferred


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Sensitive(1, 1, PERSON), "must be a Sensitivity"),  # type: ignore[arg-type]
        (lambda: Sensitive(1, Sensitivity(1), "person"), "must be a Unit"),  # type: ignore[arg-type]
        (lambda: Sensitive.later(3, Sensitivity(1), PERSON), "must be a function"),  # type: ignore[arg-type]
    ],
)
def test_mistakes_are_refused(make: Any, says: str) -> None:  # noqa: ANN401 - a function
    with pytest.raises(InvalidParameter, match=says):
        make()
