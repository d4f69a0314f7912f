"""Whatever runs give becomes kinds and numbers."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privet.audit.outcomes import MOST, Reader, joined


@dataclass(frozen=True)
class Told:
    flags: tuple[bool, ...]
    value: float


@pytest.mark.parametrize(
    ("outcome", "kind", "numbers"),
    [
        (3, "a whole number", [3.0]),
        (10**400, "inf", [np.inf]),
        (Fraction(1, 2), "a number", [0.5]),
        (np.float32(0.5), "a number", [0.5]),
        (float("nan"), "nan", [np.nan]),
        (None, "None", []),
        ("a\nb", "'a\\nb'", []),
        (b"x", "b'x'", []),
        (True, "True", []),
        ([], "a list of nothing", []),
        ((1, "x", None), "a tuple of a whole number, 'x', None", [1.0]),
        ([1.5, 2.5], "a list of 2 times a number", [1.5, 2.5]),
        ({"a": 1.5, "b": None}, "{'a': a number, 'b': None}", [1.5]),
        (np.array([[1.0, 2.0]]), "an array of 2 times a number in shape (1, 2)", [1.0, 2.0]),
        (Told((True, False), 2.5), "Told(flags=a tuple of True, False, value=a number)", [2.5]),
        (ValueError("too many"), "ValueError(too many)", []),
        pytest.param(object(), "a object", [], id="object"),  # its text holds an address, other in every process
    ],
    ids=str,
)
def test_one_outcome(outcome: Any, kind: str, numbers: list[float]) -> None:  # noqa: ANN401 - anything
    reader = Reader()
    seen = reader.read([outcome, ()])
    assert reader.names[int(seen.kinds[0])] == kind
    assert seen.columns[0][: len(numbers)] == pytest.approx(numbers, nan_ok=True)
    assert np.isnan(seen.columns[0][len(numbers) :]).all()
    assert seen.kinds[1] != seen.kinds[0]


def test_numbers_that_are_none_are_a_kind() -> None:
    reader = Reader()
    seen = reader.read(np.array([[1.0, np.nan], [1.0, 2.0], [np.inf, -np.inf], [3.0, np.nan]]))
    assert [reader.names[kind] for kind in seen.kinds] == [
        "2 numbers: (·, none)",
        "2 numbers",
        "2 numbers: (∞, -∞)",
        "2 numbers: (·, none)",
    ]


def test_lists_of_plain_numbers_are_one_column() -> None:
    reader = Reader()
    assert reader.read([1.0, 2.0]).columns.tolist() == [[1.0], [2.0]]
    for alone, beside in (([1, 2], [1, 2, 1.5]), ([1.0, 2.0], [1.0, 2.0, None]), ([1.0], [1.0, np.nan])):
        assert reader.read(beside).kinds.tolist()[: len(alone)] == reader.read(alone).kinds.tolist()
    assert reader.read([1]).kinds.tolist() != reader.read([1.0]).kinds.tolist()


def test_flags_beyond_the_first_are_numbers() -> None:
    seen = Reader().read([(True,) * 20, (False,) * 20])
    assert seen.columns.shape == (2, 4)


def test_many_numbers_are_cut() -> None:
    assert Reader().read(np.zeros((2, MOST + 5))).columns.shape == (2, MOST)


def test_parts_of_different_widths_are_joined() -> None:
    reader = Reader()
    both = joined([reader.read([1.0]), reader.read([(1.0, 2.0)])])
    assert both.columns[0, 0] == 1
    assert np.isnan(both.columns[0, 1])
    assert len(both[1:]) == 1
