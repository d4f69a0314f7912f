"""What passes the gate: names, sizes, numbers; and what every answer says to browsers."""

import json
import logging
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import WebSocket
from starlette.websockets import WebSocketDisconnect

from privet.server.http.gate import HEADERS
from privet.server.http.rates import Rates
from tests.support.served import BY_CITY, COUNT, Served, on_a_socket, served

LARGEST = 2_000


@pytest.fixture(scope="module")
def small() -> Iterator[Served]:
    with served(largest_body=LARGEST, log_requests=True, metrics=True, allowed_hosts=("stats.example.org",)) as found:
        yield found


@pytest.mark.parametrize(
    "host",
    ["localhost", "LOCALHOST:8443", "127.0.0.1:1", "[::1]:80", "[::1]", "stats.example.org"],
)
def test_names_of_this_server(small: Served, host: str) -> None:
    assert small.client("ada", host=host).get("/budget").status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "",
        "evil.org",
        "localhost.evil.org",
        "localhost@evil.org",
        "localhost:80:90",
        "localhost:x",
        "localhost, evil.org",
        "evil.org/localhost",
        "stats.example.org.",
        "[::1",
        "1",
        "localhost ",
    ],
)
def test_foreign_names_are_refused_before_anything_else(small: Served, host: str) -> None:
    found = small.client("ada").get("/budget", headers={"host": host})
    assert found.status_code == 421
    assert "evil" not in found.text


def test_every_answer_says_what_browsers_must_know(small: Served) -> None:
    good = small.client("ada")
    for found in (
        good.get("/budget"),
        good.get("/nothing"),
        small.client().get("/budget"),
        good.post("/sql", content="{"),
        good.get("/budget", headers={"host": "evil.org"}),
        good.options("/sql", headers={"origin": "https://evil.org", "access-control-request-method": "POST"}),
    ):
        for name, value in HEADERS.items():
            assert found.headers[name.decode()] == value.decode(), found.url
        assert "access-control-allow-origin" not in found.headers
        assert "server" not in found.headers


def test_large_bodies_are_refused_however_they_come(small: Served) -> None:
    ada = small.client("ada")
    assert ada.post("/sql", json={"statement": "x" * LARGEST, "epsilon": 1}).status_code == 413
    assert ada.post("/sql", content=(b"x" * 100 for _ in range(50))).status_code == 413
    fits = json.dumps({"statement": COUNT, "epsilon": 1}).encode()
    spaces = fits + b" " * (LARGEST - len(fits))
    assert ada.post("/sql", content=spaces, headers={"content-type": "application/json"}).status_code == 200
    assert ada.post("/sql", content=spaces + b" ", headers={"content-type": "application/json"}).status_code == 413


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b'{"statement": "SELECT COUNT(*) AS n FROM patient", "epsilon": 1, "epsilon": 900}', "occurs twice"),
        (b'{"statement": "SELECT COUNT(*) AS n FROM patient", "epsilon": NaN}', "NaN is no number"),
        (b'{"statement": "SELECT COUNT(*) AS n FROM patient", "epsilon": -Infinity}', "-Infinity is no number"),
        (b'{"statement": "SELECT COUNT(*) AS n FROM patient", "epsilon": 1e999}', "too long or too large"),
        (b'{"statement": "SELECT 1", "epsilon": 1' + b"0" * 500 + b"}", "too long or too large"),
        (b'{"statement": "\\ud800", "epsilon": 1}', "half of a character"),
        (b'{"statement": "\xff", "epsilon": 1}', "JSON in UTF-8"),
        (b'{"statement": "x\\u0000y", "epsilon": 1}', "the letter 0"),
        (b'{"statement": "SELECT 1", "epsilon": 1, "params": ' + b"[" * 13 + b"]" * 13 + b"}", "nested more than 12"),
        (b"[" * 1900, "JSON in UTF-8"),
        (b"", "JSON in UTF-8"),
        (b"null", "the body"),
        (b'"x"', "the body"),
        (b"\xef\xbb\xbf{}", "JSON in UTF-8"),
        (b'{"statement": "SELECT COUNT(*) AS n FROM patient", "epsilon": 1, "__proto__": {}}', "__proto__"),
        (b'{"statement": "SELECT COUNT(*) AS n FROM patient", "epsilon": 1, "asker": "bob"}', "asker"),
        (b'{"statement": "SELECT COUNT(*) AS n FROM patient", "epsilon": 1, "stop": null}', "stop"),
    ],
)
def test_bodies_that_could_be_read_in_two_ways_are_refused(small: Served, body: bytes, why: str) -> None:
    ada = small.client("ada")
    before = ada.get("/budget").content
    found = ada.post("/sql", content=body, headers={"content-type": "application/json"})
    assert found.status_code == 400, found.text
    assert found.json()["charged"] is False
    assert why in found.json()["detail"]
    assert ada.get("/budget").content == before


def test_long_statements_are_refused() -> None:
    with served(largest_statement=50) as found:
        ada, long = found.client("ada"), COUNT + " " * 50
        for route, body in (
            ("sql", {"statement": long}),
            ("explain", {"statement": long}),
            ("explain", {"statements": [COUNT, long]}),
            ("batch", {"statements": {"a": long}}),
        ):
            said = ada.post(f"/{route}", json={**body, "epsilon": 1}).json()
            assert "at most 50 letters" in said["detail"], route


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_what_a_form_of_another_site_can_send_is_not_read(small: Served, kind: str) -> None:
    body = json.dumps({"statement": COUNT, "epsilon": 1})
    assert small.client("ada").post("/sql", content=body, headers={"content-type": kind}).status_code == 400


def test_unforeseen_errors_are_one_sentence_and_their_words_are_kept_nowhere(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with served() as found:

        @found.app.get("/api/v1/broken")
        async def broken() -> None:
            raise RuntimeError("patient 17 has gout")

        with caplog.at_level(logging.DEBUG):
            told = found.client("ada").get("/broken")
        assert told.status_code == 500
        assert told.json()["type"] == "urn:privet:error:service-failed"
        assert "gout" not in told.text + caplog.text
        assert "RuntimeError at" in caplog.text


def test_logs_and_counts_have_routes_and_statuses_alone(small: Served, caplog: pytest.LogCaptureFixture) -> None:
    ada = small.client("ada")
    with caplog.at_level(logging.INFO):
        number = ada.post("/sql", json={"statement": BY_CITY, "epsilon": "0.125", "delta": "1e-9"}).json()["number"]
        ada.get(f"/answers/{number}?secret-query=1")
        ada.get("/secret-path")
    lines = [json.loads(each.message) for each in caplog.records if each.name == "privet.server.requests"]
    assert lines == [
        {"method": "POST", "route": "/api/v1/sql", "status": 200},
        {"method": "GET", "route": "/api/v1/answers/{number}", "status": 200},
        {"method": "GET", "route": "-", "status": 404},
    ]
    counts = small.client().get("http://localhost/metrics")
    assert counts.status_code == 404, "the other end is not this machine, as far as a test has one"
    text = small.app.state.metrics.text()
    assert 'privet_requests_total{method="POST",route="/api/v1/sql",status="200"}' in text
    logged = "".join(each.getMessage() for each in caplog.records if not each.name.startswith("httpx"))  # the client's
    for secret in (number, "secret", small.tokens["ada"], "city", "ada"):
        assert secret not in text + logged


def test_who_asks_too_often_waits_and_others_do_not(small: Served) -> None:
    with served(requests_per_minute=3) as found:
        ada, bob = found.client("ada"), found.client("bob")
        assert [ada.get("/budget").status_code for _ in range(5)] == [200, 200, 200, 503, 503]
        assert int(ada.get("/budget").headers["retry-after"]) >= 1
        assert bob.get("/budget").status_code == 200
        assert ada.get("http://localhost/healthz").status_code == 200
    assert small.client("ada").get("/budget").status_code == 200


def test_rates_fill_up_again_and_forget() -> None:
    now = [0.0]
    rates = Rates(60, clock=lambda: now[0])
    assert [rates.wait(b"a") for _ in range(61)] == [0] * 60 + [1]
    now[0] += 1
    assert [rates.wait(b"a"), rates.wait(b"a")] == [0, 1]
    for each in range(10_001):
        rates.wait(str(each).encode())
    assert rates.wait(b"a") == 0, "it was quiet for longest"


def test_web_sockets_are_closed(small: Served) -> None:
    @small.app.websocket("/socket")
    async def talk(socket: WebSocket) -> None:
        await socket.accept()

    with pytest.raises(WebSocketDisconnect), small.client().websocket_connect("ws://localhost/socket"):
        pass


BUDGET = "GET /api/v1/budget HTTP/1.1\r\nHost: localhost\r\n"
POST = "POST /api/v1/sql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


@pytest.mark.parametrize(
    "head",
    [
        f"{POST}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{{}}",
        f"{POST}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        f"{POST}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        f"{POST}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        f"{POST}Content-Length: +2\r\n\r\n{{}}",
        f"{POST}Content-Length: 99999999999999999999\r\n\r\n",
        "GET /api/v1/budget HTTP/1.1\r\n\r\n",
        "GET /api/v1/budget HTTP/1.1\r\nHost: localhost\r\nHost: evil.org\r\n\r\n",
        "GET /api/v1/budget HTTP/1.0\r\n\r\n",
        "GET http://evil.org/api/v1/budget HTTP/1.1\r\nHost: evil.org\r\n\r\n",
        f"{BUDGET}X-A : b\r\n\r\n",
        f"{BUDGET}X-A: a\r\n folded\r\n\r\n",
        f"{BUDGET}X-A: a\x00b\r\n\r\n",
        "GET /api/v1/budget HTTP/1.1\nHost: localhost\n\n",
        "GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /console/static/..%2f..%2fpages.py HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "\x16\x03\x01\x02\x00\x01\x00",
        f"{BUDGET}X: {'a' * 70_000}\r\n\r\n",
    ],
)
def test_requests_that_servers_read_in_two_ways_end_their_connection(raw: str, head: str) -> None:
    with socket.create_connection(("127.0.0.1", int(raw.rpartition(":")[2])), timeout=10) as line:
        line.sendall(head.encode("latin-1"))
        line.shutdown(socket.SHUT_WR)
        said = b""
        while more := line.recv(65_536):
            said += more
    status = said.partition(b"\r\n")[0].split(b" ")[1:2]
    assert said.count(b"HTTP/1.1 ") <= 1, "one request, one answer"
    assert not status or status[0] in {b"400", b"401", b"404", b"413", b"421"}, said[:200]
    assert b"Traceback" not in said


@pytest.fixture(scope="module")
def raw(small: Served) -> Iterator[Any]:
    with on_a_socket(small) as address:
        yield address
