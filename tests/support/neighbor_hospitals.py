"""Tiny hospitals with the worst rows there can be, and all their neighbors."""

import datetime as dt
import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from privet.core import Unit
from privet.loss import Neighbors
from privet.query.catalog import Catalog
from tests.support.hospital import CLINICS, CODES, HOSPITAL, by_day, row_level

Row = tuple[Any, ...]
EPOCH = dt.date(1970, 1, 1)
FIRST = (dt.date(2024, 3, 1) - EPOCH).days
ENDLESS = (1 << 31) - 1  # how DuckDB writes the date "infinity"
SHARED = 999  # a visit's number that several patients have, though it is declared to be unique
COLUMNS = {
    "patient": {
        "pid": pa.int64(),
        "age": pa.int32(),
        "sex": pa.string(),
        "zip": pa.string(),
        "smoker": pa.bool_(),
        "blood": pa.string(),
    },
    "visit": {
        "vid": pa.int64(),
        "pid": pa.int64(),
        "clinic": pa.string(),
        "cost": pa.float64(),
        "day": pa.date32(),
        "stay": pa.int32(),
        "note": pa.string(),
        "weight": pa.float64(),
    },
    "lab": {"vid": pa.int64(), "code": pa.string(), "result": pa.float64()},
    "clinic": {"clinic": pa.string(), "region": pa.string(), "beds": pa.int32()},
    "icd": {"code": pa.string(), "chapter": pa.string()},
}
PID, VISITOR, DAY = 0, 1, 4  # places of columns in a row of patients and of visits

_WHOLE = st.sampled_from([None, 0, 1, 17, 40, 66, 110, 111, -1, 2**31 - 1, -(2**31)])
_REAL = st.sampled_from(
    [None, 0.0, -0.0, 0.5, 25.0, 101.0, 4999.5, 5001.0, -3.7, 5e-324, 1e308, -1e308, math.inf, -math.inf, math.nan]
)
_TEXT = st.sampled_from([None, "", "A", "B", "fever", "é'\"\\|=", "1e400", "12", "999999999999999999999", "x" * 300])
_DAYS = st.sampled_from([None, *range(FIRST, FIRST + 6), FIRST + 200, 0, ENDLESS, -ENDLESS])
_PATIENT = st.tuples(
    _WHOLE,
    st.sampled_from([None, "F", "M", "F", "X"]),
    st.sampled_from([None, "1010", "1020", "abc", " 7 ", "9" * 30]),
    st.sampled_from([None, True, False]),
    st.sampled_from([None, "A", "0", "Z"]),
)
_VISIT = st.tuples(st.sampled_from([*"ABCD", "E", None, ""]), _REAL, _DAYS, _WHOLE, _TEXT, _REAL)
_LAB = st.tuples(st.sampled_from(["A00", "I10", "J45", None, "?"]), _REAL)


@dataclass(frozen=True)
class Part:
    """All rows of one unit: patients and visits without its name, labs under the number of one of its visits."""

    patients: tuple[Row, ...]
    visits: tuple[tuple[int | None, Row], ...]
    labs: tuple[tuple[int | None, Row], ...]


@dataclass(frozen=True)
class World:
    """A hospital: rows by table, in the order in which they are stored."""

    patient: tuple[Row, ...]
    visit: tuple[Row, ...]
    lab: tuple[Row, ...]

    def frames(self) -> dict[str, pa.Table]:
        """The tables as the engine reads them, the public ones among them."""
        rows = {"patient": self.patient, "visit": self.visit, "lab": self.lab, "clinic": CLINICS, "icd": CODES}
        return {name: _frame(COLUMNS[name], found) for name, found in rows.items()}

    def stored_otherwise(self) -> "World":
        """The same rows in another order: a dataset is a set."""
        return World(self.patient[::-1], self.visit[::-1], self.lab[::-1])


def _frame(kinds: dict[str, pa.DataType], rows: tuple[Row, ...]) -> pa.Table:
    columns = {}
    for place, (name, kind) in enumerate(kinds.items()):
        values = [row[place] for row in rows]
        columns[name] = pa.array(values, pa.int32()).cast(kind) if kind == pa.date32() else pa.array(values, kind)
    return pa.table(columns)


_OWN = st.sampled_from([None, 0, 1, 2])
_NUMBERS = _OWN | st.just(SHARED)


def parts(size: int = 4) -> st.SearchStrategy[Part]:
    """The rows of one unit."""
    return st.builds(
        Part,
        st.lists(_PATIENT, max_size=2).map(tuple),
        st.lists(st.tuples(_NUMBERS, _VISIT), max_size=size).map(tuple),
        st.lists(st.tuples(_OWN, _LAB), max_size=3).map(tuple),
    )


def world(units: dict[int | None, Part]) -> World:
    """The hospital of these units; None is nobody, whose rows are not read."""
    patients: list[Row] = []
    visits: list[Row] = []
    labs: list[Row] = [(SHARED, "A00", 3.0), (SHARED, "I10", -20.0)]
    for unit, part in units.items():
        patients += [(unit, *row) for row in part.patients]
        visits += [(_number(unit, number), unit, *row) for number, row in part.visits]
        labs += [(_number(unit, number), *row) for number, row in part.labs]
    return World(tuple(patients), tuple(visits), tuple(labs))


def _visit(
    number: int | None, clinic: str | None, cost: float | None, day: int | None, *more: object
) -> tuple[int | None, Row]:
    return number, (clinic, cost, day, *more, *(2, "fever", 60.0)[len(more) :])


CROWDED: dict[int | None, Part] = {
    1: Part(
        ((40, "F", "1010", True, "A"),),
        (
            _visit(0, "A", 100.0, FIRST),
            _visit(1, "B", math.inf, FIRST + 1),
            _visit(SHARED, "C", math.nan, FIRST + 2, 2**31 - 1),
            _visit(2, "A", 5e-324, FIRST),
        ),
        ((0, ("A00", 1e308)), (1, ("I10", math.nan)), (1, ("I10", 9.0))),
    ),
    2: Part(
        ((110, "M", "abc", None, "Z"), (111, "F", None, False, None)),
        (
            _visit(0, "D", -1e308, FIRST + 1),
            _visit(SHARED, "A", 4999.5, ENDLESS),
            _visit(None, None, None, None, None, None, None),
        ),
        ((0, ("J45", -10.0)),),
    ),
    3: Part((), (_visit(0, "A", 20.0, FIRST + 200, 110), _visit(0, "E", 30.0, FIRST + 200)), ()),
    None: Part(((7, "F", "1", True, "A"),), (_visit(0, "A", 50.0, FIRST),), ()),
}
ALONE: dict[int | None, Part] = {1: CROWDED[1]}
OTHER = Part(
    ((0, "X", "9" * 30, True, None),),
    (
        _visit(0, "B", -math.inf, FIRST + 3, -5),
        _visit(0, "D", 5000.0, FIRST + 4, 0, "é'\"\\"),
        _visit(1, "A", 0.0, FIRST),
    ),
    ((1, ("A00", 9.0)),),
)


def _number(unit: int | None, number: int | None) -> int | None:
    return number if number in {None, SHARED} else 10 * (unit or 0) + (number or 0)


def _pruned(found: World, before: World) -> World:
    """Without labs that led to a visit which is gone: they were of the unit that is."""
    here, there = {row[0] for row in found.visit}, {row[0] for row in before.visit}
    return replace(found, lab=tuple(row for row in found.lab if row[0] in here or row[0] not in there))


@dataclass(frozen=True)
class Setting:
    """A kind of unit, with its catalog and its neighbors."""

    name: str
    catalog: Catalog
    replaces: bool

    def neighbors(self, units: dict[int | None, Part], other: Part) -> Iterator[World]:
        """Every hospital that differs in one unit."""
        if self.catalog.row_level:
            yield from self._of_rows(world(units), other)
        elif self.catalog.window is not None:
            yield from self._of_days(world(units), other, self.catalog.window.length)
        else:
            yield from self._of_units(units, other)

    def _of_units(self, units: dict[int | None, Part], other: Part) -> Iterator[World]:
        here = world(units)
        for unit in units:
            if unit is None:
                continue
            if self.replaces:
                yield _pruned(world(units | {unit: other}), here)
            else:
                gone = World(
                    tuple(row for row in here.patient if row[PID] != unit),
                    tuple(row for row in here.visit if row[VISITOR] != unit),
                    here.lab,
                )
                yield _pruned(gone, here)

    def _of_rows(self, here: World, other: Part) -> Iterator[World]:
        """Every visit is a unit; where it is stored is nobody's."""
        for place in range(len(here.visit)):
            left = here.visit[:place] + here.visit[place + 1 :]
            if not self.replaces:
                yield replace(here, visit=left)
            for number, row in other.visits[:1] if self.replaces else ():
                yield replace(here, visit=(*left, (number, 1, *row)))

    def _of_days(self, here: World, other: Part, length: int) -> Iterator[World]:
        """What a patient did within so many days."""
        seen = {(row[VISITOR], row[DAY]) for row in here.visit if None not in (row[VISITOR], row[DAY])}
        for unit, day in sorted(seen):
            left = tuple(row for row in here.visit if row[VISITOR] != unit or not _within(row[DAY], day, length))
            if not self.replaces:
                yield replace(here, visit=left)
                continue
            days = itertools.cycle(range(day, day + length) if abs(day) < ENDLESS else (day,))
            new = tuple((number, unit, *row[: DAY - 2], next(days), *row[DAY - 1 :]) for number, row in other.visits)
            yield replace(here, visit=left + new)


def _within(day: int | None, first: int, length: int) -> bool:
    return day is not None and first <= day < first + length


def replacing(catalog: Catalog) -> Catalog:
    """The same where a unit is exchanged for another."""
    return replace(catalog, unit=Unit(catalog.unit.name, Neighbors.REPLACE))


_KINDS = {"units": HOSPITAL, "rows": row_level(), "days": by_day(3)}
SETTINGS = tuple(
    Setting(f"{name}, {relation}", replacing(catalog) if relation == "replaced" else catalog, relation == "replaced")
    for name, catalog in _KINDS.items()
    for relation in ("removed", "replaced")
)
