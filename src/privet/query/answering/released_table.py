"""ReleasedTable: what one paid stage gives, before the statement's own arithmetic is done with it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from privet.query.measures.noise_margin import Floats
from privet.query.plan.statement import Output
from privet.query.pricing.priced import PricedStage
from privet.query.scalars.arrow_types import ARROW
from privet.query.scalars.dates import day_of, second_of
from privet.query.scalars.expressions import Column, Reference
from privet.query.scalars.facts import Facts, Type, Value

LARGEST = float(1 << 62)
REACH = {Type.DATE: (-719_162, 2_932_896), Type.TIMESTAMP: (-62_135_596_800, 253_402_300_799)}  # the years 1 to 9999


@dataclass(frozen=True)
class ReleasedTable:
    """Keys, aggregates and the ends of their intervals.

    Args:
        columns: of the table, in its order.
        table: the values.
        intervals: for each aggregate that has an interval, the columns of its two ends.
    """

    columns: tuple[Column, ...]
    table: pa.Table
    intervals: dict[Column, tuple[Column, Column]]

    def with_intervals(self, output: Output) -> Output:
        """The output with x_low and x_high after every column x that is an aggregate as it was released."""
        if output.distinct:
            return output
        taken = {column.name for column, _ in output.items}
        items = []
        for column, expression in output.items:
            items.append((column, expression))
            ends = self.intervals.get(expression.column) if isinstance(expression, Reference) else None
            names = (f"{column.name}_low", f"{column.name}_high")
            if ends is not None and not taken & set(names):
                items += [(Column(name, end.facts), Reference(end)) for name, end in zip(names, ends, strict=True)]
        return replace(output, items=tuple(items))


def released_table(
    stage: PricedStage, groups: Sequence[tuple[Value, ...]], numbers: Sequence[Floats], *, confidence: float
) -> ReleasedTable:
    """Read every column off the released numbers.

    Args:
        stage: with its readings.
        groups: the keys of each row.
        numbers: of each draw, one row for each group.
        confidence: of the intervals.
    """
    aggregate = stage.needs.aggregate
    columns: list[Column] = [key.column for key in aggregate.keys]
    arrays = [key_array([group[place] for group in groups], each.facts) for place, each in enumerate(columns)]
    intervals = {}
    for reading in stage.needs.readings:
        mine = numbers[reading.draw]
        noise = stage.noise_of(reading.draw)
        columns.append(reading.column)
        arrays.append(number_array(reading.values(mine), reading.column.facts.type, np.rint))
        ends = None if noise is None else reading.interval(mine, noise, confidence)
        if ends is not None:
            facts = Facts(reading.column.facts.type)
            low, high = Column(f"{reading.column.name}_low", facts), Column(f"{reading.column.name}_high", facts)
            intervals[reading.column] = (low, high)
            columns += [low, high]
            arrays += [number_array(ends[0], facts.type, np.floor), number_array(ends[1], facts.type, np.ceil)]
    names = [f"c{place}" for place in range(len(columns))]
    table = pa.table(dict(zip(names, arrays, strict=True))) if arrays else pa.table({})
    return ReleasedTable(tuple(columns), table, intervals)


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


def is_number(value: object) -> bool:
    """Whether it can be shown as a number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
