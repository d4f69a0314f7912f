# ruff: noqa: S608 - statements of this file
"""Units are exact, texts are compared byte by byte, and what is read or shown converts whatever it is."""

import datetime as dt
import math
import random
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from uuid import UUID

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import privet
from privet.errors import InvalidParameter
from privet.query.answering.released_table import key_array, number_array
from privet.query.backends.group_keys import in_order, keys_of, plain_value
from privet.query.plan.statement import Key
from privet.query.scalars.arrow_types import ARROW
from privet.query.scalars.expressions import Column, Reference
from privet.query.scalars.facts import Facts, Type, Value
from privet.query.scalars.unit_types import unit_kind, unit_type
from privet.query.session import Session

HEAD = """name = "c"
unit = "person"
source = "duckdb:///d.duckdb"
limit = { epsilon = "1000", delta = "1e-1" }
"""
TABLE = '[tables.t]\nunit_column = "id"\nrows_per_unit = 1\n'
FIRST = (1 << 53) + 1
Opened = Callable[..., Session]


@pytest.fixture
def opened(tmp_path: Path) -> Opened:
    """A session over a new database."""

    def make(toml: str, *statements: str, rows: pa.Table | None = None) -> Session:
        with duckdb.connect(str(tmp_path / "d.duckdb")) as made:
            for statement in statements:
                made.execute(statement)
            if rows is not None:
                made.register("rows", rows).execute("INSERT INTO s FROM rows; INSERT INTO t FROM rows")
        (tmp_path / "c.toml").write_text(HEAD + toml, encoding="utf-8")
        return privet.connect(tmp_path / "c.toml", threads=1)

    return make


WIDE = ("DECIMAL(20,0)", "DECIMAL(20,2)", "DECIMAL(10,0)", "UBIGINT", "HUGEINT", "UHUGEINT", "VARCHAR", "TIMESTAMP_NS")


@pytest.mark.parametrize("kind", WIDE)
def test_a_unit_is_never_rounded(opened: Opened, kind: str) -> None:
    first = FIRST if kind != "DECIMAL(10,0)" else 1
    made = f"make_timestamp_ns({FIRST} + i)" if kind == "TIMESTAMP_NS" else f"CAST({first} + i AS {kind})"
    with opened(TABLE, f"CREATE TABLE t AS SELECT {made} AS id FROM range(1000) AS r(i)") as session:
        for text in ("SELECT COUNT(DISTINCT id) AS n FROM t", "SELECT COUNT(*) AS n FROM t"):
            assert abs(session.sql(text, epsilon=20).rows[0]["n"] - 1000) < 5


@pytest.mark.parametrize(
    ("kind", "declared", "fix"),
    [
        ("DECIMAL(20,0)", "integer", 'declare type = "text", because a unit is never rounded'),
        ("HUGEINT", "integer", 'declare type = "text", because a unit is never rounded'),
        ("DECIMAL(20,0)", "real", 'declare type = "text", because a unit is never rounded'),
        ("TIMESTAMP_NS", "timestamp", 'declare type = "text", because a unit is never rounded'),
        ("INTERVAL", None, "convert it to whole numbers or plain texts"),
        ("INTEGER[]", None, "convert it to whole numbers or plain texts"),
        ("VARCHAR COLLATE NOCASE", None, "convert it to whole numbers or plain texts"),
        ("VARCHAR COLLATE NFC", "text", "convert it to whole numbers or plain texts"),
    ],
)
def test_a_unit_that_would_not_be_exact_is_refused(opened: Opened, kind: str, declared: str | None, fix: str) -> None:
    more = "" if declared is None else f'columns.id = {{ type = "{declared}" }}\n'
    with pytest.raises(InvalidParameter, match=fix):
        opened(TABLE + more, f"CREATE TABLE t (id {kind})")


@pytest.mark.parametrize(
    ("one", "other"),
    [("DECIMAL(20,0)", "DECIMAL(20,2)"), ("UUID", "VARCHAR"), ("INTEGER", "VARCHAR"), ("DATE", "TIMESTAMP")],
)
def test_tables_that_may_write_a_unit_differently_are_refused(opened: Opened, one: str, other: str) -> None:
    two = TABLE + '[tables.s]\nunit_column = "id"\nrows_per_unit = 1\n'
    with pytest.raises(InvalidParameter, match="units must have one type in all tables"):
        opened(two, f"CREATE TABLE t (id {one})", f"CREATE TABLE s (id {other})")
    path = '[tables.v]\nunit_path = "k -> t.id -> id"\nrows_per_unit = 1\n'
    tables = (f"CREATE OR REPLACE TABLE t (id {one})", f"CREATE TABLE v (k {other})")
    with pytest.raises(InvalidParameter, match="written in two ways"):
        opened(TABLE.replace("rows_per_unit", 'unique = ["id"]\nrows_per_unit') + path, *tables)


@pytest.mark.parametrize("collation", ["NOCASE", "NOACCENT", "NFC", "NOCASE.NOACCENT"])
def test_a_text_compared_by_a_collation_is_refused(opened: Opened, collation: str) -> None:
    toml = TABLE + 'columns.g = { type = "text" }\n'
    with pytest.raises(InvalidParameter, match="compared byte by byte"):
        opened(toml, f"CREATE TABLE t (id INTEGER, g VARCHAR COLLATE {collation})")


def test_a_view_that_compares_byte_by_byte_is_read(opened: Opened) -> None:
    toml = TABLE + 'location = "v"\ncolumns.g = { type = "text" }\n'
    filled = "CREATE TABLE t AS SELECT i AS id, CASE WHEN i < 50 THEN 'BERN' ELSE 'bern' END COLLATE NOCASE AS g"
    view = 'CREATE VIEW v AS SELECT id, g COLLATE "binary" AS g FROM t'
    with opened(toml, f"{filled} FROM range(100) AS r(i)", view) as session:
        rows = session.sql("SELECT g, COUNT(*) AS n FROM t GROUP BY g", epsilon=50, delta=1e-3).rows
    assert [row["g"] for row in rows] == ["BERN", "bern"]


def test_other_has_no_null_group_where_the_column_has_none(opened: Opened) -> None:
    for nullable, groups in (("", ["a", "rest"]), (", nullable = true", ["a", "rest", None])):
        toml = f'{TABLE}columns.g = {{ type = "text", values = ["a"], other = "rest"{nullable} }}\n'
        made = "CREATE OR REPLACE TABLE t AS SELECT i AS id, CAST(i AS VARCHAR) AS g FROM range(20) AS r(i)"
        with opened(toml, made) as session:
            rows = session.sql("SELECT g, COUNT(*) AS n FROM t GROUP BY g", epsilon=50).rows
            assert [row["g"] for row in rows] == groups


@pytest.mark.parametrize("kind", ["HUGEINT", "UBIGINT", "UHUGEINT"])
def test_whole_numbers_beyond_64_bits_are_the_bound(opened: Opened, kind: str) -> None:
    toml = TABLE + 'columns.x = { type = "integer", bounds = [0, 100] }\n'
    far = (1 << 64) - 1
    with opened(
        toml, f"CREATE TABLE t AS SELECT i AS id, CAST('{far}' AS {kind}) AS x FROM range(50) AS r(i)"
    ) as asked:
        assert asked.sql("SELECT AVG(x) AS a FROM t", epsilon=100).rows[0]["a"] > 95


def test_texts_of_files_beyond_64_bits_are_the_bound(tmp_path: Path) -> None:
    lines = [f"{n},{text}" for n, text in enumerate(["9" * 30, "1e30", "1e400", str(1 << 63)] * 20)]
    (tmp_path / "t.csv").write_text("\n".join(["id,x", *lines]) + "\n", encoding="utf-8")
    toml = 'csv = "t.csv"\ncolumns.x = { type = "integer", bounds = [0, 100] }\n'
    head = HEAD.replace('source = "duckdb:///d.duckdb"\n', "")
    (tmp_path / "c.toml").write_text(head + TABLE + toml, encoding="utf-8")
    with privet.connect(tmp_path / "c.toml", threads=1) as asked:
        assert asked.sql("SELECT AVG(x) AS a FROM t", epsilon=100).rows[0]["a"] > 95


@pytest.mark.parametrize("kind", ["TIMESTAMP", "DATE", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"])
@pytest.mark.parametrize("path", [False, True], ids=["unit", "path"])
def test_days_and_moments_beyond_the_calendar_are_nobody(opened: Opened, kind: str, path: bool) -> None:  # noqa: FBT001 - a case
    """Of some of them DuckDB cannot make a text, and is of no use after it has tried."""
    # as no statement writes them: those that a frame holds
    farthest = (2**31 - 1, 1 - 2**31, 2**31 - 2) if kind == "DATE" else (2**63 - 1, -(2**63) + 2, 2**62)
    unit = {"TIMESTAMP": "us", "TIMESTAMP_S": "s", "TIMESTAMP_MS": "ms", "TIMESTAMP_NS": "ns"}.get(kind)
    whole, arrow = (pa.int32(), pa.date32()) if unit is None else (pa.int64(), pa.timestamp(unit))
    far = pa.table({"k": pa.array([*range(40), *farthest], whole).cast(arrow), "id": range(43)})
    toml = (
        '[tables.s]\nunit_column = "id"\nunique = ["k"]\n[tables.t]\nunit_path = "k -> s.k -> id"\nrows_per_unit = 1\n'
    )
    made = [f"CREATE TABLE {name} (k {kind}, id BIGINT)" for name in "ts"]
    with opened(toml if path else TABLE.replace("id", "k"), *made, rows=far) as session:
        kept = 43 if kind == "TIMESTAMP_NS" else 40
        for _ in range(2):
            assert session.sql("SELECT COUNT(*) AS n FROM t", epsilon=40).rows[0]["n"] == kept


def test_kinds_of_units() -> None:
    assert unit_type("numeric") is unit_type("numeric(19,0)") is unit_type("numeric(10,-2)") is Type.TEXT
    assert unit_type("numeric(18,0)") is unit_type("DECIMAL(18)") is Type.INTEGER
    assert unit_kind("bigint") == unit_kind("DECIMAL(9,0)", Type.REAL) == "whole number"
    assert unit_kind("character(3)") != unit_kind("character varying(3)")
    assert unit_kind("DATE", Type.TIMESTAMP) == unit_kind("TIMESTAMP")
    assert unit_kind("REAL") != unit_kind("DOUBLE")
    assert unit_kind("VARCHAR", Type.DATE) is unit_kind("VARCHAR", Type.REAL) is unit_kind("citext") is None


ODD = (
    None, True, 0, -1, 1 << 63, 10**400, -0.0, 0.5, math.nan, math.inf, "", "2024-12-31", "infinity", "0044-03-15 (BC)",
    "2024-12-31 23:59:59.5", Decimal("1.50"), Decimal(10**30), Decimal("NaN"), Decimal("sNaN"), Decimal("-Infinity"),
    dt.date.min, dt.date.max, dt.datetime.max.replace(tzinfo=dt.timezone(dt.timedelta(hours=-5))), dt.time(1),
    dt.datetime(9999, 12, 31), dt.timedelta(1), UUID(int=1), b"\xff", [1], {"a": 1},  # noqa: DTZ001 - a wall clock
)  # fmt: skip


@pytest.mark.parametrize("kind", Type)
def test_every_value_of_an_engine_converts(kind: Type) -> None:
    """What raises an error here would do so after the charge, because of one row."""
    column = Column("k", Facts(kind))
    domains: tuple[tuple[Value, ...] | None, ...] = (None, ("2024-12-31", None, "x"), (0.0, 1))
    for domain in domains:
        for value in ODD:
            (key,) = keys_of((Key(column, Reference(column), domain),), (value,))
            assert key is None or isinstance(key, bool | int | float | str)
            assert key_array([key], column.facts).type == ARROW[kind]
    wild = np.array([math.nan, math.inf, -1e300, 1e300, 0.0])
    assert len(number_array(wild, kind, np.rint)) == len(wild)


def test_values_are_written_in_one_way() -> None:
    assert str(plain_value(-0.0)) == "0.0"
    assert plain_value(Decimal("2.00")) == 2
    assert plain_value(dt.datetime(2024, 1, 1, 5, tzinfo=dt.timezone(dt.timedelta(hours=5)))) == "2024-01-01 00:00:00"


def test_groups_come_in_an_order_of_their_own() -> None:
    groups: list[tuple[Value, ...]] = [(2, None), (None, "a"), (2, "b"), (10, "a"), (None, None), (2, "a")]
    orders = set()
    for seed in range(20):
        random.Random(seed).shuffle(groups)  # noqa: S311 - an order
        orders.add(tuple(in_order(groups)))
    assert orders == {((2, "a"), (2, "b"), (2, None), (10, "a"), (None, "a"), (None, None))}


@pytest.mark.parametrize("kind", [pa.uint64(), pa.timestamp("ns"), pa.decimal128(20, 0)])
def test_units_of_frames_are_never_rounded(kind: pa.DataType) -> None:
    ids = pa.array(range(300), pa.int64()).cast(kind, safe=False)
    frames: list[object] = [pa.table({"id": ids})]
    if pa.types.is_timestamp(kind):
        frames.append(frames[0].to_pandas())  # type: ignore[attr-defined] # a table
    for frame in frames:
        words = {"table": "t", "unit": "person", "unit_column": "id", "columns": {}}
        catalog = privet.Catalog.of(frame, limit=privet.Guarantee(1000), **words)  # type: ignore[arg-type] # as above
        with privet.connect(catalog, threads=1) as asked:
            assert abs(asked.sql("SELECT COUNT(*) AS n FROM t", epsilon=50).rows[0]["n"] - 300) < 3
