"""Load: many threads and analysts on one ledger; no overspend, no lost answer, and the journal's own sums are exact.

Throughput and waiting times are printed, and nothing is asserted about them.
"""

import itertools
import random
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pytest

import privet
from privet.core import Ledger, Scope
from privet.errors import BudgetExceeded
from privet.query.results.answer import Answer
from privet.query.session import Session
from tests.support.postgres import MISSING, server

pytestmark = pytest.mark.whole

ANALYSTS = [f"analyst{number}" for number in range(10)]
ROWS = 2_000
CITIES = ("Basel", "Bern", "Genf")
STEP = Fraction(1, 100)  # what a question costs
STATEMENTS = (
    "SELECT COUNT(*) AS n FROM visit",
    "SELECT city, COUNT(*) AS n FROM visit GROUP BY city",
    "SELECT AVG(cost) AS c FROM visit WHERE city = 'Bern'",
)
NUMBERS = itertools.count()


@dataclass
class Tally:
    """What the threads saw, all together."""

    answered: Counter[str] = field(default_factory=Counter)  # questions paid for, by analyst
    refused: Counter[str] = field(default_factory=Counter)
    keyed: dict[tuple[str, str], Answer] = field(default_factory=dict)
    waits: list[float] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)


def catalog(folder: Path, ledger: str, *, limits: list[int], limit: int) -> Path:
    """A database file with visits, and a catalog in which every analyst has a limit, counted in questions."""
    with duckdb.connect(str(folder / "load.duckdb")) as connection:
        cities = " ".join(f"WHEN {number} THEN '{city}'" for number, city in enumerate(CITIES[:-1]))
        connection.execute(
            f"CREATE TABLE visit AS SELECT range AS pid, CASE range % 3 {cities} ELSE '{CITIES[-1]}' END AS city, "  # noqa: S608 - names of this file
            f"range % 100 AS cost FROM range({ROWS})"
        )
    analysts = "".join(
        f'[analysts.{name}]\nlimit = {{ epsilon = "{most * STEP}" }}\n'
        for name, most in zip(ANALYSTS, limits, strict=True)
    )
    listed = ", ".join(f'"{city}"' for city in CITIES)
    file = folder / "load.toml"
    file.write_text(
        f'name = "load"\nsource = "duckdb:///load.duckdb"\nledger = "{ledger}"\nunit = "patient"\n'
        f'limit = {{ epsilon = "{limit * STEP}" }}\n{analysts}[tables.visit]\nunit_column = "pid"\n'
        f'columns.city = {{ type = "text", values = [{listed}] }}\n'
        'columns.cost = { type = "integer", bounds = [0, 100] }\n',
        encoding="utf-8",
    )
    return file


def ask(sessions: dict[str, Session], tally: Tally, number: int, until: float) -> None:
    """Ask until the time is over: plainly, with a key that others may have too, and several at once."""
    draw = random.Random(number)  # noqa: S311 - who asks what
    while time.monotonic() < until:
        name = draw.choice(ANALYSTS)
        start = time.monotonic()
        session = sessions[name]
        how = draw.randrange(4)
        try:
            if how == 0:
                key = f"k{draw.randrange(200)}"
                answer = session.sql(STATEMENTS[0], epsilon=STEP, key=key)
                with tally.lock:
                    before = tally.keyed.setdefault((name, key), answer)
                assert answer == before, "the same key has the same answer"
            elif how == 1:
                assert len(session.batch(list(STATEMENTS), epsilon=STEP)) == len(STATEMENTS)
            else:
                assert session.sql(STATEMENTS[number % len(STATEMENTS)], epsilon=STEP).rows
            with tally.lock:
                tally.answered[name] += how != 0
                tally.waits.append(time.monotonic() - start)
        except BudgetExceeded:
            with tally.lock:
                tally.refused[name] += 1


def load(file: Path, *, threads: int, seconds: float) -> Tally:
    """One session for each analyst, all threads on all of them."""
    tally = Tally()
    with ExitStack() as stack:
        sessions = {name: stack.enter_context(privet.connect(file, analyst=name, threads=1)) for name in ANALYSTS}
        for session in sessions.values():  # so that planning is not what is measured
            session.explain(list(STATEMENTS), epsilon=STEP)
        until = time.monotonic() + seconds
        with ThreadPoolExecutor(threads) as pool:
            for each in [pool.submit(ask, sessions, tally, number, until) for number in range(threads)]:
                each.result()
        for (name, key), answer in tally.keyed.items():  # no answer is lost: each is there to be had again, for free
            assert sessions[name].sql(STATEMENTS[0], epsilon=STEP, key=key) == answer
    return tally


def check(address: str, tally: Tally, limits: list[int], limit: int) -> None:
    """The journal verifies, and its rows add up to what the threads were given, to the last digit."""
    keyed = Counter(name for name, _ in tally.keyed)
    paid = {name: (tally.answered[name] + keyed[name]) * STEP for name in ANALYSTS}
    with Ledger.open(address) as ledger:
        ledger.verify()
        books = ledger.journal.books()
        by_hand = Counter[str]()
        for entry in ledger.entries:
            by_hand[str(entry.analyst)] += entry.cost.epsilon  # type: ignore[assignment] # exact fractions
        for name, most in zip(ANALYSTS, limits, strict=True):
            spent = books.account(Scope(name)).spent.epsilon
            assert spent == paid[name] == by_hand[name]
            assert spent <= most * STEP
        assert ledger.spent.epsilon == sum(paid.values()) <= limit * STEP


def report(request: pytest.FixtureRequest, what: str, tally: Tally, seconds: float) -> None:
    """Say how fast it was, in the log of the tests and on the screen."""
    waits, number = sorted(tally.waits), len(tally.waits)
    middle, slow = (1000 * waits[min(int(share * number), number - 1)] for share in (0.5, 0.99))
    words = (
        f"{what}: {number / seconds:.0f} answers a second, half of them within {middle:.0f} ms and 99 % within "
        f"{slow:.0f} ms; {number} answers, {sum(tally.refused.values())} refusals"
    )
    reporter = request.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None:
        reporter.write_line("")
        reporter.write_line(words)
    request.node.user_properties.append(("load", words))


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/ledger.db"
        return
    with server() as found:
        if found is None:
            pytest.skip(MISSING)
        yield f"{found}&ledger=load_{next(NUMBERS)}"


@pytest.mark.parametrize(
    ("threads", "seconds"),
    [pytest.param(8, 3, id="sample"), pytest.param(32, 60, id="whole", marks=pytest.mark.soak)],
)
def test_load(request: pytest.FixtureRequest, address: str, tmp_path: Path, threads: int, seconds: float) -> None:
    """Half of the analysts run out of budget, and then the dataset may; the others do not."""
    limits = [20 if number % 2 else 10**6 for number in range(len(ANALYSTS))]
    file = catalog(tmp_path, address, limits=limits, limit=10**6)
    tally = load(file, threads=threads, seconds=seconds)
    report(request, f"{address.partition(':')[0]}, {threads} threads, {len(ANALYSTS)} analysts", tally, seconds)
    check(address, tally, limits, 10**6)
    assert tally.waits
    assert any(tally.answered.values())


def test_the_limit_of_the_dataset_is_met_exactly(tmp_path: Path) -> None:
    """Everybody asks for what is left at the same time: exactly as much is given as there is."""
    address = f"sqlite:///{tmp_path}/ledger.db"
    file = catalog(tmp_path, address, limits=[60] * len(ANALYSTS), limit=60)
    given: list[Any] = []
    with ExitStack() as stack:
        sessions = [stack.enter_context(privet.connect(file, analyst=name, threads=1)) for name in ANALYSTS]

        def take(number: int) -> None:
            try:
                given.append(sessions[number % len(sessions)].sql(STATEMENTS[0], epsilon=STEP).rows)
            except BudgetExceeded:
                return

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(take, range(90)))
    assert len(given) == 60
    with Ledger.open(address) as ledger:
        ledger.verify()
        assert ledger.remaining.epsilon == 0
