"""Public cells: no row, whatever is in it, has conditions that are those of no cell; and there are few of them."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.query.functions import call, evaluate
from privet.query.functions.public_cells import MOST_CELLS, Cells, public_cells
from privet.query.scalars.expressions import Column, Expression, Literal, Reference
from privet.query.scalars.facts import Facts, Type, Value

AGE = Column("age", Facts(Type.INTEGER, low=Fraction(0), high=Fraction(110)))
BIG = Column("big", Facts(Type.INTEGER, low=Fraction(-(10**12)), high=Fraction(10**12), nullable=False))
PAY = Column("pay", Facts(Type.REAL))
TOWN = Column("town", Facts(Type.TEXT, values=("Bern", "Genf"), longest=100))
WORD = Column("word", Facts(Type.TEXT, longest=100))
DAY = Column("day", Facts(Type.DATE))
SEEN = Column("seen", Facts(Type.TIMESTAMP))
FLAG = Column("flag", Facts(Type.BOOLEAN))
VALUES: dict[Column, list[Value]] = {
    AGE: [-5, 0, 1, 17, 18, 19, 65, 66, 110, 111, None],
    BIG: [-(10**15), -(10**12), -1, 0, 1, 17, 18, 10**12, None],  # as nobody declared
    PAY: [-math.inf, -1e308, -1.0, 0.0, 5e-324, 0.1, 17.0, 17.5, 18.0, 1e308, math.inf, None],
    TOWN: ["Bern", "Genf", "", "bern", "Berna", "Zug", "x" * 100, None],
    WORD: ["", "A", "Bern", "Berna", "C", "é", "\U0010ffff", "\x01", "Bern\x00", None],
    DAY: ["0001-01-01", "2023-12-31", "2024-01-01", "2024-01-02", "9999-12-31", None],
    SEEN: ["2023-12-31 23:59:59.999999", "2024-01-01 00:00:00", "2024-01-01 12:00:00", None],
    FLAG: [True, False, None],
}
CONSTANTS: dict[Column, list[Literal]] = {
    AGE: [Literal(each, Type.INTEGER) for each in (0, 17, 18, 66)] + [Literal(17.5, Type.REAL)],
    BIG: [Literal(each, Type.INTEGER) for each in (-1, 0, 18)],
    PAY: [Literal(each, Type.REAL) for each in (0.0, 0.1, 17.0, 1e308)],
    TOWN: [Literal(each, Type.TEXT) for each in ("Bern", "Zug", "")],
    WORD: [Literal(each, Type.TEXT) for each in ("Bern", "A", "é")],
    DAY: [Literal("2024-01-01", Type.DATE), Literal("2024-01-01 12:00:00", Type.TIMESTAMP)],
    SEEN: [Literal("2024-01-01", Type.DATE), Literal("2024-01-01 00:00:00", Type.TIMESTAMP)],
}


def leaves() -> st.SearchStrategy[Expression]:
    compared = st.sampled_from([*CONSTANTS]).flatmap(
        lambda column: st.builds(
            lambda name, constant, swapped: (
                call(name, constant, Reference(column)) if swapped else call(name, Reference(column), constant)
            ),
            st.sampled_from(["eq", "ne", "lt", "le", "gt", "ge"]),
            st.sampled_from(CONSTANTS[column]),
            st.booleans(),
        )
    )
    listed = st.sampled_from([AGE, PAY, WORD, TOWN]).map(
        lambda column: call("in", Reference(column), *CONSTANTS[column][:2])
    )
    missing = st.sampled_from([*VALUES]).map(lambda column: call("is_null", Reference(column)))
    odd = st.sampled_from(
        [
            Reference(FLAG),
            call("like", Reference(WORD), Literal("B%", Type.TEXT)),
            call("like", Reference(TOWN), Literal("B%", Type.TEXT)),
            call("lt", Reference(AGE), Reference(BIG)),
            call("eq", call("modulo", Reference(AGE), Literal(2, Type.INTEGER)), Literal(1, Type.INTEGER)),
            Literal(value=True, type=Type.BOOLEAN),
            Literal(None, Type.BOOLEAN),
        ]
    )
    return compared | listed | missing | odd


def conditions() -> st.SearchStrategy[Expression]:
    return st.recursive(
        leaves(),
        lambda part: (
            st.builds(lambda a, b: call("and", a, b), part, part)
            | st.builds(lambda a, b: call("or", a, b), part, part)
            | st.builds(lambda a: call("not", a), part)
        ),
        max_leaves=4,
    )


@given(
    asked=st.lists(conditions(), min_size=1, max_size=6),
    rows=st.lists(st.fixed_dictionaries({c: st.sampled_from(v) for c, v in VALUES.items()}), min_size=5, max_size=25),
)
@settings(max_examples=60, deadline=None)
def test_every_row_is_in_a_cell_or_counts_nowhere(asked: list[Expression], rows: list[dict[Column, Value]]) -> None:
    for cells in public_cells([None, *asked]):
        if isinstance(cells, str):
            continue
        patterns = {tuple(column) for column in cells.patterns.T}
        assert len(patterns) == cells.patterns.shape[1], "no two cells are equal"
        assert all(any(each) for each in patterns)
        for row in rows:
            mine = tuple(place == 0 or evaluate(asked[place - 1], row) is True for place in cells.conditions)
            assert mine in patterns or not any(mine)


def test_disjoint_conditions_have_a_cell_each() -> None:
    asked = [call("eq", Reference(AGE), Literal(age, Type.INTEGER)) for age in range(100)]
    (cells,) = public_cells(asked)
    assert isinstance(cells, Cells)
    assert cells.ordered
    np.testing.assert_array_equal(cells.patterns, np.eye(100, dtype=bool))


def test_conditions_about_other_columns_are_apart() -> None:
    ages = [call("lt", Reference(AGE), Literal(age, Type.INTEGER)) for age in (10, 20)]
    towns = [call("eq", Reference(TOWN), Literal(name, Type.TEXT)) for name in ("Bern", "Zug")]
    both = call("and", ages[0], towns[0])
    apart = public_cells([ages[0], towns[0], None, towns[1], ages[1]])
    assert [each.conditions for each in apart if isinstance(each, Cells)] == [(0, 2, 4), (1, 3)]
    (together,) = public_cells([*ages, *towns, both])
    assert isinstance(together, Cells)
    assert together.patterns.shape[1] == 8, "three ages by three towns, without the one in which nothing is true"


@pytest.mark.parametrize("many", [17, MOST_CELLS.bit_length()])
def test_too_many_cells_are_not_listed(many: int) -> None:
    flags = [Reference(Column(f"f{number}", Facts(Type.BOOLEAN, nullable=False))) for number in range(many)]
    (why,) = public_cells([*flags, call("and", *flags)])
    assert isinstance(why, str)
    assert "more than" in why
