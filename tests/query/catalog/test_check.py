"""The check: everything at once, compared with the schema, explained."""

from dataclasses import replace
from pathlib import Path

import pytest

from privet.errors import InvalidParameter
from privet.query.catalog import Catalog
from privet.query.catalog.check import Check, State, check_catalog
from privet.query.catalog.schema import Schema, completed, contradictions
from privet.query.catalog.toml_file import catalog_from
from privet.query.scalars.facts import Facts, Type

TEXT = """
unit = "patient"
limit = { epsilon = 1, delta = 1e-6 }
[tables.patient]
unit_column = "pid"
columns.age = { type = "integer", bounds = [0, 110] }
columns.zip = { type = "text" }
columns.sex = { type = "text", values = ["F", "M"] }
columns.here = { type = "boolean" }
[tables.visit]
unit_column = "pid"
rows_per_unit = 4
columns.cost = { type = "real" }
columns.day = { type = "date" }
[tables.clinic]
public = true
"""
SCHEMA = {
    "patient": {
        "pid": "BIGINT",
        "age": "TINYINT",
        "ZIP": "VARCHAR",
        "sex": "ENUM('F')",
        "here": "BOOLEAN",
        "name": "TEXT",
    },
    "visit": {"pid": "BIGINT", "cost": "INTEGER", "day": "DATE"},
    "clinic": {"clinic": "VARCHAR", "beds": "INTEGER", "map": "BLOB"},
}


def checked(tmp_path: Path, text: str, schema: Schema | None = None) -> Check:
    file = tmp_path / "our.toml"
    file.write_text(text)
    return check_catalog(file, schema_of=None if schema is None else lambda _: schema)


def said(check: Check, place: str) -> tuple[State, str]:
    return next((each.state, each.sentence) for each in check.findings if each.place == place)


def test_a_finished_catalog_says_what_each_declaration_unlocks(tmp_path: Path) -> None:
    check = checked(tmp_path, TEXT, SCHEMA)
    assert (check.usable, check.finished) == (True, True)
    assert said(check, "tables.patient.columns.age")[0] is State.GOOD
    assert "GROUP BY shows every value" in said(check, "tables.patient.columns.age")[1]
    assert "needs δ; values = […]" in said(check, "tables.patient.columns.zip")[1]
    assert said(check, "tables.patient.columns.sex")[0] is State.GOOD
    assert "bounds = [lowest, highest] unlocks SUM, AVG" in said(check, "tables.visit.columns.cost")[1]
    assert "unlocks GROUP BY its years" in said(check, "tables.visit.columns.day")[1]
    assert said(check, "tables.patient") == (State.OPEN, "not declared, so nobody can name them: name")
    assert "up to 4 rows of each patient" in said(check, "tables.visit")[1]
    assert any("one row of each patient is used" in each.sentence for each in check.findings)
    assert "public" in said(check, "tables.clinic")[1]


def test_the_schema_is_compared(tmp_path: Path) -> None:
    wrong = {
        "patient": {"pidd": "BIGINT", "age": "VARCHAR", "zip": "BLOB", "sex": "VARCHAR", "hre": "BOOLEAN"},
        "visits": {},
        "clinic": {},
    }
    check = checked(tmp_path, TEXT, wrong)
    assert not check.usable
    found = {each.place: each.sentence for each in check.findings if each.state is State.WRONG}
    assert found == {
        "tables.patient.unit_column": "the data has no column pid: did you mean pidd?",
        "tables.patient.columns.age": 'declared integer, but the data has VARCHAR: declare type = "text"',
        "tables.patient.columns.zip": "declared text, but the data has BLOB: leave it out, or convert it in the data",
        "tables.patient.columns.here": "the data has no such column: did you mean hre?",
        "tables.visit": "the data has no such table: did you mean visits?",
    }


def test_data_that_cannot_be_opened_is_one_finding(tmp_path: Path) -> None:
    file = tmp_path / "our.toml"
    file.write_text(TEXT)

    def closed(_: Catalog) -> Schema:
        raise InvalidParameter("there is no such database")

    check = check_catalog(file, schema_of=closed)
    assert said(check, "source") == (State.WRONG, "there is no such database")


def test_a_mistake_and_the_todos_are_told_together(tmp_path: Path) -> None:
    check = checked(tmp_path, TEXT + "# TODO: ask the ward\n[tables.bed]\n")
    assert [each.state for each in check.findings] == [State.WRONG, State.TODO]
    assert check.findings[0].place == "tables.bed"
    assert check.findings[1].sentence == "ask the ward"
    assert not check.finished
    left = checked(tmp_path, TEXT + "# TODO\n")
    assert (left.usable, left.finished) == (True, False)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameter, match="there is no file"):
        check_catalog(tmp_path / "none.toml")
    with pytest.raises(InvalidParameter, match="is a folder"):
        check_catalog(tmp_path)


def test_what_only_the_schema_knows_is_taken_over() -> None:
    catalog = completed(catalog_from(TEXT), SCHEMA)
    assert catalog.tables["patient"].columns["pid"] == Facts(Type.INTEGER)
    assert set(catalog.tables["clinic"].columns) == {"clinic", "beds"}  # a BLOB is not read
    assert "name" not in catalog.tables["patient"].columns  # nothing undeclared becomes nameable
    with pytest.raises(InvalidParameter, match=r"tables\.visit: the data has no such table"):
        completed(catalog_from(TEXT), {"patient": SCHEMA["patient"], "clinic": SCHEMA["clinic"]})


def test_csv_is_text_until_it_is_read() -> None:
    catalog = catalog_from(TEXT)
    as_text = {name: dict.fromkeys(columns, "VARCHAR") for name, columns in SCHEMA.items()}
    assert any("cost" in each for each in contradictions(catalog, as_text))
    tables = {name: replace(table, files=f"{name}.csv") for name, table in catalog.tables.items()}
    assert not list(contradictions(replace(catalog, tables=tables), as_text))


def test_moments_and_rows_are_explained_too(tmp_path: Path) -> None:
    check = checked(
        tmp_path,
        """
unit = "row"
limit = { rho = 1 }
budget = { rho = 0.1 }
[tables.t]
columns.day = { type = "date", bounds = [2020-01-01, 2021-01-01] }
columns.at = { type = "timestamp", bounds = [2020-01-01T00:00:00, 2021-01-01T00:00:00] }
columns.big = { type = "integer", bounds = [0, 1000000] }
columns.x = { type = "real", bounds = [0, 1] }
""",
    )
    assert check.finished
    assert "nine times the loss" in said(check, "tables.t")[1]
    assert "MEDIAN" in said(check, "tables.t.columns.day")[1]
    assert "GROUP BY its years" in said(check, "tables.t.columns.at")[1]
    assert (
        said(check, "tables.t.columns.big")[1] == said(check, "tables.t.columns.x")[1] == "SUM, AVG, VARIANCE, MEDIAN"
    )
