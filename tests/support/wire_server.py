"""A PostgreSQL door with an invented hospital behind it, in a thread of its own, and a raw socket to it."""

import asyncio
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from privet.loss import Guarantee
from privet.query.catalog import Catalog
from privet.server.desk import Desk
from privet.server.people import People
from privet.server.people.password import Work
from privet.server.postgres import PostgresDoor, WireLimits
from privet.server.settings import Settings
from tests.support.hospital import HOSPITAL
from tests.support.hospital_sessions import crowd, hospital

NAME, PASSWORD = "ada", "a long sentence"
LIMIT = Guarantee(10_000, "1e-1")
CHEAP = Work(16, 8, 1)


@dataclass(frozen=True)
class Served:
    """A running door.

    Args:
        host: where it listens.
        port: likewise.
        desk: behind it.
        people: who may come in.
        door: itself.
        loop: in which it runs.
        token: of the analyst.
    """

    host: str
    port: int
    desk: Desk
    people: People
    door: PostgresDoor
    loop: asyncio.AbstractEventLoop
    token: str

    def address(self, **more: str) -> str:
        """As clients of libpq take it."""
        said = {"host": self.host, "port": self.port, "user": NAME, "password": PASSWORD, "dbname": "hospital", **more}
        return " ".join(f"{name}='{value}'" for name, value in said.items())

    def url(self, scheme: str = "postgresql", password: str = PASSWORD) -> str:
        """As drivers take it."""
        return f"{scheme}://{NAME}:{password.replace(' ', '%20')}@{self.host}:{self.port}/hospital"


@contextmanager
def served(
    catalog: Catalog,
    *,
    tls: ssl.SSLContext | None = None,
    limits: WireLimits | None = None,
    settings: Settings | None = None,
) -> Iterator[Served]:
    """A door to a catalog."""
    said = settings or Settings(postgres_port=0, seconds_to_stop=2)
    people = People.open(None, work=CHEAP, iterations=4096)
    people.add(NAME, password=PASSWORD)
    people.add("bob", password="another sentence")  # noqa: S106 - invented
    token = people.make_token(NAME, label="tests")
    desk = Desk.open(catalog, people=people, settings=said)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    door = PostgresDoor(desk, people, said, tls=tls, limits=limits)
    asyncio.run_coroutine_threadsafe(door.start(), loop).result(10)
    host, port = door.address
    try:
        yield Served(host, port, desk, people, door, loop, token)
    finally:
        asyncio.run_coroutine_threadsafe(door.stop(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()
        desk.close()
        people.close()


def wire_hospital(folder: Path, *, name: str = "h") -> Catalog:
    """A hospital whose limit no test reaches, and whose questions cost ε=1 where nothing is said."""
    patients, visits = crowd(60, 120)
    catalog = replace(HOSPITAL, limit=LIMIT, budget=Guarantee(1, "1e-6"))
    return hospital(folder, catalog=catalog, name=name, patients=patients, visits=visits)


@contextmanager
def raw(server: Served, *, timeout: float = 5) -> Iterator[socket.socket]:
    """A socket to the door."""
    with socket.create_connection((server.host, server.port), timeout=timeout) as found:
        yield found


def message(kind: bytes, body: bytes = b"") -> bytes:
    """One message."""
    return kind + (len(body) + 4).to_bytes(4) + body


def opening(**said: str) -> bytes:
    """The first message of a connection."""
    body = b"".join(f"{name}\0{value}\0".encode() for name, value in said.items())
    return (len(body) + 9).to_bytes(4) + (3 << 16).to_bytes(4) + body + b"\0"


@contextmanager
def signed_in(server: Served, *, timeout: float = 5, **said: str) -> Iterator["Line"]:
    """A socket whose client has signed in with a token."""
    with raw(server, timeout=timeout) as found:
        line = Line(found)
        found.sendall(opening(user="token", **said))
        assert line.next()[:1] == b"R"
        found.sendall(message(b"p", server.token.encode() + b"\0"))
        line.until(b"Z")
        yield line


@dataclass
class Line:
    """Messages as they come from a door."""

    socket: socket.socket
    held: bytes = b""

    def next(self) -> bytes:
        """The next message: its letter and body; nothing at the end."""
        while len(self.held) < 5 or len(self.held) < 1 + int.from_bytes(self.held[1:5]):
            part = self.socket.recv(65_536)
            if not part:
                return b""
            self.held += part
        end = 1 + int.from_bytes(self.held[1:5])
        found, self.held = self.held[:1] + self.held[5:end], self.held[end:]
        return found

    def until(self, kind: bytes) -> list[bytes]:
        """The messages up to one of a kind, or to the end."""
        found = []
        while last := self.next():
            found.append(last)
            if last[:1] == kind:
                break
        return found

    def ask(self, *messages: bytes) -> list[bytes]:
        """Send, and hear what comes up to "ready"."""
        self.socket.sendall(b"".join(messages))
        return self.until(b"Z")


def fields(told: bytes) -> dict[str, str]:
    """The fields of an error or a notice."""
    return {part[:1].decode(): part[1:].decode() for part in told[1:].split(b"\0") if part}


def everything(found: socket.socket) -> bytes:
    """All that comes before the other side closes."""
    parts = []
    try:
        while part := found.recv(65_536):
            parts.append(part)
    except ConnectionError:
        pass
    return b"".join(parts)
