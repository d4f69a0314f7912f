"""Subqueries inside expressions: lists after IN, and single values. They become joins before the rest is read."""

from collections.abc import Callable
from dataclasses import replace

from sqlglot import exp

from privet.errors import InvalidParameter
from privet.query.functions import call
from privet.query.plan.build import distinct_units, grouped, joined
from privet.query.plan.relations import JoinKind, Relation
from privet.query.scalars.expressions import Column, Expression, Literal, Reference, facts_of
from privet.query.scalars.facts import Type
from privet.query.sql.aggregates import is_aggregate
from privet.query.sql.choices import choice
from privet.query.sql.clauses import shallow
from privet.query.sql.context import Context
from privet.query.sql.handled_arguments import only
from privet.query.sql.name_scope import NameScope, renewed
from privet.query.sql.refuse import because, refuse
from privet.query.sql.reuse import one_row
from privet.query.sql.scalar_expressions import Scalars

Read = Callable[[exp.Expr], NameScope]


def with_subqueries(scope: NameScope, clauses: list[exp.Expr], *, read: Read, context: Context) -> NameScope:
    """The scope with a column for every subquery in the clauses; `read` reads one."""
    for part in clauses:
        for node in shallow(part):
            if isinstance(node, exp.Exists):
                raise because(node, "exists", _fix(context))
            if isinstance(node, exp.In) and node.args.get("query") is not None:
                scope = _with_list(scope, node, read(node.args["query"]), context)
            elif isinstance(node, exp.Subquery) and not isinstance(node.parent, exp.In):
                scope = _with_value(scope, node, read(only(node, "this").this), context)
    return scope


def _fix(context: Context) -> str:
    unit = context.unit_name
    return f"write {unit} IN (SELECT {unit} FROM …)"  # noqa: S608 - words of a message


def _refuse_aggregate(node: exp.Expr) -> None:
    if is_aggregate(node):
        raise because(node, "late subquery")


def _with_list(scope: NameScope, node: exp.In, listed: NameScope, context: Context) -> NameScope:
    """X IN (SELECT …): a left join with the distinct values, and whether it found a partner."""
    only(node, "this", "query")
    if len(listed.columns) != 1:
        raise refuse(node, "a list after IN has one column", "select one column")
    value = Scalars(scope, _refuse_aggregate).read(node.this)
    if listed.relation.owner is not None:
        relation, partner, condition = _units(scope, node, value, listed, context)
    else:
        column = context.marks.renewed(listed.columns[0])
        relation = grouped(listed.relation, [(column, Reference(listed.columns[0]))], [], marks=context.marks)
        partner = column
        try:
            condition = call("eq", value, Reference(column))
        except InvalidParameter as error:
            raise refuse(node, str(error)) from None
    made, renewal = joined(scope.relation, relation, JoinKind.LEFT, condition, marks=context.marks)
    found = call("not", call("is_null", Reference(renewal[partner])))
    if facts_of(value).nullable:
        null = call("is_null", renewed(value, renewal))
        found = choice(null, Literal(None, Type.BOOLEAN), found)
    after = scope.over(made, renewal)
    return replace(after, ready={**after.ready, id(node): found})


def _units(
    scope: NameScope, node: exp.In, value: Expression, listed: NameScope, context: Context
) -> tuple[Relation, Column, Expression | None]:
    """Unit IN (SELECT unit FROM …): the distinct units of a private table."""
    outer, inner = scope.relation.owner, listed.relation.owner
    fix = _fix(context)
    if outer is None:
        raise because(node, "exists", "aggregate the private table in a CTE first")
    if inner is None or len(outer.unit) != 1 or value != Reference(outer.unit[0]):
        raise because(node, "semi-join", fix)
    if listed.columns[0] is not inner.unit[0] or context.catalog.row_level:
        raise because(node, "semi-join", fix)
    relation = distinct_units(listed.relation, marks=context.marks)
    return relation, relation.columns[0], None


def _with_value(scope: NameScope, node: exp.Subquery, single: NameScope, context: Context) -> NameScope:
    """(SELECT …) as a value: a cross join with its one row."""
    if single.relation.owner is not None:
        raise because(node, "rows")
    if len(single.columns) != 1 or not one_row(single.relation, context):
        raise because(node, "scalar rows")
    made, renewal = joined(scope.relation, single.relation, JoinKind.CROSS, None, marks=context.marks)
    column = renewal[single.columns[0]]
    context.marks.constant[column] = len(context.scalars)
    context.scalars.append(single)
    after = scope.over(made, renewal)
    return replace(after, ready={**after.ready, id(node): Reference(column)})
