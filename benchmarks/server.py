"""What a server adds to an answer, how many it gives, and what it keeps in memory; beside `session.sql`, in one run.

`python benchmarks/server.py` takes two minutes; `--minutes 5` watches the memory for so long, `--only` names parts.
"""

import argparse
import itertools
import os
import statistics
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

import privet
from tests.support.load import PURPOSE, ByAgents, ByHttp, ByWire, Connection, Load, statement
from tests.support.running_server import RunningServer, running_server

ASKED = 60  # new statements of each door, one after the other
REPEATED, NEW = 1_000, 100  # answers a second that are wanted of two cores
SHARE, MOST = 0.15, 0.003  # what a door may add: of the time of `session.sql`, or seconds
SECONDS = 10.0
CONNECTIONS = 16
ANALYSTS = {f"analyst{number}": None for number in range(10)}
WARM = 5  # statements before it counts
SAME = statement(0)  # what is asked again and again
Door = type[ByHttp] | type[ByWire]
DOORS: tuple[Door, ...] = (ByHttp, ByWire, ByAgents)


@dataclass(frozen=True)
class Line:
    """One figure.

    Args:
        about: what was measured.
        figure: in words.
        wanted: likewise.
        met: whether it is as wanted; None if it is told only.
    """

    about: str
    figure: str
    wanted: str = ""
    met: bool | None = None


def busy() -> str:
    """How much else the machine had to do."""
    one, five, _ = os.getloadavg()
    return f"load {one:.1f} in the last minute, {five:.1f} in five, on {os.cpu_count()} cores"


def cpu(processes: Iterable[int]) -> float:
    """Seconds that processes have computed, to the nanosecond, by all of their threads."""
    total = 0
    for process in processes:
        for thread in Path(f"/proc/{process}/task").glob("*/schedstat"):
            with suppress(OSError):
                total += int(thread.read_text(encoding="ascii").split()[0])
    return total / 1e9


# --- what a door adds -----------------------------------------------------------------------------------------------


def added(folder: Path) -> list[Line]:
    """New statements, one after the other, by each way in turn, so that whatever else runs disturbs all alike."""
    with ExitStack() as stack:
        server = stack.enter_context(running_server(folder / "doors", analysts={"ada": None}))
        apart = folder / "session"
        apart.mkdir()
        for name in ("people.toml", "patient.parquet"):
            (apart / name).write_bytes((server.folder / name).read_bytes())
        session = stack.enter_context(privet.connect(apart / "people.toml", analyst="ada"))
        far = stack.enter_context(privet.connect(f"http://localhost:{server.port}", token=server.tokens["ada"]))
        ways: dict[str, Callable[[str], object]] = {
            "session.sql": lambda text: session.sql(text, epsilon="0.001", purpose=PURPOSE, key=text),
            "privet.connect": lambda text: far.sql(text, epsilon="0.001", purpose=PURPOSE, key=text),
            **{each.__name__: _asks(stack.enter_context(closing(each(server, "ada")))) for each in DOORS},
        }
        taken, computed = _in_turn(ways, (os.getpid(), *server.workers()))
    beside, own = statistics.median(taken.pop("session.sql")), statistics.median(computed.pop("session.sql"))
    lines = [Line("session.sql with a key", f"{1e3 * beside:.1f} ms, {1e3 * own:.1f} ms of them computing")]
    for name, times in taken.items():
        more, work = statistics.median(times) - beside, statistics.median(computed[name]) - own
        figure = f"{_more(more, beside)}; computing, with the client: {_more(work, own)}"
        lines.append(Line(f"added by {name}", figure, "15 % or 3 ms", more <= max(SHARE * beside, MOST)))
    return lines


def _more(seconds: float, beside: float) -> str:
    return f"{1e3 * seconds:+.1f} ms, {100 * seconds / beside:+.0f} %"


def _in_turn(
    ways: Mapping[str, Callable[[str], object]], processes: Sequence[int]
) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """How long each way takes, and how long all processes compute for it, by statements that nobody has asked."""
    taken: dict[str, list[float]] = {name: [] for name in ways}
    computed: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(ASKED + WARM):
        for name, way in ways.items():
            text, worked, began = new_statement(), cpu(processes), time.perf_counter()
            way(text)
            if turn >= WARM:
                taken[name].append(time.perf_counter() - began)
                computed[name].append(cpu(processes) - worked)
    return taken, computed


def _asks(door: Connection) -> Callable[[str], object]:
    def ask(text: str) -> object:
        told = door.ask(text, text)
        if told.how != "answered":
            raise SystemExit(f"privet: {told}")
        return told

    return ask


NUMBERS = itertools.count(1_000)


def new_statement() -> str:
    """A small statement that nobody has asked before."""
    return statement(3 * next(NUMBERS))


# --- how many a second ----------------------------------------------------------------------------------------------


def rates(folder: Path) -> list[Line]:
    """Repeated and new statements by many connections at once, by two workers; clients compute on the same cores."""
    lines = []
    with running_server(folder / "rates", analysts=ANALYSTS, workers=2) as server:
        for new, wanted in ((False, REPEATED), (True, NEW)):
            lines += [_rate(server, door, new=new, wanted=wanted) for door in DOORS]
    return lines


def _rate(server: RunningServer, door: Door, *, new: bool, wanted: int) -> Line:
    """Answers a second; and how many two cores could give by what each has cost the server to compute."""
    counted, computed = _count(server, door, new=new)
    each = computed / max(counted, 1)
    told = f"the server computes {1e3 * each:.2f} ms for each, so {2 / each:,.0f}/s by two cores of its own"
    figure = f"{counted / SECONDS:,.0f}/s; {told}"
    return Line(f"{'new' if new else 'repeated'} {door.__name__}", figure, f"{wanted:,}/s", counted / SECONDS >= wanted)


def _count(server: RunningServer, door: Door, *, new: bool) -> tuple[int, float]:
    names = tuple(ANALYSTS)
    end = time.monotonic() + SECONDS + 2
    ready = threading.Barrier(CONNECTIONS + 1)
    counts = [0] * CONNECTIONS

    def work(place: int) -> None:
        with closing(door(server, names[place % len(names)])) as connection:
            connection.ask(new_statement() if new else SAME, None)
            ready.wait()
            while time.monotonic() < end:
                told = connection.ask(new_statement() if new else SAME, None)
                counts[place] += told.how == "answered"

    threads = [threading.Thread(target=work, args=(place,), daemon=True) for place in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    ready.wait()
    before, end = cpu(server.workers()), time.monotonic() + SECONDS
    for thread in threads:
        thread.join()
    return sum(counts), cpu(server.workers()) - before


# --- memory ---------------------------------------------------------------------------------------------------------


def memory(folder: Path, minutes: float) -> list[Line]:
    """What the processes keep, once they are warm, under mixed load."""
    with running_server(folder / "memory", analysts=ANALYSTS, workers=2) as server:
        load = Load(server, tuple(ANALYSTS), (ByHttp, ByWire), CONNECTIONS)
        seen: list[int] = []
        stop = threading.Event()

        def watch() -> None:
            while not stop.wait(60 * minutes / 20):
                seen.append(server.memory())

        watching = threading.Thread(target=watch, daemon=True)
        watching.start()
        took = load.run(60 * minutes)
        stop.set()
        watching.join()
    first, last = statistics.mean(seen[4:8]), statistics.mean(seen[-4:])
    grown = last / first - 1
    figure = f"{first / 2**20:,.0f} MB at a fifth of the time, {last / 2**20:,.0f} MB at the end ({100 * grown:+.1f} %)"
    return [
        Line("memory of all processes", figure, "flat: at most 5 % more", grown <= 0.05),
        Line("under this load", load.figures(took)),
    ]


PARTS: Mapping[str, Callable[[Path, float], Sequence[Line]]] = {
    "added": lambda folder, _: added(folder),
    "rates": lambda folder, _: rates(folder),
    "memory": memory,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=1, help="to watch the memory for")
    parser.add_argument("--only", nargs="*", choices=PARTS, default=list(PARTS))
    said = parser.parse_args()
    console = Console()
    warnings.simplefilter("ignore")
    table = Table("measured", "figure", "wanted", "met")
    with tempfile.TemporaryDirectory() as name:
        for part in said.only:
            console.print(f"{part}: {busy()}")
            folder = Path(name) / part
            folder.mkdir()
            for line in PARTS[part](folder, said.minutes):
                met = "" if line.met is None else "yes" if line.met else "no"
                table.add_row(line.about, line.figure, line.wanted, met)
    console.print(table)


if __name__ == "__main__":
    main()
