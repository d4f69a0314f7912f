"""What a durable spend costs beside a bare insert on the same disk in the same run, and how that grows.

A bare insert is `BEGIN IMMEDIATE; INSERT; COMMIT` at synchronous=FULL: one flush of the disk. A spend also reads what
others wrote, checks caps, links the chain, and flushes the anchor. Both write the same text.

`verify` stands beside plain hashing: the rows read in order and chained by SHA-256, and nothing else. A full check also
parses what each row says, adds it up in every scope, compares caps, checkpoints, keys and the anchor.
"""

import argparse
import hashlib
import shutil
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from rich.console import Console
from rich.progress import Progress, TaskID
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parents[1]))  # the tests' PostgreSQL
from privet import Guarantee, Ledger, Unit
from privet.core import Entry, Journal
from privet.core.journals.sqlite import SqliteJournal
from privet.mechanisms import DiscreteLaplace
from tests.support.postgres import server

PERSON = Unit("person")
COUNT = DiscreteLaplace(l1_sensitivity=1, scale=1000)
SPENDS = 200
CHECKS = 3
CHUNK = 50_000


def paired(first: Callable[[], object], second: Callable[[], object], times: int) -> tuple[float, float]:
    """Median seconds of both, taken in turn, so that a busy machine is busy for both."""
    taken: tuple[list[float], list[float]] = ([], [])
    for _ in range(times):
        for which, work in enumerate((first, second)):
            begun = time.perf_counter()
            work()
            taken[which].append(time.perf_counter() - begun)
    return statistics.median(taken[0]), statistics.median(taken[1])


def entry_of(ledger: Ledger) -> Entry:
    cost = ledger.rule.cost(COUNT.loss)
    return Entry("release", "patients in ward 3", repr(COUNT), COUNT.loss, cost, analyst="ada")


def fill(journal: Journal, entry: Entry, rows: int, bar: Progress) -> None:
    """Bring a journal to so many rows, in a few transactions; every row is a spend as `spend` writes it."""
    task = bar.add_task(f"writing {rows:,} rows", total=rows)
    while (last := journal.head().sequence) + 1 < rows:
        with journal._lock, journal._writing() as pages:  # noqa: SLF001 - a benchmark may
            for _ in range(min(CHUNK, rows - last - 1)):
                for row, facts in journal._append(pages, entry.facts):  # noqa: SLF001 - a benchmark may
                    journal._current().apply(row.sequence, facts, checked=True)  # noqa: SLF001 - a benchmark may
                    journal._head = row  # noqa: SLF001 - a benchmark may
        journal._committed(journal.head())  # noqa: SLF001 - a benchmark may
        bar.update(task, completed=journal.head().sequence)
    bar.remove_task(task)


def bare_sqlite(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE entries (sequence INTEGER PRIMARY KEY, body TEXT)")
    return connection


def sqlite_rows(folder: Path, sizes: list[int], console: Console) -> Table:
    table = Table(title="SQLite: a durable spend", title_justify="left")
    for column in ("rows in the ledger", "bare insert", "spend", "ratio", "open", "hashing", "verify", "ratio"):
        table.add_column(column, justify="right")
    connection = bare_sqlite(folder / "bare.db")
    ledger = Ledger(Guarantee(10**9), unit=PERSON, journal=f"sqlite:///{folder}/ledger.db", analyst="ada", create=True)
    journal = ledger.journal
    entry = entry_of(ledger)
    text = "x" * len(next(iter([row.body for row in journal.rows()])))

    def insert() -> None:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO entries (body) VALUES (?)", (text,))
        connection.execute("COMMIT")

    for size in sizes:
        with Progress(console=console, transient=True) as bar:
            fill(journal, entry, size, bar)
        bare, spend = paired(insert, lambda: _spend(journal, entry), SPENDS)
        begun = time.perf_counter()
        again = SqliteJournal(folder / "ledger.db")
        again.open()
        opened = time.perf_counter() - begun
        with Progress(console=console, transient=True) as bar:
            task = bar.add_task("verifying", total=size)
            hashed, checked = paired(
                lambda: hash_plainly(folder / "ledger.db"),
                lambda: _verify(again, bar, task),  # noqa: B023 - used at once
                CHECKS,
            )
        again.close()
        spent = (*map(_shown, (bare, spend)), f"{spend / bare:.2f}", _shown(opened))
        table.add_row(f"{size:,}", *spent, *map(_shown, (hashed, checked)), f"{checked / hashed:.1f}")
    return table


def hash_plainly(path: Path) -> bytes:
    """The hash of all rows, each over the one before."""
    chained = bytes(32)
    connection = sqlite3.connect(path)
    for sequence, body in connection.execute("SELECT sequence, body FROM entries ORDER BY sequence"):
        chained = hashlib.sha256(chained + sequence.to_bytes(8, "big") + body.encode()).digest()
    connection.close()
    return chained


def _verify(journal: Journal, bar: Progress, task: TaskID) -> None:
    journal.verify(lambda done, of: bar.update(task, completed=done, total=of))


def postgres_rows(console: Console) -> Table | None:
    with server() as address:
        if address is None or find_spec("psycopg") is None:
            console.print("no PostgreSQL here, or no psycopg: its part is left out")
            return None
        import psycopg  # noqa: PLC0415 - only if there is a server

        ledger = Ledger(
            Guarantee(10**9), unit=PERSON, journal=f"{address}&ledger=benchmark", analyst="ada", create=True
        )
        journal = ledger.journal
        entry = entry_of(ledger)
        text = "x" * len(next(iter([row.body for row in journal.rows()])))
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute("CREATE TABLE bare (sequence bigserial PRIMARY KEY, body text)")

            def insert() -> None:
                connection.execute("BEGIN")
                connection.execute("INSERT INTO bare (body) VALUES (%s)", (text,))
                connection.execute("COMMIT")

            bare, spend = paired(insert, lambda: _spend(journal, entry), SPENDS)
        ledger.close()
    table = Table(title="PostgreSQL: a durable spend", title_justify="left")
    for column in ("bare insert", "spend", "ratio"):
        table.add_column(column, justify="right")
    table.add_row(_shown(bare), _shown(spend), f"{spend / bare:.2f}")
    return table


def _spend(journal: Journal, entry: Entry) -> None:
    assert isinstance(journal.spend(entry), int)  # noqa: S101 - a benchmark that measures refusals measures nothing


def _shown(seconds: float) -> str:
    return f"{seconds * 1000:,.2f} ms" if seconds < 1 else f"{seconds:,.1f} s"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000, help="the largest ledger")
    parser.add_argument("--folder", type=Path, default=Path.cwd(), help="on the disk to measure")
    chosen = parser.parse_args()
    console = Console()
    folder = Path(tempfile.mkdtemp(prefix="ledger-benchmark-", dir=chosen.folder))
    try:
        sizes = [size for size in (100, 10_000, 100_000) if size < chosen.rows]
        console.print(sqlite_rows(folder, [*sizes, chosen.rows], console))
        found = postgres_rows(console)
        if found is not None:
            console.print(found)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
