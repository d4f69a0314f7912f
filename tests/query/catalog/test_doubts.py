"""Doubts: implausible declarations are pointed out with what to do; what is usual raises none."""

from pathlib import Path

import pytest

from privet.query.catalog.check import State, check_catalog

HEAD = 'unit = "person"\nlimit = { epsilon = 1, delta = "1e-6" }\n[tables.t]\nunit_column = "pid"\n'


def doubts(tmp_path: Path, text: str) -> dict[str, str]:
    file = tmp_path / "our.toml"
    file.write_text(text)
    check = check_catalog(file)
    assert check.usable, check.findings
    assert check.finished, "a doubt is no error"
    return {each.place: each.sentence for each in check.findings if each.state is State.DOUBTFUL}


@pytest.mark.parametrize(
    ("column", "reason"),
    [
        ('age = { type = "integer", bounds = [500, 600] }', "no age lies in [500, 600]"),
        ('Age = { type = "real", bounds = [0, 1000000] }', "wide for a column called Age"),
        ('ageAtVisit = { type = "integer", bounds = [0, 5000] }', "wide for a column"),
        ('birth_year = { type = "integer", bounds = [0, 1000000] }', "wide for a column called birth_year"),
        ('cost = { type = "real", bounds = [7, 7] }', "every value counts as 7"),
        ('weight = { type = "real", bounds = [500, 600] }', "whatever lies below 500 counts as that"),
        ('loss = { type = "real", bounds = [-600, -500] }', "whatever lies above -500 counts as that"),
        ('cost = { type = "real", bounds = [0, 1e15] }', "noise drowns"),
        ('until = { type = "date", bounds = [2000-01-01, 9999-12-31] }', "far future"),
    ],
)
def test_an_implausible_column_is_pointed_out(tmp_path: Path, column: str, reason: str) -> None:
    found = doubts(tmp_path, f"{HEAD}columns.{column}\n")
    assert len(found) == 1
    (sentence,) = found.values()
    assert reason in sentence
    assert "declare" in sentence or "make sure" in sentence, "it says what to do"


@pytest.mark.parametrize(
    "column",
    [
        'age = { type = "integer", bounds = [18, 100] }',
        'age_months = { type = "integer", bounds = [0, 1500] }',
        'year = { type = "integer", bounds = [1990, 2030] }',
        'vintage = { type = "integer", bounds = [1990, 2000] }',
        'salary = { type = "real", bounds = [20000, 200000] }',
        'income = { type = "real", bounds = [0, 1e9] }',
        'day = { type = "date", bounds = [2024-01-01, 2024-12-31] }',
        'temperature = { type = "real", bounds = [-40, 60] }',
        'pressure = { type = "real", bounds = [0, 1100] }',
        'wage = { type = "real", bounds = [0, 1000000] }',
        'sex = { type = "text", values = ["F", "M"] }',
        'zip = { type = "integer", bounds = [90000, 96200] }',
    ],
)
def test_what_is_usual_raises_no_doubt(tmp_path: Path, column: str) -> None:
    assert doubts(tmp_path, f"{HEAD}columns.{column}\n") == {}


def test_limits_and_promises_are_doubted(tmp_path: Path) -> None:
    text = HEAD.replace("epsilon = 1", "epsilon = 50").replace("1e-6", "0.01")
    found = doubts(tmp_path, f'budget = {{ epsilon = 50, delta = "0.01" }}\n{text}rows_per_unit = 1000000\n')
    assert set(found) == {"limit", "budget", "tables.t"}
    assert "1,000,000 rows of one person" in found["tables.t"]
    assert "spends the whole limit" in found["budget"]
