"""What drivers ask about tables is answered, from an engine without a row and without a way out."""

import json
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from privet.server.postgres.introspection.empty_tables import EmptyTables, Limits, parameters_of
from privet.server.postgres.introspection.parameter_types import question_parameters
from privet.server.postgres.sqlstates import Refusal
from tests.support.hospital import HOSPITAL

CAPTURED = json.loads(Path(__file__).with_name("driver_queries.json").read_text(encoding="utf-8"))
PUBLIC = sum(len(table.columns) for table in HOSPITAL.tables.values())


@pytest.fixture(scope="module")
def tables() -> Iterator[EmptyTables]:
    found = EmptyTables(HOSPITAL, version="PostgreSQL 15.0 (Privet)", limits=Limits(2_000, 1.0))
    yield found
    found.close()


def rows(tables: EmptyTables, text: str, *values: object) -> list[tuple[object, ...]]:
    return [tuple(row.values()) for row in tables.answer(text, person="ada", values=values).to_pylist()]


@pytest.mark.parametrize("driver", CAPTURED)
def test_what_drivers_ask_is_answered_and_described_alike(tables: EmptyTables, driver: str) -> None:
    for query in CAPTURED[driver]:
        parameters_of(query["text"])
        answer = tables.answer(query["text"], person="ada", values=query["values"])
        described = tables.described(query["text"], person="ada")
        assert described.names == answer.schema.names


def test_names_and_types_are_those_of_the_catalog(tables: EmptyTables) -> None:
    found = rows(
        tables,
        "SELECT c.relname, a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), a.attnotnull "
        "FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid WHERE c.oid = 'patient'::regclass AND a.attnum < 3",
    )
    assert found == [("patient", "pid", "bigint", True), ("patient", "age", "bigint", True)]
    assert len(rows(tables, "SELECT * FROM information_schema.columns")) == PUBLIC
    assert rows(tables, "SELECT current_user, current_schema(), version()") == [
        ("ada", "public", "PostgreSQL 15.0 (Privet)")
    ]


def test_no_table_holds_a_row(tables: EmptyTables) -> None:
    with tables._connection.cursor() as cursor:
        names = cursor.execute("SELECT database_name, schema_name, table_name FROM duckdb_tables()").fetchall()
        held = {name: cursor.table(f"{base}.{schema}.{name}").limit(1).fetchall() for base, schema, name in names}
    assert len(held) > 80
    assert {f"public__{name}" for name in HOSPITAL.tables} <= held.keys()
    assert {name for name, found in held.items() if found} == set()
    assert rows(tables, "SELECT COUNT(*) FROM patient") == [(0,)]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "COPY (SELECT 1) TO '/tmp/privet_wire'",
        "ATTACH '/tmp/privet_wire.db'",
        "INSTALL httpfs",
        "SET enable_external_access = true",
        "SET memory_limit = '100GB'",
        "SELECT * FROM 'https://example.org/x.parquet'",
        "SELECT * FROM '/etc/passwd'",
    ],
)
def test_the_engine_reaches_no_file_and_no_network_even_by_itself(tables: EmptyTables, text: str) -> None:
    with pytest.raises(duckdb.Error):
        tables._connection.execute(text)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT read_text('/etc/passwd')",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM glob('/*')",
        "SELECT * FROM '/etc/passwd'",
        'SELECT * FROM "/etc/passwd"',
        "SELECT * FROM duckdb_settings()",
        "SELECT getenv('HOME')",
        "SELECT * FROM secrets.t",
        "SELECT * FROM pg_catalog.pg_authid",
        "SELECT repeat('x', 1000000000)",
        "SELECT lpad('x', 1000000000, 'y')",
        "SELECT * FROM generate_series(1, 1000000000)",
        "SELECT * FROM range(1000000000)",
        "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT * FROM t",
        "SELECT query('SELECT 1')",
        "INSERT INTO patient VALUES (1)",
        "WITH x AS (DELETE FROM patient RETURNING *) SELECT * FROM x",
        "SELECT 1; SELECT 2",
        "CREATE TABLE x AS SELECT 1",
        "PRAGMA version",
        "SELECT " + "(" * 5_000 + "1" + ")" * 5_000,
        "SELECT " + "1+" * 30_000 + "1",
        "SELECT 1 FROM " + ", ".join(f"pg_class a{place}" for place in range(50)),  # noqa: S608 - what is asked
        "SELECT " + "ARRAY[" * 200 + "1" + "]" * 200,
        "SELECT 1::" + "struct(" * 200,
        "SELECT 'x'::regclass",
        "SELECT $1",
        "SELECT * FROM pg_class WHERE",
        "SELECT COLUMNS('.*') FROM pg_class",
        "SELECT nextval('x')",
        "SELECT * FROM pg_class TABLESAMPLE (10)",
        "SELECT set_config(a) FROM pg_class",
    ],
)
def test_nothing_else_may_be_asked(tables: EmptyTables, text: str) -> None:
    with pytest.raises(Refusal) as refused:
        tables.answer(text, person="ada")
    assert "Error" not in refused.value.sentence


@pytest.mark.parametrize(
    "text",
    [
        "SELECT COUNT(*) FROM pg_type a, pg_type b, pg_type c, pg_type d, pg_type e, pg_type f WHERE a.oid < b.oid",
        "SELECT a.attname FROM pg_attribute a, pg_type b, pg_type c ORDER BY 1",
        "SELECT string_agg(b.typname || c.typname, ',') FROM pg_type a, pg_type b, pg_type c, pg_type d, pg_type e",
        "SELECT s FROM generate_series(1, 9999) AS t(s)",
    ],
)
def test_what_would_take_long_or_much_is_stopped(tables: EmptyTables, text: str) -> None:
    with pytest.raises(Refusal) as refused:
        tables.answer(text, person="ada")
    assert refused.value.state in {"57014", "54000"}
    assert rows(tables, "SELECT 1") == [(1,)]


@pytest.mark.parametrize("value", ["' OR 1=1 --", "x'; DROP TABLE public__patient; --", "\\", '"', "{a,b}", "$1"])
def test_values_stay_values(tables: EmptyTables, value: str) -> None:
    assert rows(tables, "SELECT $1::text", value) == [(value,)]
    assert rows(tables, "SELECT relname FROM pg_class WHERE relname = $1", value) == []


def test_a_star_within_an_item_is_named_by_the_engine(tables: EmptyTables) -> None:
    text = "SELECT c.relname, a.*attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid"
    assert len(tables.described(text, person="ada")) > 10


def test_types_of_parameters() -> None:
    assert parameters_of("SELECT 1 FROM pg_type t WHERE t.oid = $1 AND typname = $2 AND typlen = ANY($3)") == [
        "oid",
        "",
        "text[]",
    ]
    asked = "SELECT COUNT(*) FROM visit WHERE day >= $1 AND cost BETWEEN $2 AND $3 AND ward = $4 LIMIT $5"
    assert question_parameters(asked, HOSPITAL)[:3] == [1082, 701, 701]
    assert question_parameters("SELECT $1::int, $2", HOSPITAL) == [20, 25]
    assert question_parameters("SELECT ((($1", HOSPITAL) == []
