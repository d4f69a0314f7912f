"""WeightedSum: what an expression is if it is linear in its columns: of released ones, the margin is then exact."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from privet.query.scalars.expressions import Column, Expression, Literal, Reference, facts_of
from privet.query.scalars.facts import Type

NUMBERS = {Type.INTEGER, Type.REAL}


@dataclass(frozen=True)
class WeightedSum:
    """A constant and weighted columns.

    Args:
        constant: which no column changes.
        weights: by column.
    """

    constant: float
    weights: Mapping[Column, float] = field(default_factory=dict)

    def plus(self, other: "WeightedSum", sign: float = 1.0) -> "WeightedSum":
        """This and so many times the other."""
        columns = dict.fromkeys((*self.weights, *other.weights))
        weights = {each: self.weights.get(each, 0.0) + sign * other.weights.get(each, 0.0) for each in columns}
        return WeightedSum(self.constant + sign * other.constant, weights)


NOTHING = WeightedSum(0.0)


def weighted_sum(expression: Expression) -> WeightedSum | None:
    """The weighted sum that an expression is, or None if it is none.

    Example:
        >>> from privet.query.functions import call
        >>> from privet.query.scalars.facts import Facts
        >>> n, m = (Column(name, Facts(Type.INTEGER, nullable=False)) for name in "nm")
        >>> change = call("multiply", Literal(100, Type.INTEGER), call("subtract", Reference(n), Reference(m)))
        >>> list(weighted_sum(change).weights.values())
        [100.0, -100.0]
    """
    if isinstance(expression, Literal):
        known = isinstance(expression.value, int | float) and not isinstance(expression.value, bool)
        return WeightedSum(float(expression.value or 0)) if known else None
    if facts_of(expression).type not in NUMBERS:
        return None
    if isinstance(expression, Reference):
        return WeightedSum(0.0, {expression.column: 1.0})
    parts = [weighted_sum(argument) for argument in expression.arguments]
    if None in parts:
        return None
    return _called(expression.function, [part for part in parts if part is not None])


def _called(function: str, parts: list[WeightedSum]) -> WeightedSum | None:  # noqa: PLR0911 - one return for each
    match function:
        case "add":
            return parts[0].plus(parts[1])
        case "subtract":
            return parts[0].plus(parts[1], -1.0)
        case "negate":
            return NOTHING.plus(parts[0], -1.0)
        case "cast_real":
            return parts[0]
        case "multiply":
            fixed, other = sorted(parts, key=lambda part: len(part.weights))
            return None if fixed.weights else NOTHING.plus(other, fixed.constant)
        case "divide":
            top, bottom = parts
            return None if bottom.weights or bottom.constant == 0 else NOTHING.plus(top, 1 / bottom.constant)
    return None
