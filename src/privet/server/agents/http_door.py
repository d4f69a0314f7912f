"""HttpDoor: the agents' door at `/mcp`, for agents that are far away and show a token."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import anyio.to_thread
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.types.jsonrpc import jsonrpc_message_adapter
from pydantic import ValidationError

from privet.server.agents.calls import Calls
from privet.server.agents.mcp_server import Context, mcp_server
from privet.server.desk import Asker
from privet.server.pace import Pace
from privet.server.people import People

LARGEST_BODY = 256 * 1024  # bytes of one message
LONGEST_TOKEN = 512
ASKER = "privet.asker"  # where a request keeps who asks
REFUSED = {  # by HTTP's status: one sentence each
    400: "this is no message of the protocol",
    401: "show a token of an analyst: Authorization: Bearer privet_…",
    403: "this may not be asked from another page",
    405: "send messages by POST: nothing is streamed here",
    413: f"a message has at most {LARGEST_BODY:,} bytes",
}
MORE = {401: (b"www-authenticate", b"Bearer"), 405: (b"allow", b"POST")}


class HttpDoor:
    """An ASGI application for one path. Every request stands alone, so any of several workers may answer it.

    Args:
        calls: which answer tools.
        people: who knows whose a token is.
        pace: at which times replies leave; at once by default.

    Privacy: every request shows its token; nothing of one request is kept for another.
    """

    def __init__(self, calls: Calls, *, people: People, pace: Pace | None = None) -> None:
        self._people = people
        self._sessions = StreamableHTTPSessionManager(
            mcp_server(calls, _asker_of, pace=pace),
            json_response=True,
            stateless=True,
            max_request_body_size=LARGEST_BODY,
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Requests are answered while this lasts: once, for as long as the application runs."""
        async with self._sessions.run():
            yield

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401 - as ASGI has them
        """Answer one request, if its token is somebody's."""
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        if not _from_here(headers.get(b"origin"), headers.get(b"host")):
            await _refuse(send, 403)
            return
        shown = [value for name, value in scope["headers"] if name == b"authorization"]
        token = _token_in(shown[0].decode("latin-1")) if len(shown) == 1 else None
        found = None if token is None else await anyio.to_thread.run_sync(self._people.by_token, token)
        if found is None:
            await _refuse(send, 401)
            return
        if scope["method"] != "POST":
            await _refuse(send, 405)
            return
        body = await _body(receive)
        if body is None or not _is_message(body):
            await _refuse(send, 413 if body is None else 400)
            return
        asker = Asker(*found, "agent")
        await self._sessions.handle_request({**scope, ASKER: asker}, _again(body, receive), send)


def _asker_of(context: Context) -> Asker:
    found = None if context.request is None else context.request.scope.get(ASKER)
    if not isinstance(found, Asker):
        raise TypeError("a request came past the check of its token")
    return found


def _token_in(header: str) -> str | None:
    kind, _, token = header.partition(" ")
    return token.strip() if kind.lower() == "bearer" and len(token) <= LONGEST_TOKEN else None


def _from_here(origin: str | None, host: str | None) -> bool:
    """Whether no page of somebody else sent this: programs send no origin, and browsers always do."""
    return origin is None or (host is not None and urlsplit(origin).netloc.lower() == host.lower())


async def _body(receive: Any) -> bytes | None:  # noqa: ANN401 - as ASGI has it
    """All that was sent; None if it is too much."""
    parts: list[bytes] = []
    while True:
        message = await receive()
        parts.append(message.get("body", b""))
        if sum(map(len, parts)) > LARGEST_BODY:
            return None
        if not message.get("more_body", False):
            return b"".join(parts)


def _is_message(body: bytes) -> bool:
    """Whether the library need not explain what is wrong with a message: it would in its own words."""
    try:
        jsonrpc_message_adapter.validate_json(body, by_name=False)
    except ValidationError:
        return False
    return True


def _again(body: bytes, receive: Any) -> Any:  # noqa: ANN401 - as ASGI has them
    """What gives the body once more, and then whatever comes."""
    told = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Any:  # noqa: ANN401 - as ASGI has it
        return told.pop() if told else await receive()

    return again


async def _refuse(send: Any, status: int) -> None:  # noqa: ANN401 - as ASGI has it
    error = {"code": -32600, "message": REFUSED[status]}
    body = json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    headers += [MORE[status]] if status in MORE else []
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
