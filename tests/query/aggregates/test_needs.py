"""Measures: which numbers are paid for, and which are shared."""

from fractions import Fraction

import pytest

from privet.errors import InvalidParameter
from privet.query.aggregates.needs import needs_of
from privet.query.measures.readings import Count
from privet.query.measures.request import RANK_PLACES, Shape
from privet.query.plan.aggregation import Aggregation, Function
from privet.query.plan.limits import Limits
from privet.query.scalars.expressions import Call
from privet.query.scalars.facts import Facts, Type
from tests.support.people import AGE, BY_CITY, BY_SEX, CITY, COST, PID, SEX, aggregate, asked

OLD = Call("gt", (), Facts(Type.BOOLEAN))
FEW = Limits(groups_per_unit=2, rows_per_group=3)


def shapes(*items: Aggregation) -> list[Shape]:
    return [draw.measure.shape for draw in needs_of(aggregate(*items)).draws]


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ([asked(Function.COUNT_ROWS)], [Shape.ROWS]),
        ([asked(Function.COUNT, COST)], [Shape.ROWS]),
        ([asked(Function.COUNT, CITY)], [Shape.ROWS]),
        ([asked(Function.COUNT_UNITS)], [Shape.UNITS]),
        ([asked(Function.COUNT_DISTINCT, CITY)], [Shape.DISTINCT]),
        ([asked(Function.SUM, AGE)], [Shape.SUM]),
        ([asked(Function.AVG, AGE)], [Shape.MEAN]),
        ([asked(Function.COUNT, AGE), asked(Function.SUM, AGE), asked(Function.AVG, AGE)], [Shape.MEAN]),
        ([asked(Function.COUNT, COST), asked(Function.SUM, COST)], [Shape.MEAN]),
        ([asked(Function.STDDEV, AGE), asked(Function.SUM, AGE), asked(Function.VARIANCE, AGE)], [Shape.SPREAD]),
        ([asked(Function.AVG, AGE), asked(Function.AVG, COST)], [Shape.MEAN, Shape.MEAN]),
        ([asked(Function.AVG, AGE), asked(Function.AVG, AGE, condition=OLD)], [Shape.MEAN, Shape.MEAN]),
        ([asked(Function.COUNT_ROWS), asked(Function.AVG, AGE)], [Shape.MEAN]),  # age is never NULL
        ([asked(Function.COUNT_ROWS), asked(Function.SUM, AGE)], [Shape.MEAN]),
        ([asked(Function.COUNT_ROWS), asked(Function.AVG, COST)], [Shape.ROWS, Shape.MEAN]),  # cost may be
        ([asked(Function.COUNT_ROWS, condition=OLD), asked(Function.AVG, AGE)], [Shape.ROWS, Shape.MEAN]),
        ([asked(Function.COUNT_ROWS), asked(Function.COUNT_ROWS)], [Shape.ROWS]),
        ([asked(Function.MINIMUM, AGE), asked(Function.MAXIMUM, AGE)], [Shape.RANKS, Shape.RANKS]),
        ([asked(Function.QUANTILE, AGE, fraction=Fraction(1, 2))] * 2, [Shape.RANKS]),
    ],
)
def test_the_fewest_numbers_are_paid_for(items: list[Aggregation], expected: list[Shape]) -> None:
    assert shapes(*items) == expected
    needs = needs_of(aggregate(*items))
    assert len(needs.readings) == len(items)
    assert all(reading.shape is needs.draws[reading.draw].measure.shape for reading in needs.readings)


def test_ranks_of_one_column_are_read_once_and_have_few_places() -> None:
    needs = needs_of(aggregate(*(asked(Function.QUANTILE, COST, fraction=Fraction(k, 4)) for k in (1, 2, 3))))
    assert len(needs.draws) == 3
    assert len(needs.rankings) == 1
    assert needs.draws[0].measure.span.steps + 1 <= RANK_PLACES
    assert needs.request.measures == ()


def test_minimum_and_maximum_are_named_as_what_they_are() -> None:
    low, high = needs_of(aggregate(asked(Function.MINIMUM, AGE), asked(Function.MAXIMUM, AGE))).readings
    assert low.note.startswith("the 1 % quantile")
    assert high.note.startswith("the 99 % quantile")


def test_units_are_held_to_groups_wherever_they_are_counted_by_group() -> None:
    rows, units = asked(Function.COUNT_ROWS), asked(Function.COUNT_UNITS)
    assert needs_of(aggregate(rows, keys=BY_CITY)).request.cap_groups
    assert needs_of(aggregate(units, keys=BY_SEX)).request.cap_groups
    assert needs_of(aggregate(rows, keys=BY_SEX, limits=FEW)).request.cap_groups
    assert not needs_of(aggregate(rows, keys=BY_SEX)).request.cap_groups
    assert not needs_of(aggregate(units, limits=FEW)).request.cap_groups


def test_counts_know_in_which_parts_rows_are_counted() -> None:
    needs = needs_of(aggregate(asked(Function.COUNT_ROWS), asked(Function.COUNT_UNITS), keys=BY_SEX))
    rows, units = needs.readings
    assert isinstance(rows, Count)
    assert isinstance(units, Count)
    assert rows.part == needs.request.part > 1
    assert units.part == 1


@pytest.mark.parametrize("column", [PID, SEX])
def test_what_has_no_bounds_is_refused_with_the_fix(column: object) -> None:
    with pytest.raises(InvalidParameter, match="declare the column"):
        needs_of(aggregate(asked(Function.SUM, column)))  # type: ignore[arg-type] # columns both
