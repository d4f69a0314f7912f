"""Refined facts: what a condition tells about the columns of the rows for which it is true."""

import math
from collections.abc import Mapping
from fractions import Fraction

from privet.query.functions import FUNCTIONS, substitute
from privet.query.functions.logic import alternatives, case_values
from privet.query.scalars.dates import DAY
from privet.query.scalars.expressions import Call, Column, Expression, Literal, Reference, facts_of
from privet.query.scalars.facts import Bound, Facts, Type, Value

OPPOSITE = {"eq": "ne", "ne": "eq", "lt": "ge", "ge": "lt", "gt": "le", "le": "gt"}
MIRRORED = {"eq": "eq", "ne": "ne", "lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}
WHOLE = {Type.INTEGER, Type.DATE}

Known = Mapping[Column, Facts]


def narrow(  # noqa: PLR0911 - one return for each kind of condition
    condition: Expression, known: Known | None = None, *, holds: bool = True
) -> dict[Column, Facts]:
    """The facts of columns in rows for which a condition is true, or with `holds=False` false.

    Args:
        condition: of which NULL is neither.
        known: facts of columns that are narrower than their own already.
        holds: whether the condition is true.

    Example:
        >>> from privet.query.functions import call
        >>> age = Column("age", Facts(Type.INTEGER, low=Fraction(0), high=Fraction(110)))
        >>> facts = narrow(call("gt", Reference(age), Literal(17, Type.INTEGER)))[age]
        >>> int(facts.low), int(facts.high), facts.nullable
        (18, 110, False)
    """
    found = dict(known or {})
    if isinstance(condition, Reference):
        facts = _now(condition.column, found)
        found[condition.column] = facts.where(nullable=False, values=(holds,))
        return found
    if isinstance(condition, Literal):
        return found
    if condition.function == "not":
        return narrow(condition.arguments[0], found, holds=not holds)
    if condition.function in {"and", "or"}:
        if (condition.function == "and") == holds:
            for part in condition.arguments:
                found = narrow(part, found, holds=holds)
            return found
        return _either([narrow(part, found, holds=holds) for part in condition.arguments])
    if condition.function == "is_null" and holds:
        return found
    for column in _needed(condition.arguments[0] if condition.function == "is_null" else condition):
        found[column] = _now(column, found).where(nullable=False)
    return _compare(condition, found, holds=holds)


def case_facts(made: Call) -> Facts:
    """The facts of a CASE, each value taken where its condition holds and those before it do not."""
    known: dict[Column, Facts] = {}
    options = []
    values = case_values(made.arguments)
    for condition, value in zip(made.arguments[:-1:2], values, strict=False):
        options.append(_under(value, narrow(condition, known)))
        if _decided_by_one_column(condition):
            nullable = {column: _now(column, known).nullable for column in _needed(condition)}
            known = narrow(condition, known, holds=False)
            for column, null in nullable.items():  # NULL is not true either
                known[column] = known[column].where(nullable=null)
    options.append(_under(values[-1], known))
    return alternatives(options, null=any(one.nullable for one in options)).where(type=made.facts.type)


def _under(expression: Expression, known: Known) -> Facts:
    """The facts of an expression where columns have these facts."""
    if isinstance(expression, Literal) and expression.value is None:
        return Facts(expression.type, nullable=True, values=())
    versions = {column: Column(column.name, facts) for column, facts in known.items()}
    swapped = substitute(
        expression,
        lambda part: (
            Reference(versions[part.column]) if isinstance(part, Reference) and part.column in versions else None
        ),
    )
    return facts_of(swapped).where(type=facts_of(expression).type)


def _decided_by_one_column(condition: Expression) -> bool:
    """Whether the condition compares a column with literals, so that it is NULL only where the column is."""
    return (
        isinstance(condition, Call)
        and condition.function in {*OPPOSITE, "in"}
        and _column(condition.arguments[0]) is not None
        and all(isinstance(other, Literal) and other.value is not None for other in condition.arguments[1:])
    )


def _now(column: Column, known: Known) -> Facts:
    return known.get(column, column.facts)


def _needed(expression: Expression) -> set[Column]:
    """Columns without which the expression is NULL."""
    if isinstance(expression, Reference):
        return {expression.column}
    if isinstance(expression, Call) and FUNCTIONS[expression.function].strict:
        return set().union(*(_needed(argument) for argument in expression.arguments))
    return set()


def _either(options: list[dict[Column, Facts]]) -> dict[Column, Facts]:
    """What holds for a column if one of several sets of facts does."""
    shared = set(options[0]).intersection(*options[1:])
    found = {}
    for column in shared:
        facts = [option[column] for option in options]
        hull = alternatives(facts, null=any(one.nullable for one in facts))
        found[column] = column.facts.where(nullable=hull.nullable, low=hull.low, high=hull.high, values=hull.values)
    return found


def _column(expression: Expression) -> Column | None:
    """The column an expression is, perhaps as a wider type."""
    if isinstance(expression, Call) and expression.function in {"cast_real", "cast_timestamp"}:
        inner = expression.arguments[0]
        wider = {"cast_real": Type.INTEGER, "cast_timestamp": Type.DATE}[expression.function]
        return inner.column if isinstance(inner, Reference) and inner.column.facts.type is wider else None
    return expression.column if isinstance(expression, Reference) else None


def _compare(condition: Call, known: dict[Column, Facts], *, holds: bool) -> dict[Column, Facts]:
    """What a comparison or a list of literals tells."""
    if condition.function == "in":
        column = _column(condition.arguments[0])
        options = [option.value for option in condition.arguments[1:] if isinstance(option, Literal)]
        if column is not None:
            known[column] = _among(_now(column, known), options, inside=holds)
    elif condition.function in OPPOSITE:
        name = condition.function if holds else OPPOSITE[condition.function]
        left, right = condition.arguments
        for this, other, comparison in ((left, right, name), (right, left, MIRRORED[name])):
            column = _column(this)
            if column is not None:
                known[column] = _bounded(_now(column, known), comparison, other, known)
    return known


def _among(facts: Facts, options: list[Value], *, inside: bool) -> Facts:
    """Facts of a column that is one of some literals, or none of them."""
    own = [_own(option, facts.type) for option in options]
    if not inside:
        left = None if facts.values is None else tuple(value for value in facts.values if value not in own)
        return facts.where(values=left)
    listed = tuple(dict.fromkeys(value for value in own if value is not None))
    if facts.values is not None and facts.other is None:
        listed = tuple(value for value in facts.values if value in listed)
    facts = facts.where(other=None)
    if not facts.type.numeric:
        return facts.where(values=listed)
    numbers = [Fraction(str(value)) for value in listed]
    if not numbers:
        return facts.where(values=listed)
    return _tightened(facts.where(values=listed), min(numbers), max(numbers))


def _own(value: Value, type_: Type) -> Value:
    """A literal of a wider type as a value of the column's; None if it is none."""
    if type_ is Type.INTEGER and isinstance(value, float):
        return int(value) if value.is_integer() else None
    return value[:10] if type_ is Type.DATE and isinstance(value, str) else value


def _bounded(facts: Facts, comparison: str, other: Expression, known: Known) -> Facts:
    """Facts of a column that compares so with an expression."""
    if comparison == "ne":
        return _among(facts, [other.value], inside=False) if isinstance(other, Literal) else facts
    about = _now(other.column, known) if isinstance(other, Reference) else facts_of(other)
    if comparison == "eq" and isinstance(other, Literal) and facts.type not in {Type.DATE, Type.TIMESTAMP}:
        return _among(facts, [other.value], inside=True)
    if comparison == "eq" and about.type is facts.type:
        facts = _shared(facts, about)
    low, high = about.low, about.high
    if facts.type is Type.DATE and about.type is Type.TIMESTAMP:
        low, high = (None if end is None else end / DAY for end in (low, high))
    whole = facts.type in WHOLE
    down = _floor(high, whole=whole, strict=comparison == "lt") if comparison in {"eq", "lt", "le"} else None
    up = _ceil(low, whole=whole, strict=comparison == "gt") if comparison in {"eq", "gt", "ge"} else None
    return _tightened(facts, up, down)


def _shared(facts: Facts, about: Facts) -> Facts:
    """Facts of a column that equals another: what is listed of either is listed of both."""
    if about.other is not None or about.values is None:
        return facts.where(origin=facts.origin or about.origin) if facts.values is None else facts
    if facts.values is None or facts.other is not None:
        return facts.where(values=about.values, origin=facts.origin or about.origin, other=None)
    return facts.where(values=tuple(value for value in facts.values if value in about.values))


def _floor(end: Bound, *, whole: bool, strict: bool) -> Bound:
    if end is None or not whole:
        return end
    return Fraction(math.ceil(end) - 1 if strict else math.floor(end))


def _ceil(end: Bound, *, whole: bool, strict: bool) -> Bound:
    if end is None or not whole:
        return end
    return Fraction(math.floor(end) + 1 if strict else math.ceil(end))


def _tightened(facts: Facts, low: Bound, high: Bound) -> Facts:
    """Facts with ends at least this close; if nothing is left between them, they meet."""
    low = low if facts.low is None else facts.low if low is None else max(low, facts.low)
    high = high if facts.high is None else facts.high if high is None else min(high, facts.high)
    if low is not None and high is not None and low > high:
        low = high = low if facts.high is None or low <= facts.high else facts.high
    values = facts.values
    if values is not None and facts.type.numeric:
        values = tuple(value for value in values if _inside(Fraction(str(value)), low, high))
    return facts.where(low=low, high=high, values=values)


def _inside(value: Fraction, low: Bound, high: Bound) -> bool:
    return (low is None or value >= low) and (high is None or value <= high)
