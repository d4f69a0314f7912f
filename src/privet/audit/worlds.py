"""Worlds: invented databases that differ in one unit, made of what a catalog declares, with rows made to break it.

A crowd of ordinary units has nothing odd; a visitor has, and is there or not. So what only a visitor's row sets off is
seen to be set off by it, and a group whose name follows the visitor moves by all of the crowd.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from privet.audit.world_rows import MANY, ORDINARY, OTHERS, OWN_KEY, STRANGE, Dice, Strange, pool
from privet.errors import InvalidParameter
from privet.loss import Neighbors

Row = Mapping[str, Any]
Tables = Mapping[str, Any]  # Arrow tables by name
Rows = dict[str, list[Row]]
BASE = 1 << 53  # ids: beyond it reals have no room for odd numbers
MOST_DRAWN = 6  # rows of a unit that is drawn by chance
CROWD = 20  # units: a group whose name follows the visitor moves by all of them, more than limits let one move
ORDINARY_VISITOR: Mapping[str, Strange] = {"ordinary": {}}


class Declared(Protocol):
    """What a catalog says of a dataset: `privet.Catalog` does."""

    @property
    def tables(self) -> Mapping[str, Any]:
        """By name: columns with their types, and whose rows they are."""

    @property
    def unit(self) -> Any:  # noqa: ANN401 - a Unit
        """Who is protected, under which neighbors."""


@dataclass(frozen=True, repr=False)
class World:
    """Two databases that differ in one unit.

    Args:
        name: what is special about that unit.
        one: Arrow tables by name.
        other: the same with the unit in it, before all others; or with another in its place.

    Example:
        >>> World("an empty name", one={}, other={})
        World(an empty name)
    """

    name: str
    one: Tables
    other: Tables

    def __repr__(self) -> str:
        return f"World({self.name})"


def worlds(catalog: Declared, *, crowd: int = CROWD, drawn: int = 0, seed: object = 0) -> Iterator[World]:
    """Neighboring databases worth a try, made of what a catalog declares. No data is read.

    Args:
        catalog: a `privet.Catalog`, or what declares tables as one does.
        crowd: how many ordinary units there are.
        drawn: so many worlds more, whose rows are drawn by chance, of the crowd too.
        seed: of those.

    Example:
        >>> import pyarrow as pa
        >>> from privet import Catalog, Guarantee
        >>> frame = pa.table({"id": [1], "city": ["bern"], "pay": [0.5]})
        >>> columns = {"city": {"type": "text"}, "pay": {"type": "real", "bounds": [0, 9]}}
        >>> declared = Catalog.of(frame, unit="person", unit_column="id", limit=Guarantee(1), columns=columns)
        >>> [world.name for world in worlds(declared)][:3]
        ['ordinary', 'nothing', 'minus zero']
    """
    if getattr(catalog, "window", None) is not None:
        raise InvalidParameter("worlds are not made for a catalog with a window of time: give pairs of your own")
    return _Maker(catalog, crowd)(drawn, seed)


@dataclass(frozen=True)
class _Maker:
    """Makes worlds of a catalog.

    Args:
        catalog: what is declared.
        crowd: how many ordinary units there are.
    """

    catalog: Any
    crowd: int
    _ids: tuple[int, ...] = field(default=(BASE + 1, BASE + 7, BASE - 7))

    def __call__(self, drawn: int, seed: object) -> Iterator[World]:
        plain = self._tables([self._ordinary(at) for at in self._crowd])
        for place, (name, rows) in enumerate(self._visitors()):
            at = self._ids[place % len(self._ids)]
            yield self._world(name, plain, [self._ordinary(each) for each in self._crowd], self._unit(at, rows))
        for turn in range(drawn):
            dice = Dice(f"{seed}/{turn}")
            others = [self._unit(at, self._by_chance(dice)) for at in self._crowd]
            visitor = self._unit(dice.of(self._ids), self._by_chance(dice))
            yield self._world(f"drawn {turn} of seed {seed}", self._tables(others), others, visitor)

    @cached_property
    def _crowd(self) -> list[int]:
        return [BASE + 2 * place for place in range(self.crowd)]

    @cached_property
    def _private(self) -> Mapping[str, Any]:
        return {name: table for name, table in self.catalog.tables.items() if not table.public}

    def _world(self, name: str, plain: Tables, others: list[Rows], visitor: Rows) -> World:
        other = self._tables([visitor, *others])
        if self.catalog.unit.neighbors is Neighbors.REPLACE:
            return World(name, self._tables([*others, self._ordinary(self._ids[0])]), other)
        return World(name, plain, other)

    # --- rows of units ------------------------------------------------------------------------------------------

    def _visitors(self) -> Iterator[tuple[str, dict[str, list[Row]]]]:
        """What is special about a unit, and what its rows are in each table, but for ids."""
        for name, values in {**ORDINARY_VISITOR, **STRANGE}.items():
            rows = {table: self._odd(declared, values) for table, declared in self._private.items()}
            if name == OWN_KEY:
                rows = {table: _declared(self._private[table], each) for table, each in rows.items()}
            yield name, rows
        if not getattr(self.catalog, "row_level", False):
            yield "very many rows", {table: self._many(declared) for table, declared in self._private.items()}
            for only in self._private if len(self._private) > 1 else ():
                yield f"only in {only}", {only: self._odd(self._private[only], {})}

    def _odd(self, table: Any, values: Strange) -> list[Row]:  # noqa: ANN401 - a declared table
        """One row for each odd value, in all columns of its type; one ordinary row if there is none."""
        kinds = {name: facts.type.value for name, facts in table.columns.items()}
        most = max((len(values.get(kind, ())) for kind in kinds.values()), default=0)
        one = getattr(self.catalog, "row_level", False)
        return [
            {name: some[place % len(some)] for name, kind in kinds.items() if (some := values.get(kind, ()))}
            for place in range(1 if one else max(most, 1))
        ]

    def _many(self, table: Any) -> list[Row]:  # noqa: ANN401 - a declared table
        """Many rows of large numbers, in several groups."""
        high = {name: int(facts.high) for name, facts in table.columns.items() if facts.high is not None}
        texts = [name for name, facts in table.columns.items() if facts.type.value == "text"]
        far = {name: 100 for name, facts in table.columns.items() if facts.type.value in {"integer", "real"}}
        return [{**far, **high, **dict.fromkeys(texts, f"group {place % 9}")} for place in range(MANY)]

    def _by_chance(self, dice: Dice) -> dict[str, list[Row]]:
        rows: dict[str, list[Row]] = {}
        for name, table in self._private.items():
            number = 1 if getattr(self.catalog, "row_level", False) else dice.below(MOST_DRAWN + 1)
            kinds = {column: facts.type.value for column, facts in table.columns.items()}
            rows[name] = [{column: dice.of(pool(kind)) for column, kind in kinds.items()} for _ in range(number)]
        return rows

    def _ordinary(self, at: int) -> Rows:
        return self._unit(at, {name: [{}] for name in self._private})

    def _unit(self, at: int, rows: Mapping[str, list[Row]]) -> Rows:
        """The rows of a unit with all their columns, ids, and the numbers of the rows that they are of."""
        found: Rows = {}
        for name, table in self._private.items():
            plain = {column: _plain(facts) for column, facts in table.columns.items()}
            own: list[Row] = []
            for place, odd in enumerate(rows.get(name, [])):
                row = {**plain, **odd, **{key: _typed(table, key, 1000 * (at - BASE) + place) for key in table.unique}}
                if table.unit_column is not None and not table.unit_path:
                    row[table.unit_column] = _typed(table, table.unit_column, at)
                own.append(row)
            found[name] = own
        for name, table in self._private.items():
            if table.unit_path:
                step = table.unit_path[0]
                keys = [row[step.key] for row in found.get(step.table, [])]
                linked = zip(found[name], keys * len(found[name]), strict=False)
                found[name] = [{**row, step.column: key} for row, key in linked]
        return found

    # --- tables ---------------------------------------------------------------------------------------------------

    def _tables(self, units: list[Rows]) -> Tables:
        rows = {name: [row for unit in units for row in unit[name]] for name in self._private}
        for name, table in self.catalog.tables.items():
            if table.public:
                rows[name] = [_public(table, place) for place in range(2)]
        return {name: _arrow(self.catalog.tables[name], found) for name, found in rows.items()}


def _plain(facts: Any) -> Any:  # noqa: ANN401 - the facts of a column
    """An ordinary value that is within what is declared."""
    kind = facts.type.value
    if facts.values:
        return facts.values[0]
    value = ORDINARY[kind]
    step = 1_000_000 if kind == "timestamp" else 1  # bounds of timestamps are in seconds
    if facts.low is not None:
        value = max(value, type(value)(facts.low * step))
    return value if facts.high is None else min(value, type(value)(facts.high * step))


def _declared(table: Any, rows: list[Row]) -> list[Row]:  # noqa: ANN401 - a declared table
    """Rows whose keys are the last that are declared, where some are: else they would count for nothing."""
    last = {name: facts.values[-1] for name, facts in table.columns.items() if facts.values}
    return [{**row, **last} for row in rows]


def _public(table: Any, place: int) -> Row:  # noqa: ANN401 - a declared table
    """The rows of a public table: the first has the crowd's values."""
    rows = {name: OTHERS[facts.type.value] if place else _plain(facts) for name, facts in table.columns.items()}
    return {**rows, **{key: rows.get(key, place) for key in table.unique}}


def _typed(table: Any, column: str, number: int) -> Any:  # noqa: ANN401 - a declared table; an id
    """A number as an id of the column's type."""
    facts = table.columns.get(column)
    kind = "integer" if facts is None else facts.type.value
    return f"unit {number}" if kind == "text" else float(number) if kind == "real" else number


def _arrow(table: Any, rows: list[Row]) -> Any:  # noqa: ANN401 - a declared table; an Arrow table
    """An Arrow table of these rows; texts may be bytes that are none."""
    import pyarrow as pa  # noqa: PLC0415 - only who makes worlds needs it

    kinds = {
        "integer": pa.int64(),
        "real": pa.float64(),
        "text": pa.string(),
        "boolean": pa.bool_(),
        "date": pa.date32(),
        "timestamp": pa.timestamp("us"),
    }
    names = {name: facts.type.value for name, facts in table.columns.items()}
    own = [table.unit_column] if table.unit_column and not table.unit_path else []
    for name in (*own, *table.unique, *(step.column for step in table.unit_path[:1])):
        names.setdefault(name, "integer")
    columns = {}
    for name, kind in names.items():
        values = [row.get(name) for row in rows]
        if kind == "text":
            raw = pa.array([each.encode() if isinstance(each, str) else each for each in values], pa.binary())
            columns[name] = pa.Array.from_buffers(kinds[kind], len(raw), raw.buffers(), null_count=raw.null_count)
        elif kind in {"date", "timestamp"}:
            columns[name] = pa.array(values, pa.int32() if kind == "date" else pa.int64()).cast(kinds[kind])
        else:
            columns[name] = pa.array(
                [float(each) if kind == "real" and each is not None else each for each in values], kinds[kind]
            )
    return pa.table(columns)
