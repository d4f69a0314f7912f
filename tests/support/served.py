"""A server of a small clinic: its desk, its people with tokens, and its web application, without a socket."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from threading import Thread
from typing import Any

import pyarrow as pa
from fastapi import FastAPI
from fastapi.testclient import TestClient

import privet
from privet.loss import Guarantee
from privet.query.catalog import Catalog
from privet.server.desk import Desk
from privet.server.http.app import PREFIX, make_app
from privet.server.people import People, Role, TokenScope
from privet.server.people.password import Work
from privet.server.serve import WebServer, config_of, listening
from privet.server.settings import Settings

ROWS = 600
CITIES = ("Bern", "Basel", "Chur")
NAMES = {"olga": Role.OWNER, "ada": Role.ANALYST, "bob": Role.ANALYST, "vera": Role.AUDITOR}
COUNT = "SELECT COUNT(*) AS n FROM patient"
BY_CITY = "SELECT city, COUNT(*) AS n, AVG(age) AS age FROM patient GROUP BY city"


def clinic(rows: int = ROWS, *, limit: int = 1000, **changed: Any) -> Catalog:  # noqa: ANN401 - rows of a test
    """A catalog of patients in memory; `changed` replaces columns."""
    columns = {
        "pid": list(range(rows)),
        "age": [each % 90 for each in range(rows)],
        "city": [CITIES[each % 3] for each in range(rows)],
    }
    return privet.Catalog.of(
        pa.table({**columns, **changed}),
        table="patient",
        unit="person",
        unit_column="pid",
        limit=Guarantee(limit, "1e-3"),
        columns={"age": {"bounds": [0, 110]}, "city": {"values": list(CITIES)}},
    )


@dataclass
class Served:
    """A server, and tokens of its people: "ada", "ada:read", "olga:own", …."""

    app: FastAPI
    desk: Desk
    people: People
    settings: Settings
    tokens: Mapping[str, str]

    def client(self, who: str | None = None, **headers: str) -> TestClient:
        """Somebody who asks; errors that the server lets through are raised."""
        said = {"authorization": f"Bearer {self.tokens[who]}"} if who is not None else {}
        return TestClient(self.app, base_url=f"http://localhost{PREFIX}", headers={**said, **headers})


@contextmanager
def served(catalog: Catalog | None = None, **settings: Any) -> Iterator[Served]:  # noqa: ANN401 - of a test
    """A server of a clinic, or of another catalog."""
    said = Settings(**settings)
    people = People.open(None, work=Work(16, 8, 1), iterations=4096)
    for name, role in NAMES.items():
        people.add(name, role=role)
    tokens = {}
    for name, role in NAMES.items():
        tokens[name] = people.make_token(name, label="all", scopes=people_scopes(people, name))
        for scope in people_scopes(people, name):
            tokens[f"{name}:{scope.value}"] = people.make_token(name, label="one", scopes=[scope])
        assert role in Role
    desk = Desk.open(clinic() if catalog is None else catalog, people=people, settings=said, create=True)
    try:
        yield Served(make_app(desk, people, said), desk, people, said, tokens)
    finally:
        desk.close()
        people.close()


def people_scopes(people: People, name: str) -> frozenset[TokenScope]:
    """All that somebody may do."""
    person = people.named(name)
    assert person is not None
    return person.scopes


@contextmanager
def on_a_socket(found: Served) -> Iterator[str]:
    """The address of a server that listens on this machine, in a thread of its own."""
    with closing(listening("127.0.0.1", 0)) as http:
        port = http.getsockname()[1]
        server = WebServer(config_of(found.app, found.settings))
        thread = Thread(target=lambda: asyncio.run(server.serve(sockets=[http])))
        thread.start()
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            server.should_exit = True
            thread.join()
