"""`privet train`, as an analyst types it."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

from privet.cli import app
from privet.cli.train_rows import TrainRows
from privet.core import Ledger
from privet.query.backends.sql_engine import SqlEngine
from privet.query.connect import connect

pytestmark = pytest.mark.whole

PEOPLE = 3_000
CATALOG = """
unit = "person"
limit = { epsilon = "30", delta = "1e-4" }
[tables.people]
csv = "people.csv"
unit_column = "id"
rows_per_unit = 2
expected = { rows = 3000 }
columns.id = { type = "integer" }
columns.age = { type = "integer", bounds = [0, 100] }
columns.pay = { type = "real", bounds = [0, 10] }
columns.sex = { type = "text", values = ["F", "M"], other = "else" }
columns.note = { type = "text" }
columns.buys = { type = "text", values = ["no", "yes"] }
"""
BROKEN = ['7,"x",', "8,50,5,F,hello,yes,too,many", "9,nan,inf,F,,maybe", ",1e999,-0,Q,\x00,yes", *["9,1,1,M,,no"] * 40]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    random = np.random.default_rng(23)
    ages, pays = random.uniform(0, 100, PEOPLE), random.uniform(0, 10, PEOPLE)
    buys = np.where(ages + 10 * pays + random.normal(0, 5, PEOPLE) > 100, "yes", "no")
    rows = [
        f"{n // 2},{a:.0f},{p:.2f},{'FM'[n % 2]},hi,{b}"
        for n, (a, p, b) in enumerate(zip(ages, pays, buys, strict=True))
    ]
    lines = ["id,age,pay,sex,note,buys", *rows, *BROKEN]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "people.toml").write_text(CATALOG, encoding="utf-8")
    return tmp_path


def train(data: Path, *words: str) -> Any:  # noqa: ANN401 - what the runner gives
    return CliRunner().invoke(app, ["train", str(data), *words], catch_exceptions=False)


def spent(folder: Path) -> Fraction | float:
    with Ledger.open(str(folder / "people.ledger.db")) as ledger:
        return ledger.spent.parts[0]


def test_a_model_is_chosen_paid_scored_and_saved(folder: Path) -> None:
    saved = folder / "model.joblib"
    words = ["--target", "buys", "--epsilon", "8", "--delta", "1e-6", "--output", str(saved), "--format", "json"]
    done = train(folder / "people.toml", *words)
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert (told["model"], told["left_out"]) == ("LogisticRegression", ["note"])
    assert told["parts"] == {"fit": "7.2", "score": "0.8"}
    assert told["expected"]["score"] > 0.6
    assert 0.8 < told["score"]["low"] < told["score"]["value"] < told["score"]["high"] <= 1
    assert 7.9 < spent(folder) <= 8
    model = joblib.load(saved)
    frame = pa.table({"age": [90, 10], "pay": [9.0, 1.0], "sex": ["F", "?"]})
    assert model.predict(frame).tolist() == ["yes", "no"]
    assert "for every person" in repr(model[-1].privacy_)
    assert train(folder / "people.toml", *words).exit_code == 1  # the file is there already
    assert spent(folder) <= 8


def test_explaining_is_free_and_reads_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(SqlEngine, "owned_rows")
    done = train(folder / "people.toml", "--target", "pay", "--epsilon", "1", "--delta", "1e-6", "--explain")
    assert done.exit_code == 0, done.output
    assert "GradientBoostingRegressor" in done.stdout
    assert "nothing was spent" in done.stdout
    assert spent(folder) == 0


def test_rows_are_read_after_the_charge_and_units_stay_together(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Fraction | float] = []
    real = SqlEngine.owned_rows

    def watched(self: SqlEngine, relation: Any) -> pa.Table:  # noqa: ANN401 - a relation
        seen.append(spent(folder))
        return real(self, relation)

    monkeypatch.setattr(SqlEngine, "owned_rows", watched)
    done = train(folder / "people.toml", "--target", "buys", "--epsilon", "2", "--model", "GaussianNB")
    assert done.exit_code == 0, done.output
    assert seen == [Fraction("1.8")]
    with connect(folder / "people.toml") as session:
        rows = TrainRows(session.rows("SELECT age, sex, buys FROM people"), "buys")
        parts = [rows.part(held_out=held_out) for held_out in (False, True)]
        owners = [set(part.groups.owners().tolist()) for part in parts if part.groups is not None]
        tables = [part.features.read() for part in parts]
    assert not owners[0] & owners[1] - {-1}
    assert 0.1 < len(tables[1]) / len(tables[0]) < 0.4
    assert set(np.unique(tables[0][:, 1:])) == {0.0, 1.0}


def test_a_file_is_declared_by_options(folder: Path) -> None:
    said = ["--bounds", "age=0:100", "--bounds", "pay=0:10", "--values", "buys=no,yes"]
    done = train(folder / "people.csv", "--target", "buys", "--epsilon", "3", *said, "--model", "GaussianNB")
    assert done.exit_code == 0, done.output
    assert "ε=2.64 for the fit, ε=0.3 for the score, ε=0.06 for the count" in done.stdout
    assert "no ledger was named" in done.stdout
    public = ["--public", str(folder / "people.csv"), "--rows", "3000", "--explain"]
    (folder / "people.csv").write_text((folder / "people.csv").read_text().split('\n7,"x"')[0], encoding="utf-8")
    told = train(folder / "people.csv", "--target", "buys", "--epsilon", "3", *said, *public).stdout
    assert "on the public rows of people.csv" in told
    for rows, says in (("age,pay\n1,2\n", "need a column 'buys'"), ("age,pay,buys\n1,2,no\n", "at least 20")):
        (folder / "few.csv").write_text(rows, encoding="utf-8")
        words = ("--target", "buys", "--epsilon", "3", "--rows", "9", "--public", str(folder / "few.csv"))
        assert says in train(folder / "people.csv", *words, *said).stderr


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (["--target", "byes", "--epsilon", "1"], 1, "did you mean buys?"),
        (["--target", "note", "--epsilon", "1"], 1, "must have bounds"),
        (["--target", "buys", "--epsilon", "0"], 1, "--epsilon must be > 0"),
        (["--target", "buys", "--epsilon", "31"], 3, "nothing was spent"),
        (["--target", "buys", "--epsilon", "1", "--model", "LinearRegression"], 1, "there is no model"),
        (["--target", "buys", "--epsilon", "1", "--bounds", "age=0:1"], 1, "--bounds is for files"),
        (["--target", "buys", "--epsilon", "1", "--table", "persons"], 1, "there is no private table"),
        (["--target", "buys", "--epsilon", "1", "--public", "none.csv"], 1, "cannot be read"),
        (["--epsilon", "1"], 2, "missing option '--target'"),
    ],
)
def test_refusals_are_one_sentence_and_free(folder: Path, words: list[str], status: int, says: str) -> None:
    done = train(folder / "people.toml", *words)
    assert done.exit_code == status, done.output
    assert says in done.stderr
    told = [line for line in done.stderr.splitlines() if "there was no ledger" not in line]
    assert len(told) == 1
    if (folder / "people.ledger.db").exists():
        assert spent(folder) == 0


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "say what is public about the columns"),
        (["--bounds", "age=0"], "--bounds takes name=low:high"),
        (["--bounds", "age=9:1"], "a lower end and a higher one"),
        (["--values", "buys"], "--values takes name=one,two"),
        (["--values", "buys=no,yes", "--rows-per-unit", "2"], "needs --unit-column"),
    ],
)
def test_a_file_that_is_not_declared(folder: Path, words: list[str], says: str) -> None:
    done = train(folder / "people.csv", "--target", "buys", "--epsilon", "1", *words)
    assert (done.exit_code, says in done.stderr) == (1, True), done.output
