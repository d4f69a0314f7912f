"""Advice in answers: from declared and released numbers, where limits or bounds err more than noise; else none."""

from typing import Any

import pyarrow as pa
import pytest

from privet.query.results.answer import Answer
from tests.query.pricing.test_cut_off import BY_CLINIC, COST, session, visits

PLAIN: dict[str, Any] = {"expected": None, "cost": {"bounds": [0, 500]}}


def few(rows: int, units: int) -> pa.Table:
    table = visits()
    return table.slice(0, rows).set_column(0, "id", pa.array([place % units for place in range(rows)]))


def test_an_answer_says_what_would_err_less() -> None:
    asked = session()
    answer = asked.sql(BY_CLINIC, epsilon=1)
    assert answer.advice == asked.explain(BY_CLINIC, epsilon=1).advice
    assert answer.advice[0].startswith("n, s: the limit on rows probably errs more than the noise")
    assert "errs more than the noise" in repr(answer)
    assert "errs more than the noise" in answer._repr_html_()
    assert Answer.from_json(answer.to_json()).advice == answer.advice
    one, other = asked.batch([BY_CLINIC, "SELECT COUNT(DISTINCT id) AS n FROM visit"], epsilon=1)
    assert one.advice
    assert not other.advice


@pytest.mark.parametrize(
    ("words", "keywords"),
    [
        (PLAIN, {}),
        ({"cost": {**COST, "bounds": [0, 5000]}}, {"rows_per_unit": 60}),
        ({"cost": {**COST, "bounds": [0, 5000]}, "rows_per_unit": 10**6}, {}),
    ],
)
def test_it_is_silent_where_noise_errs_most_or_nobody_knows(words: dict[str, Any], keywords: dict[str, Any]) -> None:
    answer = session(**words).sql(BY_CLINIC, epsilon=1, **keywords)
    assert not answer.advice
    assert "errs more" not in repr(answer)


def test_a_report_on_clipping_tells_of_limits_and_bounds() -> None:
    """What is said of the limit is a lower bound of what the answer lacks."""
    table = visits()
    answer = session(table, **PLAIN).sql(BY_CLINIC, epsilon=20, clipping="report")
    limit, bounds = answer.advice
    assert limit.startswith("the limit errs more than the noise, as ")
    assert " % of the patients or more have more than 1 row: n lacks about " in limit
    assert limit.endswith(" or more in all groups together; raise it")
    lacks = float(limit.partition("n lacks about ")[2].partition(", s ")[0].split(" ")[0].replace(",", ""))
    assert 0 < lacks < table.num_rows - sum(row["n"] for row in answer.rows)
    assert bounds.startswith("a: ")
    assert " % of the values or more are outside their bounds; if they lie more than " in bounds


def test_a_report_that_finds_nothing_says_nothing() -> None:
    whole = few(8_000, 8_000)
    answer = session(whole, expected=None, cost={"bounds": [0, 10**6]}).sql(BY_CLINIC, epsilon=1, clipping="report")
    assert answer.clipping
    assert not answer.advice


def test_groups_that_units_lack_are_told_of_counts_of_units() -> None:
    table = few(8_000, 400)
    text = "SELECT clinic, COUNT(DISTINCT id) AS u FROM visit GROUP BY clinic"
    (told,) = session(table, **PLAIN).sql(text, epsilon=5, clipping="report").advice
    assert "or more have rows in more than 1 group: u lacks about " in told


@pytest.mark.parametrize(
    "text",
    [
        "SELECT clinic, COUNT(*) AS n, AVG(cost) AS a FROM visit GROUP BY clinic HAVING COUNT(*) < -100000",
        "SELECT zip, COUNT(*) AS n, AVG(cost) AS a FROM visit WHERE zip > 10000 GROUP BY zip",
        "SELECT MEDIAN(day) AS d, MEDIAN(cost) AS m, AVG(cost) AS a, COUNT(*) + 1 AS n, STDDEV(cost) AS s FROM visit",
        "SELECT COUNT(*) AS n, COUNT(*) AS m, SUM(cost) AS s, AVG(cost) AS a FROM visit WHERE cost IS NULL",
        "SELECT a.n / 2 AS h FROM (SELECT COUNT(*) AS n, AVG(cost) AS c FROM visit) AS a",
        "SELECT clinic, COUNT(*) AS n, AVG(cost) AS a FROM visit GROUP BY ROLLUP (clinic)",
    ],
)
def test_no_answer_fails_for_want_of_advice(text: str) -> None:
    """It is paid for by then: of no group, of days, of NULL, of what is computed, nothing is said or something is."""
    table = few(400, 20).append_column("day", pa.array([19_000] * 400, pa.int32()).cast(pa.date32()))
    days = {"day": {"bounds": ["2020-01-01", "2024-12-31"]}}
    for words in (PLAIN, {}):
        asked = session(table, **words, more=days)
        answer = asked.sql(text, epsilon=5, delta="1e-6", clipping="report", quantile_intervals=True)
        assert isinstance(answer.advice, tuple)
