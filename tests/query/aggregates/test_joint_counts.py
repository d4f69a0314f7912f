# ruff: noqa: S608 - invented statements
"""Counts under several conditions: the same answers as one by one, moved no farther than stated, with less noise."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pytest

import privet
from privet.errors import InvalidParameter
from privet.loss import Guarantee
from privet.postprocessing.strategy import Strategy
from privet.query import sql
from privet.query.aggregates.needs import Draw, Needs
from privet.query.backends.duckdb import DuckDBBackend
from privet.query.catalog import Catalog
from privet.query.measures.cell_counts import CellCounts
from privet.query.options import Keywords, Options
from privet.query.plan.limits import Limits
from privet.query.pricing.quote import Quote, quote_statement
from privet.query.second_price.price_check import refuse_another_price, second_loss
from privet.query.session import Session
from tests.support import neighbor_hospitals as worlds
from tests.support.exact_session import ExactSession
from tests.support.hospital import public_values
from tests.support.hospital_sessions import crowd, hospital
from tests.support.neighbor_hospitals import CROWDED, OTHER, SETTINGS, Setting
from tests.support.replaying_ledger import TIGHT, engine, play, refuse_different

pytestmark = pytest.mark.whole

VISITS: dict[str, Sequence[str]] = {
    "nested": [f"cost < {cost}" for cost in (0, 25, 100, 4999.5, 5000)],
    "at the edges": ["cost = 0", "cost <= 0", "cost > 0", "cost IS NULL", "NOT cost < 5000", "cost = 5e-324"],
    "odd": ["weight = 0", "weight < 60", "weight > 60", "weight IS NULL", "weight >= 1e308", "NOT weight < -1e308"],
    "texts": ["note = 'fever'", "note < 'g'", "note LIKE 'f%'", "note IN ('', 'A')", "note IS NULL", "TRUE"],
    "days": ["day < DATE '2024-03-02'", "day = DATE '2024-03-01'", "day >= DATE '2024-03-03' OR day IS NULL"],
    "several columns": ["stay > 2 AND cost > 50", "stay > 2", "cost > 50 OR clinic = 'A'", "clinic IN ('A', 'B')"],
    "apart": ["stay > 2", "stay > 5", "clinic = 'A'", "clinic <> 'A'"],
}
SPENT: tuple[dict[str, Any], ...] = ({"epsilon": 1}, {"epsilon": 1, "delta": "1e-6"}, {"rho": "0.1"})
# Where limits are found, counts are asked one by one.
SAID = [each for each in TIGHT if each is None or not each.automatic]


def statement(conditions: Sequence[str], *, keys: str = "", table: str = "visit") -> str:
    counts = ", ".join(f"COUNT(*) FILTER (WHERE {each}) AS n{place}" for place, each in enumerate(conditions))
    begun = f"{keys}, " if keys else ""
    return f"SELECT {begun}{counts} FROM {table}" + (f" GROUP BY {keys}" if keys else "")


def quoted(catalog: Catalog, text: str, **said: Any) -> Quote:  # noqa: ANN401 - whatever may be said
    limits = said.pop("limits", None)
    keywords = cast("Keywords", said)
    read = sql.read(text, catalog, values=public_values)
    return quote_statement(read, catalog, replace(Options.of(keywords), limits=limits))


def needs_in(quote: Quote) -> Needs:
    (stage,) = quote.stages
    return stage.needs


@pytest.mark.parametrize("name", VISITS)
def test_without_noise_they_are_the_counts_one_by_one(name: str, tmp_path: Path) -> None:
    patients, visits = crowd()
    catalog = hospital(tmp_path, patients=patients, visits=visits)
    exact = ExactSession(catalog, backend=DuckDBBackend(catalog, threads=1))
    limits = Limits(rows_per_unit=4)
    together = exact.sql(statement(VISITS[name]), limits=limits).rows[0]
    for place, condition in enumerate(VISITS[name]):
        alone = exact.sql(statement([condition]), limits=limits).rows[0]
        assert together[f"n{place}"] == pytest.approx(alone["n0"], abs=1), condition


@pytest.mark.parametrize("name", VISITS)
@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_no_unit_moves_them_farther_than_stated(setting: Setting, name: str) -> None:
    """Rows at the edges of the conditions; under every limit, with and without groups, for every kind of noise."""
    here = worlds.world(CROWDED)
    neighbor = list(setting.neighbors(CROWDED, OTHER))[-1]
    place = list(VISITS).index(name) + SETTINGS.index(setting)
    with closing(engine(here, setting.catalog)) as one, closing(engine(neighbor, setting.catalog)) as other:
        for number, keys in enumerate(("", "clinic")):
            spent = SPENT[(place + number) % len(SPENT)]
            text = statement(VISITS[name], keys=keys)
            if keys and ("delta" not in spent or setting.catalog.window is not None):
                continue
            quote = quoted(setting.catalog, text, limits=SAID[(place + number) % len(SAID)], **spent)
            assert needs_in(quote).joined
            refuse_another_price(quote, one, setting.catalog)
            played = play(quote, one, setting.catalog)
            refuse_different(played, play(quote, other, setting.catalog, played))


@pytest.mark.parametrize("spent", SPENT, ids=str)
@pytest.mark.parametrize("replaced", [False, True])
def test_the_second_price_sees_other_sums(spent: dict[str, Any], *, replaced: bool) -> None:
    """A strategy that a row moves farther than the one that was priced has another price."""
    catalog = worlds.replacing(SETTINGS[0].catalog) if replaced else SETTINGS[0].catalog
    quote = quoted(catalog, statement(VISITS["nested"]), **spent)
    (stage,) = quote.stages
    with closing(engine(worlds.world(CROWDED), catalog)) as backend:
        assert second_loss(quote, backend, catalog) == quote.loss
        (draw,) = stage.needs.draws
        assert draw.joint is not None
        asked = draw.joint.chosen.strategy.asked.copy()
        asked[:, 0] *= 9
        other = replace(draw.joint.chosen, strategy=Strategy(asked))
        changed = replace(stage, needs=replace(stage.needs, draws=(Draw(draw.measure, joint=CellCounts(other)),)))
        with pytest.raises(InvalidParameter, match="differs from the first"):
            refuse_another_price(replace(quote, stages=(changed,)), backend, catalog)


def people(ages: Sequence[int], **said: Any) -> Session:  # noqa: ANN401 - of a catalog
    table = pa.table({"id": list(range(len(ages))), "age": list(ages)})
    catalog = privet.Catalog.of(
        table,
        table="people",
        unit="person",
        unit_column="id",
        limit=Guarantee(10**6, "0.1"),
        columns={"age": {"bounds": [0, 100]}},
        **said,
    )
    return privet.connect(catalog)


def test_a_hundred_disjoint_counts_cost_one() -> None:
    """Errors of 100 counts at ε = 1: the mean square is 1.84, with n = 100 below 5 but for 1e-6; one by one 20,000."""
    ages = [number % 100 for number in range(5_000)]
    session = people(ages)
    (row,) = session.sql(statement([f"age = {age}" for age in range(100)], table="people"), epsilon=1).rows
    errors = np.array([row[f"n{age}"] - 50 for age in range(100)])
    assert 0.3 < (errors**2).mean() < 6
    assert np.mean([row[f"n{age}_low"] <= 50 <= row[f"n{age}_high"] for age in range(100)]) > 0.8
    assert row["n0_high"] - row["n0_low"] <= 8


def test_explain_says_which_way_and_why() -> None:
    session = people([1, 2, 3])
    prefixes = statement([f"age < {age}" for age in range(1, 101)], table="people")
    said = session.explain(prefixes, epsilon=1).rules
    assert any(
        "answering 100 counts: blocks of" in each and "one by one would err by 141 rows" in each for each in said
    )
    normal = session.explain(prefixes, epsilon=1, delta="1e-6").rules
    assert any("noise: " in each for each in normal)
    assert "read with 99 other counts" in session.sql(prefixes, epsilon=1).notes["n0"]


def test_counts_for_a_population_stay_apart() -> None:
    session = people(list(range(50)))
    text = statement(["age < 10", "age < 20"], table="people")
    assert not any("answering" in each for each in session.explain(text, epsilon=1, interval="population").rules)
    assert session.sql(text, epsilon=1, interval="population").rows


def test_what_is_computed_from_them_knows_that_they_move_together() -> None:
    """n1 - n0 is one cell: its margin is that of one count, not of two."""
    session = people([number % 100 for number in range(1_000)])
    text = (
        "SELECT COUNT(*) FILTER (WHERE age < 10) AS a, COUNT(*) FILTER (WHERE age < 20) AS b, "
        "COUNT(*) FILTER (WHERE age < 20) - COUNT(*) FILTER (WHERE age < 10) AS c FROM people"
    )
    (row,) = session.sql(text, epsilon=1).rows
    assert row["c"] == row["b"] - row["a"]
    widths = {name: row[f"{name}_high"] - row[f"{name}_low"] for name in "abc"}
    assert widths["c"] <= max(widths["a"], widths["b"])


def test_a_weighted_count_is_surer() -> None:
    session = people([1])
    text = statement(["age < 10", "age < 20", "age < 30"], table="people")
    even = session.explain(text, epsilon=1).columns
    said = session.explain(text, epsilon=1, weights={"n2": 20}).columns
    assert float(said[2].margin.split()[-1]) < float(even[2].margin.split()[-1])


def test_a_wanted_error_is_kept() -> None:
    session = people([1])
    text = statement(["age < 10", "age < 20", "age < 30"], table="people")
    found = session.explain(text, error=10)
    assert found.price.epsilon < Fraction(3)
    assert all(float(column.margin.split()[-1]) <= 10 for column in found.columns)


ODD = ["x = 0", "x < 0", "x IS NULL", "NOT x < 1", "w = ''", "w LIKE 'B%'", "w IS NULL", "b", "b IS NULL", "TRUE"]


def test_rows_that_nobody_declared_count_too() -> None:
    """NULL where none was declared, odd floats and huge texts: as many as the engine finds one by one."""
    reals = [0.0, -0.0, 1.0, float("nan"), float("inf"), float("-inf"), 5e-324, None, 1e308, 2.5]
    texts = ["", "a", "Bern", None, "é", "x" * 5000, "\x01z", "B", "bern", "zz"]
    flags = [True, False, None, True, False, True, True, None, False, True]
    columns: dict[str, Any] = {"x": {"type": "real"}, "w": {"type": "text"}, "b": {"type": "boolean"}}
    table = pa.table({"id": list(range(10)), "x": reals, "w": texts, "b": flags})
    limit = Guarantee(10**9)
    session = privet.connect(
        privet.Catalog.of(table, table="t", unit="person", unit_column="id", limit=limit, columns=columns)
    )
    (together,) = session.sql(statement(ODD, table="t"), epsilon=10**6).rows
    for place, condition in enumerate(ODD):
        (alone,) = session.sql(f"SELECT COUNT(*) AS n FROM t WHERE {condition}", epsilon=10**6).rows
        assert together[f"n{place}"] == alone["n"], condition
