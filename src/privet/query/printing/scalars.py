"""Scalars: one template for each function of a query. All are total: the rules are those of `functions/`.

A template may repeat an argument, and its text doubles with each level then; so what is printed has a limit.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from privet.errors import InvalidParameter
from privet.query.expressions import Call, Column, Expression, Literal, Reference, facts_of
from privet.query.facts import Type
from privet.query.printing.arguments import all_whole, as_reals, as_type, digits_of
from privet.query.printing.dialect import Dialect, Template

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
    template = dialect.templates.get(expression.function) or TEMPLATES.get(expression.function)
    if template is None:
        raise InvalidParameter(f"{expression.function} is not known to the engine; leave it out")
    arguments = [print_expression(argument, dialect, name) for argument in expression.arguments]
    text = template(dialect, expression, arguments)
    if len(text) > LONGEST:
        raise InvalidParameter("an expression is nested too deeply for the engine; compute parts of it in a subquery")
    return text


def coerced(expression: Expression, target: Type, dialect: Dialect, name: Callable[[Column], str]) -> str:
    """The expression, converted if its type is another."""
    text, source = print_expression(expression, dialect, name), facts_of(expression).type
    return text if source is target else dialect.convert(text, source, target)


def _infix(sign: str) -> Template:
    return lambda _, __, texts: "(" + f" {sign} ".join(texts) + ")"


def _prefix(word: str) -> Template:
    return lambda _, __, texts: f"{word}({', '.join(texts)})"


def _arithmetic(whole: str, real: str) -> Template:
    """Whole numbers where all arguments are, else real ones; {0} and {1} are the arguments."""

    def template(dialect: Dialect, call: Call, texts: list[str]) -> str:
        if all_whole(call):
            text = dialect.total(whole.format(*texts))
        else:
            text = dialect.number(real.format(*as_reals(dialect, call, texts)))
        return as_type(dialect, text, Type.INTEGER if all_whole(call) else Type.REAL, call.facts.type)

    return template


def _real(pattern: str) -> Template:
    """A function of real numbers that gives one."""

    def template(dialect: Dialect, call: Call, texts: list[str]) -> str:
        return dialect.number(pattern.format(*as_reals(dialect, call, texts)))

    return template


def _rounding(pattern: str) -> Template:
    """A function to whole numbers: its result is of that type where it surely fits."""

    def template(dialect: Dialect, call: Call, texts: list[str]) -> str:
        text = dialect.number(pattern.format(*as_reals(dialect, call, texts)))
        return as_type(dialect, text, Type.REAL, call.facts.type)

    return template


def _round(dialect: Dialect, call: Call, texts: list[str]) -> str:
    digits, number = digits_of(call), as_reals(dialect, call, texts[:1])[0]
    return as_type(dialect, dialect.number(f"ROUND({number}, {digits})"), Type.REAL, call.facts.type)


def _in(_: Dialect, __: Call, texts: list[str]) -> str:
    return f"({texts[0]} IN ({', '.join(texts[1:])}))"


def _like(_: Dialect, __: Call, texts: list[str]) -> str:
    return f"({texts[0]} LIKE {texts[1]} ESCAPE '')"


def _case(_: Dialect, __: Call, texts: list[str]) -> str:
    pairs = zip(texts[:-1:2], texts[1:-1:2], strict=True)
    return "CASE " + " ".join(f"WHEN {condition} THEN {value}" for condition, value in pairs) + f" ELSE {texts[-1]} END"


def _substring(_: Dialect, call: Call, texts: list[str]) -> str:
    places = [argument.value if isinstance(argument, Literal) else None for argument in call.arguments[1:]]
    start, length = places
    if not (isinstance(start, int) and isinstance(length, int) and start >= 1 and length >= 0):
        raise InvalidParameter("SUBSTRING takes a literal start from 1 and a literal length from 0")
    longest = (1 << 31) - 1
    return f"SUBSTRING({texts[0]}, {min(start, longest)}, {min(length, longest)})"


def _cast(target: Type) -> Template:
    def template(dialect: Dialect, call: Call, texts: list[str]) -> str:
        return as_type(dialect, texts[0], facts_of(call.arguments[0]).type, target)

    return template


def _part(part: str) -> Template:
    return lambda dialect, _, texts: dialect.part(part, texts[0])


def _hour(dialect: Dialect, call: Call, texts: list[str]) -> str:
    if facts_of(call.arguments[0]).type is Type.DATE:
        return f"CASE WHEN {texts[0]} IS NULL THEN NULL ELSE {dialect.literal(0, Type.INTEGER)} END"
    return dialect.part("hour", texts[0])


def _start(part: str) -> Template:
    return lambda dialect, _, texts: dialect.start(part, texts[0])


def _sign(dialect: Dialect, _: Call, texts: list[str]) -> str:
    plus, zero, minus = (dialect.literal(value, Type.INTEGER) for value in (1, 0, -1))
    return f"CASE WHEN {texts[0]} > 0 THEN {plus} WHEN {texts[0]} < 0 THEN {minus} WHEN {texts[0]} = 0 THEN {zero} END"


FLOORED = "(({0}) - ((({0}) % NULLIF({1}, 0)) + ({1})) % NULLIF({1}, 0)) // NULLIF({1}, 0)"
POWER = "CASE WHEN {0} = 0 AND {1} < 0 THEN NULL ELSE POWER({0}, {1}) END"

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
        "clip": lambda _, __, t: (
            f"CASE WHEN {t[0]} < {t[1]} THEN {t[1]} WHEN {t[0]} > {t[2]} THEN {t[2]} ELSE {t[0]} END"
        ),
        "add": _arithmetic("{0} + {1}", "{0} + {1}"),
        "subtract": _arithmetic("{0} - {1}", "{0} - {1}"),
        "multiply": _arithmetic("{0} * {1}", "{0} * {1}"),
        "negate": _arithmetic("-({0})", "-({0})"),
        "abs": _arithmetic("ABS({0})", "ABS({0})"),
        "divide": _real("{0} / NULLIF({1}, 0)"),
        "integer_divide": _arithmetic(FLOORED, "FLOOR({0} / NULLIF({1}, 0))"),
        "modulo": _arithmetic("{0} % NULLIF({1}, 0)", "{0} % NULLIF({1}, 0)"),
        "sign": _sign,
        "round": _round,
        "floor": _rounding("FLOOR({0})"),
        "ceil": _rounding("CEIL({0})"),
        "sqrt": _real("CASE WHEN {0} >= 0 THEN SQRT({0}) END"),
        "ln": _real("CASE WHEN {0} > 0 THEN LN({0}) END"),
        "log10": _real("CASE WHEN {0} > 0 THEN LOG10({0}) END"),
        "exp": _real("CASE WHEN {0} < -708 THEN 0 ELSE EXP({0}) END"),
        "power": _real(POWER),
        "lower": _prefix("LOWER"),
        "upper": _prefix("UPPER"),
        "trim": lambda _, __, texts: f"TRIM({texts[0]}, ' ')",
        "length": _prefix("LENGTH"),
        "substring": _substring,
        "concat": _infix("||"),
        "year": _part("year"),
        "quarter": _part("quarter"),
        "month": _part("month"),
        "day": _part("day"),
        "hour": _hour,
        "day_of_week": _part("day_of_week"),
        "day_of_year": _part("day_of_year"),
        "trunc_year": _start("year"),
        "trunc_month": _start("month"),
        "trunc_week": _start("week"),
        "trunc_day": _start("day"),
        "days_between": lambda dialect, _, texts: dialect.days_between(texts[0], texts[1]),
        "add_days": lambda dialect, call, texts: dialect.add_days(texts[0], texts[1], call.facts.type),
    }
    | {f"cast_{type_.value}": _cast(type_) for type_ in Type}
)
