"""The engine and what it can reach: its tables, and nothing else."""

import _thread
import datetime as dt
import threading
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privet.core import Unit
from privet.errors import InvalidParameter, ReleaseFailed
from privet.loss import Guarantee
from privet.query.backends.duckdb import DuckDBBackend
from privet.query.backends.duckdb.dialect import DuckDBDialect
from privet.query.backends.sql_engine import FAILED
from privet.query.catalog import Catalog, DeclaredTable, Step, TimeWindow
from privet.query.measures.request import Bounded, Measure, Shape, Span
from privet.query.plan.limits import Limits
from privet.query.plan.relations import Owner, Released, Table
from privet.query.plan.statement import Key
from privet.query.scalars.expressions import Column, Reference
from privet.query.scalars.facts import Facts, Type
from tests.support.bare_engine import execute

COLUMNS = {
    "city": Facts(Type.TEXT),
    "age": Facts(Type.INTEGER, low=Fraction(0), high=Fraction(100)),
    "pay": Facts(Type.REAL, low=Fraction(0), high=Fraction(10)),
}
ROWS = {
    "pid": [1, 1, 2, None],
    "city": ["a", "b", "a", "a"],
    "age": [30, 130, None, 5],
    "pay": [1.5, 2.0, float("nan"), 9.0],
}
FEW = Limits(rows_per_unit=2)


def catalog(folder: Path = Path(), **changes: object) -> Catalog:
    table = {"columns": COLUMNS, "unit_column": "pid", "limits": FEW} | {
        name: changes.pop(name) for name in ("columns", "files", "location", "unit_column") if name in changes
    }
    return Catalog(
        "test",
        Unit("person"),
        Guarantee(1),
        {"visit": DeclaredTable("visit", **table)},  # type: ignore[arg-type]
        folder=folder,
        **changes,  # type: ignore[arg-type]
    )


def visit(columns: Mapping[str, Facts] = COLUMNS) -> Table:
    made = tuple(Column(name, facts) for name, facts in columns.items())
    unit = Column("pid", Facts(Type.INTEGER))
    return Table("visit", (*made, unit), Owner((unit,), FEW))


def ages(table: Table, *, by_city: bool = True) -> Bounded:
    city, age, *_ = table.columns
    keys = (Key(city, Reference(city), ("a", "b")),) if by_city else ()
    measures = (Measure(Shape.ROWS), Measure(Shape.SUM, Reference(age), None, Span(Fraction(1), 0, 100)))
    return Bounded(table, keys, Limits(groups_per_unit=2, rows_per_group=2), measures, cap_groups=True)


EXPECTED = {("a",): ((2,), (30,)), ("b",): ((1,), (100,))}


@pytest.fixture(params=["duckdb", "parquet", "csv", "pandas", "polars", "arrow"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Catalog:
    table = pa.table(ROWS)
    match request.param:
        case "duckdb":
            with duckdb.connect(str(tmp_path / "data.duckdb")) as connection:
                connection.register("rows", table)
                connection.execute("CREATE TABLE visit AS FROM rows")
            return catalog(tmp_path, source="duckdb:///data.duckdb")
        case "parquet":
            pq.write_table(table.slice(0, 2), tmp_path / "one.parquet")
            pq.write_table(table.slice(2), tmp_path / "two.parquet")
            return catalog(tmp_path, files="*.parquet")
        case "csv":
            (tmp_path / "rows.csv").write_text("pid,city,age,pay\n1,a,30,1.5\n1,b,130,2.0\n2,a,,nan\n,a,5,9.0\n")
            return catalog(tmp_path, files="rows.csv", columns=COLUMNS | {"pid": Facts(Type.INTEGER)})
        case "pandas":
            return catalog(frames={"visit": pd.DataFrame(ROWS)})
        case "polars":
            return catalog(frames={"visit": pl.DataFrame(ROWS)})
        case _:
            return catalog(frames={"visit": table})


def test_every_kind_of_source_gives_the_same_sums(source: Catalog) -> None:
    backend = DuckDBBackend(source)
    assert dict(backend.sums(ages(visit())).groups) == EXPECTED
    assert set(backend.schema()["visit"]) == set(ROWS)
    backend.close()


@pytest.fixture
def backend() -> Iterator[DuckDBBackend]:
    made = DuckDBBackend(catalog(frames={"visit": pa.table(ROWS)}))
    yield made
    made.close()


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM glob('/*')",
        "ATTACH '/tmp/other.duckdb'",
        "COPY (SELECT 1) TO '/tmp/leak.csv'",
        "EXPORT DATABASE '/tmp/leak'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "LOAD '/tmp/evil.duckdb_extension'",
        "SELECT * FROM read_parquet('https://example.com/x.parquet')",
        "SET enable_external_access = true",
        "SET lock_configuration = false",
        "SET allowed_paths = ['/etc/passwd']",
        "PRAGMA enable_profiling",
        "SELECT * FROM leak_me",
    ],
)
def test_nothing_else_is_within_reach(backend: DuckDBBackend, statement: str) -> None:
    leak_me = pa.table({"a": [1]})
    with pytest.raises(duckdb.Error):
        backend._connection.execute(statement)
    assert leak_me.num_rows == 1


def test_a_database_is_opened_read_only(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "d.duckdb")) as connection:
        connection.execute("CREATE TABLE visit AS SELECT 1 AS pid, 'a' AS city, 1 AS age, 1.0::DOUBLE AS pay")
    backend = DuckDBBackend(catalog(tmp_path, source="duckdb:///d.duckdb"))
    with pytest.raises(duckdb.Error):
        backend._connection.execute("DELETE FROM visit")
    backend.close()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"source": "duckdb:///nothing.duckdb"}, "no such file"),
        ({"source": "duckdb:///text.duckdb"}, "no DuckDB database"),
        ({"source": "mysql://x"}, "duckdb:///"),
        ({"files": "*.parquet"}, "no file is called"),
        ({"files": "broken.parquet"}, "cannot be read"),
        ({"files": "twice.csv"}, "name every column once"),
        ({"files": "empty.csv"}, "name every column once"),
    ],
)
def test_a_source_that_is_not_there_is_refused_when_it_is_opened(
    tmp_path: Path, changes: dict[str, object], words: str
) -> None:
    (tmp_path / "text.duckdb").write_text("this is not a database, but a text that is long enough to be looked at")
    (tmp_path / "broken.parquet").parent.joinpath("broken.parquet.not").write_text("")
    (tmp_path / "twice.csv").write_text("a,a\n1,2\n")
    (tmp_path / "empty.csv").write_text("")
    if changes.get("files") == "broken.parquet":
        (tmp_path / "broken.parquet").write_text("PAR1 no")
    with pytest.raises(InvalidParameter, match=words):
        DuckDBBackend(catalog(tmp_path, **changes))


def test_units_of_different_types_are_refused() -> None:
    tables = {
        "visit": DeclaredTable("visit", COLUMNS, unit_column="pid", limits=FEW),
        "person": DeclaredTable("person", {}, unit_column="pid", limits=FEW),
    }
    frames = {"visit": pa.table(ROWS), "person": pa.table({"pid": ["1", "2"]})}
    with pytest.raises(InvalidParameter, match="one type in all tables"):
        DuckDBBackend(Catalog("t", Unit("person"), Guarantee(1), tables, frames=frames))


def test_an_error_of_the_engine_is_one_sentence(backend: DuckDBBackend) -> None:
    with pytest.raises(ReleaseFailed) as caught:
        backend._rows("SELECT CAST('secret' AS INTEGER)")
    assert str(caught.value) == FAILED
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


def test_a_missing_column_is_named_before_anything_is_asked(backend: DuckDBBackend) -> None:
    with pytest.raises(InvalidParameter, match="no column salary in table visit"):
        backend.sums(ages(visit(COLUMNS | {"salary": Facts(Type.REAL)})))


def test_an_empty_table_has_empty_sums() -> None:
    table = pa.table(ROWS).slice(0, 0)
    backend = DuckDBBackend(catalog(frames={"visit": table}))
    assert dict(backend.sums(ages(visit())).groups) == {}
    assert dict(backend.sums(ages(visit(), by_city=False)).groups) == {(): ((0,), (0,))}
    backend.close()


NAMES = ['"; DROP TABLE visit; --', "a'b", "back\\slash", "Größe 日本", "select", "a.b", "x" * 200]


@pytest.mark.parametrize("name", NAMES)
def test_names_of_tables_and_columns_are_only_names(tmp_path: Path, name: str) -> None:
    with duckdb.connect(str(tmp_path / "d.duckdb")) as connection:
        connection.register("given", pa.table({"unit": [1, 2], "age": [3, 4], "other": [1, 1]}))
        quoted = '"' + name.replace('"', '""') + '"'
        connection.execute(f"CREATE TABLE {quoted} AS SELECT unit, age AS {quoted} FROM given")  # noqa: S608 - a test
    facts = Facts(Type.INTEGER, low=Fraction(0), high=Fraction(9))
    tables = {name: DeclaredTable(name, {name: facts}, unit_column="unit", limits=FEW)}
    backend = DuckDBBackend(
        Catalog("t", Unit("person"), Guarantee(1), tables, source="duckdb:///d.duckdb", folder=tmp_path)
    )
    column = Column(name, facts)
    unit = Column("unit", Facts(Type.INTEGER))
    table = Table(name, (column, unit), Owner((unit,), FEW))
    measure = Measure(Shape.SUM, Reference(column), None, Span(Fraction(1), 0, 9))
    request = Bounded(table, (), FEW, (measure,), cap_groups=False)
    assert dict(backend.sums(request).groups) == {(): ((7,),)}
    backend.close()


def test_five_hundred_columns_are_read() -> None:
    columns = {f"c{n}": Facts(Type.INTEGER, low=Fraction(0), high=Fraction(9)) for n in range(500)}
    frame = pa.table({"pid": [1, 2]} | {name: [n % 5, 1] for n, name in enumerate(columns)})
    backend = DuckDBBackend(catalog(frames={"visit": frame}, columns=columns))
    table = visit(columns)
    measure = Measure(Shape.SUM, Reference(table.columns[499]), None, Span(Fraction(1), 0, 9))
    assert backend.sums(Bounded(table, (), FEW, (measure,), cap_groups=False)).groups[()] == ((5,),)
    backend.close()


def test_a_path_leads_to_the_unit_and_nowhere_is_left_out() -> None:
    tables = {
        "orders": DeclaredTable("orders", {}, unit_column="who", unique=frozenset({"id"}), limits=FEW),
        "line": DeclaredTable(
            "line", {"n": COLUMNS["age"]}, unit_column="who", unit_path=(Step("order_id", "orders", "id"),), limits=FEW
        ),
    }
    frames = {
        "orders": pa.table({"id": [1, 2, 3], "who": ["ann", "bob", None]}),
        "line": pa.table({"order_id": [1, 1, 1, 2, 3, 9, None], "n": [1, 1, 1, 5, 50, 60, 70]}),
    }
    backend = DuckDBBackend(Catalog("t", Unit("person"), Guarantee(1), tables, frames=frames))
    column = Column("n", COLUMNS["age"])
    unit = Column("who", Facts(Type.TEXT))
    table = Table("line", (column, unit), Owner((unit,), FEW))
    measure = Measure(Shape.SUM, Reference(column), None, Span(Fraction(1), 0, 100))
    sums = backend.sums(Bounded(table, (), FEW, (measure, Measure(Shape.UNITS)), cap_groups=False))
    assert sums.groups[()] == ((2 + 5,), (2,))  # three lines of one unit count as two
    backend.close()


@pytest.mark.parametrize("kind", ["frame", "database"])
def test_each_row_is_a_unit_of_its_own(tmp_path: Path, kind: str) -> None:
    tables = {"visit": DeclaredTable("visit", COLUMNS)}
    frame = pa.table(ROWS)
    where: dict[str, object] = {"frames": {"visit": frame}}
    if kind == "database":
        with duckdb.connect(str(tmp_path / "d.duckdb")) as connection:
            connection.register("given", frame)
            connection.execute("CREATE TABLE visit AS FROM given")
        where = {"source": "duckdb:///d.duckdb", "folder": tmp_path}
    backend = DuckDBBackend(Catalog("t", Unit("row"), Guarantee(1), tables, row_level=True, **where))  # type: ignore[arg-type]
    request = Bounded(
        visit(), (), Limits(rows_per_unit=1), (Measure(Shape.UNITS), Measure(Shape.ROWS)), cap_groups=False
    )
    assert backend.sums(request).groups[()] == ((4,), (4,))
    backend.close()


def test_a_unit_in_a_window_is_a_unit_and_a_day() -> None:
    columns = {"day": Facts(Type.DATE)}
    days = [dt.date(2024, 1, 1), dt.date(2024, 1, 1), dt.date(2024, 1, 2), None]
    frame = pa.table({"pid": [1, 1, 1, 1], "day": pa.array(days, pa.date32())})
    backend = DuckDBBackend(catalog(frames={"visit": frame}, columns=columns, window=TimeWindow("day", 7)))
    day = Column("day", columns["day"])
    unit = Column("pid", Facts(Type.INTEGER))
    when = Column("day", columns["day"])
    table = Table("visit", (day, unit, when), Owner((unit, when), FEW))
    request = Bounded(table, (), Limits(rows_per_unit=1), (Measure(Shape.UNITS), Measure(Shape.ROWS)), cap_groups=False)
    assert backend.sums(request).groups[()] == ((2,), (2,))
    backend.close()


def test_keys_that_are_dates_are_iso_texts_as_the_domain_writes_them() -> None:
    columns = {"day": Facts(Type.DATE), "at": Facts(Type.TIMESTAMP)}
    frame = pa.table({"pid": [1], "day": [dt.date(2024, 1, 2)], "at": [dt.datetime(2024, 1, 2, 3, 4)]})  # noqa: DTZ001 - local
    backend = DuckDBBackend(catalog(frames={"visit": frame}, columns=columns))
    table = visit(columns)
    day, at, _ = table.columns
    keys = (Key(day, Reference(day), None), Key(at, Reference(at), ("2024-01-02T03:04", None)))
    request = Bounded(table, keys, FEW, (Measure(Shape.ROWS),), cap_groups=True)
    assert list(backend.sums(request).groups) == [("2024-01-02", "2024-01-02T03:04")]
    backend.close()


@pytest.mark.parametrize("value", ["infinity", "-infinity", "290000-01-01"])
def test_dates_beyond_the_calendar_are_null(tmp_path: Path, value: str) -> None:
    with duckdb.connect(str(tmp_path / "d.duckdb")) as connection:
        connection.execute(f"CREATE TABLE visit AS SELECT 1 AS pid, '{value}'::DATE AS day, '{value}'::TIMESTAMP AS at")
    columns = {"day": Facts(Type.DATE), "at": Facts(Type.TIMESTAMP)}
    backend = DuckDBBackend(catalog(tmp_path, source="duckdb:///d.duckdb", columns=columns))
    table = visit(columns)
    keys = tuple(Key(column, Reference(column), None) for column in table.columns[:2])
    sums = backend.sums(Bounded(table, keys, FEW, (Measure(Shape.ROWS),), cap_groups=True))
    assert list(sums.groups) == [(None, None)]
    backend.close()


def test_released_tables_can_be_read_and_private_ones_cannot(backend: DuckDBBackend) -> None:
    column = Column("total", Facts(Type.REAL))
    relation = Released("first stage", (column,))
    table = backend.read(relation, {"first stage": pa.table({"x": [1.5, float("nan")]})})
    assert table.to_pydict() == {"total": [1.5, None]}
    with pytest.raises(InvalidParameter, match="public"):
        backend.read(visit(), {})


def test_sums_do_not_show_themselves(backend: DuckDBBackend) -> None:
    assert "30" not in repr(backend.sums(ages(visit())))


@pytest.mark.usefixtures("control_c")
def test_a_long_statement_ends_at_control_c(backend: DuckDBBackend) -> None:
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        backend._rows("SELECT SUM(a.range * b.range % 7) FROM range(4000000) a, range(4000000) b")
    timer.join()
    assert backend._rows("SELECT 1") == [(1,)]


def test_units_are_never_rounded_into_one(tmp_path: Path) -> None:
    """Two people whose ids are 1.2 and 1.4 would be one unit, and each could then move the other's share."""
    (tmp_path / "rows.csv").write_text("pid,city,age,pay\n1.2,a,30,1.5\n1.4,a,40,2.0\n1,a,50,2.0\n 2 ,a,60,2.0\n")
    made = catalog(tmp_path, files="rows.csv", columns=COLUMNS | {"pid": Facts(Type.INTEGER)})
    backend = DuckDBBackend(made)
    sums = backend.sums(ages(visit()))
    assert sum(sums.units.values()) == 2, "only 1 and 2 are whole numbers"
    backend.close()


@pytest.mark.parametrize("values", [["a", "", "é", "A", "a ", "x'y", "%", "null"], ["a", "b"], ["\0", *"abcdefgh"]])
def test_texts_are_among_others_as_with_in(values: list[str]) -> None:
    """Few texts, many, and one that no ENUM can hold."""
    found = pa.table({"k": [None, "a", "A", "á", "", " ", "a ", "x'y", "%", "\0", "null", "NULL", "h", "é", "e\u0301"]})
    text = DuckDBDialect().among("k", values, Type.TEXT)
    kept = [row[0] for row in execute(f"SELECT k FROM t WHERE {text}", t=found)]  # noqa: S608 - printed by us
    assert kept == [each for each in found["k"].to_pylist() if each in values]
