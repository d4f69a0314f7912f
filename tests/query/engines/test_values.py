# ruff: noqa: S608 - statements of this file
"""The same rows, written differently: no engine lets an answer tell which of two equal values a row had."""

import hashlib
import itertools
from collections.abc import Callable
from typing import Any, cast

import duckdb
import pytest

from privet.query.backends.duckdb.dialect import DuckDBDialect
from privet.query.backends.postgres.dialect import PostgresDialect
from privet.query.backends.spark.dialect import SparkDialect
from privet.query.functions import call, evaluate
from privet.query.printing.function_templates import print_column
from privet.query.scalars.expressions import Column, Literal, Reference
from privet.query.scalars.facts import Facts, Type
from tests.support.engines import ENGINES, engine_of
from tests.support.exact_session import ExactSession
from tests.support.hospital import HOSPITAL
from tests.support.neighbor_hospitals import ENDLESS, FIRST, Part, World, world

ONE_ROW = "SELECT pid, weight, ROW_NUMBER() OVER (PARTITION BY pid ORDER BY weight) AS r FROM visit"
ZEROS = {
    "a column": "SELECT weight AS k, COUNT(*) AS n FROM visit GROUP BY weight",
    "a product": "SELECT weight * stay AS k, COUNT(*) AS n FROM visit GROUP BY weight * stay",
    "the largest of a unit": "SELECT m AS k, COUNT(*) AS n FROM (SELECT pid, MAX(-weight) AS m FROM visit "
    "GROUP BY pid) AS t GROUP BY m",
}
WRITTEN = {  # Spark does not write real numbers as texts
    "a text": "SELECT CAST(weight AS VARCHAR) AS k, COUNT(*) AS n FROM visit GROUP BY CAST(weight AS VARCHAR)",
    "a quotient's text": "SELECT CAST(weight / -3 AS VARCHAR) AS k, COUNT(*) AS n FROM visit "
    "GROUP BY CAST(weight / -3 AS VARCHAR)",
    "the first of a unit": f"SELECT COUNT(*) AS n FROM ({ONE_ROW}) AS t "
    "WHERE r = 1 AND CAST(weight AS VARCHAR) = '0.0'",
    "the one before": "SELECT CAST(b AS VARCHAR) AS k, COUNT(*) AS n FROM (SELECT LAG(weight) OVER (PARTITION BY pid "
    "ORDER BY stay) AS b FROM visit) AS t GROUP BY CAST(b AS VARCHAR)",
    "the middle of a unit": "SELECT CAST(m AS VARCHAR) AS k, COUNT(*) AS n FROM (SELECT pid, MEDIAN(weight) AS m "
    "FROM visit GROUP BY pid) AS t GROUP BY CAST(m AS VARCHAR)",
}
KEYS = {
    "a day": "SELECT day AS d, COUNT(*) AS n FROM visit GROUP BY day",
    "a day or none": "SELECT day + CASE WHEN stay > 3 THEN NULL ELSE 0 END AS d, COUNT(*) AS n FROM visit "
    "GROUP BY day + CASE WHEN stay > 3 THEN NULL ELSE 0 END",
    "a month or none": "SELECT DATE_TRUNC('month', NULLIF(day, DATE '2024-03-02')) AS d, COUNT(*) AS n FROM visit "
    "GROUP BY DATE_TRUNC('month', NULLIF(day, DATE '2024-03-02'))",
}


def zeros(*weights: float | None) -> World:
    """Three patients with two visits each, of these weights."""
    given = itertools.cycle(weights)
    return world(
        {
            unit: Part((), tuple((None, ("A", None, FIRST, 1, None, next(given))) for _ in range(2)), ())
            for unit in range(3)
        }
    )


def days(*found: int | None) -> World:
    """A patient for each day."""
    return world({unit: Part((), ((None, ("A", None, day, 7, None, None)),), ()) for unit, day in enumerate(found)})


def shown(name: str, text: str, found: World) -> str:
    """What an answer is, as it is written."""
    return repr(ExactSession(HOSPITAL, backend=engine_of(name).backend(found, HOSPITAL)).sql(text).rows)


@pytest.mark.parametrize("which", [*ZEROS, *WRITTEN])
@pytest.mark.parametrize("engine", ENGINES)
def test_there_is_one_zero(engine: str, which: str) -> None:
    if engine == "spark" and which in WRITTEN:
        pytest.skip("refused there")
    text = (ZEROS | WRITTEN)[which]
    answers = [shown(engine, text, zeros(*signs)) for signs in ((0.0, -0.0), (-0.0, 0.0))]
    assert answers[0] == answers[1]
    assert "-0.0" not in answers[0]


@pytest.mark.parametrize("which", KEYS)
@pytest.mark.parametrize("engine", ENGINES)
def test_a_key_may_be_null_or_no_day_at_all(engine: str, which: str) -> None:
    odd = days(None, ENDLESS, -ENDLESS, FIRST) if engine != "spark" else days(None, FIRST)  # which has no infinity
    lonely = "'d': None, 'n': 4" if which == "a day or none" else "'n': 1"
    assert (lonely if engine != "spark" else "'n': ") in shown(engine, KEYS[which], odd)


@pytest.mark.parametrize("engine", ENGINES)
def test_texts_near_the_last_whole_number_are_read_alike(engine: str) -> None:
    column = Column("x", Facts(Type.TEXT))
    last = 1 << 62
    ends = [f"{sign}{last + gap}{rest}" for sign in ("", "-") for gap in (-512, -1, 0, 1) for rest in ("", ".5", "e0")]
    texts = [*ends, "4611686018427387903.4", "1e30", "-0.5", "4503599627370497.5", str(1 << 63), "1e400"]
    wanted = call("cast_integer", Reference(column))
    found = engine_of(engine).column((column,), [(text,) for text in texts], [wanted])
    assert [row[0] for row in found] == [evaluate(wanted, {column: text}) for text in texts]


def test_columns_are_read_and_computed_with_one_zero() -> None:
    """Also where nothing shows it: two zeros in a table would be two rows that are told apart some day."""
    column = Column("x", Facts(Type.REAL))
    server = cast("Any", engine_of("postgres"))
    minus = Literal(-3.0, Type.REAL)
    made = [call(name, Reference(column), minus) for name in ("multiply", "divide", "modulo")]
    made.append(call("negate", Reference(column)))
    for run, dialect, kind in (
        (duckdb.connect().execute, DuckDBDialect(), "DOUBLE"),
        (server.admin.execute, server.dialect, "double precision"),
    ):
        read = dialect.read("x", kind, Type.REAL)
        items = ", ".join([read, *(print_column(each, dialect, lambda _: "x") for each in made)])
        for zero in ("0.0", "-0.0"):
            row = run(f"SELECT {items} FROM (SELECT CAST('{zero}' AS {kind}) AS x) AS t").fetchone()
            assert str(row) == "(0.0, 0.0, 0.0, 0.0, 0.0)"


def test_the_reference_has_one_zero() -> None:
    column = Column("x", Facts(Type.REAL))
    for made in (Reference(column), call("negate", Reference(column)), call("cast_text", Reference(column))):
        written = {str(evaluate(made, {column: zero})) for zero in (0.0, -0.0)}
        assert written == {"0.0"}


DIALECTS = {"duckdb": DuckDBDialect(), "postgres": PostgresDialect(), "spark": SparkDialect()}


@pytest.mark.parametrize("name", ENGINES)
def test_long_units_are_written_alike_on_every_engine(name: str) -> None:
    engine: Any = engine_of(name)
    dialect = DIALECTS[name]
    ids = ["", "é" * 500, "é" * 500 + "x", "z" * 1000, "z" * 1001, None]
    selects = []
    for each in ids:
        unit = dialect.unit("u", {"postgres": "text"}.get(name, "VARCHAR"), Type.TEXT)
        literal = dialect.literal(each, Type.TEXT)
        selects.append(f"SELECT {dialect.short_unit(unit)} FROM (SELECT {literal} AS u) AS t")
    runs: dict[str, Callable[[str], Any]] = {
        "duckdb": lambda text: duckdb.execute(text).fetchall(),
        "postgres": lambda text: engine.admin.execute(text).fetchall(),
        "spark": lambda text: engine.session.sql(text).collect(),
    }
    found = [runs[name](text)[0][0] for text in selects]
    assert found == [
        each if each is None or len(each.encode()) <= 1000 else each[:1000] + hashlib.sha256(each.encode()).hexdigest()
        for each in ids
    ]
