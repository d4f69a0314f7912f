"""All doors of a server before one desk: by HTTP, by the PostgreSQL wire, and for agents."""

import asyncio
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
import psycopg
from fastapi import FastAPI

from privet.server.desk import Desk
from privet.server.postgres import PostgresDoor
from privet.server.serve import application

DOORS = ("http", "postgres", "agent")
PASSWORD = "a password of many letters"  # noqa: S105 - of invented people
PURPOSE = "a test"
EPSILON, DELTA = "0.5", "1e-7"
HEADERS = {"accept": "application/json, text/event-stream", "host": "localhost"}


@dataclass(frozen=True)
class Told:
    """What somebody was told: whether it was an answer, and all the words of it."""

    answered: bool
    words: str


@dataclass
class AllDoors:
    """The doors, open."""

    desk: Desk
    app: FastAPI
    loop: asyncio.AbstractEventLoop
    client: httpx2.AsyncClient
    address: tuple[str, int]
    tokens: dict[str, str]

    def add(self, name: str, **account: Any) -> None:  # noqa: ANN401 - as `People.add` has it
        """Somebody who may come in."""
        self.desk.people.add(name, password=PASSWORD, **account)
        self.tokens[name] = self.desk.people.make_token(name, label="a test")

    def request(self, name: str, method: str, path: str, **said: Any) -> httpx2.Response:  # noqa: ANN401 - as httpx has it
        """A request with somebody's token."""
        headers = {**HEADERS, "authorization": f"Bearer {self.tokens[name]}", **said.pop("headers", {})}
        sent = self.client.request(method, f"http://localhost{path}", headers=headers, **said)
        return asyncio.run_coroutine_threadsafe(sent, self.loop).result(60)

    def connect(self, name: str, **said: Any) -> "psycopg.Connection[Any]":  # noqa: ANN401 - as psycopg has it
        """A connection of somebody by the wire."""
        host, port = self.address
        return psycopg.connect(
            host=host, port=port, user=name, password=PASSWORD, dbname=self.desk.catalog.name, autocommit=True, **said
        )

    def tool(self, name: str, tool: str, said: Mapping[str, object]) -> dict[str, Any]:
        """What an agent is told."""
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": said}}
        found: dict[str, Any] = self.request(name, "POST", "/mcp", json=message).json()["result"]["structuredContent"]
        return found

    def ask(self, door: str, name: str, text: str, *, purpose: str = PURPOSE, key: str | None = None) -> Told:
        """Ask by a door."""
        if door == "agent":
            said = {"sql": text, "epsilon": EPSILON, "delta": DELTA, "purpose": purpose}
            facts = self.tool(name, "ask", said)
            return Told(facts["status"] == "ok", str(facts.get("rows", facts.get("message"))))
        if door == "http":
            body = {"statement": text, "epsilon": EPSILON, "delta": DELTA, "purpose": purpose}
            headers = {} if key is None else {"idempotency-key": key}
            response = self.request(name, "POST", "/api/v1/sql", json=body, headers=headers)
            facts = response.json()
            return Told(response.status_code == 200, str(facts.get("rows", facts.get("detail"))))
        return self._by_wire(name, text, purpose, key)

    def _by_wire(self, name: str, text: str, purpose: str, key: str | None) -> Told:
        with self.connect(name) as connection:
            for word, value in (("epsilon", EPSILON), ("delta", DELTA), ("purpose", purpose), ("key", key)):
                if value is not None:
                    connection.execute(f"SET privet.{word} = '{value.replace(chr(39), 2 * chr(39))}'".encode())
            try:
                cursor = connection.execute(text.encode())
                return Told(answered=True, words=str(cursor.fetchall()))
            except psycopg.Error as problem:
                return Told(answered=False, words=str(problem.diag.message_primary))


@contextmanager
def all_doors(desk: Desk) -> Iterator[AllDoors]:
    """Open them."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    app = application(desk, desk.people, desk.settings)
    door = PostgresDoor(desk, desk.people, desk.settings)
    stop = asyncio.Event()
    ready = threading.Event()
    clients: list[httpx2.AsyncClient] = []

    async def live() -> None:
        async with (
            app.router.lifespan_context(app),
            httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app)) as client,
        ):
            await door.start()
            clients.append(client)
            ready.set()
            await stop.wait()
            await door.stop()

    living = asyncio.run_coroutine_threadsafe(live(), loop)
    try:
        while not ready.wait(0.05):
            if living.done():
                living.result()
        yield AllDoors(desk, app, loop, clients[0], door.address, {})
    finally:
        loop.call_soon_threadsafe(stop.set)
        living.result(20)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()
