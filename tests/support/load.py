"""Load: analysts at many connections who ask, ask again, are refused and retry, and remember what they were told."""

import http.client
import random
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from tests.support.running_server import PASSWORD, RunningServer, sent

EPSILON = "0.001"  # of each question
PURPOSE = "a load test"
POOL = 8  # statements that an analyst asks again and again, without a key
ANSWERED, LOST, BUDGET, REFUSED, AGAIN = "answered", "lost", "budget", "refused", "again"
Rows = str


@dataclass(frozen=True)
class Told:
    """What came of one try: `AGAIN` if it has to be tried again. Each door writes rows its own way."""

    how: str
    rows: Rows = ""
    door: str = ""


STATES = {"P0002": LOST, "53400": BUDGET, "0A000": REFUSED}  # of the PostgreSQL wire


class Connection(Protocol):
    """A connection of an analyst by some door."""

    def ask(self, text: str, key: str | None) -> Told: ...
    def price(self, text: str) -> Told: ...
    def close(self) -> None: ...


class ByHttp:
    """A connection by HTTP that is kept open."""

    def __init__(self, server: RunningServer, analyst: str) -> None:
        self._server, self._token = server, server.tokens[analyst]
        self._connection: http.client.HTTPConnection | None = None

    def _sent(self, path: str, body: dict[str, Any], **headers: str) -> tuple[int, dict[str, Any]]:
        if self._connection is None:
            self._connection = http.client.HTTPConnection("127.0.0.1", self._server.port, timeout=60)
        try:
            return sent(self._connection, "POST", path, body=body, authorization=f"Bearer {self._token}", **headers)
        except (OSError, http.client.HTTPException, ValueError):
            self.close()
            return 599, {}

    def ask(self, text: str, key: str | None) -> Told:
        headers = {} if key is None else {"idempotency_key": key}
        body = {"statement": text, "epsilon": EPSILON, "purpose": PURPOSE}
        status, facts = self._sent("/api/v1/sql", body, **headers)
        kind = str(facts.get("type", "")).rpartition(":")[2]
        if status == 200:
            return Told(ANSWERED, str(facts["rows"]), type(self).__name__)
        found = {"answer-lost": LOST, "budget-exceeded": BUDGET, "query-refused": REFUSED}.get(kind)
        if found is None and status < 500 and status != 429:
            raise AssertionError((status, facts))
        return Told(found or AGAIN)

    def price(self, text: str) -> Told:
        status, _ = self._sent("/api/v1/explain", {"statement": text, "epsilon": EPSILON})
        return Told(ANSWERED if status == 200 else AGAIN)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None


class ByWire:
    """A connection by the PostgreSQL wire."""

    def __init__(self, server: RunningServer, analyst: str) -> None:
        self._server, self._analyst = server, analyst
        self._connection: Any = None

    def _opened(self) -> Any:  # noqa: ANN401 - psycopg's own
        import psycopg  # noqa: PLC0415 - for those who come by this door

        if self._connection is None:
            self._connection = psycopg.connect(
                host="127.0.0.1",
                port=self._server.postgres_port,
                user=self._analyst,
                password=PASSWORD,
                dbname="people",
                autocommit=True,
                connect_timeout=30,
            )
            self._connection.execute(f"SET privet.epsilon = '{EPSILON}'")
            self._connection.execute(f"SET privet.purpose = '{PURPOSE}'")
            self._connection.execute("SET privet.intervals = 'on'")
        return self._connection

    def _run(self, text: str, key: str | None) -> Told:
        import psycopg  # noqa: PLC0415 - for those who come by this door

        try:
            connection = self._opened()
            connection.execute(f"SET privet.key = '{key or ''}'")
            cursor = connection.execute(text)
            names = [column.name for column in cursor.description]
            rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
            return Told(ANSWERED, str(rows), type(self).__name__)
        except psycopg.Error as problem:
            found = STATES.get(problem.sqlstate or "")
            if found is None:
                self.close()
            return Told(found or AGAIN)

    def ask(self, text: str, key: str | None) -> Told:
        return self._run(text, key)

    def price(self, text: str) -> Told:
        return self._run(f"EXPLAIN {text}", None)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None


class ByAgents(ByHttp):
    """A connection of an AI agent by HTTP: as its library sends messages, without the library, which is slow."""

    def ask(self, text: str, key: str | None) -> Told:
        """Agents have no keys: asking for the same again is free."""
        del key
        said = {"sql": text, "epsilon": EPSILON, "purpose": PURPOSE}
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "ask", "arguments": said}}
        status, facts = self._sent("/mcp", call, accept="application/json, text/event-stream")
        found = facts.get("result", {}).get("structuredContent", {}) if status == 200 else {}
        if found.get("status") == "ok":
            return Told(ANSWERED, str(found["rows"]))
        kinds = {"AnswerLost": LOST, "BudgetExceeded": BUDGET, "QueryRefused": REFUSED}
        return Told(kinds.get(str(found.get("error")), AGAIN))


@dataclass
class Heard:
    """What an analyst was told, by all connections together.

    Args:
        keyed: by key: how each ended, and its rows.
        pooled: by statement and door: all the rows that were ever told for it, which must be one.
        counts: how often what was done.
        waits: seconds of each answer.
    """

    keyed: dict[str, Told] = field(default_factory=dict)
    pooled: dict[tuple[str, str], set[Rows]] = field(default_factory=lambda: defaultdict(set))
    counts: Counter[str] = field(default_factory=Counter)
    waits: list[float] = field(default_factory=list)
    turn: threading.Lock = field(default_factory=threading.Lock)

    @property
    def paid(self) -> int:
        """Questions that were paid for, as far as the analyst knows."""
        keyed = sum(told.how in {ANSWERED, LOST} for told in self.keyed.values())
        return keyed + len({text for (text, _), rows in self.pooled.items() if rows})

    def and_then(self, later: "Heard") -> "Heard":
        """What was told in both of two loads."""
        both = Heard({**self.keyed, **later.keyed})
        for each in (self, later):
            for question, rows in each.pooled.items():
                both.pooled[question] |= rows
        return both


def statement(number: int) -> str:
    """A statement that nobody has asked before, with one or several numbers in its answer."""
    shapes = (
        "SELECT COUNT(*) AS n FROM patient WHERE age < {}",
        "SELECT town, COUNT(*) AS n FROM patient WHERE pid <> {} GROUP BY town ORDER BY town",
        "SELECT AVG(age) AS a FROM patient WHERE pid < {}",
    )
    return shapes[number % len(shapes)].format(number)


@dataclass
class Load:
    """Connections at work.

    Args:
        server: which answers.
        analysts: who ask; connections are shared out among them.
        doors: by which, in turn.
        connections: how many.
        new: share of questions that nobody has asked.
        heard: what analysts were told.
        problems: what should not have happened.
    """

    server: RunningServer
    analysts: Sequence[str]
    doors: Sequence[Callable[[RunningServer, str], Connection]]
    connections: int
    new: float = 0.4
    first: int = 0  # keys have numbers from here on: another load's are others
    heard: dict[str, Heard] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    stop: threading.Event = field(default_factory=threading.Event)  # ends it before its time

    def run(self, seconds: float, *, meanwhile: Callable[[], None] = lambda: None, grace: float = 60) -> float:
        """Ask for so long, then see every key to its end; how long it took."""
        self.heard = {name: Heard() for name in self.analysts}
        began = time.monotonic()
        end = began + seconds
        threads = [
            threading.Thread(target=self._guarded, args=(place, end, end + grace), daemon=True)
            for place in range(self.connections)
        ]
        for thread in threads:
            thread.start()
        meanwhile()
        for thread in threads:
            thread.join(seconds + grace + 120)
        assert not any(thread.is_alive() for thread in threads), "a connection hangs"
        return time.monotonic() - began

    def _guarded(self, place: int, end: float, late: float) -> None:
        try:
            self._work(place, end, late)
        except Exception as problem:  # noqa: BLE001 - told by the test
            self.problems.append(f"{type(problem).__name__}: {problem}")

    def _work(self, place: int, end: float, late: float) -> None:
        analyst = self.analysts[place % len(self.analysts)]
        heard = self.heard[analyst]
        connection = self.doors[place % len(self.doors)](self.server, analyst)
        draw = random.Random(place)  # noqa: S311 - which question comes next
        number = 0
        try:
            while time.monotonic() < end and not self.stop.is_set():
                number += 1
                self._one(connection, heard, draw, self.first + place * 10**6 + number + POOL, late)
        finally:
            connection.close()

    def _one(self, connection: Connection, heard: Heard, draw: random.Random, number: int, late: float) -> None:
        kind = draw.random()
        if kind < self.new:
            key, text = f"key-{number}", statement(number)
            told = self._until(lambda: connection.ask(text, key), heard, late)
            with heard.turn:
                heard.keyed[key] = told
        elif kind < 0.85:
            text = statement(draw.randrange(POOL))
            told = self._until(lambda: connection.ask(text, None), heard, late)
            with heard.turn:
                heard.pooled[text, type(connection).__name__] |= {told.rows} if told.how == ANSWERED else set()
        elif kind < 0.95:
            told = self._until(lambda: connection.price(statement(number)), heard, late)
        else:
            told = self._until(lambda: connection.ask("SELECT * FROM patient", f"key-{number}"), heard, late)
            assert told.how == REFUSED, told
        with heard.turn:
            heard.counts[told.how] += 1

    def _until(self, ask: Callable[[], Told], heard: Heard, late: float) -> Told:
        """Ask, and ask again with the same key for as long as nobody can tell what came of it."""
        while True:
            began = time.monotonic()
            told = ask()
            if told.how != AGAIN:
                with heard.turn:
                    heard.waits.append(time.monotonic() - began)
                return told
            with heard.turn:
                heard.counts["retries"] += 1
            if time.monotonic() > late:
                return told
            time.sleep(0.05)

    @staticmethod
    def text(number: int) -> str:
        """The statement of a key."""
        return statement(number)

    @property
    def replies(self) -> int:
        """How many there were so far."""
        return sum(sum(heard.counts.values()) - heard.counts["retries"] for heard in self.heard.values())

    def figures(self, seconds: float) -> str:
        """How much was asked, for people."""
        waits = sorted(wait for heard in self.heard.values() for wait in heard.waits)
        counts = sum((heard.counts for heard in self.heard.values()), Counter())
        paid = sum(heard.paid for heard in self.heard.values())
        middle, late = waits[len(waits) // 2], waits[int(0.99 * len(waits))]
        return (
            f"{self.connections} connections, {len(self.analysts)} analysts, {seconds:.0f} s: {len(waits):,} replies "
            f"({len(waits) / seconds:,.0f}/s), {paid:,} paid for ({paid / seconds:,.0f}/s); {dict(counts)}; "
            f"median {1e3 * middle:.0f} ms, 99 % {1e3 * late:.0f} ms"
        )
