"""The first draft of a catalog: from the schema alone, with everything that only the owner knows left as a TODO."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from privet.errors import InvalidParameter
from privet.query.catalog.toml_file import ENDINGS
from privet.query.catalog.toml_text import text, word
from privet.query.drafting.found_table import FoundColumn, FoundTable
from privet.query.drafting.unit_candidates import unit_candidates
from privet.query.scalars.engine_types import type_of
from privet.query.scalars.facts import Type
from privet.query.scalars.unit_types import unit_type

HEAD = """\
# A draft of a catalog, made from the schema alone: no row was read.
# Fill in every TODO; `privet catalog check` says what is left and what each declaration unlocks.
"""
LOOKED = """\
# A draft of a catalog. Types that are "as seen" were read from private rows, because you asked for it: judge
# each of them before anybody else sees this file. Bounds are never read from rows: write what everybody knows.
# Fill in every TODO; `privet catalog check` says what is left and what each declaration unlocks.
"""
WHO = '# TODO: unit = "person"  # who is protected; "row" if every row is about somebody else'
HOW_MUCH = '# TODO: limit = { epsilon = "1", delta = "1e-6" }  # how much may be revealed about anybody, in all'
OWNER = "# TODO: unit_column = {}  # who a row is about{}; or unit_path, or public = true if it is about nobody"
NOBODY = (
    '# TODO: unit_column = "…"  # who a row is about: no name tells; left out with unit = "row", and with public = '
    "true if it is about nobody"
)
UNTYPED = "# CSV does not tell types: `--look` reads the rows for them, as their owner may."
ROWS = "# rows_per_unit = 1  # how many rows of one unit are used"
FRACTIONS = re.compile(r", ?[1-9][0-9]*\)")  # in the type of a decimal: digits after the point, which ids have none of
NUMBER = re.compile(r"\s*[+-]?[0-9]+([.,][0-9]+)?\s*")
YEAR = re.compile(r"(19|20)[0-9]{2}")  # columns may be called so
AS_UNIT = 'type = "{}"'
BOUNDS = "bounds = [lowest, highest]"
HINTS = {
    Type.INTEGER: f"TODO: {{}}: {BOUNDS}",
    Type.REAL: f"TODO: {{}}: {BOUNDS}",
    Type.DATE: f"TODO: {{}}: {BOUNDS}",
    Type.TIMESTAMP: f"TODO: {{}}: {BOUNDS}",
    Type.TEXT: 'values = ["…"] if all of them are known without looking at the data',
    Type.BOOLEAN: "",
}


def draft_catalog(data: str | Path, *, folder: Path | None = None, look: bool = False) -> str:
    """The text of a first draft.

    Args:
        data: a DuckDB database ("duckdb:///file" or the file), a Parquet or CSV file, a folder of such files, or a
            PostgreSQL database ("postgresql://user@host/database"); a password in it is not written down.
        folder: where the draft will be, so that paths can be relative to it; here by default.
        look: read the rows of CSV files for the types of columns, as their owner may.

    Privacy: reads the database's own schema, a Parquet file's footer, the first line of a CSV file; no row. With `look`
        what is drafted depends on rows, and says so: it is for the owner's eyes.
    """
    name, source, tables = found_tables(data, folder=folder, look=look)
    return _draft(name, source, tables, look=look and _is_files(data))


def found_tables(
    data: str | Path, *, folder: Path | None = None, look: bool = False
) -> tuple[str, str, list[FoundTable]]:
    """The name, the source and the tables of data, as its own schema has them; arguments and privacy as above."""
    if str(data).startswith(("postgresql://", "postgres://")):
        return _server(str(data))
    path = Path(str(data).removeprefix("duckdb:///"))
    if not path.exists():
        raise InvalidParameter(
            f"there is no file or folder {path}: name a DuckDB database, a Parquet or CSV file, or a folder of them"
        )
    here = os.path.relpath(path.resolve(), (folder or Path()).resolve())
    if path.is_dir():
        files = sorted(each for each in path.iterdir() if _kind(each) and each.is_file())
        if not files:
            raise InvalidParameter(f"{path} holds no .parquet or .csv file: name the folder of the data")
        tables = [_file(each, str(Path(here) / each.name), look=look) for each in files]
        return path.resolve().name, "", tables
    if _kind(path):
        return path.name.split(".")[0], "", [_file(path, here, look=look)]
    return path.stem, f"duckdb:///{here}", _database(path)


def _is_files(data: str | Path) -> bool:
    """Whether it is files, which may be looked at, and no database."""
    path = Path(str(data))
    return path.is_dir() or _kind(path) is not None


def _kind(path: Path) -> str | None:
    return next((kind for kind, endings in ENDINGS.items() if path.name.lower().endswith(endings)), None)


def _database(path: Path) -> list[FoundTable]:
    """The tables and views of a DuckDB file, as its own schema lists them."""
    try:
        with duckdb.connect(str(path), read_only=True) as base:
            columns = base.execute(
                "SELECT table_name, column_name, data_type, is_nullable = 'YES' FROM information_schema.columns "
                "WHERE table_catalog = current_database() AND table_schema = 'main' ORDER BY 1, ordinal_position"
            ).fetchall()
            keys = base.execute(
                "SELECT table_name, constraint_column_names[1] FROM duckdb_constraints() WHERE schema_name = 'main' "
                "AND constraint_type IN ('PRIMARY KEY', 'UNIQUE') AND len(constraint_column_names) = 1"
            ).fetchall()
            references = base.execute(
                "SELECT table_name, constraint_column_names[1], referenced_table, referenced_column_names[1] "
                "FROM duckdb_constraints() WHERE constraint_type = 'FOREIGN KEY' AND len(constraint_column_names) = 1"
            ).fetchall()
    except duckdb.Error:
        raise InvalidParameter(
            f"{path} cannot be opened as a DuckDB database: name one that nobody writes to, or a file that ends with "
            f"{', '.join(ending for endings in ENDINGS.values() for ending in endings)}"
        ) from None
    names = dict.fromkeys(table for table, *_ in columns)
    if not names:
        raise InvalidParameter(f"{path} holds no tables: name a database that has some")
    return [
        FoundTable(
            name,
            tuple(FoundColumn(*rest) for table, *rest in columns if table == name),
            tuple(sorted({column for table, column in keys if table == name})),
            tuple(sorted((column, other, key) for table, column, other, key in references if table == name)),
        )
        for name in names
    ]


def _server(source: str) -> tuple[str, str, list[FoundTable]]:
    from privet.query.backends.postgres.address import shown  # noqa: PLC0415 - its library is an extra
    from privet.query.drafting.server_tables import server_tables  # noqa: PLC0415 - the same

    name, tables = server_tables(source)
    return name, shown(source), tables


def _file(path: Path, here: str, *, look: bool) -> FoundTable:
    kind = _kind(path) or "csv"
    name = path.name.split(".")[0]
    if kind == "parquet":
        try:
            schema = pq.read_schema(path)
        except (OSError, ValueError):
            raise InvalidParameter(f"{path} is not a Parquet file: name one that is") from None
        columns = tuple(FoundColumn(each.name, _engine(each.type), each.nullable) for each in schema)
    else:
        columns = _csv_columns(name, path, look=look)
    return FoundTable(name, columns, files=(kind, here))


def _csv_columns(name: str, path: Path, *, look: bool) -> tuple[FoundColumn, ...]:
    from privet.query.backends.duckdb.csv_lines import header_of  # noqa: PLC0415 - it reads catalogs
    from privet.query.drafting.look import seen_types  # noqa: PLC0415 - the same

    names = header_of(name, str(path))
    if any(NUMBER.fullmatch(each) and not YEAR.fullmatch(each) for each in names):
        raise InvalidParameter(
            f"the first line of {path} has numbers in it, so it is rather a row than the names of columns: put a line "
            "with their names before it"
        )
    seen = seen_types(name, str(path)) if look else {}
    return tuple(FoundColumn(each, None, seen=seen.get(each)) for each in names)  # whoever has no values is unseen


def _engine(kind: Any) -> str:  # noqa: ANN401 - pyarrow has no types
    """An Arrow type in the engine's words, where they differ."""
    if pa.types.is_dictionary(kind):
        return _engine(kind.value_type)
    return f"DECIMAL({kind.precision},{kind.scale})" if pa.types.is_decimal(kind) else str(kind)


def _draft(name: str, source: str, tables: list[FoundTable], *, look: bool = False) -> str:
    lines = [LOOKED if look else HEAD, f"name = {text(name)}"]
    if source:
        lines.append(f"source = {text(source)}")
    lines += [WHO, HOW_MUCH]
    for table in tables:
        lines += _table(table)
    return "\n".join(lines) + "\n"


def _table(table: FoundTable) -> Iterator[str]:
    yield f"\n[tables.{word(table.name)}]"
    if table.files is not None:
        yield f"{table.files[0]} = {text(table.files[1])}"
    if table.location is not None:
        yield f"location = {text(table.location)}"
    yield _owner(table)
    for own, other, key in table.refers:
        yield f'# unit_path = "{own} -> {other}.{key} -> …"  # if {other} says who it is about'
    yield ROWS
    if table.unique:
        yield f"unique = [{', '.join(map(text, table.unique))}]"
    if all(column.engine is None and column.seen is None for column in table.columns):
        yield UNTYPED
    for column in table.columns:
        yield _column(column, hints=column.name not in table.unique)


def _owner(table: FoundTable) -> str:
    """Which columns may say who a row is about; by their names, as nothing else is known."""
    found = unit_candidates(column.name for column in table.columns)
    if not found:
        return NOBODY
    more = f" (or is it {' or '.join(found[1:])}?)" if found[1:] else ""
    return OWNER.format(text(found[0]), more)


def _column(column: FoundColumn, *, hints: bool) -> str:
    key = f"columns.{word(column.name)}"
    if column.engine is None:
        return _untyped(column, key)
    kind = type_of(column.engine)
    if kind is None:
        return f"# {key} is {' '.join(column.engine.split())[:40]}, which Privet does not read"
    null = ", nullable = true" if column.nullable else ""
    remarks = [HINTS[kind].format(column.name)] if hints and HINTS[kind] else []
    exact = unit_type(column.engine)
    if exact is not kind and not FRACTIONS.search(column.engine):  # as a unit it would be rounded, and is refused
        remarks.append("as unit_column: " + (AS_UNIT.format(exact.value) if exact else "convert it"))
    return f'{key} = {{ type = "{kind.value}"{null} }}' + (f"  # {'; '.join(remarks)}" if remarks else "")


def _untyped(column: FoundColumn, key: str) -> str:
    """A column of a CSV file, which does not tell its type."""
    if column.seen is None:
        return f'{key} = {{ type = "text" }}  # TODO: {column.name}: its type, and {BOUNDS} if it is a number'
    seen = "as seen, with spaces around values" if column.seen.spaced else "as seen"
    remarks = "; ".join(filter(None, (seen, HINTS[column.seen.type].format(column.name))))
    return f'{key} = {{ type = "{column.seen.type.value}" }}  # {remarks}'
