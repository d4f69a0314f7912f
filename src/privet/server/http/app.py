"""make_app: the web application of a server."""

import hmac
from pathlib import Path
from typing import Any

from anyio import to_thread
from fastapi import APIRouter, FastAPI, Request
from starlette.responses import PlainTextResponse, Response

from privet.errors import InvalidParameter, SignInNeeded
from privet.server.desk import Desk
from privet.server.http import asking_routes, facts_routes, owner_routes
from privet.server.http.gate import Gate
from privet.server.http.signed_in import UNKNOWN
from privet.server.http.strict_route import PREFIX
from privet.server.http.telling import NotThere, tell_problems
from privet.server.metrics import Metrics
from privet.server.people import People
from privet.server.settings import LOOPBACK, Settings

__all__ = ["PREFIX", "make_app"]

ABOUT = "Private answers from a dataset: prices before anything is spent, answers with their margins, a budget."
UNWATCHED: dict[str, Any] = {  # times and errors stay here, whatever the environment says about OpenTelemetry
    "telemetry": {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}
}


def make_app(desk: Desk, people: People, settings: Settings) -> FastAPI:
    """The application with the API under `/api/v1`; pages hang themselves in beside it.

    Args:
        desk: what every door asks through.
        people: accounts and tokens.
        settings: of the server.

    `app.state` has all three, for routes that others hang in with `app.include_router`; the first path that fits wins.
    """
    app = FastAPI(
        title="Privet",
        summary=ABOUT,
        version="1",
        docs_url=None,
        redoc_url=None,
        openapi_url=f"{PREFIX}/openapi.json",
        redirect_slashes=False,
        **UNWATCHED,
    )
    metrics = Metrics()
    app.state.desk, app.state.people, app.state.settings, app.state.metrics = desk, people, settings, metrics
    app.add_middleware(Gate, settings=settings, metrics=metrics)
    tell_problems(app)
    for each in (asking_routes, facts_routes, owner_routes):
        app.include_router(each.router)
    app.include_router(_health(settings))
    return app


def _health(settings: Settings) -> APIRouter:
    """What is asked by machines that look after the server; it says nothing of data or people."""
    router = APIRouter(include_in_schema=False)

    @router.get("/healthz")
    async def healthz() -> dict[str, str]:
        return {"status": "alive"}

    @router.get("/readyz")
    async def readyz(request: Request) -> Response:
        desk: Desk = request.app.state.desk
        ready = await to_thread.run_sync(_is_ready, desk)
        return PlainTextResponse("ready" if ready else "not ready", 200 if ready else 503)

    if settings.metrics:
        token = _metrics_token(settings.metrics_token)

        @router.get("/metrics")
        async def metrics(request: Request) -> Response:
            if token is None:
                near = request.client is not None and request.client.host in LOOPBACK
                if not near or settings.behind_proxy:
                    raise NotThere
            elif not hmac.compare_digest(token, request.headers.get("authorization", "").encode()):
                raise SignInNeeded(UNKNOWN)
            return PlainTextResponse(request.app.state.metrics.text(), media_type="text/plain; version=0.0.4")

    return router


def _is_ready(desk: Desk) -> bool:
    """Whether the ledger answers."""
    try:
        desk.ledger.journal.books()
    except Exception:  # noqa: BLE001 - why not is in the log of whoever asks
        return False
    return True


def _metrics_token(file: Path | None) -> bytes | None:
    if file is None:
        return None
    try:
        found = file.read_bytes().strip()
    except OSError:
        found = b""
    if not found:
        raise InvalidParameter(f"metrics_token: {file} has no token in it: write one of your own choice into it")
    return b"Bearer " + found
