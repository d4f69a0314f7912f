"""The first run: from files to a running console, by names and types alone."""

import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from privet.query.catalog.toml_file import read_catalog
from privet.server.console import FirstRun, console_router
from privet.server.desk import Desk
from privet.server.people import People
from privet.server.settings import Settings
from tests.support.console import CHEAP, COUNT, HOST, PASSWORD, Browser

SECRET = 987_654  # in the rows, and nowhere else
UNIT = {"unit": "patient", "owner-0": "pid", "groups-0": "2", "rows-0": "5"}
COLUMNS = {
    "use-0-0": "yes",
    "use-0-1": "yes",
    "low-0-1": "0",
    "high-0-1": "2,000",
    "use-0-2": "yes",
    "values-0-2": "F, M",
}
LIMIT = {"limit": "own", "epsilon": "2", "delta": "1e-5", "each": "0.1", "do": "finish"}
OWNER = {"name": "olga", "password": PASSWORD, "again": PASSWORD}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    data = tmp_path / "data"
    data.mkdir()
    rows = pa.table({"pid": [1, 2, SECRET], "cost": [1.5, 2.5, float(SECRET)], "sex": ["F", "M", "Xq7"]})
    pq.write_table(rows, data / "visit.parquet")
    (data / "plain.csv").write_text("pid,age\n1,Zz9\n")
    pq.write_table(rows, tmp_path / "outside.parquet")
    return data


@pytest.fixture
def first(folder: Path) -> Iterator[FirstRun]:
    people = People.open(None, work=CHEAP, iterations=4096)
    desks: list[Desk] = []

    def begin(catalog: Path) -> Starlette:
        desks.append(Desk.open(catalog, people=people, settings=Settings(), create=True))
        return Starlette(routes=[Mount("/console", console_router(desks[0], people, Settings()))])

    yield FirstRun(begin, people=people, settings=Settings(), folder=folder)
    for desk in desks:
        desk.close()
    people.close()


def begun(first: FirstRun) -> Browser:
    browser = Browser(first, base_url=HOST, raise_server_exceptions=False)
    done = browser.submit("/setup/you", {**OWNER, "code": first.code}, of="/setup")
    assert (done.status_code, done.headers["location"]) == (303, "/console/setup/data")
    return browser


def test_from_a_file_to_an_answer(first: FirstRun, folder: Path) -> None:
    browser = begun(first)
    pages = [browser.get("/console/setup/data").text]
    for path, form in (
        ("data", {"kind": "files", "place": "visit.parquet", "dataset": "clinic"}),
        ("unit", UNIT),
        ("columns", COLUMNS),
    ):
        done = browser.submit(f"/setup/{path}", form, of=f"/setup/{path}")
        assert done.status_code == 303, (path, done.text)
        pages.append(browser.get(done.headers["location"]).text)
    done = browser.submit("/setup/limit", LIMIT, of="/setup/limit")
    assert done.headers["location"] == "/console/connect"
    pages.append(browser.get("/console/connect").text)
    catalog = read_catalog(folder / "clinic.toml")
    facts = catalog.tables["visit"].columns
    assert (facts["cost"].low, facts["cost"].high) == (Fraction(0), Fraction(2000))
    assert facts["sex"].values == ("F", "M")
    assert (catalog.unit.name, catalog.tables["visit"].unit_column) == ("patient", "pid")
    for page in pages:
        assert all(str(each) not in page for each in (SECRET, "Xq7", folder))
    assert browser.ask(COUNT.replace("patient", "visit")).status_code == 303
    assert "spent" in browser.get("/console/owner").text


def test_nothing_is_done_without_the_code(first: FirstRun) -> None:
    browser = Browser(first, base_url=HOST)
    for code in ("", first.code[:-1], first.code + "0", "ä"):
        answer = browser.submit("/setup/you", {**OWNER, "code": code}, of="/setup")
        assert answer.status_code == 422
    for path in ("data", "unit", "columns", "limit"):
        assert browser.get(f"/console/setup/{path}", follow_redirects=False).status_code == 303
        assert browser.submit(f"/setup/{path}", {}, of="/setup").status_code == 303
    assert first.code not in browser.get("/console/setup").text


def test_foreign_hosts_are_refused(first: FirstRun) -> None:
    assert Browser(first, base_url="http://evil.example:8443").get("/console/setup").status_code == 421


@pytest.mark.parametrize(
    "place", ["../outside.parquet", "/etc", "", "..", "visit.parquet/../../outside.parquet", "nothing.parquet"]
)
def test_only_the_folder_of_the_data_is_looked_at(first: FirstRun, folder: Path, place: str) -> None:
    browser = begun(first)
    for kind in ("files", "duckdb"):
        answer = browser.submit("/setup/data", {"kind": kind, "place": place}, of="/setup/data")
        assert answer.status_code == 422
        assert str(folder.parent) not in answer.text
        assert "cost" not in re.sub(r"costs?", "", answer.text) or place == ""


def test_what_is_wrong_stands_beside_its_field(first: FirstRun) -> None:
    browser = begun(first)
    browser.submit("/setup/data", {"kind": "files", "place": "visit.parquet"}, of="/setup/data")
    assert browser.submit("/setup/unit", {"unit": "patient"}, of="/setup/unit").status_code == 422
    browser.submit("/setup/unit", UNIT, of="/setup/unit")
    for low, high, words in (("9", "1", "are swapped"), ("1", "", "write both bounds"), ("a", "b", "is a number")):
        answer = browser.submit("/setup/columns", {**COLUMNS, "low-0-1": low, "high-0-1": high}, of="/setup/columns")
        assert answer.status_code == 422
        assert words in answer.text
        assert 'aria-invalid="true" aria-describedby="e-0-1"' in answer.text
        assert 'href="#b-0-1"' in answer.text


def test_a_csv_file_tells_names_and_its_owner_tells_types(first: FirstRun, folder: Path) -> None:
    browser = begun(first)
    browser.submit("/setup/data", {"kind": "files", "place": "plain.csv"}, of="/setup/data")
    page = browser.submit("/setup/unit", {**UNIT}, of="/setup/unit")
    page = browser.get(page.headers["location"])
    assert "Zz9" not in page.text
    typed = {
        "use-0-0": "yes",
        "type-0-0": "integer",
        "use-0-1": "yes",
        "type-0-1": "integer",
        "low-0-1": "0",
        "high-0-1": "110",
    }
    assert browser.submit("/setup/columns", typed, of="/setup/columns").status_code == 303
    assert browser.submit("/setup/limit", LIMIT, of="/setup/limit").status_code == 303
    assert read_catalog(folder / "plain.toml").tables["plain"].columns["age"].high == 110


def test_a_catalog_that_is_there_is_not_written_over(first: FirstRun, folder: Path) -> None:
    (folder / "visit.toml").write_text("mine")
    browser = begun(first)
    browser.submit("/setup/data", {"kind": "files", "place": "visit.parquet"}, of="/setup/data")
    browser.submit("/setup/unit", UNIT, of="/setup/unit")
    browser.submit("/setup/columns", COLUMNS, of="/setup/columns")
    answer = browser.submit("/setup/limit", LIMIT, of="/setup/limit")
    assert answer.status_code == 422
    assert (folder / "visit.toml").read_text() == "mine"
