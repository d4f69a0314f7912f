"""Facts are true of every value; every function has a value, or NULL, for every argument."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.errors import InvalidParameter
from privet.query.functions import FUNCTIONS, call, cast, evaluate
from privet.query.scalars.expressions import Call, Column, Expression, Literal, Reference, facts_of
from privet.query.scalars.facts import Facts, Type, Value
from tests.support.drawn_expressions import MAKERS, expressions, fits, rows

LARGEST = 2**62
NAMES = """eq ne lt le gt ge and or not is_null in like starts_with case coalesce nullif least greatest clip
add subtract multiply divide integer_divide modulo negate abs sign round floor ceil sqrt ln log10
exp power cast_integer cast_real cast_text cast_boolean cast_date cast_timestamp lower upper trim
length substring concat year quarter month day hour day_of_week day_of_year trunc_year trunc_month
trunc_week trunc_day days_between add_days sin cos tan asin acos atan atan2 cbrt position split_part replace lpad rpad
right ltrim rtrim reverse week iso_year minute second trunc_quarter last_day add_months microseconds
from_microseconds regexp_matches regexp_extract regexp_replace"""


def integer(value: int | None) -> Literal:
    return Literal(value, Type.INTEGER)


def real(value: float) -> Literal:
    return Literal(value, Type.REAL)


def word(value: str) -> Literal:
    return Literal(value, Type.TEXT)


def column(low: float | None, high: float | None, *, whole: bool = True, nullable: bool = False) -> Reference:
    type_ = Type.INTEGER if whole else Type.REAL
    ends = [None if end is None else Fraction(end) for end in (low, high)]
    return Reference(Column("x", Facts(type_, nullable=nullable, low=ends[0], high=ends[1])))


def interval(expression: Expression) -> tuple[float | None, float | None]:
    facts = facts_of(expression)
    return tuple(None if end is None else float(end) for end in (facts.low, facts.high))  # type: ignore[return-value] # two


def test_the_table_has_every_function_and_no_other() -> None:
    assert set(FUNCTIONS) == set(NAMES.split())
    assert {name for names in MAKERS.values() for name in names} == set(FUNCTIONS)


@pytest.mark.parametrize("type_", list(Type))
@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_facts_hold_for_every_value(type_: Type, data: st.DataObject) -> None:
    expression = data.draw(expressions(type_, 3))
    row = data.draw(rows(expression))
    value = evaluate(expression, row)  # total: it never raises
    assert fits(value, facts_of(expression)), (value, facts_of(expression))
    assert not (isinstance(value, float) and math.isnan(value))


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_whole_arithmetic_never_leaves_62_bits(data: st.DataObject) -> None:
    """What an engine computes on whole numbers fits 64 bits, whatever the row: else the arguments are real."""
    expression = data.draw(expressions(Type.INTEGER, 3))
    row = data.draw(rows(expression))

    def check(part: Expression) -> None:
        if not isinstance(part, Call):
            return
        for argument in part.arguments:
            check(argument)
        if part.function in {"add", "subtract", "multiply", "negate", "abs"} and part.facts.type is Type.INTEGER:
            assert all(facts_of(argument).type is Type.INTEGER for argument in part.arguments)
            value = evaluate(part, row)
            assert value is None or abs(int(value)) <= LARGEST

    check(expression)


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (call("add", column(0, 10), integer(5)), (5, 15)),
        (call("subtract", column(0, 10), column(-1, 2)), (-2, 11)),
        (call("multiply", column(-2, 3), column(-5, 7)), (-15, 21)),
        (call("multiply", column(0, None), column(2, None)), (0, None)),
        (call("divide", integer(1), column(-40, 70)), (-1, 1)),
        (call("divide", column(0, 10), column(0.5, 4, whole=False)), (0, 20)),
        (call("divide", column(0, 10), column(2, None, whole=False)), (0, 5)),
        (call("divide", column(0, 10), column(0, 4, whole=False)), (None, None)),
        (call("integer_divide", column(-7, 7), integer(2)), (-4, 3)),
        (call("modulo", column(0, 110), integer(10)), (0, 9)),
        (call("modulo", column(-3, 110), integer(10)), (-9, 9)),
        (call("power", column(-3, 2), integer(2)), (0, 9)),
        (call("power", column(-3, 2), integer(3)), (-27, 8)),
        (call("abs", column(-5, 3)), (0, 5)),
        (call("sqrt", column(0, 16)), (0, 4)),
        (call("floor", call("divide", column(0, 5000, whole=False), integer(100))), (0, 50)),
        (call("round", column(0, 5049, whole=False), integer(-2)), (0, 5000)),
        (call("sign", column(0, 4)), (0, 1)),
        (call("clip", column(None, None), integer(0), integer(9)), (0, 9)),
        (call("clip", column(3, 5), integer(0), integer(4)), (3, 4)),
        (call("least", call("greatest", column(None, None, nullable=True), integer(0)), integer(9)), (0, 9)),
        (call("greatest", column(-4, 4, nullable=True), column(-9, -6, nullable=True)), (-9, 4)),
        (call("coalesce", column(1, 3, nullable=True), integer(0)), (0, 3)),
        (call("case", call("gt", column(0, 9), integer(3)), integer(1), integer(0)), (0, 1)),
        (call("length", word("x")), (1, 1)),
    ],
)
def test_intervals(made: Expression, expected: tuple[float | None, float | None]) -> None:
    assert interval(made) == expected


@pytest.mark.parametrize(
    ("name", "arguments", "value"),
    [
        ("divide", (integer(1), integer(0)), None),
        ("divide", (integer(1), integer(4)), 0.25),
        ("integer_divide", (integer(-7), integer(2)), -4),
        ("integer_divide", (integer(7), integer(0)), None),
        ("modulo", (integer(-7), integer(3)), -1),
        ("modulo", (integer(7), integer(0)), None),
        ("ln", (integer(0),), None),
        ("ln", (integer(-1),), None),
        ("log10", (integer(1000),), 3.0),
        ("sqrt", (integer(-1),), None),
        ("power", (integer(0), integer(-1)), None),
        ("power", (integer(-8), real(0.5)), None),
        ("round", (real(2.5),), 3),
        ("round", (real(-2.5),), -3),
        ("round", (real(1.25), integer(1)), 1.3),
        ("round", (integer(149), integer(-2)), 100),
        ("cast_integer", (word("12a"),), None),
        ("cast_integer", (word(" 12 "),), 12),
        ("cast_integer", (real(1e300),), None),
        ("cast_date", (word("2024-02-30"),), None),
        ("cast_date", (word("2024-02-29"),), "2024-02-29"),
        ("cast_boolean", (word("TRUE"),), True),
        ("cast_text", (Literal(value=True, type=Type.BOOLEAN),), "true"),
        ("and", (Literal(None, Type.BOOLEAN), Literal(value=False, type=Type.BOOLEAN)), False),
        ("or", (Literal(None, Type.BOOLEAN), Literal(value=False, type=Type.BOOLEAN)), None),
        ("least", (integer(None), integer(3)), 3),
        ("greatest", (integer(None), integer(None)), None),
        ("in", (integer(3), integer(1), real(3.0)), True),
        ("like", (word("fever"), word("f_v%")), True),
        ("like", (word("f.ver"), word("f.%")), True),
        ("substring", (word("abcdef"), integer(2), integer(3)), "bcd"),
        ("concat", (word("a"), integer(1)), "a1"),
        ("day_of_week", (Literal("2024-03-03", Type.DATE),), 0),
        ("day_of_year", (Literal("2024-12-31", Type.DATE),), 366),
        ("quarter", (Literal("2024-12-31", Type.DATE),), 4),
        ("hour", (Literal("2024-12-31 17:05:00", Type.TIMESTAMP),), 17),
        ("trunc_week", (Literal("2024-03-03", Type.DATE),), "2024-02-26"),
        ("trunc_week", (Literal("0001-01-03", Type.DATE),), "0001-01-01"),
        ("days_between", (Literal("2024-02-28", Type.DATE), Literal("2024-03-01", Type.DATE)), 2),
        ("add_days", (Literal("2024-02-28", Type.DATE), integer(2)), "2024-03-01"),
        ("add_days", (Literal("9999-12-31", Type.DATE), integer(1)), None),
        ("eq", (Literal("2024-01-01", Type.DATE), word("2024-01-01")), True),
        ("lt", (Literal("2024-01-01", Type.DATE), word("2024-01-01 10:00:00")), True),
    ],
)
def test_literals_are_computed(name: str, arguments: tuple[Literal, ...], value: Value) -> None:
    made = call(name, *arguments)
    assert isinstance(made, Literal)
    assert made.value == value
    assert type(made.value) is type(value)


def test_what_cannot_be_a_literal_stays_a_call() -> None:
    assert isinstance(call("exp", integer(1000)), Call)
    assert isinstance(call("multiply", integer(LARGEST), integer(4)), Literal)  # real


def test_sums_that_may_overflow_are_real() -> None:
    wide = column(0, LARGEST)
    made = call("add", wide, integer(1))
    assert facts_of(made).type is Type.REAL
    assert isinstance(made, Call)
    assert all(facts_of(argument).type is Type.REAL for argument in made.arguments)
    assert facts_of(call("add", column(0, LARGEST - 1), integer(1))).type is Type.INTEGER
    assert facts_of(call("negate", column(None, None))).type is Type.REAL


@pytest.mark.parametrize(
    ("made", "nullable"),
    [
        (call("divide", column(0, 9), column(0, 3)), True),
        (call("divide", column(0, 9), column(-3, 3, whole=False)), True),
        (call("divide", column(0, 9), column(1, 3)), False),
        (call("integer_divide", column(0, 9), column(0, 3)), True),
        (call("modulo", column(0, 9), column(-3, 0)), True),
        (call("modulo", column(0, 9), column(-3, -1)), False),
        (call("ln", column(0, 9)), True),
        (call("ln", column(1, 9)), False),
        (call("sqrt", column(-1, 9)), True),
        (call("sqrt", column(0, 9)), False),
        (call("power", column(0, 9), integer(-1)), True),
        (call("cast_integer", Reference(Column("t", Facts(Type.TEXT, nullable=False)))), True),
        (call("cast_integer", column(0, 9, whole=False)), False),
        (call("cast_integer", column(0, None, whole=False)), True),
        (call("nullif", column(0, 9), integer(3)), True),
        (call("add_days", Literal("2024-01-01", Type.DATE), column(0, 9)), True),
    ],
)
def test_what_can_be_null(made: Expression, nullable: bool) -> None:  # noqa: FBT001 - a case
    assert facts_of(made).nullable is nullable


def test_values_of_case() -> None:
    made = call("case", call("gt", column(0, 9), integer(3)), word("old"), word("young"))
    assert facts_of(made).values == ("old", "young")
    assert not facts_of(made).nullable
    open_ended = call("case", call("gt", column(0, 9), integer(3)), word("old"))
    assert facts_of(open_ended).values == ("old",)
    assert facts_of(open_ended).nullable


@pytest.mark.parametrize(
    ("name", "arguments", "reason"),
    [
        ("nonsense", (integer(1),), "no function"),
        ("ln", (integer(1), integer(2)), "takes 1 arguments"),
        ("case", (), "takes 2 or more"),
        ("ln", (word("x"),), "LN takes integer or real, got text"),
        ("eq", (word("x"), integer(1)), "one type, got integer and text"),
        ("eq", (Reference(Column("d", Facts(Type.DATE))), word("soon")), "compares a date with a text"),
        ("and", (integer(1), integer(2)), "takes boolean"),
        ("round", (real(1.5), column(0, 3)), "literal number of digits"),
        ("clip", (integer(1), integer(3), integer(2)), "the lower bound first"),
        ("clip", (integer(1), column(0, 1), integer(2)), "two literal numbers"),
        ("in", (integer(1), column(0, 1)), "literals"),
        ("in", (integer(1), integer(None)), "literals"),
        ("like", (word("x"), word("\\%")), "backslashes"),
        ("substring", (word("x"), integer(0), integer(1)), "start from 1"),
        ("year", (word("2024"),), "takes date or timestamp"),
        ("cast_date", (integer(3),), "cannot be cast to date"),
    ],
)
def test_wrong_arguments(name: str, arguments: tuple[Expression, ...], reason: str) -> None:
    with pytest.raises(InvalidParameter, match=reason):
        call(name, *arguments)


def test_cast_to_its_own_type_is_nothing() -> None:
    age = column(0, 110)
    assert cast(age, Type.INTEGER) is age
    assert call("cast_integer", age) is age
    assert call("cast_date", integer(None)) == Literal(None, Type.DATE)
