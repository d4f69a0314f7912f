"""CutOff: what is foreseen comes from declared numbers, holds for such data, and the limit it names errs less."""

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import privet
from privet.query.catalog import ExpectedRows
from privet.query.results.column_plans import ColumnPlan
from privet.query.session import Session

UNITS = 2_000
EACH = 6
BY_CLINIC = "SELECT clinic, COUNT(*) AS n, SUM(cost) AS s, AVG(cost) AS a FROM visit GROUP BY clinic"
COST = {"bounds": [0, 500], "expected": {"mean": 250, "deviation": 320}}
SIZE = {"rows": EACH * UNITS, "units": UNITS}


def visits(seed: int = 1) -> pa.Table:
    """As many units and rows as are declared; rows beyond the first of a unit are Lomax with the exponent 3."""
    draw = np.random.default_rng(seed)
    rows = 1 + np.floor(draw.pareto(3, UNITS) * 2 * (EACH - 1) + 0.5).astype(int)
    ids = np.repeat(np.arange(UNITS), rows)
    squared = np.log1p((320 / 250) ** 2)
    cost = draw.lognormal(np.log(250) - squared / 2, np.sqrt(squared), len(ids))
    return pa.table({"id": ids, "cost": cost, "clinic": draw.choice(list("ABCD"), len(ids)), "zip": ids % 90})


def session(table: pa.Table | None = None, **words: Any) -> Session:  # noqa: ANN401 - words of a catalog
    cost = words.pop("cost", COST)
    columns = {"cost": cost, "clinic": {"values": list("ABCD")}, "zip": {}, **words.pop("more", {})}
    about = {"table": "visit", "unit": "patient", "unit_column": "id", "columns": columns, "expected": SIZE, **words}
    limit = privet.Guarantee(10**6, "1e-2")
    return privet.connect(privet.Catalog.of(visits() if table is None else table, limit=limit, **about))


def plans(asked: Session, text: str = BY_CLINIC, **keywords: Any) -> dict[str, ColumnPlan]:  # noqa: ANN401 - of explain
    return {each.name: each for each in asked.explain(text, epsilon=1, **keywords).columns}


def test_what_is_foreseen_is_what_is_cut_off_such_data() -> None:
    """Exact answers of data as declared, in which the largest units are few: within a third; noise is negligible."""
    table = visits()
    asked = session(table)
    truth = table.group_by("clinic").aggregate([("cost", "count"), ("cost", "sum"), ("cost", "mean")])
    exact = {row["clinic"]: row for row in truth.to_pylist()}
    for cap in (1, 10):
        told = plans(asked, rows_per_unit=cap)
        answer = asked.sql(BY_CLINIC, epsilon=10_000, rows_per_unit=cap).rows
        for name, column in (("n", "cost_count"), ("s", "cost_sum"), ("a", "cost_mean")):
            lost = np.mean([exact[row["clinic"]][column] - row[name] for row in answer])
            cut = told[name].cut
            assert cut is not None
            assert cut.total == pytest.approx(lost, rel=1 / 3)


def test_the_limit_that_is_advised_errs_least_of_those_around() -> None:
    asked = session()
    best = plans(asked)["n"].cut
    assert best is not None
    assert best.rows_per_unit is not None
    assert best.then is not None
    around = {cap: plans(asked, rows_per_unit=cap)["n"] for cap in (1, best.rows_per_unit, 8 * best.rows_per_unit)}
    totals = {cap: plan.total for cap, plan in around.items()}
    assert totals[best.rows_per_unit] == pytest.approx(best.then, rel=1e-6)
    assert totals[best.rows_per_unit] == min(totals.values(), key=lambda total: total or 0.0)
    assert [plan.mostly for plan in around.values()] == ["limits", "noise", "noise"]
    own = around[best.rows_per_unit].cut
    assert own is not None
    assert own.rows_per_unit is None


def test_an_upper_bound_is_advised_that_errs_less() -> None:
    asked = session()
    cut = plans(asked)["a"].cut
    assert cut is not None
    assert cut.upper is not None
    wider = session(cost={**COST, "bounds": [0, cut.upper]})
    total = plans(wider)["a"].total
    assert total == pytest.approx(cut.then, rel=0.25)  # where the mean lies between the bounds matters a little
    assert total is not None
    assert total < 0.8 * (plans(asked)["a"].total or 0.0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("SELECT COUNT(*) AS n FROM visit", {"expected": None}),
        ("SELECT COUNT(*) AS n FROM visit", {"expected": {"rows": 100}}),
        ("SELECT zip, COUNT(*) AS n FROM visit GROUP BY zip", {}),
        ("SELECT COUNT(DISTINCT id) AS n FROM visit", {}),
        ("SELECT COUNT(*) AS n FROM (SELECT id, COUNT(*) AS c FROM visit GROUP BY id)", {}),
        ("SELECT COUNT(*) AS n FROM visit AS a JOIN visit AS b USING (id)", {}),
        ("SELECT AVG(cost) AS n FROM visit WHERE cost > 30", {}),
        ("SELECT AVG(cost + 1) AS n FROM visit", {}),
        ("SELECT MEDIAN(cost) AS n FROM visit", {}),
        ("SELECT AVG(cost) AS n FROM visit", {"cost": {"bounds": [0, 500], "expected": {"mean": 250}}}),
    ],
)
def test_nothing_is_foreseen_where_nothing_public_tells_it(text: str, words: dict[str, Any]) -> None:
    asked = session(**words)
    told = asked.explain(text, epsilon=1, delta="1e-6")
    assert [each.cut for each in told.columns] == [None]
    assert not told.advice
    assert "cut off" not in repr(told)


def test_conditions_make_it_at_most() -> None:
    asked = session()
    for text in (
        "SELECT COUNT(*) AS n FROM visit WHERE cost > 30",
        "SELECT COUNT(*) FILTER (WHERE cost > 30) AS n FROM visit",
        "SELECT COUNT(cost) AS n FROM visit",
    ):
        told = asked.explain(text, epsilon=1)
        assert told.columns[0].cut is not None
        assert told.columns[0].cut.most
        assert "at most 10,000" in repr(told)


def test_rows_that_were_said_count_before_those_that_are_declared() -> None:
    told = plans(session(), "SELECT zip, COUNT(*) AS n FROM visit GROUP BY zip", rows=600, delta="1e-6")["n"]
    assert told.cut is not None
    assert told.cut.by_limits == pytest.approx(500)


def test_units_with_one_row_lose_nothing() -> None:
    once = session()
    table = once.catalog.tables["visit"]
    unique = {"visit": replace(table, unique=frozenset({"id"}), expected=ExpectedRows(100))}
    once.catalog.tables.update(unique)  # type: ignore[attr-defined] # a dict, which nobody else has
    told = once.explain("SELECT COUNT(*) AS n FROM visit", epsilon=1)
    assert told.columns[0].cut is not None
    assert told.columns[0].cut.total == 0
    assert told.columns[0].mostly == "noise"
    assert "nobody declared a limit" not in repr(told)


def test_averages_are_told_for_the_rows_and_the_mean_that_are_declared() -> None:
    asked = session()
    assert plans(asked)["a"].margin.endswith("in 500 rows")
    assert plans(asked, "SELECT AVG(cost) AS a FROM visit WHERE cost > 3")["a"].margin.endswith("in 1,000 rows")
    low = session(cost={**COST, "expected": {"mean": 1}})
    text = "SELECT AVG(cost) AS a FROM visit"
    far, near = (plans(each, text)["a"].noise or 0.0 for each in (low, session(cost={"bounds": [0, 500]})))
    assert far > 1.1 * near  # an average is least sure at a bound


def test_it_is_told_to_people_and_to_programs() -> None:
    told = session().explain(BY_CLINIC, epsilon=1)
    text = repr(told)
    assert "limits and bounds cut off" in text
    assert "n, s: the limit on rows probably errs more than the noise; with rows_per_unit=" in text
    assert "a: the bounds probably err more than the noise, by what is beyond them; with an upper bound of" in text
    assert "more are weighted down; so about 83 % of the rows do not count" in text
    assert "mostly by" in told._repr_html_()
    facts = json.loads(json.dumps(told.to_dict()))
    assert [each["mostly"] for each in facts["columns"]] == ["limits", "limits", "bounds"]
    assert facts["columns"][0]["in_all"] == pytest.approx(facts["columns"][0]["noise"] + 2500)
    batch = session().explain([BY_CLINIC, "SELECT COUNT(*) AS n FROM visit"], epsilon=1).to_dict()
    assert [len(each["columns"]) for each in json.loads(json.dumps(batch))["statements"]] == [3, 1]


def test_a_limit_far_beyond_what_units_have_is_advised_against() -> None:
    told = session().explain("SELECT COUNT(*) AS n FROM visit", epsilon=1, rows_per_unit=10**6)
    assert told.columns[0].mostly == "noise"
    assert told.advice[0].startswith("n: the noise hides more rows of each patient than most have; with rows_per_unit=")


def test_no_loss_and_no_price_depends_on_what_is_expected() -> None:
    """It is believed by explanations alone: the same statement has the same noise and price, whatever is declared."""
    wrong = {"rows": 10**9, "units": 1}
    far = {**COST, "expected": {"mean": Fraction(1, 3), "deviation": 10**9}}
    said = [(None, {"bounds": [0, 500]}), (SIZE, COST), (wrong, far)]
    told = [session(expected=rows, cost=cost).explain(BY_CLINIC, epsilon=1) for rows, cost in said]
    assert len({(each.loss, str(each.price), each.queries) for each in told}) == 1
    assert len({tuple(column.mechanism for column in each.columns) for each in told}) == 1
