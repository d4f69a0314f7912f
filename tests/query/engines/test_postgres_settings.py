# ruff: noqa: S608 - names of this file
"""Settings of a role or a database: none of them changes an answer, a refusal or what is explained."""

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

import privet
from privet.core import Ledger, Unit
from privet.loss import Guarantee
from privet.query.backends.postgres.connection import FREE, PINNED
from privet.query.backends.postgres.engine import PostgresBackend
from privet.query.catalog import Catalog, DeclaredTable
from privet.query.scalars.facts import Facts, Type
from privet.query.session import Session
from tests.support.engines import engine_of
from tests.support.exact_session import ExactSession
from tests.support.hospital import number, text
from tests.support.on_postgres import Postgres

psycopg = pytest.importorskip("psycopg")
NUMBERS = itertools.count()
HOSTILE = {  # each changed an answer, or could make a statement fail
    "search_path": "'shadow, pg_catalog, public'",
    "DateStyle": "'German, DMY'",
    "IntervalStyle": "iso_8601",
    "TimeZone": "'Asia/Tokyo'",
    "timezone_abbreviations": "'India'",
    "extra_float_digits": "-15",
    "bytea_output": "escape",
    "standard_conforming_strings": "off",
    "backslash_quote": "on",
    "array_nulls": "off",
    "quote_all_identifiers": "on",
    "transform_null_equals": "on",
    "lc_monetary": "'C.UTF-8'",
    "lc_numeric": "'C.UTF-8'",
    "lc_time": "'C.UTF-8'",
    "client_encoding": "'LATIN1'",
    "plan_cache_mode": "force_generic_plan",
    "row_security": "off",
    "default_transaction_isolation": "'serializable'",
    "default_transaction_read_only": "off",
    "default_transaction_deferrable": "on",
    "statement_timeout": "'40ms'",
    "lock_timeout": "'1ms'",
    "work_mem": "'64kB'",
    "jit": "on",
    "jit_above_cost": "0",
    "exit_on_error": "on",
    "gin_fuzzy_search_limit": "1",
    "constraint_exclusion": "on",
    "xmlbinary": "hex",
    "synchronize_seqscans": "off",
    "restrict_nonsystem_relation_kind": "'view'",
    "enable_hashagg": "off",
    "enable_hashjoin": "off",
    "enable_sort": "off",
    "geqo_threshold": "2",
    "join_collapse_limit": "1",
    "max_parallel_workers_per_gather": "0",
    "client_min_messages": "debug5",
    "application_name": "'x'",
}
MAKE = """
CREATE SCHEMA {0}; CREATE SCHEMA shadow; CREATE ROLE odd LOGIN;
CREATE TABLE {0}.plain (id text, city text, pay double precision, at timestamp, zone timestamptz, cash money,
    span interval, bytes bytea, days date[], small smallint);
INSERT INTO {0}.plain SELECT CAST(g % 50 AS text),
    CASE WHEN g % 7 = 0 THEN NULL WHEN g % 7 = 1 THEN 'NULL' ELSE 'é\\' END, g / 7.0,
    TIMESTAMP '2024-03-10 02:30:00' + g * INTERVAL '1 hour', TIMESTAMPTZ '2024-03-10 02:30:00Z' + g * INTERVAL '1 hour',
    g, g * INTERVAL '25 hours', CAST('x' || g AS bytea), ARRAY[DATE '2024-12-31'], 1 FROM generate_series(1, 200) AS g;
CREATE VIEW {0}.people AS SELECT * FROM {0}.plain;
CREATE FUNCTION shadow.md5(text) RETURNS text LANGUAGE sql AS $$ SELECT 'shadowed' $$;
CREATE FUNCTION shadow.abs(double precision) RETURNS double precision LANGUAGE sql AS $$ SELECT 1e9 $$;
CREATE FUNCTION shadow.same(text, text) RETURNS boolean LANGUAGE sql AS $$ SELECT true $$;
CREATE OPERATOR shadow.= (LEFTARG = text, RIGHTARG = text, FUNCTION = shadow.same);
CREATE DOMAIN shadow.bigint AS smallint; CREATE DOMAIN shadow.text AS varchar(1);
GRANT USAGE ON SCHEMA {0}, shadow TO odd; GRANT SELECT ON ALL TABLES IN SCHEMA {0} TO odd;
"""
TEXTS = ("city", "zone", "cash", "span", "bytes", "days", "small")
STATEMENTS = (
    "SELECT city, COUNT(*) AS n, SUM(pay) AS s FROM people GROUP BY city",
    *(f"SELECT {column} AS k, COUNT(*) AS n FROM people GROUP BY {column}" for column in TEXTS if column != "city"),
    "SELECT CAST(pay AS TEXT) AS k, COUNT(*) AS n FROM people GROUP BY 1",
    "SELECT CAST(at AS TEXT) AS k, COUNT(*) AS n FROM people GROUP BY 1",
    "SELECT COUNT(*) AS n FROM people WHERE city = 'é\\'",
    """WITH c AS (SELECT city, COUNT(*) AS n FROM people GROUP BY city)
    SELECT COUNT(*) AS n FROM people JOIN c ON people.city IS NULL AND c.city IS NULL""",
)


@pytest.fixture(name="place", scope="module")
def _place() -> Iterator[tuple[Postgres, Catalog]]:
    server = engine_of("postgres")
    schema = f"settings_{next(NUMBERS)}"
    assert isinstance(server, Postgres)
    server.admin.execute(MAKE.format(schema))
    columns = {name: text(nullable=True) for name in TEXTS} | {
        "pay": number(0, 100, whole=False),
        "at": Facts(Type.TIMESTAMP, nullable=True),
    }
    people = DeclaredTable("people", columns, unit_column="id", location=f"{schema}.people")
    source = server.address.replace("postgres:@", "odd@").replace("postgres@", "odd@")
    yield server, Catalog("test", Unit("person"), Guarantee(10, "1e-3"), {"people": people}, source=source)
    server.admin.execute(f"DROP SCHEMA {schema}, shadow CASCADE; DROP OWNED BY odd; DROP ROLE odd")


def _seen(catalog: Catalog, statements: tuple[str, ...] = STATEMENTS) -> list[Any]:
    """What is explained and answered, and the types of columns."""
    backend = PostgresBackend(catalog)
    try:
        session = Session(catalog, backend=backend, ledger=Ledger(catalog.limit, unit=catalog.unit))
        shown = [session.explain(each, epsilon=1, delta="1e-6").queries for each in statements]
        backend._fetch("SELECT pg_sleep(0.05)")
        exact = [ExactSession(catalog, backend=backend).sql(each).table for each in statements]
        return [backend.schema(), shown, [(each.schema, sorted(map(str, each.to_pylist()))) for each in exact]]
    finally:
        backend.close()


def test_no_hostile_setting_of_a_role_changes_anything(place: tuple[Postgres, Catalog]) -> None:
    """All of them at once; `test_every_setting_is_ours` looks at each."""
    server, catalog = place
    before = _seen(catalog)
    known = {name for (name,) in server.admin.execute("SELECT name FROM pg_settings").fetchall()}
    for word, value in HOSTILE.items():
        if word in known:
            server.admin.execute(f"ALTER ROLE odd SET {word} = {value}")
    try:
        assert _seen(catalog) == before
    finally:
        server.admin.execute("ALTER ROLE odd RESET ALL")


@pytest.mark.parametrize("word", ["array_nulls", "quote_all_identifiers", "statement_timeout"])
def test_a_hostile_setting_alone_changes_nothing(place: tuple[Postgres, Catalog], word: str) -> None:
    server, catalog = place
    before = _seen(catalog, STATEMENTS[-2:])
    server.admin.execute(f"ALTER ROLE odd SET {word} = {HOSTILE[word]}")
    try:
        assert _seen(catalog, STATEMENTS[-2:]) == before
    finally:
        server.admin.execute("ALTER ROLE odd RESET ALL")


def test_every_setting_is_ours(place: tuple[Postgres, Catalog]) -> None:
    """Whatever the server lets a role set is set to another value, and found as the server is built with it, or pinned.

    What is free decides about speed: nothing in FREE stands under what the server calls defaults of connections,
    compatibility or the handling of errors.
    """
    server, catalog = place
    found = server.admin.execute(
        "SELECT name, boot_val, vartype, min_val, max_val, enumvals, category FROM pg_settings "
        "WHERE context = 'user' AND name !~ %s", (FREE,)
    ).fetchall()  # fmt: skip
    assert len(found) > 40
    for name, built, kind, low, high, words, _ in found:
        other = {"bool": "off" if built == "on" else "on", "enum": next((x for x in words or () if x != built), built)}
        ends = [end for end in (low, high) if end not in {built, "0"}]
        value = other.get(kind, ends[0] if kind in {"integer", "real"} and ends else None)
        if value is not None and not name.endswith("_timeout"):
            server.admin.execute(f"ALTER ROLE odd SET {name} = '{value}'")
    backend = PostgresBackend(catalog)
    try:
        with backend._pool.taken() as connection:
            held = dict(connection.execute("SELECT name, setting FROM pg_settings").fetchall())
    finally:
        backend.close()
        server.admin.execute("ALTER ROLE odd RESET ALL")
    wrong = {
        name: held[name]
        for name, built, *_ in found
        if name not in PINNED and built is not None and held[name] != built
    }
    assert not wrong
    assert {word: held[word].replace(", ", ",").casefold() for word in PINNED} == {
        word: value.strip("'").replace(", ", ",").casefold() for word, value in PINNED.items()
    }
    free = server.admin.execute(
        "SELECT name FROM pg_settings WHERE context = 'user' AND name ~ %s AND name !~ '^transaction_|tablespaces$' "
        "AND category ~ '^(Client|Version|Error|Lock)'", (FREE,)
    )  # fmt: skip
    assert free.fetchall() == []


def test_a_limit_of_time_is_the_one_of_the_address(place: tuple[Postgres, Catalog]) -> None:
    _, catalog = place
    backend = PostgresBackend(catalog, statement_timeout="7s")
    try:
        for _ in range(2):  # a connection that found tables, and another
            with backend._pool.taken() as one, backend._pool.taken() as other:
                found = [each.execute("SHOW statement_timeout").fetchone() for each in (one, other)]
                assert found == [("7s",), ("7s",)]
    finally:
        backend.close()


def test_another_encoding_is_refused(place: tuple[Postgres, Catalog]) -> None:
    """Bytes that are no letters are possible only there."""
    server, _ = place
    for encoding in ("LATIN1", "SQL_ASCII"):
        name = f"other_{encoding.lower()}"
        server.admin.execute(f"CREATE DATABASE {name} ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0")
        try:
            source = server.address.replace("/postgres?", f"/{name}?")
            table = DeclaredTable("people", {}, unit_column="id")
            catalog = Catalog("test", Unit("person"), Guarantee(1), {"people": table}, source=source)
            with pytest.raises(privet.errors.InvalidParameter, match="not encoded in UTF8"):
                PostgresBackend(catalog)
        finally:
            server.admin.execute(f"DROP DATABASE {name}")
