"""ReleasedTable: what one paid stage gives, before the statement's own arithmetic is done with it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from privet.query.measures.noise_margin import Floats
from privet.query.measures.readings import Reading
from privet.query.pricing.priced import PricedStage
from privet.query.scalars.arrow_types import ARROW
from privet.query.scalars.dates import day_of, second_of
from privet.query.scalars.expressions import Column
from privet.query.scalars.facts import Facts, Type, Value

LARGEST = float(1 << 62)
REACH = {Type.DATE: (-719_162, 2_932_896), Type.TIMESTAMP: (-62_135_596_800, 253_402_300_799)}  # the years 1 to 9999


@dataclass(frozen=True)
class ReleasedTable:
    """Keys and aggregates, and the released numbers that these were read off.

    Args:
        stage: with its readings and mechanisms.
        columns: of the table, in its order.
        table: the values.
        numbers: of each draw, one row for each row of the table.
        first: how many released numbers the statement had before these, by which simulated noise is told apart.
    """

    stage: PricedStage
    columns: tuple[Column, ...]
    table: pa.Table
    numbers: tuple[Floats, ...]
    first: int = 0

    @property
    def cells(self) -> int:
        """How many released numbers it holds."""
        return sum(each.size for each in self.numbers)

    @property
    def readings(self) -> dict[Column, Reading]:
        """By the column that each is."""
        return {reading.column: reading for reading in self.stage.needs.readings}


def released_table(
    stage: PricedStage, groups: Sequence[tuple[Value, ...]], numbers: Sequence[Floats], *, first: int = 0
) -> ReleasedTable:
    """Read every column off the released numbers.

    Args:
        stage: with its readings.
        groups: the keys of each row.
        numbers: of each draw, one row for each group.
        first: how many released numbers the statement had before these.
    """
    keys = [key.column for key in stage.needs.aggregate.keys]
    arrays = [key_array([group[place] for group in groups], each.facts) for place, each in enumerate(keys)]
    arrays += [read_array(reading, numbers[reading.draw]) for reading in stage.needs.readings]
    columns = (*keys, *(reading.column for reading in stage.needs.readings))
    names = [f"c{place}" for place in range(len(columns))]
    table = pa.table(dict(zip(names, arrays, strict=True))) if arrays else pa.table({})
    return ReleasedTable(stage, columns, table, tuple(numbers), first)


def read_array(reading: Reading, numbers: Floats) -> pa.Array:
    """A column as it is shown."""
    return number_array(reading.values(numbers), reading.column.facts.type, np.rint)


def key_array(values: Sequence[Value], facts: Facts) -> pa.Array:
    """Keys as the engine's types; dates and timestamps are ISO texts until here. What does not fit the type is NULL."""
    return pa.array([_cell(value, facts.type) for value in values], ARROW[facts.type])


def _cell(value: Value, kind: Type) -> object:  # noqa: PLR0911 - one return for each type
    """A key as Arrow takes it for a type, whatever it is."""
    if value is None:
        return None
    match kind:
        case Type.TEXT:
            return str(value)
        case Type.BOOLEAN:
            return bool(value)
        case Type.DATE:
            return day_of(str(value)[: len("2024-12-31")])
        case Type.TIMESTAMP:
            second = second_of(str(value))
            return None if second is None else int(second * 10**6)
        case _ if isinstance(value, str) or (isinstance(value, int) and not -(1 << 63) <= value < 1 << 63):
            return None
        case Type.INTEGER:
            return int(value) if isinstance(value, int) else None
        case _:
            return float(value) + 0.0


def number_array(values: Floats, kind: Type, rounded: np.ufunc) -> pa.Array:
    """Numbers as the column's type: whole where it is, NaN as NULL; dates and timestamps from days and seconds."""
    missing = ~np.isfinite(values)
    if kind is Type.REAL:
        return pa.array(values, pa.float64(), mask=missing)
    whole = np.clip(rounded(np.where(missing, 0.0, values)), *REACH.get(kind, (-LARGEST, LARGEST))).astype(np.int64)
    if kind is Type.DATE:
        return pa.array(whole.astype(np.int32), pa.int32(), mask=missing).cast(pa.date32())
    if kind is Type.TIMESTAMP:
        return pa.array(whole, pa.int64(), mask=missing).cast(pa.timestamp("s")).cast(pa.timestamp("us"))
    if kind is Type.BOOLEAN:
        return pa.array(whole > 0, pa.bool_(), mask=missing)
    return pa.array(whole, pa.int64(), mask=missing)
