"""Neighbors look alike by every door: the same bytes, where mechanisms are given the same noisy answers."""

import asyncio
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI

from privet.audit.tape import Tape, listening
from privet.noise.for_tests import seeded_entropy_for_tests
from privet.query.results.answer import Answer
from privet.server.agents.answer_facts import answer_facts
from privet.server.agents.hang_in import hang_in
from privet.server.http.app import make_app
from tests.support.desks import a_desk
from tests.support.neighbor_hospitals import CROWDED, OTHER, SETTINGS, Setting, World, world

pytestmark = pytest.mark.whole

OWN = re.compile(rb"[0-9a-f]{32}|\d{4}-\d\d-\d\dT[\d:.]+(\+00:00|Z)")  # numbers of answers, times
API = "http://localhost/api/v1"
SPENT = {"epsilon": "0.5", "delta": "1e-7"}
STATEMENTS = (
    "SELECT clinic, COUNT(*) AS n, AVG(cost) AS c, MAX(stay) AS m FROM visit GROUP BY clinic",
    "SELECT SUM(cost / stay) AS s FROM visit WHERE cost > 1e307 OR note LIKE '%é%'",
    "SELECT EXTRACT(month FROM day) AS k, MEDIAN(stay) AS m FROM visit GROUP BY k ORDER BY m LIMIT 2",
    "SELECT CAST(zip AS INTEGER) AS z, COUNT(DISTINCT pid) AS n FROM patient GROUP BY z HAVING COUNT(*) > 1",
    "SELECT COUNT(*) AS n FROM visit JOIN lab USING (vid) JOIN patient ON patient.pid = visit.pid WHERE result < 0",
    "SELECT note, COUNT(*) AS n FROM visit WHERE note <> 'x'' OR 1=1 --' GROUP BY note",
    "SELECT * FROM visit",
    "SELECT COUNT(*) FROM visit; DROP TABLE visit",
)
Door = Callable[[str], Iterator[httpx2.Request]]


def by_agents(token: str) -> Iterator[httpx2.Request]:
    headers = {"authorization": f"Bearer {token}", "accept": "application/json, text/event-stream"}
    for name, said in _calls():
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": said}}
        yield httpx2.Request("POST", "http://localhost/mcp", json=message, headers=headers)


def _calls() -> Iterator[tuple[str, dict[str, Any]]]:
    yield "describe_tables", {}
    for text in STATEMENTS:
        yield "price", {"sql": text, **SPENT}
        yield "ask", {"sql": text, "purpose": "a test", **SPENT}
        yield "ask", {"sql": text, "purpose": "a test", **SPENT}
    yield "budget", {}


def by_http(token: str) -> Iterator[httpx2.Request]:
    """Every way to ask and to look, each question twice: paid for, and brought back."""
    whole, arrow = "application/vnd.privet+json", "application/vnd.apache.arrow.stream"
    known = {"authorization": f"Bearer {token}"}
    for text in STATEMENTS:
        for route, kind in (
            ("explain", whole),
            ("sql", "*/*"),
            ("sql", arrow),
            ("sql", whole),
            ("sql", "text/event-stream"),
        ):
            body = {"statement": text, **SPENT}
            yield httpx2.Request("POST", f"{API}/{route}", json=body, headers={**known, "accept": kind})
    yield httpx2.Request("POST", f"{API}/batch", json={"statements": STATEMENTS[:2], **SPENT}, headers=known)
    for route in ("session", "tables", "budget", "history", "running", "requests", "answers/1"):
        yield httpx2.Request("GET", f"{API}/{route}", headers=known)


def bytes_of(response: httpx2.Response) -> bytes:
    """All that comes over the line: status, heads and body, without what is random by design."""
    heads = [f"{name}: {value}" for name, value in response.headers.items()]
    return OWN.sub(b"#", "\n".join([str(response.status_code), *heads, ""]).encode() + response.content)


async def asked(app: FastAPI, token: str, requests: Door) -> list[bytes]:
    async with (
        app.router.lifespan_context(app),
        httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app)) as http,
    ):
        return [bytes_of(await http.send(each)) for each in requests(token)]


def seen(setting: Setting, rows: World, requests: Door, before: Tape | None) -> tuple[list[bytes], Tape]:
    tape = Tape(before, seeded_entropy_for_tests(1), crowd=True)
    catalog = replace(setting.catalog, frames=rows.frames())
    with a_desk(catalog, repeats=True) as desk, listening() as here:
        desk.people.add("ada")
        token = desk.people.make_token("ada", label="a test")
        app = make_app(desk, desk.people, desk.settings)
        hang_in(app, desk, desk.people, desk.settings)
        here.tape = tape
        return asyncio.run(asked(app, token, requests)), tape


@pytest.mark.parametrize("requests", [by_agents, by_http])
@pytest.mark.parametrize("setting", SETTINGS[:2], ids=lambda each: each.name)
def test_neighbors_look_alike(setting: Setting, requests: Door) -> None:
    here, tape = seen(setting, world(CROWDED), requests, None)
    assert len(tape.drawn) > 5
    answered = [each for each in here if b'"rows"' in each]
    assert len(answered) >= len(STATEMENTS), [each[-300:] for each in here]
    for neighbor in setting.neighbors(CROWDED, OTHER):
        there, _ = seen(setting, neighbor, requests, tape)
        assert here == there


def test_a_door_that_tells_of_rows_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    setting, rows = SETTINGS[0], world(CROWDED)
    neighbor = next(setting.neighbors(CROWDED, OTHER))
    stored: list[int] = []

    def leaking(answer: Answer, **how: int) -> dict[str, Any]:
        return {**answer_facts(answer, **how), "stored": stored[-1]}

    monkeypatch.setattr("privet.server.agents.calls.answer_facts", leaking)
    stored.append(len(rows.visit))
    here, tape = seen(setting, rows, by_agents, None)
    stored.append(len(neighbor.visit))
    assert seen(setting, neighbor, by_agents, tape)[0] != here
