"""The agents' door in the protocol that agents speak: its own client, in one process, over HTTP and through pipes."""

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx2
import pyarrow as pa
import pyarrow.parquet
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from privet.server.agents.calls import Calls
from privet.server.agents.http_door import LARGEST_BODY, HttpDoor
from privet.server.agents.mcp_server import mcp_server
from privet.server.agents.tools import TOOLS
from privet.server.desk import Asker, Desk
from privet.server.people import TokenScope
from tests.support.desks import a_desk

COUNT = "SELECT COUNT(*) AS n FROM patient"
MODES = ["auto", "legacy"]  # the protocol of today, and that of agents from before 2026
ASK = {"sql": COUNT, "epsilon": "0.5", "purpose": "a test"}
Script = Callable[[Client], Awaitable[Any]]
URL = "http://privet.test/mcp"


def told(result: Any) -> dict[str, Any]:  # noqa: ANN401 - as the client gives it
    """What a call gave: the same as structure and as text."""
    facts: dict[str, Any] = result.structured_content
    assert json.loads(result.content[0].text) == facts
    assert result.is_error == (facts["status"] == "refused")
    return facts


async def over_http(desk: Desk, script: Callable[[httpx2.AsyncClient], Awaitable[Any]], **headers: str) -> Any:  # noqa: ANN401 - whatever the script gives
    door = HttpDoor(Calls(desk), people=desk.people)
    transport = httpx2.ASGITransport(app=door)
    async with door.running(), httpx2.AsyncClient(transport=transport, headers=headers) as http:
        return await script(http)


def agent(script: Script, mode: str) -> Callable[[httpx2.AsyncClient], Awaitable[Any]]:
    async def run(http: httpx2.AsyncClient) -> Any:  # noqa: ANN401 - whatever the script gives
        async with Client(streamable_http_client(URL, http_client=http), mode=mode) as client:
            return await script(client)

    return run


async def conversation(client: Client) -> list[dict[str, Any]]:
    tools = (await client.list_tools()).tools
    assert [tool.name for tool in tools] == list(TOOLS)
    assert all(
        tool.annotations is not None and tool.annotations.read_only_hint != TOOLS[tool.name].spends for tool in tools
    )
    calls: list[tuple[str, dict[str, Any]]] = [
        ("describe_tables", {}),
        ("price", {"sql": COUNT, "error": 5}),
        ("ask", ASK),
        ("ask", ASK),
        ("ask", {**ASK, "sql": "SELECT * FROM patient"}),
        ("no_such_tool", {"a": 1}),
        ("budget", {}),
    ]
    return [told(await client.call_tool(name, said)) for name, said in calls]


def follows(found: list[dict[str, Any]], mode: str) -> None:
    tables, price, answer, again, star, unknown, budget = found
    assert tables["tables"][0]["name"] == "patient", mode
    assert price["columns"][0]["expected_margin"] == "5"
    assert (answer["charged"], again["charged"]) == ("yes", "nothing")
    assert answer["rows"] == again["rows"]
    assert (star["error"], unknown["error"]) == ("QueryRefused", "InvalidParameter")
    assert budget["spent"]["epsilon"] == "0.5"


@pytest.mark.parametrize("mode", MODES)
def test_a_conversation_in_one_process(mode: str) -> None:
    async def run(desk: Desk) -> list[dict[str, Any]]:
        asker = Asker.of(desk.people.add("helper", agent=True), "agent")
        async with Client(mcp_server(Calls(desk), lambda _: asker), mode=mode) as client:
            return await conversation(client)

    with a_desk() as desk:
        follows(asyncio.run(run(desk)), mode)


@pytest.mark.parametrize("mode", MODES)
def test_a_conversation_over_http(mode: str) -> None:
    with a_desk() as desk:
        desk.people.add("helper", agent=True)
        token = desk.people.make_token("helper", label="an agent")
        found = asyncio.run(over_http(desk, agent(conversation, mode), authorization=f"Bearer {token}"))
        follows(found, mode)


def test_a_conversation_through_pipes(tmp_path: Path) -> None:
    each = range(300)
    pa.parquet.write_table(pa.table({"pid": list(each), "age": [n % 90 for n in each]}), tmp_path / "patient.parquet")
    (tmp_path / "people.toml").write_text(
        'name = "people"\nunit = "patient"\nlimit = { epsilon = "10" }\n[tables.patient]\nparquet = "patient.parquet"\n'
        'unit_column = "pid"\ncolumns.pid = { type = "integer" }\n'
        'columns.age = { type = "integer", bounds = [0, 110] }\n',
        encoding="utf-8",
    )
    server = StdioServerParameters(
        command=sys.executable,
        args=["-c", "from privet.cli import app; app()", "mcp", "people.toml", "--analyst", "helper"],
        cwd=tmp_path,
        env={**os.environ},
    )

    async def run() -> list[dict[str, Any]]:
        async with Client(server, mode="legacy") as client:
            return await conversation(client)

    follows(asyncio.run(run()), "legacy")


# --- who comes in over HTTP -----------------------------------------------------------------------------------------

CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "ask", "arguments": ASK}}
PLAIN = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


def posted(desk: Desk, body: bytes | None = None, **headers: str) -> httpx2.Response:
    async def post(http: httpx2.AsyncClient) -> httpx2.Response:
        return await http.post(URL, content=json.dumps(CALL).encode() if body is None else body, headers=PLAIN)

    found: httpx2.Response = asyncio.run(over_http(desk, post, **headers))
    return found


def test_tokens_open_the_door_and_nothing_else_does() -> None:
    with a_desk() as desk:
        people = desk.people
        people.add("helper", agent=True)
        good, revoked = (people.make_token("helper", label=each) for each in ("good", "revoked"))
        people.revoke_token(revoked.split("_")[1])
        expired = people.make_token("helper", label="expired", seconds=1e-9)
        bad = [
            "",
            "Bearer",
            "Bearer ",
            f"Basic {good}",
            f"Bearer {revoked}",
            f"Bearer {expired}",
            "Bearer " + "x" * 10**5,
        ]
        bad += [f"Bearer {good[:-1]}", f"Bearer {good} x", "Bearer privet_%C3", f"Bearer {good.upper()}"]
        answers = [posted(desk, authorization=each) for each in bad] + [posted(desk)]
        assert {answer.status_code for answer in answers} == {401}
        assert len({answer.content for answer in answers}) == 1
        assert answers[0].headers["www-authenticate"] == "Bearer"
        assert desk.ledger.entries == ()
        assert posted(desk, authorization=f"bearer {good}").status_code == 200
        people.deactivate("helper")
        assert posted(desk, authorization=f"Bearer {good}").status_code == 401


def test_nothing_is_streamed() -> None:
    with a_desk() as desk:
        desk.people.add("helper")
        token = desk.people.make_token("helper", label="x")

        async def script(http: httpx2.AsyncClient) -> list[httpx2.Response]:
            return [await http.request(method, URL, headers=PLAIN) for method in ("GET", "DELETE", "PUT", "OPTIONS")]

        answers = asyncio.run(over_http(desk, script, authorization=f"Bearer {token}"))
        assert {(each.status_code, each.headers["allow"]) for each in answers} == {(405, "POST")}


def test_pages_of_others_are_refused() -> None:
    with a_desk() as desk:
        desk.people.add("helper")
        token = f"Bearer {desk.people.make_token('helper', label='x')}"
        assert posted(desk, authorization=token, origin="https://evil.example").status_code == 403
        assert posted(desk, authorization=token, origin="null").status_code == 403
        assert posted(desk, authorization=token, origin="http://privet.test").status_code == 200


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[" * 50_000,
        b"[]",
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call"}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":[1]}}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{"sql":"\\ud800"}}}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":["ask"]}}',
        b'{"jsonrpc":"2.0","id":1,"method":"secret/method","params":{}}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{"epsilon":1'
        + b"0" * 9999
        + b"}}}",
        b"\xff\xfe",
        b" " * (LARGEST_BODY + 1),
    ],
    ids=range(11),
)
def test_broken_messages_are_refused_without_a_charge_or_a_traceback(body: bytes) -> None:
    with a_desk() as desk:
        desk.people.add("helper")
        answer = posted(desk, body, authorization=f"Bearer {desk.people.make_token('helper', label='x')}")
        assert answer.status_code in {200, 400, 413}
        assert not any(word in answer.text for word in ("Traceback", "pydantic", "/src/", ".py"))
        assert desk.ledger.entries == ()


def test_a_token_that_may_only_read_does_not_spend() -> None:
    with a_desk() as desk:
        desk.people.add("helper")
        token = desk.people.make_token("helper", label="x", scopes=[TokenScope.READ])
        answer = posted(desk, authorization=f"Bearer {token}").json()["result"]["structuredContent"]
        assert (answer["error"], answer["charged"]) == ("NotAllowed", "nothing")
