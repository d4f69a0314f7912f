"""The report on clipping: its shares are the true ones, and no unit moves them farther than stated."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from privet.core import Ledger
from privet.errors import InvalidParameter, KeyReused
from privet.loss import Guarantee
from privet.query.catalog import Catalog
from privet.query.plan.statement import Report
from privet.query.pricing.quote import quote_statement
from privet.query.results.reported_shares import reported_shares, share_words
from privet.query.session import Session
from tests.query.test_falsification import NAMES, STATEMENTS, falsify
from tests.support import neighbor_hospitals as worlds
from tests.support.exact_session import OPTIONS, ExactRun
from tests.support.hospital_sessions import Watched, hospital, session_with
from tests.support.neighbor_hospitals import CROWDED, OTHER, SETTINGS, Setting
from tests.support.replaying_ledger import TIGHT, quote_of

DAY = "2024-03-01"
PATIENTS = [(1, 40, "F"), (2, 200, "M"), (3, -5, "F"), (4, 110, "M")]  # pid, age in [0, 110], sex
VISITS = [  # pid, clinic, cost in [0, 5000], stay in [0, 30]
    *((1, clinic, 10.0, 1) for clinic in "ABCDE"),
    *((2, "A", cost, 1) for cost in (5000.5, math.inf, -math.inf, -0.0, 5000.0, 1e308)),
    (3, "A", None, 31),
    (3, "B", math.nan, 30),
    (4, "C", -1.0, -1),
]


def tables(folder: Path) -> Catalog:
    patients = [(pid, age, sex, "1010", True, "A") for pid, age, sex in PATIENTS]
    visits = [(vid, pid, clinic, cost, DAY, stay, "x", 1.0) for vid, (pid, clinic, cost, stay) in enumerate(VISITS)]
    return hospital(folder, patients=patients, visits=visits)


def shares(catalog: Catalog, text: str, **options: Any) -> dict[str, float | None]:  # noqa: ANN401 - what was said
    """What a report says without noise."""
    backend = Watched(catalog)
    session = Session(catalog, backend=backend, ledger=Ledger(catalog.limit, unit=catalog.unit))
    quote = quote_statement(session.read(text), catalog, replace(OPTIONS, clipping=True, **options))
    run = ExactRun(quote, backend=backend, ledger=session.ledger, purpose="exact", catalog=catalog)
    run.answer()
    return {name: share[0] for name, share in reported_shares(quote.statement, run.tables, whose="patient").items()}


OVER = {"patients with more than 5 rows": 1 / 4}
TRUTHS: dict[str, dict[str, float]] = {
    # units 1, 2 and 4 weigh 5, 5 and 1 rows that have a value; 4 of the 6 of unit 2 and that of unit 4 are outside
    "SELECT SUM(cost) FROM visit": {"rows with cost outside [0, 5000]": (10 / 3 + 1) / 11, **OVER},
    "SELECT clinic, COUNT(*), AVG(cost) FROM visit GROUP BY clinic": {
        "rows with cost outside [0, 5000]": (10 / 3 + 1) / 11,
        "patients with more than 5 rows in a group": 1 / 4,
        "patients with rows in more than 4 groups": 1 / 4,
    },
    "SELECT clinic, COUNT(DISTINCT pid) FROM visit GROUP BY clinic": {
        "patients with rows in more than 4 groups": 1 / 4
    },
    "SELECT COUNT(DISTINCT pid) FROM visit": {},
    "SELECT AVG(age) FROM visit JOIN patient USING (pid)": {"rows with age outside [0, 110]": 7 / 13, **OVER},
    "SELECT AVG(age) FROM patient WHERE sex = 'F'": {
        "rows with age outside [0, 110]": 1 / 2,
        "patients with more than 1 row": 0,
    },
    "SELECT AVG(CLIP(age, 20, 60)) FROM patient": {
        "rows with age outside [0, 110]": 1 / 2,
        "patients with more than 1 row": 0,
    },
    "SELECT AVG(s) FROM (SELECT pid, SUM(stay) AS s FROM visit GROUP BY pid)": {
        "rows with stay outside [0, 30]": 1 / 2
    },
    "SELECT AVG(v) FROM (SELECT pid, stay AS v FROM visit UNION ALL SELECT pid, age FROM patient)": {
        "rows with stay outside [0, 30]": 2 / 14,
        "rows with age outside [0, 110]": 2 / 4,
        "patients with more than 21 rows": 0,
    },
    "SELECT SUM(stay) FROM (SELECT pid, stay, ROW_NUMBER() OVER (PARTITION BY pid ORDER BY clinic) AS k FROM visit) "
    "WHERE k = 1": {"rows with stay outside [0, 30]": 1 / 2, "patients with more than 5 rows": 0},
    "SELECT SUM(a.stay + b.stay) FROM visit AS a JOIN visit AS b ON a.pid = b.pid": {
        "rows with stay outside [0, 30]": 4 / 66,  # 3 of the 4 pairs of unit 3, and that of unit 4
        "patients with more than 400 rows": 0,
    },
    "SELECT age, COUNT(*) FROM patient GROUP BY age": {
        "rows with age outside [0, 110]": 1 / 2,
        "patients with more than 1 row": 0,
    },
}


@pytest.mark.parametrize("text", TRUTHS)
def test_shares_are_of_the_rows_and_units_that_were_asked_about(tmp_path: Path, text: str) -> None:
    found = shares(tables(tmp_path), text)
    assert found == pytest.approx(TRUTHS[text], abs=1e-5)


def test_it_is_part_of_the_price_and_says_what_it_found(tmp_path: Path) -> None:
    session, backend = session_with(tables(tmp_path), limit=Guarantee(10_000, "1e-4"))
    text = "SELECT AVG(age) AS a FROM patient"
    told = session.explain(text, epsilon=4000, confidence=0.9999999, clipping="report")
    assert not backend.calls
    assert [each.name for each in told.columns] == [
        "a",
        "rows with age outside [0, 110]",
        "patients with more than 1 row",
    ]
    answer = session.sql(text, epsilon=4000, confidence=0.9999999, clipping="report")
    assert told.price == answer.spent
    assert told.loss == answer.loss
    assert answer.spent.epsilon == 4000
    assert answer.table.column_names == ["a", "a_low", "a_high"]
    share, low, high = answer.clipping["rows with age outside [0, 110]"]
    assert share == pytest.approx(0.5, abs=0.1)
    assert low is not None
    assert high is not None
    assert low <= 0.5 <= high
    assert "rows with age outside [0, 110]: " in repr(answer)
    assert type(answer).from_json(answer.to_json()) == answer
    plain = session.explain(text, epsilon=3600)
    assert plain.columns[0].mechanism == told.columns[0].mechanism, "the report takes a tenth"


def test_a_wanted_error_is_of_the_columns_and_not_of_the_report(tmp_path: Path) -> None:
    session, _ = session_with(tables(tmp_path))
    told = session.explain("SELECT SUM(age) AS s FROM patient", error=500, clipping="report")
    assert float(told.columns[0].margin) <= 500
    assert told.price.epsilon > session.explain("SELECT SUM(age) AS s FROM patient", error=500).price.epsilon


def test_a_key_tells_questions_with_and_without_a_report_apart(tmp_path: Path) -> None:
    session, _ = session_with(tables(tmp_path))
    text = "SELECT AVG(age) AS a FROM patient"
    session.sql(text, epsilon=1, key="k")
    with pytest.raises(KeyReused):
        session.sql(text, epsilon=1, key="k", clipping="report")
    with pytest.raises(InvalidParameter, match='clipping must be "report"'):
        session.sql(text, epsilon=1, clipping="tell")


def test_a_batch_reports_for_each_statement_what_is_its_own_and_pays_once_for_what_is_shared(tmp_path: Path) -> None:
    session, _ = session_with(tables(tmp_path))
    texts = ["SELECT AVG(age) AS a FROM patient", "SELECT SUM(age) AS s FROM patient", "SELECT COUNT(*) FROM visit"]
    answers = session.batch(texts, epsilon=1, clipping="report")
    ages = {"rows with age outside [0, 110]", "patients with more than 1 row"}
    assert [set(answer.clipping) for answer in answers] == [ages, ages, {"patients with more than 5 rows"}]
    assert answers[0].clipping == answers[1].clipping
    assert answers.spent.epsilon == 1


def test_every_row_of_a_row_level_catalog_is_one() -> None:
    catalog = next(setting.catalog for setting in SETTINGS if setting.name.startswith("rows"))
    statement = quote_of("SELECT SUM(cost) FROM visit", catalog, None, clipping=True)
    assert statement is not None
    assert [stage.report for stage in statement.statement.stages] == [Report.ROWS, None]


def test_too_few_rows_are_said_to_be_too_few() -> None:
    assert share_words("rows with x outside [0, 1]", (None, None, None)).endswith("too few to say how many")


@pytest.mark.whole
@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.soak)])
def test_no_unit_moves_a_report_farther_than_stated(setting: Setting, step: int) -> None:
    """Every statement of the golden corpus with its report, on the worst rows and a neighbor of each kind."""
    here = worlds.world(CROWDED)
    other = list(setting.neighbors(CROWDED, OTHER))[-1]
    names = NAMES[SETTINGS.index(setting) % step :: step]
    plans = [
        quote_of(STATEMENTS[name], setting.catalog, TIGHT[place % len(TIGHT)], clipping=True)
        for place, name in enumerate(names)
    ]
    reported = [plan for plan in plans if plan and any(stage.report for stage in plan.statement.stages)]
    assert len(reported) >= {"units": 30, "rows": 5, "days": 5}[setting.name.split(",")[0]]
    assert falsify(setting, here, [other], plans) >= len(reported)
