# ruff: noqa: S608 - SQL is printed from typed nodes, never from the text of an analyst
"""Text values: what a text says, where PostgreSQL would raise an error, and how a number is written as one."""

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

from privet.query.backends.postgres import float_arithmetic
from privet.query.backends.postgres.literals import FENCE, named, quoted, real, text_of
from privet.query.functions.letters import lower_table, upper_table
from privet.query.functions.spelling import DATE_TEXT, END, LONGEST_NUMBER, REAL_TEXT, SPACE, TIMESTAMP_TEXT
from privet.query.scalars.facts import Type

LONG = 1 << 62  # whole numbers read from texts stay within this
DIGITS = 60
# what is rounded to an infinity, and to 0; both a little inside, because a text that is read must not raise an error
HUGE = Context(prec=DIGITS, rounding=ROUND_FLOOR).create_decimal(Decimal(2**1024 - 2**970))
TINY = Context(prec=DIGITS, rounding=ROUND_CEILING).divide(Decimal(1), Decimal(2**1075))
SIGN_TEXT = f"{SPACE}([+-]?)"
DIGITS_TEXT = f"{SPACE}[+-]?0*([0-9]{{1,39}}){END}"
LONG_MONTHS, SHORT_MONTHS = "('01', '03', '05', '07', '08', '10', '12')", "('04', '06', '09', '11')"
LEAP = (
    "MOD(CAST(SUBSTRING({a} FROM 1 FOR 4) AS INTEGER), 4) = 0 AND (MOD(CAST(SUBSTRING({a} FROM 1 FOR 4) AS INTEGER), "
    "100) <> 0 OR MOD(CAST(SUBSTRING({a} FROM 1 FOR 4) AS INTEGER), 400) = 0)"
)
REAL_DAY = (  # a text of the form 2024-12-31
    f"CASE WHEN SUBSTRING({{a}} FROM 9 FOR 2) NOT BETWEEN '01' AND '31' THEN FALSE "
    f"WHEN SUBSTRING({{a}} FROM 6 FOR 2) IN {LONG_MONTHS} THEN TRUE "
    f"WHEN SUBSTRING({{a}} FROM 6 FOR 2) IN {SHORT_MONTHS} THEN SUBSTRING({{a}} FROM 9 FOR 2) <= '30' "
    "WHEN SUBSTRING({a} FROM 6 FOR 2) = '02' THEN SUBSTRING({a} FROM 9 FOR 2) <= CASE WHEN "
    f"{LEAP} THEN '29' ELSE '28' END ELSE FALSE END"
)


def exact_real(text: str) -> str:
    """A number of any size as a float: infinite where it is too large, 0 where it is too small."""
    return named(
        f"CASE WHEN {{a}} = CAST('NaN' AS NUMERIC) THEN NULL WHEN {{a}} >= {HUGE:f} THEN {real(float('inf'))} "
        f"WHEN {{a}} <= -{HUGE:f} THEN {real(float('-inf'))} WHEN ABS({{a}}) <= CAST('{TINY:E}' AS NUMERIC) "
        f"THEN {real(0.0)} ELSE CAST({{a}} AS DOUBLE PRECISION) END",
        a=text,
    )


def _matched(pattern: str, name: str = "{a}") -> str:
    return f"SUBSTRING({name} FROM {quoted(pattern).replace('{', '{{').replace('}', '}}')})"


def from_text(text: str, target: Type) -> str:
    """What a text says, if it says it plainly; see `functions/spelling.py`."""
    match target:
        case Type.INTEGER:
            whole = f"CAST({_matched(SIGN_TEXT)} || {_matched(DIGITS_TEXT)} AS NUMERIC)"
            pattern = f"CASE WHEN LENGTH({{a}}) <= {LONGEST_NUMBER} THEN COALESCE({whole}, {{b}}) END"
            return within(named(pattern, a=text, b=float_arithmetic.whole(from_text(text, Type.REAL))), -LONG, LONG)
        case Type.REAL:
            return _real_from_text(text)
        case Type.BOOLEAN:
            word = "LOWER(BTRIM({a}, ' ') COLLATE \"C\")"
            return named(
                f"CASE WHEN {word} IN ('true', 't', '1') THEN TRUE WHEN {word} IN ('false', 'f', '0') THEN FALSE END",
                a=text,
            )
        case Type.DATE:
            found = named(_matched(DATE_TEXT), a=text)
            return named(f"CASE WHEN {REAL_DAY} THEN CAST({{a}} AS DATE) END", a=found)
        case Type.TIMESTAMP:
            found = named(_matched(TIMESTAMP_TEXT), a=text)
            return named(f"CASE WHEN {REAL_DAY} THEN CAST({{a}} AS TIMESTAMP) END", a=found)
        case _:
            return text


def _real_from_text(text: str) -> str:
    """The exponent is held to 4 digits, so that the number can be looked at before it is made a float."""
    found = named(f"CASE WHEN LENGTH({{a}}) <= {LONGEST_NUMBER} THEN {_matched(REAL_TEXT)} END", a=text)
    power = "LEAST(GREATEST(CAST(COALESCE(SUBSTRING({a} FROM '[eE](.*)$'), '0') AS NUMERIC), -9999), 9999)"
    number = f"CAST(SUBSTRING({{a}} FROM '^[^eE]*') || 'e' || CAST({power} AS TEXT) AS NUMERIC)"
    pattern = (
        f"CASE WHEN ABS({{b}}) >= {HUGE:f} THEN CASE WHEN {{b}} > 0 THEN {real(float('inf'))} "
        f"ELSE {real(float('-inf'))} END WHEN ABS({{b}}) <= CAST('{TINY:E}' AS NUMERIC) THEN {real(0.0)} "
        "ELSE CAST({a} AS DOUBLE PRECISION) END"
    )
    inner = f"SELECT a, {number.format(a='q1.a')} AS b FROM (SELECT {found} AS a{FENCE}) AS q1{FENCE}"
    return f"(SELECT {pattern.format(a='q2.a', b='q2.b')} FROM ({inner}) AS q2)"


def within(text: str, low: int, high: int) -> str:
    """A whole number of any size as one of 64 bits; NULL outside, and NULL if it is NULL. The text is used once."""
    held = f"LEAST(GREATEST({text}, {low - 1}), {high + 1})"
    return f"CAST(NULLIF(NULLIF({held}, {low - 1}), {high + 1}) AS BIGINT)"


def real_as_text(text: str) -> str:
    """As Python and DuckDB write it: 1.0, not 1; 1e+16, but 1000000000000000.0."""
    plain = "CAST({a} AS TEXT)"
    pattern = (
        f"CASE WHEN ABS({{a}}) = {real(float('inf'))} THEN CASE WHEN {{a}} > 0 THEN 'inf' ELSE '-inf' END "
        f"WHEN ABS({{a}}) >= {real(1e15)} AND ABS({{a}}) < {real(1e16)} "
        f"THEN REGEXP_REPLACE(CAST(CAST({plain} AS NUMERIC) AS TEXT), '^(-?[0-9]+)$', '\\1.0') "
        f"ELSE REGEXP_REPLACE({plain}, '^(-?[0-9]+)$', '\\1.0') END"
    )
    return text_of(named(pattern, a=text))


def in_case(text: str, *, upper: bool) -> str:
    """In upper or lower case by our own list of letters; ASCII, which is most of what there is, by the engine."""
    old, new = upper_table() if upper else lower_table()
    word = "UPPER" if upper else "LOWER"
    letters = f"TRANSLATE({{a}}, {quoted(old)}, {quoted(new)})"
    pattern = f'CASE WHEN OCTET_LENGTH({{a}}) = LENGTH({{a}}) THEN {word}({{a}} COLLATE "C") ELSE {letters} END'
    return text_of(named(pattern, a=text))


def plainly_whole(text: str) -> str:
    """The whole number that a text consists of; else NULL."""
    whole = f"CAST({_matched(SIGN_TEXT)} || {_matched(DIGITS_TEXT)} AS NUMERIC)"
    return within(named(f"CASE WHEN LENGTH({{a}}) <= {LONGEST_NUMBER} THEN {whole} END", a=text), -LONG, LONG)
