"""Automatic bounds: bins, thresholds, prices that do not wait for what is found, and what one unit can move."""

import itertools
import json
import math
import random
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from privet.core import Ledger, Unit
from privet.errors import InvalidParameter, KeyReused, QueryRefused, ReleaseFailed
from privet.loss import Guarantee, Neighbors, PrivacyLoss
from privet.postprocessing.bins import Bins, Ends, Expected
from privet.query.aggregates.needs import Needs, middle_needs, needs_of
from privet.query.aggregates.searches import searched
from privet.query.answering.run import Run
from privet.query.backends.duckdb import DuckDBBackend
from privet.query.catalog import Catalog
from privet.query.catalog.toml_text import column_text
from privet.query.connect import connect
from privet.query.functions import evaluate
from privet.query.measures.automatic_bounds import ANYWHERE, PLACES, at_bins, bin_of, expected_of
from privet.query.measures.request import PART, Span, sensitivity
from privet.query.options import Keywords, Options, share_of
from privet.query.plan.aggregation import Aggregation, Function
from privet.query.plan.limits import Limits
from privet.query.plan.relations import Relation
from privet.query.plan.statement import Aggregate, Key, Output, Search, Stage, Statement
from privet.query.plan.unit_local import NotUnitLocal, check_unit_local
from privet.query.pricing.quote import quote_statement
from privet.query.scalars.expressions import Column, Expression, Reference
from privet.query.scalars.facts import Facts, Type
from privet.query.second_price.price_check import stage_loss
from privet.query.session import Session
from tests.query.test_neighbors import compare, without
from tests.support import drawn_databases as tiny
from tests.support.exact_session import ExactRun
from tests.support.hospital import HOSPITAL, by_day
from tests.support.hospital_sessions import Watched, crowd, hospital, session_with

pytestmark = pytest.mark.whole

X = Column("x", Facts(Type.REAL))
MOST = (Function.SUM, Function.AVG, Function.STDDEV, Function.QUANTILE)
BINS = Expected().bins
PAIRS = [(low, high) for low in range(len(BINS)) for high in range(low, len(BINS))]
FAR = (Fraction(512), Fraction(2048))  # values around 1000
LAYOUTS = (BINS, Bins.around(Fraction(1000), FAR), Bins.around(Fraction(-37), (Fraction(-64), Fraction(-16))))
FEW = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
SEARCHING = Options.of({"epsilon": 1, "automatic_bounds": "0.2"})
AVERAGE = "SELECT AVG(weight) AS w FROM visit"


def between(pair: tuple[int, int]) -> Ends:
    return BINS.ends(*pair)


def with_searches(relation: Relation, argument: Expression, *functions: Function, **more: Any) -> Aggregate:  # noqa: ANN401 - of an aggregation
    """Aggregates of an argument without bounds, and how they are found."""
    half = Fraction(1, 2)
    wanted = [Aggregation(each, argument, fraction=half, **more) for each in functions]
    items = tuple((Column(f"x{place}", Facts(Type.REAL)), each) for place, each in enumerate(wanted))
    aggregate = Aggregate(relation, (), items, Limits(rows_per_unit=2))
    output = Output(tuple((column, Reference(column)) for column, _ in items))
    source = searched(Statement("…", (Stage("answer", aggregate, output),))).stages[0].source
    assert isinstance(source, Aggregate)
    return source


def weighing(folder: Path, weights: list[float | None], **catalog: Any) -> tuple[Session, Watched]:  # noqa: ANN401 - of `hospital`
    """A hospital with a visit of each patient, at which the patient weighed so much."""
    visits = [(n, n, "AB"[n % 2], 1.0, "2024-01-01", 1, None, weight) for n, weight in enumerate(weights)]
    return session_with(hospital(folder, patients=crowd(len(weights), 1)[0], visits=visits, **catalog))


def adults(number: int = 400) -> list[float | None]:
    draw = random.Random(5)  # noqa: S311 - invented data
    return [draw.uniform(33, 127) for _ in range(number)]


# --- bins ---


@pytest.mark.parametrize("bins", LAYOUTS, ids=["octaves", "around 1000", "around -37"])
@given(number=st.floats(allow_nan=False) | st.floats(-2000, 2000) | st.integers(-(2**63), 2**63 - 1).map(float))
def test_a_number_lies_in_its_bin(number: float, bins: Bins) -> None:
    found = evaluate(bin_of(Reference(X), bins), {X: number})
    assert isinstance(found, int)
    low, high = bins.ends(found, found)
    assert number <= high or found == len(bins) - 1
    assert number >= low or found == 0


@pytest.mark.parametrize("bins", LAYOUTS, ids=["octaves", "around 1000", "around -37"])
def test_a_bin_has_the_end_that_is_nearer_to_the_center(bins: Bins) -> None:
    for place, edge in enumerate(bins.edges[1:-1], 1):
        own = place if edge > bins.center else place - 1
        assert evaluate(bin_of(Reference(X), bins), {X: float(edge)}) == own
        for beside, bin_ in ((math.inf, place), (-math.inf, place - 1)):
            assert evaluate(bin_of(Reference(X), bins), {X: math.nextafter(float(edge), beside)}) == bin_


def test_the_engine_counts_in_the_same_bins(tmp_path: Path) -> None:
    weights = [0.0, 1.5, -3000.0, math.inf, -math.inf, math.nan, None, 1e-30, 1.9, 5e-324, -0.0, 1000.0, 999.5]
    session, backend = weighing(tmp_path, weights)
    plan = quote_statement(session.read(AVERAGE, automatic=True), session.catalog, SEARCHING)
    ((search, priced),) = plan.searches.items()
    known = [weight for weight in weights if weight is not None and not math.isnan(weight)]
    for bins in LAYOUTS:
        wanted: dict[Any, int] = {}
        for weight in known:
            bin_ = evaluate(bin_of(Reference(X), bins), {X: weight})
            wanted[bin_] = wanted.get(bin_, 0) + PART
        asked = replace(priced.again, needs=needs_of(at_bins(search, bins)))
        found = {keys[0]: sums[0][0] for keys, sums in backend.sums(asked.needs.request).groups.items()}
        assert found == wanted
        assert stage_loss(asked, backend, session.catalog) == priced.again.loss


def test_what_is_derived_narrows_the_bins(tmp_path: Path) -> None:
    session, _ = weighing(tmp_path, [1.0])
    for text, sign in (("ABS(weight)", "positive"), ("-ABS(weight)", "negative"), ("weight", None)):
        statement = session.read(AVERAGE.replace("weight", text), automatic=True)
        (search,) = quote_statement(statement, session.catalog, SEARCHING).searches
        assert expected_of(search.argument) == Expected(sign)
        assert search.bins.keys[0].domain == tuple(range(len(Expected(sign).bins)))


def test_what_is_declared_narrows_them_too() -> None:
    """And a catalog with these words is written as it was read."""
    words: dict[str, Any] = {"size": {"sign": "positive", "expected": {"mean": 40_000, "deviation": 10_000}}}
    words |= {"debt": {"sign": "negative"}, "huge": {"expected": {"mean": "1e200"}}, "nil": {"expected": {"mean": 0}}}
    frame = pa.table({"id": [1, 2], **{name: [1.0, 2.0] for name in words}})
    catalog = Catalog.of(frame, table="t", unit="person", unit_column="id", limit=Guarantee(9), columns=words)
    session = connect(catalog)
    wanted = {"size": Expected("positive", Fraction(50_000)), "debt": Expected("negative"), "nil": Expected()}
    for name, expected in (wanted | {"huge": Expected(None, Fraction(2**51))}).items():
        statement = session.read(AVERAGE.replace("weight", name).replace("visit", "t"), automatic=True)
        (search,) = quote_statement(statement, catalog, SEARCHING).searches
        assert expected_of(search.argument) == expected
    answer = session.sql("SELECT AVG(size) AS w, AVG(-size) AS d FROM t", epsilon="0.01", automatic_bounds="0.2")
    assert answer.bounds["w"] == (0.0, 65536.0)  # with two rows, but for 1 in 10,000
    assert answer.bounds["d"] == (-1.0, 1.0)  # nothing is derived of what is computed
    facts = catalog.tables["t"].columns["size"]
    assert 'sign = "positive"' in column_text(facts)


# --- price ---


@pytest.mark.parametrize("neighbors", list(Neighbors))
@pytest.mark.parametrize("keys", [False, True])
def test_moves_in_steps_do_not_depend_on_the_bounds(neighbors: Neighbors, *, keys: bool) -> None:
    relation = tiny.table("visit")
    free = next(column for column in relation.columns if column.name == "free")
    city = next(column for column in relation.columns if column.name == "city")
    key = (Key(Column("city", city.facts), Reference(city), ("a", "b")),) if keys else ()
    for function, limits in itertools.product(MOST, (Limits(rows_per_unit=3), Limits(None, 2, 3))):
        aggregate = replace(with_searches(relation, Reference(free), function), keys=key, limits=limits)

        def moves(needs: Needs) -> list[object]:
            return [sensitivity(needs.request_of(draw), draw.measure, neighbors=neighbors) for draw in needs.draws]

        before = moves(needs_of(aggregate))
        for pair in random.Random(1).sample(PAIRS, 40):  # noqa: S311 - a choice of examples
            needs = needs_of(aggregate, found={Reference(free): between(pair)})
            assert moves(needs) == before
            span = needs.draws[0].measure.span
            assert span.first <= between(pair)[0] / span.step + Fraction(1, 2)
            assert span.last >= between(pair)[1] / span.step - Fraction(1, 2)


@pytest.mark.parametrize("keywords", [{"epsilon": 2}, {"epsilon": 2, "delta": "1e-9"}])
def test_the_search_takes_its_share(tmp_path: Path, keywords: Keywords) -> None:
    session, _ = weighing(tmp_path, [1.0])
    statement = session.read("SELECT AVG(weight) AS w, COUNT(*) AS n, SUM(stay) AS s FROM visit", automatic=True)
    options = Options.of({**keywords, "automatic_bounds": "0.25"}, weights={"w": 3})
    plan = quote_statement(statement, session.catalog, options)
    (search,) = plan.searches.values()
    parts = [stage.mechanisms[0].loss.epsilon(delta=0) for stage in search.stages]
    assert parts == pytest.approx([0.3, 0.05, 0.15])
    parts = [each.loss.epsilon(delta=0) for each in plan.by_name["answer"].mechanisms]
    assert parts == pytest.approx([0.9, 0.6])  # COUNT(*) and SUM(stay) share their numbers
    assert plan.loss.meets(Guarantee(2))


def test_several_searches_divide_the_share_and_equal_arguments_share_one(tmp_path: Path) -> None:
    session, _ = weighing(tmp_path, [1.0])
    text = "SELECT AVG(weight) AS a, MEDIAN(weight) AS m, SUM(weight * 2) AS s, COUNT(weight) AS n FROM visit"
    statement = session.read(text, automatic=True)
    plan = quote_statement(statement, session.catalog, Options.of({"epsilon": 1, "automatic_bounds": "0.5"}))
    paid = [sum(each.mechanisms[0].loss.epsilon(delta=0) for each in one.stages) for one in plan.searches.values()]
    assert paid == pytest.approx([0.25] * 2)


@pytest.mark.parametrize("unit", [Unit("patient", Neighbors.REPLACE), Unit("patient")])
def test_the_second_price_holds_before_and_after(tmp_path: Path, unit: Unit) -> None:
    catalog = hospital(tmp_path, catalog=replace(HOSPITAL, unit=unit))
    session, backend = session_with(catalog)
    text = "SELECT clinic, SUM(weight) AS s, STDDEV(weight + 1) AS d, MAX(-weight) AS m FROM visit GROUP BY clinic"
    options = Options.of({"epsilon": 1, "delta": "1e-6", "automatic_bounds": "0.2", "rows_per_unit": 2})
    plan = quote_statement(session.read(text, automatic=True), catalog, options)
    answer = plan.by_name["answer"]
    session.explain(text, epsilon=1, delta="1e-6", automatic_bounds="0.2", rows_per_unit=2)
    assert len(answer.needs.aggregate.searches) == 3
    for pair in ((92, 111), (41, 142), (66, 66)):
        found = {search.argument: between(pair) for search in plan.searches}
        bounded = replace(answer, needs=needs_of(answer.needs.aggregate, found=found))
        assert stage_loss(bounded, backend, catalog) == answer.loss
    for search, priced in plan.searches.items():
        for ends in (ANYWHERE, FAR, (Fraction(-64), Fraction(-16))):
            middle = replace(priced.middle, needs=middle_needs(search.middle, ends))
            again = replace(priced.again, needs=needs_of(at_bins(search, Bins.around((ends[0] + ends[1]) / 2, ends))))
            assert stage_loss(middle, backend, catalog) == priced.middle.loss
            assert stage_loss(again, backend, catalog) == priced.again.loss


def test_a_window_of_days_is_priced_whole(tmp_path: Path) -> None:
    session, _ = session_with(hospital(tmp_path, catalog=by_day(3)))
    told = session.explain(AVERAGE, epsilon=1, automatic_bounds="0.5")
    assert "l1_sensitivity=3145728" in told.columns[0].mechanism  # three days of one row each
    assert told.loss.meets(Guarantee(1))


def test_rho_is_divided_too(tmp_path: Path) -> None:
    session, _ = weighing(tmp_path, [1.0])
    told = session.explain(AVERAGE, rho="0.5", automatic_bounds="0.5")
    assert told.loss.zcdp() <= 0.5
    assert told.columns[0].mechanism.startswith("Gaussian")


# --- what one unit moves ---


@given(data=tiny.databases(10), other=tiny.databases(10), which=st.sampled_from(["free", "score", "twice"]))
@FEW
def test_no_unit_moves_the_bins_further_than_stated(data: tiny.Data, other: tiny.Data, which: str) -> None:
    compare(bins(which), data, other, real=False)
    compare(bins(which, LAYOUTS[1]), data, other, real=False)


@given(
    data=tiny.databases(10), other=tiny.databases(10), pair=st.sampled_from(PAIRS), function=st.sampled_from(MOST[:3])
)
@FEW
def test_nor_what_follows_whatever_was_found(
    data: tiny.Data, other: tiny.Data, pair: tuple[int, int], function: Function
) -> None:
    relation = tiny.table("visit")
    free = Reference(next(column for column in relation.columns if column.name == "free"))
    needs = needs_of(with_searches(relation, free, function), found={free: between(pair)})
    compare(needs.request, data, other, real=False)


def bins(which: str, layout: Bins = BINS) -> Any:  # noqa: ANN401 - a request
    """The request of a search."""
    from privet.query.functions import call  # noqa: PLC0415 - for one of three

    relation = tiny.table("person" if which == "score" else "visit")
    column = Reference(next(each for each in relation.columns if each.name in {"free", "score"}))
    argument = call("multiply", column, column) if which == "twice" else column
    (search,) = with_searches(relation, argument, Function.AVG).searches
    return needs_of(at_bins(search, layout)).request


def test_a_unit_with_many_rows_counts_as_one() -> None:
    rows = [
        {"vid": n, "pid": 1, "city": "a", "pay": 0.0, "age": 1, "free": 2.0**n, "flag": True, "day": None}
        for n in range(1, 41)
    ]
    data: tiny.Data = {"visit": rows, "person": [], "item": [], "clinic": []}
    backend = DuckDBBackend(tiny.catalog(data), threads=1)
    found = [sums[0][0] for sums in backend.sums(bins("free")).groups.values()]
    assert len(found) == 40
    assert 0 < sum(found) <= PART
    backend.close()
    compare(bins("free"), data, without(data, 1), real=True)


# --- answers ---


def exact(
    session: Session, backend: Watched, text: str, options: Options = SEARCHING
) -> tuple[list[dict[str, Any]], list[Any]]:
    """The table without noise, and the bounds."""
    plan = quote_statement(session.read(text, automatic=True), session.catalog, options)
    run = ExactRun(plan, backend=backend, ledger=session.ledger, purpose="…", catalog=session.catalog)
    return run.answer().to_pylist(), [each.ends for each in run.found.values()]


def test_without_noise_the_answer_is_that_of_the_clipped_values(tmp_path: Path) -> None:
    weights = [*adults(1500), 1e12, -5.0]  # two that stand alone are clipped
    session, backend = weighing(tmp_path, weights)
    text = "SELECT AVG(weight) AS a, SUM(weight * 2) AS s, STDDEV(weight + 0) AS d, MEDIAN(weight - 0) AS m FROM visit"
    ((row,), found) = exact(session, backend, text)
    assert found == [(32, 128), (64, 256), (32, 128), (32, 128)]
    held = [min(max(weight or 0.0, 32.0), 128.0) for weight in weights]
    average = sum(held) / len(held)
    assert row["a"] == pytest.approx(average, rel=1e-5)
    summed = sum(min(max(2 * (weight or 0.0), -256.0), 256.0) for weight in weights)
    assert row["s"] == pytest.approx(summed, rel=1e-5)
    variance = sum((each - average) ** 2 for each in held) / (len(held) - 1)
    assert row["d"] == pytest.approx(variance**0.5, rel=1e-3)
    assert row["m"] == pytest.approx(sorted(held)[len(held) // 2 - 1], abs=0.1)


def test_values_far_from_0_are_counted_around_their_median(tmp_path: Path) -> None:
    draw = random.Random(6)  # noqa: S311 - invented data
    weights = [*(draw.gauss(1000, 10) for _ in range(1500)), 1e12, -5.0, None, math.nan, math.inf]
    session, backend = weighing(tmp_path, weights)
    large = Options.of({"epsilon": 20, "automatic_bounds": "0.5"})
    ((row,), ((low, high),)) = exact(session, backend, AVERAGE, large)
    assert backend.calls == ["sums", "ranks", "sums", "sums"]
    assert 900 < low < 970  # where the octave [512, 2048] alone would be far wider
    assert 1030 < high < 1100
    held = [min(max(each, float(low)), float(high)) for each in weights if each is not None and not math.isnan(each)]
    assert row["w"] == pytest.approx(sum(held) / len(held), abs=1e-4)


def test_a_condition_narrows_the_search(tmp_path: Path) -> None:
    session, backend = weighing(tmp_path, [*adults(300), *[3.0] * 300])
    _, found = exact(session, backend, "SELECT AVG(weight) FILTER (WHERE vid >= 300) AS a FROM visit")
    assert found == [(2, 4)]
    both = "SELECT AVG(weight) FILTER (WHERE vid >= 300) AS a, MAX(weight) FILTER (WHERE vid < 300) AS b FROM visit"
    assert exact(session, backend, both)[1] == [(2, 128)]
    within = "SELECT AVG(s) FROM (SELECT pid, SUM(weight) AS s FROM visit GROUP BY pid)"
    assert exact(session, backend, within)[1] == [(2, 128)]


def test_an_answer_says_what_was_found_and_charges_once(tmp_path: Path) -> None:
    session, backend = weighing(tmp_path, adults(2000))
    spent: list[Any] = []
    backend.before = lambda: spent.append(session.ledger.spent)
    answer = session.sql(AVERAGE, epsilon=1, automatic_bounds="0.5")
    assert backend.calls == ["sums", "ranks", "sums", "sums"]
    assert spent == [session.ledger.spent] * 4  # all of it before anything was read
    assert answer.spent == session.ledger.spent
    assert str(answer.spent) == "ε=1, δ=0"
    low, high = answer.bounds["w"]
    assert low <= 40
    assert high >= 110
    assert f"clipped to the bounds found, [{low:g}, {high:g}], which may bias it: at most " in answer.notes["w"]
    assert "w: clipped to the bounds found" in repr(answer)
    assert type(answer).from_json(answer.to_json()).bounds == answer.bounds
    session.ledger.verify()


def test_neighbors_have_the_same_noise_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bounds are read off a release: each search is one draw, before the draws that use it."""
    draws: list[list[object]] = []
    right = Run._draw

    def recorded(self: Run, compute: Any, mechanism: Any, moves: Any) -> Any:  # noqa: ANN401 - passed on
        draws[-1].append(mechanism)
        return right(self, compute, mechanism, moves)

    monkeypatch.setattr(Run, "_draw", recorded)
    for number in (1, 2):
        (folder := tmp_path / str(number)).mkdir()
        session, _ = weighing(folder, [*adults(60), *[1e9] * (number - 1)])
        draws.append([])
        session.sql("SELECT AVG(weight) AS a, SUM(2 * weight) AS s FROM visit", epsilon=1, automatic_bounds="0.2")
    assert draws[0] == draws[1]
    looks = ["DiscreteLaplace"] * 4
    assert [type(each).__name__ for each in draws[0]] == [*looks, "Laplace", "DiscreteLaplace"]


def test_too_few_units_are_told_so(tmp_path: Path) -> None:
    session, _ = weighing(tmp_path, [70.0])
    answer = session.sql(AVERAGE, epsilon="0.01", automatic_bounds="0.2")
    if answer.bounds["w"] == (-1.0, 1.0):  # but for 1 in 10,000
        assert "no bin was full enough" in answer.notes["w"]
        assert "with so few rows declare bounds" in answer.notes["w"]
        assert -1 <= (answer.rows[0]["w"] or 0) <= 1


def test_an_older_answer_without_bounds_can_be_read(tmp_path: Path) -> None:
    session, _ = weighing(tmp_path, [1.0])
    answer = session.sql("SELECT COUNT(*) AS n FROM visit", epsilon=1)
    facts = json.loads(answer.to_json())
    del facts["bounds"]
    assert type(answer).from_json(json.dumps(facts)).bounds == {}


def test_by_group_and_in_later_stages(tmp_path: Path) -> None:
    session, _ = weighing(tmp_path, adults(200))
    answer = session.sql(
        "WITH a AS (SELECT AVG(weight) AS w FROM visit) SELECT w * 2 AS twice FROM a",
        epsilon=1,
        automatic_bounds="0.2",
    )
    assert answer.table.column_names[0] == "twice"
    assert set(answer.bounds) == {"w"}
    grouped = session.table("visit").group_by("clinic").agg(w="AVG(weight)")
    assert set(grouped.answer(epsilon=5, delta="1e-5", automatic_bounds="0.2").bounds) == {"w"}


def test_the_same_key_is_the_same_question_only_with_the_same_share(tmp_path: Path) -> None:
    session, backend = weighing(tmp_path, adults(50))
    once = session.sql(AVERAGE, epsilon=1, automatic_bounds="0.2", key="k")
    again = session.sql(AVERAGE, epsilon=1, automatic_bounds="0.2", key="k")
    assert again.table.equals(once.table)
    assert again.bounds == once.bounds
    assert len(backend.calls) == 3
    with pytest.raises(KeyReused):
        session.sql(AVERAGE, epsilon=1, automatic_bounds="0.3", key="k")
    with pytest.raises(KeyReused):
        session.sql(AVERAGE, epsilon=1, automatic_bounds="0.2", key="k", rows_per_unit=1)


# --- before anything is read ---


def test_explaining_reads_nothing_and_promises_no_margin(tmp_path: Path) -> None:
    session, backend = weighing(tmp_path, adults(5))
    text = "SELECT AVG(weight) AS w, COUNT(weight) AS n, MEDIAN(weight) AS m FROM visit"
    told = session.explain(text, epsilon=1, automatic_bounds="0.2")
    assert not backend.calls
    assert not any(session.ledger.spent.parts)
    bounds, average, count, median = told.columns
    assert bounds.name == "bounds of w, m"
    assert "143 bins" in bounds.note
    assert "with few rows they are rough: declare bounds" in bounds.remark
    assert not average.margin
    assert "clipped to the bounds that are found" in average.note
    assert count.margin
    assert "rows in rank" in median.margin
    assert "between -1 and 1" not in repr(told)
    assert any("where bounds are found" in line for line in told.contributions)
    assert len(told.queries) == 5


def test_declared_bounds_are_used_and_nothing_is_searched(tmp_path: Path) -> None:
    session, _ = weighing(tmp_path, [1.0])
    text = "SELECT AVG(cost) AS c, COUNT(*) AS n FROM visit"
    assert session.explain(text, epsilon=1, automatic_bounds="0.9").columns == session.explain(text, epsilon=1).columns
    assert session.sql(text, epsilon=1, automatic_bounds="0.9").bounds == {}


def test_without_asking_it_is_refused_and_the_fix_is_named(tmp_path: Path) -> None:
    session, backend = weighing(tmp_path, [1.0])
    with pytest.raises(QueryRefused, match=r'or pass automatic_bounds="auto" to pay for finding them$'):
        session.sql(AVERAGE, epsilon=1)
    assert not backend.calls
    assert not any(session.ledger.spent.parts)


@pytest.mark.parametrize("share", [0, 1, "1.5", "-0.1", "x", math.nan, True])
def test_shares_are_between_0_and_1(tmp_path: Path, share: Any) -> None:  # noqa: ANN401 - on purpose
    with pytest.raises(InvalidParameter, match="automatic_bounds"):
        share_of(share)
    session, backend = weighing(tmp_path, [1.0])
    with pytest.raises(InvalidParameter):
        session.sql(AVERAGE, epsilon=1, automatic_bounds=share)
    assert not backend.calls
    assert not any(session.ledger.spent.parts)


# --- a second look ---


@pytest.mark.parametrize(("step", "calls"), [("middle", ["sums"]), ("answer", ["sums", "ranks", "sums"])])
def test_a_lattice_that_depends_on_the_bounds_is_caught_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, calls: list[str]
) -> None:
    session, backend = weighing(tmp_path, adults(2000))
    right = Span.found

    def wrong(low: Fraction, high: Fraction, *, most: int, summed: bool) -> Span:
        wrongly = (low, high) != ANYWHERE and (most == PLACES) == (step == "middle")
        return right(low, high, most=2 * most if wrongly else most, summed=summed)

    monkeypatch.setattr(Span, "found", staticmethod(wrong))
    with pytest.raises(ReleaseFailed):
        session.sql(AVERAGE, epsilon=1, automatic_bounds="0.5")
    assert backend.calls == calls
    assert str(session.ledger.spent) == "ε=1, δ=0"


def test_a_search_that_reads_elsewhere_is_not_run() -> None:
    source = with_searches(tiny.table("visit"), Reference(X), Function.COUNT)
    other = tiny.table("visit")
    (search,) = with_searches(other, Reference(other.columns[4]), Function.AVG).searches
    for place in range(3):
        steps = [replace(step, source=source.source) if at == place else step for at, step in enumerate(search.steps)]
        astray = replace(source, items=(), searches=(Search(search.argument, *steps),))
        with pytest.raises(NotUnitLocal):
            check_unit_local(Statement("…", (Stage("answer", astray, Output(())),)))


def test_the_ledger_holds_the_whole_loss_of_both_steps(tmp_path: Path) -> None:
    session, _ = weighing(tmp_path, adults(100))
    told = session.explain(AVERAGE, epsilon=1, automatic_bounds="0.2")
    answer = session.sql(AVERAGE, epsilon=1, automatic_bounds="0.2")
    assert isinstance(session.ledger, Ledger)
    assert answer.loss == told.loss
    assert isinstance(answer.loss, PrivacyLoss)
    assert answer.loss.epsilon(delta=0) == pytest.approx(1)
