"""Real signals at random moments over many processes: nothing stays locked, nothing is free, no false alarm."""

import itertools
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from privet.core import Journal
from privet.core.journals.pages import Pages
from privet.core.journals.postgres import PostgresJournal
from privet.core.journals.sql import SqlPages
from privet.core.journals.sqlite import SqliteJournal
from privet.core.signals import deferred
from privet.noise import Entropy
from tests.core.journals.signalled import Locked, run

pytestmark = pytest.mark.whole

NUMBERS = itertools.count()
SIGNALS = [75, pytest.param(2_000, marks=pytest.mark.soak)]


def _third(engine: str, request: pytest.FixtureRequest, folder: Path) -> tuple[Journal, str]:
    """A journal that waits a second for others, and its address."""
    if engine == "sqlite":
        return SqliteJournal(folder / "ledger.db", timeout=1), f"sqlite:///{folder}/ledger.db"
    address = f"{request.getfixturevalue('database')}&ledger=signals_{os.getpid()}_{next(NUMBERS)}"
    return PostgresJournal(address, timeout=1), address


@pytest.mark.parametrize("engine", ["sqlite", "postgresql"])
@pytest.mark.parametrize("signals", SIGNALS)
def test_signals_at_random_moments(
    request: pytest.FixtureRequest, folder: Path, tmp_path: Path, engine: str, signals: int
) -> None:
    third = _third(engine, request, folder)
    seed = int(Entropy().words(1)[0] % 10**6)
    crowd = run(*third, tmp_path, signals=signals, seed=seed)
    answers, interrupted = crowd.told("answer"), crowd.told("interrupted")
    print(f"seed {seed}: {dict(crowd.sent)}, {len(answers)} answers, {len(interrupted)} interrupted")  # noqa: T201
    assert crowd.sent[signal.SIGINT.name] > 0
    assert interrupted


@pytest.mark.parametrize("engine", ["sqlite", pytest.param("postgresql", marks=pytest.mark.soak)])
def test_the_control_locks_others_out(
    request: pytest.FixtureRequest, folder: Path, tmp_path: Path, engine: str
) -> None:
    """Signals that do not wait, and a transaction that begins before its `try`, as it once was."""
    third = _third(engine, request, folder)
    with pytest.raises(Locked):
        run(*third, tmp_path, signals=500, seed=1, plant=plant_hasty)


def plant_hasty() -> None:
    """Break what this file is about, in the process that calls it."""
    for kind, names in (
        (deferred, ("__enter__", "__exit__")),
        (SqliteJournal, ("_tidy",)),
        (PostgresJournal, ("_tidy",)),
    ):
        for name in names:
            setattr(kind, name, lambda *_: None)
    for kind in (SqliteJournal, PostgresJournal):
        (kind.__init__.__kwdefaults__ or {})["timeout"] = 0.5  # so that who is locked out does not wait for long
    SqliteJournal._writing = hasty_writing  # type: ignore[method-assign]
    PostgresJournal._transaction = hasty_transaction  # type: ignore[method-assign]


@contextmanager
def hasty_writing(self: SqliteJournal) -> Iterator[Pages]:
    connection = self._open_connection()
    connection.execute("PRAGMA busy_timeout = 500")  # not in slices
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield SqlPages(connection.execute)
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


@contextmanager
def hasty_transaction(self: PostgresJournal, begin: str) -> Iterator[Pages]:
    assert self._connection is not None
    execute = self._connection.execute
    execute(begin.encode())
    yield SqlPages(lambda statement, parameters: execute(statement.replace("?", "%s").encode(), parameters))
