# ruff: noqa: S608 - names of this folder, values bound by the engine
"""Storage: a world as frames, files or a database, in any order of rows, opened through the front door."""

import csv
import io
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

import privet
from privet.query.catalog import Catalog
from privet.query.scalars.facts import Facts, Type
from privet.query.session import Session
from tests.query.falsification.worlds import BASE, COLUMNS, ENDLESS, FOREVER, Row, World, catalog

SQL: Mapping[str, str] = {"huge": "HUGEINT", "cents": "DECIMAL(38,10)"}
NOCASE = "VARCHAR COLLATE NOCASE"
KINDS = {
    "int64": "BIGINT",
    "double": "DOUBLE",
    "float": "FLOAT",
    "string": "VARCHAR",
    "bool": "BOOLEAN",
    "date32[day]": "DATE",
    "timestamp[us]": "TIMESTAMP",
}


@dataclass(frozen=True)
class Stored:
    """How a world is stored.

    Args:
        layout: one of LAYOUTS.
        ids: the engine's type of ids in t and in s, in a database.
        declared: what the catalog calls them; None if it does not say.
        towns: the engine's type of towns, in a database.
        shuffled: a seed for another order of rows.
        threads: of the engine.
        memory: of the engine.
    """

    layout: str = "frame"
    ids: tuple[str, str] = ("BIGINT", "BIGINT")
    declared: Type | None = Type.INTEGER
    towns: str = "VARCHAR"
    shuffled: int | None = None
    threads: int = 1
    memory: str | None = None

    def open(self, found: World, folder: Path, declared: Catalog | None = None) -> Session:
        """A session on a world."""
        facts = catalog() if declared is None else declared
        tables = {name: self.ordered(rows) for name, rows in found.tables.items()}
        here = LAYOUTS[self.layout](self, replace(found, tables=tables), folder, facts)
        return privet.connect(replace(here, folder=folder), threads=self.threads, memory=self.memory)

    def ordered(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        if self.shuffled is None:
            return tuple(rows)
        return tuple(random.Random(self.shuffled).sample(list(rows), len(rows)))  # noqa: S311 - invented data


def array(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """Values of a column; texts may be bytes that are none."""
    if pa.types.is_decimal(kind):
        values = [None if value is None else Decimal(value) for value in values]
    if pa.types.is_string(kind):
        raw = pa.array([value.encode() if isinstance(value, str) else value for value in values], pa.binary())
        return pa.Array.from_buffers(kind, len(raw), raw.buffers(), null_count=raw.null_count)
    if pa.types.is_date32(kind):
        return pa.array(values, pa.int32()).cast(kind)
    if pa.types.is_timestamp(kind):
        return pa.array(values, pa.int64()).cast(kind)
    return pa.array(values, kind)


def arrow(rows: Sequence[Row], name: str, without: Sequence[str] = ()) -> pa.Table:
    kinds = {column: kind for column, kind in COLUMNS[name].items() if column not in without}
    return pa.table({column: array([row[column] for row in rows], kind) for column, kind in kinds.items()})


def _lacking(facts: Catalog, *names: str) -> Catalog:
    """Without columns that a layout does not have."""
    tables = {
        name: replace(table, columns={each: fact for each, fact in table.columns.items() if each not in names})
        for name, table in facts.tables.items()
    }
    return replace(facts, tables=tables)


DECIMAL = ("huge",)  # Arrow has no such integers


def _frames(how: Stored, found: World, folder: Path, facts: Catalog) -> Catalog:
    del how, folder
    frames = {name: arrow(rows, name, DECIMAL) for name, rows in found.tables.items()}
    return replace(_lacking(facts, *DECIMAL), frames=frames)


def _pandas(how: Stored, found: World, folder: Path, facts: Catalog) -> Catalog:
    """As pandas reads them: whole numbers with a missing one are reals; texts and dates are objects."""
    frames: dict[str, Any] = {}
    for name, rows in found.tables.items():
        kept = [name for name, kind in COLUMNS[name].items() if str(kind) in {"int64", "double", "string", "bool"}]
        frames[name] = pd.DataFrame({each: _series([_plain(row[each]) for row in rows]) for each in kept})
    del how, folder
    lost = {
        name
        for kinds in COLUMNS.values()
        for name, kind in kinds.items()
        if str(kind) not in {"int64", "double", "string", "bool"}
    }
    return replace(_lacking(facts, *lost), frames=frames)


def _series(values: list[Any]) -> Any:  # noqa: ANN401 - of pandas
    """As pandas chooses; of halves of characters, which its texts cannot hold, somebody makes objects."""
    try:
        return pd.Series(values)
    except UnicodeEncodeError:
        return pd.Series(values, dtype=object)


def _plain(value: Any) -> Any:  # noqa: ANN401 - any cell
    return value.decode(errors="surrogateescape") if isinstance(value, bytes) else value


def _of_pandas(how: Stored, found: World, folder: Path, facts: Catalog) -> Catalog:
    """The same, declared by `Catalog.of`, which takes types from the frame."""
    made = _pandas(how, found, folder, facts)
    words: dict[str, Mapping[str, Any]] = {
        "whole": {"bounds": [-100, 100]},
        "pay": {"bounds": [-5000, 5000]},
        "big": {},
        "free": {},
        "word": {},
        "flag": {"type": "boolean"},
        "kind": {"values": ["a", "b"], "other": "else"},
    }
    return Catalog.of(made.frames["t"], table="t", unit="person", unit_column="id", limit=facts.limit, columns=words)


def _polars(how: Stored, found: World, folder: Path, facts: Catalog) -> Catalog:
    made = _frames(how, found, folder, facts)
    frames = {name: pl.from_arrow(frame) for name, frame in made.frames.items()}
    return replace(made, frames=frames)


def _parquet(how: Stored, found: World, folder: Path, facts: Catalog, files: int = 1) -> Catalog:
    del how
    tables = {}
    for name, table in facts.tables.items():
        rows = found.tables[name]
        for place in range(files):
            piece = arrow(rows[place::files], name, DECIMAL)
            pq.write_table(piece, folder / f"{name}{place}.parquet", row_group_size=10 if files > 1 else None)
        tables[name] = replace(table, files=f"{name}[0-9].parquet")
    return _lacking(replace(facts, tables=tables), *DECIMAL)


def _parquets(how: Stored, found: World, folder: Path, facts: Catalog) -> Catalog:
    return _parquet(how, found, folder, facts, files=3)


def line(values: Sequence[Any], kinds: Sequence[pa.DataType]) -> bytes:
    """A line of a CSV file, as a careful writer has it."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow([spelled(*each) for each in zip(values, kinds, strict=True)])
    return out.getvalue().encode(errors="surrogateescape")


@cache
def spelled(value: Any, kind: pa.DataType) -> str | None:  # noqa: ANN401 - any cell
    """A value as text; dates and moments beyond Python's as DuckDB writes them."""
    if value is None or isinstance(value, str | bytes):
        return _plain(value)  # type: ignore[no-any-return]
    if pa.types.is_date32(kind):
        if abs(value) == ENDLESS:
            return "infinity" if value > 0 else "-infinity"
        return str(duckdb.execute(f"SELECT (DATE '1970-01-01' + {value})::VARCHAR").fetchall()[0][0])
    if pa.types.is_timestamp(kind):
        if abs(value) == FOREVER:
            return "infinity" if value > 0 else "-infinity"
        return str(duckdb.execute(f"SELECT make_timestamp({value})::VARCHAR").fetchall()[0][0])
    return str(value)


def _csv(how: Stored, found: World, folder: Path, facts: Catalog, files: int = 1) -> Catalog:
    del how
    tables = {}
    for name, table in facts.tables.items():
        names = list(COLUMNS[name])
        for place in range(files):
            mine = names[::-1] if place else names  # the second file has its columns in another order
            lines = [
                line([row[each] for each in mine], [COLUMNS[name][each] for each in mine])
                for row in found.tables[name][place::files]
            ]
            if name == "t":
                lines[len(lines) // 2 : len(lines) // 2] = [each.encode(errors="surrogateescape") for each in found.raw]
            (folder / f"{name}{place}.csv").write_bytes(b"".join([(",".join(mine) + "\n").encode(), *lines]))
        tables[name] = replace(table, files=f"{name}[0-9].csv")
    return replace(facts, tables=tables)


def _csvs(how: Stored, found: World, folder: Path, facts: Catalog) -> Catalog:
    return _csv(how, found, folder, facts, files=2)


def _database(how: Stored, found: World, folder: Path, facts: Catalog) -> Catalog:
    (folder / "d.duckdb").unlink(missing_ok=True)
    ids = {"t": how.ids[0], "s": how.ids[1]}
    tables = dict(facts.tables)
    with duckdb.connect(str(folder / "d.duckdb")) as made:
        for name, kinds in COLUMNS.items():
            types = {column: SQL.get(column) or KINDS[str(kind)] for column, kind in kinds.items()}
            types |= {"town": how.towns} if name == "t" else {}
            if name in ids:
                types["id"] = ids[name]
                columns = {each: facts for each, facts in tables[name].columns.items() if each != "id"}
                if how.declared is not None:
                    columns["id"] = Facts(how.declared, nullable=False)
                tables[name] = replace(tables[name], columns=columns)
            made.execute(f"CREATE TABLE {name} ({', '.join(f'{column} {kind}' for column, kind in types.items())})")
            made.register("frame", arrow([_valid(row) for row in found.tables[name]], name))
            items = ", ".join(_converted(column, kind) for column, kind in types.items())
            made.execute(f"INSERT INTO {name} SELECT {items} FROM frame")
            made.unregister("frame")
    return replace(facts, tables=tables, source="duckdb:///d.duckdb")


def _valid(row: Row) -> Row:
    return {name: value.decode(errors="replace") if isinstance(value, bytes) else value for name, value in row.items()}


def _converted(column: str, kind: str) -> str:
    """An id as another type has it: times count in their smallest step, texts differ by case only."""
    if column != "id" or kind == "BIGINT":
        return column
    if kind.startswith("TIMESTAMP_NS"):
        return "make_timestamp_ns(id) AS id"
    if "COLLATE" in kind:
        return f"CASE WHEN id % 2 = 0 THEN 'u' || ((id - {BASE}) // 2) ELSE 'U0' END AS id"
    if kind.endswith(",2)") or "(10," in kind:
        return f"(id - {BASE})::{kind} AS id"
    return f"id::{kind.partition(' COLLATE')[0]} AS id"


LAYOUTS: Mapping[str, Callable[[Stored, World, Path, Catalog], Catalog]] = {
    "frame": _frames,
    "pandas": _pandas,
    "pandas, undeclared": _of_pandas,
    "polars": _polars,
    "parquet": _parquet,
    "parquets": _parquets,
    "csv": _csv,
    "csvs": _csvs,
    "database": _database,
}
