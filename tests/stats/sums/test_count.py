"""count: rows or true values."""

from typing import Any

import numpy as np
import pytest

from privet import Unit
from privet.errors import InvalidParameter
from privet.stats import count
from tests.support.recording_ledger import Recording, recorded


def exact_count(values: Any, **asking: Any) -> int:  # noqa: ANN401 - any column, any keyword
    unit = Unit("person", asking.pop("neighbors", "add_remove"))
    (secret,), _ = recorded(lambda ledger: count(values, epsilon=1, ledger=ledger, **asking), unit)
    assert secret.denominator == 1
    return int(secret)


@pytest.mark.parametrize(
    ("values", "asking", "expected"),
    [
        (np.array([True, False, True]), {}, 2),
        (np.array([True, False, True]), {"of": "rows"}, 3),
        (np.array([0.0, 2.0, np.nan, -1.0]), {}, 3),
        (np.array([0.0, 2.0, np.nan, -1.0]), {"of": "true"}, 2),
        (np.array([0.0, 2.0, np.nan, -1.0]), {"of": "true", "missing": 1}, 3),
        (np.array([0.0, 2.0, np.nan, -1.0]), {"of": "true", "missing": 0}, 2),
        (np.array([0.0, 2.0, np.nan, -1.0]), {"of": "true", "missing": "none"}, 2),
        (np.array([0.0, 2.0, np.nan, -1.0]), {"missing": "none"}, 4),
        (np.array([0.0, 2.0, np.nan, -1.0]), {"missing": 0}, 4),
        (["a", "b", None], {}, 2),
        ([True, False], {}, 2),
        ([True, False], {"of": "true"}, 1),
        ([], {}, 0),
        (np.array(["a", "b"]), {"neighbors": "replace"}, 2),
        (np.array([True, True, False, True]), {"unit_ids": list("aaab"), "rows_per_unit": 1}, 1),
        (np.array([1, 1, 1, 1]), {"unit_ids": list("aaab"), "rows_per_unit": 2, "of": "true"}, 3),
    ],
)
def test_what_is_counted(values: Any, asking: dict[str, Any], expected: int) -> None:  # noqa: ANN401 - any column
    assert exact_count(values, **asking) == expected


def test_a_public_number_is_not_asked_for() -> None:
    with pytest.raises(InvalidParameter, match="is public here"):
        count(np.array([1, 2]), epsilon=1, neighbors="replace")
    assert isinstance(count(np.array([1, 2]), of="true", epsilon=1, neighbors="replace").value, int)
    with pytest.raises(InvalidParameter, match='"rows" or "true"'):
        count([1], of="all", epsilon=1)  # type: ignore[arg-type] # on purpose


def test_one_unit_moves_the_count_by_its_rows() -> None:
    for neighbors in ("add_remove", "replace"):
        ledger = Recording(Unit("person", neighbors))
        count([1.0, 2.0], epsilon=1, rows_per_unit=4, ledger=ledger)
        assert ledger.sensitivities[0].l1 == 4


def test_answers_are_whole_at_every_price() -> None:
    for price in ({"epsilon": 1}, {"epsilon": 1, "delta": "1e-3"}, {"rho": "0.1"}):
        assert isinstance(count([1, 2, 3], **price).value, int)
