"""A catalog beside the engine's schema: what contradicts it, and what may be taken over from it. No row is read."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TypeAlias, TypeVar

from privet.errors import InvalidParameter
from privet.query.catalog.catalog import Catalog
from privet.query.catalog.declared_table import DeclaredTable
from privet.query.catalog.frame_columns import is_pandas
from privet.query.catalog.toml_file import ENDINGS
from privet.query.scalars.engine_types import readable_as, type_of
from privet.query.scalars.facts import Facts, Type
from privet.query.scalars.unit_types import unit_fix, unit_kind, unit_type
from privet.wording.nearest import nearest

Found = TypeVar("Found")
PARQUET = ENDINGS["parquet"]
COLLATE = " COLLATE"  # in an engine's type of texts: by a collation that calls some equal that differ
Schema: TypeAlias = Mapping[str, Mapping[str, str]]  # the engine's type of every column of every table


def contradictions(catalog: Catalog, schema: Schema) -> Iterator[str]:
    """Every declaration that the engine's schema does not bear out, as a sentence that begins with its place."""
    for name, table in catalog.tables.items():
        found = _found(schema, name)
        if found is None:
            where = f" {table.location}" if table.location else ""
            yield f"tables.{name}: the data has no such table{where}{nearest(name, schema)}"
            continue
        for word, column in _keys(table):
            if _found(found, column) is None:
                yield f"tables.{name}.{word}: the data has no column {column}{nearest(column, found)}"
        for column, facts in table.columns.items():
            engine = _found(found, column)
            place = f"tables.{name}.columns.{column}"
            if engine is None:
                yield f"{place}: the data has no such column{nearest(column, found)}"
            elif column == table.unit_column and not table.unit_path:
                yield from _unit(place, engine, facts.type, loose=_is_loose(catalog, table))
            elif not _read_as_declared(catalog, table, type_of(engine), facts.type):
                yield from _column(place, engine, facts)


def _keys(table: DeclaredTable) -> Iterator[tuple[str, str]]:
    """Columns that are named outside `columns`."""
    if table.unit_path:
        yield "unit_path", table.unit_path[0].column
    elif table.unit_column is not None:
        yield "unit_column", table.unit_column
    yield from (("unique", column) for column in sorted(table.unique))


def _column(place: str, engine: str, facts: Facts) -> Iterator[str]:
    kind = type_of(engine)
    if not readable_as(kind, facts.type):
        yield f"{place}: declared {facts.type.value}, but the data has {engine}: {_fix(engine, kind)}"


def _fix(engine: str, kind: Type | None) -> str:
    if kind is not None:
        return f'declare type = "{kind.value}"'
    if COLLATE in engine:
        return "there texts that differ are one; make a view in which it is compared byte by byte, or leave it out"
    return "leave it out, or convert it in the data"


def _unit(place: str, engine: str, declared: Type, *, loose: bool) -> Iterator[str]:
    """A unit that would be rounded, or be written in several ways."""
    exact = unit_kind(engine, declared) is not None
    kind = type_of(engine)
    if exact and (kind is not Type.TEXT or declared is kind or loose):
        return
    fix = _fix(engine, kind) if readable_as(unit_type(engine), kind or declared) else unit_fix(engine)
    yield f"{place}: declared {declared.value}, but the data has {engine}: {fix}"


def _is_loose(catalog: Catalog, table: DeclaredTable) -> bool:
    """Whether a text may be declared to be anything: each field of a CSV file, and of pandas, is read as declared."""
    if table.name in catalog.frames:
        return is_pandas(catalog.frames[table.name])
    return table.files is not None and not table.files.lower().endswith(PARQUET)


def _read_as_declared(catalog: Catalog, table: DeclaredTable, kind: Type | None, declared: Type) -> bool:
    """Whether what the data is does not matter; pandas makes real numbers of whole ones if one is missing."""
    real = table.name in catalog.frames and (kind, declared) == (Type.REAL, Type.INTEGER)
    return (kind is Type.TEXT or real) and _is_loose(catalog, table)


def completed(catalog: Catalog, schema: Schema) -> Catalog:
    """The catalog with what only the schema knows: types of unit columns, and the columns of public tables.

    Raises:
        InvalidParameter: if the schema contradicts it.
    """
    for problem in contradictions(catalog, schema):
        raise InvalidParameter(problem)
    tables = {name: _completed(table, _found(schema, name) or {}) for name, table in catalog.tables.items()}
    return replace(catalog, tables=tables)


def _completed(table: DeclaredTable, found: Mapping[str, str]) -> DeclaredTable:
    columns = dict(table.columns)
    if table.public:
        wanted = list(found) if not columns else []
    else:
        wanted = [] if table.unit_column is None or table.unit_path else [table.unit_column]
    for name in wanted:
        engine = _found(found, name) or ""
        kind = type_of(engine) if table.public else unit_type(engine)
        if name not in columns and kind is not None:
            columns[name] = Facts(kind)
    return replace(table, columns=columns)


def _found(names: Mapping[str, Found], name: str) -> Found | None:
    """What stands under a name, whatever its case."""
    if name in names:
        return names[name]
    return next((each for other, each in names.items() if other.casefold() == name.casefold()), None)
