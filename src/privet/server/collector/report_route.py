"""ReportRoute: `POST /v1/reports`, from bytes to an acknowledgement that holds."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from privet.errors import InvalidParameter
from privet.local.device import ReportMessage
from privet.local.device.report_message import LAYOUT, MOST_PAYLOAD
from privet.server.collector.collector import Collector
from privet.server.collector.group_commit import GroupCommit, Overloaded
from privet.server.collector.rate_limit import RateLimit
from privet.server.collector.report_counts import ReportCounts
from privet.server.collector.store import Kept, StoreUnavailable

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

MOST_BODY = LAYOUT.size + MOST_PAYLOAD
ACCEPTED, WRONG, UNKNOWN, OUTDATED, CLOSED, LARGE = 202, 400, 404, 409, 410, 413
EARLY, OFTEN, UNAVAILABLE = 425, 429, 503
SENTENCES = {
    WRONG: "not a report of this collection",
    UNKNOWN: "there is no such collection",
    OUTDATED: "the report is of another configuration",
    CLOSED: "the period is closed",
    LARGE: "the body is too long",
    EARLY: "the period has not begun",
    OFTEN: "too many reports: try again later",
    UNAVAILABLE: "nothing was acknowledged: try again later",
}
HEADERS = [(b"cache-control", b"no-store"), (b"access-control-allow-origin", b"*")]
PLAIN = [*HEADERS, (b"content-length", b"0")]


def _problem(status: int) -> tuple[list[tuple[bytes, bytes]], bytes]:
    body = f'{{"title":"{SENTENCES[status]}","status":{status}}}'.encode()
    length = str(len(body)).encode()
    return [*HEADERS, (b"content-type", b"application/problem+json"), (b"content-length", length)], body


ANSWERS = {status: _problem(status) for status in SENTENCES} | {ACCEPTED: (PLAIN, b"")}


class ReportRoute:
    """An ASGI application that takes one report a request, and looks at nothing but its body.

    The answer is 202, empty, for a report that is counted and for one that was counted before, after both are durable.
    No header is read; the address is known to the rate limit for an hour at most, in memory.

    Args:
        collector: which collections and periods take reports.
        commit: makes reports durable.
        rate: how often an address may send; None for no limit.
        counts: of answers.
    """

    def __init__(
        self, collector: Collector, commit: GroupCommit, *, rate: RateLimit | None, counts: ReportCounts
    ) -> None:
        self._collector, self._commit = collector, commit
        self._rate, self._counts = rate, counts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        status = await self._status(scope, receive)
        self._counts.count(status)
        headers, body = ANSWERS[status]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _status(self, scope: Scope, receive: Receive) -> int:
        client = scope.get("client")
        if self._rate is not None and client is not None and not self._rate.allows(client[0]):
            return OFTEN
        body = await _body(receive)
        if body is None:
            return LARGE
        return await self.take(body)

    async def take(self, body: bytes) -> int:
        """The status for a body, after its report is durable."""
        try:
            message = ReportMessage.unpack(body)
        except InvalidParameter:
            return WRONG
        refused = self._collector.refusal(message)
        if refused is not None:
            return refused
        try:
            closed = await self._commit.keep(Kept.of(message))
        except (StoreUnavailable, Overloaded):
            return UNAVAILABLE
        return CLOSED if (message.collection, message.period) in closed else ACCEPTED


async def _body(receive: Receive) -> bytes | None:
    """The body, if it is not longer than a report can be."""
    body: bytes = b""
    while True:
        part = await receive()
        if part["type"] != "http.request":
            return b""
        body += bytes(part.get("body", b""))
        if len(body) > MOST_BODY:
            return None
        if not part.get("more_body", False):
            return body
