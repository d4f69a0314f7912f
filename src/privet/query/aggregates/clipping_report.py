"""Clipping report: shares of clipped values and of units over their limits, asked for beside a statement.

Two aggregations are added for each of the statement's own, over the same rows (after joins and WHERE), without groups:

* of rows: for each declared bound in force, the average of "a value was outside" (1 or 0; of no value nothing), under
  the limits of the statement, or one row of each unit if these are found first. It is the share, by weight, of the
  rows that were read with a value changed.
* of units: the average, over the units, of "has more than the limit allows", for rows and for groups; unless that
  limit is found first, which tells how many have more (`mechanisms/cap_choice.py`).

Privacy: both are averages of 0 and 1, as a statement could ask for if it could see values before they are clipped. They
    are priced, priced again from the engine's SQL, charged and drawn like its own aggregates.

Proof: of rows: whether a value lay outside is computed from its row alone, so the relation is the disjoint union of
    what each unit's rows give; an average of numbers in [0, 1] moves as every bounded average does
    (`measures/request.py`), however many rows were clipped. Of units: each unit gives one row, with a number in [0, 1]
    that depends on its own rows alone: sensitivity one. A count of dropped rows has none: one unit may drop a million.
"""

from dataclasses import replace

from privet.query.aggregates.rule import Added
from privet.query.aggregates.table import rule_of
from privet.query.functions import call, cast
from privet.query.plan.aggregation import Aggregation, Function
from privet.query.plan.bounds_in_force import clips_of
from privet.query.plan.build import grouped
from privet.query.plan.limits import ONE_ROW, Limits
from privet.query.plan.outside_bounds import with_outside
from privet.query.plan.provenance import Marks
from privet.query.plan.relations import Filter, Group, Project, Relation
from privet.query.plan.statement import Aggregate, Output, Report, Stage, Statement
from privet.query.scalars.expressions import Column, Expression, Literal, Reference
from privet.query.scalars.facts import Facts, Type

COUNTED = Facts(Type.INTEGER, nullable=False)


def reported(statement: Statement, *, row_level: bool = False) -> Statement:
    """The statement with the report before each of its aggregations.

    Args:
        statement: with its limits.
        row_level: whether every row is a unit, so that none has more than one.
    """
    stages: list[Stage] = []
    done: set[Aggregate] = set()
    for stage in statement.stages:
        source = stage.source
        if isinstance(source, Aggregate) and source not in done:
            done.add(source)
            stages += _stages(stage.name, source, row_level=row_level)
        stages.append(stage)
    return replace(statement, stages=tuple(stages))


def _stages(name: str, aggregate: Aggregate, *, row_level: bool) -> list[Stage]:
    found = []
    every = clips_of(aggregate, compared=False)
    clips = {str(clip): clip for clip in every}
    rows, outside = with_outside(aggregate.source, every)
    if outside:
        told = {f"{clips[clip].name} outside [{', '.join(clips[clip].ends)}]": each for clip, each in outside.items()}
        limits = ONE_ROW if aggregate.limits.automatic else aggregate.limits
        found.append(_stage(f"{name}:clipped", rows, told, limits, Report.ROWS))
    if not row_level and not one_row_each(aggregate.source) and not aggregate.limits.automatic:
        units, over = _over_limits(aggregate)
        if over:
            found.append(_stage(f"{name}:limits", units, over, ONE_ROW, Report.UNITS))
    return found


def _stage(name: str, source: Relation, shares: dict[str, Expression], limits: Limits, report: Report) -> Stage:
    """One average for each share; what each is of is its name."""
    items = []
    for words, holds in shares.items():
        share = Aggregation(Function.AVG, cast(holds, Type.INTEGER))
        facts = rule_of(share).facts
        items.append((Column(words, Facts(Type.REAL) if facts is None else facts(share)), share))
    shown = tuple((Column(column.name, column.facts), Reference(column)) for column, _ in items)
    return Stage(name, Aggregate(source, (), tuple(items), limits), Output(shown), report)


def one_row_each(relation: Relation) -> bool:
    """Whether every unit surely has one row at most: it was grouped by the unit alone."""
    if isinstance(relation, Filter | Project):
        return one_row_each(relation.source)
    return isinstance(relation, Group) and relation.owner is not None and len(relation.keys) == len(relation.owner.unit)


def _over_limits(aggregate: Aggregate) -> tuple[Relation, dict[str, Expression]]:
    """A relation with one row for each unit, and in what way it has more than counts."""
    limits = aggregate.limits
    added = [rule_of(item).added for _, item in aggregate.items]
    rows = any(not each <= {Added.UNITS, Added.DISTINCT} for each in added)
    by_units = aggregate.selects or any(Added.UNITS in each for each in added)
    groups = bool(aggregate.keys) and (limits.groups_per_unit is not None or by_units)
    in_all = limits.rows_per_unit is not None or not aggregate.keys
    counted, many = _counted(aggregate, in_groups=not in_all or (groups and not rows))
    over = {}
    if rows:
        where = "" if in_all else " in a group"
        over[f"more than {_number(limits.cap, 'row')}{where}"] = _more(many[0], limits.cap)
    if groups and not (rows and in_all):
        most = limits.groups_per_unit or limits.rows_per_unit or 1
        over[f"rows in more than {_number(most, 'group')}"] = _more(many[1], most)
    return counted, over


def _counted(aggregate: Aggregate, *, in_groups: bool) -> tuple[Relation, tuple[Column, Column]]:
    """One row for each unit, with how many rows it has, in its fullest group or in all, and in how many groups."""
    source = aggregate.source
    rows, groups = Column("rows", COUNTED), Column("groups", COUNTED)
    count = Aggregation(Function.COUNT_ROWS)
    if not in_groups:
        return grouped(source, _unit(source), [(rows, count), (groups, count)], marks=Marks()), (rows, groups)
    keys = [(Column(key.column.name, key.column.facts), key.expression) for key in aggregate.keys]
    cells = grouped(source, [*_unit(source), *keys], [(rows, count)], marks=Marks())
    fullest = Column("fullest", Facts(Type.INTEGER, nullable=True))
    items = [(fullest, Aggregation(Function.MAXIMUM, Reference(rows))), (groups, count)]
    return grouped(cells, _unit(cells), items, marks=Marks()), (fullest, groups)


def _unit(source: Relation) -> list[tuple[Column, Expression]]:
    unit = () if source.owner is None else source.owner.unit
    return [(Column(old.name, old.facts), Reference(old)) for old in unit]


def _more(column: Column, most: int) -> Expression:
    return call("gt", Reference(column), Literal(most, Type.INTEGER))


def _number(many: int, what: str) -> str:
    return f"{many:,} {what}" + ("s" if many > 1 else "")
