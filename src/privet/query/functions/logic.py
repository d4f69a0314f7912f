"""Logic: comparisons, AND, OR, NOT in three values as in SQL, and functions that choose among their arguments.

least, greatest and coalesce leave NULLs aside and are NULL only if all are; nullif and clip are NULL where their
first argument is. CASE without a true condition has the value of its last argument.
"""

import math
import re
from collections.abc import Callable, Iterable
from fractions import Fraction

from privet.errors import InvalidParameter
from privet.query.functions.casts import cast
from privet.query.functions.intervals import hull
from privet.query.functions.rule import (
    Arguments,
    Rule,
    as_fraction,
    expect,
    interval_of,
    is_null_literal,
    nullable,
    spoken,
    truth,
    type_of,
)
from privet.query.scalars.expressions import Call, Expression, Literal, facts_of
from privet.query.scalars.facts import Facts, Type, Value, longest_of


def unify(function: str, arguments: Arguments) -> Arguments:
    """Arguments of one type: conditions as 0 or 1, whole numbers as reals, dates as timestamps, literals as dates."""
    typed = [argument for argument in arguments if not is_null_literal(argument)]
    types = {type_of(argument) for argument in typed}
    times = types & {Type.DATE, Type.TIMESTAMP}
    if times and Type.TEXT in types and all(isinstance(a, Literal) for a in typed if type_of(a) is Type.TEXT):
        typed = [_read_time(argument, function) for argument in typed if type_of(argument) is Type.TEXT]
        types = times | {type_of(argument) for argument in typed}
    if not types:
        return arguments
    type_ = _widest(types)
    if type_ is None:
        names = " and ".join(sorted(type_.value for type_ in types))
        raise InvalidParameter(f"{spoken(function)} needs arguments of one type, got {names}; CAST one of them")
    return tuple(cast(argument, type_) for argument in arguments)


def _read_time(literal: Expression, function: str) -> Expression:
    """A literal text as the date or timestamp it says."""
    for type_ in (Type.DATE, Type.TIMESTAMP):
        read = cast(literal, type_)
        if isinstance(read, Literal) and read.value is not None and (type_ is Type.TIMESTAMP or _has_no_time(literal)):
            return read
    raise InvalidParameter(f"{spoken(function)} compares a date with a text that is none; write DATE '2024-12-31'")


def _has_no_time(literal: Expression) -> bool:
    return isinstance(literal, Literal) and len(str(literal.value).strip()) <= len("2024-12-31")


def _widest(types: set[Type]) -> Type | None:
    if len(types) == 1:
        return next(iter(types))
    for small, large in ((Type.INTEGER, Type.REAL), (Type.DATE, Type.TIMESTAMP), (Type.BOOLEAN, Type.INTEGER)):
        if types == {small, large}:
            return large
    return None


def alternatives(options: Iterable[Facts], *, null: bool) -> Facts:
    """What is known of a value that is one of several of the same type."""
    facts = list(options)
    low, high = hull((one.low, one.high) for one in facts if not _never(one))
    sets = [() if _never(one) else one.values if one.other is None else None for one in facts]
    listed = [values for values in sets if values is not None]
    values = tuple(dict.fromkeys(value for part in listed for value in part)) if len(listed) == len(sets) else None
    return Facts(facts[0].type, nullable=null, low=low, high=high, values=values, longest=longest_of(facts))


def _never(facts: Facts) -> bool:
    """Whether it is always NULL, as the literal NULL is."""
    return facts.nullable and facts.values == ()


def _option(expression: Expression) -> Facts:
    facts = facts_of(expression)
    return facts.where(values=()) if is_null_literal(expression) else facts


def _truth(arguments: Arguments) -> Facts:
    return truth(null=nullable(arguments))


def _fit_comparison(function: str, arguments: Arguments) -> Arguments:
    """Arguments of one type; a literal text that is compared with a number is the number it says, if it says one."""
    types = {type_of(argument) for argument in arguments if not _said(argument)}
    if len(types) == 1 and (type_ := next(iter(types))) in {Type.INTEGER, Type.REAL}:
        arguments = tuple(_number(argument, type_) if _said(argument) else argument for argument in arguments)
    return unify(function, arguments)


def _said(argument: Expression) -> bool:
    return isinstance(argument, Literal) and isinstance(argument.value, str)


def _number(literal: Expression, type_: Type) -> Expression:
    """The number that a literal text says, whole if it is, or the text itself."""
    read = cast(literal, Type.REAL)
    if not isinstance(read, Literal) or read.value is None or not math.isfinite(float(read.value)):
        return literal
    whole = cast(literal, type_) if float(read.value).is_integer() else read
    return whole if isinstance(whole, Literal) and whole.value is not None else read


def _comparison(value: Callable[..., bool]) -> Rule:
    return Rule(2, 2, _fit_comparison, _truth, value)


def _booleans(function: str, arguments: Arguments) -> Arguments:
    expect(function, arguments, Type.BOOLEAN)
    return tuple(cast(argument, Type.BOOLEAN) for argument in arguments)


def _and(*values: Value) -> Value:
    return False if any(value is False for value in values) else None if None in values else True


def _or(*values: Value) -> Value:
    return True if any(value is True for value in values) else None if None in values else False


def _fit_in(function: str, arguments: Arguments) -> Arguments:
    if not all(isinstance(option, Literal) and option.value is not None for option in arguments[1:]):
        raise InvalidParameter("IN takes a list of literals or a subquery; NULL is none of them")
    return _fit_comparison(function, arguments)


def _fit_pattern(function: str, arguments: Arguments) -> Arguments:
    expect(function, arguments, Type.TEXT)
    pattern = arguments[1]
    if not (isinstance(pattern, Literal) and isinstance(pattern.value, str) and "\\" not in pattern.value):
        raise InvalidParameter(f"{spoken(function)} takes a literal text without backslashes")
    return tuple(cast(argument, Type.TEXT) for argument in arguments)


def _fit_like(function: str, arguments: Arguments) -> Arguments:
    """With a third argument: a sign, before which %, _ and itself are letters."""
    if len(arguments) < 3:  # noqa: PLR2004 - no sign
        return _fit_pattern(function, arguments)
    text, pattern, sign = arguments
    expect(function, (text,), Type.TEXT)
    words = [word.value if isinstance(word, Literal) else None for word in (pattern, sign)]
    if not (isinstance(words[0], str) and isinstance(words[1], str) and re.fullmatch(r"[!-$&(-^`-~]", words[1])):
        raise InvalidParameter("LIKE … ESCAPE takes a literal pattern and one sign, such as '!'")
    plain = re.sub(re.escape(words[1]) + "[%_" + re.escape(words[1]) + "]", "", words[0])
    if words[1] in plain or "\\" in plain:
        raise InvalidParameter(f"LIKE … ESCAPE '{words[1]}' needs %, _ or {words[1]} after each {words[1]}, and no \\")
    return (cast(text, Type.TEXT), pattern, sign)


def _like(text: str, pattern: str, sign: str = "") -> bool:
    words = re.findall(f"{re.escape(sign)}.|." if sign else ".", pattern, re.DOTALL)
    expression = "".join({"%": ".*", "_": "."}.get(word, re.escape(word[-1])) for word in words)
    return re.fullmatch(expression, text, re.DOTALL) is not None


def _fit_case(function: str, arguments: Arguments) -> Arguments:
    if len(arguments) % 2 == 0:
        arguments = (*arguments, Literal(None, Type.TEXT))
    conditions = _booleans(function, arguments[:-1:2])
    values = unify(function, (*arguments[1::2], arguments[-1]))
    pairs = [part for pair in zip(conditions, values[:-1], strict=True) for part in pair]
    return (*pairs, values[-1])


def case_values(arguments: Arguments) -> Arguments:
    """The values a CASE can have, the last one otherwise."""
    return (*arguments[1:-1:2], arguments[-1])


def _case_facts(arguments: Arguments) -> Facts:
    values = case_values(arguments)
    return alternatives(map(_option, values), null=nullable(values))


def _case(*values: Value) -> Value:
    for condition, value in zip(values[:-1:2], values[1::2], strict=True):
        if condition is True:
            return value
    return values[-1]


def _coalesce_facts(arguments: Arguments) -> Facts:
    used = []
    for argument in arguments:
        used.append(argument)
        if not facts_of(argument).nullable:
            break
    return alternatives(map(_option, used), null=all(facts_of(argument).nullable for argument in used))


def _coalesce(*values: Value) -> Value:
    return next((value for value in values if value is not None), None)


def _nullif_facts(arguments: Arguments) -> Facts:
    return facts_of(arguments[0]).where(nullable=True)


def _extreme_facts(*, most: bool) -> Callable[[Arguments], Facts]:
    """Of the greatest: at least every value that is never NULL, and at most the highest of all."""
    sign = 1 if most else -1

    def facts(arguments: Arguments) -> Facts:
        known = [facts_of(argument) for argument in arguments if not is_null_literal(argument)]
        near = [one.low if most else one.high for one in known if not one.nullable]
        sure = [end for end in near if end is not None]
        low, high = hull((one.low, one.high) for one in known)
        if sure:
            end = max(sure, key=lambda bound: sign * bound)
            low, high = (end, high) if most else (low, end)
        elif near:
            low, high = (None, high) if most else (low, None)
        null = all(facts_of(argument).nullable for argument in arguments)
        longest = longest_of(map(facts_of, arguments))
        return Facts(type_of(arguments[0]), nullable=null, low=low, high=high, longest=longest)

    return facts


def _extreme(choose: Callable[..., Value]) -> Callable[..., Value]:
    def value(*values: Value) -> Value:
        known = [value for value in values if value is not None]
        return choose(known) if known else None

    return value


def _fit_clip(function: str, arguments: Arguments) -> Arguments:
    number, low, high = arguments
    expect(function, arguments, Type.INTEGER, Type.REAL)
    ends = [end.value if isinstance(end, Literal) else None for end in (low, high)]
    if not (isinstance(ends[0], int | float) and isinstance(ends[1], int | float) and ends[0] <= ends[1]):
        raise InvalidParameter("CLIP takes two literal numbers, the lower bound first: CLIP(x, 0, 100)")
    return unify(function, (number, low, high))


def _clip_facts(arguments: Arguments) -> Facts:
    low, high = (as_fraction(end.value) for end in arguments[1:] if isinstance(end, Literal))  # type: ignore[arg-type] # as fitted
    inside: list[Fraction] = []
    for end, fallback in zip(interval_of(arguments[0]), (low, high), strict=True):
        inside.append(fallback if end is None else min(max(end, low), high))
    return Facts(type_of(arguments[0]), nullable=nullable(arguments[:1]), low=inside[0], high=inside[1])


def _is_null_facts(_: Arguments) -> Facts:
    return truth(null=False)


def _any_type(_: str, arguments: Arguments) -> Arguments:
    return arguments


def conjuncts(expression: Expression) -> list[Expression]:
    """The conditions that AND joins."""
    if isinstance(expression, Call) and expression.function == "and":
        return [part for argument in expression.arguments for part in conjuncts(argument)]
    return [expression]


LOGIC = {
    "eq": _comparison(lambda a, b: a == b),
    "ne": _comparison(lambda a, b: a != b),
    "lt": _comparison(lambda a, b: a < b),
    "le": _comparison(lambda a, b: a <= b),
    "gt": _comparison(lambda a, b: a > b),
    "ge": _comparison(lambda a, b: a >= b),
    "and": Rule(2, None, _booleans, _truth, _and, strict=False),
    "or": Rule(2, None, _booleans, _truth, _or, strict=False),
    "not": Rule(1, 1, _booleans, _truth, lambda a: not a),
    "is_null": Rule(1, 1, _any_type, _is_null_facts, lambda a: a is None, strict=False),
    "in": Rule(2, None, _fit_in, _truth, lambda a, *options: a in options),
    "like": Rule(2, 3, _fit_like, _truth, _like),
    "starts_with": Rule(2, 2, _fit_pattern, _truth, lambda a, start: a.startswith(start)),
    "case": Rule(2, None, _fit_case, _case_facts, _case, strict=False),
    "coalesce": Rule(1, None, unify, _coalesce_facts, _coalesce, strict=False),
    "nullif": Rule(2, 2, unify, _nullif_facts, lambda a, b: None if a == b else a, strict=False),
    "least": Rule(1, None, unify, _extreme_facts(most=False), _extreme(min), strict=False),
    "greatest": Rule(1, None, unify, _extreme_facts(most=True), _extreme(max), strict=False),
    "clip": Rule(3, 3, _fit_clip, _clip_facts, lambda a, low, high: min(max(a, low), high)),
}
