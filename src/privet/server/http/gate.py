"""Gate: what every request to the server passes, whatever page or route it is for."""

import asyncio
import hashlib
import json
import logging
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, MutableMapping
from http import HTTPStatus
from typing import Any, TypeAlias

from starlette.exceptions import HTTPException
from starlette.responses import Response

from privet.errors import Busy
from privet.server.http.rates import Rates
from privet.server.http.telling import bare_problem, problem_response, unforeseen
from privet.server.metrics import Metrics
from privet.server.settings import Settings

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

LOG = logging.getLogger("privet.server.requests")
HEALTH = ("/healthz", "/readyz", "/metrics")  # answered however busy the server is
HOST = re.compile(rb"(?P<name>[A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?")
HEADERS = {  # of every answer, unless a page says otherwise
    b"cache-control": b"no-store",
    b"content-security-policy": b"default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"referrer-policy": b"no-referrer",
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
}
CLOSING = {"connection": "close"}  # the rest of such a request is not read
LENGTH = re.compile(rb"[0-9]{1,15}")
PEOPLE_AT_AN_ADDRESS = 20
YEAR = 31_536_000  # seconds


class Gate:
    """Refuses requests under foreign names, that are too large or too many; adds what browsers must be told.

    Args:
        app: what stands behind it.
        settings: names, sizes and numbers.
        metrics: counts requests.

    Privacy: reads the request alone, so that neighbors cannot differ. An error that nobody foresaw becomes one constant
        sentence here; the log has the route and the status of a request, where that is wanted, and no address, query,
        header or body.
    """

    def __init__(self, app: App, *, settings: Settings, metrics: Metrics) -> None:
        self._app = app
        self._settings = settings
        self._metrics = metrics
        self._rates = Rates(settings.requests_per_minute)
        self._address_rates = Rates(PEOPLE_AT_AN_ADDRESS * settings.requests_per_minute)
        said = dict(HEADERS)
        if settings.address.startswith("https://") and not settings.dev:
            said[b"strict-transport-security"] = b"max-age=%d" % YEAR
        self._headers = tuple(said.items())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = [0]  # the status, once it was sent
        told = self._watched(send, begun)
        self._metrics.begin()
        try:
            refused = self._refusal(scope)
            if refused is not None:
                await refused(scope, receive, told)
                return
            await self._passed(scope, receive, told, begun)
        finally:
            route = str(getattr(scope.get("route"), "path", "-"))
            self._metrics.end(_method(scope), route, begun[0])
            if self._settings.log_requests:
                LOG.info("%s", json.dumps({"method": _method(scope), "route": route, "status": begun[0]}))

    async def _passed(self, scope: Scope, receive: Receive, send: Send, begun: list[int]) -> None:
        body = _Body(receive, self._settings.largest_body, self._settings.seconds_to_read)
        try:
            await self._app(scope, body.receive, send)
        except Exception as error:  # noqa: BLE001 - whatever it is, nobody outside may see it
            found = unforeseen(error)
            if not begun[0]:
                await found(scope, receive, send)

    def _refusal(self, scope: Scope) -> Response | None:
        refused = self._misread(scope["headers"])
        if refused is not None or scope["path"] in HEALTH:
            return refused
        if self._metrics.working > self._settings.requests_at_once:
            return problem_response(
                Busy("too many requests are in work, and nothing was charged: try again in a while")
            )
        if wait := max(rates.wait(who) for rates, who in self._counted(scope)):
            return problem_response(Busy("too many requests in a minute: try again in a while", retry_after=wait))
        return None

    def _misread(self, headers: Iterable[tuple[bytes, bytes]]) -> Response | None:
        """The refusal of a request that servers could read in two ways, or that is for another server."""
        hosts = [value for name, value in headers if name == b"host"]
        found = HOST.fullmatch(hosts[0]) if len(hosts) == 1 else None
        if found is None or found["name"].strip(b"[]").lower().decode() not in self._settings.hosts:
            return bare_problem(HTTPStatus.MISDIRECTED_REQUEST, "this server is not called so: its owner names hosts")
        lengths = [value for name, value in headers if name == b"content-length"]
        coded = any(name == b"transfer-encoding" for name, _ in headers)
        if len(lengths) > 1 or (lengths and (coded or not LENGTH.fullmatch(lengths[0]))):
            return bare_problem(HTTPStatus.BAD_REQUEST, "the length of a request must be said once, as a number")
        if lengths and int(lengths[0]) > self._settings.largest_body:
            return too_large(self._settings.largest_body)
        return None

    def _counted(self, scope: Scope) -> Iterator[tuple[Rates, bytes]]:
        """What a request counts for: its token or session, and the address of the other end, unless it is a proxy's."""
        client = scope.get("client")
        address = b"" if client is None or self._settings.behind_proxy else str(client[0]).encode()
        shown = [value for name, value in scope["headers"] if name in (b"authorization", b"cookie")]
        yield (self._rates, hashlib.sha256(shown[0]).digest() if shown else address)
        if address:
            yield (self._address_rates, address)

    def _watched(self, send: Send, begun: list[int]) -> Send:
        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                begun[0] = message["status"]
                said = {name.lower() for name, _ in message["headers"]}
                more = [(name, value) for name, value in self._headers if name not in said]
                message["headers"] = [*message["headers"], *more]
            await send(message)

        return sent


class _Body:
    """A body that has to be there in time, and to be small."""

    def __init__(self, receive: Receive, largest: int, seconds: float) -> None:
        self._receive = receive
        self._left = largest
        self._end = asyncio.get_running_loop().time() + seconds
        self._whole = False

    async def receive(self) -> Message:
        if self._whole:  # what follows is that the client goes, which may take as long as it likes
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._end):
                message = await self._receive()
        except TimeoutError:
            raise HTTPException(HTTPStatus.REQUEST_TIMEOUT, headers=dict(CLOSING)) from None
        self._whole = not message.get("more_body", False)
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, headers=dict(CLOSING))
        return message


def too_large(most: int) -> Response:
    """The refusal of a large body."""
    found = bare_problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a request has at most {most:,} bytes")
    found.headers.update(CLOSING)
    return found


def _method(scope: Scope) -> str:
    """The method, if it is one of HTTP's: others are whatever somebody wrote."""
    method = str(scope["method"])
    return method if method in {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} else "other"
