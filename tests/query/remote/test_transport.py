import http.client
import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from privet.errors import BudgetExceeded, InvalidParameter, KeyReused, LedgerDamaged, LedgerUnavailable
from privet.query.remote.address import Address
from privet.query.remote.problems import MEDIA_TYPE, problem_of
from privet.query.remote.transport import ATTEMPTS, Transport

TOKEN = "privet_0_a"  # noqa: S105 - of a test
DROP = None  # the connection is closed before anything is answered
Planned = tuple[int, str, object] | None


class Server:
    """Answers as planned, one plan a request, and remembers what it was asked."""

    def __init__(self, plans: list[Planned]) -> None:
        self.plans = plans
        self.asked: list[tuple[str, str | None, str | None]] = []
        self.port = 0


@contextmanager
def served(*plans: Planned) -> Iterator[Server]:
    server = Server(list(plans))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = self.headers
            server.asked.append((self.command, headers.get("Idempotency-Key"), headers.get("Authorization")))
            plan = server.plans.pop(0)
            if plan is None:
                self.close_connection = True
                return
            status, kind, body = plan
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            if status == http.client.FOUND:
                self.send_header("Location", "http://127.0.0.1:9/")
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = answer  # noqa: N815 - as the library calls them

        def log_message(self, *words: object) -> None:
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        server.port = listening.server_port
        thread = Thread(target=listening.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            listening.shutdown()
            thread.join()


def asked(*plans: Planned, key: str | None = "k") -> tuple[Server, Any]:
    slept: list[float] = []
    with served(*plans) as server:
        transport = Transport(Address.of(f"http://127.0.0.1:{server.port}"), TOKEN, sleep=slept.append)
        try:
            found = transport.post("/x", {"a": 1}, key=key)
        except Exception as problem:  # noqa: BLE001 - whatever it is, the test compares it
            found = problem
        transport.close()
        assert len(slept) == len(server.asked) - 1
    return server, found


OK = (200, "application/json", {"n": 1})
BUSY = (503, MEDIA_TYPE, problem_of(LedgerUnavailable("locked")))


def test_a_lost_answer_is_asked_for_again_under_the_same_key() -> None:
    server, found = asked(DROP, DROP, BUSY, OK)
    assert found == {"n": 1}
    assert {key for _, key, _ in server.asked} == {"k"}
    assert {token for _, _, token in server.asked} == {f"Bearer {TOKEN}"}


@pytest.mark.parametrize("error", [BudgetExceeded("too much"), KeyReused("other"), LedgerDamaged("put back")])
def test_a_refusal_is_raised_as_here_and_not_asked_again(error: Exception) -> None:
    facts = problem_of(error)  # type: ignore[arg-type] # one of Privet's
    server, found = asked((facts["status"], MEDIA_TYPE, facts))
    assert (type(found), str(found)) == (type(error), str(error))
    assert len(server.asked) == 1


def test_who_never_answers_is_unavailable_and_the_key_is_told() -> None:
    server, found = asked(*[DROP for _ in range(ATTEMPTS)])
    assert isinstance(found, LedgerUnavailable)
    assert "key='k'" in str(found)
    assert TOKEN not in str(found)
    assert len(server.asked) == ATTEMPTS


@pytest.mark.parametrize("plan", [(302, "text/html", b""), (404, "text/html", b"<x>"), (500, MEDIA_TYPE, b"[")])
def test_what_is_no_privet_server_is_not_believed(plan: Planned) -> None:
    server, found = asked(plan)
    assert isinstance(found, LedgerUnavailable)
    assert len(server.asked) == 1, "redirections are not followed: they could carry the token away"


def test_nobody_there() -> None:
    with served() as server:
        port = server.port
    transport = Transport(Address.of(f"http://127.0.0.1:{port}"), TOKEN, sleep=lambda _: None)
    with pytest.raises(LedgerUnavailable, match="does not answer"):
        transport.get("/x")
    assert TOKEN not in repr(transport)


@pytest.mark.parametrize(
    "address",
    [
        "http://stats.example.org",
        "https://user:word@stats.example.org",
        "https://stats.example.org/path",
        "https://stats.example.org?token=x",
        "https://stats.example.org:0",
        "https://stats.example.org:99999",
        "https://stats.example.org\r\nX: y",
        "http://127.0.0.1.example.org",
        "http://localhost@example.org",
        "https://",
    ],
)
def test_addresses_that_are_refused(address: str) -> None:
    with pytest.raises(InvalidParameter):
        Address.of(address)


@pytest.mark.parametrize("token", ["", "a b", "a\r\nX: y", "é"])
def test_tokens_that_are_refused(token: str) -> None:
    with pytest.raises(InvalidParameter, match="privet token new"):
        Transport(Address.of("https://localhost"), token)


def test_addresses_are_written_short() -> None:
    assert str(Address.of("HTTPS://Stats.Example.org:443/")) == "https://stats.example.org"
    assert str(Address.of("http://[::1]:8443")) == "http://[::1]:8443"
