"""The demonstration: its margins hold as often as they say, and it refuses nonsense."""

from fractions import Fraction

import numpy as np
import pytest
from rich.console import Console
from scipy.stats import binom
from typer.testing import CliRunner

from privet.cli import app
from privet.core import Ledger
from privet.demo import (
    CONFIDENCE,
    PERSON,
    SALARY_BOUNDS,
    SHARES,
    ask_everything,
    generate_people,
    run,
)
from privet.errors import BudgetExceeded, InvalidParameter
from privet.loss import Guarantee
from tests.statistics import FALSE_ALARM

RUNS = 2_000


def test_people_are_the_same_on_every_run() -> None:
    first, second = generate_people(1000), generate_people(1000)
    assert (first.age == second.age).all()
    assert (first.salary == second.salary).all()
    assert 18 <= np.min(first.age) <= np.max(first.age) <= 99


def test_margins_cover_the_truth_as_often_as_they_say() -> None:
    people, ledger = generate_people(500), Ledger(Guarantee(RUNS), unit=PERSON)
    runs = [ask_everything(people, ledger=ledger, epsilon=Fraction(1)) for _ in range(RUNS)]
    fewest = binom.ppf(FALSE_ALARM / len(runs[0]), RUNS, CONFIDENCE)
    for answers in zip(*runs, strict=True):
        covered = sum(abs(answer.value - answer.truth) <= answer.margin for answer in answers)
        assert covered >= fewest, answers[0].question
        halved = sum(abs(answer.value - answer.truth) <= answer.margin / 4 for answer in answers)
        assert halved < fewest, f"the control was not rejected: {answers[0].question}"


def test_the_ledger_holds_what_the_table_says() -> None:
    epsilon = Fraction(7, 10)
    ledger = Ledger(Guarantee(epsilon), unit=PERSON)
    answers = ask_everything(generate_people(10), ledger=ledger, epsilon=epsilon)
    assert sum(answer.price for answer in answers) == epsilon == ledger.spent.epsilon
    assert [entry.purpose for entry in ledger.entries] == ["how many people", "total of salaries", "people by age"]
    assert sum(SHARES.values()) == 1
    with pytest.raises(BudgetExceeded):
        ask_everything(generate_people(10), ledger=ledger, epsilon=epsilon)


@pytest.mark.parametrize("epsilon", [Fraction(1, 10_000), Fraction(100)])
def test_the_mean_stays_within_the_declared_bounds(epsilon: Fraction) -> None:
    mean = ask_everything(generate_people(3), ledger=Ledger(Guarantee(epsilon), unit=PERSON), epsilon=epsilon)[1]
    assert SALARY_BOUNDS[0] <= mean.value <= SALARY_BOUNDS[1]
    assert 0 <= mean.margin <= SALARY_BOUNDS[1] - SALARY_BOUNDS[0]


@pytest.mark.parametrize("epsilon", [0.0, -1.0, float("nan"), float("inf")])
def test_a_bad_epsilon_is_refused(epsilon: float) -> None:
    with pytest.raises(InvalidParameter, match="epsilon must be between"):
        run(rows=10, epsilon=epsilon, console=Console())


def test_the_command_prints_a_table_and_what_was_spent() -> None:
    result = CliRunner().invoke(app, ["demo", "--rows", "2000", "--epsilon", "0.5"])
    assert result.exit_code == 0, result.output
    shown = (
        "2,000 generated people",
        "mean salary",
        "± (95%)",
        "The ledger",
        "spent ε = 0.5 of 0.5, 0 left",
        "62% sure",
    )
    for text in shown:
        assert text in result.output


def test_the_command_says_what_is_wrong_in_one_sentence() -> None:
    result = CliRunner().invoke(app, ["demo", "--rows", "0"])
    assert result.exit_code == 1
    assert result.stderr == "privet: rows must be between 1 and 10,000,000, got 0\n"


def test_the_version_is_the_package_s() -> None:
    result = CliRunner().invoke(app, ["--version"])
    assert result.exit_code == 0
    assert result.output.startswith("privet ")
    assert np.all([part.isdigit() for part in result.output.split()[1].split(".")])
