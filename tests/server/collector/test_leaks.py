"""Nothing of who sent a report, from where, when or in which order is stored, logged or told (rows R162 and R165)."""

import asyncio
import http.client
import json
import logging
import sqlite3
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import httpx
import numpy as np
import pytest
from scipy.stats import spearmanr

from privet.local import KaryResponse
from privet.local.device import Collection, Connection, Device, ReportMessage
from privet.noise import BitSource, UniformLaw
from privet.server.collector.sqlite_store import SqliteStore
from privet.server.collector.store import Kept
from privet.server.collector.tokens import make_token
from tests.support.collecting import DAY, YES, Clock, Wire, ask, collector, daily, message, question
from tests.support.serving import served

pytestmark = pytest.mark.whole
CANARIES = {
    "user-agent": "canary-agent-7391",
    "x-forwarded-for": "203.0.113.77",
    "forwarded": "for=203.0.113.77",
    "cf-connecting-ip": "198.51.100.23",
    "referer": "https://canary-referrer.example/page",
    "cookie": "canary_cookie=8842",
    "accept-language": "canary-language",
    "x-canary": "canary-header-5150",
    "date": "Thu, 01 Jan 1970 04:07:13 GMT",
    "authorization": "Bearer canary-token",
}
WORDS = ("canary", "203.0.113", "198.51.100", "04:07:13", "127.0.0.1", "10.1.2.3")


def stored(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in folder.rglob("*"):
        if path.is_file():
            yield path.name, path.read_bytes()


def test_canaries_are_nowhere(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    clock = Clock(1_793_571_234.567)
    facts, asked = daily(minimum_batch=2, periods=10**6), question()
    made = collector(tmp_path / "a.db", facts, asked, clock=clock)
    token = make_token(made.store, ["read", "run"])
    period = facts.period_at(clock.now)
    honest = message(asked, YES)
    everything: list[bytes] = []
    with served(made) as address:
        port = int(address.rpartition(":")[2])
        for each in [message(facts, "a", period=period) for _ in range(20)] + [honest]:
            connection = http.client.HTTPConnection("127.0.0.1", port)
            connection.request("POST", "/v1/reports?canary=1", each.pack(), CANARIES)
            answer = connection.getresponse()
            everything += [answer.read(), str(answer.getheaders()).encode()]
            assert answer.status == 202
            connection.close()
        everything += list(dict(stored(tmp_path)).values())  # while it is open
        with httpx.Client(base_url=address, headers=CANARIES | {"authorization": f"Bearer {token}"}) as client:
            client.post(f"/v1/collections/{facts.id}/close", json={"period": period})
            released = client.post(f"/v1/collections/{facts.id}/releases", json={"first": period, "last": period})
            assert released.status_code == 201
            pages = (f"/v1/collections/{facts.id}/results?format={kind}" for kind in ("json", "csv", "arrow", "svg"))
            for page in (
                *pages,
                "/v1/stats",
                "/v1/collections",
                f"/survey/{asked.id}",
                f"/collections/{facts.id}/privacy",
            ):
                everything.append(client.get(page).content.replace(address.encode(), b""))
    files = dict(stored(tmp_path))
    assert files["a.db"]
    assert {"a.db", "a.db-journal"} >= files.keys()
    assert files.get("a.db-journal", b"") == b"", "no log of what was written"
    logged = [each.getMessage() for each in caplog.records if not each.name.startswith("http")]  # not the client's own
    everything += [*files.values(), " ".join(logged).encode(), *(text.encode() for text in capfd.readouterr())]
    seconds = [str(int(clock.now)).encode(), int(clock.now).to_bytes(4, "big"), str(clock.now).encode()]
    for text in everything:
        for word in (*WORDS, honest.nonce):
            found = word if isinstance(word, bytes) else word.encode()
            assert found not in text, found
        assert not any(each in text for each in seconds)
    assert any(str(period).encode() in text for text in everything), "the scan reads what is there"


def test_no_table_has_a_rowid_a_time_or_a_sequence(tmp_path: Path) -> None:
    collector(tmp_path / "a.db", question()).store.close()
    with sqlite3.connect(tmp_path / "a.db") as rows:
        tables = rows.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall()
        assert len(tables) == 7
        for name, sql in tables:
            assert sql.rstrip().endswith("WITHOUT ROWID"), name
            assert "AUTOINCREMENT" not in sql
    rows.close()
    store = SqliteStore(tmp_path / "a.db")
    assert store._rows.execute("PRAGMA journal_mode").fetchone() == ("truncate",)
    assert store._rows.execute("PRAGMA secure_delete").fetchone() == (1,)


def arrived(folder: Path, source: BitSource, *, count: int) -> tuple[list[bytes], list[bytes], bytes]:
    """Payloads in the order of arrival, in the order of the rows, and the file."""
    protocol = KaryResponse(1 << 16, 20)
    facts = Collection.of(protocol, title="t", purpose="p", consent="c", controller="o", minimum_batch=2)
    made = collector(folder / "a.db", facts)
    values = UniformLaw(1 << 16).many(source, 3 * count)
    sent = [bytes(row) for row in protocol.encode(np.unique(values)[:count])]
    order = np.argsort(source.words(count))
    shuffled = [sent[place] for place in order.tolist()]

    async def one_by_one(asked: httpx.AsyncClient) -> None:
        for start in range(0, count, 20):
            bodies = [
                ReportMessage(facts.id_bytes, facts.config_hash, 0, ReportMessage.fresh_nonce(), payload).pack()
                for payload in shuffled[start : start + 20]
            ]
            await asyncio.gather(*(asked.post("/v1/reports", content=body) for body in bodies))

    ask(made, one_by_one, window=0.0)
    held = made.store.held(facts.id_bytes, 0)
    kept = [held.payloads[place : place + 2] for place in range(0, len(held.payloads), 2)]
    made.store.close()
    return shuffled, kept, (folder / "a.db").read_bytes()


def test_no_stored_order_is_that_of_arrival(tmp_path: Path, source: BitSource) -> None:
    """n = 600 reports; |rank correlation| of independent orders is below 4.9/√n but for 1e-6."""
    count = 600
    sent, kept, _ = arrived(tmp_path, source, count=count)
    assert sorted(sent) == kept, "rows are in the order of their bytes"
    place = {payload: number for number, payload in enumerate(kept)}
    ranks = [place[payload] for payload in sent]
    assert abs(spearmanr(range(count), ranks).statistic) < 4.9 / count**0.5
    assert abs(spearmanr(range(count), sorted(ranks)).statistic) > 0.99, "the control: rows as they came"
    with sqlite3.connect(tmp_path / "a.db") as rows:
        nonces = [row[0] for row in rows.execute("SELECT nonce FROM nonce")]
        payloads = {row[0] for row in rows.execute("SELECT payload FROM held")}
    rows.close()
    assert nonces == sorted(nonces)
    assert payloads.isdisjoint(nonces)
    assert len(nonces) == count


def test_two_batches_of_one_person_are_linked_no_better_than_chance(tmp_path: Path, source: BitSource) -> None:
    """Row R165: who has all of two days' rows pairs the people of both as often as who guesses.

    n = 300 people with a value of their own each, and an opponent who knows the protocol: guesses by equal reports are
    right as often as the reports alone make them, which is what ε says; by place in the store, once in 300.
    """
    people = 300
    protocol = KaryResponse(64, 1)
    facts = Collection.of(
        protocol, title="t", purpose="p", consent="c", controller="o", none=0, period_seconds=DAY, starts=1000 * DAY,
        periods=9, minimum_batch=2,
    )  # fmt: skip
    clock = Clock()
    made = collector(tmp_path / "a.db", facts, clock=clock)
    days = []
    for day in range(2):
        clock.now = (1000.5 + day) * DAY
        reports = protocol.encode(protocol.privatize([n % 64 for n in range(people)], entropy=source))
        sent = [
            ReportMessage(facts.id_bytes, facts.config_hash, day, ReportMessage.fresh_nonce(), bytes(row))
            for row in reports
        ]
        for part in (sent[:150], sent[150:]):
            made.store.keep([Kept.of(each) for each in part])
        days.append(sent)
    store = [made.store.held(facts.id_bytes, day) for day in range(2)]
    assert all(int(held.times.sum()) == people for held in store)
    assert all(len(held.times) <= 64 for held in store), "equal reports are one row: there is nothing left to pair"
    hashed = [[Kept.of(each).nonce for each in sent] for sent in days]
    assert set(hashed[0]).isdisjoint(hashed[1])
    ranks = [
        np.argsort(np.argsort(np.array([int.from_bytes(nonce, "big") >> 65 for nonce in each]))) for each in hashed
    ]
    right = int((ranks[0] == ranks[1]).sum())  # pairs by the place of the nonce; one is expected
    assert right <= 12  # Poisson of mean 1: above with a chance below 1e-9
    assert abs(spearmanr(ranks[0], ranks[1]).statistic) < 4.9 / people**0.5
    assert int((ranks[0] == ranks[0]).sum()) == people, "the control: one day with itself"


def test_deleted_rows_are_not_in_the_file(tmp_path: Path, source: BitSource) -> None:
    protocol = KaryResponse(1 << 16, 20)
    facts = Collection.of(protocol, title="t", purpose="p", consent="c", controller="o", minimum_batch=2)
    other = question()
    made = collector(tmp_path / "a.db", facts, other)
    reports = [
        Kept.of(
            ReportMessage(
                facts.id_bytes, facts.config_hash, 0, ReportMessage.fresh_nonce(), source.words(1).tobytes()[:2]
            )
        )
        for _ in range(3000)
    ]
    for start in range(0, 3000, 100):
        made.store.keep(reports[start : start + 100])
    made.store.keep([Kept.of(message(other, YES))])
    file = tmp_path / "a.db"
    before = file.read_bytes()
    assert sum(each.nonce in before for each in reports) > 2990  # not those cut by a page
    size = len(before)
    made.stop(facts.id)
    after = b"".join(content for _, content in stored(tmp_path))
    assert sum(each.nonce in after for each in reports) == 0
    assert sum(each.nonce[:8] in after for each in reports) == 0, "no half of one either"
    assert len(file.read_bytes()) >= size * 0.5, "pages are kept, so what was on them had to be overwritten"


def test_the_true_value_does_not_leave_the_device(tmp_path: Path) -> None:
    """Row R162: what leaves is `report` of the value, drawn anew; the value is in no file but of kept answers."""
    clock = Clock()
    protocol = KaryResponse(["none", "a-very-telling-value", "b"], "1e-3")
    facts = Collection.of(
        protocol, title="t", purpose="p", consent="c", controller="o", none="none", period_seconds=DAY,
        starts=1000 * DAY, periods=400,
    )  # fmt: skip
    wire = Wire(collector(tmp_path / "a.db", facts, clock=clock))
    phone = Device(tmp_path / "phone.json", lifetime=10, clock=clock, transport=lambda _: wire)
    phone.opt_in("https://collector.test", facts.id, public_key=wire.collector.key.public)
    said = []
    for _ in range(60):
        phone.tell(facts.id, "a-very-telling-value")
        told = json.loads((tmp_path / "phone.json").read_text())["members"][0]
        kept = {name: text for name, text in told.items() if name != "collection"} | {
            "budget": json.loads(told["budget"])["reports"]
        }
        assert "telling" not in json.dumps(kept)
        clock.now += DAY
        phone.send()
        said += [body for kind, body in wire.asked if kind == "report"]
        wire.asked.clear()
    assert len({body[-1] for body in said}) == 3, "ε is tiny: all three are said; a missing one has a chance of 1e-10"
    assert all(b"telling" not in body for body in said)
    assert all(first != second for first, second in pairwise(said))


def test_a_device_sends_no_header_that_is_its_own(tmp_path: Path) -> None:
    """Row R166, beside TLS: two devices' requests differ in the body alone."""
    facts = question()
    made = collector(tmp_path / "a.db", facts)
    seen: list[bytes] = []

    async def note(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        seen.append(head)
        await reader.readexactly(54)
        writer.write(b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n")
        writer.close()

    async def run() -> None:
        server = await asyncio.start_server(note, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        for _ in range(2):
            status = await asyncio.to_thread(Connection(f"http://127.0.0.1:{port}").post, message(facts, YES).pack())
            assert status == 202
        server.close()
        await server.wait_closed()

    asyncio.run(run())
    assert seen[0] == seen[1]
    names = {line.split(b":")[0].lower() for line in seen[0].split(b"\r\n")[1:] if line}
    assert names == {b"host", b"content-type", b"content-length", b"connection"}
    assert made.key.public
