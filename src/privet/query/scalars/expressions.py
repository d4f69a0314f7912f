"""Expressions: the only scalars a query can hold. What has no class here never reaches an engine.

Expression
├── Literal      a constant of the statement
├── Reference    one version of a column
└── Call         a function of the table in `functions.py`
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

from privet.errors import InvalidParameter
from privet.query.scalars.dates import day_of, second_of
from privet.query.scalars.facts import Facts, Type, Value

LARGEST_EXPRESSION = 5_000
DEEPEST_EXPRESSION = 100


@dataclass(frozen=True, eq=False)
class Column:
    """One version of a column: made by one node of a plan, and equal to no other, whatever its name.

    Args:
        name: what the analyst calls it.
        facts: what is publicly known about this version; a filter or an expression makes a new version.
    """

    name: str
    facts: Facts

    def __repr__(self) -> str:
        return f"Column({self.name}: {self.facts.type.value})"


@dataclass(frozen=True)
class Literal:
    """A constant of the statement; a date or timestamp is held as its ISO text. There is one zero: -0.0 is 0.0."""

    value: Value
    type: Type

    def __post_init__(self) -> None:
        if isinstance(self.value, float):
            object.__setattr__(self, "value", self.value + 0.0)


@dataclass(frozen=True)
class Reference:
    """The value of a column in the row at hand."""

    column: Column


@dataclass(frozen=True)
class Call:
    """A function of other expressions.

    Args:
        function: a name of `functions.FUNCTIONS`; operators, CASE and CAST are functions too.
        arguments: as many as that function takes. CASE is (condition, value, condition, value, …, otherwise).
        facts: derived when the call was made (`functions.call`), for the versions its references had then.
    """

    function: str
    arguments: "tuple[Expression, ...]"
    facts: Facts = field(compare=False)
    size: int = field(init=False, compare=False, repr=False)  # how many calls and leaves it has, shared ones each time
    depth: int = field(init=False, compare=False, repr=False)  # how many calls are inside one another

    def __post_init__(self) -> None:
        calls = [part for part in self.arguments if isinstance(part, Call)]
        size = 1 + len(self.arguments) - len(calls) + sum(part.size for part in calls)
        depth = 1 + max((part.depth for part in calls), default=0)
        if size > LARGEST_EXPRESSION or depth > DEEPEST_EXPRESSION:
            raise InvalidParameter(
                f"an expression has at most {LARGEST_EXPRESSION:,} parts, and {DEEPEST_EXPRESSION} inside one another; "
                "write a shorter one"
            )
        object.__setattr__(self, "size", size)
        object.__setattr__(self, "depth", depth)


Expression: TypeAlias = Literal | Reference | Call


def facts_of(expression: Expression) -> Facts:
    """What is known about the value of an expression."""
    if isinstance(expression, Reference):
        return expression.column.facts
    return expression.facts if isinstance(expression, Call) else facts_of_literal(expression)


def facts_of_literal(literal: Literal) -> Facts:
    """A literal has one value, and is NULL or not."""
    if literal.value is None:
        return Facts(literal.type, nullable=True, longest=0 if literal.type is Type.TEXT else None)
    bound: Fraction | None = None
    if literal.type.numeric:
        bound = Fraction(str(literal.value))
    elif literal.type is Type.DATE:
        day = day_of(str(literal.value))
        bound = None if day is None else Fraction(day)
    elif literal.type is Type.TIMESTAMP:
        bound = second_of(str(literal.value))
    longest = len(str(literal.value)) if literal.type is Type.TEXT else None
    return Facts(literal.type, nullable=False, low=bound, high=bound, values=(literal.value,), longest=longest)


def columns_in(expression: Expression) -> frozenset[Column]:
    """Every column version an expression reads."""
    if isinstance(expression, Reference):
        return frozenset({expression.column})
    if isinstance(expression, Call):
        return frozenset().union(*(columns_in(argument) for argument in expression.arguments))
    return frozenset()
