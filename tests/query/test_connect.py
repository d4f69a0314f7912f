"""From a catalog to a session, as somebody new does it: with the right things, and with every wrong one."""

import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import privet
from privet import BudgetExceeded, Catalog, Guarantee, PrivetError
from privet.demo.hospital import open_hospital
from privet.errors import InvalidParameter
from privet.query.session import Session

pytestmark = pytest.mark.whole

PEOPLE = {"id": [*range(400)], "age": [20 + n % 60 for n in range(400)], "city": ["Bern", "Genf"] * 200}
COLUMNS: dict[str, dict[str, Any]] = {"age": {"bounds": [0, 110]}, "city": {"values": ["Basel", "Bern", "Genf"]}}


@pytest.fixture
def hospital(tmp_path: Path) -> Path:
    return open_hospital(tmp_path / "h", patients=300, epsilon=Fraction(100)).catalog


@pytest.fixture
def session(hospital: Path) -> Iterator[Session]:
    with privet.connect(hospital) as opened:
        yield opened


def edit(file: Path, old: str, new: str) -> Path:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")
    return file


def test_a_question_from_file_to_answer(session: Session, hospital: Path) -> None:
    answer = session.sql("SELECT COUNT(*) AS n FROM patient", epsilon=50)
    row = answer.rows[0]
    assert row["n_low"] <= row["n"] <= row["n_high"]
    assert abs(row["n"] - 300) < 10
    assert session.ledger.spent.parts[0] == 50
    assert (hospital.parent / "hospital.ledger.db").exists()
    assert session.ledger.dataset == "hospital"


@pytest.mark.parametrize("frame", [pd.DataFrame(PEOPLE), pl.DataFrame(PEOPLE), pa.table(PEOPLE)])
def test_frames_in_memory(frame: object) -> None:
    catalog = Catalog.of(frame, table="people", unit="person", unit_column="id", limit=Guarantee(100), columns=COLUMNS)
    with privet.connect(catalog) as session:
        rows = session.sql("SELECT city, COUNT(*) AS n FROM people GROUP BY city ORDER BY city", epsilon=50).rows
        assert [row["city"] for row in rows] == ["Basel", "Bern", "Genf"]
        assert abs(rows[1]["n"] - 200) < 10


def test_the_frame_door_gives_the_same_statement(session: Session) -> None:
    summary = session.table("patient").where("age > 40").group_by("sex").agg(n="COUNT(*)").order_by("sex")
    rows = summary.answer(epsilon=40).rows
    assert [row["sex"] for row in rows] == ["F", "M"]
    assert repr(summary.explain(epsilon=1)) == repr(session.explain(summary.sql, epsilon=1))


def test_a_database_file(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "d.duckdb")) as base:
        base.execute('CREATE TABLE "Größe" (id BIGINT, "höhe (cm)" DOUBLE)')
        base.execute('INSERT INTO "Größe" SELECT i, 150 + i % 50 FROM range(300) t(i)')
    text = """
source = "duckdb:///d.duckdb"
unit = "person"
limit = { epsilon = 100 }
[tables."Größe"]
unit_column = "id"
columns."höhe (cm)" = { type = "real", bounds = [100, 250] }
"""
    (tmp_path / "d.toml").write_text(text, encoding="utf-8")
    with privet.connect(tmp_path / "d.toml") as session:
        row = session.sql('SELECT AVG("höhe (cm)") AS "Mittel" FROM größe', epsilon=50).rows[0]
    assert 170 < row["Mittel"] < 180


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('parquet = "visit.parquet"', 'parquet = "none.parquet"', "none.parquet"),
        ('columns.town = { type = "text" }', 'columns.twon = { type = "text" }', "did you mean town?"),
        ('columns.town = { type = "text" }', 'columns.town = { type = "integer" }', "the data has VARCHAR"),
        ('unit_column = "pid"\nunique', 'unit_column = "id"\nunique', "the data has no column id"),
        ('name = "hospital"', 'name = "hospital"\nsource = "mysql://x"', 'source: must be "duckdb:///file"'),
        ('name = "hospital"', 'name = "hospital"\nsource = "duckdb:///none.db"', "there is no such file"),
        ('name = "hospital"', 'name = "hospital"\nledger = "no/such/folder/l.db"', "l.db"),
    ],
)
def test_what_does_not_fit_is_told_at_once(hospital: Path, old: str, new: str, says: str) -> None:
    with pytest.raises(PrivetError) as refused:
        privet.connect(edit(hospital, old, new))
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)
    assert not (hospital.parent / "hospital.ledger.db").exists()  # nothing was made


def test_a_changed_limit_names_the_file(hospital: Path) -> None:
    privet.connect(hospital).close()
    with pytest.raises(InvalidParameter, match=r"hospital\.toml: the catalog gives the dataset the limit"):
        privet.connect(edit(hospital, 'epsilon = "100"', 'epsilon = "200"'))


@pytest.mark.parametrize(
    ("text", "spending", "says"),
    [
        ("SELECT COUNT(*) FROM patiant", {"epsilon": 1}, "patient"),
        ("SELECT AVG(agge) FROM patient", {"epsilon": 1}, "agge"),
        ("SELECT COUNT(*) FROM patient", {"epsilon": 0}, "epsilon must be > 0"),
        ("SELECT COUNT(*) FROM patient", {"epsilon": float("nan")}, "epsilon"),
        ("SELECT COUNT(*) FROM patient", {"epsilon": -1}, "epsilon"),
        ("SELECT COUNT(*) FROM patient", {}, "say what to spend"),
        ("SELECT town, COUNT(*) FROM patient GROUP BY town", {"epsilon": 1}, "delta"),
        ("SELECT * FROM patient", {"epsilon": 1}, "rows"),
        ("SELECT name FROM patient", {"epsilon": 1}, "name"),
        ("", {"epsilon": 1}, "statement"),
        ("DROP TABLE patient", {"epsilon": 1}, "only a SELECT"),
    ],
)
def test_refusals_cost_nothing(session: Session, text: str, spending: dict[str, float], says: str) -> None:
    with pytest.raises(PrivetError) as refused:
        session.sql(text, **spending)  # type: ignore[arg-type] # that is the point
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)
    assert session.ledger.spent.parts[0] == 0


def test_a_spent_budget_stops(session: Session) -> None:
    session.sql("SELECT COUNT(*) FROM patient", epsilon=99)
    with pytest.raises(BudgetExceeded, match="1"):
        session.sql("SELECT COUNT(*) FROM patient", epsilon=2)
    session.sql("SELECT COUNT(*) FROM patient", epsilon=1)


def written(folder: Path, table: pa.Table, columns: str, *, unit: str = 'unit_column = "id"') -> Path:
    pq.write_table(table, folder / "t.parquet")
    text = f'unit = "person"\nlimit = {{ epsilon = 1000 }}\n[tables.t]\nparquet = "t.parquet"\n{unit}\n{columns}\n'
    (folder / "t.toml").write_text(text, encoding="utf-8")
    return folder / "t.toml"


@pytest.mark.parametrize(
    "values",
    [
        [],
        [None] * 50,
        [float("nan")] * 50,
        [float("inf"), float("-inf"), float("nan"), None, 1e308, -1e308] * 10,
    ],
)
def test_odd_data_is_answered_like_any_other(tmp_path: Path, values: list[float | None]) -> None:
    table = pa.table({"id": pa.array(range(len(values)), pa.int64()), "x": pa.array(values, pa.float64())})
    file = written(tmp_path, table, 'columns.x = { type = "real", bounds = [0, 10], nullable = true }')
    with privet.connect(file) as session:
        row = session.sql(
            "SELECT COUNT(*) AS n, COUNT(x) AS c, SUM(x) AS s, AVG(x) AS a, MEDIAN(x) AS m FROM t", epsilon=100
        ).rows[0]
    assert abs(row["n"] - len(values)) < 5
    finite = sum(value is not None and value == value for value in values)  # noqa: PLR0124 - NaN is not itself
    assert abs(row["c"] - finite) < 5
    assert all(row[name] is None or 0 <= row[name] <= 10 for name in ("a", "m"))


def test_five_hundred_columns(tmp_path: Path) -> None:
    table = pa.table({"id": range(20), **{f"c{n}": range(20) for n in range(500)}})
    columns = "\n".join(f'columns.c{n} = {{ type = "integer", bounds = [0, 20] }}' for n in range(500))
    with privet.connect(written(tmp_path, table, columns)) as session:
        items = ", ".join(f"SUM(c{n}) AS s{n}" for n in range(0, 500, 50))
        answer = session.sql(f"SELECT {items} FROM t", epsilon=500)  # noqa: S608 - our own
        assert len(answer.rows[0]) == 3 * 10
        assert session.table("t").names[:2] == ("c0", "c1")


def test_names_of_every_kind(tmp_path: Path) -> None:
    names = ['a"b', "ключ", "数", "a b;--", "SELECT", "x'y", "𝒳", "é", "tab\tname"]
    table = pa.table({"id": range(40), **{name: range(40) for name in names}})
    columns = "\n".join(f'columns.{_key(name)} = {{ type = "integer", bounds = [0, 40] }}' for name in names)
    with privet.connect(written(tmp_path, table, columns)) as session:
        for name in names:
            quoted = name.replace('"', '""')
            row = session.sql(f'SELECT MAX("{quoted}") AS "{quoted}" FROM t', epsilon=50).rows[0]  # noqa: S608 - our own
            assert 20 <= row[name] <= 40


def _key(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")
    return f'"{escaped}"'


def test_the_engine_is_loaded_when_it_is_needed() -> None:
    code = "import sys, privet; assert not {'duckdb', 'sqlglot', 'pyarrow'} & set(sys.modules); privet.connect"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)  # noqa: S603 - our own
    with pytest.raises(AttributeError, match="no attribute 'conect'"):
        privet.conect  # type: ignore[attr-defined] # noqa: B018 - that is the point


def test_a_window_is_explained_by_the_day(tmp_path: Path) -> None:
    days = pa.array([19_000 + n % 30 for n in range(300)], pa.int32()).cast(pa.date32())
    columns = 'columns.day = { type = "date", bounds = [2022-01-01, 2022-12-31] }'
    file = written(tmp_path, pa.table({"id": [n // 30 for n in range(300)], "day": days}), columns)
    edit(file, "limit", 'window = { column = "day", length = 7 }\nlimit')
    with privet.connect(file) as session:
        told = session.explain("SELECT COUNT(*) AS n FROM t", epsilon=1)
        assert told.unit.name == "person's 7 consecutive days"
        words = "each unit on each day counts for at most 1 row in all; more are weighted down; nobody declared a limit"
        assert told.contributions[0].startswith(words)
        assert "l1_sensitivity=7" in told.columns[0].mechanism
