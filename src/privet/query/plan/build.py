"""Building: the making of plan nodes. Every owned node carries its unit's columns along, whatever the analyst named."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction

from privet.query.functions import call, cast
from privet.query.functions.logic import alternatives
from privet.query.plan.aggregation import Aggregation
from privet.query.plan.join_size import few, refuse_many_scans
from privet.query.plan.limits import ONE_ROW, STAND_IN, Limits
from privet.query.plan.provenance import Marks
from privet.query.plan.refine_facts import narrow
from privet.query.plan.relations import (
    Filter,
    Group,
    Join,
    JoinKind,
    Owner,
    Project,
    Ranking,
    Relation,
    Union,
    Window,
)
from privet.query.plan.window_frame import Frame
from privet.query.scalars.expressions import Column, Expression, Literal, Reference, facts_of
from privet.query.scalars.facts import Facts, Type

Renewal = dict[Column, Column]


def _owner(owner: Owner | None, renewal: Mapping[Column, Column]) -> Owner | None:
    return None if owner is None else Owner(tuple(renewal[column] for column in owner.unit), owner.limits)


def filtered(source: Relation, condition: Expression, *, marks: Marks) -> tuple[Filter, Renewal]:
    """The rows for which the condition is true, with what it tells."""
    known = narrow(condition)
    renewal = {old: marks.renewed(old, known.get(old)) for old in source.columns}
    pairs = tuple((new, old) for old, new in renewal.items())
    return Filter(source, condition, pairs, _owner(source.owner, renewal)), renewal


def projected(
    source: Relation, items: Iterable[tuple[str, Expression]], *, marks: Marks
) -> tuple[Project, tuple[Column, ...]]:
    """New columns; the unit's travel along unseen unless they are among them."""
    made = [(marks.computed(name, expression), expression) for name, expression in items]
    shown = tuple(column for column, _ in made)
    owner = None
    if source.owner is not None:
        unit = []
        for old in source.owner.unit:
            new = next((column for column, expression in made if expression == Reference(old)), None)
            if new is None:
                new = marks.renewed(old)
                made.append((new, Reference(old)))
            unit.append(new)
        owner = Owner(tuple(unit), source.owner.limits)
    return Project(source, tuple(made), owner), shown


def joined_limits(left: Owner | None, right: Owner | None) -> Limits:
    """What is used of one unit after a join: rows multiply if both sides are owned."""
    if left is None or right is None:
        owner = left or right
        return ONE_ROW if owner is None else owner.limits
    way = left.limits.bounding or right.limits.bounding
    if left.limits.rows == 1:
        return replace(right.limits, bounding=way)
    if right.limits.rows == 1:
        return replace(left.limits, bounding=way)
    found = left.limits.automatic or right.limits.automatic
    many = STAND_IN if found else left.limits.rows * right.limits.rows
    return Limits(rows_per_unit=many, bounding=way, automatic=found)


def joined(  # noqa: PLR0913 - the parts of one join
    left: Relation,
    right: Relation,
    kind: JoinKind,
    condition: Expression | None,
    *,
    marks: Marks,
    public_kept: bool = False,
) -> tuple[Join, Renewal]:
    """Pairs of rows; of two owned relations those of one unit. Where rows multiply, a public number of each unit's.

    With `public_kept` the values of the left side stay what they are, because groups are made of them, partner or not.
    """
    left, right = few(left, right, condition, marks)
    known = narrow(condition) if condition is not None else {}
    both = left.owner is not None and right.owner is not None
    renewal: Renewal = {}
    for side, others_kept in ((left, kind is JoinKind.FULL), (right, kind in {JoinKind.LEFT, JoinKind.FULL})):
        for old in side.columns:
            facts = old.facts
            whole = public_kept and side is left
            if not whole and (kind is JoinKind.INNER or (kind is JoinKind.LEFT and side is right)):
                facts = known.get(old, facts)
            renewal[old] = marks.renewed(old, facts.where(nullable=facts.nullable or others_kept))
            marks.joined(renewal[old])
            if both and others_kept and side.owner is not None and old in side.owner.unit:
                marks.unit_or_null.add(renewal[old])
    items: list[tuple[Column, Expression]] = [(new, Reference(old)) for old, new in renewal.items()]
    owner = _joined_owner(left, right, kind, renewal, items, marks)
    return Join(left, right, kind, condition, both, tuple(items), owner), renewal


def _joined_owner(  # noqa: PLR0913, PLR0917 - the parts of one join
    left: Relation,
    right: Relation,
    kind: JoinKind,
    renewal: Renewal,
    items: list[tuple[Column, Expression]],
    marks: Marks,
) -> Owner | None:
    """Who owns the pairs; where both sides are owned the two unit columns become one."""
    limits = joined_limits(left.owner, right.owner)
    if left.owner is None or right.owner is None:
        owner = _owner(left.owner or right.owner, renewal)
        return None if owner is None else Owner(owner.unit, limits)
    if kind is JoinKind.FULL:
        unit = []
        for a, b in zip(left.owner.unit, right.owner.unit, strict=True):
            either = call("coalesce", Reference(a), Reference(b))
            column = marks.computed(a.name, either)
            column = marks.renewed(column, column.facts.where(nullable=False))
            items.append((column, either))
            unit.append(column)
        return Owner(tuple(unit), limits)
    unit = [renewal[column] for column in left.owner.unit]
    if kind is JoinKind.INNER:  # both sides hold the same unit: one column stands for both
        for a, b in zip(left.owner.unit, right.owner.unit, strict=True):
            items[:] = [item for item in items if item[0] is not renewal[b]]
            renewal[b] = renewal[a]
    return Owner(tuple(unit), limits)


def united(
    parts: list[tuple[Relation, tuple[Column, ...]]], names: list[str], *, marks: Marks
) -> tuple[Union, tuple[Column, ...]]:
    """All rows of several relations whose shown columns correspond in place and have one type each."""
    refuse_many_scans([relation for relation, _ in parts], marks)
    rows = [[*shown, *_hidden_unit(relation, shown, parts)] for relation, shown in parts]
    aligned = []
    for (relation, _), columns in zip(parts, rows, strict=True):
        types = [_common_type([row[place].facts.type for row in rows]) for place in range(len(columns))]
        items = [(old.name, cast(Reference(old), type_)) for old, type_ in zip(columns, types, strict=True)]
        aligned.append(_exactly(relation, items, marks))
    merged = []
    for place in range(len(rows[0])):
        facts = [source.columns[place].facts for source in aligned]
        name = names[place] if place < len(names) else rows[0][place].name
        column = Column(name, alternatives(facts, null=any(one.nullable for one in facts)))
        if any(row[place] in marks.from_unit for row in rows):
            marks.from_unit.add(column)
        merged.append(column)
    owners = [source.owner for source in aligned]
    owner = None
    if owners[0] is not None:
        places = [aligned[0].columns.index(column) for column in owners[0].unit]
        owner = Owner(tuple(merged[place] for place in places), _united_limits(owners))
    return Union(tuple(aligned), tuple(merged), owner), tuple(merged[: len(names)])


def _united_limits(owners: list[Owner | None]) -> Limits:
    """What is used of one unit in all parts of a union."""
    limits = [one.limits for one in owners if one is not None]
    way = next((each.bounding for each in limits if each.bounding), None)
    if any(each.automatic for each in limits):
        return Limits(STAND_IN, bounding=way, automatic=True)
    return Limits(rows_per_unit=sum(each.rows for each in limits), bounding=way)


def _hidden_unit(
    relation: Relation, shown: tuple[Column, ...], parts: list[tuple[Relation, tuple[Column, ...]]]
) -> tuple[Column, ...]:
    """The unit's columns, unless every part shows them at the same places."""
    places = [
        [columns.index(unit) if unit in columns else -1 for unit in part.owner.unit] if part.owner else []
        for part, columns in parts
    ]
    if relation.owner is None or (all(one == places[0] for one in places) and -1 not in places[0]):
        return ()
    del shown
    return relation.owner.unit


def _exactly(relation: Relation, items: list[tuple[str, Expression]], marks: Marks) -> Project:
    """A projection onto exactly these; the last ones that are the unit's columns are taken as such."""
    made = tuple((marks.computed(name, expression), expression) for name, expression in items)
    owner = None
    if relation.owner is not None:
        last = {expression: column for column, expression in made}
        owner = Owner(tuple(last[Reference(old)] for old in relation.owner.unit), relation.owner.limits)
    return Project(relation, made, owner)


def _common_type(types: list[Type]) -> Type:
    found = set(types)
    if found == {Type.INTEGER, Type.REAL}:
        return Type.REAL
    return Type.TIMESTAMP if found == {Type.DATE, Type.TIMESTAMP} else types[0]


def grouped(
    source: Relation,
    keys: list[tuple[Column, Expression]],
    items: list[tuple[Column, Aggregation]],
    *,
    marks: Marks,
) -> Group:
    """Exact aggregates within each unit, or of a public relation."""
    owner = None
    if source.owner is not None:
        unit = tuple(
            next(column for column, expression in keys if expression == Reference(old)) for old in source.owner.unit
        )
        alone = len(keys) == len(unit)
        owner = Owner(unit, ONE_ROW if alone else source.owner.limits)
    elif len(keys) == 1:
        marks.unique.add(keys[0][0])
    return Group(source, tuple(keys), tuple(items), owner)


def distinct_units(source: Relation, *, marks: Marks) -> Group:
    """One row for each unit of an owned relation."""
    assert source.owner is not None  # noqa: S101 - asked of owned relations only
    keys: list[tuple[Column, Expression]] = [(marks.renewed(old), Reference(old)) for old in source.owner.unit]
    return grouped(source, keys, [], marks=marks)


def windowed(  # noqa: PLR0913 - the parts of one window
    source: Relation,
    item: Column,
    function: Ranking | Aggregation,
    *,
    argument: Expression | None,
    partition: tuple[Expression, ...],
    order: tuple[tuple[Expression, bool], ...],
    marks: Marks,
    number: int = 1,
    frame: Frame | None = None,
) -> tuple[Window, Renewal]:
    """One more column, computed within a unit."""
    renewal = {old: marks.renewed(old) for old in source.columns}
    pairs = tuple((new, old) for old, new in renewal.items())
    owner = _owner(source.owner, renewal)
    return Window(source, item, function, argument, partition, order, pairs, owner, number, frame), renewal


def clipped(column: Column, low: Fraction | None, high: Fraction | None) -> Expression:
    """A column whose values are held within bounds that follow from limits, so that they are facts."""
    facts: Facts = facts_of(Reference(column))
    if low is None or high is None or not facts.type.numeric:
        return Reference(column)
    ends = [Literal(int(end) if facts.type is Type.INTEGER else float(end), facts.type) for end in (low, high)]
    return call("clip", Reference(column), *ends)
