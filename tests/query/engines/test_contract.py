"""What every engine does, whatever it is: the contract of `Backend`."""

import threading
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pyarrow as pa
import pytest

from privet.errors import InvalidParameter
from privet.query.backends.backend import Backend
from privet.query.measures.request import Bounded, Measure, Shape, Span
from privet.query.plan.limits import Limits
from privet.query.plan.relations import Owner, Released, Table
from privet.query.plan.statement import Key
from privet.query.scalars.engine_types import type_of
from privet.query.scalars.expressions import Column, Reference
from privet.query.scalars.facts import Type
from tests.support.engines import ENGINES, engine_of
from tests.support.hospital import CLINICS, HOSPITAL, VISIT
from tests.support.neighbor_hospitals import COLUMNS, CROWDED, world

LIMITS = Limits(groups_per_unit=2, rows_per_group=2)


@pytest.fixture(params=ENGINES)
def backend(request: pytest.FixtureRequest) -> Backend:
    return engine_of(request.param).backend(world(CROWDED), HOSPITAL)


def visits() -> Table:
    made = {name: Column(name, facts) for name, facts in VISIT.columns.items()}
    return Table("visit", tuple(made.values()), Owner((made["pid"],), VISIT.limits))


def column(table: Table, name: str) -> Column:
    return next(each for each in table.columns if each.name == name)


def stays(table: Table, shape: Shape = Shape.SUM, *, domain: tuple[str, ...] | None = ("A", "B", "Z")) -> Bounded:
    clinic = column(table, "clinic")
    measures = (Measure(shape, Reference(column(table, "stay")), None, Span(Fraction(1), 0, 30)),)
    return Bounded(table, (Key(clinic, Reference(clinic), domain),), LIMITS, measures, cap_groups=True)


def test_it_says_what_every_column_is(backend: Backend) -> None:
    schema = backend.schema()
    assert {name: list(columns) for name, columns in schema.items()} == {
        name: list(columns) for name, columns in COLUMNS.items()
    }
    assert type_of(schema["visit"]["cost"]) is Type.REAL
    assert type_of(schema["visit"]["day"]) is Type.DATE
    assert type_of(schema["patient"]["smoker"]) is Type.BOOLEAN


def test_sums_have_a_group_where_there_are_rows_and_whole_numbers_only(backend: Backend) -> None:
    sums = backend.sums(stays(visits()))
    assert set(sums.groups) == set(sums.units) == {("A",), ("B",)}  # Z has no rows, C to E are not asked for
    assert all(type(cell) is int for cells in sums.groups.values() for each in cells for cell in each)
    assert sums.units == {("A",): 3, ("B",): 1}
    assert repr(sums) == "Sums(values hidden)"


def test_a_private_group_may_be_null(backend: Backend) -> None:
    sums = backend.sums(replace(stays(visits(), domain=None), limits=Limits(groups_per_unit=9, rows_per_group=2)))
    assert (None,) in sums.groups


def test_ranks_count_parts_of_rows_by_place(backend: Backend) -> None:
    ranks = backend.ranks(stays(visits(), Shape.RANKS))
    assert all(0 <= place <= 30 for places in ranks.values() for place in places)
    assert set(ranks) == {("A",), ("B",)}
    with pytest.raises(InvalidParameter, match="one RANKS measure"):
        backend.ranks(stays(visits()))


def test_members_are_the_units_that_are_counted_each_in_as_many_groups_as_it_is_held_to(backend: Backend) -> None:
    """A group may be NULL; who has more groups is in those that its counts are in."""
    few = replace(stays(visits(), domain=None), measures=())
    many = replace(few, limits=Limits(groups_per_unit=9, rows_per_group=1))
    for request, most in ((few, 2), (many, 9)):
        members = backend.members(replace(request, members=True))
        sets = members.groups_of_units()
        assert max(map(len, sets)) == min(most, 3)  # two patients of the crowd have three clinics
        counted = Counter(group for each in sets for group in each)
        assert counted == backend.sums(request).units
        assert set(members(())) == set(counted)
    assert (None,) in counted
    assert repr(members) == "Members(values hidden)"
    with pytest.raises(InvalidParameter, match="a request of members"):
        backend.members(few)
    with pytest.raises(InvalidParameter, match="asked for alone"):
        backend.text(replace(stays(visits()), members=True))


def test_public_rows_are_read_in_full_and_private_ones_never(backend: Backend) -> None:
    clinic = HOSPITAL.tables["clinic"]
    table = backend.read(Table("clinic", tuple(Column(n, f) for n, f in clinic.columns.items()), None), {})
    assert sorted(zip(*table.to_pydict().values(), strict=True)) == sorted(CLINICS)
    assert table.column_names == ["clinic", "region", "beds"]
    with pytest.raises(InvalidParameter, match="public"):
        backend.read(visits(), {})


def test_a_released_table_is_read_back_as_it_is(backend: Backend) -> None:
    texts = ["é'\"\\{},|", "", None, "NULL", " x ", "\n\t", "日本", "%s"]
    cells = {
        "text": pa.array(texts),
        "whole": pa.array([2**62, -(2**62), None, 0, 1, 2, 3, 4], pa.int64()),
        "real": pa.array([0.1, -0.0, None, 1e308, 5e-324, 1e15, -2.5, 3.0], pa.float64()),
        "flag": pa.array([True, False, None, *[True] * 5]),
        "day": pa.array([0, -719_162, 2_932_896, None, *[1] * 4], pa.int32()).cast(pa.date32()),
        "moment": pa.array([0, -1, None, 10**15, *[1] * 4], pa.int64()).cast(pa.timestamp("us")),
    }
    table = pa.table(cells)
    kinds = dict(zip(cells, (Type.TEXT, Type.INTEGER, Type.REAL, Type.BOOLEAN, Type.DATE, Type.TIMESTAMP), strict=True))
    columns = tuple(Column(name, VISIT.columns["note"].where(type=kind)) for name, kind in kinds.items())
    relation = Released("stage", columns)
    with backend.apart() as alone:
        found = alone.read(relation, {"stage": table})
    assert sorted(map(str, found.to_pylist())) == sorted(map(str, table.to_pylist()))
    with backend.apart() as alone:
        assert alone.read(relation, {"stage": table.slice(0, 0)}).num_rows == 0


def test_the_text_is_one_select_and_names_no_row(backend: Backend) -> None:
    text = backend.text(stays(visits()))
    assert text.startswith("WITH ")
    assert ";" not in text
    assert "fever" not in text


def test_statements_side_by_side_do_not_see_each_other(backend: Backend) -> None:
    clinic = Column("clinic", VISIT.columns["clinic"])
    relation = Released("stage", (clinic,))
    found = {}

    def ask(name: str) -> None:
        with backend.apart() as alone:
            found[name] = alone.read(relation, {"stage": pa.table({"c": [name] * 50})}).to_pydict()

    threads = [threading.Thread(target=ask, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {name: {"clinic": [name] * 50} for name in "abcd"}


def test_products_are_what_duckdb_says_they_are(backend: Backend) -> None:
    """Which is compared with Python's integers in tests/learn/test_stored_rows.py: NaN, infinities, heavy units."""
    table = visits()
    measures = tuple(
        Measure(
            Shape.SPREAD,
            Reference(column(table, name)),
            span=Span.between(Fraction(0), Fraction(16), whole=False, most=2**15),
        )
        for name in ("cost", "stay")
    )
    request = Bounded(table, (), Limits(rows_per_unit=2), measures, cap_groups=False)
    found = backend.products(request)
    assert len(found) == 6
    assert all(type(each) is int for each in found)
    assert found[0] > 0
    assert found == engine_of("duckdb").backend(world(CROWDED), HOSPITAL, slot=1).products(request)
