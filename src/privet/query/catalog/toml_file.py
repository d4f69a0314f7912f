"""A catalog as a TOML file; docs/catalog.md explains every word."""

import tomllib
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from privet.core import Unit
from privet.errors import InvalidParameter, PrivetError
from privet.query.catalog import text_files
from privet.query.catalog.catalog import Catalog
from privet.query.catalog.column_words import facts_from
from privet.query.catalog.declared_table import DeclaredTable, Step, TimeWindow
from privet.query.catalog.expected_words import expected_rows
from privet.query.catalog.unit_path import path_from
from privet.query.catalog.word_reader import EXAMPLES, TOP, Words
from privet.query.plan.limits import BOUNDING, ROWS_JOINED, UNSAID, Limits, limits_from
from privet.query.scalars.facts import Facts, Type

ROW = "row"  # the unit that needs no column
TABLE_WORDS = (
    "public",
    "unit_column",
    "unit_path",
    "rows_per_unit",
    "groups_per_unit",
    "rows_per_group",
    "bounding",
    "rows_joined_per_unit",
    "expected",
    "unique",
    "parquet",
    "csv",
    "location",
    "columns",
)
ENDINGS = {"parquet": (".parquet", ".pq"), "csv": text_files.ENDINGS}
LARGEST = 1 << 26  # bytes of a file that somebody could have written


def read_catalog(path: str | Path) -> Catalog:
    """The catalog in a TOML file.

    Args:
        path: of the file; other paths in it are relative to its folder.

    Raises:
        InvalidParameter: one sentence with the file, the place in it and the fix.
    """
    file = Path(path)
    text = _text_of(file)
    try:
        return catalog_from(text, folder=file.resolve().parent, stem=file.stem)
    except InvalidParameter as problem:
        raise InvalidParameter(f"{path}: {problem}") from None


def _is_folder(file: Path) -> bool:
    try:
        return file.is_dir()
    except (OSError, ValueError):  # a name that no file can have
        return False


def _text_of(file: Path) -> str:
    if _is_folder(file):
        raise InvalidParameter(f"{file} is a folder: name the catalog file in it, such as hospital.toml")
    try:
        with file.open("rb") as opened:
            content = opened.read(LARGEST + 1)
    except FileNotFoundError:
        raise InvalidParameter(f"there is no file {file}: draft one with `privet catalog draft DATA`") from None
    except IsADirectoryError:
        raise InvalidParameter(f"{file} is a folder: name the catalog file in it, such as hospital.toml") from None
    except (OSError, ValueError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else problem
        raise InvalidParameter(f"{file} cannot be read ({reason}): name another file") from None
    if len(content) > LARGEST:
        raise InvalidParameter(f"{file} is larger than 64 MB: that is not a catalog; name the TOML file")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = content[: problem.start].count(b"\n") + 1
        raise InvalidParameter(f"{file} is not UTF-8 text (line {line}): save it as UTF-8") from None


def catalog_from(text: str, *, folder: Path = Path(), stem: str = "catalog") -> Catalog:
    """The catalog that a TOML text declares.

    Args:
        text: TOML.
        folder: relative paths are relative to this.
        stem: the name of the file without its ending; its ledger is named after it.
    """
    try:
        found = tomllib.loads(text, parse_float=Decimal)
    except (tomllib.TOMLDecodeError, RecursionError) as problem:
        raise InvalidParameter(f"this is not TOML: {problem}") from None
    except (ArithmeticError, ValueError):
        raise InvalidParameter("a number in it is too long to be read: shorten it") from None
    if not found:
        raise InvalidParameter("the file is empty: draft one with `privet catalog draft DATA`")
    return _catalog(Words(found, "", TOP), folder, stem)


def _catalog(words: Words, folder: Path, stem: str) -> Catalog:
    for word, why in (("unit", 'who is protected, such as unit = "patient"'), ("limit", "how much may be revealed")):
        if word not in words:
            example = "" if word == "unit" else f", such as limit = {EXAMPLES['limit']}"
            raise InvalidParameter(f"{word} is missing: say {why}{example}")
    unit = str(words.text("unit", example='"patient"'))
    tables = {name: _table(name, each) for name, each in words.tables("tables").items()}
    window = _window(words) if "window" in words else None
    return Catalog(
        name=words.text("name", example='"hospital"') or stem,
        unit=_unit(words, unit, window, tables),
        limit=words.promise("limit"),
        tables=tables,
        source=words.text("source", example='"duckdb:///hospital.duckdb"') or "",
        row_level=unit == ROW,
        window=window,
        analysts=_analysts(words),
        budget=words.promise("budget") if "budget" in words else None,
        ledger=_ledger(words, folder, stem),
        anchor=None
        if (named := words.text("anchor", example='"/mnt/other/a.anchor"')) is None
        else str(folder / named),
        folder=folder,
    )


def _unit(words: Words, name: str, window: TimeWindow | None, tables: Mapping[str, DeclaredTable]) -> Unit:
    neighbors = words.text("neighbors", example='"add_remove"') or "add_remove"
    if window is not None:
        days = all(
            window.column in each.columns and each.columns[window.column].type is Type.DATE
            for each in tables.values()
            if not each.public
        )
        name = window.of(name, days=days)
    try:
        return Unit(name, neighbors)
    except PrivetError as problem:
        raise words.wrong("neighbors", str(problem)) from None


def _window(words: Words) -> TimeWindow:
    parts = Words(words.within("window"), "window", ("column", "length"))
    column = parts.text("column", example='"day"')
    length = parts.count("length")
    if column is None or length is None:
        raise words.wrong("window", f"give column and length, such as {EXAMPLES['window']}")
    return TimeWindow(column, length)


def _analysts(words: Words) -> dict[str, Any]:
    caps = {}
    for name, each in words.tables("analysts").items():
        parts = Words(each, f"analysts.{name}", ("limit",))
        if "limit" not in parts:
            raise InvalidParameter(f"analysts.{name}: how much may they learn: add limit = {EXAMPLES['limit']}")
        caps[name] = parts.promise("limit")
    return caps


def _ledger(words: Words, folder: Path, stem: str) -> str:
    named = words.text("ledger", example='"ledger.db"') or f"{stem}.ledger.db"
    if named.startswith(("postgresql://", "postgres://")):
        return named
    return str(folder / named.removeprefix("sqlite:///"))


def _table(name: str, table: Mapping[str, Any]) -> DeclaredTable:
    place = f"tables.{name}"
    words = Words(table, place, TABLE_WORDS)
    steps, unit_column = _owner(words)
    return DeclaredTable(
        name=name,
        columns=_columns(words, place),
        public=words.flag("public"),
        unit_column=unit_column,
        unit_path=steps,
        limits=_limits(words),
        unique=frozenset(words.texts("unique")),
        files=_files(words),
        location=words.text("location", example='"main.visits"'),
        rows_joined_per_unit=words.count("rows_joined_per_unit") or ROWS_JOINED,
        expected=expected_rows(words),
    )


def _owner(words: Words) -> tuple[tuple[Step, ...], str | None]:
    column, path = (words.text(word, example='"pid"') for word in ("unit_column", "unit_path"))
    if path is None:
        return (), column
    if column is not None:
        raise words.wrong("unit_path", "give unit_column or unit_path, not both: a path ends with the unit's column")
    if (found := path_from(path)) is None:
        raise words.wrong(
            "unit_path",
            f"must be written like order_id -> orders.id -> customer_id (names with dots or blanks in quotes), "
            f'got "{path}"',
        )
    return found


def _limits(words: Words) -> Limits:
    rows, groups = (words.limit(word) for word in ("rows_per_unit", "groups_per_unit"))
    each = words.count("rows_per_group")
    way = words.text("bounding", example='"sample"')
    if way is not None and way not in BOUNDING:
        raise words.wrong("bounding", f'must be "weigh" or "sample", got "{way}"')
    if rows is None and groups is None and each is None and way is None:
        return UNSAID
    if words.flag("public"):
        raise InvalidParameter(f"{words.place}: a public table has no units to limit: leave out its limits")
    unsaid = rows is groups is each is None
    return limits_from(1 if unsaid else rows, groups, each, way, said=not unsaid)


def _files(words: Words) -> str | None:
    found = None
    for kind, endings in ENDINGS.items():
        pattern = words.text(kind, example=f'"visits/*{endings[0]}"')
        if pattern is None:
            continue
        if found is not None or "location" in words:
            raise InvalidParameter(f"{words.place}: give one of parquet, csv and location")
        if not pattern.lower().endswith(endings):
            raise words.wrong(kind, f'must end with {" or ".join(endings)}, such as "visits/*{endings[0]}"')
        found = pattern
    return found


def _columns(words: Words, place: str) -> dict[str, Facts]:
    return {name: facts_from(each, f"{place}.columns.{name}") for name, each in words.tables("columns").items()}
