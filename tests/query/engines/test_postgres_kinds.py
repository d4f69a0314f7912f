# ruff: noqa: S608 - names of this file
"""Columns of every kind that PostgreSQL has, with every value that is odd: each is answered, or refused when opened."""

import contextlib
import itertools
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import privet
from privet.core import Unit
from privet.errors import InvalidParameter
from privet.loss import Guarantee
from privet.query.backends.postgres.dialect import PostgresDialect
from privet.query.backends.postgres.engine import PostgresBackend
from privet.query.catalog import Catalog, DeclaredTable
from privet.query.plan.limits import Limits
from privet.query.scalars.facts import Facts, Type
from tests.support.engines import engine_of
from tests.support.exact_session import ExactSession
from tests.support.hospital import number
from tests.support.on_postgres import Postgres
from tests.support.postgres import system_server

psycopg = pytest.importorskip("psycopg")
NUMBERS = itertools.count()
DATES = ("NULL", "'infinity'", "'-infinity'", "'4713-01-01 BC'", "'0001-01-01'", "'9999-12-31'", "'2024-02-29'")
REAL = number(-5, 5, whole=False, nullable=True)
DAY = Facts(Type.DATE, nullable=True)
TIME = Facts(Type.TIMESTAMP)
KINDS: dict[str, tuple[Facts, tuple[str, ...]]] = {
    "numeric": (REAL, ("'NaN'", "1e400", "-1e400", "1e-400", "1e-16000", "9223372036854775808", "NULL")),
    "numeric(3,400)": (REAL, ("'NaN'", "1e-400", "NULL")),
    "numeric(5,-400)": (REAL, ("'NaN'", "1e404", "-1e404", "NULL")),
    "numeric(1000,999)": (REAL, ("'NaN'", "1e-999", "NULL")),
    "numeric(6,2)": (REAL, ("'NaN'", "1.5", "NULL")),
    "real": (REAL, ("'NaN'", "'Infinity'", "'-Infinity'", "1e-45", "3e38", "'-0'", "NULL")),
    "double precision": (REAL, ("'NaN'", "'Infinity'", "'-Infinity'", "5e-324", "1.7e308", "-1.7e308", "'-0'", "NULL")),
    "date": (DAY, DATES),
    "timestamp": (TIME, (*DATES, "'294276-12-31 23:59:59.999999'")),
}
OF_ALL = (
    "SELECT v, COUNT(*) AS n FROM people GROUP BY v",
    "SELECT COUNT(DISTINCT v) AS n FROM people",
    "SELECT CAST(v AS TEXT) AS k, COUNT(*) AS n FROM people GROUP BY 1",
    "SELECT COUNT(*) AS n FROM (SELECT ROW_NUMBER() OVER (PARTITION BY id ORDER BY v) AS r FROM people) WHERE r = 1",
)
OF_NUMBERS = (
    "SELECT SUM(v) AS s, AVG(v) AS a FROM people",
    "SELECT MEDIAN(v) AS m, VARIANCE(v) AS s FROM people",
    "SELECT SUM(CLIP(v * v - v / 3 + EXP(v) + LN(v) + POWER(v, v) + ROUND(v, 3) + v % 7, 0, 9)) AS s FROM people",
    """SELECT SUM(CLIP(s + a + d + m, 0, 9)) AS s
    FROM (SELECT id, SUM(v) AS s, AVG(v) AS a, STDDEV(v) AS d, MEDIAN(v) AS m FROM people GROUP BY id)""",
)
OF_DATES = (
    "SELECT DATE_TRUNC('month', v) AS k, COUNT(*) AS n FROM people GROUP BY 1",
    "SELECT EXTRACT(year FROM v) AS k, COUNT(*) AS n FROM people GROUP BY 1",
    "SELECT COUNT(*) AS n FROM people WHERE v + INTERVAL '400' DAY > DATE '2024-01-01'",
)


@pytest.fixture(name="place", scope="module")
def _place() -> Iterator[tuple[Postgres, str]]:
    server = engine_of("postgres")
    schema = f"kinds_{next(NUMBERS)}"
    assert isinstance(server, Postgres)
    server.admin.execute(f"CREATE SCHEMA {schema}")
    yield server, schema
    server.admin.execute(f"DROP SCHEMA {schema} CASCADE")


def _catalog(source: str, location: str, facts: Facts) -> Catalog:
    limits = Limits(rows_per_unit=2)
    table = DeclaredTable("people", {"v": facts}, unit_column="id", location=location, limits=limits)
    return Catalog("test", Unit("person"), Guarantee(10, "1e-3"), {"people": table}, source=source)


def _fill(admin: Any, place: str, kind: str, values: tuple[str, ...]) -> None:  # noqa: ANN401 - a connection
    rows = ", ".join(f"({each % 3}, {value})" for each, value in enumerate(values * 2))
    admin.execute(f"DROP TABLE IF EXISTS {place}; CREATE TABLE {place} (id bigint, v {kind})")
    admin.execute(f"INSERT INTO {place} VALUES {rows}")


@pytest.mark.parametrize("kind", KINDS)
def test_every_value_of_every_kind_is_answered(place: tuple[Postgres, str], kind: str) -> None:
    server, schema = place
    facts, values = KINDS[kind]
    if "-" in kind and server.admin.info.server_version < 150_000:
        pytest.skip("decimals with a scale below 0 came with version 15")
    _fill(server.admin, f"{schema}.people", kind, values)
    catalog = _catalog(server.address, f"{schema}.people", facts)
    backend = PostgresBackend(catalog)
    more = OF_DATES if facts.type in {Type.DATE, Type.TIMESTAMP} else OF_NUMBERS
    try:
        session = ExactSession(catalog, backend=backend)
        for statement in (*OF_ALL, *more):
            session.sql(statement)
        found = [row["v"] for row in session.sql(OF_ALL[0]).rows]
        assert not any(each != each or str(each) == "-0.0" for each in found)  # noqa: PLR0124 - NaN is not itself
    finally:
        backend.close()


@pytest.mark.parametrize("kind", ["numeric", "numeric(6,2)", "double precision"])
def test_nan_is_no_number(place: tuple[Postgres, str], kind: str) -> None:
    """It counts as NULL: neither as a value, nor as the upper bound, which it is larger than in PostgreSQL."""
    server, schema = place
    _fill(server.admin, f"{schema}.people", kind, ("'NaN'", "'NaN'", "'NaN'"))
    catalog = _catalog(server.address, f"{schema}.people", REAL)
    backend = PostgresBackend(catalog)
    try:
        statement = "SELECT COUNT(v) AS n, SUM(v) AS s FROM people"
        (row,) = ExactSession(catalog, backend=backend).sql(statement).rows
        assert (row["n"], row["s"]) == (0, 0)
    finally:
        backend.close()


@pytest.mark.parametrize(
    "kind", ["timestamptz", "timetz", "interval", "money", "json", "jsonb", "integer[]", "bytea", "bit(3)", "inet"]
)
def test_kinds_whose_text_is_a_matter_of_settings_are_refused(place: tuple[Postgres, str], kind: str) -> None:
    server, schema = place
    _fill(server.admin, f"{schema}.people", kind, ("NULL",))
    for declared in (Type.TEXT, Type.REAL, Type.TIMESTAMP):
        with pytest.raises(InvalidParameter, match="leave it out, or convert it in the data"):
            privet.connect(_catalog(server.address, f"{schema}.people", Facts(declared, nullable=True)))


@pytest.mark.parametrize(("digits", "sure"), [("6,2", True), ("300,300", True), ("3,400", False), ("5,-1", False)])
def test_a_decimal_is_looked_at_unless_it_surely_is_a_float(digits: str, sure: bool) -> None:  # noqa: FBT001 - a case
    text = PostgresDialect().read("x", f"numeric({digits})", Type.REAL)
    assert ("CASE" not in text) is sure
    assert "NaN" in text


# --- what the system's server has, and that of the wheel has not ---


@pytest.fixture(name="letters", scope="module")
def _letters() -> Iterator[str]:
    """A server that knows languages and citext."""
    folder = Path(tempfile.mkdtemp(prefix="privet-postgres-"))
    with contextlib.ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        address = stack.enter_context(system_server(folder))
        if address is None:
            pytest.skip("no PostgreSQL of the system")
        with psycopg.connect(address, autocommit=True) as admin:
            try:
                admin.execute(
                    "CREATE EXTENSION citext;"
                    "CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level1', deterministic = false);"
                    "CREATE DOMAIN word AS text COLLATE loose"
                )
            except psycopg.Error:
                pytest.skip("no citext, or no ICU")
        yield address


@pytest.mark.parametrize("kind", ["text COLLATE loose", "word", "varchar(9) COLLATE loose", "char(9) COLLATE loose"])
def test_texts_are_compared_byte_by_byte(letters: str, kind: str) -> None:
    """'bern', 'BERN' and 'bérn' are equal to the server; here they are three keys, and three units."""
    with psycopg.connect(letters, autocommit=True) as admin:
        _fill(admin, "people", kind, ("'bern'", "'BERN'", "'bérn'"))
        admin.execute(f"ALTER TABLE people ALTER id TYPE {kind} USING v")
    catalog = _catalog(letters, "people", Facts(Type.TEXT))
    backend = PostgresBackend(catalog)
    try:
        session = ExactSession(catalog, backend=backend)
        assert sorted(row["v"] for row in session.sql(OF_ALL[0]).rows) == ["BERN", "bern", "bérn"]
        assert session.sql("SELECT COUNT(*) AS n FROM people WHERE v = 'bern'").rows[0]["n"] == 2
        assert session.sql("SELECT COUNT(DISTINCT id) AS n FROM people").rows[0]["n"] == 3
    finally:
        backend.close()


def test_citext_is_refused(letters: str) -> None:
    with psycopg.connect(letters, autocommit=True) as admin:
        _fill(admin, "people", "citext", ("'a'", "'A'"))
    with pytest.raises(InvalidParameter, match="convert it in the data"):
        privet.connect(_catalog(letters, "people", Facts(Type.TEXT)))
