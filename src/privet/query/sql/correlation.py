"""Correlation: what ties a subquery to the statement around it: equalities in its WHERE, taken apart.

Only equalities are taken, so that a row meets at most one row of the subquery once that is grouped by its side of
them: nothing multiplies, and what is found depends on one unit's rows if the unit is among what is compared.
"""

from dataclasses import dataclass, replace

from sqlglot import exp

from privet.errors import InvalidParameter
from privet.query.functions import call
from privet.query.plan.build import Renewal, joined
from privet.query.plan.limits import ONE_ROW
from privet.query.plan.relations import Group, JoinKind, Owner
from privet.query.scalars.expressions import Column, Expression, Reference
from privet.query.sql.context import Context
from privet.query.sql.name_scope import NameScope
from privet.query.sql.refuse import because, refuse
from privet.query.sql.scalar_expressions import Scalars

Pair = tuple[Expression, Expression]


@dataclass(frozen=True)
class Correlation:
    """Rows of a subquery, and what of them is compared with the statement around it.

    Args:
        rows: those that satisfy the conditions which are the subquery's own.
        pairs: an expression of the statement around it, and the one of the rows that equals it.
    """

    rows: NameScope
    pairs: tuple[Pair, ...]


def correlated(node: exp.Expr, outer: NameScope, rows: NameScope, apart: list[exp.Expr]) -> Correlation:
    """Take the conditions apart that a subquery shares with the statement around it."""
    return Correlation(rows, tuple(_pair(node, part, outer, rows) for part in apart))


def _pair(node: exp.Expr, part: exp.Expr, outer: NameScope, rows: NameScope) -> Pair:
    if isinstance(part, exp.EQ):
        for one, other in ((part.this, part.expression), (part.expression, part.this)):
            if _all_of(one, rows) and not _any_of(other, rows):
                inner, around = Scalars(rows, _nothing).read(one), Scalars(outer, _nothing).read(other)
                try:
                    call("eq", around, inner)
                except InvalidParameter as error:
                    raise refuse(part, str(error)) from None
                return around, inner
    raise because(part if part.find(exp.Column) else node, "correlated")


def _all_of(node: exp.Expr, scope: NameScope) -> bool:
    columns = list(node.find_all(exp.Column))
    return bool(columns) and all(scope.candidates(column) for column in columns)


def _any_of(node: exp.Expr, scope: NameScope) -> bool:
    return any(scope.candidates(column) for column in node.find_all(exp.Column))


def _nothing(node: exp.Expr) -> None:
    """No node means anything special in such a condition."""
    del node


def refuse_other_units(node: exp.Expr, outer: NameScope, found: Correlation, context: Context) -> None:
    """Raise unless a subquery about units is about those of the row it stands in."""
    around, inside = outer.relation.owner, found.rows.relation.owner
    if inside is None:
        return
    if around is None:
        raise because(node, "exists", "aggregate the private table in a CTE first")
    if context.catalog.row_level:
        raise because(node, "row level", "compare with public tables only")
    for one, other in zip(around.unit, inside.unit, strict=False):
        if (Reference(one), Reference(other)) not in found.pairs:
            fix = f"add AND {found.rows.spoken(other)} = {outer.spoken(one)} to its WHERE"
            raise because(node, "exists", fix)
    if len(around.unit) != len(inside.unit):
        raise because(node, "exists")


def by_pairs(found: Correlation, context: Context) -> tuple[list[tuple[Column, Expression]], tuple[Pair, ...]]:
    """A key for what each pair compares, and the pairs with that key in the place of what it stands for."""
    keys: list[tuple[Column, Expression]] = []
    pairs = []
    for around, inner in found.pairs:
        key = next((column for column, expression in keys if expression == inner), None)
        if key is None:
            key = context.marks.computed("key", inner)
            keys.append((key, inner))
        pairs.append((around, Reference(key)))
    return keys, tuple(pairs)


def met(outer: NameScope, group: Group, pairs: tuple[Pair, ...], context: Context) -> tuple[NameScope, Renewal]:
    """Each row of the statement around it, with the one row of the group that its side of the pairs equals, or NULLs.

    A group has one row for each value of its keys, and all of them are compared, so that no row is repeated: what is
    used of a unit stays what it was.
    """
    owner = None if group.owner is None else Owner(group.owner.unit, ONE_ROW)
    group = replace(group, owner=owner)
    same: set[Pair] = set()
    if outer.relation.owner is not None and owner is not None:
        units = zip(outer.relation.owner.unit, owner.unit, strict=True)
        same = {(Reference(one), Reference(other)) for one, other in units}
    parts = [call("eq", around, inner) for around, inner in pairs if (around, inner) not in same]
    kind = JoinKind.LEFT if pairs else JoinKind.CROSS
    condition = None if not parts else parts[0] if len(parts) == 1 else call("and", *parts)
    made, renewal = joined(outer.relation, group, kind, condition, marks=context.marks)
    return outer.over(made, renewal), renewal
