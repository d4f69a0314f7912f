"""An engine that is killed, cancelled, out of disk or without its files: one error, the spend kept."""

import _thread
import os
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import privet
from privet.core import Ledger
from privet.core.silence import FAILED
from privet.errors import AnswerLost, InvalidParameter, ReleaseFailed
from privet.query.answering.failed_run import CANCELLED, UNREAD
from privet.query.backends.backend import Sums
from privet.query.backends.duckdb import DuckDBBackend
from privet.query.measures.request import Bounded
from tests.support.slow_catalogs import COUNT, SLOW, WIDE, of_many_people, of_one_person

pytestmark = pytest.mark.whole

ASKING = """
import sys, privet
file, text, memory = sys.argv[1:]
with privet.connect(file, memory=memory, threads=1) as session:
    try:
        print(session.sql(text, epsilon=1, key="k").rows)
    except privet.PrivetError as problem:
        print(type(problem).__name__, problem)
    print(session.sql("SELECT COUNT(*) AS n FROM clinic", epsilon=1).rows, session.ledger.spent.epsilon)
"""


def ledger_of(file: Path) -> Ledger:
    """The ledger beside a catalog, checked."""
    ledger = Ledger.open(str(file.with_suffix(".ledger.db")))
    ledger.verify()
    return ledger


def asking(file: Path, text: str, *, memory: str = "1GB", most: int | None = None) -> "subprocess.Popen[str]":
    """A process that asks a question, perhaps with a limit on how large its files may get."""

    def limit() -> None:
        if most is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    return subprocess.Popen(  # noqa: S603 - this file's own text
        [sys.executable, "-c", ASKING, str(file), text, memory],
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=limit,  # noqa: PLW1509 - no other thread is at work
    )


def wait_for_draw(file: Path) -> None:
    """Until the question is paid for, and the engine at work."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if file.with_suffix(".ledger.db.anchor").exists():
            with ledger_of(file) as ledger:
                if any(entry.kind == "draw" for entry in ledger.entries):
                    return
        time.sleep(0.05)
    raise AssertionError("it was never asked")


def test_a_process_killed_while_the_engine_works(tmp_path: Path) -> None:
    file = of_one_person(tmp_path)
    child = asking(file, SLOW)
    wait_for_draw(file)
    child.send_signal(signal.SIGKILL)
    assert child.wait() == -signal.SIGKILL
    with ledger_of(file) as ledger:
        assert ledger.spent.epsilon == 1, "the spend is kept"
    with privet.connect(file) as session:
        with pytest.raises(AnswerLost, match="It is not computed again; ask under a new key, which is charged anew"):
            session.sql(SLOW, epsilon=1, key="k")
        assert session.ledger.spent.epsilon == 1, "and not taken again"
        assert session.sql(COUNT, epsilon=1, key="another").rows
        assert session.ledger.spent.epsilon == 2
    assert child.stdout is not None
    assert not child.stdout.read()
    child.stdout.close()


def test_no_disk_left_to_spill_to(tmp_path: Path) -> None:
    """Files may grow to half a megabyte: enough for the ledger, too little for what does not fit into memory."""
    file = of_many_people(tmp_path, people=400_000)
    child = asking(file, WIDE, memory="30MB", most=1 << 19)
    told = child.communicate(timeout=120)[0].splitlines()
    assert told == [f"ReleaseFailed {FAILED}", "[{'n': 2}] 1"], "one error, the spend kept, the session usable"
    with ledger_of(file) as ledger:
        assert ledger.spent.epsilon == 1
    with privet.connect(file, memory="30MB", threads=1) as session:
        with pytest.raises(AnswerLost):
            session.sql(WIDE, epsilon=1, key="k")
        assert session.sql(WIDE, epsilon=1, key="new").rows, "with room on the disk the same memory is enough"


@pytest.mark.usefixtures("control_c")
def test_control_c_in_the_middle_of_a_statement(tmp_path: Path) -> None:
    file = of_one_person(tmp_path)
    with privet.connect(file, threads=1) as session:
        timer = threading.Timer(0.5, _thread.interrupt_main)
        timer.start()
        with pytest.raises(KeyboardInterrupt) as stopped:
            session.sql(SLOW, epsilon=1, key="k")
        timer.join()
        assert str(stopped.value) == CANCELLED
        assert session.ledger.spent.epsilon == 1
        with pytest.raises(AnswerLost):
            session.sql(SLOW, epsilon=1, key="k")
        assert session.sql(COUNT, epsilon=1).rows
        assert session.batch([COUNT, COUNT], epsilon=1)[0].rows
    with ledger_of(file) as ledger:
        assert ledger.spent.epsilon == 3


@pytest.mark.parametrize("how", ["removed", "overwritten", "cut"])
def test_a_file_that_is_gone_and_comes_back(tmp_path: Path, how: str) -> None:
    file = of_one_person(tmp_path, rows=1000)
    data, kept = tmp_path / "t.parquet", tmp_path / "kept"
    shutil.copy(data, kept)
    with privet.connect(file, threads=1) as session:
        assert session.sql(COUNT, epsilon=1).rows
        if how == "removed":
            data.unlink()
        else:
            data.write_bytes(
                b"something else" * 100 if how == "overwritten" else kept.read_bytes()[: kept.stat().st_size // 2]
            )
        with pytest.raises(InvalidParameter, match="connect again; nothing was charged"):
            session.sql(COUNT, epsilon=1, key="k")
        assert session.ledger.spent.epsilon == 1
        shutil.copy(kept, data)
        with pytest.raises(InvalidParameter, match="connect again"):
            session.sql(COUNT, epsilon=1, key="k")
    with privet.connect(file, threads=1) as session:
        assert session.sql(COUNT, epsilon=1, key="k").rows
    with ledger_of(file) as ledger:
        assert ledger.spent.epsilon == 2


def test_public_tables_that_cannot_be_read_cost_nothing(tmp_path: Path) -> None:
    file = of_one_person(tmp_path, rows=1000)
    with privet.connect(file, threads=1) as session:
        os.rename(tmp_path / "clinic.csv", tmp_path / "kept")  # noqa: PTH104 - as it is done
        for text in (
            "SELECT COUNT(*) AS n FROM clinic",
            "SELECT clinic, COUNT(*) FROM t CROSS JOIN clinic GROUP BY clinic",
        ):
            with pytest.raises(InvalidParameter) as unread:
                session.sql(text, epsilon=1)
            assert str(unread.value) == UNREAD
        assert session.ledger.spent.epsilon == 0
        os.rename(tmp_path / "kept", tmp_path / "clinic.csv")  # noqa: PTH104 - as it is done
        assert session.sql("SELECT COUNT(*) AS n FROM clinic", epsilon=1).rows == [{"n": 2}]


def test_a_public_table_that_is_gone_after_the_charge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first stage is paid for and released; what fails then is told in the same words as any failure."""
    file = of_one_person(tmp_path, rows=1000)
    text = "WITH a AS (SELECT COUNT(*) AS n FROM t) SELECT beds, n FROM clinic CROSS JOIN a"
    with privet.connect(file, threads=1) as session:
        assert len(session.sql(text, epsilon=1)) == 2
        exact = DuckDBBackend.sums

        def and_then(backend: DuckDBBackend, request: Bounded) -> Sums:
            sums = exact(backend, request)
            (tmp_path / "clinic.csv").unlink()
            return sums

        monkeypatch.setattr(DuckDBBackend, "sums", and_then)
        with pytest.raises(ReleaseFailed) as failed:
            session.sql(text, epsilon=1)
        assert str(failed.value) == FAILED
        assert session.ledger.spent.epsilon == 2


def test_the_error_explains_a_retry() -> None:
    assert "same key is charged no more, and only tells that its answer is lost" in FAILED
    assert "takes a new key" in CANCELLED
    assert "nothing was charged" in UNREAD
    assert "paid" not in UNREAD
