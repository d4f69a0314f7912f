"""kill -9 during uploads and closes: acknowledged ≤ counted ≤ sent, and nothing is counted twice."""

import http.client
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from privet.local import KaryResponse
from privet.local.device import Collection, ReportMessage
from privet.local.tally import Tally
from privet.noise import BitSource, UniformLaw
from privet.server.collector.tokens import make_token
from tests.support.collecting import collector

pytestmark = pytest.mark.whole
SENDERS = 4
PROTOCOL = KaryResponse(251, 5)
PROGRAM = Path(__file__).with_name("killed.py")


@dataclass
class Told:
    """What senders know: by payload, how many different reports were sent, and how many acknowledged."""

    sent: Counter[int] = field(default_factory=Counter)
    acknowledged: Counter[int] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)


def post(port: int, path: str, body: bytes, token: str | None = None) -> int | None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=0.7)
    try:
        connection.request("POST", path, body, {} if token is None else {"authorization": f"Bearer {token}"})
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def send(port: int, facts: Collection, told: Told, stop: threading.Event, value: int) -> None:
    """Send reports until the collector dies; each twice, as devices without an answer do."""
    while not stop.is_set():
        body = ReportMessage(facts.id_bytes, facts.config_hash, 0, ReportMessage.fresh_nonce(), bytes([value])).pack()
        with told.lock:
            told.sent[value] += 1
        answers = {post(port, "/v1/reports", body) for _ in range(2)}
        if 202 in answers:
            with told.lock:
                told.acknowledged[value] += 1
        if None in answers:
            return


@pytest.fixture
def parent(tmp_path: Path) -> Iterator[tuple[int, "subprocess.Popen[str]"]]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, str(PROGRAM), str(tmp_path / "a.db")]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment) as started:  # noqa: S603 - our own
        assert started.stdout is not None
        yield int(started.stdout.readline()), started
        assert started.stdin is not None
        started.stdin.close()


@pytest.mark.parametrize("rounds", [5, pytest.param(300, marks=pytest.mark.soak)])
def test_what_is_acknowledged_is_counted_once(
    rounds: int, parent: tuple[int, "subprocess.Popen[str]"], tmp_path: Path, source: BitSource
) -> None:
    port, started = parent
    assert started.stdin is not None
    assert started.stdout is not None
    delays = UniformLaw(60).many(source, rounds).tolist()
    made = collector(tmp_path / "a.db")
    token = make_token(made.store, ["run"])
    acknowledged = 0
    for number, delay in enumerate(delays):
        facts = Collection.of(PROTOCOL, title="t", purpose="p", consent="c", controller="o", minimum_batch=2)
        made.publish(facts)
        told, stop = Told(), threading.Event()
        started.stdin.write("go\n")
        started.stdin.flush()
        child = int(started.stdout.readline())
        threads = [threading.Thread(target=send, args=(port, facts, told, stop, value)) for value in range(SENDERS)]
        for thread in threads:
            thread.start()
        deadline = time.monotonic() + 10
        while not told.acknowledged and time.monotonic() < deadline:
            time.sleep(0.002)
        time.sleep(delay / 1000)
        if number % 2:  # killed while it closes
            closing = threading.Thread(target=post, args=(port, f"/v1/collections/{facts.id}/stop", b"", token))
            closing.start()
            time.sleep(delay / 3000)
        os.kill(child, signal.SIGKILL)
        stop.set()
        started.stdout.readline()
        for thread in threads:
            thread.join()
        made.refresh()
        with suppress(Exception):
            made.stop(facts.id)  # what the killed one may have begun
        (state,) = made.store.periods(facts.id_bytes)
        counts = Tally.from_json(state.tally or "").counts
        for value in range(SENDERS):
            assert told.acknowledged[value] <= counts[value] <= told.sent[value], (number, value)
        assert counts.sum() == counts[:SENDERS].sum()
        assert made.store.held(facts.id_bytes, 0).payloads == b"", "closed for good: nothing is counted again"
        acknowledged += told.acknowledged.total()
    assert acknowledged > 3 * rounds, "there was something to lose"
    assert b"".join(path.read_bytes() for path in tmp_path.glob("a.db-*")) == b"", "no journal is left"
