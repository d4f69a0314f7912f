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


def everything(found: socket.socket) -> bytes:
    """All that comes before the other side closes."""
    parts = []
    try:
        while part := found.recv(65_536):
            parts.append(part)
    except ConnectionError:
        pass
    return b"".join(parts)
