# ruff: noqa: S608 - names of this file
"""Rows weighed on PostgreSQL: how it counts and adds up, and the same sums as DuckDB's whatever is in the table."""

import itertools
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest

from privet.core import Unit
from privet.loss import Guarantee
from privet.query.backends.backend import Sums
from privet.query.backends.duckdb.engine import DuckDBBackend
from privet.query.backends.postgres.dialect import PostgresDialect
from privet.query.backends.postgres.engine import PostgresBackend
from privet.query.backends.postgres.literals import FENCE
from privet.query.catalog import Catalog, DeclaredTable
from privet.query.measures.request import Bounded
from privet.query.plan.limits import Limits
from privet.query.pricing.quote import quote_statement
from privet.query.scalars.facts import Facts, Type
from privet.query.second_price.engine_text import read_back
from tests.support.engines import engine_of
from tests.support.exact_session import OPTIONS, ExactSession
from tests.support.hospital import number, text
from tests.support.on_postgres import Postgres

pytest.importorskip("psycopg")
NUMBERS = itertools.count()
IDS = (0, 1, 2, 15, 16, 17, -1, -16, -17, 1 << 62, -(1 << 63), (1 << 63) - 1, None)
PAY = (None, 0.0, -0.0, 5e-324, 1.5, 19.99, 20.0, 1e9, -1e9, 1e308, -1e308, float("inf"), float("-inf"), float("nan"))
CITIES = ("a", "b", "other", None)
ROWS = [  # units with 1 to 14 rows and more
    (unit, city, pay, place)
    for place, unit in enumerate(IDS)
    for city, pay in list(itertools.product(CITIES, PAY))[: 1 + place * place]
]
STATEMENTS = (
    "SELECT city, COUNT(*) AS n, SUM(pay) AS s, AVG(pay) AS m FROM people GROUP BY city",
    "SELECT city, COUNT(pay) AS n, SUM(age) AS s FROM people GROUP BY city",
    "SELECT city, VARIANCE(pay) AS v, AVG(age) AS m FROM people GROUP BY city",
    "SELECT city, SUM(pay) FILTER (WHERE age > 3) AS s FROM people GROUP BY city",
    "SELECT city, MEDIAN(pay) AS m FROM people GROUP BY city",
    "SELECT SUM(pay) AS s, AVG(pay + age) AS m FROM people",
)
BOUNDS = ((0.0, 20.0), (-5.0, 20.0), (-1e130, 1e130), (0.0, 1e-300), (1e9, 2e9))


@pytest.fixture
def schema() -> Iterator[str]:
    server = _server()
    name = f"weighing_{next(NUMBERS)}"
    server.admin.execute(f"CREATE SCHEMA {name}")
    server.admin.execute(
        f"CREATE TABLE {name}.people (id bigint, city text, pay double precision, age integer); "
        f"CREATE TABLE {name}.texts (id text, city text, pay double precision, age integer)"
    )
    with server.admin.cursor() as cursor:
        cursor.executemany(f"INSERT INTO {name}.people VALUES (%s, %s, %s, %s)", ROWS)
        cursor.execute(f"INSERT INTO {name}.texts SELECT CAST(id AS text), city, pay, age FROM {name}.people")
    yield name
    server.admin.execute(f"DROP SCHEMA {name} CASCADE")


def _server() -> Postgres:
    found = engine_of("postgres")
    assert isinstance(found, Postgres)
    return found


def _catalog(bounds: tuple[float, float], **place: Any) -> Catalog:  # noqa: ANN401 - whatever a catalog has
    columns = {
        "id": Facts(Type.INTEGER),
        "city": text("a", "b"),
        "pay": number(*bounds, nullable=True, whole=False),
        "age": number(0, 10),
    }
    location = place.pop("location", None)
    table = DeclaredTable(
        "people", location=location, unit_column="id", columns=columns, limits=Limits(rows_per_unit=4)
    )
    return Catalog("test", Unit("person"), Guarantee(10, "1e-3"), {"people": table}, **place)


def _requests(catalog: Catalog, backend: Any, statement: str) -> list[Bounded]:  # noqa: ANN401 - either engine
    plan = quote_statement(ExactSession(catalog, backend=backend).read(statement), catalog, OPTIONS)
    return [request for stage in plan.stages for request in (stage.needs.request, *stage.needs.rankings)]


def _sums(catalog: Catalog, backend: Any, statement: str) -> list[Sums | Any]:  # noqa: ANN401 - either engine
    (*sums,) = (
        backend.ranks(request)
        if request.measures and request.measures[0].shape.value == "ranks"
        else backend.sums(request)
        for request in _requests(catalog, backend, statement)
    )
    return sums


@pytest.mark.parametrize("bounds", BOUNDS)
def test_sums_are_those_of_duckdb_whatever_is_in_the_table(schema: str, bounds: tuple[float, float]) -> None:
    names = ("id", "city", "pay", "age")
    kinds = (pa.int64(), pa.string(), pa.float64(), pa.int64())
    frame = pa.table(
        {name: pa.array(cells, kind) for name, kind, cells in zip(names, kinds, zip(*ROWS, strict=True), strict=True)}
    )
    there = _catalog(bounds, source=_server().address, location=f"{schema}.people")
    here = _catalog(bounds, frames={"people": frame})
    one, other = PostgresBackend(there), DuckDBBackend(here)
    try:
        for statement in STATEMENTS:
            assert _sums(there, one, statement) == _sums(here, other, statement), statement
    finally:
        one.close()
        other.close()


PARALLEL = ("parallel_setup_cost=0", "parallel_tuple_cost=0.1", "min_parallel_table_scan_size=0")


def test_several_processes_add_up_the_same(schema: str) -> None:
    alone = _catalog((0.0, 20.0), source=_server().address, location=f"{schema}.people")
    options = "%20".join(f"-c{each.replace('=', '%3D')}" for each in PARALLEL)
    several = _catalog((0.0, 20.0), source=f"{_server().address}&options={options}", location=f"{schema}.people")
    _server().admin.execute(
        f"INSERT INTO {schema}.people SELECT g % 700, 'a', g % 20, 1 FROM generate_series(1, 9000) g"
    )
    _server().admin.execute(f"ANALYZE {schema}.people")
    one, other = PostgresBackend(alone), PostgresBackend(several)
    try:
        for statement in STATEMENTS:
            assert _sums(alone, one, statement) == _sums(several, other, statement), statement
        (request,) = _requests(several, other, STATEMENTS[0])
        with other._pool.taken() as connection:
            plan = connection.execute("EXPLAIN (COSTS OFF) " + other.text(request)).fetchall()
    finally:
        one.close()
        other.close()
    lines = [str(line).strip() for (line,) in plan]
    joined = next(place for place, line in enumerate(lines) if "Hash Join" in line)
    assert any("Gather" in line for line in lines[:joined])  # not the rows go to one process, but their sums
    assert any("Partial HashAggregate" in line for line in lines[:joined])


@pytest.mark.parametrize(("table", "whole"), [("people", True), ("texts", False)])
def test_units_are_counted_sorted_if_they_are_whole_numbers(schema: str, table: str, whole: bool) -> None:  # noqa: FBT001 - a case
    catalog = _catalog((0.0, 20.0), source=_server().address, location=f"{schema}.{table}")
    declared = catalog.tables["people"]
    columns = {name: facts for name, facts in declared.columns.items() if name != "id"}
    catalog = replace(catalog, tables={"people": replace(declared, columns=columns)})
    backend = PostgresBackend(catalog)
    try:
        (request,) = _requests(catalog, backend, STATEMENTS[0])
        plan = _server().admin.execute("EXPLAIN (COSTS OFF) " + backend.text(request)).fetchall()
        assert ("ORDER BY u1" in backend.text(request)) is whole
    finally:
        backend.close()
    if not whole:
        return
    lines = [str(line) for (line,) in plan]
    counting = next(place for place, line in enumerate(lines) if "GroupAggregate" in line)
    assert "Group Key" in lines[counting + 1]
    assert "Sort" in lines[counting + 2]


def test_what_is_sorted_and_dissolved_is_read_back_alike(schema: str) -> None:
    catalog = _catalog((0.0, 20.0), source=_server().address, location=f"{schema}.people")
    backend = PostgresBackend(catalog)
    try:
        (request,) = _requests(catalog, backend, STATEMENTS[0])
        text_ = backend.text(request)
        (read,) = read_back(text_, "postgres")
        assert (read.cap, read.shared, read.groups) == (4, True, None)
        assert text_.count(FENCE) < text_.count(" AS NOT MATERIALIZED (")
    finally:
        backend.close()


@pytest.mark.parametrize(
    ("most", "narrow"), [(1, True), (1 << 20, True), ((1 << 30) - 1, True), (1 << 30, False), (1 << 60, False)]
)
def test_sums_are_narrow_only_where_they_surely_fit(most: int, narrow: bool) -> None:  # noqa: FBT001 - a case
    assert ("INTEGER" in PostgresDialect().added("m1_1", most)) is narrow


@pytest.mark.parametrize("most", [None, Fraction(20), Fraction(2) ** 990])
def test_values_that_may_be_far_are_brought_nearer(most: Fraction | None) -> None:
    near = most == Fraction(20)
    assert ("CASE" in PostgresDialect().place("x1", Fraction(0), Fraction(1, 1 << 60), most=most)) is not near


@pytest.mark.parametrize("divisor", [1, 2, 1 << 20, 3, 12, 10**6])
@pytest.mark.parametrize("dividend", [0, 1, (1 << 20) - 1, 1 << 20, 10**15 + 7])
def test_a_quotient_is_the_whole_part(dividend: int, divisor: int) -> None:
    dialect = PostgresDialect()
    quotient = dialect.quotient(*(dialect.literal(each, Type.INTEGER) for each in (dividend, divisor)))
    assert _server().admin.execute(f"SELECT {quotient}").fetchone() == (dividend // divisor,)
