"""Reuse: a relation under another name or once more, and whether it has one row."""

from dataclasses import replace

from sqlglot import exp

from privet.query.plan.build import projected
from privet.query.plan.join_size import picks
from privet.query.plan.relations import Filter, Group, Project, Relation, Released, Values
from privet.query.scalars.expressions import Reference
from privet.query.sql.context import Context
from privet.query.sql.handled_arguments import only
from privet.query.sql.name_scope import NameScope
from privet.query.sql.names import spelled
from privet.query.sql.refuse import refuse


def one_row(relation: Relation, context: Context) -> bool:
    """Whether a public relation surely has at most one row."""
    if isinstance(relation, Released):
        return relation.stage in context.single
    if isinstance(relation, Values):
        return len(relation.rows) <= 1
    if isinstance(relation, Filter) and picks(relation.condition, relation.source, context.marks):
        return True  # a column that is declared unique equals a value
    if isinstance(relation, Project | Filter):
        return one_row(relation.source, context)
    return isinstance(relation, Group) and not relation.keys


def fresh(scope: NameScope, context: Context) -> NameScope:
    """New versions of a relation's columns, so that it can be used more than once."""
    relation = scope.relation
    if isinstance(relation, Released):
        columns = tuple(context.marks.renewed(column) for column in relation.columns)
        again: Relation = Released(relation.stage, columns)
        return scope.over(again, dict(zip(relation.columns, columns, strict=True)))
    items = [(column.name, Reference(column)) for column in relation.columns]
    project, made = projected(relation, items, marks=context.marks)
    return scope.over(project, dict(zip(relation.columns, made, strict=True)))


def aliased(scope: NameScope, alias: exp.Expr | None, node: exp.Expr) -> NameScope:
    """The scope under its alias, with its columns renamed if the alias says so."""
    if alias is None:
        return scope
    only(alias, "this", "columns")
    columns = alias.args.get("columns") or []
    scope = scope.called(spelled(alias.this)) if alias.this is not None else scope
    if len(columns) > len(scope.names):
        raise refuse(node, f"there are {len(scope.names)} columns to name, not {len(columns)}", "name as many")
    names = tuple(
        replace(name, name=spelled(columns[place])) if place < len(columns) else name
        for place, name in enumerate(scope.names)
    )
    return replace(scope, names=names)
