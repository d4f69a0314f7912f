"""By every door the same: analysts do not see each other, and a text that is no question does nothing."""

from collections.abc import Iterator

import pytest

from tests.support.all_doors import DOORS, PURPOSE, AllDoors, all_doors
from tests.support.desks import a_desk

pytestmark = pytest.mark.whole

COUNT = "SELECT COUNT(*) AS n FROM patient WHERE age < 50"
MARK = "a purpose that nobody else may read"
HOSTILE = (
    "SELECT * FROM patient",
    "SELECT pid FROM patient",
    "TABLE patient",
    "SELECT COUNT(*) AS n FROM patient UNION ALL SELECT pid FROM patient",
    "SELECT COUNT(*) AS n FROM patient WHERE (SELECT MIN(pid) FROM patient) = 0",
    "SELECT COUNT(*) AS n FROM read_csv('/etc/passwd')",
    "SELECT COUNT(*) AS n FROM 'patient.parquet'",
    "SELECT COUNT(*) AS n FROM duckdb_settings()",
    "SELECT getenv('HOME') AS h, COUNT(*) AS n FROM patient GROUP BY h",
    "SELECT COUNT(*) AS n FROM patient WHERE age < 50 AND 1 = (SELECT 1 FROM patient AS p WHERE p.pid = 7)",
    "SELECT town, COUNT(*) AS n FROM patient GROUP BY pid",
    "SELECT MIN(error('x' || pid)) AS m FROM patient",
    "COPY patient TO '/tmp/stolen'",
    "ATTACH '/tmp/stolen' AS stolen",
    "CREATE TABLE stolen AS SELECT * FROM patient",
    "INSERT INTO patient VALUES (1, 2, 'x')",
    "DELETE FROM patient",
    "PRAGMA database_list",
    "INSTALL httpfs",
    "EXECUTE stolen",
    "DO $$ BEGIN END $$",
    "CALL pragma_version()",
)
HARMLESS = (
    "SELECT COUNT(*) AS n FROM patient WHERE town = 'x'' OR 1=1 --'",
    "SELECT COUNT(*) AS n FROM patient WHERE town = '; DROP TABLE patient; --'",
    'SELECT COUNT(*) AS "n""; DROP TABLE asked; --" FROM patient',
    "SELECT COUNT(*) AS n /* ; DELETE FROM asked */ FROM patient -- ' OR 1=1",
    "SELECT COUNT(*) AS n FROM patient WHERE town LIKE '%''; SELECT 1; --'",
)
NASTY = ("'; DROP TABLE asked; --", '"; DELETE FROM latest; --', "%s %(x)s $1 ? {0}", "<script>alert(1)</script>")


@pytest.fixture(scope="module")
def doors() -> Iterator[AllDoors]:
    with a_desk(postgres_port=0, seconds_to_stop=2) as desk, all_doors(desk) as opened:
        opened.add("ada")
        opened.add("bob")
        yield opened


def charged(doors: AllDoors) -> int:
    return len(doors.desk.ledger.entries)


@pytest.mark.parametrize("door", DOORS)
def test_nobody_sees_what_another_was_told(doors: AllDoors, door: str) -> None:
    text = f"{COUNT} AND town <> '{door}'"
    mine = doors.ask(door, "ada", text, purpose=f"{MARK} by {door}", key=f"ada-{door}")
    before = charged(doors)
    theirs = doors.ask(door, "bob", text, purpose=f"{MARK} by {door}", key=f"ada-{door}")
    assert mine.answered
    assert theirs.answered
    assert charged(doors) > before, "the answer of another was handed out for free"
    number = doors.request("ada", "GET", "/api/v1/history").json()["history"][0]["number"]
    nobodys = "0" * len(number)
    other, none = (doors.request("bob", "GET", f"/api/v1/answers/{each}") for each in (number, nobodys))
    assert (other.status_code, other.content) == (none.status_code, none.content) == (404, none.content)
    told, nothing = (doors.tool("bob", "stored_answer", {"number": each}) for each in (number, nobodys))
    assert told == nothing
    assert doors.request("ada", "GET", f"/api/v1/answers/{number}").status_code == 200


def test_histories_and_budgets_are_ones_own(doors: AllDoors) -> None:
    doors.ask("http", "ada", COUNT, purpose=MARK)
    doors.add("eve")
    seen = [
        doors.request("eve", "GET", f"/api/v1/{path}").text for path in ("history", "budget", "requests", "running")
    ]
    seen.append(str(doors.tool("eve", "budget", {})))
    with doors.connect("eve") as connection:
        for name in ("pg_stat_activity", "pg_prepared_statements", "pg_cursors", "pg_settings", "pg_user", "pg_roles"):
            try:
                text = f"SELECT * FROM pg_catalog.{name}"  # noqa: S608 - names of this test
                seen.append(str(connection.execute(text.encode()).fetchall()))
            except Exception as problem:  # noqa: BLE001 - whatever it says must not tell either
                seen.append(str(problem))
    assert not any(word in each for each in seen for word in (MARK, "ada", "bob", "age < 50"))
    assert doors.request("eve", "GET", "/api/v1/budget").json()["spent"]["parts"] == ["0", "0"]


@pytest.mark.parametrize("text", HOSTILE)
def test_what_is_no_question_is_refused_by_every_door_and_costs_nothing(doors: AllDoors, text: str) -> None:
    before = charged(doors)
    told = {door: doors.ask(door, "ada", text) for door in DOORS}
    assert {door: each.answered for door, each in told.items()} == dict.fromkeys(DOORS, False), told
    assert charged(doors) == before
    for each in told.values():
        assert not any(word in each.words for word in ("Traceback", "/src/", "root:", "DuckDB", "Catalog Error"))


@pytest.mark.parametrize("door", ["http", "agent"])
def test_one_question_is_one_statement(doors: AllDoors, door: str) -> None:
    """PostgreSQL's simple protocol takes several: each is a question of its own, and the first is answered."""
    before = charged(doors)
    assert not doors.ask(door, "ada", f"{COUNT}; TABLE patient").answered
    assert charged(doors) == before


@pytest.mark.parametrize("text", HARMLESS)
def test_odd_texts_are_values_by_every_door(doors: AllDoors, text: str) -> None:
    told = [doors.ask(door, "ada", text) for door in DOORS]
    assert all(each.answered for each in told), told
    assert doors.ask("http", "ada", COUNT).answered


@pytest.mark.parametrize("nasty", NASTY)
@pytest.mark.parametrize("door", DOORS)
def test_purposes_and_keys_are_texts(doors: AllDoors, door: str, nasty: str) -> None:
    text = f"{COUNT} AND pid <> {sum(nasty.encode()) + DOORS.index(door)}"
    assert doors.ask(door, "bob", text, purpose=nasty, key=f"{nasty} {door}").answered
    last = doors.request("bob", "GET", "/api/v1/history?last=1").json()["history"][0]
    assert (last["purpose"], last["text"]) == (nasty, text)
    assert PURPOSE not in last["purpose"]
