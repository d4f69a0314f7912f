"""Set operations: INTERSECT and EXCEPT, as a union whose rows are counted by side.

Rows are equal if they are in every column, NULLs too, which is how groups compare. Of units, the unit is among the
columns, so that a row is compared with rows of its own unit only.
"""

from dataclasses import replace

from sqlglot import exp

from privet.query.functions import call
from privet.query.plan.aggregation import Aggregation, Function
from privet.query.plan.build import filtered, grouped, projected, united, windowed
from privet.query.plan.relations import Owner, Ranking, Relation
from privet.query.scalars.expressions import Column, Expression, Literal, Reference
from privet.query.scalars.facts import Facts, Type
from privet.query.sql.context import Context
from privet.query.sql.name_scope import NameScope
from privet.query.sql.refuse import because

Part = tuple[Relation, tuple[Column, ...]]


def intersected(node: exp.SetOperation, parts: list[NameScope], context: Context) -> Part:
    """The rows of the first that the second has, or has not; with ALL each as often as is left."""
    owners = [part.relation.owner for part in parts]
    for part, owner in zip(parts, owners, strict=True):
        if owner is not None and not set(owner.unit) <= set(part.columns):
            raise because(node, "distinct unit", "select the unit's column in both, or write EXISTS")
    sides = [(part.relation, part.columns) for part in parts]
    if not node.args.get("distinct"):
        sides = [_numbered(relation, columns, context) for relation, columns in sides]
    tagged = [_tagged(*side, place, context) for place, side in enumerate(sides)]
    names = [name.name for name in parts[0].visible]
    names += [column.name for column in tagged[0][1][len(names) :]]
    both, columns = united(tagged, names, marks=context.marks)
    tag = Reference(columns[-1])
    keys: list[tuple[Column, Expression]] = []
    for column, old in zip(columns[:-1], sides[0][1], strict=True):
        same = column.facts.type is old.facts.type
        keys.append((context.marks.renewed(column, old.facts if same else None), Reference(column)))
    whole = Facts(Type.INTEGER, nullable=False)
    counts = [Column(word, whole) for word in ("here", "there")]
    wanted = [
        (column, Aggregation(Function.COUNT_ROWS, condition=call("eq", tag, Literal(place, Type.INTEGER))))
        for place, column in enumerate(counts)
    ]
    group = grouped(both, keys, wanted, marks=context.marks)
    if group.owner is not None and owners[0] is not None:
        group = replace(group, owner=Owner(group.owner.unit, owners[0].limits))  # it has no more rows than the first
    zero = Literal(0, Type.INTEGER)
    here, there = (call("gt", Reference(column), zero) for column in counts)
    kept = call("and", here, there if isinstance(node, exp.Intersect) else call("not", there))
    relation, renewal = filtered(group, kept, marks=context.marks)
    shown = len(parts[0].columns)
    return relation, tuple(renewal[column] for column, _ in keys[:shown])


def _numbered(relation: Relation, columns: tuple[Column, ...], context: Context) -> Part:
    """Equal rows told apart by a number, so that each meets one other."""
    number = Column("number", Facts(Type.INTEGER, nullable=False))
    by = tuple(Reference(column) for column in columns)
    made, renewal = windowed(
        relation,
        number,
        Ranking.ROW_NUMBER,
        argument=None,
        partition=by,
        order=((by[0], False),),
        marks=context.marks,
    )
    return made, (*(renewal[column] for column in columns), number)


def _tagged(relation: Relation, columns: tuple[Column, ...], side: int, context: Context) -> Part:
    """The rows with the number of their side."""
    items: list[tuple[str, Expression]] = [(column.name, Reference(column)) for column in columns]
    made, shown = projected(relation, [*items, ("side", Literal(side, Type.INTEGER))], marks=context.marks)
    return made, shown
