"""collector_routes: everything a collector answers, to be served alone or beside other doors."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from privet.errors import InvalidParameter, PrivetError
from privet.local.device import Collection
from privet.server.collector.charts import chart_of
from privet.server.collector.collector import Collector, NotReleased
from privet.server.collector.group_commit import GroupCommit
from privet.server.collector.rate_limit import RateLimit
from privet.server.collector.report_counts import ReportCounts
from privet.server.collector.report_route import ReportRoute
from privet.server.collector.results import FORMATS, file_of
from privet.server.collector.store import StoreUnavailable
from privet.server.collector.tokens import READ, RUN, Allowed

MOST_BODY = 1 << 18
Answer = Callable[[Request], Awaitable[Response]]
OPEN_TO_ALL = {"access-control-allow-origin": "*", "cache-control": "no-store"}
PRIVATE = {"cache-control": "no-store"}


class _Refused(Exception):  # noqa: N818 - named for what happened
    """An answer other than 200, with its sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status, self.sentence = status, sentence


def collector_routes(
    collector: Collector,
    commit: GroupCommit,
    *,
    allowed: Allowed,
    rate: RateLimit | None = None,
    counts: ReportCounts | None = None,
) -> list[BaseRoute]:
    """The routes under `/v1`: reports and public descriptions for devices, the rest for analysts with a token.

    Args:
        collector: what is collected.
        commit: makes reports durable.
        allowed: the scopes of a token: "run" and "read".
        rate: how often an address may send.
        counts: of answers.
    """
    told = ReportCounts() if counts is None else counts
    report = ReportRoute(collector, commit, rate=rate, counts=told)
    asked = _Asked(collector, told, allowed)
    public: list[tuple[str, str, Answer]] = [
        ("GET", "/v1/collections", asked.collections),
        ("GET", "/v1/collections/{id}", asked.collection),
        ("GET", "/v1/keys", asked.keys),
    ]
    analysts: list[tuple[str, str, Answer, str]] = [
        ("POST", "/v1/collections", asked.publish, RUN),
        ("DELETE", "/v1/collections/{id}", asked.delete, RUN),
        ("POST", "/v1/collections/{id}/close", asked.close, RUN),
        ("POST", "/v1/collections/{id}/stop", asked.stop, RUN),
        ("POST", "/v1/collections/{id}/releases", asked.release, RUN),
        ("GET", "/v1/collections/{id}/results", asked.results, READ),
        ("GET", "/v1/stats", asked.stats, READ),
    ]
    return [
        Route("/v1/reports", report, methods=["POST"]),
        *(Route(path, _told(answer), methods=[method]) for method, path, answer in public),
        *(Route(path, _told(asked.only(scope, answer)), methods=[method]) for method, path, answer, scope in analysts),
    ]


def _told(answer: Answer) -> Answer:
    """Whatever goes wrong is one sentence, and never a trace."""

    async def safe(request: Request) -> Response:
        try:
            return await answer(request)
        except _Refused as refused:
            return _problem(refused.status, refused.sentence)
        except KeyError:
            return _problem(404, "there is no such collection")
        except StoreUnavailable as problem:
            return _problem(503, str(problem))
        except NotReleased as problem:
            return _problem(409, str(problem))
        except PrivetError as problem:
            return _problem(400, str(problem))

    return safe


def _problem(status: int, sentence: str) -> Response:
    headers = PRIVATE | ({"www-authenticate": "Bearer"} if status == 401 else {})  # noqa: PLR2004 - no token
    body = {"title": sentence, "status": status}
    return JSONResponse(body, status, headers, media_type="application/problem+json")


class _Asked:
    """The answers of a collector to devices and analysts."""

    def __init__(self, collector: Collector, counts: ReportCounts, allowed: Allowed) -> None:
        self._collector, self._counts, self._allowed = collector, counts, allowed

    def only(self, scope: str, answer: Answer) -> Answer:
        """The answer for those whose token has this scope."""

        async def guarded(request: Request) -> Response:
            kind, _, secret = request.headers.get("authorization", "").partition(" ")
            scopes = None
            if kind.lower() == "bearer" and secret:
                scopes = await asyncio.to_thread(self._allowed, secret.strip())
            if scopes is None:
                raise _Refused(401, "this needs a token that is valid: Authorization: Bearer …")
            if scope not in scopes:
                raise _Refused(403, f"this needs a token with the scope {scope}")
            return await answer(request)

        return guarded

    # --- for everybody ----------------------------------------------------------------------------------------

    async def collections(self, request: Request) -> Response:  # noqa: ARG002 - as routes have it
        """All collections there ever were, so that devices can see that all are shown the same."""
        await asyncio.to_thread(self._collector.refresh)
        told = [
            {"id": each.collection.id, "title": each.collection.title, "hash": each.collection.config_hash.hex()}
            | {"state": each.state}
            for each in self._collector.entries
        ]
        return JSONResponse(told, headers=OPEN_TO_ALL)

    async def collection(self, request: Request) -> Response:
        """The signed description."""
        entry = await asyncio.to_thread(self._collector.entry, _id(request))
        told = {"collection": entry.collection.to_json(), "signature": entry.signature, "state": entry.state}
        return JSONResponse(told, headers=OPEN_TO_ALL)

    async def keys(self, request: Request) -> Response:  # noqa: ARG002 - as routes have it
        """The public key of who signs."""
        return JSONResponse({"ed25519": self._collector.key.public}, headers=OPEN_TO_ALL)

    # --- for analysts -----------------------------------------------------------------------------------------

    async def publish(self, request: Request) -> Response:
        """Open a collection that the body describes."""
        made = Collection.from_json(await _text(request))
        await asyncio.to_thread(self._collector.publish, made)
        return JSONResponse({"id": made.id, "hash": made.config_hash.hex()}, 201, PRIVATE)

    async def delete(self, request: Request) -> Response:
        """Delete what is held."""
        await asyncio.to_thread(self._collector.delete, _id(request))
        return Response(status_code=204, headers=PRIVATE)

    async def stop(self, request: Request) -> Response:
        """Take no more reports for good."""
        await asyncio.to_thread(self._collector.stop, _id(request))
        return Response(status_code=204, headers=PRIVATE)

    async def close(self, request: Request) -> Response:
        """Close one period."""
        (period,) = _numbers(await _text(request), "period")
        await asyncio.to_thread(self._collector.close, _id(request), period)
        return Response(status_code=204, headers=PRIVATE)

    async def release(self, request: Request) -> Response:
        """Release a range of periods, once."""
        first, last = _numbers(await _text(request), "first", "last")
        result = await asyncio.to_thread(self._collector.release, _id(request), first, last)
        return JSONResponse(result, 201, PRIVATE)

    async def results(self, request: Request) -> Response:
        """What was released, as JSON, CSV, Arrow or a chart."""
        entry = await asyncio.to_thread(self._collector.entry, _id(request))
        found = await asyncio.to_thread(self._collector.releases, entry.collection.id)
        kind = request.query_params.get("format", "json")
        if not found:
            raise NotReleased("nothing was released of this collection yet")
        if kind == "json":
            return JSONResponse(found, headers=PRIVATE)
        if kind == "svg":
            picture = await asyncio.to_thread(chart_of, entry.collection, found)
            return Response(picture, headers=PRIVATE, media_type="image/svg+xml")
        if kind not in FORMATS:
            raise InvalidParameter("format must be json, csv, arrow or svg")
        return Response(file_of(found, kind), headers=PRIVATE, media_type=FORMATS[kind])

    async def stats(self, request: Request) -> Response:  # noqa: ARG002 - as routes have it
        """Rounded counts of answers since the start."""
        return JSONResponse(self._counts.rounded(), headers=PRIVATE)


def _id(request: Request) -> str:
    name = str(request.path_params["id"])
    if len(name) != 32 or set(name) - set("0123456789abcdef"):  # noqa: PLR2004 - 16 bytes
        raise KeyError(name)
    return name


async def _text(request: Request) -> bytes:
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MOST_BODY:
            raise _Refused(413, "the body is too long")
    return body


def _numbers(text: bytes, *names: str) -> tuple[int, ...]:
    """Whole numbers of a JSON object that has just these names."""
    try:
        facts: Any = json.loads(text)
        found = tuple(facts[name] for name in names)
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InvalidParameter(f"the body must be JSON with {' and '.join(names)}") from None
    if set(facts) != set(names) or any(type(each) is not int or abs(each) >= 1 << 31 for each in found):
        raise InvalidParameter(f"the body must be JSON with the whole numbers {' and '.join(names)}")
    return found
