"""`privet ask`, as an analyst types it."""

import csv
import io
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from privet.cli import app
from privet.cli.statements import statements_in
from privet.core import Ledger
from privet.demo.hospital import open_hospital
from privet.query.backends.sql_engine import SqlEngine
from privet.query.results.answer_facts import plain_value

pytestmark = pytest.mark.whole

COUNT = "SELECT sex, COUNT(*) AS n FROM patient GROUP BY sex"


@pytest.fixture
def hospital(tmp_path: Path) -> Path:
    return open_hospital(tmp_path / "h", patients=200, epsilon=Fraction(10)).catalog


def privet(catalog: Path, *words: str, typed: str | None = None) -> Any:  # noqa: ANN401 - what the runner gives
    return CliRunner().invoke(app, ["ask", str(catalog), *words], input=typed, catch_exceptions=False)


def spent(catalog: Path) -> Fraction | float:
    with Ledger.open(str(catalog.parent / "hospital.ledger.db")) as ledger:
        return ledger.spent.parts[0]


def test_a_table_with_margins_and_a_receipt(hospital: Path) -> None:
    done = privet(hospital, COUNT, "--epsilon", "2")
    assert done.exit_code == 0, done.output
    assert "±" in done.stdout
    assert "spent ε=2, δ=0 per patient" in done.stdout
    assert spent(hospital) == 2


def test_parameters_have_values(hospital: Path) -> None:
    text = "SELECT COUNT(*) AS n FROM patient WHERE age > :age AND sex = :sex"
    done = privet(hospital, text, "--epsilon", "2", "--param", "age=40", "--param", "sex=F")
    assert done.exit_code == 0, done.output
    assert "[age = 40, sex = 'F']" in " ".join(done.stdout.split())
    for wrong in ("age", "age=40", "=3"):
        assert privet(hospital, text, "--epsilon", "2", "--param", "age=1", "--param", wrong).exit_code == 1
    assert spent(hospital) == 2


def test_explaining_is_free(hospital: Path) -> None:
    done = privet(hospital, COUNT, "--epsilon", "2", "--explain")
    assert done.exit_code == 0, done.output
    assert "costs ε 2" in done.stdout
    assert spent(hospital) == 0


def test_bounds_can_be_found_for_a_share(hospital: Path) -> None:
    text = "SELECT AVG(1 / cost) AS a FROM visit"
    assert '--automatic-bounds "auto"' in privet(hospital, text, "--epsilon", "2").stderr
    assert spent(hospital) == 0
    done = privet(hospital, text, "--epsilon", "2", "--automatic-bounds", "auto", "--format", "json")
    assert done.exit_code == 0, done.output
    low, high = json.loads(done.stdout)["bounds"]["a"]
    assert low < high
    assert spent(hospital) == 2


def test_csv_and_json(hospital: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(privet(hospital, COUNT, "--epsilon", "1", "--format", "csv").stdout)))
    assert [row["sex"] for row in rows] == ["F", "M"]
    assert set(rows[0]) == {"sex", "n", "n_low", "n_high"}
    told = json.loads(privet(hospital, COUNT, "--epsilon", "1", "--format", "json").stdout)
    assert [row["sex"] for row in told["rows"]] == ["F", "M"]
    assert told["spent"] == {"epsilon": "1", "delta": "0"}
    assert (told["unit"], told["neighbors"], told["confidence"]) == ("patient", "add_remove", 0.95)


def test_files_by_their_ending(hospital: Path, tmp_path: Path) -> None:
    for ending in ("parquet", "csv", "json", "txt"):
        file = tmp_path / f"answer.{ending}"
        done = privet(hospital, COUNT, "--epsilon", "1", "--output", str(file))
        assert done.exit_code == 0, done.output
        assert done.stdout == ""
        assert f"2 rows in {file}; spent ε=1" in done.stderr
    assert pq.read_table(tmp_path / "answer.parquet").column_names == ["sex", "n", "n_low", "n_high"]
    assert "sex" in (tmp_path / "answer.csv").read_text()
    assert json.loads((tmp_path / "answer.json").read_text())["unit"] == "patient"
    assert "±" in (tmp_path / "answer.txt").read_text()


def test_a_statement_from_the_standard_input_with_a_key(hospital: Path) -> None:
    words = ("-", "--epsilon", "1", "--key", "once", "--format", "csv")
    first, again = (privet(hospital, *words, typed=COUNT) for _ in range(2))
    assert first.exit_code == 0, first.output
    assert first.stdout == again.stdout
    assert spent(hospital) == 1


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (["SELECT * FROM patient", "--epsilon", "1"], 1, "rows"),
        (["SELECT COUNT(*) FROM patients", "--epsilon", "1"], 1, "patient"),
        ([COUNT], 1, "say what to spend: --epsilon"),
        (["SELECT COUNT(*) FROM patient WHERE age > :old", "--epsilon", "1"], 1, "pass --param name=value"),
        ([COUNT, "--error", "5", "--risk", "50% to 60%"], 1, "leave out --risk, or --error"),
        ([COUNT, "--epsilon", "0"], 1, "must be > 0"),
        ([COUNT, "--epsilon", "much"], 1, "--epsilon must be a finite number such as 0.1 or 1/3, got 'much'"),
        ([COUNT, "--epsilon", "1", "--threads", "0"], 1, "--threads must be"),
        ([COUNT, "--epsilon", "1", "--details"], 1, "say --explain too"),
        (["-", "--epsilon", "1"], 1, "there is no statement"),
        ([COUNT, "--epsilon", "1", "--rho", "1"], 1, "rho"),
        ([COUNT, "--epsilon", "1", "--confidence", "2"], 1, "confidence"),
        ([COUNT, "--epsilon", "1", "--rows-per-unit", "0"], 1, "--rows-per-unit must be"),
        ([COUNT, "--epsilon", "1", "--format", "parquet"], 1, "name a file with --output"),
        ([COUNT, "--epsilon", "1", "--output", "/no/such/folder/x.csv"], 1, "name another file"),
        ([COUNT, "--epsilon", "1", "--format", "excel"], 2, "excel"),
        ([COUNT, "--epsilom", "1"], 2, "epsilom"),
        ([], 2, "statement"),
        ([COUNT, "--epsilon", "11"], 3, "11"),
    ],
)
def test_each_way_to_fail_has_its_status_and_costs_nothing(
    hospital: Path, words: list[str], status: int, says: str
) -> None:
    done = privet(hospital, *words)
    assert done.exit_code == status, done.output
    assert says in done.stderr
    assert done.stdout == ""
    told = [line for line in done.stderr.splitlines() if "so a new one was made" not in line]
    assert len(told) == 1
    assert told[0].startswith("privet: ")
    if (hospital.parent / "hospital.ledger.db").exists():
        assert spent(hospital) == 0


def test_an_existing_file_is_not_overwritten(hospital: Path, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("mine")
    done = privet(hospital, COUNT, "--epsilon", "1", "--output", str(tmp_path / "x.csv"))
    assert (done.exit_code, (tmp_path / "x.csv").read_text()) == (1, "mine")


def test_a_missing_catalog_and_a_broken_ledger(hospital: Path, tmp_path: Path) -> None:
    done = privet(tmp_path / "none.toml", COUNT, "--epsilon", "1")
    assert (done.exit_code, "there is no file" in done.stderr) == (1, True)
    (hospital.parent / "hospital.ledger.db").write_bytes(b"not a ledger at all" * 100)
    done = privet(hospital, COUNT, "--epsilon", "1")
    assert done.exit_code == 5, done.stderr
    assert done.stderr.count("\n") == 1


def test_what_others_wrote_cannot_move_the_cursor(tmp_path: Path) -> None:
    odd = ["[bold]bold[/]", "\x1b[31mred", "[/]", "a\nb"]
    pq.write_table(pa.table({"id": range(400), "city": odd * 100}), tmp_path / "t.parquet")
    table = '[tables.t]\nparquet = "t.parquet"\nunit_column = "id"\ncolumns.city = { type = "text" }\n'
    (tmp_path / "t.toml").write_text('unit = "person"\nlimit = { epsilon = 99, delta = 0.1 }\n' + table)
    statement = """SELECT city, COUNT(*) AS "[/] n" FROM t GROUP BY city HAVING COUNT(*) > 0 AND city <> '[/]x'"""
    for more in ([], ["--explain"]):
        done = privet(tmp_path / "t.toml", statement, "--epsilon", "9", "--delta", "1e-6", *more)
        assert done.exit_code == 0, done.output
        assert "\x1b" not in done.stdout
        assert "[/] n" in done.stdout
    done = privet(tmp_path / "t.toml", statement, "--epsilon", "9", "--delta", "1e-6")
    assert all(shown in done.stdout for shown in ("[bold]bold[/]", r"\x1b[31mred", r"a\nb"))


def test_a_paid_answer_that_cannot_be_written_is_shown(
    hospital: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    done = privet(hospital, COUNT, "--epsilon", "1", "--output", str(tmp_path / "x.csv"))
    assert done.exit_code == 1
    assert "No space left on device" in done.stderr
    assert [row["sex"] for row in json.loads(done.stdout)["rows"]] == ["F", "M"]


def test_dates_and_what_is_no_number_in_json(tmp_path: Path) -> None:
    days = pa.array([19_000 + n % 3 for n in range(300)], pa.int32()).cast(pa.date32())
    pq.write_table(pa.table({"id": range(300), "day": days}), tmp_path / "t.parquet")
    table = '[tables.t]\nparquet = "t.parquet"\nunit_column = "id"\ncolumns.day = { type = "date" }\n'
    (tmp_path / "t.toml").write_text('unit = "person"\nlimit = { epsilon = 99, delta = 0.1 }\n' + table)
    statement = "SELECT day, COUNT(*) AS n FROM t GROUP BY day ORDER BY day"
    done = privet(tmp_path / "t.toml", statement, "--epsilon", "9", "--delta", "1e-6", "--format", "json")
    assert [row["day"] for row in json.loads(done.stdout)["rows"]] == ["2022-01-08", "2022-01-09", "2022-01-10"]
    assert (plain_value(float("nan")), plain_value(float("-inf")), plain_value(1.5)) == (None, None, 1.5)


# --- several at once --------------------------------------------------------------------------------------------------


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    file = tmp_path / "questions.sql"
    file.write_text(f"-- how many; and how old\n{COUNT};\nSELECT AVG(age) AS years FROM patient;\n", encoding="utf-8")
    return file


def test_a_file_of_statements_is_paid_for_at_once(hospital: Path, questions: Path) -> None:
    done = privet(hospital, "--file", str(questions), "--epsilon", "2")
    assert done.exit_code == 0, done.output
    assert "spent ε=2, δ=0 per patient together" in done.stdout
    assert "years" in done.stdout
    assert spent(hospital) == 2


def test_a_file_is_explained_and_printed_as_json(hospital: Path, questions: Path) -> None:
    done = privet(hospital, "--file", str(questions), "--epsilon", "2", "--explain")
    assert "all of this costs ε 2 per patient of the ε 10 left; afterwards ε 8 is left" in done.stdout
    assert "in 2 scans" in done.stdout
    assert spent(hospital) == 0
    words = ("--file", str(questions), "--epsilon", "2", "--format", "json", "--key", "k")
    done, again = privet(hospital, *words), privet(hospital, *words)
    told = json.loads(done.stdout)
    assert [len(each["rows"]) for each in told["answers"]] == [2, 1]
    assert told["spent"] == {"epsilon": "2", "delta": "0"}
    assert again.stdout == done.stdout
    assert spent(hospital) == 2


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ((), "say what to ask"),
        ((COUNT, "--file", "questions.sql"), "say what to ask"),
        (("--file", "nowhere.sql"), "cannot be read"),
        (("--file", "empty.sql"), "holds no statement"),
        (("--file", "rows.sql"), "statement 2 of the batch"),
        (("--file", "questions.sql", "--format", "csv"), "several tables"),
    ],
)
def test_files_that_cannot_be_asked(
    hospital: Path, questions: Path, words: tuple[str, ...], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(questions.parent)
    Path("empty.sql").write_text("-- nothing; at all\n", encoding="utf-8")
    Path("rows.sql").write_text(COUNT + "; SELECT * FROM patient", encoding="utf-8")  # noqa: S608 - refused
    done = privet(hospital, *words, "--epsilon", "1")
    assert done.exit_code == (2 if reason == "say what to ask" else 1)
    assert reason in done.stderr
    assert spent(hospital) == 0 if (hospital.parent / "hospital.ledger.db").exists() else True


def test_control_c_says_that_it_is_paid_for(hospital: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(SqlEngine, "sums", stop)
    done = privet(hospital, COUNT, "--epsilon", "1")
    assert done.exit_code == 4
    assert "cancelled" in done.stderr
    assert "stays charged" in done.stderr
    assert spent(hospital) == 1


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("SELECT 1", ["SELECT 1"]),
        ("SELECT 1;;\n; SELECT 2 ;", ["SELECT 1", "SELECT 2"]),
        ("SELECT ';' AS a; SELECT \"a;b\" -- c; d\nFROM t", ["SELECT ';' AS a", 'SELECT "a;b"  \nFROM t']),
        ("SELECT 'it''s; so'; /* ; */ SELECT 2 - 1 / 3", ["SELECT 'it''s; so'", "SELECT 2 - 1 / 3"]),
        ("SELECT 'never ends; SELECT 2", ["SELECT 'never ends", "SELECT 2"]),
    ],
)
def test_statements_of_a_file(text: str, found: list[str]) -> None:
    assert statements_in(text) == found
