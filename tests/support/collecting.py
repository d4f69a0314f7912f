"""A collector in this process, with a clock that tests set, asked without a socket."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from privet.local import KaryResponse
from privet.local.device import Collection, ReportMessage, SigningKey
from privet.noise.for_tests import seeded_entropy_for_tests
from privet.server.collect import make_collector_app
from privet.server.collector import Collector
from privet.server.collector.sqlite_store import SqliteStore
from privet.server.survey import new_survey

DAY = 86400
YES, NO = True, False
BUTTONS = KaryResponse(["none", "a", "b"], 2)


@dataclass
class Clock:
    """Seconds since 1970."""

    now: float = 1000.0 * DAY

    def __call__(self) -> float:
        return self.now


def daily(*, minimum_batch: int = 10, periods: int = 40, events: int = 1, retention_days: int = 30) -> Collection:
    """A collection with a period a day, the first one beginning with the clock."""
    return Collection.of(
        BUTTONS,
        title="Buttons",
        purpose="to see which button is liked",
        consent="count my buttons",
        controller="Button Works, Bern",
        events=events,
        none="none",
        period_seconds=DAY,
        starts=1000 * DAY,
        periods=periods,
        lifetime=2 * periods * events,
        minimum_batch=minimum_batch,
        retention_days=retention_days,
    )


def question(text: str = "Have you ever copied in an exam?") -> Collection:
    return new_survey(text, controller="Class 10b")


def message(facts: Collection, value: object, *, period: int = 0, nonce: bytes | None = None) -> ReportMessage:
    """A report as a device sends it, from seeded bits."""
    drawn = ReportMessage.fresh_nonce() if nonce is None else nonce
    source = seeded_entropy_for_tests(int.from_bytes(drawn[:4], "big"))
    payload = facts.randomizer.report(value, entropy=source)
    return ReportMessage(facts.id_bytes, facts.config_hash, period, drawn, payload)


def collector(path: Path, *facts: Collection, clock: Clock | None = None) -> Collector:
    made = Collector(SqliteStore(path), SigningKey(bytes(32)), clock=clock or Clock())
    for each in facts:
        made.publish(each)
    return made


@contextlib.asynccontextmanager
async def client(
    made: Collector, *, window: float = 0.01, address: str = "10.1.2.3"
) -> AsyncIterator[httpx.AsyncClient]:
    app = make_collector_app(made, rate=None, window=window)
    transport = httpx.ASGITransport(app=app, client=(address, 40001), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://collector.test") as asked:
        yield asked


def ask(made: Collector, what: Callable[[httpx.AsyncClient], Awaitable[None]], *, window: float = 0.01) -> None:
    """Run what a test asks of an application."""

    async def run() -> None:
        async with client(made, window=window) as asked:
            await what(asked)

    asyncio.run(run())


async def send(asked: httpx.AsyncClient, *messages: ReportMessage | bytes) -> list[int]:
    """The statuses of reports that are sent at the same time."""
    bodies = [each if isinstance(each, bytes) else each.pack() for each in messages]
    answers = await asyncio.gather(*(asked.post("/v1/reports", content=body) for body in bodies))
    return [answer.status_code for answer in answers]


def held(made: Collector, facts: Collection, period: int = 0) -> int:
    """How many reports of a period are counted."""
    return int(made.store.held(facts.id_bytes, period).times.sum())


@dataclass
class Wire:
    """A transport that carries reports to a collector's checks, and keeps what was asked; for devices in tests."""

    collector: Collector
    online: bool = True
    asked: list[tuple[str, bytes]] = field(default_factory=list)

    def post(self, body: bytes) -> int | None:
        from privet.server.collector.store import Kept  # noqa: PLC0415 - a server's class, in a test of both

        self.asked.append(("report", body))
        if not self.online:
            return None
        known = ReportMessage.unpack(body)
        refused = self.collector.refusal(known)
        if refused is not None:
            return refused
        return 410 if self.collector.store.keep([Kept.of(known)]) else 202

    def collection(self, collection_id: str) -> tuple[bytes, str]:
        self.asked.append(("collection", collection_id.encode()))
        entry = self.collector.entry(collection_id)
        return entry.collection.canonical, entry.signature
