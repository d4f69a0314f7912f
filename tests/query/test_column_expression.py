"""Expressions of columns: which SQL they write, that values stay values, and what is refused at once."""

from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import sqlglot
from sqlglot import exp

import privet
from privet.errors import InvalidParameter
from privet.query.column_expression import literal
from privet.query.frame import Rows
from privet.query.session import Session

PEOPLE = pa.table(
    {"id": range(400), "age": [n % 90 for n in range(400)], "city": ["Bern", "Genf"] * 200, "filter": [1] * 400}
)
COLUMNS: dict[str, dict[str, Any]] = {
    "age": {"bounds": [0, 110]},
    "city": {"values": ["Bern", "Genf"]},
    "filter": {"bounds": [0, 1]},
}


@pytest.fixture(scope="module")
def session() -> Session:
    limit = privet.Guarantee(10_000)
    return privet.connect(
        privet.Catalog.of(PEOPLE, table="t", unit="person", unit_column="id", limit=limit, columns=COLUMNS)
    )


@pytest.fixture
def t(session: Session) -> Rows:
    return session.table("t")


@pytest.mark.parametrize(
    ("made", "sql"),
    [
        (lambda t: t.age > 40, '("age" > 40)'),
        (lambda t: t["AGE"] >= 40, '("age" >= 40)'),
        (lambda t: (t.age < 4) | (t.age != 5), '(("age" < 4) OR ("age" <> 5))'),
        (lambda t: ~(t.age <= 4) & (t.city == "Bern"), '((NOT ("age" <= 4)) AND ("city" = \'Bern\'))'),
        (lambda t: 2 - t.age * 3 / 4 + 1, '((2 - (("age" * 3) / 4)) + 1)'),
        (lambda t: -t.age // 2 % 3, '(((- "age") // 2) % 3)'),
        (lambda t: 1 / (2 * (1 + t.age)), '(1 / (2 * (1 + "age")))'),
        (lambda t: t.city == None, '("city" IS NULL)'),  # noqa: E711 - what people type
        (lambda t: t.city.is_in(["a", "b'"]), "(\"city\" IN ('a', 'b'''))"),
        (lambda t: t.age.between(1, 2), '("age" BETWEEN 1 AND 2)'),
        (lambda t: t.age.fill_null(0).clip(0, 9).round(1).abs(), 'ABS(ROUND(CLIP(COALESCE("age", 0), 0, 9), 1))'),
        (lambda t: t.city.str.lower().str.strip().str.len(), 'LENGTH(TRIM(LOWER("city")))'),
        (lambda t: t.city.str.upper().str.slice(1, 3), 'SUBSTRING(UPPER("city"), 2, 3)'),
        (lambda t: t.city.dt.truncate("month").dt.hour(), "EXTRACT(hour FROM DATE_TRUNC('month', \"city\"))"),
        (lambda t: t["filter"].sum(), 'SUM("filter")'),
        (lambda t: t.age.quantile(0.9), 'QUANTILE_CONT("age", 0.9)'),
        (lambda t: t.age.n_unique(), 'COUNT(DISTINCT "age")'),
    ],
)
def test_what_is_written(t: Rows, made: Callable[[Any], Any], sql: str) -> None:
    assert repr(made(t)) == sql


NASTY = ["", "'", "''", "\\", "\\'", "it's; DROP TABLE t --", "/* x", '"', "%_", "é𝒳\n\t", "$1", "x' OR '1'='1"]
VALUES: list[Any] = [
    *NASTY,
    0,
    -7,
    2**40,
    0.1,
    -1e-7,
    1e300,
    True,
    False,
    None,
    date(2024, 2, 29),
    np.int64(5),
    np.float64(0.5),
]
VALUES += [datetime(2024, 1, 2, 3, 4, 5, 678), Decimal("1.50"), np.str_("n")]  # noqa: DTZ001 - without a zone


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_value_is_one_literal_whatever_is_in_it(value: Any) -> None:  # noqa: ANN401 - any value
    tree = sqlglot.parse(f"SELECT {literal(value)}", dialect="duckdb")
    assert len(tree) == 1
    assert tree[0] is not None
    assert not list(tree[0].find_all(exp.Column, exp.Or, exp.Comment))
    texts = [each.this for each in tree[0].find_all(exp.Literal) if each.is_string]
    if isinstance(value, str):
        assert texts == [value]


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), b"x", [1], object(), "a\0b", datetime(2024, 1, 1, tzinfo=UTC), np.zeros(2)],
)
def test_other_values_are_refused(t: Rows, value: Any) -> None:  # noqa: ANN401 - any value
    with pytest.raises(InvalidParameter, match="beside a column stands"):
        t.age > value  # noqa: B015 - that is the point


def test_expressions_and_sql_give_the_same_statement(t: Rows) -> None:
    one = t.filter(t.age > 40).group_by(t.city).agg(n=t.count(), old=t.age.mean())
    two = t.where("age > 40").group_by("city").agg(n="COUNT(*)", old="AVG(age)")
    assert [*one.answer(epsilon=1).table.column_names] == [*two.answer(epsilon=1).table.column_names]
    assert repr(one.explain(epsilon=1)).splitlines()[-1] == repr(two.explain(epsilon=1)).splitlines()[-1]
    ranked = one.having(one["n"] > 10).order_by(one["N"].desc(), one["city"]).limit(1)
    assert ranked.sql.endswith('HAVING (("n" > 10)) ORDER BY "n" DESC, "city" LIMIT 1')
    assert len(ranked.answer(epsilon=50).rows) == 1
    assert t.select(t.age, twice=t.age * 2).names == ("age", "twice")
    assert t.with_columns(twice=t.age * 2)["twice"].sum().answer(epsilon=50).rows[0]["twice"] > 0


def test_an_aggregate_can_be_asked_alone(t: Rows) -> None:
    assert abs(t["age"].mean().answer(epsilon=100).rows[0]["age"] - 40) < 10
    assert abs(t.filter(t.city == "Bern").count().answer(epsilon=100).rows[0]["count"] - 200) < 5
    assert t.count().explain(epsilon=1).columns[0].name == "count"
    with pytest.raises(InvalidParameter, match="is not taken from a frame"):
        t.agg(n=t.count())["n"].answer(epsilon=1)


@pytest.mark.parametrize(
    ("mistake", "says"),
    [
        (lambda t: t["agee"], "there is no column agee: did you mean age"),
        (lambda t: t.agg(n=t.count())["m"], "there is no column m"),
        (lambda t: t.filter(1 < t.age < 5), "neither true nor false"),
        (lambda t: t.group_by(t.age + 1), r"group_by: name it, such as group_by\(name="),
        (lambda t: t.agg(t.age.mean(), t.age.sum()), "two numbers are called age"),
        (lambda t: t.agg(t.age.mean(), age=t.age.sum()), "two numbers are called age"),
        (lambda t: t.agg(t.age > 3), "give each number a name"),
        (lambda t: t.age.is_in([]), "at least one value"),
        (lambda t: t.age.is_in("abc"), "a list of values"),
        (lambda t: t.age.quantile(2), "q must be in"),
        (lambda t: t.age.alias(""), "alias takes a name"),
        (lambda t: t.city.dt.truncate("eon"), "truncate takes one of"),
        (lambda t: t.filter(True), "a piece of SQL"),  # noqa: FBT003 - what people type
    ],
)
def test_mistakes_are_told_at_once(t: Rows, mistake: Callable[[Any], object], says: str) -> None:
    with pytest.raises(InvalidParameter, match=says):
        mistake(t)


def test_attributes_that_are_no_columns(t: Rows) -> None:
    with pytest.raises(AttributeError, match="did you mean age"):
        t.agee  # noqa: B018 - that is the point
    assert not hasattr(t, "_repr_html_")
    assert callable(t.filter)  # a method comes first; the column is t["filter"]
    with pytest.raises(TypeError, match="unhashable"):
        {t.age: 1}  # noqa: B018 - == is a condition
