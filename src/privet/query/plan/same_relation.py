"""Same relation: whether two relations of different statements are one and the same, and which column is which."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from privet.query.plan.relations import Table
from privet.query.scalars.expressions import Call, Column, Expression, Reference


def matched(one: object, other: object) -> dict[Column, Column] | None:
    """The column of `one` that each column of `other` is, if both are made of the same nodes in the same way.

    Args:
        one: a relation, or a tuple with what belongs to it (keys, limits), relations first.
        other: the same of another statement.

    Every statement has column versions of its own, so nothing is equal as it stands. Nodes are alike if their classes,
    constants and facts are equal and their columns can be named after each other, each after one only.
    """
    names = _Names()
    return names.columns if names.same(one, other) else None


class _Names:
    """Which column is which, as far as it is known."""

    def __init__(self) -> None:
        self.columns: dict[Column, Column] = {}
        self._taken: set[Column] = set()

    def same(self, one: Any, other: Any) -> bool:  # noqa: ANN401 - whatever nodes hold
        if type(one) is not type(other):
            return False
        if isinstance(one, Column):
            return self._same_column(one, other)
        if isinstance(one, tuple):
            return len(one) == len(other) and all(map(self.same, one, other))
        if isinstance(one, Table) and [each.name for each in one.columns] != [each.name for each in other.columns]:
            return False
        if is_dataclass(one):
            parts = [field.name for field in fields(one) if field.compare]
            return all(self.same(getattr(one, name), getattr(other, name)) for name in parts)
        return bool(one == other) and repr(one) == repr(other)  # 0.0 equals -0.0, and is another number

    def _same_column(self, one: Column, other: Column) -> bool:
        if other in self.columns:
            return self.columns[other] is one
        if one in self._taken or one.facts != other.facts:
            return False
        self.columns[other] = one
        self._taken.add(one)
        return True


def exchanged(expression: Expression, columns: Mapping[Column, Column]) -> Expression:
    """The same expression of other columns."""
    if isinstance(expression, Reference):
        return Reference(columns.get(expression.column, expression.column))
    if isinstance(expression, Call):
        return replace(expression, arguments=tuple(exchanged(each, columns) for each in expression.arguments))
    return expression
