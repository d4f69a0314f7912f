"""Function templates: one for each function of a query. All are total: the rules are those of `functions/`.

A template may repeat an argument: what is nested is taken apart first (`shared_expressions.py`), and what is printed
has a limit.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import TypeAlias

from privet.errors import InvalidParameter
from privet.query.functions.rule import can_be_zero
from privet.query.functions.texts import longest_joined
from privet.query.functions.zeros import can_be_negative_zero
from privet.query.printing.dialect import Dialect, Template
from privet.query.printing.template_arguments import all_whole, as_reals, as_typed, digits_of, finite, nonzero, word_of
from privet.query.printing.text_templates import TEXT_TEMPLATES
from privet.query.printing.time_templates import TIME_TEMPLATES
from privet.query.scalars.expressions import Call, Column, Expression, Literal, Reference, facts_of
from privet.query.scalars.facts import Type

Sure: TypeAlias = Callable[[Call], bool]
LONGEST = 200_000  # letters of one printed expression


def print_expression(expression: Expression, dialect: Dialect, name: Callable[[Column], str]) -> str:
    """The expression in the engine's words, in parentheses where needed.

    Args:
        expression: of known functions only.
        dialect: the engine's words.
        name: what a column version is called in the statement at hand.

    Raises:
        InvalidParameter: if it is too long, or no template exists: then nothing is asked of an engine.
    """
    if isinstance(expression, Literal):
        return dialect.literal(expression.value, expression.type)
    if isinstance(expression, Reference):
        return name(expression.column)
    arguments = [print_expression(argument, dialect, name) for argument in expression.arguments]
    text = template_of(expression, dialect)(dialect, expression, arguments)
    if len(text) > LONGEST:
        raise InvalidParameter("an expression is nested too deeply for the engine; compute parts of it in a subquery")
    return text


def template_of(call: Call, dialect: Dialect) -> Template:
    """How an engine writes a function."""
    template = dialect.templates.get(call.function) or TEMPLATES.get(call.function)
    if template is None:
        raise InvalidParameter(f"{call.function} is not known to the engine; leave it out")
    return template


def print_column(expression: Expression, dialect: Dialect, name: Callable[[Column], str]) -> str:
    """The expression as what a table or group holds of it, where there is one zero."""
    text = print_expression(expression, dialect, name)
    return dialect.one_zero(text) if can_be_negative_zero(expression) else text


def coerced(expression: Expression, target: Type, dialect: Dialect, name: Callable[[Column], str]) -> str:
    """The same, converted if its type is another."""
    text = print_column(expression, dialect, name)
    source = facts_of(expression).type
    return text if source is target else dialect.convert(text, source, target)


def _infix(sign: str) -> Template:
    return lambda _, __, texts: "(" + f" {sign} ".join(texts) + ")"


def _prefix(word: str) -> Template:
    return lambda _, __, texts: f"{word}({', '.join(texts)})"


def _real(pattern: str, sure: Sure) -> Template:
    """A function of real numbers, NULL where it has no value; a whole number where that surely fits.

    Args:
        pattern: with {0} and {1} for the arguments, and {2} for the second with NULL instead of 0.
        sure: whether a call is never NaN, as long as its arguments are not.
    """

    def template(dialect: Dialect, call: Call, texts: list[str]) -> str:
        text = pattern.format(*_with_divisor(call, as_reals(dialect, call, texts)))
        return as_typed(dialect, f"({text})" if sure(call) else dialect.number(text), Type.REAL, call)

    return template


def _arithmetic(whole: str, real: str, sure: Sure) -> Template:
    """Whole numbers where all arguments are, else real ones; see `_real`."""
    of_reals = _real(real, sure)

    def template(dialect: Dialect, call: Call, texts: list[str]) -> str:
        if not all_whole(call):
            return of_reals(dialect, call, texts)
        text = dialect.total(whole.format(*_with_divisor(call, texts)))
        return as_typed(dialect, text, Type.INTEGER, call)

    return template


def _with_divisor(call: Call, texts: list[str]) -> list[str]:
    return [*texts, nonzero(call.arguments[1], texts[1])] if len(texts) > 1 else texts


def _always(_: Call) -> bool:
    return True


def _never(_: Call) -> bool:
    return False


def _one_finite(call: Call) -> bool:
    return any(map(finite, call.arguments))


def _all_finite(call: Call) -> bool:
    return all(map(finite, call.arguments))


def _first_finite(call: Call) -> bool:
    return finite(call.arguments[0])


def _partial(word: str, least: Fraction | None, otherwise: str) -> Template:
    """A function of a real number that few numbers lack; those that surely have it are not looked at first.

    Args:
        word: its name.
        least: the first number that has it; None for all above 0.
        otherwise: with {0} for the number, where it may have none.
    """

    def template(dialect: Dialect, call: Call, texts: list[str]) -> str:
        (number,) = as_reals(dialect, call, texts)
        low = facts_of(call.arguments[0]).low
        sure = low is not None and (low > 0 if least is None else low >= least)
        return dialect.total(f"{word}({number})") if sure else f"({otherwise.format(number)})"

    return template


def _power(dialect: Dialect, call: Call, texts: list[str]) -> str:
    base, exponent = as_reals(dialect, call, texts)
    low = facts_of(call.arguments[0]).low
    if low is not None and low > 0 and _all_finite(call):
        return f"POWER({base}, {exponent})"
    return dialect.number(f"CASE WHEN {base} = 0 AND {exponent} < 0 THEN NULL ELSE POWER({base}, {exponent}) END")


def _round(dialect: Dialect, call: Call, texts: list[str]) -> str:
    digits = digits_of(call)
    number = as_reals(dialect, call, texts[:1])[0]
    return as_typed(dialect, f"ROUND({number}, {digits})", Type.REAL, call)


def _in(_: Dialect, __: Call, texts: list[str]) -> str:
    return f"({texts[0]} IN ({', '.join(texts[1:])}))"


def _like(_: Dialect, call: Call, texts: list[str]) -> str:
    sign = word_of(call.arguments[2]) if len(texts) > 2 else ""  # noqa: PLR2004 - a third argument, and no quote
    return f"({texts[0]} LIKE {texts[1]} ESCAPE '{sign}')"


def _case(_: Dialect, __: Call, texts: list[str]) -> str:
    pairs = zip(texts[:-1:2], texts[1:-1:2], strict=True)
    return "CASE " + " ".join(f"WHEN {condition} THEN {value}" for condition, value in pairs) + f" ELSE {texts[-1]} END"


def _concat(dialect: Dialect, call: Call, texts: list[str]) -> str:
    """Texts joined two by two, each result cut before it is joined again: nothing is longer than twice the longest.

    Proof: the first n letters of a text and another are those of their own first n letters. So however texts are
        paired, cutting on the way changes nothing of the first n letters of all.
    """
    most = longest_joined(call.arguments)
    parts = [
        (text, longest) if longest is not None and longest <= most else (dialect.first_letters(text, most), most)
        for text, longest in zip(texts, (facts_of(each).longest for each in call.arguments), strict=True)
    ]
    while len(parts) > 1:
        pairs = zip(parts[::2], parts[1::2], strict=False)
        parts = [*(_pair(one, other, most, dialect) for one, other in pairs), *(parts[-1:] if len(parts) % 2 else [])]
    return parts[0][0]


def _pair(one: tuple[str, int], other: tuple[str, int], most: int, dialect: Dialect) -> tuple[str, int]:
    text = f"({one[0]} || {other[0]})"
    total = one[1] + other[1]
    return (text, total) if total <= most else (dialect.first_letters(text, most), most)


def _substring(_: Dialect, call: Call, texts: list[str]) -> str:
    places = [argument.value if isinstance(argument, Literal) else None for argument in call.arguments[1:]]
    start, length = places
    if not (isinstance(start, int) and isinstance(length, int) and start >= 1 and length >= 0):
        raise InvalidParameter("SUBSTRING takes a literal start from 1 and a literal length from 0")
    longest = (1 << 31) - 1
    return f"SUBSTRING({texts[0]}, {min(start, longest)}, {min(length, longest)})"


def _cast(dialect: Dialect, call: Call, texts: list[str]) -> str:
    (argument,) = call.arguments
    (text,) = texts
    source = facts_of(argument).type
    shows_sign = source is Type.REAL and call.facts.type is Type.TEXT and can_be_zero(argument)
    return as_typed(dialect, dialect.one_zero(text) if shows_sign else text, source, call)


def _sign(dialect: Dialect, call: Call, texts: list[str]) -> str:
    return f"CAST(SIGN({as_reals(dialect, call, texts)[0]}) AS {dialect.types[Type.INTEGER]})"


# the rest that two functions have in common is tried by itself: DuckDB computes it once, before what tries the whole
FLOORED = "(({0}) - (TRY(({0}) % {2}) + ({1})) % {2}) // {2}"
CLIP = "CASE WHEN {0} IS NULL THEN NULL ELSE LEAST(GREATEST({0}, {1}), {2}) END"  # those two leave NULL aside

TEMPLATES: Mapping[str, Template] = MappingProxyType(
    {
        "eq": _infix("="),
        "ne": _infix("<>"),
        "lt": _infix("<"),
        "le": _infix("<="),
        "gt": _infix(">"),
        "ge": _infix(">="),
        "and": _infix("AND"),
        "or": _infix("OR"),
        "not": lambda _, __, texts: f"(NOT {texts[0]})",
        "is_null": lambda _, __, texts: f"({texts[0]} IS NULL)",
        "in": _in,
        "like": _like,
        "starts_with": _prefix("STARTS_WITH"),
        "case": _case,
        "coalesce": _prefix("COALESCE"),
        "nullif": _prefix("NULLIF"),
        "least": _prefix("LEAST"),
        "greatest": _prefix("GREATEST"),
        "clip": lambda _, __, texts: CLIP.format(*texts),
        "add": _arithmetic("{0} + {1}", "{0} + {1}", _one_finite),
        "subtract": _arithmetic("{0} - {1}", "{0} - {1}", _one_finite),
        "multiply": _arithmetic("{0} * {1}", "{0} * {1}", _all_finite),
        "negate": _arithmetic("-({0})", "-({0})", _always),
        "abs": _arithmetic("ABS({0})", "ABS({0})", _always),
        "divide": _real("{0} / {2}", _one_finite),
        "integer_divide": _arithmetic(FLOORED, "FLOOR({0} / {2})", _one_finite),
        "modulo": _arithmetic("{0} % {2}", "{0} % {2}", _first_finite),
        "sign": _sign,
        "round": _round,
        "floor": _real("FLOOR({0})", _always),
        "ceil": _real("CEIL({0})", _always),
        "sqrt": _partial("SQRT", Fraction(0), "CASE WHEN {0} >= 0 THEN SQRT({0}) END"),
        "ln": _partial("LN", None, "CASE WHEN {0} > 0 THEN LN({0}) END"),
        "log10": _partial("LOG10", None, "CASE WHEN {0} > 0 THEN LOG10({0}) END"),
        "exp": _partial("EXP", Fraction(-708), "CASE WHEN {0} < -708 THEN 0 ELSE EXP({0}) END"),
        "power": _power,
        **{name: _real(f"{name.upper()}({{0}})", _never) for name in ("sin", "cos", "tan", "asin", "acos")},
        "atan": _real("ATAN({0})", _always),
        "atan2": _real("ATAN2({0} + 0.0, {1} + 0.0)", _always),
        "cbrt": _real("CBRT({0})", _always),
        "lower": _prefix("LOWER"),
        "upper": _prefix("UPPER"),
        "length": _prefix("LENGTH"),
        "substring": _substring,
        "concat": _concat,
    }
    | {f"cast_{type_.value}": _cast for type_ in Type}
    | dict(TEXT_TEMPLATES)
    | dict(TIME_TEMPLATES)
)
