"""A catalog of a frame that is in memory, declared in Python with the words of a catalog file."""

from collections.abc import Iterable, Mapping
from typing import Any, Unpack

from privet.core import Unit
from privet.errors import InvalidParameter
from privet.loss import Neighbors
from privet.loss.exact import whole
from privet.query.catalog.catalog import Catalog
from privet.query.catalog.column_words import facts_from
from privet.query.catalog.declared_table import DeclaredTable, TimeWindow
from privet.query.catalog.expected_words import expected_rows
from privet.query.catalog.frame_columns import columns_of
from privet.query.catalog.frame_snapshot import snapshot_of
from privet.query.catalog.frame_words import FrameWords
from privet.query.catalog.toml_file import ROW
from privet.query.catalog.word_reader import Words
from privet.query.plan.limits import Limit, limits_from
from privet.query.scalars.engine_types import type_of
from privet.query.scalars.facts import Facts, Type
from privet.wording.nearest import nearest


def catalog_of_frame(frame: object, **declared: Unpack[FrameWords]) -> Catalog:
    """The catalog of a pandas, polars, Arrow or Spark frame, or of whatever can be read as an Arrow table.

    Args:
        frame: the private rows; what is lazy is read once, now (`snapshot_of`).
        declared: see `FrameWords`; limit, unit and columns are needed, and unit_column unless the unit is "row".

    Privacy: types are read from the frame's schema, and nothing from its rows.

    Example:
        >>> import pyarrow as pa
        >>> from privet import Guarantee
        >>> people = pa.table({"id": [1, 2], "age": [34, 61], "city": ["Bern", "Genf"]})
        >>> catalog = Catalog.of(
        ...     people, table="people", unit="person", unit_column="id", limit=Guarantee(1),
        ...     columns={"age": {"bounds": [0, 110]}, "city": {"values": ["Basel", "Bern", "Genf"]}},
        ... )
        >>> catalog.tables["people"].columns["age"].type
        <Type.INTEGER: 'integer'>
    """
    for word in declared:
        if word not in FrameWords.__annotations__:
            known = nearest(word, FrameWords.__annotations__)
            raise InvalidParameter(f"Catalog.of does not take the keyword {word!r}{known}")
    for word in ("limit", "unit", "columns"):
        if word not in declared:
            raise InvalidParameter(f"{word} is missing: Catalog.of(frame, unit=…, unit_column=…, limit=…, columns=…)")
    name = declared.get("table", "data")
    unit = declared["unit"]
    frame = snapshot_of(frame)
    public = {each: snapshot_of(table) for each, table in declared.get("public", {}).items()}
    tables = {name: _private(frame, name, declared)}
    window = _window(declared)
    if window is not None:
        facts = tables[name].columns.get(window.column)
        unit = window.of(unit, days=facts is not None and facts.type is Type.DATE)
    tables |= {each: _public(table, each, declared.get("unique", ())) for each, table in public.items()}
    return Catalog(
        name=declared.get("name", name),
        unit=Unit(unit, declared.get("neighbors", Neighbors.ADD_REMOVE)),
        limit=declared["limit"],
        tables=tables,
        row_level=unit == ROW,
        window=window,
        analysts=declared.get("analysts", {}),
        budget=declared.get("budget"),
        ledger=declared.get("ledger"),
        anchor=declared.get("anchor"),
        frames={name: frame, **public},
    )


def _window(declared: FrameWords) -> TimeWindow | None:
    pair = declared.get("window")
    return None if pair is None else TimeWindow(pair[0], whole(pair[1], "the length of the window"))


def _words(words: object, place: str) -> Mapping[str, Any]:
    if not isinstance(words, Mapping):
        raise InvalidParameter(f'{place}: must be words such as {{"bounds": [0, 110]}}, got {type(words).__name__}')
    return words


def _private(frame: object, name: str, declared: FrameWords) -> DeclaredTable:
    found = frame_types(frame)
    if not found:
        raise InvalidParameter(f"tables.{name}: the frame has no columns: hand over one with rows about somebody")
    who = frame_types(frame, key=True)
    unit_column = declared.get("unit_column")
    columns: dict[str, Facts] = {}
    for column, words in declared["columns"].items():
        place = f"tables.{name}.columns.{column}"
        if column not in found:
            raise InvalidParameter(f"{place}: the frame has no such column{nearest(column, found)}")
        columns[column] = facts_from(
            _words(words, place), place, found=(who if column == unit_column else found)[column]
        )
    if unit_column is not None:
        if unit_column not in found:
            raise InvalidParameter(f"unit_column: the frame has no column {unit_column}{nearest(unit_column, found)}")
        if unit_column not in columns:
            columns[unit_column] = facts_from({}, f"tables.{name}.columns.{unit_column}", found=who[unit_column])
    rows, groups = (
        _limit(declared.get(word), f"tables.{name}.{word}") for word in ("rows_per_unit", "groups_per_unit")
    )
    each = declared.get("rows_per_group")
    unsaid = rows is groups is each is None
    way = declared.get("bounding")
    limits = limits_from(1 if unsaid else rows, groups, each, way, said=not unsaid)
    said = declared.get("expected")
    expected = expected_rows(Words({} if said is None else {"expected": said}, f"tables.{name}", ("expected",)))
    return DeclaredTable(name, columns, unit_column=unit_column, limits=limits, expected=expected)


def _limit(said: object, place: str) -> Limit:
    """A whole number, or that it is to be found."""
    if said is None or said == "auto":
        return None if said is None else "auto"
    if isinstance(said, bool) or not isinstance(said, int):
        raise InvalidParameter(f'{place}: must be a whole number from 1 on, or "auto", got {said!r:.80}')
    return said


def _public(frame: object, name: str, unique: Iterable[str]) -> DeclaredTable:
    columns = {column: Facts(kind) for column, kind in _public_types(frame).items() if kind is not None}
    once = frozenset(each.removeprefix(f"{name}.") for each in unique if each.startswith(f"{name}."))
    return DeclaredTable(name, columns, public=True, unique=once)


def frame_types(frame: Any, *, key: bool = False) -> dict[str, Type | None]:  # noqa: ANN401 - also of Spark
    """The type of every column of a frame where none is declared; None where it must be, or Privet does not read it.

    Args:
        frame: of pandas, polars, Arrow or Spark.
        key: whether as columns that say who a row is about.
    """
    if is_spark_frame(frame):
        return {name: type_of(kind.partition(" collate ")[0].removesuffix("_ntz")) for name, kind in frame.dtypes}
    return {name: (column.unit or column.key) if key else column.found for name, column in columns_of(frame).items()}


def _public_types(frame: object) -> dict[str, Type | None]:
    """The types of a public frame; of Python objects, text."""
    if is_spark_frame(frame):
        return frame_types(frame)
    return {name: column.public or column.key for name, column in columns_of(frame).items()}


def is_spark_frame(frame: object) -> bool:
    """Whether it is a frame of Spark's."""
    return type(frame).__module__.partition(".")[0] == "pyspark" and type(frame).__name__ == "DataFrame"
