"""Shared expressions: what a template would mention several times is computed once, in a table below.

A template may repeat an argument, and so may an engine (DuckDB makes of NULLIF(x, y) a CASE that has x twice). Nested,
that doubles the work with every level. So the weight of a call is counted: how many parts an engine evaluates for it.
Where it passes a limit, arguments that are repeated become columns of a table of their own, and so does what is nested
deeply, because parsers and engines have stacks of a fixed size.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from privet.errors import InvalidParameter
from privet.query.printing.dialect import Dialect
from privet.query.printing.function_templates import template_of
from privet.query.scalars.expressions import Call, Column, Expression, Reference, columns_in, facts_of

HEAVIEST = 48  # parts that are evaluated for one expression before something is computed below
DEEPEST = 8  # calls inside one another in one expression
MOST_INLINED = 2_000  # parts that are evaluated where an engine inlines columns of tables below, as filters do
DOUBLED = ("NULLIF(", " BETWEEN ")  # words of which some engines make two

Weigh = Callable[[Column], int]


def _one(_: Column) -> int:
    return 1


@dataclass
class Once:
    """Expressions of one table while they are taken apart.

    Args:
        dialect: the engine's words.
        inlined: what a column of the tables below weighs if the engine inlines it.
        levels: the columns to compute below, each level from the one before.
    """

    dialect: Dialect
    inlined: Weigh = _one
    levels: list[list[tuple[Column, Expression]]] = field(default_factory=list)
    _level: dict[Column, int] = field(default_factory=dict)
    _of: dict[Column, Expression] = field(default_factory=dict)
    _split: dict[int, tuple[Expression, Expression]] = field(default_factory=dict)  # with what the number is of
    _times: dict[int, tuple[Call, tuple[int, ...]]] = field(default_factory=dict)
    _named: dict[int, tuple[Expression, Column]] = field(default_factory=dict)

    def split(self, expression: Expression) -> Expression:
        """The expression over columns of the levels, in which nothing heavy is repeated and nothing deep is left."""
        if not isinstance(expression, Call):
            return expression
        if id(expression) not in self._split:
            made = _with(expression, [self.split(argument) for argument in expression.arguments])
            heavy = self._weight(made, _one) > HEAVIEST
            times = self._repeats(made)
            parts = [
                self._below(part) if isinstance(part, Call) and ((heavy and often > 1) or _deep(part)) else part
                for part, often in zip(made.arguments, times, strict=True)
            ]
            self._split[id(expression)] = (expression, _with(made, parts))
        return self._split[id(expression)][1]

    def weight(self, expression: Expression) -> int:
        """How many parts are evaluated if the engine inlines all columns as far as it can."""
        return self._weight(expression, self._inlined)

    def _inlined(self, column: Column) -> int:
        return self.weight(self._of[column]) if column in self._of else self.inlined(column)

    def _weight(self, expression: Expression, columns: Weigh) -> int:
        if isinstance(expression, Reference):
            return columns(expression.column)
        if not isinstance(expression, Call):
            return 1
        pairs = zip(expression.arguments, self._repeats(expression), strict=True)
        return min(1 + sum(often * self._weight(part, columns) for part, often in pairs), 1 << 60)

    def _repeats(self, call: Call) -> tuple[int, ...]:
        """How often each argument is evaluated: as often as the template mentions it, and as engines rewrite that."""
        if id(call) not in self._times:
            marks = [f"(\x01{place}\x01)" for place in range(len(call.arguments))]
            text = template_of(call, self.dialect)(self.dialect, call, marks)
            doubled = 1 << sum(text.count(word) for word in DOUBLED)
            self._times[id(call)] = (call, tuple(text.count(mark) * doubled for mark in marks))
        return self._times[id(call)][1]

    def _below(self, part: Call) -> Reference:
        """A column of a level below that holds this part."""
        if id(part) not in self._named:
            column = Column("part", facts_of(part))
            level = max((self._level.get(each, 0) for each in columns_in(part)), default=0) + 1
            if len(self.levels) < level:
                self.levels.append([])
            self.levels[level - 1].append((column, part))
            self._level[column] = level
            self._of[column] = part
            self._named[id(part)] = (part, column)
        return Reference(self._named[id(part)][1])


def _with(call: Call, arguments: Sequence[Expression]) -> Call:
    if all(new is old for new, old in zip(arguments, call.arguments, strict=True)):
        return call
    return replace(call, arguments=tuple(arguments))


def _deep(part: Call) -> bool:
    return part.depth >= DEEPEST


def refuse_heavy(weight: int) -> None:
    """Raise where an engine would inline more than it can compute, and cannot be told not to."""
    if weight > MOST_INLINED:
        raise InvalidParameter("a condition is nested too deeply for the engine; compare a simpler expression")
