"""Reports a second, beside a bare route that only parses the same body; and a tally beside DuckDB's GROUP BY.

Both routes are served by uvicorn in a process of their own, and asked by one process with connections that stay open,
on a machine whose cores they share. A report is answered once it is durable; the bare route parses the body and
answers. The latency that is told is that of a steady load at half of what was sustained.
"""

import argparse
import asyncio
import multiprocessing
import os
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import uvicorn
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parents[1]))  # the tests' PostgreSQL
from privet.local import KaryResponse, UnaryEncoding
from privet.local.device import Collection, ReportMessage, SigningKey
from privet.server.collect import make_collector_app, open_store
from privet.server.collector import Collector
from privet.server.collector.collector import _tallied
from privet.server.collector.report_route import PLAIN, Receive, Scope, Send, _body
from privet.server.collector.store import Kept
from tests.support.postgres import server

PROTOCOL = KaryResponse(64, 2)
CONNECTIONS = 64
LINE = (
    b"POST /v1/reports HTTP/1.1\r\nhost: bench\r\ncontent-type: application/octet-stream\r\ncontent-length: %d\r\n\r\n"
)


async def bare(scope: Scope, receive: Receive, send: Send) -> None:
    """The peer: parses the same body, and keeps nothing."""
    if scope["type"] != "http":
        return
    ReportMessage.unpack(await _body(receive) or b"")
    await send({"type": "http.response.start", "status": 202, "headers": PLAIN})
    await send({"type": "http.response.body", "body": b""})


def run_server(address: str | None, listener: socket.socket) -> None:
    app = (
        bare
        if address is None
        else make_collector_app(Collector(open_store(address), SigningKey(bytes(32))), rate=None)
    )
    lifespan = "off" if address is None else "on"
    config = uvicorn.Config(app, access_log=False, log_level="critical", lifespan=lifespan, date_header=False)  # type: ignore[arg-type]
    uvicorn.Server(config).run(sockets=[listener])


def memory(process: int) -> int:
    """Bytes that a process has in memory."""
    return int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


@contextmanager
def served(address: str | None) -> Iterator[tuple[int, int]]:
    """Port and process id of a server."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=512)
    child = multiprocessing.get_context("fork").Process(target=run_server, args=(address, listener), daemon=True)
    child.start()
    try:
        yield listener.getsockname()[1], child.pid or 0
    finally:
        child.terminate()
        child.join()
        listener.close()


async def one_connection(port: int, facts: Collection, until: float, pause: float, taken: list[float]) -> None:
    """Send reports one after the other, and note how long each took."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    await asyncio.sleep(pause * np.random.default_rng().random())
    while time.monotonic() < until:
        payload = os.urandom(1)[0] & 63
        body = ReportMessage(facts.id_bytes, facts.config_hash, 0, os.urandom(16), bytes([payload])).pack()
        begun = time.monotonic()
        writer.write(LINE % len(body) + body)
        head = await reader.readuntil(b"\r\n\r\n")
        taken.append(time.monotonic() - begun)
        if not head.startswith(b"HTTP/1.1 202"):
            raise SystemExit(head.decode())
        if pause:
            await asyncio.sleep(max(0.0, begun + pause - time.monotonic()))
    writer.close()


def load(port: int, facts: Collection, *, seconds: float, connections: int, rate: float | None = None) -> list[float]:
    """Seconds of each report, of so many connections, all together at most so many reports a second."""
    taken: list[float] = []
    pause = 0.0 if rate is None else connections / rate

    async def run() -> None:
        until = time.monotonic() + seconds
        await asyncio.gather(*(one_connection(port, facts, until, pause, taken) for _ in range(connections)))

    asyncio.run(run())
    return taken


def fresh() -> Collection:
    return Collection.of(PROTOCOL, title="t", purpose="p", consent="c", controller="o")


def measured(  # noqa: PLR0913 - a row of the table
    name: str, address: str | None, *, seconds: float, connections: int, table: Table, against: float | None
) -> float:
    facts = fresh()
    if address is not None:
        made = Collector(open_store(address), SigningKey(bytes(32)))
        made.publish(facts)
        made.store.close()
    with served(address) as (port, pid):
        load(port, facts, seconds=1, connections=connections)
        before = memory(pid)
        sustained = len(load(port, facts, seconds=seconds, connections=connections)) / seconds
        steady = load(port, facts, seconds=seconds, connections=connections, rate=sustained / 2)
        after = memory(pid)
    middle, late = statistics.median(steady), float(np.quantile(steady, 0.99))
    table.add_row(
        name,
        f"{sustained:,.0f}",
        "" if against is None else f"{sustained / against:.2f}",
        f"{1000 * middle:.1f} ms",
        f"{1000 * late:.1f} ms",
        f"{late / middle:.1f}",
        f"{before >> 20} → {after >> 20} MiB",
    )
    return sustained


def flat(address: str, minutes: float, console: Console) -> None:
    """Memory of the server, minute by minute, under full load."""
    facts = fresh()
    made = Collector(open_store(address), SigningKey(bytes(32)))
    made.publish(facts)
    with served(address) as (port, pid):
        load(port, facts, seconds=5, connections=CONNECTIONS)
        seen, count = [memory(pid) >> 20], 0
        for _ in range(int(minutes * 6)):
            count += len(load(port, facts, seconds=10, connections=CONNECTIONS))
            seen.append(memory(pid) >> 20)
    console.print(f"memory over {minutes:g} minutes and {count:,} reports: {seen[0]} MiB, then at most {max(seen)} MiB")


def tallies(folder: Path, console: Console) -> None:
    """A million stored reports: read and tallied, beside DuckDB's GROUP BY of the same reports in a Parquet file."""
    table = Table(title="a million stored reports", title_justify="left")
    for column in ("protocol", "rows stored", "tally", "DuckDB GROUP BY", "ratio"):
        table.add_column(column, justify="right")
    for protocol in (KaryResponse(1024, 2), UnaryEncoding(64, 2)):
        facts = Collection.of(protocol, title="t", purpose="p", consent="c", controller="o")
        made = Collector(open_store(str(folder / f"{protocol.name}.db")), SigningKey(bytes(32)))
        made.publish(facts)
        reports = protocol.encode(protocol.privatize(np.arange(1_000_000) % len(protocol.categories)))
        payloads = [bytes(row) for row in reports]
        for start in range(0, 1_000_000, 100_000):
            made.store.keep(
                [Kept(facts.id_bytes, 0, os.urandom(16), payload) for payload in payloads[start : start + 100_000]]
            )
        file = folder / f"{protocol.name}.parquet"
        pq.write_table(pa.table({"report": pa.array(payloads, pa.binary())}), file)
        own, peer = [], []
        for _ in range(3):
            begun = time.perf_counter()
            held = made.store.held(facts.id_bytes, 0)
            _tallied(facts, held)
            own.append(time.perf_counter() - begun)
            begun = time.perf_counter()
            duckdb.execute(f"SELECT report, COUNT(*) FROM '{file}' GROUP BY report").fetchnumpy()  # noqa: S608 - our own
            peer.append(time.perf_counter() - begun)
        table.add_row(
            protocol.name,
            f"{len(held.times):,}",
            f"{min(own):.3f} s",
            f"{min(peer):.3f} s",
            f"{min(own) / min(peer):.2f}",
        )
    console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--connections", type=int, default=CONNECTIONS)
    parser.add_argument("--minutes", type=float, default=0, help="of full load, watching memory")
    parser.add_argument("--only", choices=("reports", "tally", "memory"))
    asked = parser.parse_args()
    console = Console()
    with tempfile.TemporaryDirectory(prefix="privet-collector-") as place, server() as database:
        folder = Path(place)
        if asked.only in {None, "reports"}:
            table = Table(title=f"reports, {asked.connections} connections", title_justify="left")
            for column in ("", "a second", "of bare", "p50", "p99", "p99/p50", "memory"):
                table.add_column(column, justify="right")
            more = {"seconds": asked.seconds, "connections": asked.connections, "table": table}
            against = measured("bare route", None, **more, against=None)
            measured("SQLite, durable", str(folder / "a.db"), **more, against=against)
            if database is not None:
                measured("PostgreSQL, durable", database, **more, against=against)
            console.print(table)
        if asked.only in {None, "tally"}:
            tallies(folder, console)
        if asked.minutes:
            flat(str(folder / "b.db"), asked.minutes, console)


if __name__ == "__main__":
    main()
