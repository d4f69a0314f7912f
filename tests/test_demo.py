"""The demonstration: its answers are as good as they say, its ledger holds what was charged, it refuses nonsense."""

import re
import shlex
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from scipy.stats import binom
from typer.testing import CliRunner

from privet import connect
from privet.cli import app
from privet.core import Ledger
from privet.demo import run
from privet.demo.demonstration import QUESTIONS, ask
from privet.demo.hospital import CLINICS, MOST_VISITS, RARE, Hospital, invent, open_hospital
from privet.errors import BudgetExceeded, InvalidParameter
from tests.support.statistics import FALSE_ALARM

pytestmark = pytest.mark.whole

RUNS = 20


def truths(hospital: Hospital) -> dict[str, list[float]]:
    """The exact values of the columns that have intervals, in the order of the answers' rows."""
    patient, visit = hospital.patient.to_pandas(), hospital.visit.to_pandas()
    by_sex = patient.groupby("sex")["age"]
    region = visit["clinic"].map(CLINICS)
    return {
        QUESTIONS[0].sql: [len(visit)],
        QUESTIONS[1].sql: [*by_sex.size(), *by_sex.mean()],
        QUESTIONS[4].sql: [*visit.groupby(region)["pid"].nunique()],
    }


def test_the_hospital_is_the_same_on_every_run() -> None:
    first, second = invent(1000), invent(1000)
    assert first == second
    patient, visit = first
    ages, owners = patient["age"].to_numpy(), visit["pid"].to_numpy()
    assert 0 <= min(ages) <= max(ages) <= 110
    assert set(np.unique(owners)) == set(range(1, 1001))
    assert max(np.unique(owners, return_counts=True)[1]) == MOST_VISITS
    assert all(town in patient["town"].to_pylist() for town in RARE)


def test_intervals_hold_the_truth_as_often_as_they_say(tmp_path: Path) -> None:
    """n = 20 answers of each; every interval fails with probability 5 %."""
    hospital = open_hospital(tmp_path, patients=200, epsilon=Fraction(RUNS))
    fewest = binom.ppf(FALSE_ALARM, RUNS, 0.95)
    with connect(hospital.catalog) as session:
        for sql, exact in truths(hospital).items():
            question = next(each for each in QUESTIONS if each.sql == sql)
            answers = [ask(session, question, epsilon=Fraction(1)) for _ in range(RUNS)]
            for place, name in enumerate(answers[0].intervals):
                rows = len(answers[0])
                for row, truth in enumerate(exact[place * rows : (place + 1) * rows]):
                    found = [each.rows[row] for each in answers]
                    held = sum(each[f"{name}_low"] <= truth <= each[f"{name}_high"] for each in found)
                    assert held >= fewest, (sql, name, row)
                    far = [(each[f"{name}_high"] - each[f"{name}_low"]) / 64 for each in found]
                    near = sum(abs(each[name] - truth) <= width for each, width in zip(found, far, strict=True))
                    assert near < fewest, f"the control was not rejected: {name}"


def test_the_ledger_holds_what_was_charged(tmp_path: Path) -> None:
    hospital = open_hospital(tmp_path, patients=50, epsilon=Fraction(7, 10))
    with connect(hospital.catalog) as session:
        for question in QUESTIONS:
            ask(session, question, epsilon=Fraction(7, 10))
        assert session.ledger.spent.parts[0] == Fraction(7, 10)
        paid = [entry.purpose for entry in session.ledger.entries if any(entry.cost.parts)]
        assert paid == [question.words for question in QUESTIONS]
        with pytest.raises(BudgetExceeded):
            ask(session, QUESTIONS[0], epsilon=Fraction(7, 10))
    assert sum(question.share for question in QUESTIONS) == 1


@pytest.mark.parametrize("epsilon", ["0", "-1", "nan", "inf", "much", "1000"])
def test_a_bad_epsilon_is_refused(epsilon: str) -> None:
    with pytest.raises(InvalidParameter, match="epsilon must be"):
        run(patients=10, epsilon=epsilon, console=Console())


def test_the_command_shows_answers_margins_and_the_receipt() -> None:
    result = CliRunner().invoke(app, ["demo", "--patients", "2000", "--epsilon", "0.5"], env={"COLUMNS": "160"})
    assert result.exit_code == 0, result.output
    for text in ("2,000 patients", "±", "costs ε 0.05", "median_cost", "north", "The ledger", "spent ε=0.5, δ=1e-6"):
        assert text in result.output
    assert not any(town in result.output for town in RARE)
    receipt = result.output.partition("The ledger")[2]
    assert re.findall(r"│ (\d+) ", receipt) == ["1", "2", "3", "4", "5"]  # questions, whatever rows the ledger has


def test_a_kept_hospital_can_be_looked_at(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "hospital"
    words = ["demo", "--patients", "300", "--folder", str(folder)]
    result = CliRunner().invoke(app, words, env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    assert f"stays in {folder}, with ε=1 to go on" in result.output
    *_, explained, asked, shown = result.output.splitlines()  # what is printed can be pasted
    for line in (explained, asked, shown):
        command, *typed = shlex.split(line)
        done = CliRunner().invoke(app, typed)
        assert (command, done.exit_code) == ("privet", 0), done.output
    with Ledger.open(str(folder / "hospital.ledger.db")) as ledger:
        assert ledger.spent.parts[0] == Fraction(12, 10)
    again = CliRunner().invoke(app, words)
    assert (again.exit_code, "holds a hospital already" in again.stderr) == (1, True)


def test_the_command_says_what_is_wrong_in_one_sentence() -> None:
    result = CliRunner().invoke(app, ["demo", "--patients", "0"])
    assert result.exit_code == 1
    assert result.stderr == "privet: patients must be between 1 and 1,000,000, got 0\n"


def test_the_version_is_the_package_s() -> None:
    result = CliRunner().invoke(app, ["--version"])
    assert result.exit_code == 0
    assert result.output.startswith("privet ")
    assert np.all([part.isdigit() for part in result.output.split()[1].split(".")])
