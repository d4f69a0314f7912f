# ruff: noqa: S608 - statements are made of the examples
"""What every aggregate does, whatever it is: an entry in `examples.py` brings all of this."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from scipy.stats import binom

from privet.errors import InvalidParameter, QueryRefused
from privet.mechanisms import DiscreteLaplace, Gaussian, Laplace
from privet.noise import BitSource
from privet.query.aggregates import NAMES, RULES
from privet.query.plan.aggregation import Function
from privet.query.plan.limits import Limits
from privet.query.pricing.quote import quote_statement
from privet.query.second_price.price_check import refuse_another_price
from tests.query.aggregates.examples import EXAMPLES
from tests.query.engines.test_golden import refuse_unequal
from tests.query.test_falsification import falsify
from tests.support import neighbor_hospitals as worlds
from tests.support.engines import chosen_alike, engine_of
from tests.support.exact_session import OPTIONS, ExactSession
from tests.support.hospital_sessions import Watched, crowd, hospital
from tests.support.nasty_values import HOSPITALS
from tests.support.neighbor_hospitals import CROWDED, OTHER, SETTINGS
from tests.support.replaying_ledger import TIGHT, play, quote_of
from tests.support.statistics import FALSE_ALARM

SQL = Path(__file__).parents[3] / "docs" / "sql.md"
AMPLE = Limits(groups_per_unit=1_000, rows_per_group=1_000)  # nobody has more, so no limit bites
MACRO = "CREATE MACRO clip(x, low, high) AS CASE WHEN x IS NOT NULL THEN LEAST(GREATEST(x, low), high) END"
FUNCTIONS = list(EXAMPLES)
ACROSS = [function for function, example in EXAMPLES.items() if example.across]
INSIDE = [function for function in EXAMPLES if function not in ACROSS]
CERTAIN = [function for function in ACROSS if EXAMPLES[function].margins]
REFUSED = {
    "spark": {Function.QUANTILE: "is not computed on Spark"}
}  # by engine: what it does not compute within a unit
FEW = list(HOSPITALS)[:1]  # for Spark
TRIALS = 2_000
by_name = pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.name)


def across(function: Function) -> str:
    return f"SELECT {EXAMPLES[function].asked} AS v FROM visit"


def by_group(function: Function) -> str:
    """Of two declared groups; nobody is in one of them."""
    return f"SELECT stay > 1000 AS late, {EXAMPLES[function].asked} AS v FROM visit GROUP BY stay > 1000"


def within(function: Function, *, own: bool = False) -> str:
    """The sum over units of what each has, and how many have something."""
    example = EXAMPLES[function]
    asked = example.plain if own else example.asked
    inner = f"SELECT pid, {asked} AS v FROM visit" + ("" if " OVER " in asked else " GROUP BY pid")
    held = f"CLIP({example.number}, -10000, 10000)"
    return f"SELECT SUM({held}) AS total, COUNT({example.number}) AS n FROM ({inner})"


@pytest.fixture(name="world", scope="module")
def _world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ExactSession, duckdb.DuckDBPyConnection]]:
    folder = tmp_path_factory.mktemp("aggregates")
    patients, visits = crowd(30, 99, seed=5)  # so few that the first and last percent are the first and last row
    catalog = hospital(folder, patients=patients, visits=visits)
    plain = duckdb.connect(":memory:")
    plain.execute(f"ATTACH '{folder / 'h.duckdb'}' AS h (READ_ONLY)")
    plain.execute("CREATE TABLE visit AS SELECT * FROM h.visit")
    plain.execute(MACRO)
    yield ExactSession(catalog, backend=Watched(catalog)), plain
    plain.close()


World = tuple[ExactSession, duckdb.DuckDBPyConnection]


def alike(one: Any, other: Any) -> bool:  # noqa: ANN401 - any cells
    """Whether two numbers agree, up to a lattice; a sum of nothing is 0 here and NULL in plain SQL."""
    if one is None or other is None:
        return one == other or (other is None and one == 0)
    return math.isclose(float(one), float(other), rel_tol=2e-3, abs_tol=2e-2)


# --- the table is complete ---


def test_every_aggregate_has_a_rule_and_an_example() -> None:
    assert set(RULES) == set(Function)
    assert set(EXAMPLES) == set(Function)


def test_every_name_is_read_as_what_its_rule_says(world: World) -> None:
    for name, asked in NAMES.items():
        arguments = {1: "cost", 2: "cost, stay"}[len(RULES[asked.function].takes)]
        arguments = "cost > 3" if asked.function in {Function.ANY, Function.ALL} else arguments
        over = " OVER (PARTITION BY pid ORDER BY vid)" if RULES[asked.function].ordered else ""
        group = "" if over else " GROUP BY pid"
        text = f"SELECT COUNT(v) FROM (SELECT pid, {name}({arguments}){over} AS v FROM visit{group})"
        (stage,) = world[0].read(text).stages
        assert f"{asked.function!r}" in repr(stage.source), name


def test_every_name_is_in_the_documentation() -> None:
    page = SQL.read_text(encoding="utf-8")
    assert [name for name in NAMES if f"`{name.upper()}" not in page] == []


@by_name
def test_a_rule_says_all_there_is_to_say(function: Function) -> None:
    rule = RULES[function]
    answered = [rule.across, rule.facts, rule.added, rule.reading]
    assert all(map(bool, answered)) or not any(map(bool, answered)), "across units it has all of these, or none"
    assert all(name == name.lower() and asked.function is function for name, asked in rule.names.items())
    assert EXAMPLES[function].across is bool(rule.across)


# --- what it computes ---


@pytest.mark.parametrize("function", ACROSS, ids=lambda function: function.name)
def test_without_noise_it_is_plain_sql(world: World, function: Function) -> None:
    exact, plain = world
    (mine,) = exact.sql(across(function), limits=AMPLE).rows
    own = EXAMPLES[function].plain.replace("MEDIAN(cost)", "QUANTILE_DISC(cost, 0.5)")  # a value that occurs
    (theirs,) = plain.execute(f"SELECT {own} FROM visit").fetchone() or ()
    assert alike(mine["v"], theirs)


@pytest.mark.parametrize("function", ACROSS, ids=lambda function: function.name)
def test_of_a_group_without_rows_it_is_nothing(world: World, function: Function) -> None:
    exact, _ = world
    groups = {row["late"]: row["v"] for row in exact.sql(by_group(function), limits=AMPLE).rows}
    assert groups[True] in (0, None) or function in {Function.QUANTILE, Function.MINIMUM, Function.MAXIMUM}
    assert alike(groups[False], exact.sql(across(function), limits=AMPLE).rows[0]["v"])


@by_name
def test_within_a_unit_it_is_plain_sql(world: World, function: Function) -> None:
    exact, plain = world
    (mine,) = exact.sql(within(function), limits=AMPLE).rows
    theirs = plain.execute(within(function, own=True)).fetchone() or ()
    assert all(map(alike, (mine["total"], mine["n"]), theirs)), (mine, theirs)


@pytest.mark.parametrize("function", INSIDE, ids=lambda function: function.name)
def test_across_units_it_is_refused_by_name(world: World, function: Function) -> None:
    text = EXAMPLES[function].asked.split(" OVER ")[0]
    with pytest.raises(QueryRefused, match=rf"^{function.value}\(.*no private mechanism"):
        world[0].read(f"SELECT {text} FROM visit")


# --- on every engine ---


def statements(function: Function) -> list[str]:
    return [within(function), *([across(function), by_group(function)] if function in ACROSS else [])]


def same_numbers(engine: str, text: str, limits: Limits | None, hospitals: Iterable[str] = HOSPITALS) -> None:
    """The same numbers reach the noise as on DuckDB, whatever the rows hold, at a price that is confirmed."""
    catalog = SETTINGS[0].catalog
    plan = quote_of(text, catalog, limits)
    assert plan is not None
    for hospital_ in hospitals:
        here, there = (engine_of(name).backend(HOSPITALS[hospital_], catalog) for name in (engine, "duckdb"))
        refuse_another_price(plan, here, catalog)
        with chosen_alike():
            theirs = play(plan, there, catalog)
        refuse_unequal(play(plan, here, catalog, theirs), theirs)
        there.close()


@pytest.mark.whole
@by_name
def test_on_postgresql_it_is_the_same(function: Function) -> None:
    for text, limits in zip(statements(function), TIGHT[1:], strict=False):
        same_numbers("postgres", text, limits)


@pytest.mark.whole
@pytest.mark.xdist_group("spark")  # of the one process that starts it
def test_on_spark_they_are_the_same() -> None:
    """All in two statements, because Spark takes a second for each."""
    asked = [EXAMPLES[function].asked for function in ACROSS if function is not Function.QUANTILE]
    same_numbers(
        "spark", f"SELECT {', '.join(f'{text} AS v{n}' for n, text in enumerate(asked))} FROM visit", TIGHT[3], FEW
    )
    inside = [each for each in FUNCTIONS if each not in REFUSED["spark"] and not RULES[each].ordered]
    inner = ", ".join(f"{EXAMPLES[each].asked} AS v{n}" for n, each in enumerate(inside))
    numbers = [EXAMPLES[each].number.replace("v", f"v{n}") for n, each in enumerate(inside)]
    outer = ", ".join(f"SUM(CLIP({number}, -10000, 10000)) AS s{n}" for n, number in enumerate(numbers))
    same_numbers("spark", f"SELECT {outer} FROM (SELECT pid, {inner} FROM visit GROUP BY pid)", TIGHT[3], FEW)
    same_numbers("spark", within(Function.FIRST), TIGHT[3], FEW)


@pytest.mark.whole
@pytest.mark.xdist_group("spark")  # of the one process that starts it
@pytest.mark.parametrize("function", REFUSED["spark"], ids=lambda function: function.name)
def test_what_spark_does_not_compute_is_refused_by_name(function: Function) -> None:
    catalog = SETTINGS[0].catalog
    plan = quote_of(within(function), catalog, None)
    assert plan is not None
    with pytest.raises(InvalidParameter, match=REFUSED["spark"][function]):
        refuse_another_price(plan, engine_of("spark").backend(worlds.world(CROWDED), catalog), catalog)


# --- privacy ---


@by_name
@pytest.mark.parametrize("setting", SETTINGS[:2], ids=lambda setting: setting.name)
def test_no_unit_moves_it_farther_than_stated(function: Function, setting: worlds.Setting) -> None:
    """On a crowded hospital and its neighbors, under limits that it goes beyond, however rows are bounded."""
    limits = [TIGHT[0], TIGHT[3], TIGHT[5], TIGHT[7]]
    plans = [quote_of(text, setting.catalog, each) for text in statements(function) for each in limits]
    others = list(setting.neighbors(CROWDED, OTHER))
    assert falsify(setting, worlds.world(CROWDED), others, plans) == len(plans)


# --- margins ---


@pytest.fixture(name="many", scope="module")
def _many(tmp_path_factory: pytest.TempPathFactory) -> Any:  # noqa: ANN401 - a catalog and its engine
    patients, visits = crowd(3_000, 6_000, seed=6)
    catalog = hospital(tmp_path_factory.mktemp("many"), patients=patients, visits=visits)
    return catalog, Watched(catalog)


@pytest.mark.parametrize("noise", [Laplace, Gaussian], ids=lambda noise: noise.__name__)
@pytest.mark.parametrize("function", CERTAIN, ids=lambda function: function.name)
def test_margins_hold(many: Any, function: Function, noise: Any, source: BitSource) -> None:  # noqa: ANN401 - any mechanism
    """n = 2,000 answers at 95 %, with the noise of ε = 1; the control takes it for three times smaller than it is."""
    catalog, backend = many
    session = ExactSession(catalog, backend=backend)
    plan = quote_statement(session.read(across(function)), catalog, replace(OPTIONS, limits=Limits(rows_per_unit=1)))
    (stage,) = plan.stages
    (reading,) = stage.needs.readings
    request = stage.needs.request
    exact = np.array([backend.sums(request).groups[()][0]], dtype=float)
    size = int(stage.mechanisms[0].scale) if isinstance(stage.mechanisms[0], DiscreteLaplace | Laplace) else 1
    scaled = noise(1, max(size, 3))
    numbers = exact + np.asarray(scaled.sample(np.zeros((TRIALS, exact.shape[1]), dtype=np.int64), source), dtype=float)
    truth = float(reading.values(exact)[0])

    def inside(assumed: Any) -> int:  # noqa: ANN401 - any mechanism
        ends = reading.interval(numbers, assumed, 0.95)
        assert ends is not None
        return int(((ends[0] <= truth) & (truth <= ends[1])).sum())

    stated = 0.94 if "approximation" in reading.note else 0.95
    assert binom.cdf(inside(scaled), TRIALS, stated) >= FALSE_ALARM
    assert binom.cdf(inside(noise(1, max(size, 3) / 3)), TRIALS, stated) < FALSE_ALARM
