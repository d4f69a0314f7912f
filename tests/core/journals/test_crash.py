"""Processes that die at every moment: what was released was spent, and no retry runs anything twice."""

import itertools
import os
import shutil
import signal
import time
from pathlib import Path

import pytest

from privet.core import Ledger, Sensitive, Sensitivity
from privet.core.journals.anchor import Anchor
from privet.loss import Guarantee
from privet.noise import Entropy
from tests.support.ledger_processes import (
    CONTEXT,
    COUNT,
    LOST,
    PERSON,
    ask,
    loop_until_killed,
    new_ledger,
    release_and_die,
    retry,
    run,
)

pytestmark = pytest.mark.whole

POINTS = [
    "after check",
    "after insert",
    "before commit",
    "after commit",
    "after anchor",
    "before store",
    "after store",
    "before send",
]
NUMBERS = itertools.count()


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, folder: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{folder}/ledger.db"
    return f"{request.getfixturevalue('database')}&ledger=crash_{next(NUMBERS)}"


@pytest.mark.parametrize("point", POINTS)
def test_a_death_at_every_point(address: str, point: str, tmp_path: Path) -> None:
    ledger = new_ledger(address)
    assert run(release_and_die, address, point, "k", str(tmp_path / "answer")) == -signal.SIGKILL
    assert not (tmp_path / "answer").exists()
    spent_at_death = len(Ledger.open(address).entries)
    committed = POINTS.index(point) >= POINTS.index("after commit")
    assert spent_at_death == (1 if committed else 0)
    first = retry(ledger, "k")
    stored = POINTS.index(point) >= POINTS.index("after store")
    assert (first == LOST) == (committed and not stored)
    assert retry(Ledger.open(address), "k") == first
    assert ledger.spent.epsilon == 1  # charged once, whatever happened
    ledger.verify()


def test_the_control_without_a_death(address: str, tmp_path: Path) -> None:
    ledger = new_ledger(address)
    assert run(release_and_die, address, "nowhere", "k", str(tmp_path / "answer")) == 0
    assert (tmp_path / "answer").read_text() == retry(ledger, "k")


@pytest.mark.parametrize("loops", [10, pytest.param(200, marks=pytest.mark.soak)])
def test_killed_again_and_again(address: str, loops: int, tmp_path: Path) -> None:
    """Children release with keys and write the answers down until SIGKILL; nothing is free and nothing runs twice."""
    ledger = new_ledger(address, Guarantee(10**6))
    answers = tmp_path / "answers"
    answers.touch()
    waits = Entropy().words(loops)
    for loop in range(loops):
        child = CONTEXT.Process(target=loop_until_killed, args=(address, str(answers), 10_000 * loop), daemon=True)
        child.start()
        begun = answers.stat().st_size
        while answers.stat().st_size == begun and child.is_alive():
            time.sleep(0.002)
        time.sleep(float(waits[loop] % 80) / 1000)
        os.kill(child.pid or 0, signal.SIGKILL)
        child.join()
    lines = answers.read_text().splitlines()  # a half-written line was followed by the next child's
    told = dict(line.split(" ", 1) for line in lines if line.endswith("}"))
    keys = {entry.key for entry in ledger.entries}
    assert {f"key {number}" for number in told} <= keys  # released is part of spent
    assert len(keys) == len(ledger.entries) == ledger.spent.epsilon
    assert len(told) >= loops
    lost = 0
    for key in sorted(filter(None, keys)):
        found = retry(ledger, key)
        lost += found == LOST
        assert found == told.get(key.removeprefix("key "), found)
    assert lost <= loops
    assert len(keys) == ledger.spent.epsilon
    ledger.verify()


def test_the_spend_is_on_disk_before_the_data_is_read(folder: Path) -> None:
    """What a power loss would leave at the moment the secret is computed."""
    address = f"sqlite:///{folder}/ledger.db"
    ledger = new_ledger(address)
    image = folder / "image"

    def compute() -> int:
        image.mkdir()
        for path in folder.glob("ledger.db*"):
            shutil.copy(path, image / path.name)
        return 42

    ledger.release(Sensitive.later(compute, Sensitivity(1), PERSON), COUNT, purpose="late", key="k")
    mark = Anchor(image / "ledger.db.anchor").read().mark  # before it is opened, which would write a new one
    assert mark.sequence == 1
    with Ledger.open(f"sqlite:///{image}/ledger.db") as left:
        assert [entry.purpose for entry in left.entries] == ["late"]
        (level,) = left.journal._connection.execute("PRAGMA synchronous").fetchone()  # type: ignore[attr-defined] # a SqliteJournal has one
        assert level == 2


def test_a_waiting_retry_learns_of_the_death(address: str, tmp_path: Path) -> None:
    """One process computes, another asks the same and waits; the first dies, and the second is told."""
    ledger = new_ledger(address)
    child = CONTEXT.Process(target=release_slowly, args=(address, str(tmp_path / "started")), daemon=True)
    child.start()
    while not (tmp_path / "started").exists():
        assert child.is_alive()
        time.sleep(0.01)
    waiting = CONTEXT.Process(target=write_retry, args=(address, str(tmp_path / "told")), daemon=True)
    waiting.start()
    time.sleep(0.5)
    assert not (tmp_path / "told").exists()
    os.kill(child.pid or 0, signal.SIGKILL)
    waiting.join(60)
    assert (tmp_path / "told").read_text() == LOST
    assert ledger.spent.epsilon == 1


def release_slowly(address: str, path: str) -> None:
    def compute() -> int:
        Path(path).touch()
        time.sleep(600)
        return 42

    Ledger.open(address).release(Sensitive.later(compute, Sensitivity(1), PERSON), COUNT, purpose="a count", key="k")


def write_retry(address: str, path: str) -> None:
    told = retry(Ledger.open(address), "k")
    Path(path).write_text(told, encoding="ascii")


def test_a_death_frees_all_locks(address: str, tmp_path: Path) -> None:
    ledger = new_ledger(address)
    for point in ("after insert", "before commit"):
        run(release_and_die, address, point, "k", str(tmp_path / "answer"))
        ask(ledger)
    assert ledger.spent.epsilon == 2
