# ruff: noqa: S608 - invented statements
"""A batch: paid once at its joint price, all or none, with shared scans and draws; each answer as if asked alone."""

from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from privet.core import Scope
from privet.errors import AnswerLost, BudgetExceeded, InvalidParameter, KeyReused, PrivetError, QueryRefused
from privet.loss import ConcentratedGuarantee, Guarantee, ZcdpSum
from privet.query import sql
from privet.query.catalog import Catalog
from privet.query.options import Options
from privet.query.plan.statement import Aggregate, Statement
from privet.query.pricing.batch_parts import parts_of
from privet.query.pricing.quote import Quote, quote_batch, quote_statement
from privet.query.results.answers import Answers
from privet.query.second_price.price_check import refuse_another_price
from privet.query.session import Session
from tests.golden.corpus import accepted
from tests.support import neighbor_hospitals as worlds
from tests.support.exact_session import ExactRun, ExactSession
from tests.support.hospital import public_values
from tests.support.hospital_sessions import Watched, crowd, hospital, session_with
from tests.support.neighbor_hospitals import CROWDED, OTHER, SETTINGS, Setting
from tests.support.replaying_ledger import OPTIONS, SEARCHING, TIGHT, engine, play, refuse_different

pytestmark = pytest.mark.whole

COUNT = "SELECT COUNT(*) AS n FROM patient"
BY_SEX = "SELECT sex, COUNT(*) AS n, AVG(age) AS years FROM patient GROUP BY sex"
BY_ZIP = "SELECT zip, COUNT(*) AS n FROM patient GROUP BY zip"
PUBLIC = "SELECT COUNT(*) AS n FROM clinic"
MANY = {
    "all": COUNT,
    "age": "SELECT AVG(age) AS years FROM patient",
    "sex": BY_SEX,
    "sum": "SELECT sex AS s, SUM(age) AS t FROM patient GROUP BY sex ORDER BY s DESC",
    "public": PUBLIC,
    "old": "SELECT COUNT(*) AS n FROM patient WHERE age > 40",
    "older": "SELECT MEDIAN(age) AS m FROM patient WHERE age > 40",
    "twice": "WITH a AS (SELECT AVG(age) AS y FROM patient) SELECT COUNT(*) AS n FROM patient JOIN a ON age > y",
    "visits": "SELECT COUNT(*) AS n, COUNT(DISTINCT clinic) AS c FROM visit",
}


@pytest.fixture(name="asked")
def _asked(tmp_path: Path) -> Iterator[tuple[Session, Watched]]:
    patients, visits = crowd()
    session, backend = session_with(hospital(tmp_path, patients=patients, visits=visits), limit=Guarantee(20, "1e-4"))
    with session:
        yield session, backend


# --- paying -------------------------------------------------------------------------------------------------------


def test_a_batch_is_charged_once_at_its_joint_price(asked: tuple[Session, Watched]) -> None:
    session, _ = asked
    answers = session.batch(MANY, epsilon=3, purpose="a report")
    assert session.ledger.spent == answers.spent
    assert answers.spent.epsilon == 3
    kinds = [entry.kind for entry in session.ledger.entries]
    assert kinds.count("reservation") == 1
    assert set(kinds[1:]) == {"draw"}
    assert {entry.purpose for entry in session.ledger.entries} == {"a report"}
    assert answers.names == tuple(MANY)
    assert [len(answer) for answer in answers] == [1, 1, 2, 2, 1, 1, 1, 1, 1]
    assert [row["s"] for row in answers["sum"].rows] == ["M", "F"]
    assert all(answer.joint == answers.spent for answer in answers)
    assert answers["public"].rows == [{"n": 4}]
    assert answers["public"].spent.epsilon == 0
    assert "together" in repr(answers)
    assert "one of a batch" in repr(answers["age"])


def test_the_charge_comes_before_the_data(asked: tuple[Session, Watched]) -> None:
    session, backend = asked
    seen: list[Any] = []
    backend.before = lambda: seen.append(session.ledger.spent.epsilon)
    session.batch([COUNT, BY_SEX], epsilon=2)
    assert seen == [2, 2]


def test_the_joint_price_is_at_most_the_sum(asked: tuple[Session, Watched]) -> None:
    """Laplace noise adds up; numbers that are shared and Gaussian noise cost less together."""
    session, _ = asked
    apart = session.explain([COUNT, "SELECT COUNT(*) AS n FROM visit"], epsilon=1)
    assert apart.price.epsilon == apart.alone.epsilon == 1
    shared = session.explain([COUNT, "SELECT AVG(age) AS y FROM patient"], epsilon=1)
    assert shared.price.epsilon == 1
    assert shared.alone.epsilon == pytest.approx(2)
    many = [f"SELECT SUM(age) AS n FROM patient WHERE age > {age}" for age in range(40)]
    gaussian = session.explain(many, epsilon=1, delta="1e-6")
    assert (gaussian.price.epsilon, gaussian.price.delta) == (1, Fraction("1e-6"))
    assert gaussian.alone.epsilon > 4
    assert len(gaussian.queries) == 40


def test_each_price_is_that_of_its_own_draws(asked: tuple[Session, Watched]) -> None:
    session, _ = asked
    explained = session.explain({"a": COUNT, "b": "SELECT COUNT(*) AS n FROM visit"}, epsilon=3, weights={"a": 2})
    assert [each.price.epsilon for each in explained] == [2, 1]
    assert explained["b"].columns[0].mechanism == "DiscreteLaplace(l1_sensitivity=5, scale=5)"
    even = session.explain([COUNT, "SELECT COUNT(*) AS n, COUNT(DISTINCT clinic) AS c FROM visit"], epsilon=1)
    assert [each.price.epsilon for each in even] == [Fraction(1, 2)] * 2, "statements weigh the same, not columns"


@pytest.mark.parametrize("spend", [{"rho": "0.1"}, {"rho": "0.1", "delta": "1e-6"}])
def test_rho_is_priced(tmp_path: Path, spend: dict[str, Any]) -> None:
    session, _ = session_with(hospital(tmp_path), limit=ConcentratedGuarantee(1), rule=ZcdpSum())
    answers = session.batch([COUNT, BY_SEX], **spend)
    assert answers.spent.rho <= Fraction("0.1")
    assert session.ledger.spent == answers.spent
    hair = Fraction(1, 10**15)  # what was typed is charged, of which noise whose scale is a float uses a hair less
    assert sum(answer.spent.rho for answer in answers) >= answers.spent.rho * (1 - hair)


def test_an_analysts_cap_holds_for_the_whole(tmp_path: Path) -> None:
    session, backend = session_with(hospital(tmp_path), analyst="ada")
    session.ledger.journal.cap(Guarantee(1), scope=Scope("ada"), reason="a try")
    with pytest.raises(BudgetExceeded, match="ada"):
        session.batch([COUNT, BY_SEX], epsilon=2)
    assert not backend.calls
    session.batch([COUNT, BY_SEX], epsilon=1)
    assert session.ledger.remaining.epsilon == 0


# --- sharing ------------------------------------------------------------------------------------------------------


def test_the_same_rows_are_read_once(asked: tuple[Session, Watched]) -> None:
    session, backend = asked
    session.batch([COUNT, "SELECT AVG(age) AS y FROM patient", "SELECT SUM(age) AS s FROM patient"], epsilon=1)
    assert backend.calls == ["sums"]
    assert [entry.kind for entry in session.ledger.entries] == ["reservation", "draw"], "one draw for all three"


def test_quantiles_of_the_same_rows_are_ranked_once(asked: tuple[Session, Watched]) -> None:
    session, backend = asked
    texts = [f"SELECT QUANTILE_CONT(age, {share}) AS q FROM patient" for share in ("0.1", "0.5", "0.9")]
    session.batch(texts, epsilon=1)
    assert backend.calls == ["ranks"]
    assert len(session.ledger.entries) == 4


@pytest.mark.parametrize(
    "other",
    [
        "SELECT SUM(age) AS n FROM patient WHERE age > 40",
        "SELECT COUNT(*) AS n, SUM(age) AS s FROM patient WHERE age > 41",
        "SELECT COUNT(*) AS n FROM visit",
        "SELECT sex, COUNT(*) AS n FROM patient GROUP BY sex",
        "SELECT COUNT(*) AS n FROM patient JOIN visit USING (pid)",
    ],
)
def test_other_rows_are_not_shared(asked: tuple[Session, Watched], other: str) -> None:
    session, backend = asked
    session.batch([COUNT, other, "SELECT AVG(age) AS n FROM patient WHERE age > 39"], epsilon=1)
    assert backend.calls == ["sums"] * 3
    assert len(session.ledger.entries) >= 4


def test_counts_under_other_conditions_are_counted_together(asked: tuple[Session, Watched]) -> None:
    """Where one row of each unit counts: by one scan and one draw, as one statement with a FILTER for each."""
    session, backend = asked
    wheres = ["age > 40", "age > 39 AND sex = 'F'", "age IS NULL OR sex = 'M'"]
    answers = session.batch([COUNT, *(f"{COUNT} WHERE {each}" for each in wheres)], epsilon=1)
    assert backend.calls == ["ranks"]
    assert len(session.ledger.entries) == 2
    filters = ", ".join(f"COUNT(*) FILTER (WHERE {each}) AS n{place}" for place, each in enumerate(wheres))
    (whole,) = session.sql(f"SELECT COUNT(*) AS n, {filters} FROM patient", epsilon=1).rows
    apart = [row["n_high"] - row["n_low"] for answer in answers for row in answer.rows]
    assert apart == pytest.approx([whole[f"n{each}_high"] - whole[f"n{each}_low"] for each in ("", 0, 1, 2)], abs=1)
    (first, _) = session.explain([COUNT, f"{COUNT} WHERE age > 4"], epsilon=1)
    assert any("answering 2 counts" in rule for rule in first.rules)


def test_of_several_rows_of_a_unit_all_may_count_in_each_statement(asked: tuple[Session, Watched]) -> None:
    session, backend = asked
    visits = "SELECT COUNT(*) AS n FROM visit"
    session.batch([visits, f"{visits} WHERE cost > 40"], epsilon=1)
    assert backend.calls == ["sums"] * 2


def test_conditions_are_compared_as_they_are(asked: tuple[Session, Watched]) -> None:
    session, backend = asked
    session.batch(
        [
            "SELECT COUNT(*) AS n FROM patient AS p WHERE p.age > 40 AND sex = 'F'",
            "SELECT AVG(age) AS y FROM patient WHERE age > 40 AND sex = 'F'",
            "SELECT AVG(age) AS y FROM patient WHERE age > 40 AND sex = 'M'",
        ],
        epsilon=1,
    )
    assert backend.calls == ["sums", "sums"]


def test_asked_twice_is_drawn_once(asked: tuple[Session, Watched]) -> None:
    session, _ = asked
    first, again, other = session.batch([COUNT, f"  {COUNT}\n", BY_SEX], epsilon=1)
    assert first.rows == again.rows
    assert len(session.ledger.entries) == 3
    assert [len(each) for each in (first, again, other)] == [1, 1, 2]


def test_private_groups_are_selected_once(asked: tuple[Session, Watched]) -> None:
    session, backend = asked
    sums = "SELECT zip, SUM(age) AS s FROM patient GROUP BY zip"
    one, two = session.batch([BY_ZIP, sums], epsilon=4, delta="1e-5")
    assert [row["zip"] for row in one.rows] == [row["zip"] for row in two.rows]
    assert backend.calls == ["sums"]
    assert one.hidden == two.hidden is not None
    assert session.ledger.spent.parts[:2] == (4, Fraction("1e-5"))


def test_counting_units_does_not_hold_others_to_few_groups(asked: tuple[Session, Watched]) -> None:
    """Where units are counted by group each is held to as many groups as rows; another question is left alone."""
    session, backend = asked
    rows = "SELECT clinic, COUNT(*) AS n FROM visit GROUP BY clinic"
    units = "SELECT clinic, COUNT(DISTINCT pid) AS n FROM visit GROUP BY clinic"
    session.batch([rows, units], epsilon=1, delta="1e-6", rows_per_unit=2)
    assert backend.calls == ["sums", "sums"]


# --- the same answers ---------------------------------------------------------------------------------------------


def test_without_noise_each_answer_is_as_if_asked_alone(tmp_path: Path) -> None:
    patients, visits = crowd()
    catalog = hospital(tmp_path, patients=patients, visits=visits)
    backend = Watched(catalog)
    alone = ExactSession(catalog, backend=backend)
    session, _ = session_with(catalog)
    statements = [session.read(text) for text in MANY.values()]
    plan = quote_batch(statements, catalog, OPTIONS, shares=[Fraction(1)] * len(statements))
    refuse_another_price(plan, backend, catalog)
    ledger = session.ledger
    run = ExactRun(plan, backend=backend, ledger=ledger, purpose="exact", catalog=catalog)
    run.answer()
    for text, part in zip(MANY.values(), parts_of(plan), strict=True):
        together = run.tables[part.statement.answers[-1]]
        single = alone.sql(text).table
        shown = [name for name in single.column_names if not name.endswith(("_low", "_high"))]
        for one, other in zip(together.to_pylist(), single.to_pylist(), strict=True):
            assert {name: one[name] for name in shown} == pytest.approx({name: other[name] for name in shown}), text


def test_the_losses_of_the_parts_hold_every_draw(tmp_path: Path) -> None:
    """No draw of the joint plan is missing from all parts, and none of a part is missing from the joint plan."""
    catalog = hospital(tmp_path)
    session, _ = session_with(catalog)
    statements = [session.read(text) for text in MANY.values()]
    plan = quote_batch(statements, catalog, Options.of({"epsilon": 1}), shares=[Fraction(1)] * len(statements))
    mine = [dict(part.loss.parts) for part in parts_of(plan)]
    for curve, times in plan.loss.parts:
        assert sum(each.get(curve, 0) for each in mine) >= times
        assert all(each.get(curve, 0) <= times for each in mine)
    assert {curve for each in mine for curve in each} == {curve for curve, _ in plan.loss.parts}


def batches(catalog: Catalog, *, size: int = 8) -> Iterator[Quote]:
    """The golden statements that a catalog answers, quoted together a few at a time, under limits that bite."""
    read: list[Statement] = []
    for text in accepted().values():
        with suppress(InvalidParameter, QueryRefused):
            statement = sql.read(text, catalog, values=public_values, automatic=True)
            quote_statement(statement, catalog, SEARCHING)
            read.append(statement)
    for place in range(0, len(read), size):
        some = read[place : place + size]
        shares = [Fraction(1)] * len(some)
        limits = TIGHT[place // size % len(TIGHT)]
        yield quote_batch(some, catalog, replace(SEARCHING, limits=limits), shares=shares)


@pytest.mark.parametrize(
    ("setting", "step"),
    [(SETTINGS[0], 4), *(pytest.param(setting, 1, marks=pytest.mark.soak) for setting in SETTINGS[:2])],
    ids=["removed, some", "removed", "replaced"],
)
def test_no_unit_moves_a_batch_of_golden_statements(setting: Setting, step: int) -> None:
    """What several statements share moves no farther than stated, and nothing else moves at all."""
    neighbor = list(setting.neighbors(CROWDED, OTHER))[-1]
    shared = 0
    catalog = setting.catalog
    worlds_ = (worlds.world(CROWDED), neighbor)
    with closing(engine(worlds_[0], catalog)) as here, closing(engine(worlds_[1], catalog)) as there:
        for plan in islice(batches(catalog), None, None, step):
            refuse_another_price(plan, here, catalog)
            one = play(plan, here, catalog)
            refuse_different(one, play(plan, there, catalog, one))
            aggregates = [stage.source for stage in plan.statement.stages if isinstance(stage.source, Aggregate)]
            shared += len(aggregates) - len(set(aggregates))
    assert shared >= 10 / step, "some statements share an aggregation"


# --- all or none --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statements", "spend", "kind", "words"),
    [
        ([COUNT, "SELECT * FROM patient"], {"epsilon": 1}, QueryRefused, "statement 2 of the batch: SELECT"),
        ({"a": COUNT, "b": "SELECT x FROM patient"}, {"epsilon": 1}, QueryRefused, "statement 'b' of the batch: x"),
        ([COUNT, BY_ZIP], {"epsilon": 1}, InvalidParameter, "statement 2 of the batch: the groups are not public"),
        ([BY_ZIP, COUNT], {"rho": 1}, InvalidParameter, "statement 1 of the batch: .* rho cannot price"),
        ([COUNT, BY_SEX], {}, InvalidParameter, "say what to spend"),
        ([COUNT, BY_SEX], {"epsilon": 21}, BudgetExceeded, "requests ε=21"),
        ([], {"epsilon": 1}, InvalidParameter, "list of statements"),
        (COUNT, {"epsilon": 1}, InvalidParameter, "list of statements"),
        ({COUNT}, {"epsilon": 1}, InvalidParameter, "list of statements"),
        ([COUNT, 3], {"epsilon": 1}, InvalidParameter, "are texts"),
        ([COUNT, f"{COUNT}; {COUNT}"], {"epsilon": 1}, QueryRefused, "statement 2"),
        ([COUNT, ""], {"epsilon": 1}, PrivetError, "statement 2"),
        ([COUNT], {"epsilon": 1, "weights": [1, 2]}, InvalidParameter, "list of 1 numbers"),
        ([COUNT], {"epsilon": 1, "weights": {"n": 1}}, InvalidParameter, "list of 1 numbers"),
        ([COUNT], {"epsilon": 1, "weights": [0]}, InvalidParameter, "must be > 0"),
        ({"a": COUNT}, {"epsilon": 1, "weights": {"b": 1}}, InvalidParameter, "'b'"),
        ({"a": COUNT}, {"epsilon": 1, "weights": [1]}, InvalidParameter, "mapping"),
        ([COUNT], {"epsilon": 1, "seed": 1}, InvalidParameter, "seed"),
    ],
)
def test_a_refusal_names_the_statement_and_costs_nothing(
    asked: tuple[Session, Watched], statements: list[str], spend: dict[str, Any], kind: type[PrivetError], words: str
) -> None:
    session, backend = asked
    with pytest.raises(kind, match=words):
        session.batch(statements, **spend)
    assert not session.ledger.entries
    assert not backend.calls


def test_public_statements_alone_cost_nothing(asked: tuple[Session, Watched]) -> None:
    session, _ = asked
    answers = session.batch([PUBLIC, "SELECT clinic FROM clinic ORDER BY clinic LIMIT 1"], epsilon=1)
    assert answers.spent.epsilon == 0
    assert not session.ledger.entries


# --- keys, bounds, words --------------------------------------------------------------------------------------------


def test_the_same_key_gives_the_same_answers_for_free(asked: tuple[Session, Watched]) -> None:
    session, backend = asked
    first = session.batch(MANY, epsilon=1, key="report")
    calls = list(backend.calls)
    again = session.batch(MANY, epsilon=1, key="report")
    assert again == first
    assert backend.calls == calls
    assert session.ledger.spent.epsilon == 1
    fewer = {name: text for name, text in MANY.items() if name != "all"}
    for other, spend in ((fewer, {}), (list(MANY.values()), {}), (MANY, {"weights": {"all": 2}})):
        with pytest.raises(KeyReused):
            session.batch(other, epsilon=1, key="report", **spend)  # type: ignore[arg-type] # a mapping or a list
    with pytest.raises(KeyReused):
        session.sql(COUNT, epsilon=1, key="report")


def test_a_key_stands_for_the_weights_too(asked: tuple[Session, Watched]) -> None:
    """Also where the whole costs the same: here the two only change places."""
    session, _ = asked
    texts = ["SELECT COUNT(*) AS n FROM patient WHERE age > 40", "SELECT COUNT(*) AS n FROM patient WHERE age > 50"]
    first = session.batch(texts, epsilon=3, weights=[1, 2], key="k")
    assert session.explain(texts, epsilon=3, weights=[2, 1]).loss == first.loss
    with pytest.raises(KeyReused):
        session.batch(texts, epsilon=3, weights=[2, 1], key="k")
    assert session.batch(texts, epsilon=3, weights=[1, 2], key="k") == first


def test_a_key_whose_batch_failed_is_lost(asked: tuple[Session, Watched]) -> None:
    session, backend = asked

    def fail() -> None:
        if len(backend.calls) == 2:
            raise RuntimeError

    backend.before = fail
    with pytest.raises(PrivetError, match="same key is charged no more"):
        session.batch([COUNT, BY_SEX], epsilon=1, key="q")
    with pytest.raises(AnswerLost):
        session.batch([COUNT, BY_SEX], epsilon=1, key="q")
    assert session.ledger.spent.epsilon == 1


def test_answers_survive_json(asked: tuple[Session, Watched]) -> None:
    session, _ = asked
    answers = session.batch(MANY, epsilon=1)
    assert Answers.from_json(answers.to_json()) == answers
    assert answers[0] == answers["all"]
    assert answers[1:3] == (answers["age"], answers["sex"])
    with pytest.raises(InvalidParameter, match="did you mean age"):
        answers["aeg"]


def test_bounds_that_are_searched_for_are_shared_too(tmp_path: Path) -> None:
    patients, visits = crowd()
    session, backend = session_with(hospital(tmp_path, patients=patients, visits=visits), limit=Guarantee(100, "1e-4"))
    texts = ["SELECT AVG(weight) AS a FROM visit", "SELECT SUM(weight) AS s FROM visit", COUNT]
    answers = session.batch(texts, epsilon=20, automatic_bounds="0.5")
    assert [each for each in backend.calls if each != "ranks"] == ["sums"] * 4, "two looks, visits, patients"
    assert answers[0].bounds["a"] == answers[1].bounds["s"]
    assert not answers[2].bounds
    assert answers[2].spent.epsilon < answers[0].spent.epsilon


def test_an_explanation_spends_nothing_and_says_the_same_price(asked: tuple[Session, Watched]) -> None:
    session, backend = asked
    explained = session.explain(MANY, epsilon=2)
    assert not session.ledger.entries
    assert not backend.calls
    answers = session.batch(MANY, epsilon=2)
    assert explained.price == answers.spent
    assert explained.alone == answers.alone
    assert [each.price for each in explained] == [answer.spent for answer in answers]
    assert [column.name for column in explained["visits"].columns] == ["n", "c"]
    assert "one by one it would cost ε" in repr(explained)
    assert explained.affordable
    assert not session.explain(MANY, epsilon=30).affordable


def test_a_batch_of_one_is_a_statement(asked: tuple[Session, Watched]) -> None:
    session, _ = asked
    (one,) = session.explain([BY_SEX], epsilon=1)
    alone = session.explain(BY_SEX, epsilon=1)
    assert one.columns == alone.columns
    assert one.loss == alone.loss
    assert one.queries == alone.queries
