"""Reports: taken once, refused in one sentence, acknowledged when durable, whatever bytes come."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.local.device import ReportMessage
from privet.noise import BitSource
from privet.server.collector.rate_limit import HOUR, RateLimit
from privet.server.collector.report_route import SENTENCES
from privet.server.collector.sqlite_store import SqliteStore
from privet.server.collector.store import Kept, StoreUnavailable
from tests.support.collecting import DAY, NO, YES, Clock, ask, collector, daily, held, message, question, send


def test_a_report_is_counted_once_however_often_it_comes(tmp_path: Path) -> None:
    facts = question()
    made = collector(tmp_path / "a.db", facts)
    one = message(facts, YES)

    async def many(asked: httpx.AsyncClient) -> None:
        assert await send(asked, *[one] * 50) == [202] * 50  # fifty devices with the same bytes, at once
        other = bytes([1 - one.payload[0]])
        assert await send(asked, replace(one, payload=other)) == [202]  # the same nonce for another answer
        answer = await asked.post("/v1/reports", content=one.pack())
        assert (answer.status_code, answer.content) == (202, b"")

    ask(made, many)
    ask(collector(tmp_path / "a.db"), many)  # after a restart
    assert held(made, facts) == 1
    assert made.store.held(facts.id_bytes, 0).payloads == one.payload


def test_what_is_no_report_is_refused(tmp_path: Path) -> None:
    clock = Clock()
    facts, closed = daily(periods=5), question()
    made = collector(tmp_path / "a.db", facts, closed, clock=clock)
    made.stop(closed.id)
    clock.now += 2 * DAY
    good = message(facts, "a", period=2)
    made.close(facts.id, 1)

    async def each(asked: httpx.AsyncClient) -> None:
        wrong = {
            400: [
                b"",
                b"x",
                good.pack()[:-1],
                good.pack() + b"0",
                b"\x02" + good.pack()[1:],
                good.pack()[:-1] + b"\x03",
            ],
            404: [replace(good, collection=bytes(16)).pack()],
            409: [replace(good, config_hash=bytes(16)).pack()],
            410: [replace(good, period=period).pack() for period in (0, 1)] + [message(closed, YES).pack()],
            413: [bytes(5000), bytes(10_000_000)],
            425: [replace(good, period=3).pack()],
        }
        wrong[400] += [good.pack()[:-1] + b"\x03"]
        wrong[400] += [replace(good, period=period).pack() for period in (5, 2**32 - 1)]
        for status, bodies in wrong.items():
            assert await send(asked, *bodies) == [status] * len(bodies), status
            answer = await asked.post("/v1/reports", content=bodies[0])
            assert answer.json() == {"title": SENTENCES[status], "status": status}
        assert await send(asked, good) == [202]
        assert (await asked.get("/v1/reports")).status_code == 405

    ask(made, each)
    assert [held(made, facts, period) for period in range(4)] == [0, 0, 1, 0]


def test_a_batch_with_a_closed_period_counts_the_others(tmp_path: Path) -> None:
    one, two = question(), question()
    made = collector(tmp_path / "a.db", one, two)
    other = collector(tmp_path / "a.db")
    other.stop(one.id)  # another process; this one believes its list for a moment
    assert made.store.keep([Kept.of(message(each, YES)) for each in (one, two)]) == {(one.id_bytes, 0)}
    assert (held(made, one), held(made, two)) == (0, 1)


class Broken(SqliteStore):
    """A store whose disk is full now and then."""

    full = True

    def keep(self, reports: object) -> set[tuple[bytes, int]]:
        if self.full:
            raise StoreUnavailable("full")
        return super().keep(reports)  # type: ignore[arg-type]


def test_what_is_not_durable_is_not_acknowledged(tmp_path: Path) -> None:
    facts = question()
    made = collector(tmp_path / "a.db", facts)
    made.store = broken = Broken(tmp_path / "a.db")
    one, two = message(facts, YES), message(facts, NO)

    async def twice(asked: httpx.AsyncClient) -> None:
        assert await send(asked, one, two) == [503, 503]
        broken.full = False
        assert await send(asked, one) == [202]

    ask(made, twice)
    assert held(made, facts) == 1


@pytest.mark.parametrize("harm", ["read-only", "full"])
def test_a_database_that_cannot_be_written_answers_503(harm: str, tmp_path: Path) -> None:
    facts = question()
    made = collector(tmp_path / "a.db", facts)
    store = made.store
    assert isinstance(store, SqliteStore)
    store._rows.execute("PRAGMA query_only=ON" if harm == "read-only" else "PRAGMA max_page_count=1")

    async def none(asked: httpx.AsyncClient) -> None:
        many = [message(facts, YES) for _ in range(300)]  # more than the free room of the pages there are
        assert await send(asked, *many) == [503] * len(many)

    ask(made, none)
    assert held(made, facts) == 0


def test_any_bytes_get_a_status_and_no_row(tmp_path: Path) -> None:
    facts = question()
    made = collector(tmp_path / "a.db", facts)
    head = message(facts, YES).pack()

    @given(st.one_of(st.binary(max_size=80), st.binary(min_size=1, max_size=30).map(lambda some: head + some)))
    def any_body(body: bytes) -> None:
        async def one(asked: httpx.AsyncClient) -> None:
            answer = await asked.post("/v1/reports", content=body)
            assert 400 <= answer.status_code < 500
            assert set(answer.json()) == {"title", "status"}

        ask(made, one)

    @given(st.integers(0, 53), st.binary(min_size=1, max_size=4))
    def any_change(place: int, some: bytes) -> None:
        changed = head[:place] + some + head[place + len(some) :]
        known = ReportMessage.unpack(changed) if len(changed) == len(head) and changed[0] == 1 else None

        async def one(asked: httpx.AsyncClient) -> None:
            (status,) = await send(asked, changed)
            untouched = known is not None and (known.collection, known.config_hash, known.period) == (
                facts.id_bytes,
                facts.config_hash,
                0,
            )
            taken = untouched and known is not None and known.payload in {b"\0", b"\1"}
            assert (status == 202) == taken
            assert status == 202 or 400 <= status < 500

        ask(made, one, window=0.0)

    any_body()
    assert held(made, facts) == 0
    any_change()


def test_an_address_sends_as_often_as_it_may_and_is_forgotten() -> None:
    clock = Clock(0.0)
    rate = RateLimit(rate=1, burst=3, clock=clock)
    assert [rate.allows("10.0.0.1") for _ in range(5)] == [True, True, True, False, False]
    assert rate.allows("10.0.0.2")
    clock.now += 2
    assert [rate.allows("10.0.0.1") for _ in range(3)] == [True, True, False]
    names = set(rate._left)
    assert b"10.0.0.1" not in b"".join(names)
    clock.now += HOUR + 1
    assert rate.allows("10.0.0.1")
    assert len(rate._left) == 1
    assert names.isdisjoint(rate._left), "the key of the names is new"


def test_reports_of_one_batch_are_acknowledged_together(tmp_path: Path) -> None:
    """A repeated report cannot be told from a new one by its answer, and both wait for the disk."""
    facts = question()
    made = collector(tmp_path / "a.db", facts)
    seen: list[int] = []
    keep = made.store.keep

    def kept(reports: Sequence[Kept]) -> set[tuple[bytes, int]]:
        seen.append(len(reports))
        return keep(reports)

    made.store.keep = kept  # type: ignore[method-assign]

    async def some(asked: httpx.AsyncClient) -> None:
        one = message(facts, YES)
        assert Counter(await send(asked, one, one, *(message(facts, NO) for _ in range(8)))) == {202: 10}

    ask(made, some, window=0.2)
    assert seen == [10]


def test_fifty_threads_and_two_processes_worth_of_stores(tmp_path: Path, source: BitSource) -> None:
    facts = question()
    one, two = collector(tmp_path / "a.db", facts).store, collector(tmp_path / "a.db").store
    reports = [Kept.of(message(facts, bool(word & 1))) for word in source.words(40).tolist()]

    async def run() -> None:
        stores = [(one, two)[number % 2] for number in range(20)]
        await asyncio.gather(*(asyncio.to_thread(store.keep, reports) for store in stores))

    asyncio.run(run())
    assert int(one.held(facts.id_bytes, 0).times.sum()) == 40
