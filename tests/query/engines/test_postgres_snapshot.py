# ruff: noqa: S608 - names of this file
"""One snapshot of rows for every pass of a statement, whatever draws them; and an explanation that shows none of it."""

import itertools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from privet.core import Ledger, Unit
from privet.loss import Guarantee
from privet.query.backends.duckdb.engine import DuckDBBackend
from privet.query.backends.postgres.engine import PostgresBackend
from privet.query.backends.postgres.table_schemas import find_table
from privet.query.catalog import Catalog, DeclaredTable, Step
from privet.query.plan.limits import Limits
from privet.query.session import Session
from tests.support.engines import engine_of
from tests.support.exact_session import ExactSession
from tests.support.hospital import number, text
from tests.support.on_postgres import Postgres

pytest.importorskip("psycopg")
NUMBERS = itertools.count()
ROWS, TRIES = 64, 6
COLUMNS = {"city": text("a", "b"), "pay": number(0, 100, whole=False)}
STATEMENTS = (
    "SELECT city, SUM(pay) AS n FROM people GROUP BY city",
    "SELECT a.city, SUM(a.pay) AS n FROM people AS a JOIN people AS b ON a.id = b.id GROUP BY a.city",
)
MAKE = """
CREATE SCHEMA {0};
CREATE TABLE {0}.plain (id bigint, city text, pay double precision);
INSERT INTO {0}.plain SELECT 1, 'a', 100 FROM generate_series(1, {1});
CREATE TABLE {0}.guide (id bigint, city text, pay double precision);
INSERT INTO {0}.guide VALUES (1, 'a', 1);
CREATE FUNCTION {0}.coin(bigint) RETURNS bigint LANGUAGE sql STABLE
    AS $$ SELECT CASE WHEN random() < 0.4 THEN $1 END $$;
CREATE FUNCTION {0}.drawn(bigint) RETURNS boolean LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN random() < 0.4; END $$;
CREATE VIEW {0}.sampled AS SELECT * FROM {0}.plain TABLESAMPLE BERNOULLI (40);
CREATE VIEW {0}.above AS SELECT * FROM {0}.sampled;
CREATE VIEW {0}.claimed AS SELECT {0}.coin(id) AS id, city, pay FROM {0}.plain;
CREATE VIEW {0}.volatile AS SELECT * FROM {0}.plain WHERE random() < 0.4;
CREATE FUNCTION {0}.rows() RETURNS SETOF {0}.plain SECURITY DEFINER LANGUAGE sql STABLE
    AS $$ SELECT * FROM {0}.plain WHERE random() < 0.4 $$;
CREATE VIEW {0}.defined AS SELECT * FROM {0}.rows();
CREATE TABLE {0}.policed AS TABLE {0}.plain;
ALTER TABLE {0}.policed ENABLE ROW LEVEL SECURITY;
CREATE POLICY drawn ON {0}.policed USING ({0}.drawn(id));
CREATE TYPE {0}.person AS ENUM ('1');
CREATE FUNCTION {0}.told({0}.person) RETURNS text LANGUAGE sql STABLE
    AS $$ SELECT CASE WHEN random() < 0.4 THEN '1' END $$;
CREATE CAST ({0}.person AS text) WITH FUNCTION {0}.told;
CREATE TABLE {0}.cast_anew AS SELECT CAST('1' AS {0}.person) AS id, city, pay FROM {0}.plain;
CREATE TABLE {0}.parted (id bigint, city text, pay double precision) PARTITION BY LIST (id);
CREATE TABLE {0}.part PARTITION OF {0}.parted FOR VALUES IN (1);
INSERT INTO {0}.parted TABLE {0}.plain;
CREATE MATERIALIZED VIEW {0}.kept AS TABLE {0}.sampled;
CREATE TABLE {0}.parent (id bigint, city text, pay double precision);
CREATE TABLE {0}.child () INHERITS ({0}.parent);
INSERT INTO {0}.child TABLE {0}.plain;
CREATE ROLE watcher LOGIN;
GRANT USAGE ON SCHEMA {0} TO watcher; GRANT SELECT ON ALL TABLES IN SCHEMA {0} TO watcher;
"""
DRAWN = ("sampled", "above", "claimed", "volatile", "defined", "policed", "cast_anew")
LYING = ("plain", "parted", "part", "kept", "parent")


@pytest.fixture(name="place", scope="module")
def _place() -> Iterator[tuple[Postgres, str]]:
    server = engine_of("postgres")
    schema = f"snapshot_{next(NUMBERS)}"
    assert isinstance(server, Postgres)
    server.admin.execute(MAKE.format(schema, ROWS))
    yield server, schema
    server.admin.execute(f"DROP SCHEMA {schema} CASCADE; DROP OWNED BY watcher; DROP ROLE watcher")


def _catalog(server: Postgres, schema: str, table: str, **more: Any) -> Catalog:  # noqa: ANN401 - whatever it has
    limits = Limits(rows_per_unit=1)
    source = server.address.replace("postgres:@", "watcher@").replace("postgres@", "watcher@")
    people = DeclaredTable("people", COLUMNS, unit_column="id", location=f"{schema}.{table}", limits=limits)
    return Catalog("test", Unit("person"), Guarantee(10, "1e-3"), {"people": people}, **({"source": source} | more))


def _shown(catalog: Catalog, backend: PostgresBackend) -> list[tuple[str, ...]]:
    session = Session(catalog, backend=backend, ledger=Ledger(catalog.limit, unit=catalog.unit))
    return [session.explain(statement, epsilon=1).queries for statement in STATEMENTS]


@pytest.mark.parametrize("table", DRAWN)
def test_rows_that_are_drawn_are_drawn_once(place: tuple[Postgres, str], table: str) -> None:
    """One unit, held to one row of at most 100, never adds more, though each scan would draw its rows anew.

    With 26 of 64 rows drawn, weights of another draw give more than 100 in nearly half of all tries; that none of 24
    shows it has a chance below 1e-6.
    """
    catalog = _catalog(*place, table)
    backend = PostgresBackend(catalog)
    try:
        for statement in STATEMENTS * 2 * TRIES:
            found = ExactSession(catalog, backend=backend).sql(statement).rows[0]["n"]
            assert 0 <= found <= 100 + 1e-3, statement
    finally:
        backend.close()


@pytest.mark.parametrize(("table", "steady"), [*((each, False) for each in DRAWN), *((each, True) for each in LYING)])
def test_only_rows_that_lie_in_the_server_are_scanned_twice(
    place: tuple[Postgres, str],
    table: str,
    steady: bool,  # noqa: FBT001 - a case
) -> None:
    backend = PostgresBackend(_catalog(*place, table))
    try:
        assert backend._tables["people"].steady is steady
    finally:
        backend.close()


def test_foreign_rows_and_those_of_foreign_parts_are_kept(place: tuple[Postgres, str]) -> None:
    server, schema = place
    server.admin.execute(
        f"CREATE FOREIGN DATA WRAPPER {schema}_far; CREATE SERVER {schema}_far FOREIGN DATA WRAPPER {schema}_far;"
        f"CREATE FOREIGN TABLE {schema}.far (id bigint, city text, pay double precision) SERVER {schema}_far;"
        f"CREATE FOREIGN TABLE {schema}.away PARTITION OF {schema}.parted FOR VALUES IN (2) SERVER {schema}_far;"
        f"CREATE FOREIGN TABLE {schema}.heir () INHERITS ({schema}.child) SERVER {schema}_far"
    )
    try:
        for table in ("far", "parted", "parent"):
            assert not find_table(server.admin, "people", f"{schema}.{table}", []).source.steady, table
    finally:
        server.admin.execute(f"DROP FOREIGN DATA WRAPPER {schema}_far CASCADE")


def test_a_table_on_the_way_to_the_unit_is_read_once_as_well(place: tuple[Postgres, str]) -> None:
    server, schema = place
    catalog = _catalog(server, schema, "plain")
    guide = DeclaredTable("guide", {}, unit_column="id", unique=frozenset({"id"}), location=f"{schema}.guide")
    people = replace(catalog.tables["people"], unit_path=(Step("id", "guide", "id"),))
    catalog = replace(catalog, tables={"people": people, "guide": guide})
    backend = PostgresBackend(catalog)
    try:
        assert "found AS NOT MATERIALIZED" in _shown(catalog, backend)[0][0]
        backend._tables = backend._tables | {"guide": replace(backend._tables["guide"], steady=False)}
        assert "found AS MATERIALIZED" in _shown(catalog, backend)[0][0]
    finally:
        backend.close()


@pytest.mark.parametrize("location", ["other.sampled", "made"])
def test_rows_that_duckdb_draws_are_drawn_once(tmp_path: Path, location: str) -> None:
    file = tmp_path / "drawn.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute(
            f"CREATE TABLE plain AS SELECT 1 AS id, 'a' AS city, 100.0::DOUBLE AS pay FROM range({ROWS});"
            "CREATE SCHEMA other; CREATE VIEW other.sampled AS SELECT * FROM plain USING SAMPLE 40% (bernoulli);"
            "CREATE TABLE made (number INT, city VARCHAR, pay DOUBLE, id INT AS (CASE WHEN random() < 0.4 THEN 1 END));"
            "INSERT INTO made (number, city, pay) SELECT * FROM plain"
        )
    people = DeclaredTable("people", COLUMNS, unit_column="id", location=location, limits=Limits(rows_per_unit=1))
    catalog = Catalog(
        "test", Unit("person"), Guarantee(10, "1e-3"), {"people": people}, source="duckdb:///drawn.duckdb",
        folder=tmp_path,
    )  # fmt: skip
    backend = DuckDBBackend(catalog, threads=1)
    try:
        for statement in STATEMENTS * 2 * TRIES:
            found = ExactSession(catalog, backend=backend).sql(statement).rows[0]["n"]
            assert 0 <= found <= 100 + 1e-3, statement
    finally:
        backend.close()


# --- what is shown for nothing ---


def test_what_is_explained_does_not_follow_statistics(place: tuple[Postgres, str]) -> None:
    server, schema = place
    server.admin.execute(f"CREATE TABLE {schema}.counted (id bigint, city text, pay double precision)")
    server.admin.execute(f"GRANT SELECT ON {schema}.counted TO watcher")
    shown = []
    for fill in ("", f"INSERT INTO {schema}.counted SELECT g % 250, 'a', 1 FROM generate_series(1, 300) AS g; "):
        server.admin.execute(fill + f"ANALYZE {schema}.counted")
        catalog = _catalog(server, schema, "counted")
        backend = PostgresBackend(catalog)
        shown.append(_shown(catalog, backend))
        backend.close()
    assert shown[0] == shown[1]
