"""CutOff: what limits and bounds are expected to cut off a number, foreseen from public numbers alone.

The owner may declare about how many rows and units a table has, and the mean and deviation of a column (`expected` in
a catalog). Between these and what is cut off stand assumptions about the data (`measures/assumed_data.py`, and here);
no guarantee rests on them, nor any interval:

* rows spread evenly over the groups.
* rows that are left out are like those that count: a COUNT lacks them, a SUM lacks the mean for each, an AVG nothing.
* values beyond their bounds take the same off an AVG as off each row of a SUM.

A condition takes rows away, and no unit then has more beyond its limit than before: what is foreseen is at most that.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from privet.mechanisms import Gaussian
from privet.mechanisms.least_noise import expected_error
from privet.query.catalog import DeclaredTable
from privet.query.measures.assumed_data import beyond_bounds, lost_share
from privet.query.measures.readings import Average, Count, Linear, Reading, Total
from privet.query.options import Options
from privet.query.plan.aggregation import Function
from privet.query.plan.relations import Filter, Project, Relation, Table, Window
from privet.query.plan.statement import Aggregate
from privet.query.pricing.priced import PricedStage
from privet.query.scalars.expressions import Call, Column, Expression, Reference, columns_in, facts_of
from privet.query.scalars.facts import ExpectedValues

ROWS = {Function.COUNT_ROWS, Function.COUNT, Function.SUM}  # what lacks rows that do not count
WORTH = 0.8  # of the error that is foreseen: another limit is told only if it leaves less than this
CAPS = sorted({round(2 ** (step / 4)) for step in range(4 * 20 + 1)})  # that are looked at: up to a million
FARTHER = [2 ** (step / 2) for step in range(1, 21)]  # times the upper bound: others that are looked at


@dataclass(frozen=True)
class CutOff:
    """What is expected to be cut off one number of a group.

    Args:
        by_limits: because rows of a unit beyond its limit do not count, in the unit of the number.
        by_bounds: because values beyond their bounds count as the nearest bound.
        share: of the rows that limits leave out.
        most: whether by_limits is rather less: a condition leaves only some of the rows.
        rows_per_unit: the limit that would err least, noise and all, where it is worth saying.
        upper: likewise the upper bound.
        then: the margin of the noise and what is cut off, together, if that were so.
    """

    by_limits: float
    by_bounds: float
    share: float = 0.0
    most: bool = False
    rows_per_unit: int | None = None
    upper: float | None = None
    then: float | None = None

    @property
    def total(self) -> float:
        """By both."""
        return self.by_limits + self.by_bounds


def cut_off(
    stage: PricedStage,
    reading: Reading,
    *,
    tables: Mapping[str, DeclaredTable],
    options: Options,
    margin: float | None,
) -> CutOff | None:
    """What is expected to be cut off a released column; None where public numbers do not tell.

    Args:
        stage: with its mechanisms.
        reading: of the column.
        tables: what is declared of them.
        options: which may say how many rows are expected in a group.
        margin: of the noise, if it is known beforehand.

    Privacy: from the statement and the catalog alone.
    """
    aggregate = stage.needs.aggregate
    item = dict(aggregate.items)[reading.column]
    values = None if isinstance(reading, Count) else values_expected(item.argument, aggregate.source)
    ends = _ends(item.argument)
    beyond = None if values is None or ends is None else beyond_bounds(values, *ends)
    if isinstance(reading, Average):
        return None if beyond is None else _wider(CutOff(0.0, abs(beyond)), values, ends, margin, 1.0)
    if not isinstance(reading, Count | Total) or item.function not in ROWS:
        return None
    rows = rows_expected(aggregate, tables=tables, options=options)
    each = None if aggregate.limits.automatic else rows_of_unit(aggregate.source, tables)
    value = 1.0 if isinstance(reading, Count) else _typical_value(values, ends)
    if rows is None or value is None or (each is None and beyond is None):
        return None
    share = 0.0 if each is None else lost_share(each, rows_that_count(aggregate))
    some = isinstance(reading, Count) and item.argument is not None  # NULL does not count
    most = some or item.condition is not None or has_condition(aggregate.source)
    lost = CutOff(rows * share * value, rows * abs(beyond or 0.0), share, most)
    if each is None or lost.by_bounds > max(lost.by_limits, margin or 0.0):
        return _wider(lost, values, ends, margin, rows)
    return _other_limit(lost, stage, reading, margin, each, rows * value)


def _other_limit(  # noqa: PLR0913, PLR0917 - the public numbers that it depends on
    lost: CutOff, stage: PricedStage, reading: Linear, margin: float | None, each: float, whole: float
) -> CutOff:
    """With the limit that would err least: by what it cuts off and the mean size of its noise, together.

    Noise grows with the rows that it must hide, in one group at worst, so that twice the limit is twice the noise.
    """
    aggregate = stage.needs.aggregate
    noise = stage.noise_of(reading.draw)
    if noise is None or margin is None or not whole:
        return lost
    limits = aggregate.limits
    groups = limits.rows / limits.cap if aggregate.keys else 1
    hidden = limits.cap * (math.sqrt(groups) if isinstance(noise, Gaussian) else groups)
    typical = expected_error(noise) * float(np.linalg.norm(reading.weights)) / hidden
    errors = {cap: cap * typical + whole * lost_share(each, cap) for cap in CAPS}
    best = min(errors, key=lambda cap: errors[cap])
    if errors[best] >= WORTH * (hidden * typical + lost.by_limits) or best == rows_that_count(aggregate):
        return lost
    then = margin / hidden * best + whole * lost_share(each, best) + lost.by_bounds
    return replace(lost, rows_per_unit=best, then=then)


def _wider(
    lost: CutOff, values: ExpectedValues | None, ends: tuple[float, float] | None, margin: float | None, rows: float
) -> CutOff:
    """With the upper bound that would err least: noise grows with the width of the bounds."""
    if values is None or ends is None or margin is None or ends[1] <= max(ends[0], 0.0):
        return lost
    low, high = ends
    errors = {
        high * far: margin * (high * far - low) / (high - low)
        + lost.by_limits
        + rows * abs(beyond_bounds(values, low, high * far) or 0.0)
        for far in FARTHER
    }
    best = min(errors, key=lambda upper: errors[upper])
    worth = errors[best] < WORTH * (margin + lost.total)
    return replace(lost, upper=best, then=errors[best]) if worth else lost


def _typical_value(values: ExpectedValues | None, ends: tuple[float, float] | None) -> float | None:
    """What a row adds on average: its expected mean, or else the middle of the bounds."""
    if values is not None:
        return abs(float(values.mean))
    return None if ends is None else abs(sum(ends)) / 2


def _ends(argument: Expression | None) -> tuple[float, float] | None:
    """The bounds of an argument; None if it has none, or they are still to be found."""
    facts = None if argument is None else facts_of(argument)
    return None if facts is None or facts.low is None or facts.high is None else (float(facts.low), float(facts.high))


def rows_expected(
    aggregate: Aggregate, *, tables: Mapping[str, DeclaredTable], options: Options, counted: bool = False
) -> float | None:
    """How many rows a group is expected to have, before conditions; None if nobody says.

    Args:
        aggregate: the groups.
        tables: what is declared of them.
        options: which may say it.
        counted: only those that limits let count.
    """
    if options.rows is not None:
        return float(options.rows)
    table = _stored(aggregate.source)
    declared = None if table is None else tables.get(table.name)
    if declared is None or declared.expected is None or aggregate.selects:
        return None
    rows = declared.expected.rows / math.prod(len(key.domain or ()) or 1 for key in aggregate.keys)
    each = None if aggregate.limits.automatic else rows_of_unit(aggregate.source, tables)
    return rows * (1 - lost_share(each, rows_that_count(aggregate))) if counted and each is not None else rows


def rows_of_unit(relation: Relation, tables: Mapping[str, DeclaredTable]) -> float | None:
    """How many rows a unit is expected to have, before conditions; None if nobody says, or rows were made anew."""
    table = _stored(relation)
    declared = None if table is None or table.owner is None else tables.get(table.name)
    if declared is None:
        return None
    if declared.unit_column is None or declared.unit_column in declared.unique:  # each row is somebody else's
        return 1.0
    expected = declared.expected
    return None if expected is None or expected.units is None else expected.rows / expected.units


def rows_that_count(aggregate: Aggregate) -> int:
    """Of each unit at most, in all groups."""
    return aggregate.limits.rows if aggregate.keys else aggregate.limits.cap


def values_expected(argument: Expression | None, relation: Relation) -> ExpectedValues | None:
    """What is expected of an argument that is a column of a table, perhaps clipped, which no condition is about."""
    if isinstance(argument, Call) and argument.function == "clip":
        argument = argument.arguments[0]
    column = argument.column if isinstance(argument, Reference) else None
    while column is not None:
        match relation:
            case Table():
                return column.facts.expected if column in relation.columns else None
            case Filter() | Window():
                column = _renewed(relation, column)
            case Project():
                made = dict(relation.items).get(column)
                column = made.column if isinstance(made, Reference) else None
            case _:
                return None
        relation = relation.source
    return None


def _renewed(relation: Filter | Window, column: Column) -> Column | None:
    old = dict(relation.renewed).get(column)
    return None if isinstance(relation, Filter) and old in columns_in(relation.condition) else old


def _stored(relation: Relation) -> Table | None:
    """The table whose rows these are, each once at most; None if they are made of others."""
    while isinstance(relation, Filter | Project | Window):
        relation = relation.source
    return relation if isinstance(relation, Table) else None


def has_condition(relation: Relation) -> bool:
    """Whether only some rows of a table are left."""
    return isinstance(relation, Filter) or (isinstance(relation, Project | Window) and has_condition(relation.source))
