"""Whatever runs give becomes kinds and numbers."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from privet.audit.outcomes import Reader, joined
from privet.audit.taken_apart import MOST


@dataclass(frozen=True)
class Told:
    flags: tuple[bool, ...]
    value: float


@pytest.mark.parametrize(
    ("outcome", "kind", "numbers"),
    [
        (3, "a whole number", [3.0]),
        (10**400, "a number longer than a float", [np.inf, 0.5]),
        (2**60 + 1, "a number longer than a float", [2.0**60, 1.0]),
        (Decimal("0.5"), "a number", [0.5]),
        (Decimal("sNaN"), "nan", [np.nan]),
        (1 - 2j, "a complex of 2 times a number", [1.0, -2.0]),
        (date(2026, 1, 2), "datetime.date(2026, 1, 2)", []),
        (pd.Series([1.5, 2.5]), "a Series of an array of 2 times a number in shape (2,)", [1.5, 2.5]),
        (pa.table({"a": [1]}), "a Table of {'a': a list of a whole number}", [1.0]),
        (int, "type int", []),
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


def test_what_floats_leave_of_whole_numbers_is_a_number() -> None:
    """Of tables, and of runs that come one by one: a difference of 1 in 2^60 is seen."""
    large = 2**60 + np.arange(3)
    for runs in (large, large.tolist(), large[:, None]):
        seen = Reader().read(runs)
        assert seen.columns[1:].tolist() == [[2.0**60, 1.0], [2.0**60, 2.0]]
    assert Reader().read([np.ones(MOST + 1), 1.0]).columns.shape == (2, MOST)
    assert Reader().read([7, 8]).columns.tolist() == [[7], [8]]


def test_what_cannot_be_looked_into_is_told() -> None:
    def numbers() -> Iterator[float]:
        yield 1.0

    itself: list[Any] = [1.5]
    itself.append(itself)
    reader = Reader()
    seen = reader.read([numbers(), (1.5, reader), itself])
    assert list(reader.unread) == ["generator", "Reader"]
    assert reader.blank == {int(seen.kinds[0])}
    assert reader.names[int(seen.kinds[2])] == "a list of a number, itself"


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
