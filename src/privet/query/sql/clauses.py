"""Clauses: small parts that several kinds of query share."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sqlglot import exp

from privet.query.plan.relations import Relation
from privet.query.plan.statement import Aggregate, Output
from privet.query.scalars.expressions import Column, Expression, Reference
from privet.query.sql.handled_arguments import only
from privet.query.sql.name_scope import Name, NameScope, renewed
from privet.query.sql.names import matching
from privet.query.sql.refuse import because, refuse


@dataclass(frozen=True)
class Draft:
    """A query that is read but not yet placed: as the answer, or as a relation of another query.

    Args:
        source: an aggregate, or a relation.
        output: of it.
        single: whether it has exactly one row.
    """

    source: Aggregate | Relation
    output: Output
    single: bool = False


def shallow(node: exp.Expr) -> Iterator[exp.Expr]:
    """A node and what is in it, but not what is inside subqueries."""
    stack = [node]
    while stack:
        this = stack.pop()
        yield this
        if not isinstance(this, exp.Query):
            stack.extend(reversed(list(this.iter_expressions())))


def visible_scope(relation: Relation, columns: tuple[Column, ...]) -> NameScope:
    """A scope of unqualified columns."""
    return NameScope(relation, tuple(Name("", column.name, column) for column in columns))


def distinct_names(names: list[str]) -> list[str]:
    """Names of an answer: the second of two equal ones is numbered."""
    seen: set[str] = set()
    found = []
    for name in names:
        new = name
        number = 2
        while new.casefold() in seen:
            new = f"{name}_{number}"
            number = number + 1
        seen.add(new.casefold())
        found.append(new)
    return found


def unalias(item: exp.Expr) -> exp.Expr:
    """An item of SELECT without its name."""
    return only(item, "this", "alias").this if isinstance(item, exp.Alias) else item


def ordinal(node: exp.Expr, count: int) -> int | None:
    """The place that GROUP BY 2 or ORDER BY 2 means."""
    if not (isinstance(node, exp.Literal) and not node.args["is_string"]):
        return None
    text = str(node.this)
    if not (text.isdecimal() and 1 <= int(text[:9]) <= count):
        raise refuse(node, "there is no such place in SELECT", f"write a number from 1 to {count}")
    return int(text) - 1


def by_alias(node: exp.Expr, items: list[exp.Expr]) -> exp.Expr | None:
    """The item of SELECT that a bare name is the alias of."""
    if not (isinstance(node, exp.Column) and node.args.get("table") is None):
        return None
    named = [item for item in items if isinstance(item, exp.Alias)]
    found = matching(node.this, named, name=lambda item: item.args["alias"].name)
    return unalias(found[0]) if found else None


def ordered(node: exp.Expr) -> tuple[exp.Expr, bool]:
    """One part of ORDER BY, and whether it is descending."""
    only(node, "this", "desc", "nulls_first")
    if node.args.get("nulls_first"):
        raise because(node, "nulls order")
    return node.this, bool(node.args.get("desc"))


def count_of(node: exp.Expr | None) -> int | None:
    """The number of LIMIT or OFFSET."""
    if node is None:
        return None
    if isinstance(node, exp.Fetch):
        only(node, "direction", "count", "limit_options")
        options = node.args.get("limit_options")
        if options is not None:
            only(options, "rows")
        value = node.args.get("count")
    else:
        only(node, "expression")
        value = node.expression
    if not (isinstance(value, exp.Literal) and str(value.this).isdecimal() and not value.args["is_string"]):
        raise because(node, "literal limit")
    return min(int(str(value.this)[:18]), 10**15)


def limited(output: Output, node: exp.Query) -> Output:
    """The output with LIMIT and OFFSET."""
    return replace(output, limit=count_of(node.args.get("limit")), offset=count_of(node.args.get("offset")) or 0)


def identity(columns: tuple[Column, ...]) -> tuple[tuple[Column, Expression], ...]:
    """Output items that show columns as they are."""
    return tuple((Column(column.name, column.facts), Reference(column)) for column in columns)


def star(node: exp.Expr, scope: NameScope) -> tuple[Name, ...] | None:
    """The names a star stands for; None if the item is no star."""
    if isinstance(node, exp.Star):
        only(node)
        if not scope.names:
            raise because(node, "unknown clause", "there is no table")
        return scope.visible
    if isinstance(node, exp.Column) and isinstance(node.this, exp.Star):
        only(node, "this", "table")
        only(node.this)
        found = matching(node.args["table"], [name for name in scope.names if name.table], name=lambda n: n.table)
        if not found:
            raise refuse(node, "there is no such table here")
        return tuple(found)
    return None


def conjunct_nodes(condition: exp.Expr | None) -> list[exp.Expr]:
    """The conditions that AND joins."""
    if condition is None:
        return []
    if isinstance(condition, exp.And):
        return [*conjunct_nodes(condition.this), *conjunct_nodes(condition.expression)]
    return conjunct_nodes(condition.this) if isinstance(condition, exp.Paren) else [condition]


def output_expressions(output: Output) -> list[Expression]:
    """Everything an output computes."""
    found: list[Expression] = []

    def note(expression: Expression) -> Expression:
        found.append(expression)
        return expression

    output.changed(note)
    return found


def renewed_output(output: Output, renewal: dict[Column, Column]) -> Output:
    """The output over new versions of its columns."""
    return output.changed(lambda expression: renewed(expression, renewal))
