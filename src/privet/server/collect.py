"""collect: a collector and its surveys served alone, without a dataset or a ledger."""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from privet.errors import PrivetError
from privet.local.device import SigningKey
from privet.server.collector import Collector, GroupCommit, Store, collector_routes
from privet.server.collector.rate_limit import RateLimit
from privet.server.collector.tokens import READ, RUN, tokens_of
from privet.server.people import People, TokenScope
from privet.server.survey import survey_routes

TIDY = 60.0  # seconds between looks at periods that are over
POSTGRES = ("postgresql://", "postgres://")


def open_store(address: str) -> Store:
    """A collector's store: a file of SQLite, or a PostgreSQL by its URL."""
    if address.startswith(POSTGRES):
        from privet.server.collector.postgres_store import PostgresStore  # noqa: PLC0415 - an extra

        return PostgresStore(address)
    from privet.server.collector.sqlite_store import SqliteStore  # noqa: PLC0415 - beside the other

    return SqliteStore(address.removeprefix("sqlite:///"))


def open_collector(address: str, *, key: Path | None = None) -> Collector:
    """A collector on a store, with its signing key beside the file, or where `key` says."""
    place = key
    if place is None:
        place = Path("collector.key" if address.startswith(POSTGRES) else f"{address.removeprefix('sqlite:///')}.key")
    return Collector(open_store(address), SigningKey.kept_in(place))


def make_collector_app(collector: Collector, *, rate: RateLimit | None, window: float | None = None) -> Starlette:
    """The application: reports, collections, surveys and their results."""
    commit = GroupCommit(collector.store) if window is None else GroupCommit(collector.store, window=window)

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with _tidied(collector, commit):
            yield

    routes = collector_routes(collector, commit, allowed=tokens_of(collector.store), rate=rate)
    return Starlette(
        routes=[*routes, *survey_routes(collector, commit), Route("/healthz", _healthy)],
        lifespan=lifespan,
        exception_handlers={Exception: _failed},
    )


async def _healthy(_: Request) -> Response:
    return JSONResponse({"status": "alive"})


async def _failed(_: Request, __: Exception) -> Response:
    """One sentence for whatever nobody thought of."""
    return JSONResponse({"title": "this did not work", "status": 500}, 500)


@contextlib.asynccontextmanager
async def _tidied(collector: Collector, commit: GroupCommit) -> AsyncIterator[None]:
    """Periods end by themselves as long as the context lasts; what is on its way is finished."""
    tidying = asyncio.create_task(_tidy(collector))
    yield
    tidying.cancel()
    await commit.finish()


async def _tidy(collector: Collector) -> None:
    while True:
        with contextlib.suppress(PrivetError):
            await asyncio.to_thread(collector.tidy)
        await asyncio.sleep(TIDY)


def collector_config(  # noqa: PLR0913 - what is said at the command line
    collector: Collector,
    *,
    host: str,
    port: int,
    rate: RateLimit | None,
    certificate: Path | None = None,
    certificate_key: Path | None = None,
) -> uvicorn.Config:
    """How a collector is served: nothing is logged of requests, and no answer tells what program answers."""
    config = uvicorn.Config(
        make_collector_app(collector, rate=rate),
        host=host,
        port=port,
        access_log=False,
        log_level="critical",
        server_header=False,
        date_header=False,
        proxy_headers=False,
        ssl_certfile=certificate,
        ssl_keyfile=certificate_key,
        limit_concurrency=10_000,
        timeout_keep_alive=5,
    )
    config.load()
    if config.ssl is not None:
        config.ssl.minimum_version = ssl.TLSVersion.TLSv1_2
        config.ssl.options |= ssl.OP_NO_TICKET  # tickets would join the connections of a device
        config.ssl.num_tickets = 0
    return config


def serve_collector(config: uvicorn.Config) -> None:
    """Serve until stopped."""
    uvicorn.Server(config).run()


def hang_in(app: Starlette, collector: Collector, people: People, *, rate: RateLimit | None = None) -> None:
    """Serve a collector and its surveys beside the other doors of a server.

    Args:
        app: of the server.
        collector: what is collected.
        people: whose tokens are asked for: OWN may publish, close, release and delete, all others may read.
        rate: how often an address may send, where the server has no limit of its own.
    """
    commit = GroupCommit(collector.store)

    def allowed(secret: str) -> frozenset[str] | None:
        found = people.by_token(secret)
        return None if found is None else frozenset({RUN, READ} if TokenScope.OWN in found[1] else {READ})

    routes = collector_routes(collector, commit, allowed=allowed, rate=rate)
    app.router.routes[:0] = [*routes, *survey_routes(collector, commit, rate=rate)]
    own: Callable[[Any], contextlib.AbstractAsyncContextManager[Any]] = app.router.lifespan_context

    @contextlib.asynccontextmanager
    async def lifespan(served: Any) -> AsyncIterator[Any]:  # noqa: ANN401 - as Starlette has it
        async with own(served) as state, _tidied(collector, commit):
            yield state

    app.router.lifespan_context = lifespan
