"""The fault sweep: run in a process that was started with the shim, it fails system calls of forked children."""

import errno
import faulthandler
import json
import os
import select
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from privet.core.journals.sqlite import SqliteJournal
from tests.core.journals.conftest import MEMORY_DISK
from tests.core.journals.disk.checks import complaints, wrong_errors
from tests.core.journals.disk.planted import PLANTED
from tests.core.journals.disk.programs import PATIENCE, PROGRAMS, Fact, Story, starts
from tests.core.journals.disk.shim import ERRORS, LASTING, Event, Shim, events, name_of

SECONDS = 20.0  # after which a child counts as hanging


@dataclass(frozen=True)
class Fault:
    """One call to fail.

    Args:
        program: of `PROGRAMS`.
        number: which of its calls.
        error: with what.
        lasting: also all later ones of the same kind.
    """

    program: str
    number: int
    error: int
    lasting: bool


class Child:
    """A forked process that says things line by line, and may be kept waiting at its end."""

    def __init__(self, work: Callable[[Callable[[str], None]], None]) -> None:
        self._said, saying = os.pipe()
        waiting, self._go = os.pipe()
        self._rest = b""
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self._said)
            os.close(self._go)
            faulthandler.dump_traceback_later(SECONDS / 2)  # where it hangs, for whoever reads the test's output
            try:
                work(lambda line: _say(saying, line))
                _say(saying, "done")
                os.read(waiting, 1)
            finally:
                os._exit(0)
        os.close(saying)
        os.close(waiting)

    def facts(self) -> list[Fact] | None:
        """What it says until it is done; None if it hangs or dies."""
        end = time.monotonic() + SECONDS
        found = list[Fact]()
        while True:
            *lines, self._rest = self._rest.split(b"\n")
            for line in lines:
                if line == b"done":
                    return found
                found.append(json.loads(line))
            ready, _, _ = select.select([self._said], [], [], max(0.0, end - time.monotonic()))
            more = os.read(self._said, 65536) if ready else b""
            if not more:
                return None
            self._rest += more

    def end(self) -> None:
        os.close(self._go)
        os.close(self._said)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def _say(file: int, line: str) -> None:
    os.write(file, line.encode() + b"\n")


class Sweep:
    """Folders, the shim, and one fault after the other."""

    def __init__(self, place: Path, planted: str = "") -> None:
        self._place = place
        self._shim = Shim()
        self._planted = planted
        (place / "starts").mkdir()
        self._starts = starts(place / "starts")
        self._count = 0

    def calls_of(self, program: str) -> list[Event]:
        """The calls of a program, without any fault."""
        return [event for event in self._traced(program, None)[2] if event.asked]

    def trace(self, program: str, fault: Fault | None = None) -> tuple[dict[str, bytes], list[Fact], list[Event]]:
        """The files that a program found, what was told before, and what it did."""
        files, before, found = self._traced(program, fault)
        return files, before, [event for event in found if not event.asked]

    def _traced(self, program: str, fault: Fault | None) -> tuple[dict[str, bytes], list[Fact], list[Event]]:
        folder, before = self._folder(program)
        files = {path.name: path.read_bytes() for path in folder.iterdir()}
        trace = self._place / "trace"
        with trace.open("wb") as file:
            child = Child(lambda tell: self._run(program, folder, tell, file.fileno(), fault))
            facts = child.facts()
            child.end()
        assert facts is not None, f"{program} hangs"
        shutil.rmtree(folder)
        return files, before, list(events(trace.read_bytes()))

    def faults_of(self, program: str, kinds: Sequence[str]) -> Iterator[Fault]:
        """All ways to fail one call of a program that is of some kinds."""
        for number, event in enumerate(self.calls_of(program)):
            for error in ERRORS[event.kind] if event.kind in kinds else ():
                yield Fault(program, number, error, lasting=False)
                if error in LASTING and event.kind != "lock":  # SQLite tries a lock again for 10 s each time
                    yield Fault(program, number, error, lasting=True)

    def result(self, fault: Fault) -> tuple[str, list[str]]:
        """Which call was failed, and what does not hold after it."""
        folder, before = self._folder(fault.program)
        child = Child(lambda tell: self._run(fault.program, folder, tell, -1, fault))
        try:
            facts = child.facts()
            if facts is None:
                return "?", ["hangs, or died"]
            failed = next((fact["failed"] for fact in facts if "failed" in fact), None)
            found = wrong_errors(facts, unread=fault.error == errno.EIO and (failed or "").startswith("read"))
            found += [f"let go of {fact['dropped']} locks" for fact in facts if fact.get("dropped")]
            found += [f"leaves {fact['left']} open" for fact in facts if fact.get("left")]
            told = before + facts
            found += self._looked_at(folder, told, "while it lives")
        finally:
            child.end()
        found += self._looked_at(folder, told, "after its end")
        shutil.rmtree(folder)
        return failed or "nothing", found

    def _looked_at(self, folder: Path, facts: Sequence[Fact], when: str) -> list[str]:
        label = f"a newcomer's {when}"

        def look(tell: Callable[[str], None]) -> None:
            for complaint in complaints(folder, facts, label):
                tell(json.dumps({"complaint": complaint}))

        child = Child(look)
        said = child.facts()
        child.end()
        return [f"hangs {when}"] if said is None else [f"{each['complaint']} ({when})" for each in said]

    def _folder(self, program: str) -> tuple[Path, list[Fact]]:
        start = self._starts[PROGRAMS[program][0]]
        self._count += 1
        folder = self._place / str(self._count)
        shutil.copytree(start, folder)
        return folder, [json.loads(line) for line in start.with_suffix(".facts").read_text().splitlines()]

    def _run(
        self,
        program: str,
        folder: Path,
        tell: Callable[[str], None],
        trace: int,
        fault: Fault | None = None,
    ) -> None:
        """In a child: the program, and after the fault what it left behind."""
        shim = self._shim
        PLANTED[self._planted]()
        shim.watch(folder, trace)
        if fault is not None:
            shim.fail(fault.number, fault.error, lasting=fault.lasting)

        def told(line: str) -> None:
            shim.mark(line)
            tell(line)

        (SqliteJournal.__init__.__kwdefaults__ or {})["timeout"] = PATIENCE  # for commands, too
        story = Story(folder, told)
        PROGRAMS[program][1](story)
        if fault is None:
            return
        failed = shim.failed
        if failed is not None:
            kind, path = failed
            tell(json.dumps({"failed": f"{kind} of {path.removeprefix(str(folder))}"}))
        shim.calm()
        left = [link for link in map(_link, Path("/proc/self/fd").iterdir()) if link.startswith(str(folder))]
        tell(json.dumps({"left": sorted(left), "dropped": shim.dropped}))


def on_a_fast_disk() -> Path | None:
    """A disk in memory, where there is one."""
    return MEMORY_DISK if MEMORY_DISK.is_dir() else None


def _link(path: Path) -> str:
    try:
        return str(path.readlink())
    except OSError:
        return ""


def swept(asked: Fact, place: Path) -> Fact:
    """Fail calls as asked, and say how many of which kinds and what was found.

    Args:
        asked: "programs" (all if left out), "kinds" of calls (all if left out), a "sample" of so many by its "seed"
            (all if left out), and what is "planted".
        place: an empty folder.
    """
    sweep = Sweep(place, asked.get("planted", ""))
    programs, wanted = asked.get("programs", list(PROGRAMS)), asked.get("kinds", list(ERRORS))
    faults = [fault for program in programs for fault in sweep.faults_of(program, wanted)]
    if "sample" in asked:
        faults = Random(asked["seed"]).sample(faults, asked["sample"])  # noqa: S311 - which calls to try
    kinds: Counter[str] = Counter()
    found: list[str] = []
    for fault in faults:
        failed, complaints = sweep.result(fault)
        kinds[failed.partition(" ")[0]] += 1
        what = f"{fault.program} {fault.number}: {failed} {name_of(fault.error)}{' lasting' * fault.lasting}"
        found += [f"{what}: {complaint}" for complaint in complaints]
    return {"failed": len(faults), "kinds": kinds, "found": found}


def answer_each(work: Callable[[Fact, Path], Fact]) -> None:
    """Do what the command line asks, one after the other, and print what each gave, as JSON."""
    summaries = []
    for asked in json.loads(sys.argv[1]):
        with tempfile.TemporaryDirectory(prefix="privet-disk-", dir=on_a_fast_disk()) as place:
            summaries.append(work(asked, Path(place)))
    sys.stdout.write(json.dumps(summaries))


if __name__ == "__main__":
    answer_each(swept)
