"""`privet catalog …`, as an owner types it."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from privet.cli import app

pytestmark = pytest.mark.whole

FINISHED = """
unit = "person"
limit = { epsilon = 1 }
[tables.people]
parquet = "people.parquet"
unit_column = "id"
columns.age = { type = "integer", bounds = [0, 110] }
"""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    pq.write_table(pa.table({"id": [1], "age": [40], "[red]name": ["x"]}), tmp_path / "people.parquet")
    return tmp_path / "people.parquet"


def privet(*words: str) -> Any:  # noqa: ANN401 - what the runner gives
    return CliRunner().invoke(app, ["catalog", *words], env={"COLUMNS": "300"}, catch_exceptions=False)


def test_from_draft_to_check(data: Path) -> None:
    assert "no row was read" in privet("draft", str(data)).stdout
    file = data.with_name("our.toml")
    done = privet("draft", str(data), "--output", str(file))
    assert done.exit_code == 0, done.output
    assert f"privet catalog check {file}" in done.stdout
    assert 'parquet = "people.parquet"' in file.read_text()
    checked = privet("check", str(file))
    assert checked.exit_code == 1
    assert "Nothing can be asked yet" in checked.stdout
    assert "TODO" not in checked.stdout.replace("todo", "")
    assert "bounds = [lowest, highest]" in checked.stdout
    again = privet("draft", str(data), "--output", str(file))
    assert (again.exit_code, "is there already" in again.stderr) == (1, True)


def test_a_finished_catalog(data: Path) -> None:
    file = data.with_name("our.toml")
    file.write_text(FINISHED)
    done = privet("check", str(file))
    assert done.exit_code == 0, done.output
    assert f"Ready: privet ask {file}" in done.stdout
    assert "not declared, so nobody can name them: [red]name" in done.stdout
    told = json.loads(privet("check", str(file), "--json").stdout)
    assert (told["usable"], told["finished"]) == (True, True)
    assert not list(data.parent.glob("*.db"))  # a check makes no ledger
    file.write_text(FINISHED + "# TODO: ask\n")
    left = privet("check", str(file))
    assert (left.exit_code, "It can be used; 1 TODO is left. Ask by: privet ask" in left.stdout) == (1, True)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["draft", "NONE"], "there is no"),
        (["draft", "DATA", "--output", "/no/such/folder/x.toml"], "name another file"),
        (["check", "NONE"], "there is no file"),
        (["check", "FOLDER"], "is a folder"),
    ],
)
def test_mistakes_are_one_sentence(data: Path, words: list[str], says: str) -> None:
    places = {"DATA": str(data), "NONE": str(data) + "x", "FOLDER": str(data.parent)}
    done = privet(*(places.get(word, word) for word in words))
    assert done.exit_code == 1
    assert says in done.stderr
    assert done.stderr.startswith("privet: ")
    assert done.stderr.count("\n") == 1


def test_the_schema_is_compared(data: Path) -> None:
    file = data.with_name("our.toml")
    file.write_text(FINISHED.replace('"integer", bounds = [0, 110]', '"text"'))
    done = privet("check", str(file))
    assert done.exit_code == 1
    assert "declared text, but the data has BIGINT" in done.stdout
    file.write_text(FINISHED.replace("people.parquet", "none.parquet"))
    assert "none.parquet" in privet("check", str(file)).stdout
