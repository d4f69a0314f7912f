"""Automatic caps: which number of each unit is counted, one price whatever is found, and what an answer says of it."""

import json
from collections import Counter
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binom

import privet
from privet import Catalog, Guarantee
from privet.core import Ledger
from privet.core.silence import FAILED
from privet.errors import InvalidParameter, KeyReused, PrivetError, ReleaseFailed
from privet.mechanisms import CapChoice, Gaussian, Laplace, PromisedSelection, TwoRoundSelection
from privet.query.answering.run import Run
from privet.query.backends.backend import Backend
from privet.query.backends.duckdb import DuckDBBackend
from privet.query.measures import automatic_caps
from privet.query.measures.automatic_caps import units_above
from privet.query.options import Options
from privet.query.plan.limits import Limits
from privet.query.pricing.caps import capped
from privet.query.pricing.quote import Quote, quote_statement
from privet.query.results.answer import Answer
from privet.query.results.limit_words import hidden_by
from privet.query.second_price.price_check import second_loss, stage_loss
from privet.query.session import Session
from tests.support.statistics import FALSE_ALARM

pytestmark = pytest.mark.whole

GROUPS = "abcdefghij"
COUNTS = "SELECT g, COUNT(*) AS n FROM data GROUP BY g"
UNITS = "SELECT g, COUNT(DISTINCT id) AS n FROM data GROUP BY g"
NAMES = "SELECT g FROM data GROUP BY g"


def frame(rows: list[tuple[int, str, float]]) -> pa.Table:
    return pa.table({name: [row[place] for row in rows] for place, name in enumerate(("id", "g", "x"))})


def heavy(units: int = 400, *, many: int = 40) -> pa.Table:
    """Everybody has two rows, and every tenth so many, in all groups by turns."""
    return frame([(n, GROUPS[(n + row) % 10], 1.0) for n in range(units) for row in range(2 if n % 10 else many)])


def catalog_of(table: pa.Table, **more: Any) -> Catalog:  # noqa: ANN401 - of a catalog
    columns = {"g": {"values": list(GROUPS)}, "x": {"bounds": [0, 5]}}
    said = {"unit": "person", "unit_column": "id", "columns": columns, "limit": Guarantee(1000, "1e-3"), **more}
    return Catalog.of(table, **said)


def asking(table: pa.Table, **more: Any) -> Session:  # noqa: ANN401 - of a catalog
    return privet.connect(catalog_of(table, **more))


def planned(session: Session, text: str, **keywords: Any) -> Quote:  # noqa: ANN401 - of a question
    options = Options.of({"epsilon": 1, "rows_per_unit": "auto", **keywords})  # type: ignore[typeddict-item]
    return quote_statement(session.read(text), session.catalog, options)


def engine_of(session: Session) -> Backend:
    return DuckDBBackend(session.catalog, threads=1)


def counted(session: Session, text: str, **keywords: Any) -> dict[int, int]:  # noqa: ANN401 - of a question
    """How many units have more than each candidate, as the engine tells."""
    search = planned(session, text, **keywords).caps["answer"]
    (choice,) = search.mechanisms
    assert isinstance(choice, CapChoice)
    bins = {
        int(str(bin_)): sums[0][0] for (bin_,), sums in engine_of(session).sums(search.needs.request).groups.items()
    }
    return dict(zip(choice.caps, units_above(bins, choice.caps), strict=True))


# --- what is counted ---


def test_rows_that_count_are_counted() -> None:
    table = frame(
        [
            *((1, "a", 1.0) for _ in range(5)),
            *((2, "b", float(n)) for n in range(3)),
            *((3, "zz", 0.0) for _ in range(9)),  # in no public group
            (4, "c", 5.0),
        ]
    )
    session = asking(table)
    assert list(counted(session, COUNTS).values())[:6] == [2, 2, 1, 1, 0, 0]  # of 5, 3 and 1 rows
    assert list(counted(session, "SELECT COUNT(*) AS n FROM data").values())[:6] == [3, 3, 2, 2, 1, 1]
    where = "SELECT g, SUM(x) AS s FROM data WHERE x < 2 GROUP BY g"
    assert list(counted(session, where).values())[:5] == [2, 1, 1, 1, 0]


def test_groups_are_counted_where_units_are() -> None:
    table = frame([(1, "a", 0.0)] * 7 + [(1, "b", 0.0), (2, "c", 0.0), (2, "zz", 0.0)])
    session = asking(table)
    assert list(counted(session, UNITS).values())[:3] == [1, 0, 0]
    by_groups = {"rows_per_unit": None, "groups_per_unit": "auto", "rows_per_group": 3}
    assert list(counted(session, COUNTS, **by_groups).values())[:3] == [1, 0, 0]
    assert max(counted(session, UNITS)) == 10  # nobody can be in more groups than there are


def test_values_are_counted_where_they_alone_are_limited() -> None:
    table = frame([(1, "a", 1.0)] * 6 + [(1, "a", 2.0), (2, "a", 1.0)])
    session = asking(table)
    assert list(counted(session, "SELECT COUNT(DISTINCT x) AS n FROM data").values())[:3] == [1, 0, 0]
    both = "SELECT COUNT(DISTINCT x) AS n, MEDIAN(x) AS m FROM data"
    assert list(counted(session, both).values())[:7] == [1, 1, 1, 1, 1, 1, 0]


def test_rows_are_counted_as_a_join_makes_them() -> None:
    public = pa.table({"g": ["a", "a", "b"], "kind": ["x", "y", "x"]})
    session = asking(frame([(1, "a", 1.0), (1, "b", 1.0), (2, "b", 1.0)]), public={"kinds": public})
    text = "SELECT COUNT(*) AS n FROM data JOIN kinds ON data.g = kinds.g"
    assert list(counted(session, text).values())[:4] == [1, 1, 0, 0]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT COUNT(DISTINCT id) AS n FROM data",
        "SELECT AVG(s) FROM (SELECT id, CLIP(SUM(x), 0, 9) AS s FROM data GROUP BY id)",
    ],
)
def test_nothing_is_spent_where_nobody_can_have_more(text: str) -> None:
    session = asking(heavy())
    plan = planned(session, text)
    assert not plan.caps
    assert not session.sql(text, epsilon=1, rows_per_unit="auto").found_limits


# --- the price ---


@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
@pytest.mark.parametrize("spent", [{"epsilon": 1}, {"epsilon": 2, "delta": "1e-6"}, {"epsilon": None, "rho": "0.3"}])
@pytest.mark.parametrize("limit", [{}, {"rows_per_unit": None, "groups_per_unit": "auto", "rows_per_group": 2}])
def test_one_price_whatever_is_found(neighbors: str, spent: dict[str, Any], limit: dict[str, Any]) -> None:
    """The loss that is reserved is that of every limit, and the engine's SQL says the same."""
    session = asking(heavy(20), neighbors=neighbors)
    backend = engine_of(session)
    many = "COUNT(*) AS n, SUM(x) AS s, VARIANCE(x + 1) AS v, MEDIAN(x) AS m, COUNT(DISTINCT x) AS d"
    for asked in (COUNTS.replace("COUNT(*) AS n", many), UNITS):
        plan = planned(session, asked, **spent, **limit)
        assert second_loss(plan, backend, session.catalog) == plan.loss
        stage = plan.by_name["answer"]
        for cap in (1, 2, 13, 1 << 20):
            found = capped(stage, cap, neighbors=session.catalog.unit.neighbors, copies=1)
            assert found.loss == stage.loss
            assert stage_loss(found, backend, session.catalog) == stage.loss
            assert all(each.covers(far) for each, far in zip(found.mechanisms, found.sensitivities, strict=True))
            reach = [far.l1 for far in found.sensitivities]
            assert reach == [far.l1 / 16 * cap for far in stage.sensitivities]


def test_a_part_of_the_budget_finds_it() -> None:
    session = asking(heavy())
    plan = planned(session, COUNTS)
    (choice,), (noise,) = plan.caps["answer"].mechanisms, plan.by_name["answer"].mechanisms
    assert isinstance(choice, CapChoice)
    assert isinstance(noise, Laplace)
    assert float(choice.epsilon) == pytest.approx(10**-0.5, rel=1e-4)
    assert float(choice.rank) == pytest.approx(10 / (1 - 10**-0.5), rel=1e-3)  # groups over what is left of ε
    assert plan.loss.epsilon(delta=0) <= 1
    assert plan.loss.meets(Guarantee(1))


def test_gaussian_noise_in_many_groups_asks_for_a_rank_that_falls() -> None:
    session = asking(heavy())
    plan = planned(session, UNITS, epsilon=1, delta="1e-5")
    (choice,), (noise,) = plan.caps["answer"].mechanisms, plan.by_name["answer"].mechanisms
    assert isinstance(choice, CapChoice)
    assert isinstance(noise, Gaussian)
    assert choice.falling
    sigma = float(noise.scale / noise.l2_sensitivity)
    assert float(choice.rank) == pytest.approx(0.4 * 10 * sigma, rel=0.01)


def test_two_searches_go_together() -> None:
    table = frame([(n, "ab"[n % 2], 40.0 + n % 7) for n in range(3000)])
    columns = {"g": {"values": ["a", "b"]}, "x": {}}
    session = asking(table, columns=columns)
    answer = session.sql(
        "SELECT g, AVG(x) AS a FROM data GROUP BY g", epsilon=4, rows_per_unit="auto", automatic_bounds="0.2"
    )
    assert answer.bounds["a"][0] <= 40
    assert answer.found_limits[0].what == "row"
    assert str(answer.spent) == "ε=4, δ=0"


def test_a_window_protects_as_many_units() -> None:
    days = pa.array([19_000 + n % 30 for n in range(300)], pa.int32()).cast(pa.date32())
    table = pa.table({"id": [n // 30 for n in range(300)], "day": days})
    columns = {"day": {"bounds": ["2022-01-01", "2022-12-31"]}}
    session = asking(table, columns=columns, window=("day", 7))
    (choice,) = planned(session, "SELECT COUNT(*) AS n FROM data").caps["answer"].mechanisms
    assert isinstance(choice, CapChoice)
    assert choice.units == 7
    session.sql("SELECT COUNT(*) AS n FROM data", epsilon=1, rows_per_unit="auto")


def test_private_groups_are_named_at_one_price_whatever_is_found() -> None:
    table = heavy(2000)
    session = asking(table, columns={"g": {}, "x": {"bounds": [0, 5]}})
    backend = engine_of(session)
    for text in (COUNTS, UNITS, "SELECT g, AVG(x) AS a FROM data GROUP BY g", NAMES):
        for limit in ({}, {"rows_per_unit": None, "groups_per_unit": "auto"}):
            plan = planned(session, text, epsilon=3, delta="1e-5", **limit)
            stage = plan.by_name["answer"]
            assert second_loss(plan, backend, session.catalog) == plan.loss
            for cap in (1, 7, 300):
                found = capped(stage, cap, neighbors=session.catalog.unit.neighbors, copies=1)
                assert found.loss == stage.loss
                assert stage_loss(found, backend, session.catalog) == stage.loss
                assert isinstance(found.selection, TwoRoundSelection)
                assert found.selection.groups_per_unit == cap
                assert isinstance(found.selection, PromisedSelection) or text != NAMES
    answer = session.sql(UNITS, epsilon=3, delta="1e-5", rows_per_unit="auto")
    assert set(answer.table["g"].to_pylist()) == set(GROUPS)
    assert answer.found_limits[0].what == "group"
    assert answer.hidden is not None
    told = session.explain(UNITS, epsilon=3, delta="1e-5", rows_per_unit="auto")
    assert "a guess because they are private" in told.contributions[0]
    assert "follows from the limit found" in told.groups[0]


def test_units_that_turn_out_to_be_in_one_group_are_named_by_counts() -> None:
    session = asking(heavy(100), columns={"g": {}, "x": {"bounds": [0, 5]}})
    stage = planned(session, NAMES, epsilon=1, delta="1e-5", rows_per_unit=None, groups_per_unit="auto").by_name[
        "answer"
    ]
    told = []
    for cap in (1, 2):
        found = capped(stage, cap, neighbors=session.catalog.unit.neighbors, copies=1).selection
        assert isinstance(found, PromisedSelection)
        told.append(hidden_by(found, unit=session.catalog.unit))
    assert "one of 13 persons or more is shown with probability 50 %" in told[0]
    assert "two rounds" in told[1]


def test_rows_and_units_stay_two_draws_where_one_row_is_found_to_count() -> None:
    """Both are paid for; under a declared limit of 1 they would be one number.

    One pair in five is equal at this ε, and there are ten: a false alarm once in 10^7 runs.
    """
    session = asking(heavy(), columns={"g": {}, "x": {"bounds": [0, 5]}})
    text = "SELECT g, COUNT(*) AS n, COUNT(DISTINCT id) AS u FROM data GROUP BY g"
    right = Run._draw

    def one(run: Run, compute: Any, mechanism: Any, moves: Any) -> Any:  # noqa: ANN401 - passed on
        return 1 if isinstance(mechanism, CapChoice) else right(run, compute, mechanism, moves)

    with patch.object(Run, "_draw", one):
        answer = session.sql(text, epsilon=8, delta="1e-5", rows_per_unit="auto")
    assert answer.found_limits[0].most == 1
    assert set(answer.table["g"].to_pylist()) == set(GROUPS)
    assert answer.table["n"].to_pylist() != answer.table["u"].to_pylist()


def test_private_groups_need_units_that_come_and_go() -> None:
    session = asking(heavy(), columns={"g": {}}, neighbors="replace")
    with pytest.raises(InvalidParameter, match="only if units come and go"):
        session.sql(COUNTS, epsilon=1, delta="1e-5", rows_per_unit="auto")
    assert session.ledger.entries == ()


# --- answers ---


def test_an_answer_says_what_was_found() -> None:
    session = asking(heavy(2000))
    answer = session.sql(COUNTS, epsilon=4, rows_per_unit="auto", key="k")
    (found,) = answer.found_limits
    assert (found.stage, found.what) == ("answer", "row")
    assert found.most > 20  # two hundred have 40 rows, and about 13 should have more
    said = f"at most {found.most} rows in all (found privately, for ε 1.26)"
    assert said in answer.limits[0]
    assert said in repr(answer)
    assert "not in the number, nor in its interval" in answer.notes["n"]
    assert Answer.from_json(answer.to_json()).found_limits == answer.found_limits
    assert session.sql(COUNTS, epsilon=4, rows_per_unit="auto", key="k").table.equals(answer.table)
    with pytest.raises(KeyReused):
        session.sql(COUNTS, epsilon=4, rows_per_unit=found.most, key="k")
    older = json.loads(answer.to_json())
    del older["found_limits"]
    assert Answer.from_json(json.dumps(older)).found_limits == ()


def test_an_explanation_says_how() -> None:
    session = asking(heavy())
    told = session.explain(COUNTS, epsilon=1, rows_per_unit="auto")
    assert told.contributions[0] == (
        "how many rows of each person count is found first, for ε 0.316: near what about 27 persons exceed, which "
        "suits 10 groups and this noise; more are weighted down"
    )
    assert told.columns[0].margin == ""
    assert session.ledger.entries == ()


def test_all_is_charged_before_anything_is_read_and_each_draw_is_recorded() -> None:
    session = asking(heavy())
    seen: list[Any] = []
    right = DuckDBBackend.sums

    def sums(backend: DuckDBBackend, request: Any) -> Any:  # noqa: ANN401 - passed on
        seen.append(session.ledger.spent)
        return right(backend, request)

    with patch.object(DuckDBBackend, "sums", sums):
        session.sql(COUNTS, epsilon=1, rows_per_unit="auto")
    assert seen == [session.ledger.spent] * 2
    kinds = [entry.mechanism.partition("(")[0] for entry in session.ledger.entries]
    assert kinds == ["a plan", "CapChoice", "Laplace"]
    session.ledger.verify()


def test_another_limit_than_was_found_is_not_run() -> None:
    """The SQL that would run is priced once more, with the limit in it."""
    session = asking(heavy())
    with (
        patch("privet.query.answering.run.capped", lambda stage, cap, **_: capped_noise_kept(stage, cap)),
        pytest.raises(ReleaseFailed, match=FAILED[:20]),
    ):
        session.sql(COUNTS, epsilon=1, rows_per_unit="auto")


def test_bins_that_a_unit_fills_twice_have_another_price() -> None:
    """The second price reads from the SQL in how many bins a unit counts."""
    session = asking(heavy())
    with (
        patch.object(automatic_caps, "ONCE", Limits(groups_per_unit=2, rows_per_group=1)),
        pytest.raises(InvalidParameter, match="computed a second time"),
    ):
        session.sql(COUNTS, epsilon=1, rows_per_unit="auto")
    assert session.ledger.entries == ()


def capped_noise_kept(stage: Any, cap: int) -> Any:  # noqa: ANN401 - a stage
    """A wrong one: more rows count, and the noise is what it was."""
    more = capped(stage, 10 * cap + 17, neighbors=privet.Neighbors.ADD_REMOVE, copies=1)
    return replace(more, mechanisms=stage.mechanisms, sensitivities=stage.sensitivities)


def test_stages_and_batches_share_what_was_found() -> None:
    session = asking(heavy(2000))
    text = "WITH a AS (…) SELECT SUM(n) AS all_rows FROM a"
    answer = session.sql(text.replace("…", COUNTS), epsilon=4, rows_per_unit="auto")
    assert [each.stage for each in answer.found_limits] == ["a"]
    one, two = session.batch([COUNTS, "SELECT g, SUM(x) AS s FROM data GROUP BY g"], epsilon=4, rows_per_unit="auto")
    assert one.found_limits[0].most == two.found_limits[0].most


def test_a_catalog_may_say_auto() -> None:
    session = asking(heavy(2000), rows_per_unit="auto")
    assert session.sql(COUNTS, epsilon=4).found_limits
    assert not session.sql(COUNTS, epsilon=4, rows_per_unit=3).found_limits
    inner = "SELECT AVG(n) FROM (SELECT id, COUNT(*) AS n FROM data GROUP BY id)"
    with pytest.raises(PrivetError, match="needs bounds"):
        session.sql(inner, epsilon=1)  # nothing bounds what a unit counts
    session.sql(inner.replace("AVG(n)", "AVG(CLIP(n, 0, 50))"), epsilon=1)
    twice = "SELECT COUNT(*) AS n FROM data AS a JOIN data AS b ON a.id = b.id"
    assert session.sql(twice, epsilon=1).found_limits
    both = "SELECT COUNT(*) AS n FROM (SELECT id, x FROM data UNION ALL SELECT id, x FROM data)"
    assert session.sql(both, epsilon=1).found_limits


@pytest.mark.parametrize(
    ("keywords", "why"),
    [
        ({"error": 5, "epsilon": None}, "does not go with limits that are found"),
        ({"rows_per_unit": "many"}, '"auto"'),
        ({"rows_per_group": "auto", "groups_per_unit": 2, "rows_per_unit": None}, "rows_per_group"),
        ({"groups_per_unit": "auto"}, "either rows_per_unit alone"),
    ],
)
def test_what_means_nothing_is_refused(keywords: dict[str, Any], why: str) -> None:
    session = asking(heavy())
    with pytest.raises(InvalidParameter, match=why):
        session.sql(COUNTS, **{"epsilon": 1, "rows_per_unit": "auto", **keywords})
    assert session.ledger.entries == ()


def test_a_catalog_refuses_other_words() -> None:
    for wrong in (
        {"rows_per_unit": "many"},
        {"rows_per_unit": 2.5},
        {"rows_per_unit": "auto", "groups_per_unit": "auto"},
    ):
        with pytest.raises(InvalidParameter):
            catalog_of(heavy(10), **wrong)


def test_neighbors_give_the_same_calls() -> None:
    """One unit with very many rows: where the choice says the same, so does everything but the numbers."""
    draws: list[list[str]] = []
    right = Run._draw

    def recorded(run: Run, compute: Any, mechanism: Any, moves: Any) -> Any:  # noqa: ANN401 - passed on
        draws[-1].append(repr(mechanism))
        return 7 if isinstance(mechanism, CapChoice) else right(run, compute, mechanism, moves)

    with patch.object(Run, "_draw", recorded):
        for more in (1, 50_000):
            table = pa.concat_tables([heavy(), frame([(10_000, GROUPS[n % 10], 2.0) for n in range(more)])])
            draws.append([])
            asking(table).sql(COUNTS, epsilon=1, rows_per_unit="auto")
    assert draws[0] == draws[1]


def test_intervals_cover_the_number_under_the_limit() -> None:
    """40 answers of ten groups at 90 %; the control is the number without a limit, which they do not cover."""
    table = heavy(600, many=300)
    session = asking(table, limit=Guarantee(10_000))
    rows = Counter(table["id"].to_pylist())
    covered = missed = 0
    for _ in range(40):
        answer = session.sql(COUNTS, epsilon=1, rows_per_unit="auto", confidence=0.9)
        most = answer.found_limits[0].most
        weights = {unit: min(1.0, most / many) for unit, many in rows.items()}
        held, free = dict.fromkeys(GROUPS, 0.0), dict.fromkeys(GROUPS, 0)
        for unit, group in zip(table["id"].to_pylist(), table["g"].to_pylist(), strict=True):
            held[group] += weights[unit]
            free[group] += 1
        for row in answer.rows:
            covered += row["n_low"] - 0.5 <= held[row["g"]] <= row["n_high"] + 0.5
            missed += row["n_low"] <= free[row["g"]] <= row["n_high"]
    assert binom.cdf(covered, 400, 0.9) > FALSE_ALARM
    assert binom.cdf(missed, 400, 0.9) < FALSE_ALARM


def test_the_ledger_pays_for_each_question() -> None:
    session = asking(heavy(50))
    ledger = session.ledger
    assert isinstance(ledger, Ledger)
    for _ in range(3):
        session.sql(COUNTS, epsilon="0.5", rows_per_unit="auto")
    assert str(ledger.spent) == "ε=1.5, δ=0"
    assert np.isfinite(float(ledger.spent.epsilon))
