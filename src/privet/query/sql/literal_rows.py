"""Literal rows of a statement as a public relation."""

from sqlglot import exp

from privet.query.functions.logic import alternatives, unify
from privet.query.plan.relations import Values
from privet.query.scalars.expressions import Column, Expression, Literal, facts_of
from privet.query.scalars.facts import Facts, Type, Value
from privet.query.sql.handled_arguments import only
from privet.query.sql.name_scope import Name, NameScope
from privet.query.sql.refuse import refuse
from privet.query.sql.scalar_expressions import Scalars

NOTHING = NameScope(Values((Column("one", Facts(Type.INTEGER, nullable=False)),), ((1,),)), ())


def values_scope(node: exp.Values) -> NameScope:
    """VALUES (…), (…) with columns col0, col1, …."""
    reader = Scalars(NOTHING, lambda _: None)
    rows = [_row(part, reader) for part in node.expressions]
    if len({len(row) for row in rows}) != 1:
        raise refuse(node, "its rows differ in length", "give every row as many values")
    columns, lists = [], []
    for place in range(len(rows[0])):
        literals = unify("VALUES", tuple(row[place] for row in rows))
        facts = [facts_of(one).where(values=()) if _null(one) else facts_of(one) for one in literals]
        columns.append(Column(f"col{place}", alternatives(facts, null=any(one.nullable for one in facts))))
        lists.append([one.value for one in literals if isinstance(one, Literal)])
    table: tuple[tuple[Value, ...], ...] = tuple(zip(*lists, strict=True))
    relation = Values(tuple(columns), table)
    return NameScope(relation, tuple(Name("", column.name, column) for column in columns))


def _null(expression: Expression) -> bool:
    return isinstance(expression, Literal) and expression.value is None


def _row(node: exp.Expr, reader: Scalars) -> list[Literal]:
    items = only(node, "expressions").expressions if isinstance(node, exp.Tuple) else [node]
    row = []
    for item in items:
        value = reader.read(item)
        if not isinstance(value, Literal):
            raise refuse(item, "VALUES takes literals", "write the value itself")
        row.append(value)
    return row
