"""Drafts: from the schema alone, and what is left to do is told."""

import re
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privet.errors import InvalidParameter
from privet.query.catalog.check import State, check_catalog
from privet.query.catalog.text_files import PACKED
from privet.query.catalog.toml_file import catalog_from
from privet.query.connect import connect
from privet.query.drafting.draft import draft_catalog


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "hospital.duckdb"
    with duckdb.connect(str(path)) as base:
        base.execute("CREATE TABLE patient (pid BIGINT PRIMARY KEY, age INTEGER NOT NULL, sex ENUM('F', 'M'))")
        base.execute('CREATE TABLE "vis it" ("p""id" BIGINT, cost DECIMAL(9,2), day DATE, raw BLOB, here BOOLEAN)')
        base.execute("INSERT INTO patient VALUES (4711, 99, 'F')")
    return path


def test_a_database(database: Path) -> None:
    text = draft_catalog(database, folder=database.parent)
    assert 'source = "duckdb:///hospital.duckdb"' in text
    assert 'columns.age = { type = "integer" }  # TODO: age: bounds = [lowest, highest]' in text
    assert 'unique = ["pid"]' in text
    assert '[tables."vis it"]' in text
    assert 'columns.cost = { type = "real", nullable = true }  # TODO: cost: bounds' in text
    assert "# columns.raw is BLOB, which Privet does not read" in text
    assert "4711" not in text
    assert "99" not in text
    assert draft_catalog(f"duckdb:///{database}", folder=database.parent) == text


def test_foreign_keys_are_told(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "s.duckdb")) as base:
        base.execute("CREATE TABLE orders (id BIGINT PRIMARY KEY, customer BIGINT)")
        base.execute("CREATE TABLE items (order_id BIGINT REFERENCES orders (id))")
    text = draft_catalog(tmp_path / "s.duckdb")
    assert '# unit_path = "order_id -> orders.id -> …"  # if orders says who it is about' in text


def test_a_draft_becomes_a_catalog_when_every_todo_is_answered(database: Path) -> None:
    text = draft_catalog(database, folder=database.parent)
    for todo, answer in {
        '# TODO: unit = "person"': 'unit = "patient"',
        "# TODO: limit": "limit",
        '# TODO: unit_column = "pid"': 'unit_column = "pid"',
        '# TODO: unit_column = "p\\"id"': 'unit_column = "p\\"id"',
        '"integer" }  # TODO: age: bounds = [lowest, highest]': '"integer", bounds = [0, 9] }',
    }.items():
        assert todo in text
        text = text.replace(todo, answer)
    catalog = catalog_from(text)
    assert catalog.tables["patient"].columns["age"].bounded
    assert catalog.tables["vis it"].unit_column == 'p"id'
    assert not catalog.tables["patient"].columns["age"].nullable


def test_the_check_lists_what_a_draft_leaves_open(database: Path) -> None:
    file = database.with_suffix(".toml")
    file.write_text(draft_catalog(database, folder=database.parent))
    check = check_catalog(file)
    assert not check.usable
    assert check.findings[0].state is State.WRONG
    assert check.findings[0].place == "unit is missing"
    todos = [each.sentence for each in check.findings if each.state is State.TODO]
    assert any(each.startswith("unit = ") for each in todos)
    assert sum(each.startswith("unit_column = ") for each in todos) == 2
    assert (
        sum(each.endswith(": bounds = [lowest, highest]") for each in todos) == 4
    )  # of age, p"id, cost and day; keys need none
    assert not any("privet catalog check" in each for each in todos)


def test_files_and_folders(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    pq.write_table(pa.table({"id": [77123], "x": [1.5], "tags": [["a"]]}), data / "visits.parquet")
    (data / "people.csv").write_text('id,"full, name",größe\n77123,Ada,181\n', encoding="utf-8")
    (data / "notes.txt").write_text("nothing")
    text = draft_catalog(data, folder=tmp_path)
    assert 'parquet = "data/visits.parquet"' in text
    assert 'columns.x = { type = "real", nullable = true }' in text
    assert "# columns.tags is list<" in text
    assert 'columns."full, name" = { type = "text" }  # TODO: full, name: its type' in text
    assert 'columns."größe"' in text
    assert "77123" not in text
    assert "Ada" not in text
    one = draft_catalog(data / "visits.parquet", folder=tmp_path)
    assert "[tables.visits]" in one
    assert "people" not in one


def test_what_cannot_be_drafted(tmp_path: Path) -> None:
    def said(name: str, content: bytes | None = None) -> str:
        if content is not None:
            (tmp_path / name).write_bytes(content)
        with pytest.raises(InvalidParameter) as refused:
            draft_catalog(tmp_path / name)
        assert "\n" not in str(refused.value)
        return str(refused.value)

    assert "there is no" in said("none.duckdb")
    assert "cannot be opened as a DuckDB database" in said("a.duckdb", b"not a database at all" * 1000)
    assert "is not a Parquet file" in said("a.parquet", b"PAR1")
    assert "must name every column once" in said("a.csv", b"")
    assert "it should name the columns, in UTF-8" in said("b.csv", b"\xff\xfe\x00")
    assert "cannot be read" in said("c.csv.gz", b"x")
    duckdb.connect(str(tmp_path / "empty.duckdb")).close()
    assert "holds no tables" in said("empty.duckdb")
    (tmp_path / "folder").mkdir()
    assert "holds no .parquet or .csv file" in said("folder")


def test_ids_that_would_be_rounded_are_drafted_exactly(tmp_path: Path) -> None:
    """What the draft says of a unit is accepted when the catalog is opened, and no two ids become one."""
    ids = [2**63 + 2 * n for n in range(40)]
    table = pa.table({"a": pa.array(ids, pa.uint64()), "b": pa.array(ids, pa.decimal128(20, 0)), "x": [1] * 40})
    pq.write_table(table, tmp_path / "t.parquet")
    draft = draft_catalog(tmp_path / "t.parquet", folder=tmp_path)
    for column in "ab":
        line = next(each for each in draft.splitlines() if each.startswith(f"columns.{column} "))
        words = line.partition("as unit_column: ")[2]
        file = tmp_path / f"{column}.toml"
        file.write_text(
            f'unit = "person"\nlimit = {{ epsilon = "50" }}\n[tables.t]\nparquet = "t.parquet"\n'
            f'unit_column = "{column}"\ncolumns.{column} = {{ {words} }}\ncolumns.x = {{ type = "integer" }}\n'
        )
        with connect(file, threads=1) as session:
            assert session.sql("SELECT COUNT(*) AS n FROM t", epsilon=40).rows == [{"n": 40, "n_low": 40, "n_high": 40}]


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ("age,sex,educ,paid,covid", 'unit_column = "…"  # who a row is about: no name tells'),
        ("age,person_id,sex", 'unit_column = "person_id"  # who a row is about;'),
        ("VisitID,PatientNr", 'unit_column = "PatientNr"  # who a row is about (or is it VisitID?);'),
    ],
)
def test_a_unit_is_proposed_by_its_name_alone(tmp_path: Path, columns: str, said: str) -> None:
    (tmp_path / "t.csv").write_text(f"{columns}\n")
    assert f"# TODO: {said}" in draft_catalog(tmp_path / "t.csv")


def test_a_file_that_begins_with_a_row_is_refused_without_it(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("39, State-gov, 77516\n")
    with pytest.raises(InvalidParameter, match="put a line with their names before it") as refused:
        draft_catalog(tmp_path / "t.csv")
    assert "State" not in str(refused.value)
    (tmp_path / "u.csv").write_text("country,2019,2020\n")
    assert "columns.2019" in draft_catalog(tmp_path / "u.csv")


SEEN = {
    "whole": ["1", "-7", "", "+3"],
    "real": ["1", "2.5", "1e3", ""],
    "code": ["00501", "12345", "", ""],
    "day": ["2024-02-29", "", "", ""],
    "at": ["2024-02-29 12:00:00", "2024-01-01", "", ""],
    "yes": ["true", "false", "", ""],
    "town": [" Bern", "Genf", "", ""],
    "none": ["", "", "", ""],
    "mixed": ["1", "x4711", "", ""],
}


@pytest.mark.parametrize("ending", ["", ".gz", ".zst"])
def test_an_owner_may_look_and_is_told_to_judge(tmp_path: Path, ending: str) -> None:
    lines = [",".join(SEEN), *map(",".join, zip(*SEEN.values(), strict=True)), ""]
    content = "\n".join(lines).encode()
    file = tmp_path / f"t.csv{ending}"
    file.write_bytes(pa.compress(content, codec=PACKED[ending], asbytes=True) if ending else content)
    blind, seen = (draft_catalog(file, folder=tmp_path, look=look) for look in (False, True))
    assert 'type = "integer"' not in blind
    assert "no row was read" in blind
    assert "no row was read" not in seen
    assert "were read from private rows" in seen
    kinds = dict(re.findall(r'^columns\.(\w+) = \{ type = "(\w+)" \}  # as seen', seen, re.MULTILINE))
    expected = ("integer", "real", "text", "date", "timestamp", "boolean", "text", "text")
    assert kinds == dict(zip([*[*SEEN][:7], "mixed"], expected, strict=True))
    assert "with spaces around values" in next(line for line in seen.splitlines() if "town" in line)
    assert seen.count("with spaces") == 1
    assert "columns.none = " in seen
    assert not any(value in seen for value in ("4711", "Bern", "501"))
    assert 'name = "t"' in seen


def test_a_broken_archive_is_not_looked_into(tmp_path: Path) -> None:
    whole = pa.compress(b"id,x\n" + b"1,1\n" * 9999, codec="gzip", asbytes=True)
    (tmp_path / "t.csv.gz").write_bytes(whole[:-8] + b"sums" + whole[-4:])
    with pytest.raises(InvalidParameter, match="archive"):
        draft_catalog(tmp_path / "t.csv.gz", look=True)


def test_the_rows_of_a_csv_file_do_not_matter(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"id,x\n1,\xff\n\x00")
    assert "columns.x = " in draft_catalog(tmp_path / "t.csv")
