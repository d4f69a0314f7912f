"""Neighbors look alike by every door: the same bytes, where mechanisms are given the same noisy answers."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import psycopg
import pytest

from privet.audit.tape import Tape, listening
from privet.noise.for_tests import seeded_entropy_for_tests
from privet.query.results.answer import Answer
from privet.server.agents.answer_facts import answer_facts
from tests.support.all_doors import DELTA, EPSILON, AllDoors, all_doors
from tests.support.desks import a_desk
from tests.support.neighbor_hospitals import CROWDED, OTHER, SETTINGS, Setting, World, world

pytestmark = pytest.mark.whole

OWN = re.compile(rb"[0-9a-f]{32}|\d{4}-\d\d-\d\dT[\d:.]+(\+00:00|Z)")  # numbers of answers, times
SPENT = {"epsilon": EPSILON, "delta": DELTA}
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
Door = Callable[[AllDoors, Path], Iterator[bytes]]


def by_agents(doors: AllDoors, _: Path) -> Iterator[bytes]:
    for name, said in _calls():
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": said}}
        yield whole(doors.request("ada", "POST", "/mcp", json=message))


def _calls() -> Iterator[tuple[str, dict[str, Any]]]:
    yield "describe_tables", {}
    for text in STATEMENTS:
        yield "price", {"sql": text, **SPENT}
        yield "ask", {"sql": text, "purpose": "a test", **SPENT}
        yield "ask", {"sql": text, "purpose": "a test", **SPENT}
    yield "budget", {}


def by_http(doors: AllDoors, _: Path) -> Iterator[bytes]:
    """Every way to ask and to look, each question twice: paid for, and brought back."""
    everything, arrow = "application/vnd.privet+json", "application/vnd.apache.arrow.stream"
    ways = (("explain", everything), *(("sql", kind) for kind in ("*/*", arrow, everything, "text/event-stream")))
    for text in STATEMENTS:
        for route, kind in ways:
            body, heads = {"statement": text, **SPENT}, {"accept": kind}
            yield whole(doors.request("ada", "POST", f"/api/v1/{route}", json=body, headers=heads))
    several = {"statements": STATEMENTS[:2], **SPENT}
    yield whole(doors.request("ada", "POST", "/api/v1/batch", json=several, headers={"accept": "*/*"}))
    for route in ("session", "tables", "budget", "history", "running", "requests", "answers/1"):
        yield whole(doors.request("ada", "GET", f"/api/v1/{route}", headers={"accept": "*/*"}))


def by_wire(doors: AllDoors, folder: Path) -> Iterator[bytes]:
    """Every message and its length, as libpq sees them."""
    file = folder / "trace"
    with doors.connect("ada") as connection, file.open("wb") as trace:
        connection.pgconn.trace(trace.fileno())
        connection.pgconn.set_trace_flags(psycopg.pq.Trace.SUPPRESS_TIMESTAMPS)
        for word, value in SPENT.items():
            connection.execute(f"SET privet.{word} = '{value}'".encode())
        for text in STATEMENTS:
            for each in (f"EXPLAIN {text}", text, text):
                try:
                    connection.execute(each.encode()).fetchall()
                except psycopg.Error:
                    continue
        connection.pgconn.untrace()
    yield OWN.sub(b"#", file.read_bytes())


def whole(response: httpx2.Response) -> bytes:
    """All that comes over the line: status, heads and body, without what is random by design."""
    heads = [f"{name}: {value}" for name, value in response.headers.items()]
    return OWN.sub(b"#", "\n".join([str(response.status_code), *heads, ""]).encode() + response.content)


def seen(setting: Setting, rows: World, door: Door, before: Tape | None, folder: Path) -> tuple[list[bytes], Tape]:
    tape = Tape(before, seeded_entropy_for_tests(1), crowd=True)
    catalog = replace(setting.catalog, frames=rows.frames())
    with a_desk(catalog, postgres_port=0, seconds_to_stop=2) as desk, listening() as here, all_doors(desk) as doors:
        doors.add("ada")
        here.tape = tape
        return list(door(doors, folder)), tape


@pytest.mark.parametrize("door", [by_agents, by_http, by_wire])
@pytest.mark.parametrize("setting", SETTINGS[:2], ids=lambda each: each.name)
def test_neighbors_look_alike(setting: Setting, door: Door, tmp_path: Path) -> None:
    here, tape = seen(setting, world(CROWDED), door, None, tmp_path)
    assert len(tape.drawn) > 5
    assert sum(each.count(b'"rows"') + each.count(b"DataRow") for each in here) >= len(STATEMENTS), here
    for neighbor in setting.neighbors(CROWDED, OTHER):
        there, _ = seen(setting, neighbor, door, tape, tmp_path)
        assert here == there


def test_a_door_that_tells_of_rows_is_noticed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    setting, rows = SETTINGS[0], world(CROWDED)
    neighbor = next(setting.neighbors(CROWDED, OTHER))
    stored: list[int] = []

    def leaking(answer: Answer, **how: int) -> dict[str, Any]:
        return {**answer_facts(answer, **how), "stored": stored[-1]}

    monkeypatch.setattr("privet.server.agents.calls.answer_facts", leaking)
    stored.append(len(rows.visit))
    here, tape = seen(setting, rows, by_agents, None, tmp_path)
    stored.append(len(neighbor.visit))
    assert seen(setting, neighbor, by_agents, tape, tmp_path)[0] != here
