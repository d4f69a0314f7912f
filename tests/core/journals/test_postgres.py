"""PostgresJournal on a real server: the contract, many processes, and connections that end."""

import itertools
import os
import warnings
from typing import Any

import pytest

from privet.core import Ledger, Scope, Sensitive, Sensitivity
from privet.core.journals import journal_at
from privet.core.journals.postgres import PostgresJournal
from privet.errors import AnswerLost, InvalidParameter, LedgerDamaged, LedgerUnavailable
from privet.loss import Guarantee
from tests.contracts.journal import JournalContract
from tests.support.ledger_processes import (
    COUNT,
    PERSON,
    ask,
    forked,
    new_ledger,
    processes_and_threads,
    spend_all,
    spend_in_processes,
)

pytestmark = pytest.mark.whole

psycopg = pytest.importorskip("psycopg")
NUMBERS = itertools.count()


@pytest.fixture
def address(database: str) -> str:
    return f"{database}&ledger=test_{next(NUMBERS)}"


def execute(address: str, statement: str) -> list[tuple[Any, ...]]:
    """Run a statement as the server's administrator, in the ledger's schema."""
    journal = PostgresJournal(address)
    with psycopg.connect(journal._address, autocommit=True) as connection:
        connection.execute(f'SET search_path = "privet_{journal.name}"')
        cursor = connection.execute(statement)
        return list(cursor.fetchall()) if cursor.description else []


def end_connections(address: str) -> None:
    others = "pid <> pg_backend_pid() AND datname IS NOT NULL"
    execute(address, f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}")  # noqa: S608 - no input


class TestContract(JournalContract):
    pass


# --- many processes ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("repeats", [1, pytest.param(19, marks=pytest.mark.soak)])
def test_processes_and_threads_spend_exactly_the_cap(address: str, repeats: int) -> None:
    for repeat in range(repeats):
        ledger = new_ledger(f"{address}_{repeat}", Guarantee(100))
        assert processes_and_threads(ledger, f"{address}_{repeat}") == 100
        assert ledger.spent.epsilon == 100
        assert len(ledger.entries) == 100
        ledger.verify()
        ledger.close()


@pytest.mark.parametrize("repeats", [1, pytest.param(19, marks=pytest.mark.soak)])
def test_processes_keep_every_scope(address: str, repeats: int) -> None:
    for repeat in range(repeats):
        ledger = new_ledger(f"{address}_{repeat}", Guarantee(12))
        for analyst, cap in (("ada", 3), ("bob", 4), ("eve", 9)):
            ledger.journal.cap(Guarantee(cap), scope=Scope(analyst), reason="agreed")
        found = spend_in_processes(f"{address}_{repeat}", ["ada", "bob", "eve"] * 2, 9)
        by = {name: sum(count for who, count in found if who == name) for name in ("ada", "bob", "eve")}
        assert sum(by.values()) == 12 == ledger.spent.epsilon
        assert by["ada"] <= 3
        assert by["bob"] <= 4
        ledger.verify()
        ledger.close()


def test_forked_children_connect_again(address: str) -> None:
    ledger = new_ledger(address, Guarantee(6))
    ask(ledger)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # forking while threads run is what is tested
        children = [forked(lambda: spend_all(ledger, 3)) for _ in range(4)]
    assert sum(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children) == 5
    with pytest.raises(Exception, match="remains"):
        ask(ledger)
    assert ledger.spent.epsilon == 6
    ledger.verify()


# --- connections that end ---------------------------------------------------------------------------------------


def test_a_lost_connection_is_made_again(address: str) -> None:
    ledger = new_ledger(address)
    ask(ledger)
    end_connections(address)
    with pytest.raises(LedgerUnavailable, match="cannot be used now"):
        ask(ledger)
    ask(ledger)
    assert ledger.spent.epsilon == 2


def test_a_connection_lost_between_spend_and_answer(address: str) -> None:
    """The run goes on without its connection, and the answer is stored over a new one."""
    ledger = new_ledger(address)

    def compute() -> int:
        end_connections(address)
        return 42

    secret = Sensitive.later(compute, Sensitivity(1), PERSON)
    first = ledger.release(secret, COUNT, purpose="a count", key="k")
    for handle in (ledger, Ledger.open(address)):
        assert handle.release(secret, COUNT, purpose="a count", key="k").to_json() == first.to_json()
    assert ledger.spent.epsilon == 1


def test_a_server_lost_between_spend_and_answer(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer cannot be stored, so nobody sees it, now or later."""
    ledger = new_ledger(address)

    def unreachable(self: PostgresJournal, *, create: bool) -> None:  # noqa: ARG001 - a stand-in
        raise LedgerUnavailable("the server is gone")

    def compute() -> int:
        end_connections(address)
        monkeypatch.setattr(PostgresJournal, "_connect", unreachable)
        return 42

    secret = Sensitive.later(compute, Sensitivity(1), PERSON)
    with pytest.raises(AnswerLost, match="cannot be read, so it is not shown"):
        ledger.release(secret, COUNT, purpose="a count", key="k")
    monkeypatch.undo()
    for handle in (ledger, Ledger.open(address)):
        with pytest.raises(AnswerLost, match="ended before storing it"):
            handle.release(secret, COUNT, purpose="a count", key="k")
    assert ledger.spent.epsilon == 1


@pytest.mark.parametrize("committed", [True, False])
def test_a_connection_lost_while_committing_answers_nothing(
    address: str, monkeypatch: pytest.MonkeyPatch, *, committed: bool
) -> None:
    ledger = new_ledger(address)
    point = "after commit" if committed else "before commit"

    def reached(here: str) -> None:
        if here == point:
            monkeypatch.undo()
            end_connections(address)
            raise psycopg.OperationalError("the connection was lost")

    monkeypatch.setattr("privet.core.journals.postgres.reached", reached)
    with pytest.raises((LedgerUnavailable, psycopg.OperationalError)):
        ask(ledger, key="k")
    assert [entry.key for entry in Ledger.open(address).entries] == (["k"] if committed else [])
    if committed:
        with pytest.raises((AnswerLost, LedgerUnavailable)):
            ask(ledger, key="k")
        with pytest.raises(AnswerLost):
            ask(ledger, key="k")
    else:
        ask(Ledger.open(address), key="k")
    assert Ledger.open(address).spent.epsilon == 1


def test_a_server_that_lost_rows_is_refused(address: str) -> None:
    ledger = new_ledger(address)
    spend_all(ledger, 3)
    execute(address, "ALTER TABLE entries DISABLE TRIGGER ALL; DELETE FROM entries WHERE sequence >= 2")
    with pytest.raises(LedgerDamaged, match="no longer holds row 3"):
        ask(ledger)


def test_changes_are_noticed(address: str) -> None:
    ledger = new_ledger(address)
    spend_all(ledger, 3)
    with pytest.raises(psycopg.errors.RaiseException, match="never change"):
        execute(address, "UPDATE entries SET body = replace(body, 'a count', 'nothing') WHERE sequence = 2")
    with pytest.raises(psycopg.errors.RaiseException, match="never leave"):
        execute(address, "TRUNCATE entries")
    execute(
        address,
        "ALTER TABLE entries DISABLE TRIGGER ALL; "
        "UPDATE entries SET body = replace(body, 'a count', 'nothing') WHERE sequence = 2",
    )
    with pytest.raises(LedgerDamaged, match="row 2 was changed"):
        ledger.verify()
    with pytest.raises(LedgerDamaged, match="row 2 was changed"):
        Ledger.open(address)


def test_an_anchor_on_this_host_remembers(address: str, tmp_path: Any) -> None:  # noqa: ANN401 - a path
    with new_ledger(address, anchor=tmp_path / "anchor") as ledger:
        spend_all(ledger, 3)
    execute(address, "ALTER TABLE entries DISABLE TRIGGER ALL; DELETE FROM entries WHERE sequence >= 2")
    with pytest.raises(LedgerDamaged, match="ends with row 1, but its anchor remembers row 3"):
        Ledger.open(address, anchor=tmp_path / "anchor")


def test_a_busy_ledger_is_refused_after_a_while(address: str) -> None:
    ledger = new_ledger(address)
    waiting = PostgresJournal(address, timeout=0.2)
    waiting.open()
    journal: Any = ledger.journal
    with journal._writing(), pytest.raises(LedgerUnavailable, match="busy"):
        ask(Ledger.open(waiting))
    ask(Ledger.open(waiting))


def test_addresses(address: str) -> None:
    with pytest.raises(InvalidParameter, match="a-z"):
        journal_at(address.replace("ledger=", "ledger=Bad Name"))
    with pytest.raises(LedgerUnavailable, match="no ledger at"):
        Ledger.open(address)
    nowhere = "postgresql://ada:secret@localhost:1/nowhere"
    with pytest.raises(LedgerUnavailable) as caught:
        new_ledger(nowhere)
    assert "secret" not in str(caught.value)


def test_other_versions_are_refused(address: str) -> None:
    new_ledger(address).close()
    execute(address, "COMMENT ON TABLE entries IS 'privet journal version 2'")
    with pytest.raises(LedgerUnavailable, match="pip install --upgrade privet"):
        Ledger.open(address)
