"""Functions that PostgreSQL would raise an error in, or mean otherwise by; each as `functions/` has it."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from privet.errors import InvalidParameter
from privet.query.backends.postgres import float_arithmetic, text_values
from privet.query.backends.postgres.literals import named, text_of
from privet.query.printing.dialect import Dialect, Template
from privet.query.printing.function_templates import CLIP
from privet.query.printing.template_arguments import all_whole, as_reals, as_typed, digits_of
from privet.query.printing.text_templates import pattern
from privet.query.printing.time_templates import MICROSECONDS, few_months, within_years
from privet.query.scalars.expressions import Call, Literal
from privet.query.scalars.facts import Type

LONGEST = 1 << 30  # letters of a text
DAY = 86_400_000_000  # microseconds
RINGS = ("sin", "cos", "tan")


def _real(write: Callable[..., str]) -> Template:
    """A function of real numbers; its result is a whole one where the facts say so."""

    def template(dialect: Dialect, call: Call, texts: list[str]) -> str:
        return as_typed(dialect, dialect.number(write(*as_reals(dialect, call, texts))), Type.REAL, call)

    return template


def _wide(text: str) -> str:
    return f"CAST({text} AS NUMERIC)"


def _arithmetic(whole: Callable[..., str], of_reals: Callable[..., str]) -> Template:
    """Whole numbers where all arguments are, computed as decimals, which have no end."""

    def template(dialect: Dialect, call: Call, texts: list[str]) -> str:
        if all_whole(call):
            return as_typed(dialect, dialect.total(whole(*map(_wide, texts))), Type.INTEGER, call)
        return _real(of_reals)(dialect, call, texts)

    return template


FLOORED = "DIV({a} - MOD(MOD({a}, NULLIF({b}, 0)) + {b}, NULLIF({b}, 0)), NULLIF({b}, 0))"


def _pattern(pattern: str) -> Callable[..., str]:
    return lambda *texts: named(pattern, **dict(zip("abc", texts, strict=False)))


def _round(dialect: Dialect, call: Call, texts: list[str]) -> str:
    (number,) = as_reals(dialect, call, texts[:1])
    return as_typed(dialect, dialect.number(float_arithmetic.rounded(number, digits_of(call))), Type.REAL, call)


def _substring(_: Dialect, call: Call, texts: list[str]) -> str:
    start, length = (argument.value if isinstance(argument, Literal) else None for argument in call.arguments[1:])
    if not (isinstance(start, int) and isinstance(length, int) and start >= 1 and length >= 0):
        raise InvalidParameter("SUBSTRING takes a literal start from 1 and a literal length from 0")
    return f"SUBSTRING({texts[0]} FROM {min(start, LONGEST)} FOR {min(length, LONGEST)})"


def _add_months(dialect: Dialect, call: Call, texts: list[str]) -> str:
    later = f"CAST({{a}} + ({few_months('{b}')}) * INTERVAL '1 month' AS {dialect.types[call.facts.type]})"
    return named(within_years(dialect, "{a}", "{b}", later), a=texts[0], b=texts[1])


def _from_microseconds(_: Dialect, __: Call, texts: list[str]) -> str:
    """Days and the rest of a day: an interval is multiplied as a float, which holds no more digits."""
    low, high = MICROSECONDS
    days = f"TIMESTAMP '1970-01-01' + ({{a}} / {DAY}) * INTERVAL '1 day'"
    rest = f"({{a}} % {DAY}) * INTERVAL '1 microsecond'"
    return named(f"CASE WHEN {{a}} BETWEEN {low} AND {high} THEN {days} + {rest} END", a=texts[0])


def _extract(dialect: Dialect, call: Call, texts: list[str]) -> str:
    """Group 1 where there is one, else all; a constant that is named is taken for no pattern, so braces are doubled."""
    wanted = pattern(dialect, call).replace("{", "{{").replace("}", "}}")
    found = f"COALESCE(SUBSTRING({{a}} FROM {wanted}), {dialect.quoted('')})"
    return text_of(named(f"CASE WHEN {{a}} IS NOT NULL THEN {found} END", a=texts[0]))


POSTGRES: Mapping[str, Template] = MappingProxyType(
    {
        "clip": lambda _, __, texts: named(CLIP.format("{a}", *texts[1:]), a=texts[0]),
        "add": _arithmetic(lambda a, b: f"{a} + {b}", float_arithmetic.add),
        "subtract": _arithmetic(lambda a, b: f"{a} - {b}", lambda a, b: float_arithmetic.add(a, f"(-({b}))")),
        "multiply": _arithmetic(lambda a, b: f"{a} * {b}", float_arithmetic.multiply),
        "negate": _arithmetic(lambda a: f"-({a})", lambda a: f"(-({a}))"),
        "abs": _arithmetic(lambda a: f"ABS({a})", lambda a: f"ABS({a})"),
        "divide": _real(float_arithmetic.divide),
        "integer_divide": _arithmetic(_pattern(FLOORED), lambda a, b: f"FLOOR({float_arithmetic.divide(a, b)})"),
        "modulo": _arithmetic(lambda a, b: f"MOD({a}, NULLIF({b}, 0))", float_arithmetic.rest),
        "round": _round,
        "sqrt": _real(_pattern("CASE WHEN {a} >= 0 THEN SQRT({a}) END")),
        "ln": _real(_pattern("CASE WHEN {a} > 0 THEN LN({a}) END")),
        "log10": _real(_pattern("CASE WHEN {a} > 0 THEN LOG10({a}) END")),
        "exp": _real(_pattern(float_arithmetic.EXP)),
        "power": _real(_pattern(float_arithmetic.POWER)),
        "lower": lambda _, __, texts: text_values.in_case(texts[0], upper=False),
        "upper": lambda _, __, texts: text_values.in_case(texts[0], upper=True),
        **{
            name: _real(_pattern(f"CASE WHEN ABS({{a}}) < {float_arithmetic.INFINITY} THEN {name}({{a}}) END"))
            for name in RINGS
        },
        **{
            name: _real(_pattern(f"CASE WHEN {{a}} BETWEEN -1 AND 1 THEN {name}({{a}}) END"))
            for name in ("asin", "acos")
        },
        "trim": lambda _, __, texts: f"BTRIM({texts[0]}, {texts[1]})",
        "position": lambda _, __, texts: f"CAST(STRPOS({texts[0]}, {texts[1]}) AS BIGINT)",
        "reverse": lambda _, __, texts: f"REVERSE({texts[0]})",
        "regexp_matches": lambda dialect, call, texts: f"({texts[0]} ~ {pattern(dialect, call)})",
        "regexp_extract": _extract,
        "last_day": lambda _, __, texts: (
            f"CAST(DATE_TRUNC('month', CAST({texts[0]} AS TIMESTAMP)) + INTERVAL '1 month -1 day' AS DATE)"
        ),
        "add_months": _add_months,
        "microseconds": lambda _, __, texts: f"CAST(EXTRACT(EPOCH FROM {texts[0]}) * 1000000 AS BIGINT)",
        "from_microseconds": _from_microseconds,
        "length": lambda _, __, texts: f"CAST(LENGTH({texts[0]}) AS BIGINT)",
        "substring": _substring,
    }
)
