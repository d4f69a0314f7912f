"""A real Spark that loses what it needs: one error, the spend kept, the session good for the next question."""

import contextlib
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import privet
from privet import Catalog, Guarantee, Unit
from privet.core.silence import FAILED
from privet.errors import InvalidParameter, ReleaseFailed
from privet.query.backends.spark import lost_workers
from privet.query.catalog import DeclaredTable
from privet.query.plan.limits import Limits
from privet.query.scalars.facts import Facts, Type
from privet.query.session import Session
from tests.support.hospital import number
from tests.support.on_spark import Spark, spark
from tests.support.spark import free_port

COUNTED = "SELECT COUNT(*) AS n FROM event"
LONG = 40_000_000_000  # rows that Spark makes up: minutes of work
STARTING = 0.3  # seconds that a stage takes to hand out its first tasks


@pytest.fixture(scope="module")
def engine() -> Spark:
    try:
        return spark()
    except OSError as problem:
        pytest.skip(str(problem))


def event(files: str | None = None) -> DeclaredTable:
    columns = {"pid": Facts(Type.INTEGER, nullable=False), "amount": number(0, 100)}
    return DeclaredTable("event", columns, unit_column="pid", limits=Limits(rows_per_unit=4), files=files)


def catalog(table: DeclaredTable, **more: object) -> Catalog:
    return Catalog("events", Unit("person"), Guarantee(1000), {"event": table}, **more)  # type: ignore[arg-type] # a test's own


def rows(engine: Spark, many: int) -> Catalog:
    """A table that Spark makes up as it goes."""
    made = engine.session.range(many).selectExpr("id % 1000 AS pid", "CAST(id % 100 AS INT) AS amount")
    return catalog(event(), frames={"event": made})


def in_files(engine: Spark, folder: Path) -> Session:
    for part in range(2):
        table = pa.table({"pid": pa.array(range(part * 500, part * 500 + 500)), "amount": pa.array([7] * 500)})
        pq.write_table(table, folder / f"{part}.parquet")
    return privet.connect(catalog(event(f"{folder}/*.parquet"), source=engine.cluster.source))


def fails(session: Session, text: str = COUNTED) -> None:
    """Asking fails with the one error, and stays paid for."""
    before = session.ledger.spent
    with pytest.raises(ReleaseFailed) as caught:
        session.sql(text, epsilon=1)
    assert FAILED in str(caught.value)
    assert "parquet" not in str(caught.value).lower()
    assert caught.value.__cause__ is None
    assert session.ledger.spent != before


def refuses(session: Session) -> None:
    """Files that have changed are not read, and nothing is paid."""
    before = session.ledger.spent
    with pytest.raises(InvalidParameter, match="files of the tables have changed: connect again; nothing was charged"):
        session.sql(COUNTED, epsilon=1)
    assert session.ledger.spent == before


def answers(session: Session, wanted: int) -> None:
    found = session.sql(COUNTED, epsilon=50).table.to_pylist()[0]["n"]
    assert abs(found - wanted) < 20


@contextlib.contextmanager
def while_it_runs(engine: Spark, do: Callable[[], object]) -> Iterator[None]:
    """Do something as soon as Spark is at work."""
    tracker = engine.session.sparkContext.statusTracker()
    done = threading.Event()

    def wait() -> None:
        while not done.is_set() and not tracker.getActiveStageIds():  # running tasks are told of only when others end
            time.sleep(0.05)
        if not done.wait(STARTING):
            do()

    thread = threading.Thread(target=wait)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def executors(engine: Spark) -> list[int]:
    """The processes that work for the worker."""
    worker = engine.cluster.running["worker"].pid
    found = []
    for task in Path(f"/proc/{worker}/task").iterdir():
        found += [int(each) for each in (task / "children").read_text().split()]
    return found


def test_a_file_that_has_vanished(engine: Spark, tmp_path: Path) -> None:
    session = in_files(engine, tmp_path)
    kept = (tmp_path / "1.parquet").read_bytes()
    (tmp_path / "1.parquet").unlink()
    refuses(session)
    (tmp_path / "1.parquet").write_bytes(kept)
    refuses(session)  # it may be another one
    answers(in_files(engine, tmp_path), 1000)


def test_a_damaged_file(engine: Spark, tmp_path: Path) -> None:
    session = in_files(engine, tmp_path)
    (tmp_path / "1.parquet").write_bytes(b"\0" * (tmp_path / "1.parquet").stat().st_size)
    refuses(session)
    answers(in_files(engine, tmp_path), 1000)


@pytest.mark.usefixtures("control_c")
def test_control_c_cancels_the_jobs(engine: Spark) -> None:
    session = privet.connect(rows(engine, LONG))
    with while_it_runs(engine, lambda: os.kill(os.getpid(), signal.SIGINT)), pytest.raises(KeyboardInterrupt):
        session.sql(COUNTED, epsilon=1)
    assert not engine.session.sparkContext.statusTracker().getActiveJobsIds()
    assert session.ledger.spent.epsilon > 0
    answers(privet.connect(rows(engine, 1000)), 1000)


def test_an_executor_killed_is_replaced_and_the_answer_the_same(engine: Spark) -> None:
    session = privet.connect(rows(engine, 30_000_000))
    killed: list[int] = []

    def kill() -> None:
        for process in executors(engine):
            os.kill(process, signal.SIGKILL)
            killed.append(process)

    with while_it_runs(engine, kill):
        answers(session, 4 * 1000)
    assert killed


def test_a_full_disk(engine: Spark) -> None:
    """Where shuffles are written, no file may grow any more."""
    session = privet.connect(rows(engine, 200_000))
    answers(session, 4 * 1000)
    limits = {each: resource.prlimit(each, resource.RLIMIT_FSIZE) for each in executors(engine)}
    assert limits
    try:
        for process, (_, most) in limits.items():
            resource.prlimit(process, resource.RLIMIT_FSIZE, (16, most))
        fails(session)
    finally:
        for process, before in limits.items():
            with contextlib.suppress(ProcessLookupError):
                resource.prlimit(process, resource.RLIMIT_FSIZE, before)
    answers(session, 4 * 1000)


@pytest.mark.soak
def test_a_lost_worker(engine: Spark, monkeypatch: pytest.MonkeyPatch) -> None:
    session = privet.connect(rows(engine, LONG))
    monkeypatch.setattr(lost_workers, "PATIENCE", 3.0)

    def lose() -> None:
        for process in executors(engine):
            os.kill(process, signal.SIGKILL)
        engine.cluster.kill("worker")

    with while_it_runs(engine, lose):
        fails(session)
    monkeypatch.undo()
    engine.cluster.start_worker()
    answers(privet.connect(rows(engine, 1000)), 1000)


def test_no_master_is_told_before_anything_is_spent() -> None:
    address = f"spark://127.0.0.1:{free_port()}"
    with pytest.raises(InvalidParameter, match=r"no Spark master answers|runs a Spark on"):
        privet.connect(catalog(event("x.parquet"), source=address))


ENDED = """
import os, signal, subprocess, sys
import privet
from privet.errors import InvalidParameter
from tests.query.engines.test_spark_faults import COUNTED, catalog, event
made = catalog(event(sys.argv[1]), source="spark+local[1]")
session = privet.connect(made)
print(session.sql(COUNTED, epsilon=50).table.to_pylist())
java = subprocess.run(["pgrep", "-P", str(os.getpid()), "java"], capture_output=True, text=True).stdout.split()
for each in java:
    os.kill(int(each), signal.SIGKILL)
spent = session.ledger.spent
try:
    session.sql(COUNTED, epsilon=1)
except InvalidParameter as problem:
    print(problem)
assert session.ledger.spent == spent
print(privet.connect(made).sql(COUNTED, epsilon=50).table.to_pylist())
print("done")
"""


@pytest.mark.soak
def test_a_driver_that_has_ended_is_told_and_started_again(tmp_path: Path) -> None:
    pq.write_table(pa.table({"pid": list(range(100)), "amount": [7] * 100}), tmp_path / "event.parquet")
    found = subprocess.run(  # noqa: S603 - this interpreter
        [sys.executable, "-c", ENDED, str(tmp_path / "event.parquet")],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
        cwd=Path(__file__).parents[3],
    )
    assert "Spark has ended: connect again" in found.stdout, found.stderr
    assert found.stdout.endswith("done\n")
