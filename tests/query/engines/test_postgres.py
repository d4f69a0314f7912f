# ruff: noqa: S608 - names of this file
"""PostgreSQL as a place where tables are: addresses, names, views, rights, settings, and what is never written."""

import builtins
import itertools
import socket
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from typer.testing import CliRunner

import privet
from privet.cli import app
from privet.core import Unit
from privet.errors import InvalidParameter
from privet.loss import Guarantee
from privet.query.backends.postgres.address import Address, shown
from privet.query.backends.postgres.dialect import PostgresDialect
from privet.query.backends.postgres.engine import PostgresBackend
from privet.query.catalog import Catalog, DeclaredTable
from privet.query.connect import backend_of
from privet.query.plan.limits import Limits
from privet.query.plan.relations import Released
from privet.query.scalars.expressions import Column
from privet.query.scalars.facts import Facts, Type
from tests.support.engines import engine_of
from tests.support.exact_session import ExactSession
from tests.support.hospital import number, text
from tests.support.on_postgres import Postgres

psycopg = pytest.importorskip("psycopg")
NUMBERS = itertools.count()
COUNT = "SELECT COUNT(*) AS n FROM people"
COLUMNS = {"age": number(0, 110), "city": text()}


@pytest.fixture
def server() -> Postgres:
    found = engine_of("postgres")
    assert isinstance(found, Postgres)
    return found


@pytest.fixture
def schema(server: Postgres) -> Iterator[str]:
    name = f"place_{next(NUMBERS)}"
    server.admin.execute(f"CREATE SCHEMA {name}")
    yield name
    server.admin.execute(f"DROP SCHEMA {name} CASCADE")


def people(server: Postgres, location: str | None, **changes: Any) -> Catalog:  # noqa: ANN401 - whatever a catalog has
    declared = {"columns": COLUMNS, "unit_column": "id"} | {
        name: changes.pop(name) for name in ("columns", "unit_column", "limits") if name in changes
    }
    table = DeclaredTable("people", location=location, **declared)
    return Catalog(
        "test", Unit("person"), Guarantee(10, "1e-3"), {"people": table}, **({"source": server.address} | changes)
    )


def counted(catalog: Catalog, statement: str = COUNT) -> Any:  # noqa: ANN401 - a cell
    backend = backend_of(catalog)
    try:
        return ExactSession(catalog, backend=backend).sql(statement).rows[0]["n"]
    finally:
        backend.close()


def fill(server: Postgres, place: str, kind: str = "bigint", ids: str = "1, 2, 2, NULL") -> None:
    values = ", ".join(f"({each}, 30, 'a')" for each in ids.split(", "))
    server.admin.execute(
        f"CREATE TABLE {place} (id {kind}, age integer, city text); INSERT INTO {place} VALUES {values}"
    )


# --- where tables are ---


@pytest.mark.parametrize(
    "make",
    [
        "CREATE VIEW {0}.seen AS SELECT * FROM {0}.people",
        "CREATE MATERIALIZED VIEW {0}.seen AS SELECT * FROM {0}.people",
        "CREATE TABLE {0}.seen PARTITION OF {0}.parted DEFAULT; INSERT INTO {0}.seen SELECT * FROM {0}.people",
        'CREATE VIEW {0}."Größe; DROP ""x""" AS SELECT * FROM {0}.people',
        'CREATE VIEW {0}."a.b" AS SELECT * FROM {0}.people',
        "CREATE VIEW {0}.upper_seen AS SELECT * FROM {0}.people",
    ],
)
def test_tables_and_views_of_every_name(server: Postgres, schema: str, make: str) -> None:
    fill(server, f"{schema}.people")
    server.admin.execute(f"CREATE TABLE {schema}.parted (LIKE {schema}.people) PARTITION BY LIST (id)")
    server.admin.execute(make.format(schema))
    name = {"Größe": 'Größe; DROP "x"', '"a.b"': "a.b", "upper_seen": "Upper_Seen"}
    location = next((there for mark, there in name.items() if mark in make), "seen")
    assert counted(people(server, f"{schema}.{location}")) == 2


def test_a_table_is_found_as_the_role_finds_it(server: Postgres, schema: str) -> None:
    fill(server, f"{schema}.people")
    source = server.address + f"&options=-csearch_path%3D{schema}"
    assert counted(people(server, None, source=source)) == 2
    with pytest.raises(InvalidParameter, match=r"table people is not in the database"):
        backend_of(people(server, None))


def test_a_partitioned_table_tells_rows_apart(server: Postgres, schema: str) -> None:
    """Two parts have rows at the same place (ctid), which are two units where every row is one."""
    server.admin.execute(
        f"CREATE TABLE {schema}.people (id bigint, age integer, city text) PARTITION BY LIST (id);"
        f"CREATE TABLE {schema}.one PARTITION OF {schema}.people FOR VALUES IN (1);"
        f"CREATE TABLE {schema}.two PARTITION OF {schema}.people FOR VALUES IN (2);"
        f"INSERT INTO {schema}.people VALUES (1, 30, 'a'), (2, 30, 'a');"
        f"CREATE TABLE {schema}.parent (id bigint, age integer, city text);"
        f"CREATE TABLE {schema}.child () INHERITS ({schema}.parent);"
        f"INSERT INTO {schema}.parent VALUES (1, 30, 'a'); INSERT INTO {schema}.child VALUES (2, 30, 'a')"
    )
    for name in ("people", "parent", "one"):
        catalog = people(server, f"{schema}.{name}", unit_column=None, limits=Limits(rows_per_unit=1), row_level=True)
        catalog = replace(catalog, unit=Unit("row"))
        assert counted(catalog) == (1 if name == "one" else 2)


@pytest.mark.parametrize(
    ("kind", "ids", "units"),
    [
        ("smallint", "1, 2, 2, NULL", 2),
        ("numeric", "1.0, 1.00, 1, 'NaN'", 1),
        ("double precision", "0.0, -0.0, 'NaN', 1.5", 2),
        ("text", "'a', 'A', '', NULL", 3),
        ("char(3)", "'a', 'a  ', 'b', NULL", 2),
        ("uuid", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', NULL", 1),
        ("date", "'2024-01-01', 'infinity', NULL", 1),
    ],
)
def test_units_of_every_type(server: Postgres, schema: str, kind: str, ids: str, units: int) -> None:
    fill(server, f"{schema}.people", kind, ids)
    catalog = people(server, f"{schema}.people")
    assert counted(catalog, "SELECT COUNT(DISTINCT id) AS n FROM people") == units
    assert counted(catalog) == units


def test_enumerations_domains_and_decimals_are_read(server: Postgres, schema: str) -> None:
    server.admin.execute(
        f"CREATE TYPE {schema}.mood AS ENUM ('sad', 'glad');"
        f"CREATE DOMAIN {schema}.years AS integer CHECK (VALUE >= 0); CREATE DOMAIN {schema}.old AS {schema}.years;"
        f"CREATE TABLE {schema}.people (id bigint, city {schema}.mood, age {schema}.old, pay numeric, "
        "cut numeric(6,2), at timestamp(3));"
        f"INSERT INTO {schema}.people VALUES (1, 'sad', 30, 1e400, 12.5, '2024-05-06 07:08:09.123'), "
        "(2, 'glad', 40, 'NaN', 2, 'infinity'), "
        "(3, 'sad', 50, -3, 1, '0044-03-15 BC')"
    )
    columns = COLUMNS | {
        "pay": number(-9, 9, whole=False),
        "cut": number(-9, 9, whole=False),
        "at": Facts(Type.TIMESTAMP),
    }
    catalog = people(server, f"{schema}.people", columns=columns)
    backend = backend_of(catalog)
    assert backend.schema()["people"] == {
        "id": "bigint", "city": "ENUM", "age": "integer", "pay": "numeric", "cut": "numeric(6,2)",
        "at": "timestamp(3) without time zone",
    }  # fmt: skip
    backend.close()
    assert counted(catalog, "SELECT COUNT(*) FILTER (WHERE city = 'sad') AS n FROM people") == 2
    assert counted(catalog, "SELECT SUM(age) AS n FROM people") == 120
    assert counted(catalog, "SELECT COUNT(at) AS n FROM people") == 1
    assert (
        counted(catalog, "SELECT COUNT(*) FILTER (WHERE at > TIMESTAMP '2024-05-06 07:08:09.122') AS n FROM people")
        == 1
    )
    assert counted(catalog, "SELECT SUM(pay) AS n FROM people") == pytest.approx(6, abs=1e-4)  # 9 - 3
    assert counted(catalog, "SELECT SUM(cut) AS n FROM people") == pytest.approx(12, abs=1e-4)  # 9 + 2 + 1


def test_units_of_two_types_are_refused(server: Postgres, schema: str) -> None:
    fill(server, f"{schema}.people")
    fill(server, f"{schema}.others", "text", "'1', '2'")
    one = people(server, f"{schema}.people")
    two = replace(one.tables["people"], name="others", location=f"{schema}.others")
    with pytest.raises(InvalidParameter, match=r"people has bigint, others has text; convert them"):
        backend_of(replace(one, tables={**one.tables, "others": two}))


# --- what is pinned ---


def test_settings_of_the_role_change_nothing(server: Postgres, schema: str) -> None:
    fill(server, f"{schema}.people")
    server.admin.execute(
        f"CREATE FUNCTION {schema}.md5(text) RETURNS text LANGUAGE sql AS $$ SELECT 'shadowed' $$;"
        f"CREATE FUNCTION {schema}.abs(double precision) RETURNS double precision LANGUAGE sql AS $$ SELECT 1e9 $$;"
    )
    words = {
        "search_path": f"{schema},pg_catalog", "DateStyle": "German", "TimeZone": "Asia/Tokyo",
        "extra_float_digits": "-15", "standard_conforming_strings": "off",
        "default_transaction_read_only": "off", "IntervalStyle": "iso_8601",
    }  # fmt: skip
    server.admin.execute("DROP ROLE IF EXISTS odd; CREATE ROLE odd LOGIN")
    server.admin.execute(f"GRANT USAGE ON SCHEMA {schema} TO odd; GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO odd")
    for word, value in words.items():
        server.admin.execute(f"ALTER ROLE odd SET {word} = {value if word == 'search_path' else repr(value)}")
    source = server.address.replace("postgres:@", "odd@").replace("postgres@", "odd@")
    backend = PostgresBackend(people(server, f"{schema}.people", source=source))
    try:
        rows = backend._fetch(
            "SELECT MD5('x'), CAST(DATE '2024-12-31' AS TEXT), CAST(0.1::float8 + 0.2 AS TEXT), 'a\\b', "
            "current_setting('TimeZone'), current_setting('transaction_isolation'), ABS(-2::float8)"
        )
        assert rows == [
            (
                "9dd4e461268c8034f5c8564e155c67a6",
                "2024-12-31",
                "0.30000000000000004",
                "a\\b",
                "UTC",
                "repeatable read",
                2,
            )
        ]
        for wrong in (f"DELETE FROM {schema}.people", "CREATE TEMP TABLE x (a int)", f"SELECT 1 INTO {schema}.x"):
            with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
                backend._fetch(wrong)
        assert backend.writable == ()
    finally:
        backend.close()
        server.admin.execute("DROP OWNED BY odd; DROP ROLE odd")


def test_what_a_role_could_change_is_known(server: Postgres, schema: str) -> None:
    fill(server, f"{schema}.people")
    backend = PostgresBackend(people(server, f"{schema}.people"))
    assert backend.writable == ("people",)
    backend.close()


def test_a_statement_sees_one_snapshot_and_writes_nothing(server: Postgres, schema: str) -> None:
    fill(server, f"{schema}.people")
    before = server.admin.execute("SELECT pg_current_xact_id_if_assigned(), pg_snapshot_xmax(pg_current_snapshot())")
    seen = before.fetchall()
    catalog = people(server, f"{schema}.people")
    with privet.connect(catalog) as session:
        session.sql(
            "WITH c AS (SELECT COUNT(*) AS n FROM people) SELECT COUNT(*) FROM people, c WHERE age > n", epsilon=1
        )
    after = server.admin.execute("SELECT pg_current_xact_id_if_assigned(), pg_snapshot_xmax(pg_current_snapshot())")
    assert seen == after.fetchall()  # a transaction that writes has a number


def test_rows_never_leave_but_as_sums(server: Postgres, schema: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(server, f"{schema}.people", ids=", ".join(str(each % 50) for each in range(400)))
    fetched: list[list[tuple[Any, ...]]] = []
    fetch = PostgresBackend._fetch

    def remembered(self: PostgresBackend, statement: str) -> list[tuple[Any, ...]]:
        fetched.append(fetch(self, statement))
        return fetched[-1]

    monkeypatch.setattr(PostgresBackend, "_fetch", remembered)
    known = people(server, f"{schema}.people", columns=COLUMNS | {"city": text("a")})
    with privet.connect(known) as session:
        session.sql("SELECT city, COUNT(*), AVG(age), MEDIAN(age) FROM people GROUP BY city", epsilon=1, delta="1e-6")
    assert [len(rows) for rows in fetched] == [1, 1]


def test_statements_at_once_have_released_tables_of_their_own(server: Postgres, schema: str) -> None:
    fill(server, f"{schema}.people")
    backend = PostgresBackend(people(server, f"{schema}.people"))
    relation = Released("stage", (Column("c", text()),))
    with backend.apart() as one, backend.apart() as two:
        one.publish({"stage": pa.table({"c": ["mine"]})})
        two.publish({"stage": pa.table({"c": ["yours"]})})
        assert one.read(relation, {}).to_pydict() == {"c": ["mine"]}
    backend.close()


def test_a_connection_in_use_is_closed_when_it_is_given_back(server: Postgres, schema: str) -> None:
    fill(server, f"{schema}.people")
    backend = PostgresBackend(people(server, f"{schema}.people"))
    with backend._pool.taken() as connection:
        backend.close()
        assert not connection.closed
    assert connection.closed


# --- addresses and passwords ---


@pytest.mark.parametrize(
    ("source", "conninfo", "place", "timeout"),
    [
        ("postgresql:///db", "postgresql:///db", "postgresql:///db", None),
        ("postgres://a:s@h:5432/db", "postgres://a:s@h:5432/db", "postgres://a@h:5432/db", None),
        ("postgresql://a@h/db?statement_timeout=5s&sslmode=require", "postgresql://a@h/db?sslmode=require",
         "postgresql://a@h/db", "5s"),
        ("postgresql://?service=clinic", "postgresql://?service=clinic", "postgresql://", None),
        ("postgresql://[::1]:5433/db?password=s", "postgresql://[::1]:5433/db?password=s",
         "postgresql://[::1]:5433/db", None),
        ("postgresql://a:p%40x@h1,h2/db", "postgresql://a:p%40x@h1,h2/db", "postgresql://a@h1,h2/db", None),
    ],
)  # fmt: skip
def test_an_address_in_parts(source: str, conninfo: str, place: str, timeout: str | None) -> None:
    found = Address.of(source)
    assert psycopg.conninfo.conninfo_to_dict(found.conninfo) == psycopg.conninfo.conninfo_to_dict(conninfo)
    assert (found.place, found.statement_timeout) == (place, timeout)
    assert "s@" not in repr(found)
    assert "password" not in shown(source)


SECRET = "hunter2"  # noqa: S105 - invented


@pytest.mark.parametrize(
    "source",
    [
        f"postgresql://ada:{SECRET}@127.0.0.1:1/db",
        f"postgresql://ada@127.0.0.1:1/db?password={SECRET}",
        f"postgresql://ada:{SECRET}@127.0.0.1:1/db?nonsense={SECRET}",
        f"postgresql://ada:{SECRET}@no.such.host.invalid/db",
        f"postgresql://ada:{SECRET}@[::1/db",
    ],
)
def test_a_password_is_never_told(server: Postgres, source: str) -> None:
    catalog = people(server, "people", source=source, ledger=f"postgresql://x:{SECRET}@h/db")
    with pytest.raises(InvalidParameter) as told:
        backend_of(catalog)
    seen = [str(told.value), repr(told.value), repr(catalog), repr(told.value.__cause__)]
    assert not any(SECRET in each for each in seen)
    assert "psql" in seen[0] or "must be written" in seen[0]


def test_a_password_is_in_no_answer_explanation_or_ledger(server: Postgres, schema: str) -> None:
    fill(server, f"{schema}.people")
    source = server.address + f"&password={SECRET}"
    with privet.connect(people(server, f"{schema}.people", source=source)) as session:
        told = [session.explain(COUNT, epsilon=1), session.sql(COUNT, epsilon=1), *session.ledger.entries, session]
        assert not any(SECRET in str(each) + repr(each) for each in told)
        assert SECRET not in str(session.explain(COUNT, epsilon=1).queries)


@pytest.mark.parametrize(("mode", "goes_on"), [("require", False), ("verify-full", False), ("prefer", True)])
def test_tls_that_is_not_offered_is_not_done_without(server: Postgres, mode: str, goes_on: bool) -> None:  # noqa: FBT001
    """A server that says no to TLS is told nothing more where TLS is demanded."""
    told: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            listener.settimeout(20)
            with listener.accept()[0] as client:
                client.settimeout(20)
                client.recv(8)  # the request for TLS
                client.sendall(b"N")
                told.append(client.recv(1000))

        thread = threading.Thread(target=answer)
        thread.start()
        source = f"postgresql://ada@127.0.0.1:{listener.getsockname()[1]}/db?sslmode={mode}&gssencmode=disable"
        with pytest.raises(InvalidParameter, match="sslmode"):
            backend_of(people(server, "people", source=source))
        thread.join()
    assert [bool(each) for each in told] == [goes_on]


@pytest.mark.parametrize("timeout", ["soon", "-1s", "1; DROP TABLE x"])
def test_a_timeout_that_is_none_is_refused(server: Postgres, schema: str, timeout: str) -> None:
    fill(server, f"{schema}.people")
    with pytest.raises(InvalidParameter, match="statement_timeout must be"):
        PostgresBackend(people(server, f"{schema}.people"), statement_timeout=timeout)


def test_files_and_frames_do_not_go_with_a_server(server: Postgres) -> None:
    catalog = people(server, "people", frames={"people": pa.table({"id": [1]})})
    with pytest.raises(InvalidParameter, match="no files or frames"):
        backend_of(catalog)


def test_without_psycopg_the_extra_is_named(server: Postgres, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def absent(name: str, *rest: Any) -> Any:  # noqa: ANN401 - as import
        if name.partition(".")[0] == "psycopg":
            raise ModuleNotFoundError("no psycopg", name="psycopg")
        return real(name, *rest)

    for name in [each for each in sys.modules if each.startswith(("psycopg", "privet.query.backends.postgres"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(InvalidParameter, match=r'pip install "privet\[postgres\]"'):
        backend_of(people(server, "people"))


# --- what it cannot run is refused before it costs anything ---


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        (
            "SELECT COUNT(*) FROM (SELECT COUNT(DISTINCT city) OVER (PARTITION BY id) AS c FROM people) WHERE c > 1",
            "no COUNT",
        ),
        ("SELECT COUNT(*) FROM people a FULL JOIN people b ON a.id = b.id AND a.age < b.age", "equal columns only"),
    ],
)
def test_what_it_cannot_run_is_refused(server: Postgres, schema: str, statement: str, reason: str) -> None:
    fill(server, f"{schema}.people")
    with privet.connect(people(server, f"{schema}.people")) as session:
        with pytest.raises(InvalidParameter, match=reason):
            session.sql(statement, epsilon=1)
        assert session.ledger.spent.epsilon == 0


@pytest.mark.parametrize(
    "text", ["'", '"', "\\", "'; DROP TABLE t; --", "$$", "/*", "é", "日", "\n", "{a}", "%s", "\\'"]
)
def test_a_literal_and_a_name_are_themselves(server: Postgres, text: str) -> None:
    dialect = PostgresDialect()
    found = server.admin.execute(f"SELECT {dialect.literal(text, Type.TEXT)} AS {dialect.name(text)}")
    assert found.description is not None
    assert (found.description[0].name, found.fetchall()) == (text, [(text,)])


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
def test_a_text_that_no_server_has_is_refused(text: str) -> None:
    with pytest.raises(InvalidParameter, match="letter"):
        PostgresDialect().literal(text, Type.TEXT)


# --- the owner's commands ---


def test_a_catalog_is_drafted_and_checked(server: Postgres, schema: str, tmp_path: Path) -> None:
    server.admin.execute(
        f"CREATE TABLE {schema}.person (id bigint PRIMARY KEY, age integer NOT NULL, city text);"
        f"CREATE TABLE {schema}.visit (vid bigint UNIQUE, id bigint REFERENCES {schema}.person (id), pay numeric(8,2));"
        f"INSERT INTO {schema}.person VALUES (1, 77, 'Zermatt')"
    )
    source = server.address + f"&options=-csearch_path%3D{schema}&password={SECRET}"
    file = tmp_path / "clinic.toml"
    done = CliRunner().invoke(app, ["catalog", "draft", source, "--output", str(file)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    drafted = file.read_text(encoding="utf-8")
    assert SECRET not in drafted
    assert "Zermatt" not in drafted
    assert "[tables.person]" in drafted
    assert 'unique = ["id"]' in drafted
    assert 'unit_path = "id -> person.id' in drafted
    assert 'columns.age = { type = "integer" }' in drafted
    assert 'columns.city = { type = "text", nullable = true }' in drafted
    other = CliRunner().invoke(app, ["catalog", "draft", server.address], catch_exceptions=False)
    assert f'location = "{schema}.person"' in other.output
    file.write_text(
        f'name = "clinic"\nunit = "person"\nsource = "{server.address}"\nlimit = {{ epsilon = "1" }}\n'
        f'[tables.person]\nlocation = "{schema}.person"\nunit_column = "id"\n'
        'columns.age = { type = "integer", bounds = [0, 110] }\n',
        encoding="utf-8",
    )
    done = CliRunner().invoke(app, ["catalog", "check", str(file)], env={"COLUMNS": "200"}, catch_exceptions=False)
    assert "Ready: privet ask" in done.output, done.output
    assert "its role can change person: use one that may only read" in " ".join(done.output.split())
    file.write_text(file.read_text(encoding="utf-8").replace("columns.age", "columns.years"), encoding="utf-8")
    done = CliRunner().invoke(app, ["catalog", "check", str(file)], env={"COLUMNS": "200"}, catch_exceptions=False)
    assert "the data has no such column" in done.output
