"""Falsification: whatever a unit's rows are, no bounded sum moves further than its stated sensitivity.

Tiny databases, every neighbor by removing a unit, and one by replacing its rows with others; every shape, both kinds of
limits, both relations. The same on the engine and, for many more examples, on the oracle that it agrees with.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Protocol

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from privet.core import Sensitivity
from privet.loss import Neighbors
from privet.query.backends.backend import Sums
from privet.query.backends.duckdb import DuckDBBackend
from privet.query.functions import call
from privet.query.measures.request import Bounded, Measure, Shape, Span, sensitivity
from privet.query.plan.limits import Limits
from privet.query.plan.relations import JoinKind
from privet.query.plan.statement import Key
from privet.query.scalars.expressions import Reference
from privet.query.scalars.facts import Value
from tests.support import drawn_databases as tiny
from tests.support.query_oracle import Oracle

pytestmark = pytest.mark.whole

Numbers = dict[object, int]
PHASES = (Phase.explicit, Phase.generate)  # an example is small as it is
MANY = settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck), phases=PHASES)
FEW = settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck), phases=PHASES)


class Computer(Protocol):
    def sums(self, request: Bounded) -> Sums: ...


def oracle(data: tiny.Data) -> Oracle:
    return Oracle(tiny.catalog(data), data)


def engine(data: tiny.Data) -> DuckDBBackend:
    return DuckDBBackend(tiny.catalog(data), threads=1)


def without(data: tiny.Data, unit: int) -> tiny.Data:
    """The data without one unit: its own rows, and those that only its rows lead to."""
    left = {name: [row for row in rows if row.get("pid") != unit] for name, rows in data.items()}
    there = {row["vid"] for row in left["visit"]}
    gone = {row["vid"] for row in data["visit"] if row["pid"] == unit}
    left["item"] = [row for row in data["item"] if row["vid"] in there or row["vid"] not in gone]
    return left


def units(data: tiny.Data) -> set[int]:
    found = {row["pid"] for name in ("visit", "person") for row in data[name]}
    return {unit for unit in found if isinstance(unit, int)}


def replaced(data: tiny.Data, other: tiny.Data, unit: int) -> tiny.Data:
    """The data with one unit's rows exchanged for rows from elsewhere, all of them its own now."""
    left = without(data, unit)
    for name in ("visit", "person"):
        left[name] = left[name] + [row | {"pid": unit} for row in other[name]]
    return left


def numbers(request: Bounded, data: tiny.Data, *, real: bool) -> list[Numbers]:
    """What leaves the engine for each measure: a number for each group and cell."""
    computer = engine(data) if real else oracle(data)
    found: list[Numbers] = [defaultdict(int) for _ in request.measures]
    if request.measures[0].shape is Shape.RANKS:
        for keys, places in computer.ranks(request).items():
            for place, number in places.items():
                found[0][keys, place] = number
    else:
        for keys, measures in computer.sums(request).groups.items():
            for place, cells in enumerate(measures):
                for cell, number in enumerate(cells):
                    found[place][keys, cell] = number
    if isinstance(computer, DuckDBBackend):
        computer.close()
    return found


def refuse_farther(here: Numbers, there: Numbers, stated: Sensitivity) -> None:
    moves = [abs(here.get(cell, 0) - there.get(cell, 0)) for cell in {*here, *there}]
    moved = [move for move in moves if move]
    assert sum(moved) <= stated.l1
    assert Fraction(sum(move * move for move in moved)) <= stated.l2**2
    assert max(moved, default=0) <= stated.per_cell
    assert len(moved) <= stated.cells


def compare(request: Bounded, data: tiny.Data, other: tiny.Data, *, real: bool) -> None:
    here = numbers(request, data, real=real)
    for neighbors, neighbor in neighborhood(data, other):
        for place, (one, two) in enumerate(zip(here, numbers(request, neighbor, real=real), strict=True)):
            refuse_farther(one, two, sensitivity(request, request.measures[place], neighbors=neighbors))


def neighborhood(data: tiny.Data, other: tiny.Data) -> Iterator[tuple[Neighbors, tiny.Data]]:
    for unit in sorted(units(data)):
        yield Neighbors.ADD_REMOVE, without(data, unit)
        yield Neighbors.REPLACE, replaced(data, other, unit)


@given(data=tiny.databases(10), other=tiny.databases(10), request_=tiny.requests())
@MANY
def test_no_unit_moves_a_sum_further_than_stated(data: tiny.Data, other: tiny.Data, request_: Bounded) -> None:
    compare(request_, data, other, real=False)


@given(data=tiny.databases(10), other=tiny.databases(10), request_=tiny.requests(ranks=True))
@MANY
def test_no_unit_moves_ranks_further_than_stated(data: tiny.Data, other: tiny.Data, request_: Bounded) -> None:
    compare(request_, data, other, real=False)


@given(
    data=tiny.databases(10), other=tiny.databases(10), request_=st.booleans().flatmap(lambda r: tiny.requests(ranks=r))
)
@FEW
def test_the_engine_keeps_to_it_as_well(data: tiny.Data, other: tiny.Data, request_: Bounded) -> None:
    compare(request_, data, other, real=True)


def one_unit_everywhere(value: float, groups: int) -> tiny.Data:
    """One unit with a row in each of many groups: what rounding away from 0 would betray."""
    row = {"vid": 1, "pay": value, "age": 1, "free": 0.0, "flag": True, "day": None, "pid": 1}
    return {"visit": [row | {"city": f"c{n}"} for n in range(groups)], "person": [], "item": [], "clinic": []}


@pytest.mark.parametrize("value", [-5.0, -0.3, 10.0])
@pytest.mark.parametrize("shape", [Shape.SUM, Shape.MEAN, Shape.SPREAD, Shape.PRODUCTS, Shape.ROWS, Shape.RANKS])
def test_a_row_in_each_of_many_groups_moves_no_more_than_one_row(value: float, shape: Shape) -> None:
    visit = tiny.table("visit")
    column = {column.name: column for column in visit.columns}
    key = Key(column["city"], Reference(column["city"]), tuple(f"c{n}" for n in range(50)))
    span = Span(Fraction(1), -5, 10)
    second = (Reference(column["age"]), Span(Fraction(1), 0, 100)) if shape is Shape.PRODUCTS else ()
    request = Bounded(
        visit,
        (key,),
        Limits(rows_per_unit=1),
        (Measure(shape, Reference(column["pay"]), None, span, *second),),
        cap_groups=False,
    )
    data = one_unit_everywhere(value, 50)
    here, there = (numbers(request, each, real=True)[0] for each in (data, without(data, 1)))
    refuse_farther(here, there, sensitivity(request, request.measures[0], neighbors=Neighbors.ADD_REMOVE))


ROW: dict[str, Value] = {"vid": 1, "city": "a", "pay": 0.0, "age": 1, "free": 0.0, "flag": True, "day": None, "pid": 1}
BEYOND = [  # what no span below has a place for
    ("age", 100, Span(Fraction(1), -3, 4)),
    ("age", 1, Span(Fraction(1), 50, 60)),
    ("vid", 2**63 - 1, Span(Fraction(1), -3, 4)),
    ("vid", -(2**63), Span(Fraction(1, 2), 0, 4)),
    ("free", float("inf"), Span(Fraction(1), -9, -2)),
    ("free", float("-inf"), Span(Fraction(1, 3), -7, 9)),
    ("free", -1e308, Span(Fraction(1), 2, 5)),
    ("free", float("nan"), Span(Fraction(1), -3, 4)),
]


def moved(request: Bounded, here: tiny.Data, there: tiny.Data, neighbors: Neighbors) -> None:
    found = [numbers(request, data, real=True) for data in (here, there)]
    for place, (one, two) in enumerate(zip(*found, strict=True)):
        refuse_farther(one, two, sensitivity(request, request.measures[place], neighbors=neighbors))


def visits(*rows: Mapping[str, Value]) -> tiny.Data:
    return {"visit": [{**ROW, **row} for row in rows], "person": [], "item": [], "clinic": []}


@pytest.mark.parametrize(("name", "value", "span"), BEYOND)
def test_a_place_is_clipped_whatever_is_found(name: str, value: float, span: Span) -> None:
    visit = tiny.table("visit")
    argument = Reference(next(column for column in visit.columns if column.name == name))
    summed = tuple(Measure(shape, argument, None, span) for shape in (Shape.SUM, Shape.MEAN, Shape.SPREAD))
    age = (Reference(visit.columns[3]), Span(Fraction(1), 0, 100))
    both = (
        Measure(Shape.PRODUCTS, argument, None, span, *age),
        Measure(Shape.PRODUCTS, age[0], None, age[1], argument, span),
    )
    for measures in (summed, both, (Measure(Shape.RANKS, argument, None, span),)):
        request = Bounded(visit, (), Limits(rows_per_unit=1), measures, cap_groups=False)
        moved(request, visits({name: value}), visits(), Neighbors.ADD_REMOVE)
    backend = engine(visits({name: value}))
    for places in backend.ranks(request).values():  # the last one
        assert all(0 <= place <= span.steps for place in places)
    backend.close()


def test_a_condition_does_not_take_the_place_of_the_same_unit() -> None:
    visit, person = tiny.table("visit"), tiny.table("person")
    condition = call("le", Reference(visit.columns[3]), Reference(person.columns[0]))
    for kind in (JoinKind.INNER, JoinKind.LEFT, JoinKind.FULL):
        source = tiny.joined(visit, person, kind, condition)
        request = Bounded(source, (), Limits(rows_per_unit=1), (Measure(Shape.ROWS),), cap_groups=False)
        here = visits({"pid": 1}, {"pid": 2}, {"pid": 3})
        here["person"] = [{"score": 7, "kind": "a", "pid": unit} for unit in (1, 2, 3, 4)]
        for unit in (1, 4):
            moved(request, here, without(here, unit), Neighbors.ADD_REMOVE)
        assert numbers(request, here, real=True)[0][(), 0] == (4 if kind is JoinKind.FULL else 3)


def test_a_replaced_unit_moves_a_sum_from_one_end_to_the_other() -> None:
    visit = tiny.table("visit")
    measure = Measure(Shape.SUM, Reference(visit.columns[2]), None, Span(Fraction(1), -5, 10))
    request = Bounded(visit, (), Limits(rows_per_unit=1), (measure,), cap_groups=False)
    moved(request, visits({"pay": -5.0}), visits({"pay": 10.0}), Neighbors.REPLACE)
    assert sensitivity(request, measure, neighbors=Neighbors.REPLACE).l1 == 15


def test_distinct_values_count_in_as_many_groups_as_a_unit_has() -> None:
    visit = tiny.table("visit")
    key = Key(visit.columns[1], Reference(visit.columns[1]), ("a", "b", "c"))
    measure = Measure(Shape.DISTINCT, Reference(visit.columns[3]))
    request = Bounded(visit, (key,), Limits(groups_per_unit=1, rows_per_group=1), (measure,), cap_groups=True)
    here = visits(*({"city": city, "age": age} for city in "abc" for age in (1, 2)))
    moved(request, here, visits(), Neighbors.ADD_REMOVE)
    assert sum(numbers(request, here, real=True)[0].values()) == 1


def test_units_without_a_cap_on_groups_have_no_small_sensitivity() -> None:
    visit = tiny.table("visit")
    key = Key(visit.columns[1], Reference(visit.columns[1]), ("a", "b"))
    request = Bounded(visit, (key,), Limits(rows_per_unit=1), (Measure(Shape.UNITS),), cap_groups=False)
    assert sensitivity(request, request.measures[0], neighbors=Neighbors.ADD_REMOVE).l1 > 1 << 30


def test_the_comparison_notices_a_sensitivity_that_is_too_small() -> None:
    with pytest.raises(AssertionError):
        refuse_farther({"a": 3}, {}, Sensitivity(2))
    with pytest.raises(AssertionError):
        refuse_farther({"a": 1, "b": 1}, {}, Sensitivity(1, cells=2, l1=1))
