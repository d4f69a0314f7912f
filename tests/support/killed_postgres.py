"""A PostgreSQL that dies: killed without any cleaning up, and started again as it was."""

import os
import pwd
import shlex
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

PATIENCE = 30.0  # seconds


def data_of(address: str) -> Path:
    """Where a server that tests have started keeps its data."""
    import psycopg  # noqa: PLC0415 - for those who have one

    with psycopg.connect(address) as connection:
        row = connection.execute("SHOW data_directory").fetchone()
        assert row is not None
        return Path(str(row[0]))


def kill_backend(data: Path) -> None:
    """Kill one of the processes that serve connections: the server then ends all of them, and recovers by itself."""
    first = postmaster(data)
    found = [each for each in processes_of(first) if b"idle" in words(each) or b"SELECT" in words(each)]
    if found:
        with suppress(ProcessLookupError):
            os.kill(found[0], signal.SIGKILL)


def kill_and_start(data: Path) -> int:
    """Kill the first process of the server, wait until the others have noticed, and start it anew; its number."""
    first = postmaster(data)
    others = processes_of(first)
    os.kill(first, signal.SIGKILL)
    _until(lambda: not any(map(_runs, [first, *others])))
    for left in (data / "postmaster.pid", *data.glob(".s.PGSQL.*"), *data.parent.glob(".s.PGSQL.*")):
        left.unlink(missing_ok=True)  # which name a process that nobody has waited for, as if it still ran
    command = shlex.split((data / "postmaster.opts").read_text(encoding="utf-8"))
    user = pwd.getpwuid(data.stat().st_uid).pw_name if os.geteuid() == 0 else None
    with (data / "log.again").open("ab") as log:
        started = subprocess.Popen(command, user=user, stdout=log, stderr=log, start_new_session=True, cwd=data)  # noqa: S603 - as it was started before
    _until(lambda: (data / "postmaster.pid").exists() and "ready" in (data / "postmaster.pid").read_text("utf-8"))
    return started.pid


def postmaster(data: Path) -> int:
    """The number of the first process."""
    return int((data / "postmaster.pid").read_text(encoding="utf-8").splitlines()[0])


def processes_of(parent: int) -> list[int]:
    """The processes that a process has started."""
    found = []
    for each in Path("/proc").iterdir():
        if each.name.isdecimal():
            with suppress(OSError, ValueError):
                if int((each / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1]) == parent:
                    found.append(int(each.name))
    return found


def words(process: int) -> bytes:
    """The command line of a process, in which PostgreSQL says what it does."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


def _runs(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _until(done: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < end, "the database neither ends nor starts"
        time.sleep(0.02)
