"""Functions that Spark writes, or computes, unlike other engines; each as `functions/` has it."""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import NoReturn

from privet.errors import InvalidParameter
from privet.query.backends.shared_dialect import within
from privet.query.functions import letters
from privet.query.functions.curves import CURVES
from privet.query.functions.patterns import sizes
from privet.query.printing.dialect import Dialect, Template
from privet.query.printing.template_arguments import all_whole, as_reals, as_typed, digits_of, number_of, word_of
from privet.query.printing.text_templates import cut_where_longer, pattern
from privet.query.printing.time_templates import MICROSECONDS, few_months, within_years
from privet.query.scalars.expressions import Call
from privet.query.scalars.facts import Type

VERY_END = "\\z"  # in Java
EXACT = float(1 << 53)  # real numbers from here on are whole


def _arithmetic(whole: str, real: str) -> Template:
    """Whole numbers where all arguments are, NULL where they overflow; else real ones."""

    def template(dialect: Dialect, call: Call, texts: list[str]) -> str:
        if all_whole(call):
            return as_typed(dialect, whole.format(*texts), Type.INTEGER, call)
        text = dialect.number(real.format(*as_reals(dialect, call, texts)))
        return as_typed(dialect, text, Type.REAL, call)

    return template


def floored(dialect: Dialect, text: str, word: str = "FLOOR") -> str:
    """FLOOR or CEIL of a real number as one: Spark's is a whole number of 64 bits, which holds no large ones."""
    few = f"ABS({text}) < {dialect.literal(EXACT, Type.REAL)}"
    return f"CASE WHEN {few} THEN CAST({word}({text}) AS DOUBLE) ELSE {text} END"


def _rounding(word: str) -> Template:
    def template(dialect: Dialect, call: Call, texts: list[str]) -> str:
        (number,) = as_reals(dialect, call, texts)
        if call.facts.type is Type.INTEGER:  # as far as it surely fits, and then Spark's own is right
            return f"{word}({number})"
        return as_typed(dialect, floored(dialect, number, word), Type.REAL, call)

    return template


def _integer_divide(dialect: Dialect, call: Call, texts: list[str]) -> str:
    if all_whole(call):
        a, b = texts
        less = f"CASE WHEN ({a}) % ({b}) <> 0 AND (({a}) < 0) <> (({b}) < 0) THEN 1 ELSE 0 END"
        text = f"CASE WHEN {b} = 0 THEN NULL WHEN {b} = -1 THEN TRY_SUBTRACT(0, {a}) ELSE ({a}) DIV ({b}) - {less} END"
        return as_typed(dialect, f"CAST({text} AS BIGINT)", Type.INTEGER, call)
    a, b = as_reals(dialect, call, texts)
    quotient = dialect.number(f"({a} / NULLIF({b}, 0))")
    return as_typed(dialect, floored(dialect, quotient), Type.REAL, call)


def _round(dialect: Dialect, call: Call, texts: list[str]) -> str:
    """A power of ten away, to the next whole number, and back; what would be infinite then stays as it is."""
    digits = digits_of(call)
    number = as_reals(dialect, call, texts[:1])[0]
    power = dialect.literal(float(10 ** abs(digits)), Type.REAL)
    there, back = ("*", "/") if digits >= 0 else ("/", "*")
    moved = f"({number} {there} {power})"
    near = f"(ROUND({moved}, 0) {back} {power})"
    text = f"CASE WHEN ABS({near}) < {dialect.literal(math.inf, Type.REAL)} THEN {near} ELSE {number} END"
    return as_typed(dialect, text, Type.REAL, call)


def _translated(table: tuple[str, str]) -> Template:
    def template(dialect: Dialect, _: Call, texts: list[str]) -> str:
        old, new = (dialect.literal(letters_, Type.TEXT) for letters_ in table)
        return f"TRANSLATE({texts[0]}, {old}, {new})"

    return template


def _extreme(word: str) -> Template:
    return lambda _, __, texts: texts[0] if len(texts) == 1 else f"{word}({', '.join(texts)})"


def _like(_: Dialect, __: Call, texts: list[str]) -> str:
    escape = f" ESCAPE {texts[2]}" if len(texts) > 2 else ""  # noqa: PLR2004 - a sign
    return f"({texts[0]} LIKE {texts[1]}{escape})"


def _trimmed(side: str) -> Template:
    return lambda _, __, texts: f"TRIM({side} {texts[1]} FROM {texts[0]})"


def _add_months(dialect: Dialect, call: Call, texts: list[str]) -> str:
    moment, months = texts
    few = f"CAST({few_months(months)} AS INT)"
    is_date = call.facts.type is Type.DATE
    later = f"ADD_MONTHS({moment}, {few})" if is_date else f"({moment} + MAKE_YM_INTERVAL(0, {few}))"
    return within_years(dialect, moment, months, later)


def _extract(dialect: Dialect, call: Call, texts: list[str]) -> str:
    return f"REGEXP_EXTRACT({texts[0]}, {pattern(dialect, call, end=VERY_END)}, {number_of(call.arguments[2])})"


def _replace(dialect: Dialect, call: Call, texts: list[str]) -> str:
    """Java gives $ a meaning in what is put in."""
    new = dialect.quoted(word_of(call.arguments[2]).replace("$", "\\$"))
    text = f"REGEXP_REPLACE({texts[0]}, {pattern(dialect, call, end=VERY_END)}, {new})"
    return cut_where_longer(dialect, call, text, *sizes(call.arguments))


def _from_microseconds(_: Dialect, __: Call, texts: list[str]) -> str:
    moment = within(texts[0], *map(str, MICROSECONDS))
    return f"CAST(TIMESTAMP_MICROS({moment}) AS TIMESTAMP_NTZ)"


def _refused(function: str) -> Template:
    def template(*_: object) -> NoReturn:
        raise InvalidParameter(
            f"{function} is not computed on Spark: Java's may differ from others' in the last digit; leave it out"
        )

    return template


SPARK: Mapping[str, Template] = MappingProxyType(
    {
        "add": _arithmetic("TRY_ADD({0}, {1})", "({0} + {1})"),
        "subtract": _arithmetic("TRY_SUBTRACT({0}, {1})", "({0} - {1})"),
        "multiply": _arithmetic("TRY_MULTIPLY({0}, {1})", "({0} * {1})"),
        "negate": _arithmetic("TRY_SUBTRACT(CAST(0 AS BIGINT), {0})", "(-({0}))"),
        "abs": _arithmetic("CASE WHEN {0} < 0 THEN TRY_SUBTRACT(CAST(0 AS BIGINT), {0}) ELSE {0} END", "ABS({0})"),
        "integer_divide": _integer_divide,
        "modulo": _arithmetic("(({0}) % NULLIF({1}, 0))", "(({0}) % NULLIF({1}, 0))"),
        "round": _round,
        "floor": _rounding("FLOOR"),
        "ceil": _rounding("CEIL"),
        "sqrt": lambda dialect, call, texts: dialect.number(f"SQRT({as_reals(dialect, call, texts)[0]})"),
        "ln": _refused("LN"),
        "log10": _refused("LOG10"),
        "exp": _refused("EXP"),
        "power": _refused("POWER"),
        **{name: _refused(name.upper()) for name in CURVES},
        "least": _extreme("LEAST"),
        "greatest": _extreme("GREATEST"),
        "like": _like,
        "starts_with": lambda _, __, texts: f"STARTSWITH({texts[0]}, {texts[1]})",
        "lower": _translated(letters.lower_table()),
        "upper": _translated(letters.upper_table()),
        "trim": _trimmed("BOTH"),
        "ltrim": _trimmed("LEADING"),
        "rtrim": _trimmed("TRAILING"),
        "position": lambda _, __, texts: f"CAST(INSTR({texts[0]}, {texts[1]}) AS BIGINT)",
        "regexp_matches": lambda dialect, call, texts: f"({texts[0]} RLIKE {pattern(dialect, call, end=VERY_END)})",
        "regexp_extract": _extract,
        "regexp_replace": _replace,
        "reverse": lambda _, __, texts: f"REVERSE({texts[0]})",
        "add_months": _add_months,
        "microseconds": lambda _, __, texts: f"UNIX_MICROS(CAST({texts[0]} AS TIMESTAMP))",
        "from_microseconds": _from_microseconds,
        "length": lambda _, __, texts: f"CAST(LENGTH({texts[0]}) AS BIGINT)",
    }
)
