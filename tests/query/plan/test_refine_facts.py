"""What a condition tells is true of every row that satisfies it."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.query.functions import call, evaluate
from privet.query.plan.refine_facts import case_facts, narrow
from privet.query.scalars.expressions import Call, Column, Expression, Literal, Reference, facts_of
from privet.query.scalars.facts import Facts, Type, Value
from tests.support.drawn_expressions import expressions, fits, rows

AGE = Column("age", Facts(Type.INTEGER, low=Fraction(0), high=Fraction(110)))
COST = Column("cost", Facts(Type.REAL, low=Fraction(0), high=Fraction(5000)))
WEIGHT = Column("weight", Facts(Type.REAL))
SEX = Column("sex", Facts(Type.TEXT, values=("F", "M", "X")))
ZIP = Column("zip", Facts(Type.TEXT))
REGION = Column("region", Facts(Type.TEXT, origin=("clinic", "region")))
SMOKER = Column("smoker", Facts(Type.BOOLEAN))
DAY = Column("day", Facts(Type.DATE))


def integer(value: int) -> Literal:
    return Literal(value, Type.INTEGER)


def word(value: str) -> Literal:
    return Literal(value, Type.TEXT)


def compare(name: str, column: Column, value: Literal) -> Expression:
    return call(name, Reference(column), value)


def bounds(facts: Facts) -> tuple[float | None, float | None]:
    return tuple(None if end is None else float(end) for end in (facts.low, facts.high))  # type: ignore[return-value] # two


@pytest.mark.parametrize("holds", [True, False])
@settings(max_examples=120, deadline=None)
@given(data=st.data())
def test_facts_hold_in_every_row_kept(holds: bool, data: st.DataObject) -> None:  # noqa: FBT001 - a case
    condition = data.draw(expressions(Type.BOOLEAN, 2))
    row = data.draw(rows(condition))
    if evaluate(condition, row) is not holds:
        return
    for column, facts in narrow(condition, holds=holds).items():
        assert fits(row[column], facts), (row[column], facts)


@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_facts_of_case_hold(data: st.DataObject) -> None:
    type_ = data.draw(st.sampled_from([Type.INTEGER, Type.REAL, Type.TEXT, Type.DATE]))
    parts = [data.draw(expressions(kind, 1)) for kind in (Type.BOOLEAN, type_, Type.BOOLEAN, type_, type_)]
    made = call("case", *parts)
    if isinstance(made, Call):
        row = data.draw(rows(made))
        assert fits(evaluate(made, row), case_facts(made))


@pytest.mark.parametrize(
    ("condition", "column", "expected", "nullable"),
    [
        (compare("gt", AGE, integer(17)), AGE, (18, 110), False),
        (compare("lt", AGE, integer(18)), AGE, (0, 17), False),
        (compare("lt", COST, integer(90)), COST, (0, 90), False),
        (compare("eq", AGE, integer(40)), AGE, (40, 40), False),
        (call("le", integer(3), Reference(AGE)), AGE, (3, 110), False),
        (call("gt", Reference(AGE), Literal(20.5, Type.REAL)), AGE, (21, 110), False),
        (call("not", compare("gt", AGE, integer(17))), AGE, (0, 17), False),
        (call("and", compare("ge", WEIGHT, integer(3)), compare("le", WEIGHT, integer(9))), WEIGHT, (3, 9), False),
        (call("or", compare("lt", AGE, integer(9)), compare("eq", AGE, integer(50))), AGE, (0, 50), False),
        (call("in", Reference(AGE), integer(3), integer(7)), AGE, (3, 7), False),
        (call("gt", call("add", Reference(WEIGHT), integer(1)), integer(3)), WEIGHT, (None, None), False),
        (call("gt", call("coalesce", Reference(AGE), integer(1)), integer(3)), AGE, (0, 110), True),
        (call("lt", Reference(WEIGHT), Reference(COST)), WEIGHT, (None, 5000), False),
        (call("and", compare("gt", COST, integer(90)), compare("lt", COST, integer(20))), COST, (90, 90), False),
        (compare("ge", DAY, word("1970-01-03")), DAY, (2, None), False),
        (compare("lt", DAY, Literal("1970-01-03", Type.DATE)), DAY, (None, 1), False),
        (compare("lt", DAY, Literal("1970-01-03 12:00:00", Type.TIMESTAMP)), DAY, (None, 2), False),
    ],
)
def test_bounds(
    condition: Expression,
    column: Column,
    expected: tuple[float | None, float | None],
    nullable: bool,  # noqa: FBT001 - a case
) -> None:
    facts = narrow(condition).get(column, column.facts)
    assert bounds(facts) == expected
    assert facts.nullable is nullable


@pytest.mark.parametrize(
    ("condition", "column", "expected"),
    [
        (compare("eq", SEX, word("F")), SEX, ("F",)),
        (compare("eq", SEX, word("nobody")), SEX, ()),
        (compare("ne", SEX, word("F")), SEX, ("M", "X")),
        (call("not", call("in", Reference(SEX), word("F"), word("M"))), SEX, ("X",)),
        (compare("eq", ZIP, word("1010")), ZIP, ("1010",)),
        (call("in", Reference(ZIP), word("b"), word("a")), ZIP, ("b", "a")),
        (call("or", compare("eq", ZIP, word("a")), compare("eq", ZIP, word("b"))), ZIP, ("a", "b")),
        (call("or", compare("eq", ZIP, word("a")), compare("gt", AGE, integer(3))), ZIP, None),
        (Reference(SMOKER), SMOKER, (True,)),
        (call("not", Reference(SMOKER)), SMOKER, (False,)),
        (call("eq", Reference(ZIP), Reference(SEX)), ZIP, ("F", "M", "X")),
    ],
)
def test_values(condition: Expression, column: Column, expected: tuple[Value, ...] | None) -> None:
    assert narrow(condition).get(column, column.facts).values == expected


def test_a_column_that_equals_a_public_one_has_its_values() -> None:
    assert narrow(call("eq", Reference(ZIP), Reference(REGION)))[ZIP].origin == ("clinic", "region")


def test_null_is_told_apart() -> None:
    assert not narrow(call("not", call("is_null", Reference(COST))))[COST].nullable
    assert narrow(call("is_null", Reference(COST))) == {}
    assert narrow(call("or", call("is_null", Reference(COST)), compare("gt", COST, integer(3)))) == {}


def test_case_uses_its_conditions() -> None:
    capped = call("case", compare("gt", COST, integer(100)), integer(100), Reference(COST))
    assert isinstance(capped, Call)
    assert bounds(case_facts(capped)) == (0, 100)
    assert case_facts(capped).nullable  # a NULL cost is not above 100
    safe = call("case", compare("gt", AGE, integer(0)), call("ln", Reference(AGE)), integer(0))
    assert isinstance(safe, Call)
    assert case_facts(safe).bounded
    other = call("case", call("and", compare("gt", COST, integer(9)), Reference(SMOKER)), integer(9), Reference(COST))
    assert isinstance(other, Call)
    assert bounds(case_facts(other)) == (0, 5000)  # the condition may be NULL because of the other column
    assert facts_of(capped).type is case_facts(capped).type
