"""A release where its number or its array would be: conversions, numpy, and arithmetic whose error is known."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privet.core import Release, Uncertainty, Unit
from privet.errors import InvalidParameter
from privet.loss import PrivacyLoss
from privet.mechanisms.laplace import LaplaceError

LAW = LaplaceError(2.0)


def released(value: Any, law: Uncertainty | None = LAW) -> Release[Any]:  # noqa: ANN401 - anything
    return Release(value, law, PrivacyLoss(), "a test", "noise", Unit("person"))


def test_one_number() -> None:
    release = released(12.5)
    assert (float(release), round(release), round(release, 1), f"{release:.2f}", f"{release:>8.1f}") == (
        12.5, 12, 12.5, "12.50", "    12.5",
    )  # fmt: skip
    assert f"{release}" == repr(release)
    assert int(released(7)) == int(released(7.0)) == int(released(np.int64(7))) == 7
    assert math.sqrt(released(9)) == 3
    with pytest.raises(InvalidParameter, match="not a whole number"):
        int(release)


def test_an_array() -> None:
    cells = released(np.array([[3, 1], [4, 1]]))
    assert np.asarray(cells).sum() == 9
    assert np.asarray(cells, dtype=float).dtype == np.float64
    assert len(cells) == 2
    assert [float(each) for each in cells[1]] == [4.0, 1.0]
    assert cells[0, 0].margin() == cells.margin()
    assert (type(cells[0, 0].value), f"{cells:.1f}") == (int, "[3.0, 1.0, 4.0, 1.0]")
    np.asarray(cells)[0, 0] = 99
    assert cells.value[0, 0] == 3  # the release stays what it was
    assert released(("a", "b"), None)[1].value == "b"


@pytest.mark.parametrize(
    ("work", "factor", "offset"),
    [
        (lambda x: x + 1, 1, 1),
        (lambda x: 1.5 + x, 1, 1.5),
        (lambda x: x - 3, 1, -3),
        (lambda x: 3 - x, -1, 3),
        (lambda x: -x, -1, 0),
        (lambda x: x * 2.5, 2.5, 0),
        (lambda x: np.float64(2) * x, 2, 0),
        (lambda x: x / 8, 1 / 8, 0),
        (lambda x: x * Fraction(1, 3), 1 / 3, 0),
        (lambda x: (x - 32) * 5 / 9, 5 / 9, -160 / 9),
    ],
)
@pytest.mark.parametrize("value", [41, 41.25, np.array([41, -7]), np.array([[41.25]])])
def test_arithmetic_with_public_numbers(work: Callable[[Any], Any], factor: float, offset: float, value: Any) -> None:  # noqa: ANN401 - a number or an array
    found = work(released(value))
    assert np.allclose(found.value, np.asarray(value) * factor + offset, rtol=1e-12)
    assert found.margin(0.9) >= LAW.margin(0.9) * abs(factor)  # rounded against us
    assert math.isclose(found.margin(0.9), LAW.margin(0.9) * abs(factor), rel_tol=1e-9)
    assert found.purpose == "a test"
    assert work(released(value, None)).uncertainty is None


def test_whole_numbers_stay_whole_and_do_not_overflow() -> None:
    assert type((released(4) * 2 + 1).value) is int
    assert (released(np.array([2**62])) * 4).value[0] == 2**64
    assert (released(np.array([3])) * 2).value.dtype == np.int64


@pytest.mark.parametrize(
    ("misuse", "says"),
    [
        (lambda x, _: x > 3, "compare release.value"),
        (lambda x, _: x >= 3, "compare release.value"),
        (lambda x, _: bool(x), "neither true nor false"),
        (lambda x, _: x + x, "two releases"),
        (lambda x, _: x * "2", "only a finite public number, got str"),
        (lambda x, _: x * True, "only a finite public number"),
        (lambda x, _: x + math.nan, "only a finite public number"),
        (lambda x, _: np.array([1, 2]) * x, "got ndarray"),
        (lambda x, _: x + 10**400, "only a finite public number"),
        (lambda x, _: x * 1e299 * 1e299, "too large for a float"),
        (lambda _, cells: cells * 1e299 * 1e299, "too large for a float"),
        (lambda x, _: x * 0, "says nothing"),
        (lambda x, _: x / 0, "divided by 0"),
        (lambda x, _: 1 / x, "no known error"),
        (lambda x, _: f"{x:%Q}", "cannot be written as '%Q'"),
        (lambda x, _: x[0], "a release of several numbers"),
        (lambda x, _: len(x), "a release of several numbers"),
        (lambda _, cells: float(cells), "the release of one number"),
        (lambda _, cells: cells["a"], "there is no place 'a'"),
        (lambda _, cells: sum(cells), "two releases"),
    ],
)
def test_what_would_be_misread_is_refused(misuse: Callable[[Any, Any], object], says: str) -> None:
    with pytest.raises(InvalidParameter, match=says):
        misuse(released(5), released(np.array([1, 2])))


def test_what_is_no_number_stays_what_it_is() -> None:
    for odd in ("yes", {"a": 1}, len):
        with pytest.raises(InvalidParameter):
            float(released(odd, None))
        with pytest.raises(InvalidParameter):
            released(odd, None) + 1
    with pytest.raises(InvalidParameter, match="is no array"):
        np.asarray(released({"a": 1}, None))
