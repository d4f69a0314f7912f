"""serve: one process, or several on one ledger, with a desk and every door before it."""

import asyncio
import logging
import multiprocessing
import signal
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import uvicorn
from fastapi import FastAPI, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from privet.errors import InvalidParameter
from privet.server.certificates import localhost_certificate
from privet.server.connections import timed
from privet.server.desk import Desk
from privet.server.http.app import make_app
from privet.server.people import People, Role
from privet.server.postgres import PostgresDoor
from privet.server.settings import Settings

if TYPE_CHECKING:
    from privet.server.console import FirstRun

LOG = logging.getLogger("privet.server")
BACKLOG = 512
KEEP_ALIVE = 5  # seconds that a connection stays open without a request
OWNER = "owner"
AGAIN = 1.0  # seconds before a process that has ended is started again
Tell = Callable[[str], None]


@dataclass(frozen=True)
class Sockets:
    """What is listened to, by all processes.

    Args:
        http: by browsers, programs and agents.
        postgres: by SQL clients, if that door is open.
    """

    http: socket.socket
    postgres: socket.socket | None


def serve(settings: Settings, *, tell: Tell, invent: Callable[[Path], Path] | None = None) -> None:
    """Serve until the process is told to stop; running answers are finished, or stored under their keys.

    Args:
        settings: how; without a catalog the console asks for one.
        tell: prints a sentence for whoever runs it.
        invent: writes an invented dataset into a folder and returns its catalog, to look around in.
    """
    if settings.catalog is None and settings.console:
        from privet.server.first_serve import first_serve  # noqa: PLC0415 - it stands on this file

        first_serve(settings, tell=tell, invent=invent)
        return
    ready = prepared(settings)
    tls_of(ready)
    with ExitStack() as opened:
        http = opened.enter_context(closing(listening(ready.host, ready.port)))
        wire = opened.enter_context(closing(listening(ready.host, ready.postgres_port))) if ready.postgres else None
        ready = replace(ready, port=http.getsockname()[1])
        if wire is not None:
            ready = replace(ready, postgres_port=wire.getsockname()[1])
        welcome(ready, tell)
        sockets = Sockets(http, wire)
        if ready.workers == 1:
            run(ready, sockets)
        else:
            supervise(ready, sockets)


def prepared(settings: Settings) -> Settings:
    """The settings with everything named that was left to be found; a certificate is made if it is wanted."""
    if settings.catalog is None:
        raise InvalidParameter("say what to serve: privet serve hospital.toml")
    folder = settings.catalog.resolve().parent
    found = settings
    if settings.people is None:
        found = replace(found, people=f"sqlite:///{folder / settings.catalog.stem}.people.db")
    if settings.dev and settings.certificate is None:
        certificate, key = localhost_certificate(folder)
        found = replace(found, certificate=certificate, certificate_key=key)
    return found


def welcome(settings: Settings, tell: Tell) -> None:
    """Make what is not there yet, and say where the server is and, the first time, how to become its owner."""
    people, desk = opened(settings)
    try:
        if not any(each.active and each.role is Role.OWNER for each in people):
            for lost in people.invitations():  # a link is shown once; who did not keep it gets another
                if lost.role is Role.OWNER:
                    people.take_back(lost.number)
            secret = people.invite(OWNER, role=Role.OWNER)
            tell(f"there is no owner yet: become the owner with {settings.invitation(secret)} (once, within a week)")
    finally:
        desk.close()
        people.close()
    if settings.postgres:
        host = settings.host if ":" not in settings.host else f"[{settings.host}]"
        tell(f"SQL clients connect to postgresql://NAME@{host}:{settings.postgres_port}/{desk.catalog.name}")
    tell(f"{desk.catalog.name} is served at {settings.address}")
    if settings.dev:
        tell(f'the certificate is for this machine alone: privet.connect(…, certificate="{settings.certificate}")')


def opened(settings: Settings) -> tuple[People, Desk]:
    """The people and the desk of a server."""
    people = People.open(settings.people)
    try:
        return people, Desk.open(Path(str(settings.catalog)), people=people, settings=settings)
    except BaseException:
        people.close()
        raise


def application(desk: Desk, people: People, settings: Settings) -> FastAPI:
    """The API, and the pages and doors that hang in beside it."""
    app = make_app(desk, people, settings)
    if settings.agents:
        from privet.server.agents.hang_in import hang_in  # noqa: PLC0415 - its package is slow to load

        hang_in(app, desk, people, settings, permalinks=settings.permalink("") if settings.console else "")
    if settings.collector is not None:
        from privet.server.collect import hang_in as collect  # noqa: PLC0415 - not everybody collects
        from privet.server.collect import open_collector  # noqa: PLC0415 - the same

        collect(app, open_collector(settings.collector), people)
    if settings.console:
        from privet.server.console import console_router  # noqa: PLC0415 - slow to load, and not everybody wants it

        app.router.routes += [Route(path, _to_console, include_in_schema=False) for path in ("/", "/console")]
        app.mount("/console", console_router(desk, people, settings))
    return app


async def _to_console(request: Request) -> Response:  # noqa: ARG001 - as routes are called
    return RedirectResponse("/console/", status_code=303)


def run(settings: Settings, sockets: Sockets) -> None:
    """One process: it serves until it is told to stop."""
    people, desk = opened(settings)
    try:
        asyncio.run(_served(desk, people, settings, sockets))
    finally:
        desk.close()
        people.close()


async def _served(desk: Desk, people: People, settings: Settings, sockets: Sockets) -> None:
    """All doors, open at once; the one that is told to stop closes the others."""
    web = WebServer(config_of(application(desk, people, settings), settings))
    if sockets.postgres is None:
        await web.serve(sockets=[sockets.http])
        return
    door = PostgresDoor(desk, people, settings, tls=tls_of(settings))
    await door.start(listening=sockets.postgres)
    try:
        await web.serve(sockets=[sockets.http])
    finally:
        await door.stop()


def tls_of(settings: Settings) -> ssl.SSLContext | None:
    """TLS of the doors that do not read their files themselves."""
    if settings.certificate is None or settings.certificate_key is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(settings.certificate, settings.certificate_key)
    except (OSError, ssl.SSLError):
        raise InvalidParameter(
            f"certificate: {settings.certificate} and {settings.certificate_key} are no certificate and its key: name "
            "two PEM files"
        ) from None
    return context


class WebServer(uvicorn.Server):
    """uvicorn that ends when it is told to, so that what is open is closed afterwards."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop at Ctrl-C and when the process is terminated; a second Ctrl-C does not wait."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self.handle_exit, number, None)
        try:
            yield
        finally:
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.remove_signal_handler(number)


def config_of(app: "FastAPI | FirstRun", settings: Settings) -> uvicorn.Config:
    """How uvicorn serves: strictly, and without a word about who asked what."""
    return uvicorn.Config(
        app,
        http=timed(settings.seconds_to_read),
        ws="none",
        access_log=False,
        log_config=None,
        server_header=False,
        proxy_headers=False,
        backlog=BACKLOG,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=int(settings.seconds_to_stop),
        ssl_certfile=settings.certificate,
        ssl_keyfile=settings.certificate_key,
    )


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens."""
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        found = socket.create_server(address[:2], family=family, backlog=BACKLOG)
        found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # inherited: else each reply waits 40 ms for an ACK
    except (OSError, UnicodeError) as problem:
        why = getattr(problem, "strerror", None) or "no such address"
        raise InvalidParameter(f"{host}:{port} cannot be listened to ({why}): name another host or port") from None
    return found


# --- several processes --------------------------------------------------------------------------------------------


def supervise(settings: Settings, sockets: Sockets) -> None:
    """Several processes on one ledger; one that ends is started again, until all are told to stop."""
    context = multiprocessing.get_context("spawn")
    stopping: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - as signals are handled
        stopping.append(number)

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}

    def begun() -> BaseProcess:
        process = context.Process(target=run, args=(settings, sockets))
        process.start()
        return process

    processes = [begun() for _ in range(settings.workers)]
    try:
        while not stopping:
            time.sleep(AGAIN / 4)
            for place, process in enumerate(processes):
                if not process.is_alive() and not stopping:
                    LOG.error("a process of the server has ended with %s: another one is started", process.exitcode)
                    time.sleep(AGAIN)
                    processes[place] = begun()
    finally:
        for process in processes:
            process.terminate()  # which lets it finish what runs
        for process in processes:
            process.join(settings.seconds_to_stop + KEEP_ALIVE)
            if process.is_alive():
                process.kill()
        for number, handler in before.items():
            signal.signal(number, handler)
