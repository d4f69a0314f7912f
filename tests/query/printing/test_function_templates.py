"""Every function, fed with extreme values: no error, and the value that Python has for it."""

import datetime as dt
import itertools
import math
from collections.abc import Callable, Sequence

import pyarrow as pa
import pytest

from privet.errors import InvalidParameter
from privet.query.backends.duckdb.dialect import DuckDBDialect
from privet.query.backends.group_keys import plain_value
from privet.query.functions import FUNCTIONS, call, evaluate
from privet.query.printing.function_templates import TEMPLATES, print_expression
from privet.query.scalars.expressions import Call, Column, Expression, Literal, Reference, facts_of
from privet.query.scalars.facts import Facts, Type, Value
from tests.support.bare_engine import execute

WHOLE = [None, 0, 1, -1, 2, 3, -7, 10**6, 2**31, 2**53 + 1, 2**62, -(2**62), 2**63 - 1, -(2**63)]
REAL = [None, 0.0, 0.5, -0.5, 1.0, 1.5, 2.5, -2.5, -7.25, 5e-324, 1e-300, 1e15, 2.0**53, 1e18, 1e19, 1e300, -1e308]
REAL += [2.0**62, -(2.0**62), 5e18, -9e18, 1.7976931348623157e308, math.inf, -math.inf, 710.0, -745.2]
TEXT = [
    None,
    "",
    "a",
    "A b",
    "  pad ",
    "%",
    "_",
    "a%b",
    "é",
    "日本",
    "x" * 300,
    "12",
    " -7 ",
    "2.5",
    "1e3",
    "1e400",
    "abc",
]
TEXT += [
    "2024-02-29",
    "2023-02-29",
    "0000-01-01",
    "9999-12-31",
    "2024-01-01 10:30:00",
    "2024-01-01T25:00:00",
    "true",
    "F",
]
TEXT += [
    "'",
    '"',
    "\\",
    "\n",
    "a\0b",
    "9223372036854775807",
    "4611686018427387904",
    "4611686018427387905",
    "0x10",
    "--",
]
DATE = [
    None,
    "0001-01-01",
    "0001-01-03",
    "1900-02-28",
    "1969-12-31",
    "1970-01-01",
    "2000-02-29",
    "2024-12-30",
    "9999-12-31",
]
STAMP = [
    None,
    "0001-01-01 00:00:00",
    "1969-12-31 23:59:59",
    "1970-01-01 00:00:00",
    "2024-02-29 12:30:45",
    "9999-12-31 23:59:59",
]
BOOLEAN = [None, True, False]
SAMPLES: dict[Type, list[Value]] = {
    Type.INTEGER: list(WHOLE),
    Type.REAL: list(REAL),
    Type.TEXT: list(TEXT),
    Type.DATE: list(DATE),
    Type.TIMESTAMP: list(STAMP),
    Type.BOOLEAN: list(BOOLEAN),
}
ARROW = {
    Type.BOOLEAN: pa.bool_(),
    Type.INTEGER: pa.int64(),
    Type.REAL: pa.float64(),
    Type.TEXT: pa.string(),
    Type.DATE: pa.date32(),
    Type.TIMESTAMP: pa.timestamp("us"),
}
NUMBERS, TIMES = (Type.INTEGER, Type.REAL), (Type.DATE, Type.TIMESTAMP)
ONE = {
    **dict.fromkeys(("negate", "abs", "sign", "floor", "ceil", "sqrt", "ln", "log10", "exp"), NUMBERS),
    **dict.fromkeys(("sin", "cos", "tan", "asin", "acos", "atan", "cbrt"), NUMBERS),
    **dict.fromkeys(("lower", "upper", "trim", "ltrim", "rtrim", "length", "reverse"), (Type.TEXT,)),
    **dict.fromkeys(("year", "quarter", "month", "week", "iso_year", "day", "day_of_week", "day_of_year"), TIMES),
    **dict.fromkeys(("hour", "minute", "second", "microseconds"), TIMES),
    **dict.fromkeys(("trunc_year", "trunc_quarter", "trunc_month", "trunc_week", "trunc_day", "last_day"), TIMES),
    "from_microseconds": (Type.INTEGER,),
    "not": (Type.BOOLEAN,),
    "is_null": tuple(Type),
    "cast_integer": (Type.BOOLEAN, Type.INTEGER, Type.REAL, Type.TEXT),
    "cast_real": (Type.BOOLEAN, Type.INTEGER, Type.REAL, Type.TEXT),
    "cast_text": tuple(Type),
    "cast_boolean": (Type.BOOLEAN, Type.INTEGER, Type.TEXT),
    "cast_date": (Type.TEXT, *TIMES),
    "cast_timestamp": (Type.TEXT, *TIMES),
}
TWO = {
    **dict.fromkeys(("eq", "ne", "lt", "le", "gt", "ge", "nullif", "coalesce", "least", "greatest"), tuple(Type)),
    **dict.fromkeys(("add", "subtract", "multiply", "divide", "integer_divide", "modulo", "power"), NUMBERS),
    **dict.fromkeys(("and", "or"), (Type.BOOLEAN,)),
    "atan2": NUMBERS,
    "concat": (Type.TEXT,),
    "days_between": (Type.DATE,),
}


def word(text: str) -> Literal:
    return Literal(text, Type.TEXT)


def whole(number: int) -> Literal:
    return Literal(number, Type.INTEGER)


FOUND = (
    *(
        "a",
        "^a$",
        "^.$",
        "^[^a]*$",
        r"\d+\.\d*",
        "^(a|é|日).",
        r"[\]\-\\^%'&~|]",
        "x{99}",
        "^ *(pad|abc) *$",
        "[0-9]+e",
    ),
    *(r"\s$", r"\W", "a.*b", "^(2024|9999)-[0-9]{2}-(29|31)", "(A|a) ?b", r"\$", "^$", "本"),
)
CUT = (
    *(("[0-9]+", 0), ("([0-9]{4})-([0-9]{2})", 2), ("^[a-z]*", 0), ("(é|x{2})", 1), (r"\w+$", 0), ("[^0-9 -]+", 0)),
    ("(20|99)[0-9]{2}(-[0-9]{2}){1,2}", 1),
)
EXCHANGED = (("[0-9]", ""), ("x", "é" * 100), ("[^ -~]+", "$1"), (r"\s", "&"), ("^a", "%"), ("-?[0-9]+", "n"))
LITERALS: list[tuple[str, Type, tuple[Literal, ...]]] = [
    *(("like", Type.TEXT, (word(text), word("!"))) for text in ("a!%b", "!_", "%!!%", "%!%%", "")),
    ("like", Type.TEXT, (word("\\%%"), word("\\"))),
    *(("regexp_matches", Type.TEXT, (word(text),)) for text in FOUND),
    *(("regexp_extract", Type.TEXT, (word(text), whole(group))) for text, group in CUT),
    *(("regexp_replace", Type.TEXT, (word(text), word(new))) for text, new in EXCHANGED),
    *(("position", Type.TEXT, (word(text),)) for text in ("a", "b", "本", "'", "2-", "\\", "%")),
    *(("split_part", Type.TEXT, (word("-"), whole(place))) for place in (1, 2, -1, 1_000, -1_000)),
    *(("split_part", Type.TEXT, (word(text), whole(2))) for text in (" ", "'", "a", ".", "|", "本", "xx")),
    *(("replace", Type.TEXT, (word(old), word(new))) for old, new in (("a", ""), ("xx", "y"), ("x", "é" * 100))),
    *(("replace", Type.TEXT, (word(old), word(new))) for old, new in (("'", "$1"), ("\\", "\\1"), ("é", "%"))),
    *((name, Type.TEXT, (whole(size), word("ab"))) for name in ("lpad", "rpad") for size in (0, 1, 5, 1_000)),
    *((name, Type.TEXT, (whole(6), word("é👩"))) for name in ("lpad", "rpad")),
    *(("right", Type.TEXT, (whole(size),)) for size in (0, 1, 3, 2**62)),
    *((name, Type.TEXT, (word("aé' "),)) for name in ("trim", "ltrim", "rtrim")),
    *(("trim", Type.TEXT, (word(text),)) for text in ("\\", "x", "1e-]^")),
    *(
        ("add_months", kind, (whole(months),))
        for kind in TIMES
        for months in (0, 1, -1, 12, 119_000, -23_000, 120_001, -(2**62), 2**62)
    ),
    *(("round", kind, (Literal(digits, Type.INTEGER),)) for digits in (-12, -1, 0, 2, 12) for kind in NUMBERS),
    *(("like", Type.TEXT, (Literal(text, Type.TEXT),)) for text in ("%", "a_b", "%'%", "", "_", "%a%b%")),
    *(("starts_with", Type.TEXT, (Literal(text, Type.TEXT),)) for text in ("", "a", "'", "2024")),
    ("substring", Type.TEXT, (Literal(1, Type.INTEGER), Literal(2**62, Type.INTEGER))),
    ("substring", Type.TEXT, (Literal(2, Type.INTEGER), Literal(1, Type.INTEGER))),
    ("substring", Type.TEXT, (Literal(2**62, Type.INTEGER), Literal(0, Type.INTEGER))),
    ("in", Type.INTEGER, (Literal(1, Type.INTEGER), Literal(2**62, Type.INTEGER))),
    ("in", Type.TEXT, (Literal("'; DROP TABLE t; --", Type.TEXT), Literal("a\0b", Type.TEXT))),
    ("clip", Type.INTEGER, (Literal(-3, Type.INTEGER), Literal(10, Type.INTEGER))),
    ("clip", Type.REAL, (Literal(-3.5, Type.REAL), Literal(10, Type.INTEGER))),
    *(
        ("add_days", kind, (Literal(days, Type.INTEGER),))
        for kind in TIMES
        for days in (0, 1, -1, 3_000_000, -(2**62), 2**62)
    ),
]


EXACT: dict[str, Callable[..., int | None]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "negate": lambda a: -a,
    "abs": abs,
    "integer_divide": lambda a, b: None if b == 0 else a // b,
    "modulo": lambda a, b: None if b == 0 else (abs(a) % abs(b)) * (-1 if a < 0 else 1),
}


def columns(kinds: tuple[Type, ...]) -> tuple[tuple[Column, ...], list[tuple[Value, ...]]]:
    made = tuple(Column(f"x{n}", Facts(kind)) for n, kind in enumerate(kinds))
    return made, list(itertools.product(*(SAMPLES[kind] for kind in kinds)))


def in_engine(expression: Expression, made: tuple[Column, ...], rows: Sequence[tuple[Value, ...]]) -> list[Value]:
    names = {column: f"c{n}" for n, column in enumerate(made)}
    table = pa.table(
        {
            names[column]: pa.array([_arrow(row[n], column.facts.type) for row in rows], ARROW[column.facts.type])
            for n, column in enumerate(made)
        }
    )
    text = print_expression(expression, DuckDBDialect(), names.__getitem__)
    return [plain_value(row[0]) for row in execute(f"SELECT {text} FROM t", t=table)]  # noqa: S608 - printed by us


def _arrow(value: Value, kind: Type) -> object:
    if value is None or kind not in TIMES:
        return value
    return dt.date.fromisoformat(str(value)) if kind is Type.DATE else dt.datetime.fromisoformat(str(value))


def same(found: Value, wanted: Value) -> bool:
    if isinstance(found, float) and isinstance(wanted, float | int):
        return found == wanted or math.isclose(found, wanted, rel_tol=4e-16)  # the last bit of a logarithm
    return found == wanted and isinstance(found, bool) == isinstance(wanted, bool)


def check(expression: Expression, made: tuple[Column, ...], rows: list[tuple[Value, ...]]) -> None:
    found = in_engine(expression, made, rows)
    for row, value in zip(rows, found, strict=True):
        wanted = evaluate(expression, dict(zip(made, row, strict=True)))
        assert same(value, wanted), (row, value, wanted)


@pytest.mark.parametrize(("function", "kind"), [(name, kind) for name, kinds in ONE.items() for kind in kinds])
def test_a_function_of_one_argument(function: str, kind: Type) -> None:
    made, rows = columns((kind,))
    if function in {"lower", "upper"}:  # engines differ in letters such as ß
        rows = [row for row in rows if row[0] is None or str(row[0]).isascii()]
    check(call(function, Reference(made[0])), made, rows)


@pytest.mark.parametrize(("function", "kind"), [(name, kind) for name, kinds in TWO.items() for kind in kinds])
def test_a_function_of_two_arguments(function: str, kind: Type) -> None:
    made, rows = columns((kind, kind))
    if function == "integer_divide":  # Python floors the exact quotient, engines the rounded one
        rows = [row for row in rows if all(v is None or (abs(v) < 2**31 and v == int(v)) for v in row)]  # type: ignore[arg-type] # numbers
    if function == "power":  # the limit of 0 to a power that falls without end is NULL in the engine, as 0 to -1 is
        rows = [row for row in rows if row != (0.0, -math.inf)]
    check(call(function, *(Reference(column) for column in made)), made, rows)


@pytest.mark.parametrize(("function", "kind", "rest"), LITERALS)
def test_a_function_with_literals(function: str, kind: Type, rest: tuple[Literal, ...]) -> None:
    made, rows = columns((kind,))
    check(call(function, Reference(made[0]), *rest), made, rows)


@pytest.mark.parametrize("function", ["add", "subtract", "multiply", "negate", "abs", "integer_divide", "modulo"])
def test_whole_numbers_beyond_their_declared_range_do_not_raise(function: str) -> None:
    """Facts may be wrong: a column said to be small that holds 2^63 - 1 gives NULL where it overflows."""
    count = FUNCTIONS[function].least
    facts = Facts(Type.INTEGER)
    made = tuple(Column(f"x{n}", facts) for n in range(count))
    rows = list(itertools.product(WHOLE, repeat=count))
    expression = Call(function, tuple(Reference(column) for column in made), facts)
    for row, value in zip(rows, in_engine(expression, made, rows), strict=True):
        wanted = None if None in row else EXACT[function](*row)
        if wanted is None or -(2**63) <= wanted < 2**63:
            halfway = function in {"integer_divide", "modulo"} and max(abs(v or 0) for v in row) > 2**62  # on the way
            assert value == wanted or (halfway and value is None), (row, value, wanted)
        else:
            assert value is None, (row, value)


def test_case_has_the_first_true_value() -> None:
    made, rows = columns((Type.INTEGER, Type.BOOLEAN))
    number, flag = map(Reference, made)
    check(
        call("case", flag, number, call("gt", number, Literal(5, Type.INTEGER)), Literal(7, Type.INTEGER)), made, rows
    )


def test_every_function_has_a_template_and_a_test() -> None:
    assert set(TEMPLATES) == set(FUNCTIONS)
    assert set(FUNCTIONS) == {*ONE, *TWO, *(name for name, _, _ in LITERALS), "case"}


def test_an_unknown_function_is_not_printed() -> None:
    with pytest.raises(InvalidParameter, match="not known to the engine"):
        print_expression(
            Call("read_text", (Literal("/etc/passwd", Type.TEXT),), Facts(Type.TEXT)), DuckDBDialect(), str
        )


def test_an_expression_that_would_explode_is_refused() -> None:
    expression: Expression = Reference(Column("x", Facts(Type.REAL)))
    for _ in range(40):
        expression = call("ln", expression)
    with pytest.raises(InvalidParameter, match="nested too deeply"):
        print_expression(expression, DuckDBDialect(), lambda _: "x")


@pytest.mark.parametrize(
    "text", ["'", '"', "\\", "\0", "'; DROP TABLE t; --", "$$", "/*", "é", "日", "\n", "\\' OR 1=1 --"]
)
def test_a_literal_is_itself_whatever_it_holds(text: str) -> None:
    assert execute(f"SELECT {DuckDBDialect().literal(text, Type.TEXT)}") == [(text,)]


@pytest.mark.parametrize("name", ["a", 'a"b', '"; DROP TABLE t; --', "Größe", "SELECT", "a b", "\\", "'", ""])
def test_a_name_is_itself_whatever_it_holds(name: str) -> None:
    if not name:
        return
    assert execute(f"SELECT {DuckDBDialect().name(name)} FROM t", t=pa.table({name: [7]})) == [(7,)]  # noqa: S608 - printed


def test_half_a_letter_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="half a letter"):
        DuckDBDialect().literal("\ud800", Type.TEXT)


@pytest.mark.parametrize("value", [math.inf, -math.inf, 5e-324, -0.0, 1e22, 0.1])
def test_a_real_literal_is_itself(value: float) -> None:
    assert execute(f"SELECT {DuckDBDialect().literal(value, Type.REAL)}") == [(value,)]


@pytest.mark.parametrize(("text", "kind"), [("tomorrow", Type.DATE), ("2024-13-01", Type.DATE), ("x", Type.TIMESTAMP)])
def test_a_literal_that_is_no_date_is_refused(text: str, kind: Type) -> None:
    with pytest.raises(InvalidParameter, match="must be written as"):
        DuckDBDialect().literal(text, kind)


def test_facts_choose_the_type_and_the_engine_agrees() -> None:
    whole = Column("x", Facts(Type.INTEGER, low=None, high=None))
    assert facts_of(call("add", Reference(whole), Literal(1, Type.INTEGER))).type is Type.REAL
