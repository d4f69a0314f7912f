# ruff: noqa: S608 - statements of this file, through our own parser
"""Request: where numbers lie on the lattice, and how far they are from 0."""

from fractions import Fraction

import pyarrow as pa
import pytest

import privet
from privet.errors import InvalidParameter
from privet.loss import Neighbors
from privet.query.aggregates.needs import needs_of
from privet.query.backends.duckdb import DuckDBBackend
from privet.query.measures.request import NARROWEST, REAL_STEPS, SMALLEST, SQUARE_STEPS, Span, sensitivity
from privet.query.plan.aggregation import Aggregation, Function
from privet.query.scalars.expressions import Literal
from privet.query.scalars.facts import Type
from tests.support.exact_session import ExactSession
from tests.support.people import aggregate

ROWS = 1000
CONSTANTS = ["2.5", "-2.5", "0.1", "0.0", "1", "-7", "0", "1e-9", "1e15", "123456789.123", "1e-300", "-1e130"]
ENDS = ["0.1 0.3", "0.1 0.4", "-0.3 -0.1", "1000000 1000000.5", "7 7.0000000001", "-1e-5 2e-5", "5e-324 1e-323"]


PAIRS = [(one, one) for one in CONSTANTS] + [(low, high) for low, high in map(str.split, ENDS)]
CASES = [(low, high, False) for low, high in PAIRS] + [
    (one, one, True) for one in CONSTANTS if "." not in one and "e-" not in one
]


@pytest.mark.parametrize("most", [REAL_STEPS, SQUARE_STEPS])
@pytest.mark.parametrize(("lower", "upper", "whole"), CASES)
def test_bounds_are_places_and_no_place_is_much_farther_from_0(
    lower: str, upper: str, most: int, *, whole: bool
) -> None:
    low, high = Fraction(lower), Fraction(upper)
    span = Span.between(low, high, whole=whole, most=most)
    far = max(abs(low), abs(high))
    assert 0 < span.steps <= 2 * most
    assert float(span.step) > 0
    for end in (low, high):
        assert min(abs(end - span.step * place) for place in (span.first, span.last)) <= max(
            span.step / 2, far / NARROWEST
        )
    assert max(abs(span.first), abs(span.last)) * span.step <= max(far, SMALLEST) + span.step


def exact() -> ExactSession:
    people = pa.table({"id": range(ROWS), "x": [row / ROWS for row in range(ROWS)]})
    catalog = privet.Catalog.of(
        people, table="t", unit="person", unit_column="id", limit=privet.Guarantee(1), columns={"x": {"bounds": [0, 1]}}
    )
    return ExactSession(catalog, backend=DuckDBBackend(catalog))


@pytest.mark.parametrize("constant", CONSTANTS)
def test_a_constant_keeps_its_value(constant: str) -> None:
    half = f"CASE WHEN x < 0.5 THEN {constant} END"
    (row,) = exact().sql(f"SELECT SUM({constant}) s, AVG({half}) a, SUM({half}) h, STDDEV({half}) d FROM t").rows
    value = float(constant)
    assert row["s"] == pytest.approx(ROWS * value, rel=1e-6)
    assert row["a"] == pytest.approx(value, rel=1e-8)
    assert row["h"] == pytest.approx(ROWS // 2 * value, rel=1e-6)
    assert row["d"] == pytest.approx(0, abs=1e-6 * abs(value))


@pytest.mark.parametrize("constant", [1.0, -7.0, 2.5])
def test_a_constant_moves_a_sum_by_itself_alone(constant: float) -> None:
    needs = needs_of(aggregate(Aggregation(Function.SUM, Literal(constant, Type.REAL))))
    (measure,) = needs.request.measures
    moves = sensitivity(needs.request, measure, neighbors=Neighbors.ADD_REMOVE)
    assert moves.l1 is not None
    assert moves.l1 * measure.span.step == abs(Fraction(constant)) * needs.request.limits.cap


def test_bounds_whose_squares_are_no_floats_are_refused_before_they_cost_anything() -> None:
    wide = Aggregation(Function.VARIANCE, Literal(1e200, Type.REAL))
    with pytest.raises(InvalidParameter, match="too wide to square"):
        needs_of(aggregate(wide))
