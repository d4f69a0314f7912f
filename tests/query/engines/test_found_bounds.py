"""The search for bounds, on every engine: the same bins, the same ranks, and the same price whatever was found."""

import math
from dataclasses import replace
from fractions import Fraction

import pytest

from privet.core import Ledger
from privet.loss import Guarantee
from privet.postprocessing.bins import Bins, Expected
from privet.query.aggregates.needs import middle_needs, needs_of
from privet.query.functions import evaluate
from privet.query.measures.automatic_bounds import at_bins, bin_of
from privet.query.options import Options
from privet.query.pricing.quote import quote_statement
from privet.query.scalars.expressions import Column, Reference
from privet.query.scalars.facts import Facts, Type
from privet.query.second_price.price_check import stage_loss
from privet.query.session import Session
from tests.support.engines import ENGINES, engine_of
from tests.support.hospital import HOSPITAL
from tests.support.neighbor_hospitals import CROWDED, world

ENDS = (Fraction(512), Fraction(2048))
LAYOUTS = (Expected().bins, Expected.of(sign="positive", scale=3).bins, Bins.around(Fraction(1000), ENDS))
REALS = [0.0, 5e-324, 2.0**-20, -(2.0**-20), 1.0, 999.99, 1000.0, 1000.5, 1e308, -1e308, math.inf, -math.inf]
WHOLE = [0, 1, -1, 1000, 2**53 + 1, 2**63 - 1, -(2**63)]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("kind", "values"), [(Type.REAL, REALS), (Type.INTEGER, WHOLE)], ids=["reals", "integers"])
def test_a_number_is_in_the_same_bin_everywhere(engine: str, kind: Type, values: list[float]) -> None:
    x = Column("x", Facts(kind))
    wanted = [bin_of(Reference(x), bins) for bins in LAYOUTS]
    rows = [[value] for value in (*values, None)]
    found = engine_of(engine).column([x], rows, wanted)
    assert [list(row) for row in found] == [[evaluate(each, {x: value}) for each in wanted] for (value,) in rows]


@pytest.mark.parametrize("engine", ENGINES)
def test_the_steps_count_alike_and_cost_the_same_whatever_was_found(engine: str) -> None:
    backend, reference = (engine_of(name).backend(world(CROWDED), HOSPITAL) for name in (engine, "duckdb"))
    session = Session(HOSPITAL, backend=backend, ledger=Ledger(Guarantee(9), unit=HOSPITAL.unit))
    statement = session.read("SELECT AVG(weight) AS w FROM visit", automatic=True)
    quote = quote_statement(statement, HOSPITAL, Options.of({"epsilon": 1, "automatic_bounds": "0.2"}))
    ((search, priced),) = quote.searches.items()
    for bins in LAYOUTS[1:]:
        again = replace(priced.again, needs=needs_of(at_bins(search, bins)))
        assert stage_loss(again, backend, HOSPITAL) == priced.again.loss
        assert backend.sums(again.needs.request) == reference.sums(again.needs.request)
    middle = replace(priced.middle, needs=middle_needs(search.middle, ENDS))
    assert stage_loss(middle, backend, HOSPITAL) == priced.middle.loss
    (ranks,) = middle.needs.rankings
    here, there = ({keys: dict(each) for keys, each in made.ranks(ranks).items()} for made in (backend, reference))
    assert here == there
    assert all(0 <= place <= 1 << 16 for each in here.values() for place in each)
