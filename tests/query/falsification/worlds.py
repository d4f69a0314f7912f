"""Worlds: a crowd of ordinary units, and visitors with the worst rows there can be. Neighbors differ in one visitor.

Nobody in the crowd has anything odd: what only a visitor's row sets off is then seen to be set off by it. All of the
crowd share their groups, so a group whose name follows the visitor moves by all of them.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pyarrow as pa

from privet.core import Unit
from privet.loss import Guarantee, Neighbors
from privet.query.catalog import Catalog, DeclaredTable, Step
from privet.query.plan.limits import Limits
from privet.query.scalars.facts import Facts, Type

Row = Mapping[str, Any]
FIRST, LAST = 19_723, 19_753  # January 2024
DAY, SECOND = 86_400_000_000, 1_000_000
ENDLESS, FOREVER = (1 << 31) - 1, (1 << 63) - 1  # how DuckDB writes an infinite date, and an infinite timestamp
NEVER = -FOREVER
# dates, in days; two that Python has not
YEAR_1 = -719_162
YEAR_9999 = 2_932_896
BEFORE = -800_000
BEYOND = 4_000_000
BASE = 1 << 53  # ids: beyond it reals have no room for odd numbers
CROWD = 3

COLUMNS: Mapping[str, Mapping[str, pa.DataType]] = {
    "t": {
        "id": pa.int64(),
        "num": pa.int64(),
        "whole": pa.int64(),
        "big": pa.int64(),
        "huge": pa.decimal128(38, 0),
        "cents": pa.decimal128(38, 10),
        "pay": pa.float64(),
        "free": pa.float64(),
        "small": pa.float32(),
        "kind": pa.string(),
        "word": pa.string(),
        "town": pa.string(),
        "flag": pa.bool_(),
        "day": pa.date32(),
        "late": pa.date32(),
        "moment": pa.timestamp("us"),
        "seen": pa.timestamp("us"),
    },
    "s": {"id": pa.int64(), "x": pa.int64(), "word": pa.string(), "day": pa.date32()},
    "p": {"num": pa.int64(), "y": pa.float64()},
    "c": {"word": pa.string(), "region": pa.string()},
}
ORDINARY: Row = {
    "whole": 5,
    "big": 7,
    "huge": 3,
    "cents": 1,
    "pay": 0.0,
    "free": 0.0,
    "small": 0.0,
    "kind": "a",
    "word": "bern",
    "town": "bern",
    "flag": True,
    "day": FIRST,
    "late": FIRST,
    "moment": FIRST * DAY,
    "seen": FIRST * DAY + SECOND // 2,
    "x": -100,
    "y": 0.0,
}
NOTHING: Row = dict.fromkeys(ORDINARY)
PUBLIC = ({"word": "bern", "region": "north"}, {"word": "genf", "region": "west"}, {"word": "BERN", "region": "west"})


def number(low: int, high: int, kind: Type = Type.INTEGER, *, nullable: bool = True) -> Facts:
    return Facts(kind, nullable=nullable, low=Fraction(low), high=Fraction(high))


FACTS: Mapping[str, Mapping[str, Facts]] = {
    "t": {
        "id": Facts(Type.INTEGER, nullable=False),
        "num": Facts(Type.INTEGER, nullable=False),
        "whole": number(-100, 100),
        "big": Facts(Type.INTEGER),
        "huge": Facts(Type.INTEGER),
        "cents": number(-100, 100, Type.REAL),
        "pay": number(-5000, 5000, Type.REAL, nullable=False),
        "free": Facts(Type.REAL),
        "small": Facts(Type.REAL),
        "kind": Facts(Type.TEXT, nullable=False, values=("a", "b"), other="else"),
        "word": Facts(Type.TEXT),
        "town": Facts(Type.TEXT),
        "flag": Facts(Type.BOOLEAN),
        "day": number(FIRST, LAST, Type.DATE, nullable=False),
        "late": Facts(Type.DATE),
        "moment": number(FIRST * 86_400, LAST * 86_400, Type.TIMESTAMP),
        "seen": Facts(Type.TIMESTAMP),
    },
    "s": {
        "id": Facts(Type.INTEGER, nullable=False),
        "x": number(-100, 100),
        "word": Facts(Type.TEXT),
        "day": number(FIRST, LAST, Type.DATE),
    },
    "p": {"num": Facts(Type.INTEGER, nullable=False), "y": number(-10, 10, Type.REAL)},
    "c": {"word": Facts(Type.TEXT), "region": Facts(Type.TEXT)},
}


def catalog(neighbors: Neighbors = Neighbors.ADD_REMOVE) -> Catalog:
    """The declarations that all worlds share."""
    few = Limits(groups_per_unit=3, rows_per_group=2)
    tables = (
        DeclaredTable("t", FACTS["t"], unit_column="id", limits=few, unique=frozenset({"num"})),
        DeclaredTable("s", FACTS["s"], unit_column="id", limits=Limits(rows_per_unit=2)),
        DeclaredTable("p", FACTS["p"], unit_column="id", unit_path=(Step("num", "t", "num"),)),
        DeclaredTable("c", FACTS["c"], public=True, unique=frozenset({"word"})),
    )
    return Catalog("worlds", Unit("person", neighbors), Guarantee(1000, "0.5"), {each.name: each for each in tables})


@dataclass(frozen=True)
class Part:
    """The rows of one unit: what differs from an ordinary row, in each table; p follows t row by row."""

    t: tuple[Row, ...] = ({},)
    s: tuple[Row, ...] = ({},)
    p: tuple[Row, ...] = ({},)
    raw: tuple[str, ...] = ()  # lines of a CSV file, as they are


def _same(*rows: Row) -> Part:
    return Part(rows, rows, rows)


def _each(values: tuple[Any, ...], *names: str) -> Part:
    return _same(*(dict.fromkeys(names, value) for value in values))


NUMBERS = ("whole", "big", "huge", "x")
REALS = ("pay", "free", "small", "y")
DATES = ("day", "late")
MOMENTS = ("moment", "seen")
TEXTS = ("kind", "word", "town")
MANY = 300
VISITORS: Mapping[str, Part] = {
    "ordinary": Part(),
    "nothing": _same(NOTHING),
    "minus zero": _each((-0.0,), *REALS),
    "odd reals": _each(
        (math.nan, math.inf, -math.inf, 5e-324, -5e-324, 1e308, -1.7976931348623157e308, 1e-310), *REALS
    ),
    "whole ends": _each((2**63 - 1, -(2**63), 2**62, -1, 0), *NUMBERS),
    "huge ends": _each((10**27, -(10**27), 2**64, 2**63), "huge", "cents"),
    "date ends": _each((ENDLESS, -ENDLESS, YEAR_1, YEAR_9999, BEFORE, BEYOND), *DATES),
    "moment ends": _each((FOREVER, NEVER, YEAR_1 * DAY, YEAR_9999 * DAY, BEFORE * DAY, BEYOND * DAY, 1), *MOMENTS),
    "other spelling": _each(("BERN", "Bern", "A", "bern "), *TEXTS),
    "odd texts": _each(
        ("", "be\0rn", "be\u0301rn", "b\u00e9rn", "\ufeffbern", "12", "1e400", "nan", "2024-01-01"), *TEXTS
    ),
    "long text": _each(("x" * 1_000_000,), *TEXTS),
    "broken text": _each((b"\xff\xfe", b"bern\xe2\x82", b"\xed\xa0\x80"), *TEXTS),
    "very many rows": _same(*({"whole": 100, "pay": 5000.0, "x": 100, "y": 10.0, "big": n % 9} for n in range(MANY))),
    "ties": _same({"pay": 0.0, "whole": 1}, {"pay": -0.0, "whole": 100}, {"pay": 0.0, "whole": -100}),
}
RAW: Mapping[str, Part] = {  # lines that no writer of CSV would write
    "open quote": Part((), (), (), ('9007199254740993,1,"Joe" said "hi\n',)),
    "too few": Part((), (), (), ("9007199254740993\n", "\n", ",\n")),
    "too many": Part((), (), (), ("9007199254740993,1,x,y,z,z,z\n",)),
    "odd bytes": Part((), (), (), ("9007199254740993,\0,\r\r,\udcff\n", '"\n')),
}


@dataclass(frozen=True)
class World:
    """Rows by table, in the order in which they are stored."""

    tables: Mapping[str, tuple[Row, ...]]
    raw: tuple[str, ...] = ()


def world(visitor: Part | None = None, *, first: bool = False, crowd: int = CROWD, at: int = BASE + 1) -> World:
    """The crowd, and a visitor before or after it."""
    units = {BASE + 2 * place: Part() for place in range(crowd)}
    parts = list(units.items())
    if visitor is not None:
        parts.insert(0 if first else len(parts), (at, visitor))
    rows: dict[str, list[Row]] = {"t": [], "s": [], "p": []}
    for unit, part in parts:
        numbers = [1000 * (unit - BASE) + place for place in range(max(len(part.t), len(part.p)))]
        rows["t"] += [{**ORDINARY, **row, "id": unit, "num": num} for num, row in zip(numbers, part.t, strict=False)]
        rows["s"] += [{**ORDINARY, **row, "id": unit} for row in part.s]
        rows["p"] += [{**ORDINARY, **row, "num": num} for num, row in zip(numbers, part.p, strict=False)]
    return World(
        {name: tuple(found) for name, found in rows.items()} | {"c": PUBLIC}, () if visitor is None else visitor.raw
    )
