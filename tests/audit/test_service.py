"""Services are judged by all that their responses show; time is told apart."""

import json
import threading
import time
import urllib.request
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, HTTPServer
from types import MappingProxyType
from typing import Any

import pytest

from privet.audit import Response, service, timing
from privet.errors import InvalidParameter
from privet.mechanisms import Laplace
from privet.noise import BitSource

PAIR = (4, 5)  # how many rows there are
CLAIM = "epsilon=1"


def answers(
    rows: int, source: BitSource, headers: Mapping[str, str] = MappingProxyType({})
) -> tuple[int, dict[str, str], str]:
    """A noisy count, as a service writes it."""
    noisy = Laplace(1, 1).sample(float(rows), source)
    return 200, {"Content-Type": "application/json", **headers}, json.dumps({"count": noisy})


def test_a_right_service_is_not_flagged_though_its_dates_and_ids_vary(source: BitSource) -> None:
    turns = iter(range(10**6))

    def send(rows: int) -> Any:  # noqa: ANN401 - a response
        turn = next(turns)
        return answers(rows, source, {"Date": f"12:00:{turn // 7}", "X-Request": f"{turn:x}"})

    found = service(send, pair=PAIR, claim=CLAIM, trials=300)
    assert not found.violated, found
    assert found.exit_code == 0
    assert "no violation found" in repr(found)
    assert json.loads(found.to_json())["timing"]["runs"] == 300


@pytest.mark.parametrize(
    ("part", "send"),
    [
        ("status", lambda rows: (500 if rows > 4 else 200, {}, "[]")),
        ("header Content-Length", lambda rows: (200, {"Content-Length": str(len("[]" * rows))}, "[]")),
        ("headers", lambda rows: (200, [("A", "1"), ("B", "2")][:: -1 if rows > 4 else 1], "[]")),
        ("body", lambda rows: (200, {}, '["north", "south"]' if rows > 4 else '["north"]')),
        ("failure", lambda rows: (200, {}, str(0 / (rows - 4)))),
    ],
)
def test_what_is_always_otherwise_is_certain(part: str, send: Any) -> None:  # noqa: ANN401 - a sender
    found = service(send, pair=PAIR, trials=20)
    assert found.differences[0].place == part
    assert found.exit_code == 1
    assert "in all of 20 responses" in found.verdict


def test_noised_numbers_and_lengths_are_tested(source: BitSource) -> None:
    assert service(lambda rows: answers(100 * rows, source), pair=PAIR, claim=CLAIM, trials=300).violated
    padded = service(lambda rows: (200, {}, " " * rows), pair=PAIR, trials=300)
    assert padded.violated
    assert Response.of((200, {}, b"a 1.5e3 b -2")).numbers == [1500.0, -2.0]


def test_what_is_no_response_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="must return a response"):
        service(lambda rows: {"rows": rows}, pair=PAIR, trials=20)
    with pytest.raises(InvalidParameter, match="two neighbors"):
        service(lambda rows: (200, {}, str(rows)), pair=(1, 2, 3))


@pytest.fixture
def address() -> Iterator[str]:
    """A real service, which tells in a header whether a row is large."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Cache-Control", "no-store" if self.path == "/5" else "public")
            self.end_headers()
            self.wfile.write(b"[]")

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_a_real_service_over_http(address: str) -> None:
    found = service(lambda rows: urllib.request.urlopen(f"{address}/{rows}"), pair=PAIR, trials=20, name="visits")  # noqa: S310 - our own
    assert [each.place for each in found.differences] == ["header Cache-Control"]
    assert repr(found).startswith("Served(visits: violates the claim")


def test_time_is_told_apart() -> None:
    """A sleep is seen; runs of the same are not told apart, at 1e-6. Neither is part of a verdict about ε."""

    def waits(rows: int) -> tuple[int, dict[str, str], str]:
        time.sleep(0.005 * (rows - 4))
        return 200, {}, "[]"

    slow = service(waits, pair=PAIR, trials=30)
    assert slow.timing.differs
    assert not slow.violated
    assert "apart: time tells the inputs apart" in str(slow)
    same = timing(lambda _: None, pair=(1, 2), trials=200)
    assert not same.differs
    assert 0.2 < same.slower < 0.8
    assert "was not seen" in same.verdict
    with pytest.raises(InvalidParameter, match="two neighboring inputs"):
        timing(len, pair=(1,))
