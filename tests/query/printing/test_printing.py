"""What is printed means, on a real engine, what the oracle says."""

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from privet.errors import InvalidParameter
from privet.query.backends.duckdb import DuckDBBackend
from privet.query.backends.group_keys import plain_value
from privet.query.measures.request import Bounded, Measure, Shape, Span
from privet.query.plan.limits import Limits
from privet.query.plan.relations import Owner, Project, Relation
from privet.query.plan.statement import Key
from privet.query.printing import print_relation
from privet.query.scalars.expressions import Column, Literal, Reference
from privet.query.scalars.facts import Facts, Type, Value
from tests.support import drawn_databases as tiny
from tests.support.query_oracle import Oracle

SLOW = settings(
    max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), phases=(Phase.explicit, Phase.generate)
)


def engine_rows(backend: DuckDBBackend, relation: Relation) -> Counter[tuple[Value, ...]]:
    """The rows of an owned relation: for tests only, no method of a backend gives them."""
    text = print_relation(relation, backend._dialect, backend._sources())
    rows = backend._connection.execute(text).fetchall()
    return Counter(tuple(plain_value(value) for value in row) for row in rows)


@given(data=tiny.databases(), relation=tiny.relations(depth=3))
@SLOW
def test_a_relation_has_the_rows_of_the_oracle(data: tiny.Data, relation: Relation) -> None:
    catalog = tiny.catalog(data)
    backend = DuckDBBackend(catalog, threads=1)
    expected = Counter(
        tuple(row[column] for column in relation.columns) for row in Oracle(catalog, data).rows(relation)
    )
    assert engine_rows(backend, relation) == expected
    backend.close()


@given(data=tiny.databases(), request_=st.deferred(tiny.requests))
@SLOW
def test_bounded_sums_are_those_of_the_oracle(data: tiny.Data, request_: Bounded) -> None:
    catalog = tiny.catalog(data)
    backend = DuckDBBackend(catalog, threads=1)
    found = backend.sums(request_)
    expected = Oracle(catalog, data).sums(request_)
    nothing = tuple((0,) * measure.cells for measure in request_.measures)
    assert {k: v for k, v in found.groups.items() if v != nothing} == {
        k: v for k, v in expected.groups.items() if v != nothing
    }
    backend.close()


@given(data=tiny.databases(), request_=tiny.requests(ranks=True))
@SLOW
def test_ranks_are_those_of_the_oracle(data: tiny.Data, request_: Bounded) -> None:
    catalog = tiny.catalog(data)
    backend = DuckDBBackend(catalog, threads=1)
    assert backend.ranks(request_) == Oracle(catalog, data).ranks(request_)
    backend.close()


def plain_request(**changes: object) -> Bounded:
    visit = tiny.table("visit")
    column = {column.name: column for column in visit.columns}
    key = Key(column["city"], Reference(column["city"]), ("a", "b"))
    parts: dict[str, object] = {
        "source": visit,
        "keys": (key,),
        "limits": Limits(rows_per_unit=2),
        "measures": (Measure(Shape.ROWS),),
        "cap_groups": False,
    }
    return Bounded(**(parts | changes))  # type: ignore[arg-type] # as named


def pay(shape: Shape, span: Span) -> tuple[Measure, ...]:
    return (Measure(shape, Literal(1, Type.INTEGER), None, span),)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"source": tiny.table("clinic"), "keys": ()}, "owned relation"),
        ({"measures": (Measure(Shape.UNITS),)}, "set cap_groups"),
        ({"measures": (Measure(Shape.ROWS), Measure(Shape.RANKS, Literal(1, Type.INTEGER)))}, "asked for alone"),
        ({"limits": Limits(rows_per_unit=2**40)}, "limits must be"),
        ({"measures": pay(Shape.SUM, Span(Fraction(1), 2**61, 2**61 + 1))}, "too close for their size"),
        ({"measures": pay(Shape.SPREAD, Span(Fraction(1), 0, 2**31))}, "too many places"),
    ],
)
def test_what_could_not_be_computed_or_bounded_is_refused(changes: dict[str, object], words: str) -> None:
    data: tiny.Data = {name: [] for name in tiny.COLUMNS}
    backend = DuckDBBackend(tiny.catalog(data), threads=1)
    with pytest.raises(InvalidParameter, match=words):
        backend.text(plain_request(**changes))
    backend.close()


def test_no_name_or_text_of_an_analyst_is_printed() -> None:
    column = Column('evil"; DROP TABLE visit; --', Facts(Type.INTEGER, low=Fraction(0), high=Fraction(9)))
    visit = tiny.table("visit")
    assert visit.owner is not None
    unit = Column("secret alias", Facts(Type.INTEGER))
    project = Project(
        visit,
        ((column, Reference(visit.columns[0])), (unit, Reference(visit.owner.unit[0]))),
        Owner((unit,), visit.owner.limits),
    )
    measure = Measure(Shape.SUM, Reference(column), None, Span(Fraction(1), 0, 9))
    backend = DuckDBBackend(tiny.catalog({name: [] for name in tiny.COLUMNS}), threads=1)
    text = backend.text(plain_request(source=project, keys=(), measures=(measure,)))
    assert "DROP" not in text
    assert "secret" not in text
    backend.close()


def test_the_same_request_has_the_same_text() -> None:
    data: tiny.Data = {name: [] for name in tiny.COLUMNS}
    backend = DuckDBBackend(tiny.catalog(data), threads=1)
    assert backend.text(plain_request()) == backend.text(plain_request())
    backend.close()


def test_the_widest_numbers_do_not_overflow() -> None:
    """A wide lattice, a large cap and a unit far over it: the widest numbers that are allowed."""
    row: dict[str, Value] = {
        "vid": 1,
        "city": "a",
        "pay": 10.0,
        "age": 1,
        "free": 1e308,
        "flag": True,
        "day": None,
        "pid": 1,
    }
    data: tiny.Data = {"visit": [row] * 3000, "person": [], "item": [], "clinic": []}
    catalog = tiny.catalog(data)
    far = Span(Fraction(1), 2**59, 2**60)
    visit = tiny.table("visit")
    free = next(column for column in visit.columns if column.name == "free")
    measures = (Measure(Shape.SUM, Reference(free), None, far), Measure(Shape.MEAN, Reference(free), None, far))
    backend = DuckDBBackend(catalog, threads=1)
    city = next(column for column in visit.columns if column.name == "city")
    for keys in ((), (Key(city, Reference(city), ("a",)),)):  # weighed as pairs, and row by row
        request = Bounded(visit, keys, Limits(rows_per_unit=2999), measures, cap_groups=False)
        assert backend.sums(request).groups == Oracle(catalog, data).sums(request).groups
    backend.close()
