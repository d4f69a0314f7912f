# ruff: noqa: S608 - names of this file
"""PostgreSQL going wrong, on a server of its own: one error, what was charged stays so, and the session goes on."""

import _thread
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import privet
from privet.core import Unit
from privet.core.silence import FAILED
from privet.errors import AnswerLost, InvalidParameter, KeyReused, ReleaseFailed
from privet.loss import Guarantee
from privet.query.backends.postgres.engine import PostgresBackend
from privet.query.catalog import Catalog, DeclaredTable
from privet.query.session import Session
from tests.support.hospital import number, text
from tests.support.postgres import MISSING, server

psycopg = pytest.importorskip("psycopg")
COUNT = "SELECT COUNT(*) AS n FROM people"
ROWS = 40_000
MAKE = f"""
CREATE TABLE people (id bigint, age integer, city text);
INSERT INTO people SELECT g, g % 90, 'Zermatt' FROM generate_series(1, {ROWS}) AS g;
CREATE VIEW slow AS SELECT p.* FROM people AS p WHERE p.id < 4 AND pg_sleep(8) IS NOT NULL;
CREATE ROLE reader LOGIN; GRANT SELECT ON people, slow TO reader;
"""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with server() as found:
        if found is None:
            pytest.skip(MISSING)
        with psycopg.connect(found, autocommit=True) as admin:
            admin.execute(MAKE)
        yield found


@pytest.fixture
def admin(address: str) -> Iterator[Callable[[str], list[tuple[Any, ...]]]]:
    """Runs a statement as the server's owner, over a connection that is new if the server has fallen."""

    def execute(statement: str) -> list[tuple[Any, ...]]:
        for _ in range(100):
            try:
                with psycopg.connect(address, autocommit=True) as connection:
                    cursor = connection.execute(statement)
                    return cursor.fetchall() if cursor.description else []
            except psycopg.OperationalError:
                time.sleep(0.1)  # it is getting up again
        raise AssertionError("the server does not come back")

    yield execute
    execute("ALTER ROLE reader LOGIN; ALTER ROLE reader RESET ALL; GRANT SELECT ON people, slow TO reader")


def catalog(address: str, folder: Path, *, location: str = "people", **words: str) -> Catalog:
    role = address.replace("postgres:@", "reader@").replace("postgres@", "reader@")
    source = role + "".join(f"&{word}={value}" for word, value in words.items())
    columns = {"age": number(0, 110), "city": text()}
    table = DeclaredTable("people", columns, unit_column="id", location=location)
    ledger = f"sqlite:///{folder}/ledger.db"
    return Catalog("clinic", Unit("person"), Guarantee(10, "1e-3"), {"people": table}, source=source, ledger=ledger)


@contextmanager
def during(act: Callable[[], object], running: Callable[[], bool]) -> Iterator[None]:
    """Do something once a statement runs on the server."""

    def wait() -> None:
        for _ in range(200):
            if running():
                act()
                return
            time.sleep(0.02)

    thread = threading.Thread(target=wait)
    thread.start()
    yield
    thread.join()


def one_error(session: Session, statement: str = COUNT, **more: Any) -> None:  # noqa: ANN401 - a question's words
    """It is paid for, and says one thing."""
    before = session.ledger.spent.epsilon
    with pytest.raises(ReleaseFailed) as told:
        session.sql(statement, epsilon=1, **more)
    assert str(told.value) == FAILED
    assert told.value.__cause__ is None
    assert session.ledger.spent.epsilon == before + 1


def goes_on(session: Session, folder: Path) -> None:
    """The next question is answered at its price, and the ledger is whole."""
    before = session.ledger.spent.epsilon
    assert session.sql("SELECT COUNT(*) AS n FROM people", epsilon=1).table.num_rows == 1
    assert session.ledger.spent.epsilon == before + 1
    again = privet.Ledger.open(f"sqlite:///{folder}/ledger.db", dataset="clinic")
    assert again.spent.epsilon == before + 1
    again.close()


def asleep(admin: Callable[[str], list[tuple[Any, ...]]]) -> list[int]:
    return [
        int(pid)
        for (pid,) in admin("SELECT pid FROM pg_stat_activity WHERE usename = 'reader' AND wait_event = 'PgSleep'")
    ]


ENDED = "SELECT pg_terminate_backend(pid, 9000) FROM pg_stat_activity WHERE usename = 'reader'"  # and waited for
Admin = Callable[[str], list[tuple[Any, ...]]]


@pytest.mark.parametrize("how", ["the connection is ended", "the server falls"])
def test_a_connection_that_is_lost_in_a_statement(address: str, admin: Admin, tmp_path: Path, how: str) -> None:
    def strike() -> None:
        (pid,) = asleep(admin)
        if how == "the connection is ended":
            admin(f"SELECT pg_terminate_backend({pid})")
        else:
            os.kill(pid, signal.SIGKILL)  # then the server ends all connections, and recovers

    with privet.connect(catalog(address, tmp_path, location="slow")) as session:
        with during(strike, lambda: bool(asleep(admin))):
            one_error(session, key="k")
        admin("SELECT 1")  # once it is there again
        with pytest.raises(AnswerLost, match="spent"):
            session.sql(COUNT, epsilon=1, key="k")
        admin("CREATE OR REPLACE VIEW slow AS SELECT p.* FROM people AS p WHERE p.id < 4")
        goes_on(session, tmp_path)
    admin("CREATE OR REPLACE VIEW slow AS SELECT p.* FROM people AS p WHERE p.id < 4 AND pg_sleep(8) IS NOT NULL")


def test_a_connection_that_was_lost_between_statements(address: str, admin: Admin, tmp_path: Path) -> None:
    with privet.connect(catalog(address, tmp_path)) as session:
        goes_on(session, tmp_path)
        assert admin(ENDED) == [(True,)]
        goes_on(session, tmp_path)


def test_a_server_that_cannot_be_reached_costs_nothing(address: str, admin: Admin, tmp_path: Path) -> None:
    with privet.connect(catalog(address, tmp_path)) as session:
        admin("ALTER ROLE reader NOLOGIN")
        admin(ENDED)
        with pytest.raises(InvalidParameter, match="cannot be reached"):
            session.sql(COUNT, epsilon=1)
        assert session.ledger.spent.epsilon == 0
        admin("ALTER ROLE reader LOGIN")
        goes_on(session, tmp_path)


def test_a_stored_answer_needs_no_server(address: str, admin: Admin, tmp_path: Path) -> None:
    with privet.connect(catalog(address, tmp_path)) as session:
        first = session.sql(COUNT, epsilon=1, key="k")
        both = session.batch([COUNT, "SELECT AVG(age) AS m FROM people"], epsilon=1, key="both")
        admin("ALTER ROLE reader NOLOGIN")
        admin(ENDED)
        assert session.sql(COUNT, epsilon=1, key="k") == first
        assert session.batch([COUNT, "SELECT AVG(age) AS m FROM people"], epsilon=1, key="both") == both
        with pytest.raises(InvalidParameter, match="cannot be reached"):
            session.sql(COUNT, epsilon=1, key="new")
        with pytest.raises(KeyReused):
            session.sql(COUNT, epsilon=2, key="k")
        assert session.ledger.spent.epsilon == 2


def test_a_statement_that_takes_too_long(address: str, tmp_path: Path) -> None:
    made = catalog(address, tmp_path, location="slow", statement_timeout="200ms")
    with privet.connect(made) as session:
        one_error(session)
    with privet.connect(replace(made, tables=catalog(address, tmp_path).tables)) as session:
        goes_on(session, tmp_path)


def test_a_disk_that_is_full(address: str, admin: Admin, tmp_path: Path) -> None:
    admin("ALTER ROLE reader SET temp_file_limit = '64kB'")
    admin("ALTER ROLE reader SET work_mem = '64kB'")
    admin("ALTER ROLE reader SET hash_mem_multiplier = 1")
    with privet.connect(catalog(address, tmp_path)) as session:
        one_error(session)
    admin("ALTER ROLE reader RESET ALL")
    with privet.connect(catalog(address, tmp_path)) as session:
        goes_on(session, tmp_path)


def test_rights_that_are_taken_away(address: str, admin: Admin, tmp_path: Path) -> None:
    with privet.connect(catalog(address, tmp_path)) as session:
        admin("REVOKE SELECT ON people FROM reader")
        one_error(session)
        with pytest.raises(InvalidParameter, match="GRANT SELECT"):
            privet.connect(catalog(address, tmp_path))
        admin("GRANT SELECT ON people TO reader")
        goes_on(session, tmp_path)


@pytest.mark.usefixtures("control_c")
def test_control_c_stops_the_server(
    address: str, admin: Admin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[Exception] = []
    fetch = PostgresBackend._fetch

    def remembered(self: PostgresBackend, statement: str) -> list[tuple[Any, ...]]:
        try:
            return fetch(self, statement)
        except psycopg.Error as problem:
            ended.append(problem)
            raise

    monkeypatch.setattr(PostgresBackend, "_fetch", remembered)
    with privet.connect(catalog(address, tmp_path, location="slow")) as session:
        with (
            during(_thread.interrupt_main, lambda: bool(asleep(admin))),
            pytest.raises(KeyboardInterrupt, match="what was charged stays charged"),
        ):
            session.sql(COUNT, epsilon=1)
        assert [type(each) for each in ended] == [psycopg.errors.QueryCanceled]
        assert asleep(admin) == []
        assert session.ledger.spent.epsilon == 1
        admin("CREATE OR REPLACE VIEW slow AS SELECT p.* FROM people AS p WHERE p.id < 4")
        goes_on(session, tmp_path)
    admin("CREATE OR REPLACE VIEW slow AS SELECT p.* FROM people AS p WHERE p.id < 4 AND pg_sleep(8) IS NOT NULL")


def test_questions_side_by_side(address: str, tmp_path: Path) -> None:
    """More at once than connections are kept; all are answered, each is paid for."""
    with privet.connect(catalog(address, tmp_path)) as session:
        threads = [threading.Thread(target=goes, args=(session,)) for _ in range(7)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert session.ledger.spent.epsilon == 7


def goes(session: Session) -> None:
    session.sql("SELECT age % 2 AS odd, COUNT(*) FROM people GROUP BY age % 2", epsilon=1)
