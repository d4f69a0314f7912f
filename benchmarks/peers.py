"""Peers: other libraries, each in an environment of its own, measured in the same run as Privet."""

import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

ENVIRONMENTS = Path(__file__).parents[1] / ".peers"
REPEATS = 9


def best_of(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """Seconds of the fastest of some runs: what the machine can do when nothing else disturbs it."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def peer_python(name: str, requirements: list[str], console: Console) -> str:
    """The Python of the peer's environment, made if need be."""
    python = ENVIRONMENTS / name / "bin" / "python"
    if not (ENVIRONMENTS / name / "ready").exists():
        with console.status(f"installing {' '.join(requirements)} into {ENVIRONMENTS.name}/{name}"):
            _call(sys.executable, "-m", "venv", str(ENVIRONMENTS / name))
            _call(str(python), "-m", "pip", "install", "--quiet", *requirements)
            (ENVIRONMENTS / name / "ready").touch()
    return str(python)


def run_peer(name: str, requirements: list[str], arguments: list[str], console: Console) -> list[str]:
    """Run Python with these arguments in the peer's environment and return the lines it prints."""
    python = peer_python(name, requirements, console)
    with console.status(f"measuring {name}"):
        return _call(python, *arguments).splitlines()


def _call(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own commands
    if done.returncode:
        raise SystemExit(f"privet: {' '.join(command[:4])} failed:\n{done.stderr.strip()[-2000:]}")
    return done.stdout


@dataclass(frozen=True)
class Row:
    """One comparison: what Privet took, what a peer took, and the ratio that was wanted."""

    work: str
    privet: float
    peer: str
    theirs: float
    wanted: str
    met: bool

    @classmethod
    def at_most(cls, work: str, privet: float, peer: str, theirs: float, *, times: float) -> "Row":
        """Privet may take up to so many times what an unsafe or faster peer takes."""
        return cls(work, privet, peer, theirs, f"at most {times:g}x its time", privet <= times * theirs)

    @classmethod
    def faster(cls, work: str, privet: float, peer: str, theirs: float, *, times: float) -> "Row":
        """Privet must be so many times faster."""
        return cls(work, privet, peer, theirs, f"{times:g}x faster", times * privet <= theirs)

    @property
    def ratio(self) -> str:
        """The ratio in the direction that was wanted."""
        if "faster" in self.wanted:
            return f"{self.theirs / self.privet:,.0f}x faster"
        return f"{self.privet / self.theirs:.2f}x its time"


def show(title: str, rows: list[Row], console: Console) -> None:
    table = Table(title=title, title_justify="left")
    for column in ("work", "Privet", "peer", "peer's time", "ratio", "wanted", "met"):
        table.add_column(column, justify="right" if column in {"Privet", "peer's time", "ratio"} else "left")
    for row in rows:
        met = "yes" if row.met else "NO"
        table.add_row(row.work, duration(row.privet), row.peer, duration(row.theirs), row.ratio, row.wanted, met)
    console.print(table)


def duration(seconds: float) -> str:
    """A time in the unit that gives it one to three digits."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"
