"""Random expressions and rows for property tests: every function, on values that fit the columns' facts."""

import datetime as dt
from collections.abc import Callable
from fractions import Fraction

from hypothesis import assume
from hypothesis import strategies as st

from privet.errors import InvalidParameter
from privet.query.functions import call
from privet.query.scalars.dates import EPOCH, day_of, second_of
from privet.query.scalars.expressions import Column, Expression, Literal, Reference, columns_in, facts_of
from privet.query.scalars.facts import Facts, Type, Value

INTEGERS = (
    Facts(Type.INTEGER, nullable=False, low=Fraction(0), high=Fraction(110)),
    Facts(Type.INTEGER, nullable=True, low=Fraction(-3), high=Fraction(4)),
    Facts(Type.INTEGER, nullable=True),
    Facts(Type.INTEGER, nullable=False, low=Fraction(-(2**40)), high=Fraction(2**61)),
    Facts(Type.INTEGER, nullable=True, values=(1, 2, 5), low=Fraction(1), high=Fraction(5)),
)
REALS = (
    Facts(Type.REAL, nullable=True, low=Fraction(0), high=Fraction(5000)),
    Facts(Type.REAL, nullable=False, low=Fraction(-1, 2), high=Fraction(1, 2)),
    Facts(Type.REAL, nullable=True),
    Facts(Type.REAL, nullable=False, low=Fraction(1), high=None),
)
TEXTS = (Facts(Type.TEXT, nullable=True), Facts(Type.TEXT, nullable=False, values=("F", "M", "3", "2024-02-29")))
BOOLEANS = (Facts(Type.BOOLEAN, nullable=True), Facts(Type.BOOLEAN, nullable=False))
DATES = (Facts(Type.DATE, nullable=False, low=Fraction(19_000), high=Fraction(20_000)), Facts(Type.DATE, nullable=True))
TIMESTAMPS = (
    Facts(Type.TIMESTAMP, nullable=True),
    Facts(Type.TIMESTAMP, nullable=False, low=Fraction(0), high=Fraction(10**9)),
)
COLUMNS = {
    type_: tuple(Column(f"{type_.value}{place}", facts) for place, facts in enumerate(kinds))
    for type_, kinds in {
        Type.INTEGER: INTEGERS,
        Type.REAL: REALS,
        Type.TEXT: TEXTS,
        Type.BOOLEAN: BOOLEANS,
        Type.DATE: DATES,
        Type.TIMESTAMP: TIMESTAMPS,
    }.items()
}
NUMERIC = (Type.INTEGER, Type.REAL)
TIMES = (Type.DATE, Type.TIMESTAMP)

SAMPLES = {
    Type.INTEGER: (-7, -1, 0, 1, 2, 10, 110, 2**50),
    Type.REAL: (-2.5, -0.5, 0.0, 0.25, 1.0, 1.5, 99.9, 1e300),
    Type.TEXT: ("", "F", "abc", " 12 ", "2024-02-29", "Ä_%"),
    Type.BOOLEAN: (True, False),
    Type.DATE: ("1969-12-31", "2023-01-01", "2024-02-29", "9999-12-31", "0001-01-01"),
    Type.TIMESTAMP: ("1970-01-01 00:00:00", "2001-09-09 01:46:40", "2024-02-29 23:59:59.500000"),
}


def values_of(facts: Facts) -> st.SearchStrategy[Value]:
    """Values that a column with these facts can hold."""
    if facts.values is not None:
        found: st.SearchStrategy[Value] = st.sampled_from(facts.values)
    elif facts.type is Type.INTEGER:
        low, high = (None if end is None else int(end) for end in (facts.low, facts.high))
        least = -(2**62) if low is None else low
        most = 2**62 if high is None else high
        usual = [value for value in (-1, 0, 1, 2, least, most) if least <= value <= most]
        found = st.sampled_from(usual) | st.integers(least, most)
    elif facts.type is Type.REAL:
        low_, high_ = (None if end is None else float(end) for end in (facts.low, facts.high))
        usual_ = [value for value in (-0.5, 0.0, 0.5, 1.0, low_, high_) if value is not None]
        inside = [value for value in usual_ if (low_ is None or value >= low_) and (high_ is None or value <= high_)]
        found = st.sampled_from(inside) | st.floats(low_, high_, allow_nan=False, allow_infinity=facts.high is None)
    elif facts.type is Type.DATE:
        ends = [None if end is None else EPOCH + dt.timedelta(days=int(end)) for end in (facts.low, facts.high)]
        found = st.dates(ends[0] or dt.date.min, ends[1] or dt.date.max).map(dt.date.isoformat)
    elif facts.type is Type.TIMESTAMP:
        last = dt.datetime(2001, 9, 9, 1, 46, 40) if facts.high is not None else dt.datetime.max  # noqa: DTZ001, DTZ901 - a wall clock
        found = st.datetimes(dt.datetime(1970, 1, 1), last).map(lambda moment: moment.isoformat(sep=" "))  # noqa: DTZ001 - a wall clock
    else:
        found = st.booleans() if facts.type is Type.BOOLEAN else st.text(max_size=4)
    return st.none() | found if facts.nullable else found


def literal(type_: Type) -> st.SearchStrategy[Expression]:
    return st.sampled_from([Literal(value, type_) for value in SAMPLES[type_]])


@st.composite
def expressions(draw: st.DrawFn, type_: Type, depth: int = 2) -> Expression:
    """An expression of a type."""
    if depth == 0 or draw(st.integers(0, 4)) == 0:
        return draw(st.sampled_from([Reference(column) for column in COLUMNS[type_]]) | literal(type_))

    def part(*types: Type) -> Expression:
        return draw(expressions(draw(st.sampled_from(types)), depth - 1))

    name = draw(st.sampled_from(MAKERS[type_]))
    arguments = part
    try:
        made = call(name, *_arguments(draw, name, type_, arguments))
    except InvalidParameter:
        assume(condition=False)
        raise
    if facts_of(made).type is not type_ and type_.numeric and facts_of(made).type.numeric:
        made = call(f"cast_{type_.value}", made)
    assume(facts_of(made).type is type_)
    return made


def _arguments(  # noqa: C901, PLR0911, PLR0912 - one line for each shape
    draw: st.DrawFn, name: str, type_: Type, part: Callable[..., Expression]
) -> tuple[Expression, ...]:
    any_type = draw(st.sampled_from(list(Type)))
    match name:
        case "add" | "subtract" | "multiply" | "divide" | "integer_divide" | "modulo" | "power":
            return part(*NUMERIC), part(*NUMERIC)
        case "negate" | "abs" | "sign" | "floor" | "ceil" | "sqrt" | "ln" | "log10" | "exp":
            return (part(*NUMERIC),)
        case "atan2":
            return part(*NUMERIC), part(*NUMERIC)
        case "sin" | "cos" | "tan" | "asin" | "acos" | "atan" | "cbrt":
            return (part(*NUMERIC),)
        case "round":
            return part(*NUMERIC), Literal(draw(st.integers(-3, 3)), Type.INTEGER)
        case "clip":
            ends = sorted(draw(st.tuples(st.integers(-9, 9), st.integers(-9, 9))))
            return part(*NUMERIC), *(Literal(end, Type.INTEGER) for end in ends)
        case "eq" | "ne" | "lt" | "le" | "gt" | "ge":
            return part(any_type), part(any_type)
        case "and" | "or":
            return part(Type.BOOLEAN), part(Type.BOOLEAN)
        case "not":
            return (part(Type.BOOLEAN),)
        case "is_null":
            return (part(any_type),)
        case "in":
            return part(any_type), draw(literal(any_type)), draw(literal(any_type))
        case "like" | "starts_with":
            return part(Type.TEXT), Literal(draw(st.sampled_from(["%a%", "_", "F", ""])), Type.TEXT)
        case "case":
            return part(Type.BOOLEAN), part(type_), part(Type.BOOLEAN), part(type_), part(type_)
        case "coalesce" | "nullif" | "least" | "greatest":
            return part(type_), part(type_)
        case "substring":
            return part(Type.TEXT), Literal(draw(st.integers(1, 3)), Type.INTEGER), Literal(2, Type.INTEGER)
        case "lower" | "upper" | "length" | "reverse":
            return (part(Type.TEXT),)
        case "trim" | "ltrim" | "rtrim" | "position":
            return part(Type.TEXT), Literal(draw(st.sampled_from([" ", "a2", "F"])), Type.TEXT)
        case "regexp_matches":
            return part(Type.TEXT), Literal(draw(st.sampled_from(["^[a-z]+$", "a.*2", r"\d{2}-(02|03)"])), Type.TEXT)
        case "regexp_extract":
            return part(Type.TEXT), Literal(r"([0-9]+)-\w?", Type.TEXT), _whole(draw(st.integers(0, 1)))
        case "regexp_replace":
            return part(Type.TEXT), Literal("[^a]", Type.TEXT), Literal("bc" * 20, Type.TEXT)
        case "split_part":
            place = draw(st.sampled_from([1, 2, -1]))
            return part(Type.TEXT), Literal(draw(st.sampled_from(["-", "b", "2-"])), Type.TEXT), _whole(place)
        case "replace":
            words = draw(st.sampled_from([("a", "bc" * 20), ("2", ""), ("ab", "x")]))
            return part(Type.TEXT), *(Literal(word, Type.TEXT) for word in words)
        case "lpad" | "rpad":
            return part(Type.TEXT), _whole(draw(st.sampled_from([0, 2, 9]))), Literal("xy", Type.TEXT)
        case "right":
            return part(Type.TEXT), _whole(draw(st.integers(0, 3)))
        case "concat":
            return part(any_type), part(Type.TEXT)
        case "days_between":
            return part(*TIMES), part(*TIMES)
        case "add_days" | "add_months":
            return part(type_), part(Type.INTEGER)
        case "from_microseconds":
            return (part(Type.INTEGER),)
        case _ if name.startswith("cast_"):
            return (part(any_type),)
        case _:
            return (part(*TIMES),)


def _whole(value: int) -> Literal:
    return Literal(value, Type.INTEGER)


CURVES = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "cbrt")
PIECES = (
    "ltrim",
    "rtrim",
    "split_part",
    "replace",
    "lpad",
    "rpad",
    "right",
    "reverse",
    "regexp_extract",
    "regexp_replace",
)
CHOOSING = ("case", "coalesce", "nullif")
COMPUTED = (
    "add",
    "subtract",
    "multiply",
    "integer_divide",
    "modulo",
    "negate",
    "abs",
    "clip",
    "round",
    "floor",
    "ceil",
)
PARTS = (
    *("year", "quarter", "month", "week", "iso_year", "day", "hour", "minute", "second", "day_of_week", "day_of_year"),
    "microseconds",
)
STARTS = ("trunc_year", "trunc_quarter", "trunc_month", "trunc_week", "trunc_day", "last_day")
MAKERS: dict[Type, tuple[str, ...]] = {
    Type.INTEGER: (
        *(*COMPUTED, *CHOOSING, *PARTS, "least", "greatest", "sign", "length", "position", "days_between"),
        "cast_integer",
    ),
    Type.REAL: (*COMPUTED, *CHOOSING, "least", "divide", "sqrt", "ln", "log10", "exp", "power", *CURVES, "cast_real"),
    Type.TEXT: (*CHOOSING, "greatest", "lower", "upper", "trim", "substring", "concat", *PIECES, "cast_text"),
    Type.BOOLEAN: (
        *(
            "eq",
            "ne",
            "lt",
            "le",
            "gt",
            "ge",
            "and",
            "or",
            "not",
            "is_null",
            "in",
            "like",
            "starts_with",
            "regexp_matches",
        ),
        *CHOOSING,
        "cast_boolean",
    ),
    Type.DATE: (*CHOOSING, "least", *STARTS, "add_days", "add_months", "cast_date"),
    Type.TIMESTAMP: (*CHOOSING, "greatest", "add_days", "add_months", "from_microseconds", "cast_timestamp"),
}


@st.composite
def rows(draw: st.DrawFn, expression: Expression) -> dict[Column, Value]:
    """A row that fits the facts of the columns an expression reads."""
    columns = sorted(columns_in(expression), key=lambda column: column.name)
    return {column: draw(values_of(column.facts)) for column in columns}


def place(value: Value, type_: Type) -> Fraction | None:
    """Where a value lies, on the axis of its type's bounds; None if it has none."""
    if value is None or isinstance(value, bool) or type_ is Type.TEXT:
        return None
    if type_ is Type.DATE:
        day = day_of(str(value))
        return None if day is None else Fraction(day)
    if type_ is Type.TIMESTAMP:
        return second_of(str(value))
    number = value if isinstance(value, int) else float(value)
    return Fraction(number) if abs(number) < float("inf") else None


def fits(value: Value, facts: Facts) -> bool:
    """Whether facts tell the truth about a value, up to a float's rounding; infinities are clipped later."""
    if value is None:
        return facts.nullable
    if facts.values is not None and value not in facts.values:
        return False
    if isinstance(value, float) and not facts.type.numeric:
        return False
    if isinstance(value, str) and facts.longest is not None and len(value) > facts.longest:
        return False
    at = place(value, facts.type)
    if at is None:
        return True
    slack = (abs(at) + 1) / 2**40 if facts.type is Type.REAL else Fraction(0)
    return (facts.low is None or at >= facts.low - slack) and (facts.high is None or at <= facts.high + slack)
