"""Session: charged once before data is read, refused for nothing, the same on neighbors."""

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binom

from privet.core import Ledger, Mechanism, Scope, Unit
from privet.errors import AnswerLost, BudgetExceeded, InvalidParameter, KeyReused, PrivetError, ReleaseFailed
from privet.loss import ConcentratedGuarantee, Guarantee, Neighbors
from privet.mechanisms import DiscreteLaplace, Gaussian, Laplace, PartitionCounts, PartitionSelection, TwoRoundSelection
from privet.mechanisms.grouped_choice import GroupedChoice
from privet.mechanisms.grouped_interval import GroupedInterval
from privet.query.answering import run as run_module
from privet.query.catalog import Catalog
from privet.query.connect import connect
from privet.query.plan.relations import Table
from privet.query.scalars.expressions import Column
from privet.query.scalars.facts import Facts, Type
from privet.query.session import Session
from privet.wording.shown_value import shown_margin
from tests.support.exact_session import ExactSession
from tests.support.hospital import HOSPITAL, PATIENTS, VISITS
from tests.support.hospital_sessions import Watched, crowd, hospital, names, session_with
from tests.support.statistics import FALSE_ALARM

pytestmark = pytest.mark.whole

COUNT = "SELECT COUNT(*) AS n FROM patient"
BY_SEX = "SELECT sex, COUNT(*) AS n, AVG(age) AS years, MEDIAN(age) AS middle FROM patient GROUP BY sex"
BY_ZIP = "SELECT zip, COUNT(*) AS n FROM patient GROUP BY zip"


@pytest.fixture(name="asked")
def _asked(tmp_path: Path) -> Iterator[tuple[Session, Watched]]:
    patients, visits = crowd()
    session, backend = session_with(hospital(tmp_path, patients=patients, visits=visits))
    with session:
        yield session, backend


# --- charging -----------------------------------------------------------------------------------------------------


def test_an_answer_is_charged_once_and_has_margins(asked: tuple[Session, Watched]) -> None:
    session, backend = asked
    answer = session.sql(BY_SEX, epsilon=3, purpose="who is here")
    assert names(answer.table) == ["sex", "n", "n_low", "n_high", "years", "years_low", "years_high", "middle"]
    assert [row["sex"] for row in answer.rows] == ["F", "M"]
    assert answer.intervals == ("n", "years")
    assert session.ledger.spent == answer.spent
    assert answer.spent.epsilon == 3
    assert [entry.kind for entry in session.ledger.entries] == ["reservation", "draw", "draw"]
    assert {entry.purpose for entry in session.ledger.entries} == {"who is here"}
    assert backend.calls == ["sums", "ranks"]
    assert answer.loss.epsilon(0) == 3
    for row in answer.rows:
        assert row["n_low"] <= row["n"] <= row["n_high"]
        assert row["years_low"] <= row["years"] <= row["years_high"]


def test_private_groups_are_charged_once_as_well(asked: tuple[Session, Watched]) -> None:
    session, _ = asked
    session.sql("SELECT clinic, COUNT(*), MEDIAN(stay) FROM visit GROUP BY clinic", epsilon=2, delta="1e-5")
    kinds = [entry.kind for entry in session.ledger.entries]
    assert kinds[0] == "reservation"
    assert set(kinds[1:]) == {"draw"}
    assert session.ledger.spent.parts[:2] == (2, Fraction("1e-5"))


def test_the_charge_comes_before_the_data(asked: tuple[Session, Watched]) -> None:
    session, backend = asked
    seen: list[Any] = []
    backend.before = lambda: seen.append(session.ledger.spent.epsilon)
    session.sql(BY_SEX, epsilon=1)
    assert seen == [1, 1]


def test_three_at_a_tenth_fit_three_tenths(tmp_path: Path) -> None:
    session, backend = session_with(hospital(tmp_path), limit=Guarantee("0.3"))
    for _ in range(3):
        session.sql(COUNT, epsilon=0.1)
    assert session.ledger.remaining.epsilon == 0
    with pytest.raises(BudgetExceeded, match="requests"):
        session.sql(COUNT, epsilon=0.1)
    assert len(backend.calls) == 3


def test_a_delta_that_nothing_needs_is_not_charged(asked: tuple[Session, Watched]) -> None:
    session, _ = asked
    assert session.sql(COUNT, epsilon=1, delta="1e-6").spent.delta == 0
    assert session.sql(BY_ZIP, epsilon=1, delta="1e-6").spent.delta == Fraction(1, 10**6)


@pytest.mark.parametrize(
    ("text", "spend", "words"),
    [
        (COUNT, {}, "say what to spend"),
        (COUNT, {"epsilon": 0}, "must be > 0"),
        (COUNT, {"epsilon": -1}, "must be > 0"),
        (COUNT, {"epsilon": math.nan}, "finite"),
        (COUNT, {"epsilon": math.inf}, "finite"),
        (COUNT, {"epsilon": 1, "rho": 1}, "just one of them"),
        (COUNT, {"epsilon": 1, "weights": {"salary": 2}}, "'salary'"),
        (COUNT, {"epsilon": 1, "weights": {"n": 0}}, "must be > 0"),
        (COUNT, {"epsilon": 1, "confidence": 1}, "confidence"),
        (COUNT, {"epsilon": 1, "confidence": 0.0}, "confidence"),
        (COUNT, {"epsilon": 1, "rows_per_unit": 0}, "rows_per_unit"),
        (COUNT, {"epsilon": 1, "seed": 3}, "seed"),
        (COUNT, {"eps": 1}, "did you mean epsilon?"),
        (COUNT, {"epsilon": 10**400}, "at most 1,000,000,000"),
        (3, {"epsilon": 1}, "must be a text"),
        (BY_ZIP, {"epsilon": 1}, "needs a delta"),
        (BY_ZIP, {"rho": 1}, "rho cannot price"),
        ("SELECT * FROM patient", {"epsilon": 1}, "."),
        ("SELECT COUNT(*) FROM nowhere", {"epsilon": 1}, "."),
        ("", {"epsilon": 1}, "."),
    ],
)
def test_refusals_cost_and_read_nothing(
    asked: tuple[Session, Watched], text: str, spend: dict[str, Any], words: str
) -> None:
    session, backend = asked
    with pytest.raises(PrivetError, match=words):
        session.sql(text, **spend)
    assert not session.ledger.entries
    assert not backend.calls


def test_weights_and_limits_reach_the_mechanisms(asked: tuple[Session, Watched]) -> None:
    session, _ = asked
    text = "SELECT COUNT(*) AS n, COUNT(DISTINCT clinic) AS c FROM visit"
    plain = session.explain(text, epsilon=1)
    heavy = session.explain(text, epsilon=1, weights={"n": 3})
    assert [each.mechanism for each in plain.columns] == [
        "DiscreteLaplace(l1_sensitivity=5, scale=10)",
        "DiscreteLaplace(l1_sensitivity=5, scale=10)",
    ]
    assert heavy.columns[0].mechanism == "DiscreteLaplace(l1_sensitivity=5, scale=6.66666667)"
    assert "l1_sensitivity=1," in session.explain(text, epsilon=1, rows_per_unit=1).columns[0].mechanism


def test_rho_and_replacing_are_priced(tmp_path: Path) -> None:
    catalog = hospital(tmp_path, catalog=replace(HOSPITAL, unit=Unit("patient", Neighbors.REPLACE)))
    session, _ = session_with(catalog, limit=ConcentratedGuarantee(1))
    answer = session.sql(BY_SEX, rho="0.5")
    assert Fraction(49, 100) < Fraction(answer.spent.rho) <= Fraction(1, 2)
    with pytest.raises(BudgetExceeded):
        session.sql(BY_SEX, rho="0.6")


def test_an_analysts_cap_holds(tmp_path: Path) -> None:
    session, backend = session_with(hospital(tmp_path), analyst="ada")
    session.ledger.journal.cap(Guarantee(1), scope=Scope("ada"), reason="a try")
    session.sql(COUNT, epsilon=1)
    with pytest.raises(BudgetExceeded, match="ada"):
        session.sql(COUNT, epsilon=1)
    assert backend.calls == ["sums"]


def test_the_catalogs_budget_is_spent_if_nothing_is_said(tmp_path: Path) -> None:
    session, _ = session_with(hospital(tmp_path, catalog=replace(HOSPITAL, budget=Guarantee("0.25", "1e-7"))))
    assert session.sql(COUNT).spent.epsilon == Fraction(1, 4)
    assert session.sql(BY_ZIP).spent.delta == Fraction(1, 10**7)
    assert session.sql(COUNT, epsilon=1).spent.epsilon == 1


def test_public_statements_cost_nothing(asked: tuple[Session, Watched]) -> None:
    session, backend = asked
    answer = session.sql("SELECT region, SUM(beds) AS beds FROM clinic GROUP BY region ORDER BY beds DESC", epsilon=1)
    assert answer.rows == [
        {"region": "South", "beds": 50},
        {"region": "West", "beds": 40},
        {"region": "North", "beds": 10},
    ]
    assert answer.spent.epsilon == 0
    assert not session.ledger.entries
    assert not backend.calls


def test_a_second_stage_sees_what_the_first_released(asked: tuple[Session, Watched]) -> None:
    session, backend = asked
    text = (
        "WITH m AS (SELECT AVG(age) AS a FROM patient) "
        "SELECT COUNT(*) AS older, (SELECT a FROM m) AS a FROM patient, m WHERE age > m.a"
    )
    answer = session.sql(text, epsilon=8)
    (row,) = answer.rows
    assert 30 < row["a"] < 70
    assert 50 < row["older"] < 250
    assert session.ledger.spent.epsilon == 8
    assert backend.calls == ["sums", "sums"]


# --- failures -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("problem", [RuntimeError("patient 7 is missing"), MemoryError(), KeyError("age")])
def test_what_fails_after_the_charge_stays_paid_and_says_nothing(
    asked: tuple[Session, Watched], problem: Exception
) -> None:
    session, backend = asked

    def fail() -> None:
        raise problem

    backend.before = fail
    with pytest.raises(ReleaseFailed) as caught:
        session.sql(BY_SEX, epsilon=1)
    assert "7" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert session.ledger.spent.epsilon == 1


def test_an_interrupt_after_the_charge_stays_paid(asked: tuple[Session, Watched]) -> None:
    session, backend = asked

    def interrupt() -> None:
        raise KeyboardInterrupt

    backend.before = interrupt
    with pytest.raises(KeyboardInterrupt):
        session.sql(BY_SEX, epsilon=1)
    assert session.ledger.spent.epsilon == 1


# --- keys ---------------------------------------------------------------------------------------------------------


def test_the_same_key_is_paid_once_and_gives_the_same_answer(asked: tuple[Session, Watched]) -> None:
    session, backend = asked
    first = session.sql(BY_SEX, epsilon=1, key="q1")
    again = session.sql(BY_SEX, epsilon=1, key="q1")
    assert again == first
    assert session.ledger.spent.epsilon == 1
    assert backend.calls == ["sums", "ranks"]
    for other in ({"epsilon": 2}, {"epsilon": 1, "weights": {"n": 2}}, {"epsilon": 1, "confidence": 0.9}):
        with pytest.raises(KeyReused):
            session.sql(BY_SEX, key="q1", **other)
    with pytest.raises(KeyReused):
        session.sql(COUNT, epsilon=1, key="q1")
    assert session.ledger.spent.epsilon == 1


def test_a_question_says_all_that_a_key_is_bound_to(asked: tuple[Session, Watched]) -> None:
    session, _ = asked
    same = session.question(BY_SEX, epsilon=1)
    assert same == session.question(BY_SEX, epsilon="1.0", confidence=0.95)
    others = {
        session.question(COUNT, epsilon=1),
        session.question(BY_SEX, epsilon=2),
        session.question(BY_SEX, epsilon=1, weights={"n": 2}),
        session.question(BY_SEX, epsilon=1, confidence=0.9),
        session.question([BY_SEX], epsilon=1),
        session.question({"n": BY_SEX}, epsilon=1),
        session.question([BY_SEX, COUNT], epsilon=1, weights=[1, 2]),
    }
    assert len(others - {same}) == 7
    assert session.ledger.spent.epsilon == 0


def test_a_key_whose_run_failed_is_lost(asked: tuple[Session, Watched]) -> None:
    session, backend = asked

    def fail() -> None:
        raise RuntimeError

    backend.before = fail
    with pytest.raises(ReleaseFailed):
        session.sql(COUNT, epsilon=1, key="q")
    backend.before = lambda: None
    with pytest.raises(AnswerLost):
        session.sql(COUNT, epsilon=1, key="q")
    assert session.ledger.spent.epsilon == 1
    assert backend.calls == ["sums"]


# --- neighbors ----------------------------------------------------------------------------------------------------


MECHANISMS: tuple[type[Mechanism[Any, Any]], ...] = (
    Laplace,
    DiscreteLaplace,
    Gaussian,
    GroupedChoice,
    GroupedInterval,
    PartitionCounts,
    PartitionSelection,
    TwoRoundSelection,
)


def noise_calls(session: Session, text: str, monkeypatch: pytest.MonkeyPatch, **spend: Any) -> list[str]:  # noqa: ANN401 - any amount
    """Every mechanism that is run, with the shape of what it is run on."""
    calls: list[str] = []
    with monkeypatch.context() as patch:
        for kind in MECHANISMS:
            plain = kind.sample

            def sample(self: Any, value: Any, source: Any, plain: Any = plain) -> Any:  # noqa: ANN401 - any mechanism
                calls.append(f"{self!r} on {np.shape(value) if not isinstance(value, list) else len(value)}")
                return plain(self, value, source)

            patch.setattr(kind, "sample", sample)
        session.sql(text, **spend)
    return calls


@pytest.mark.parametrize(
    "text",
    [
        COUNT,
        BY_SEX,
        "SELECT clinic, SUM(cost) AS s, STDDEV(cost) AS d FROM clinic JOIN visit USING (clinic) GROUP BY clinic",
        "SELECT smoker, COUNT(DISTINCT pid) AS p, MAX(age) AS old FROM patient GROUP BY smoker",
        "WITH m AS (SELECT AVG(age) AS a FROM patient) SELECT COUNT(*) AS n FROM patient, m WHERE age > a",
    ],
)
@pytest.mark.parametrize("gone", [1, 2, 4])
def test_neighbors_have_the_same_noise_calls_rows_and_types(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, gone: int
) -> None:
    there = hospital(tmp_path, name="there")
    left = hospital(
        tmp_path,
        name="left",
        patients=[row for row in PATIENTS if row[0] != gone],
        visits=[row for row in VISITS if row[1] != gone],
    )
    lists, shapes = [], []
    for catalog in (there, left):
        session, backend = session_with(catalog)
        lists.append([*noise_calls(session, text, monkeypatch, epsilon=1, delta="1e-6"), *backend.calls])
        answer = session.sql(text, epsilon=1, delta="1e-6")
        keys = [name for name in ("sex", "clinic", "smoker") if name in names(answer.table)]
        shapes.append((answer.table.schema, answer.table.select(keys).to_pylist(), repr(session.ledger.spent)))
    assert lists[0] == lists[1]
    assert shapes[0] == shapes[1]


def test_a_group_of_one_is_never_seen(tmp_path: Path) -> None:
    """The zip 1030 has one patient; at δ = 1e-6 it is not shown in 20 answers."""
    session, _ = session_with(hospital(tmp_path), limit=Guarantee(1000, "0.01"))
    shown = [row["zip"] for _ in range(20) for row in session.sql(BY_ZIP, epsilon=1, delta="1e-6").rows]
    assert "1030" not in shown
    assert names(session.sql(BY_ZIP, epsilon=1, delta="1e-6").table) == ["zip", "n", "n_low", "n_high"]


def test_large_private_groups_are_shown_and_what_is_hidden_is_said(asked: tuple[Session, Watched]) -> None:
    session, _ = asked
    answer = session.sql(BY_ZIP, epsilon=4, delta="1e-6")
    assert [row["zip"] for row in answer.rows] == ["1010", "1020"]
    assert answer.hidden is not None
    assert "groups are private" in answer.hidden


# --- intervals ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "spend"),
    [
        ("COUNT(*)", {"epsilon": 1}),
        ("SUM(stay)", {"epsilon": 1}),
        ("AVG(stay)", {"rho": 5}),
        pytest.param("AVG(stay)", {"epsilon": 8}, marks=pytest.mark.soak),
        pytest.param("COUNT(*)", {"rho": "0.1"}, marks=pytest.mark.soak),
    ],
)
def test_intervals_cover(tmp_path: Path, column: str, spend: dict[str, Any]) -> None:
    """2,196 intervals at 95 %: each of 366 days, six times, around what the engine adds up without noise."""
    patients, visits = crowd(visits=6_000)
    catalog = hospital(tmp_path, patients=patients, visits=visits)
    text = f"SELECT day, {column} AS x FROM visit GROUP BY day"  # noqa: S608 - a column of this file
    truth = {row["day"]: row["x"] for row in ExactSession(catalog, backend=Watched(catalog)).sql(text).rows}
    session, _ = session_with(catalog, limit=Guarantee(1000, "0.1"))
    trials = hits = narrow = 0
    for confidence in (0.95, 0.6):
        for _ in range(6):
            for row in session.sql(text, confidence=confidence, delta="1e-6" if "rho" in spend else None, **spend).rows:
                exact = truth[row["day"]]
                inside = exact is None or row["x_low"] <= exact <= row["x_high"]
                trials += confidence > 0.9
                hits += inside and confidence > 0.9
                narrow += inside and confidence < 0.9
    assert trials == 2_196
    assert binom.cdf(hits, trials, 0.95) >= FALSE_ALARM
    assert binom.cdf(narrow, trials, 0.95) < FALSE_ALARM  # the control


def test_the_rank_margin_of_a_quantile_holds() -> None:
    """600 medians at 95 %, each of 1,000 people who are 0, 1, … 999: a rank is a value there."""
    frame = pa.table({"id": range(20_000), "k": [n % 20 for n in range(20_000)], "x": [n // 20 for n in range(20_000)]})
    columns = {"k": {"type": "integer", "values": list(range(20))}, "x": {"type": "integer", "bounds": [0, 999]}}
    catalog = Catalog.of(frame, unit="person", unit_column="id", columns=columns, limit=Guarantee(1000), table="t")
    off = []
    margins = set()
    with connect(catalog) as session:
        for _ in range(30):
            answer = session.sql("SELECT k, MEDIAN(x) AS middle FROM t GROUP BY k", epsilon=1)
            off += [abs(row["middle"] - 499.5) for row in answer.rows]
            margins.add(answer.rank_margins["middle"])
    (margin,) = margins
    assert f"middle ± {shown_margin(margin)} rows" in repr(answer)
    assert len(off) == 600
    assert binom.cdf(sum(each <= margin + 0.5 for each in off), 600, 0.95) >= FALSE_ALARM
    assert binom.cdf(sum(each <= margin / 8 for each in off), 600, 0.95) < FALSE_ALARM  # the control


# --- other ways in ------------------------------------------------------------------------------------------------


def test_a_table_is_the_same_question_step_by_step(asked: tuple[Session, Watched]) -> None:
    session, _ = asked
    rows = session.table("patient").where("age > 40").group_by("sex").agg(n="COUNT(*)")
    assert [row["sex"] for row in rows.answer(epsilon=1).rows] == ["F", "M"]


def test_a_ledger_of_somebody_else_is_refused(tmp_path: Path) -> None:
    catalog = hospital(tmp_path)
    with pytest.raises(InvalidParameter, match="protects"):
        Session(catalog, backend=Watched(catalog), ledger=Ledger(Guarantee(1), unit=Unit("visit")))


def test_it_says_what_it_is(asked: tuple[Session, Watched]) -> None:
    assert repr(asked[0]) == "Session(hospital: patient, visit, lab, clinic, icd; ε=10, δ=0.0001 remains)"


def test_values_of_a_private_table_are_not_listed(asked: tuple[Session, Watched]) -> None:
    session, backend = asked
    with pytest.raises(InvalidParameter, match="visit is private"):
        session._quoter._values("visit", "clinic")
    clinic = Column("clinic", Facts(Type.TEXT))
    with pytest.raises(InvalidParameter, match="not public"):
        backend.read(Table("visit", (clinic,), None), {})


def test_what_fails_outside_a_release_says_nothing_either(
    asked: tuple[Session, Watched], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever goes wrong once it is paid for: an error of the engine may quote a cell."""

    def fail(*_: object) -> None:
        raise ValueError("could not convert 'fever of 42'")

    monkeypatch.setattr(run_module, "shown_rows", fail)
    with pytest.raises(ReleaseFailed) as caught:
        asked[0].sql("SELECT COUNT(*) FROM visit", epsilon=1)
    assert "42" not in str(caught.value)
    assert caught.value.__context__ is None
    assert asked[0].ledger.spent.epsilon == 1
