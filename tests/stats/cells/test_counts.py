"""counts: many questions about the same rows."""

from typing import Any

import numpy as np
import pytest

from privet import Sensitivity, Unit
from privet.errors import InvalidParameter
from privet.stats import counts
from tests.support.recording_ledger import Recording, recorded

AGES = [70, 5, None, 40]


def exact_counts(queries: Any, **asking: Any) -> list[int]:  # noqa: ANN401 - any queries
    secret, _ = recorded(lambda ledger: counts(queries, epsilon=1, ledger=ledger, **asking), Unit("person"))
    return [int(cell) for cell in secret]


def test_columns_and_functions() -> None:
    assert exact_counts({"old": [True, False, None, False], "ill": np.array([1, 0, 1, 1])}) == [1, 3]
    asked = {"old": lambda age: age > 65, "adult": lambda age: age > 17, "odd": lambda age: 1 / (age - 5) > 0}
    assert exact_counts(asked, values=AGES) == [1, 2, 2]
    assert exact_counts(asked, values=AGES, per_row=1) == [1, 1, 0]
    assert exact_counts(asked, values=AGES, per_row=2) == [1, 2, 1]
    assert exact_counts([[True, True], [False, True]], unit_ids=["a", "a"], rows_per_unit=1) == [1, 1]


@pytest.mark.parametrize(
    ("asking", "sensitivity"),
    [
        ({}, Sensitivity(1, cells=5)),
        ({"neighbors": "replace"}, Sensitivity(1, cells=5)),
        ({"per_row": 1}, Sensitivity(1)),
        ({"per_row": 1, "neighbors": "replace"}, Sensitivity(1, cells=2)),
        ({"per_row": 2, "rows_per_unit": 2}, Sensitivity(2, cells=4, l1=4, l2=Sensitivity(2, cells=2).l2)),
        ({"rows_per_unit": 3}, Sensitivity(3, cells=5)),
    ],
    ids=str,
)
def test_the_sensitivity(asking: dict[str, Any], sensitivity: Sensitivity) -> None:
    ledger = Recording(Unit("person", asking.get("neighbors", "add_remove")))
    counts([[True]] * 5, epsilon=1, ledger=ledger, **asking)
    assert ledger.sensitivities == [sensitivity]


def test_many_questions_take_gaussian_noise_where_a_delta_allows_it() -> None:
    few, many = (counts([[True, False]] * number, epsilon=1, delta=1e-6) for number in (2, 60))
    assert few.mechanism.startswith("DiscreteLaplace")
    assert many.mechanism.startswith("DiscreteGaussian")


@pytest.mark.parametrize(
    ("queries", "asking", "words"),
    [
        ({}, {}, "at least one question"),
        (3, {}, "columns or functions by name"),
        ({"old": lambda age: age > 3}, {}, "needs values"),
        ([[True], [True, False]], {}, "lengths differ"),
        ([np.array(["a"])], {}, "must hold"),
        (["Bern", "Genf"], {}, "is histogram"),
        ([[True]], {"per_row": 0}, "per_row must"),
        ([[True]], {"missing": 1}, "missing must"),
    ],
)
def test_bad_questions_are_refused(queries: Any, asking: dict[str, Any], words: str) -> None:  # noqa: ANN401 - anything
    with pytest.raises(InvalidParameter, match=words):
        counts(queries, epsilon=1, **asking)
