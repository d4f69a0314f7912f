"""Ctrl-C at every line: nothing stays open, the handle goes on, a retry gets the answer or hears that it is lost."""

import _thread
import gc
import itertools
import os
import signal
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from psycopg.pq import TransactionStatus

from privet.core import Journal, Ledger, MemoryJournal, Sensitive, Sensitivity
from privet.core.journals.postgres import PostgresJournal
from privet.core.journals.sqlite import SqliteJournal
from privet.errors import AnswerLost, InvalidParameter, ReleaseFailed
from privet.loss import Guarantee
from tests.support.ledger_processes import COUNT, LOST, PERSON, ask, new_ledger, retry

pytestmark = [pytest.mark.whole, pytest.mark.usefixtures("control_c")]
NUMBERS = itertools.count()
HERE = ("privet/core/journals/", "privet/core/ledger.py", "privet/core/reservation.py", "privet/core/silence.py")


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, folder: Path) -> Callable[[], Journal]:
    """Makes handles on one journal, which wait a second for others."""
    if request.param == "memory":
        only = MemoryJournal()
        return lambda: only
    if request.param == "sqlite":
        return lambda: SqliteJournal(folder / "ledger.db", timeout=1)
    address = f"{request.getfixturevalue('database')}&ledger=interrupts_{os.getpid()}_{next(NUMBERS)}"
    return lambda: PostgresJournal(address, timeout=1)


class Lines:
    """Sends a real Ctrl-C when so many lines of the ledger have run; or at every line from there on."""

    def __init__(self, line: int, *, held: bool = False) -> None:
        self.left = line
        self.held = held
        self.sent = 0

    def trace(self, frame: FrameType, event: str, _: object) -> Any:  # noqa: ANN401 - itself
        if not any(each in frame.f_code.co_filename for each in HERE):
            return None
        if event == "line" and not in_destructor(frame):
            self.left -= 1
            if self.left == 0 or (self.held and self.left < 0):
                self.sent += 1
                signal.raise_signal(signal.SIGINT)
        return self.trace

    @contextmanager
    def watched(self) -> Iterator[None]:
        sys.settrace(self.trace)
        try:
            yield
        finally:
            sys.settrace(None)


def in_destructor(frame: FrameType | None) -> bool:
    """Whatever is raised in one is dropped by Python, as everybody's Ctrl-C is."""
    while frame is not None:
        if frame.f_code.co_name == "__del__":
            return True
        frame = frame.f_back
    return False


def release_with_key(ledger: Ledger, key: str) -> None:
    ask(ledger, key=key)


def plan_with_key(ledger: Ledger, key: str) -> None:
    plan = ledger.reserve(COUNT.loss, purpose="a plan", key=key)
    try:
        if plan.stored() is None:
            plan.store(plan.release(Sensitive(1, Sensitivity(1), PERSON), COUNT, purpose="a draw").to_json())
    finally:
        plan.done()


def open_again(ledger: Ledger, key: str) -> None:
    ledger.journal.close()
    ask(ledger, key=key)
    assert ledger.spent.epsilon > 0


WORK = [release_with_key, plan_with_key, open_again]


@pytest.mark.parametrize("held", [False, True], ids=["once", "held"])
@pytest.mark.parametrize("work", WORK)
@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.soak)], ids=["some", "every"])
def test_an_interrupt_at_every_line(
    place: Callable[[], Journal], work: Callable[[Ledger, str], None], *, every: bool, held: bool
) -> None:
    ledger = new_ledger(place(), Guarantee(10**6))
    other = Ledger.open(place())
    ask(ledger)
    stride = 1 if every else 149 if isinstance(ledger.journal, PostgresJournal) else 61
    for line in itertools.count(1, stride):
        lines = Lines(line, held=held)
        key = f"key {line}"
        with suppress(KeyboardInterrupt), lines.watched():
            work(ledger, key)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        gc.collect(0)
        refuse_waiting(ledger, other, key)
        if not lines.sent:
            assert line > 400  # so many lines there are
            break
    other.verify()


def refuse_waiting(ledger: Ledger, other: Ledger, key: str) -> None:
    """Both can spend, nobody seems to compute, and what the key was asked for is told or lost."""
    for entry in other.entries:
        if entry.key == key:
            refuse_alive(other.journal, entry.sequence)
    ask(other)
    ask(ledger)
    if any(entry.key == key and entry.kind == "release" for entry in other.entries):
        assert retry(ledger, key) == retry(other, key)


def refuse_alive(journal: Journal, sequence: int) -> None:
    """A server takes a moment to see that a connection has ended."""
    end = time.monotonic() + (10 if isinstance(journal, PostgresJournal) else 0)
    while journal._alive(sequence):
        assert time.monotonic() < end, "somebody seems to compute"
        time.sleep(0.01)


# --- one by one ------------------------------------------------------------------------------------------------------


@contextmanager
def held_by_another(path: Path) -> Iterator[None]:
    """Somebody else is writing the ledger, for a second."""
    holder = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    holder.execute("BEGIN IMMEDIATE")
    timer = threading.Timer(1, holder.execute, ("ROLLBACK",))
    timer.start()
    yield
    timer.join()
    holder.close()


@contextmanager
def interrupted_while_waiting() -> Iterator[None]:
    """A Ctrl-C comes after a moment, and is raised here."""
    timer = threading.Timer(0.2, _thread.interrupt_main)
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012 - whatever waits
        timer.start()
        yield
    timer.join()


def test_who_waits_for_a_busy_ledger_hears_control_c_at_once_and_locks_nobody_out(folder: Path) -> None:
    ledger = new_ledger(f"sqlite:///{folder}/ledger.db")
    with held_by_another(folder / "ledger.db"), interrupted_while_waiting():
        ask(ledger)
    connection = ledger.journal._connection  # type: ignore[attr-defined] # a SqliteJournal has one
    assert not connection.in_transaction
    ask(Ledger.open(SqliteJournal(folder / "ledger.db", timeout=0.1)))
    ask(ledger)
    assert ledger.spent.epsilon == 2


def test_who_waits_for_a_busy_server_hears_control_c_at_once_and_locks_nobody_out(database: str) -> None:
    address = f"{database}&ledger=waiting_{os.getpid()}"
    ledger, holder = new_ledger(address), PostgresJournal(address)
    holder.open()
    with holder._steady(), holder._writing(), interrupted_while_waiting():
        ask(ledger)
    connection = ledger.journal._connection  # type: ignore[attr-defined] # a PostgresJournal has one
    assert connection is None or connection.info.transaction_status == TransactionStatus.IDLE
    ask(Ledger.open(PostgresJournal(address, timeout=5)))
    ask(ledger)
    assert ledger.spent.epsilon == 2


def test_who_waits_for_another_thread_of_the_handle_hears_control_c(folder: Path) -> None:
    ledger = new_ledger(f"sqlite:///{folder}/ledger.db")
    go = threading.Event()

    def hold() -> None:
        with ledger.journal._entered():
            go.wait(10)

    thread = threading.Thread(target=hold)
    thread.start()
    while not ledger.journal._inside:
        time.sleep(0.001)
    with interrupted_while_waiting():
        ask(ledger)
    go.set()
    thread.join()
    ask(ledger)


def test_what_is_done_while_another_thread_is_inside_is_let_go_when_it_leaves(place: Callable[[], Journal]) -> None:
    ledger = new_ledger(place())
    go = threading.Event()
    plan = ledger.reserve(COUNT.loss, purpose="a plan", key="k")

    def hold() -> None:
        with ledger.journal._steady():
            go.wait(10)

    thread = threading.Thread(target=hold)
    thread.start()
    while not ledger.journal._inside:
        time.sleep(0.001)
    plan.done()
    go.set()
    thread.join()
    assert not ledger.journal._running
    other = place()
    other.open()
    assert not other._alive(plan._number)


def test_an_interrupt_while_it_is_computed_loses_the_answer_and_nobody_waits(place: Callable[[], Journal]) -> None:
    ledger = new_ledger(place())

    def compute() -> int:
        signal.raise_signal(signal.SIGINT)
        return 42

    with pytest.raises(KeyboardInterrupt):
        ledger.release(Sensitive.later(compute, Sensitivity(1), PERSON), COUNT, purpose="a count", key="k")
    assert retry(ledger, "k") == LOST
    assert retry(Ledger.open(place()), "k") == LOST


def test_a_plan_that_was_dropped_is_lost_and_nobody_waits(place: Callable[[], Journal]) -> None:
    """Reserved, and interrupted before anything could call `done`."""
    ledger = new_ledger(place())
    ledger.reserve(COUNT.loss, purpose="a plan", key="k")
    with pytest.raises(AnswerLost):
        Ledger.open(place()).reserve(COUNT.loss, purpose="a plan", key="k").stored()


def test_a_plan_that_a_traceback_keeps_is_lost_for_who_made_it(place: Callable[[], Journal]) -> None:
    """As in a notebook, which keeps the last error, and all its frames have."""
    ledger = new_ledger(place())
    kept = ledger.reserve(COUNT.loss, purpose="a plan", key="k")
    with pytest.raises(AnswerLost):
        Ledger.open(place()).reserve(COUNT.loss, purpose="a plan", key="k").stored()
    kept.done()


def test_a_computation_that_asks_for_its_own_key_is_told_so(place: Callable[[], Journal]) -> None:
    ledger = new_ledger(place())
    told = list[str]()

    def compute() -> int:
        for each in (ledger, Ledger.open(place())):
            with pytest.raises(InvalidParameter) as problem:
                release(each)
            told.append(str(problem.value))
        return 42

    def release(asked: Ledger) -> Any:  # noqa: ANN401 - a release
        secret = Sensitive.later(compute, Sensitivity(1), PERSON)
        return asked.release(secret, COUNT, purpose="a count", key="k")

    answer = release(ledger)
    assert len(told) == 2
    assert "own key" in told[0]
    assert retry(ledger, "k") == answer.to_json()


def test_a_computation_that_waits_for_itself_fails_as_any_other(place: Callable[[], Journal]) -> None:
    ledger = new_ledger(place())

    def compute() -> int:
        return int(ask(ledger, key="k").value)

    with pytest.raises(ReleaseFailed):
        ledger.release(Sensitive.later(compute, Sensitivity(1), PERSON), COUNT, purpose="a count", key="k")
    assert retry(ledger, "k") == LOST
