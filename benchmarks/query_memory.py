"""Run a command and watch the memory of all its processes, from outside: every peer and engine is measured alike."""

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

INTERVAL = 0.02  # seconds between two looks
TREE = 10  # looks between two at which processes there are
PROCESSES = Path("/proc")


@dataclass(frozen=True)
class Watched:
    """What came of a command.

    Args:
        lines: what it printed, also if it failed later.
        peak: bytes, the most that all its processes had together.
        problem: why it ended early, in a line; None if it did not.
    """

    lines: tuple[str, ...]
    peak: int
    problem: str | None


def watch(
    command: Sequence[str],
    *,
    also: Iterable[int] = (),
    seconds: float = 1800,
    environment: Mapping[str, str] | None = None,
) -> Watched:
    """Run it, and look at its memory.

    Args:
        command: with its arguments.
        also: processes that work for it, such as a server; with their children.
        seconds: after which it is ended.
        environment: variables beside those there are.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as said:
        process = subprocess.Popen(  # noqa: S603 - our own commands
            command, stdout=out, stderr=said, start_new_session=True, env={**os.environ, **(environment or {})}
        )
        try:
            peak, late = _watched(process, [process.pid, *also], time.monotonic() + seconds)
        finally:
            with contextlib.suppress(ProcessLookupError):  # it, and what it left behind
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        lines, words = (_text(file).splitlines() for file in (out, said))
    problem = None
    if late:
        problem = f"ended after {seconds:,.0f} s"
    elif process.returncode:
        problem = next((line.strip() for line in reversed(words) if line.strip()), f"exit {process.returncode}")[:300]
    return Watched(tuple(lines), peak, problem)


def _watched(process: subprocess.Popen[bytes], roots: list[int], until: float) -> tuple[int, bool]:
    peak = 0
    look = 0
    tree = list(roots)
    while process.poll() is None:
        if time.monotonic() > until:
            return peak, True
        if look % TREE == 0:
            tree = list(_tree(roots))
        look += 1
        peak = max(peak, memory_of(tree))
        time.sleep(INTERVAL)
    return peak, False


def memory_of(processes: Iterable[int]) -> int:
    """Bytes in memory; what processes share on purpose counts once. For one process, the most it ever had."""
    own, shared, most = 0, 0, 0
    for process in processes:
        status = _status(process)
        own += status.get("RssAnon", 0) + status.get("RssFile", 0)
        shared = max(shared, status.get("RssShmem", 0))
        most = max(most, status.get("VmHWM", 0))
    return max(own + shared, most)


def _status(process: int) -> dict[str, int]:
    """Sizes in bytes, by name; none if the process is gone."""
    try:
        lines = (PROCESSES / str(process) / "status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return {}
    pairs = (line.split(":", 1) for line in lines if line.endswith(" kB"))
    return {name: int(size.split()[0]) * 1024 for name, size in pairs}


def _tree(roots: Iterable[int]) -> Iterator[int]:
    """The processes and all their children."""
    children: dict[int, list[int]] = {}
    for folder in PROCESSES.iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError, IndexError, ValueError):
                stat = (folder / "stat").read_text(encoding="utf-8", errors="replace")
                children.setdefault(int(stat.rpartition(")")[2].split()[1]), []).append(int(folder.name))
    waiting = list(roots)
    found = set()
    while waiting:
        process = waiting.pop()
        if process not in found:
            found.add(process)
            yield process
            waiting += children.get(process, [])


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")
