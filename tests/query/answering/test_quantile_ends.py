"""Intervals that are drawn with quantiles: they hold the quantile of the bounded data, in every group."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import cache
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

import privet
from privet.errors import InvalidParameter
from privet.loss import Guarantee
from privet.mechanisms.grouped_interval import GroupedInterval
from privet.query.answering.quantile_ends import COMPUTED, PAID
from privet.query.results.answer import Answer
from privet.query.session import Session
from tests.support.statistics import FALSE_ALARM

GROUPS, ROWS = 150, 60  # each group has the same rows, so that one answer holds as many intervals
AT_LEAST = int(binom.ppf(FALSE_ALARM, GROUPS, 0.9))  # of intervals at 90 %, but for one time in a million
ENDS: dict[str, Any] = {"epsilon": 1, "quantile_intervals": True}
DAY = datetime(2024, 1, 1)  # noqa: DTZ001 - as engines have them


@cache
def rows() -> dict[str, NDArray[Any]]:
    """Whole numbers, two heaps that a bound clips, one value, and a real number between bounds that are no places."""
    rng = np.random.default_rng(5)
    heaps = np.where(np.arange(ROWS) < 31, -500.0, 90.25)
    return {
        "age": rng.integers(17, 60, ROWS),
        "heaps": heaps,
        "same": np.full(ROWS, 7.128),
        "pay": rng.normal(3.0, 1.0, ROWS).clip(0.3, 9.7),
        "hours": np.sort(rng.integers(0, 2_000, ROWS)),
    }


@cache
def session() -> Session:
    columns = {name: pa.array(np.tile(values, GROUPS)) for name, values in rows().items() if name != "hours"}
    moments = [DAY + timedelta(hours=int(hour)) for hour in rows()["hours"]] * GROUPS
    people = pa.table(
        {
            "id": np.arange(GROUPS * ROWS),
            "place": np.repeat(np.arange(GROUPS), ROWS),
            "at": pa.array(moments, pa.timestamp("us")),
            "day": pa.array([each.date() for each in moments]),
            **columns,
        }
    )
    words: dict[str, dict[str, Any]] = {
        "place": {"bounds": [0, GROUPS - 1]},
        "age": {"bounds": [0, 110]},
        "heaps": {"bounds": [0, 100]},
        "same": {"bounds": [0, 50]},
        "pay": {"bounds": ["0.3", "9.7"]},
        "at": {"bounds": ["2023-12-31 00:00:00", "2024-12-31 00:00:00"]},
        "day": {"bounds": ["2023-12-31", "2024-12-31"]},
    }
    return privet.connect(
        privet.Catalog.of(
            people, table="people", unit="person", unit_column="id", limit=Guarantee(10_000), columns=words
        )
    )


def _moment(number: float) -> datetime:
    return DAY + timedelta(hours=number)


SHOWN: dict[str, tuple[str, Callable[[], Any]]] = {
    "whole numbers": ("MEDIAN(age)", lambda: np.quantile(rows()["age"], 0.5)),
    "two heaps": ("MEDIAN(heaps)", lambda: np.quantile(rows()["heaps"].clip(0, 100), 0.5)),
    "one value": ("QUANTILE_CONT(same, 0.9)", lambda: 7.128),
    "real numbers": ("QUANTILE_CONT(pay, 0.3)", lambda: np.quantile(rows()["pay"], 0.3)),
    "the least": ("MIN(pay)", lambda: np.quantile(rows()["pay"], 0.01)),
    "falling": ("1 - 2 * MEDIAN(age)", lambda: 1 - 2 * np.quantile(rows()["age"], 0.5)),
    "timestamps": ("MEDIAN(at)", lambda: _moment(float(np.quantile(rows()["hours"], 0.5)))),
    "dates": ("PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY day)", lambda: _moment(float(rows()["hours"][29])).date()),
}


def asked(what: str, **said: Any) -> Answer:  # noqa: ANN401 - any keyword
    text = f"SELECT place, {what} AS x FROM people GROUP BY place"  # noqa: S608 - of this file
    return session().sql(text, **{"epsilon": 2, "confidence": 0.9, "quantile_intervals": True, **said})


def held(answer: Answer, truth: Any) -> int:  # noqa: ANN401 - a number or a moment
    return sum(row["x_low"] <= truth <= row["x_high"] for row in answer.rows)


@pytest.mark.parametrize("kind", SHOWN)
def test_the_quantile_of_the_bounded_data_lies_between(kind: str) -> None:
    """150 intervals at 90 %, each of 60 rows; they are bounds, so that nearly all hold."""
    what, truth = SHOWN[kind]
    answer = asked(what)
    assert answer.intervals == ("x",)
    assert held(answer, truth()) >= AT_LEAST
    assert all(row["x_low"] <= row["x"] <= row["x_high"] for row in answer.rows)
    assert answer.table.schema.field("x_low").type == answer.table.schema.field("x").type


def test_control_ends_that_aim_at_the_quantile_itself_hold_too_seldom() -> None:
    what, truth = SHOWN["real numbers"]
    with patch.object(GroupedInterval, "reach", 0):
        assert held(asked(what, confidence=0.901), truth()) < AT_LEAST  # a quote that was made before is kept


def test_they_are_drawn_only_where_they_are_asked_for() -> None:
    plain = asked("MEDIAN(age)", quantile_intervals=False)
    assert plain.table.column_names == ["place", "x"]
    assert plain.without_margin == {"x": PAID}
    assert plain.spent == asked("MEDIAN(age)").spent
    assert asked("MEDIAN(age) * MEDIAN(age)").without_margin == {"x": COMPUTED}
    assert asked("AVG(age)").table.schema == asked("AVG(age)", quantile_intervals=False).table.schema


def test_every_door_takes_the_word() -> None:
    people = session().table("people")
    frame = people.agg(m=people.age.median()).answer(**ENDS)
    (batched,) = session().batch(["SELECT MEDIAN(age) AS m FROM people"], **ENDS)
    for answer in (frame, batched):
        assert answer.table.column_names == ["m", "m_low", "m_high"]
    told = session().explain("SELECT MEDIAN(age) AS m FROM people", **ENDS)
    assert "with an interval in value" in str(told)
    assert "GroupedInterval" in str(told.details)


def test_with_rho_and_with_bounds_that_are_found() -> None:
    answer = session().sql("SELECT MEDIAN(age) AS m FROM people", rho="0.1", quantile_intervals=True)
    assert answer.intervals == ("m",)
    text = "SELECT MEDIAN(id) AS m, COUNT(*) AS n FROM people"
    found = session().sql(text, epsilon=10, automatic_bounds="0.2", quantile_intervals=True)
    row = found.rows[0]
    assert row["m_low"] <= GROUPS * ROWS / 2 <= row["m_high"]


def test_what_a_later_stage_reads_is_not_paid_for_twice_over() -> None:
    """It is shown without ends, so none are drawn: the quantile has all of its share."""
    text = "SELECT place, MEDIAN(age) AS m FROM people GROUP BY ROLLUP (place)"
    told = session().explain(text, epsilon=1, quantile_intervals=True)
    assert "GroupedInterval" not in str(told.details)
    assert "GroupedChoice" in str(told.details)
    answer = session().sql("WITH w AS (SELECT MEDIAN(age) AS m FROM people) SELECT m FROM w", **ENDS)
    assert answer.table.column_names == ["m"]
    assert "m" in answer.without_margin


def test_what_does_not_go_with_them_is_refused() -> None:
    spent = session().ledger.spent
    with pytest.raises(InvalidParameter, match="for the data at hand"):
        asked("MEDIAN(age)", interval="population")
    with pytest.raises(InvalidParameter, match="True or False"):
        asked("MEDIAN(age)", quantile_intervals="yes")
    assert session().ledger.spent == spent
