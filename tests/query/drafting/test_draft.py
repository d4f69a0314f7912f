"""Drafts: from the schema alone, and what is left to do is told."""

from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privet.errors import InvalidParameter
from privet.query.catalog.check import State, check_catalog
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
    assert 'columns.age = { type = "integer" }  # TODO: bounds = [lowest, highest]' in text
    assert 'unique = ["pid"]' in text
    assert '[tables."vis it"]' in text
    assert 'columns.cost = { type = "real", nullable = true }  # TODO: bounds' in text
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
        'age = { type = "integer" }  # TODO: bounds = [lowest, highest]': 'age = { type = "integer", bounds = [0, 9] }',
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
        sum(each == "bounds = [lowest, highest]" for each in todos) == 4
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
    assert 'columns."full, name" = { type = "text" }  # TODO: type' in text
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


def test_the_rows_of_a_csv_file_do_not_matter(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"id,x\n1,\xff\n\x00")
    assert "columns.x = " in draft_catalog(tmp_path / "t.csv")
