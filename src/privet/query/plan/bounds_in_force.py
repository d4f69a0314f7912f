"""Bounds in force: where a statement's values are clipped, and to what. Nothing of it depends on data."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from privet.query.plan.aggregation import Aggregation
from privet.query.plan.relations import (
    Few,
    Filter,
    Group,
    Join,
    Project,
    Relation,
    Released,
    Table,
    Union,
    Values,
    Window,
    sources,
)
from privet.query.plan.statement import Aggregate
from privet.query.scalars.dates import iso_date, iso_timestamp
from privet.query.scalars.expressions import Call, Column, Expression, Reference, columns_in, facts_of
from privet.query.scalars.facts import Bound, Facts, Type

WHOLE = 10**15  # whole numbers up to here are written with all their digits


@dataclass(frozen=True)
class Clip:
    """Values that count as the nearest of two bounds where they lie outside.

    Args:
        name: what is clipped, as the analyst calls it.
        kind: the type of its values.
        low: the lower bound, or None if there is none.
        high: the upper bound.
        column: of a private table, clipped as it is read; None where the statement clips, or limits do.
        table: whose column it is.
    """

    name: str
    kind: Type
    low: Bound
    high: Bound
    column: Column | None = None
    table: str = ""

    @property
    def ends(self) -> tuple[str, str]:
        """The bounds for people."""
        return bound_text(self.low, self.kind), bound_text(self.high, self.kind)

    def __str__(self) -> str:
        return f"{self.name} [{', '.join(self.ends)}]"


def bound_text(bound: Bound, kind: Type) -> str:
    """A bound for people: a number, a day or a time.

    Example:
        >>> from fractions import Fraction
        >>> bound_text(Fraction(250000), Type.REAL), bound_text(Fraction(1, 2), Type.REAL), bound_text(None, Type.REAL)
        ('250000', '0.5', '…')
        >>> bound_text(Fraction(19723), Type.DATE)
        '2024-01-01'
    """
    if bound is None:
        return "…"
    if kind is Type.DATE:
        return iso_date(int(bound)) or "…"
    if kind is Type.TIMESTAMP:
        return iso_timestamp(bound) or "…"
    return str(int(bound)) if bound.denominator == 1 and abs(bound) <= WHOLE else f"{float(bound):.10g}"


def bounds_in_force(aggregates: Iterable[Aggregate]) -> tuple[Clip, ...]:
    """Every clip that values pass on their way into some aggregations, each once.

    Columns of private tables are clipped as they are read, whatever is done with them afterwards: added up, compared
    or grouped by. Bounds that a statement searches for are not among them.
    """
    found = [clip for aggregate in aggregates for clip in clips_of(aggregate)]
    return tuple({str(clip): clip for clip in _told_apart(found)}.values())


def clips_of(aggregate: Aggregate, *, compared: bool = True) -> list[Clip]:
    """The clips of one aggregation: of columns that it reads, and of what is computed from them.

    Args:
        aggregate: what is asked.
        compared: also of columns that are only compared, in WHERE and ON.
    """
    nodes = list(_nodes(aggregate.source))
    made: dict[Column, list[Expression]] = {}
    for node in nodes:
        for column, parts in _made_by(node):
            made.setdefault(column, []).extend(parts)
    read: dict[Column, None] = {}
    clips: list[Clip] = []
    left = [*_asked(aggregate), *(part for node in nodes if compared for part in _conditions(node))]
    while left:
        expression = left.pop()
        clips += _calls(expression)
        for column in columns_in(expression) - read.keys():
            read[column] = None
            left += made.get(column, [])
    return [*(clip for node in nodes if isinstance(node, Table) for clip in _stored(node, read)), *clips]


def _asked(aggregate: Aggregate) -> list[Expression]:
    return [*(key.expression for key in aggregate.keys), *(part for _, item in aggregate.items for part in item.parts)]


def _nodes(relation: Relation) -> Iterator[Relation]:
    for source in sources(relation):
        yield from _nodes(source)
    yield relation


def _made_by(relation: Relation) -> Iterator[tuple[Column, Sequence[Expression]]]:
    """What each column of a node is computed from."""
    match relation:
        case Filter() | Window():
            yield from ((new, [Reference(old)]) for new, old in relation.renewed)
            if isinstance(relation, Window):
                parts = list(relation.function.parts) if isinstance(relation.function, Aggregation) else []
                argument = [] if relation.argument is None else [relation.argument]
                order = [each for each, _ in relation.order]
                yield relation.item, [*parts, *argument, *relation.partition, *order]
        case Project() | Join():
            yield from ((column, [expression]) for column, expression in relation.items)
        case Group():
            yield from ((column, [expression]) for column, expression in relation.keys)
            yield from ((column, list(item.parts)) for column, item in relation.items)
        case Union():
            for place, column in enumerate(relation.columns):
                yield column, [Reference(source.columns[place]) for source in relation.sources]
        case Table() | Released() | Values() | Few():
            return
        case _:
            assert_never(relation)


def _conditions(relation: Relation) -> list[Expression]:
    condition = relation.condition if isinstance(relation, Filter | Join) else None
    return [] if condition is None else [condition]


def _stored(table: Table, read: dict[Column, None]) -> Iterator[Clip]:
    """The columns of a private table that are read and have bounds; its unit is never clipped."""
    if table.owner is None:
        return
    for column in table.columns:
        facts = column.facts
        if column in read and column not in table.owner.unit and _ends(facts) != (None, None):
            yield Clip(column.name, facts.type, *_ends(facts), column, table.name)


def _ends(facts: Facts) -> tuple[Bound, Bound]:
    return (None, None) if facts.type in {Type.TEXT, Type.BOOLEAN} else (facts.low, facts.high)


def _calls(expression: Expression) -> Iterator[Clip]:
    """CLIP in an expression: the analyst's, or of what limits leave of a unit."""
    if not isinstance(expression, Call):
        return
    for part in expression.arguments:
        yield from _calls(part)
    if expression.function == "clip":
        inner, low, high = expression.arguments
        name = inner.column.name if isinstance(inner, Reference) else "what is clipped"
        yield Clip(name, expression.facts.type, facts_of(low).low, facts_of(high).high)


def _told_apart(clips: list[Clip]) -> Iterator[Clip]:
    """The same with names that tell a column of a table from its namesakes, and from what CLIP makes of it."""
    stored: dict[str, set[tuple[Bound, Bound]]] = {}
    for clip in clips:
        if clip.column is not None:
            stored.setdefault(clip.name, set()).add((clip.low, clip.high))
    for clip in clips:
        if clip.column is None and clip.name in stored:
            yield replace(clip, name=f"CLIP({clip.name})")
        elif len(stored.get(clip.name, ())) > 1:
            yield replace(clip, name=f"{clip.table}.{clip.name}")
        else:
            yield clip
