"""first_serve: a server that begins without a catalog: the console asks for one, and the doors open."""

import asyncio
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from privet.errors import InvalidParameter
from privet.query.catalog.toml_text import text
from privet.server.certificates import localhost_certificate
from privet.server.console import FirstRun
from privet.server.desk import Desk
from privet.server.people import People
from privet.server.postgres import PostgresDoor
from privet.server.serve import WebServer, application, config_of, listening, tls_of
from privet.server.settings import Settings

if TYPE_CHECKING:
    import socket

    from fastapi import FastAPI

PEOPLE = "people.db"
CONFIG = "privet.toml"


@dataclass
class FirstServe:
    """What is opened once a catalog is there.

    Args:
        settings: without a catalog.
        folder: where the data is; the catalog, its ledger and the accounts will be there, too.
        invent: writes an invented dataset, to look around in.
    """

    settings: Settings
    folder: Path
    invent: Callable[[Path], Path] | None = None
    desk: Desk | None = None
    door: PostgresDoor | None = None
    behind: "FastAPI | None" = None

    def __post_init__(self) -> None:
        if not self.settings.console:
            raise InvalidParameter("say what to serve: privet serve hospital.toml; without one the console asks for it")
        if self.settings.workers != 1:
            raise InvalidParameter("the first run is one process: say workers with a catalog, the next time")
        if self.settings.people is None:
            self.settings = replace(self.settings, people=f"sqlite:///{self.folder / PEOPLE}")
        self.people = People.open(self.settings.people)
        self.app = FirstRun(
            self._begin, people=self.people, settings=self.settings, folder=self.folder, invent=self.invent
        )

    def _begin(self, catalog: Path) -> "FastAPI":
        """Open the data and its ledger, and say for the next time what was opened."""
        settings = replace(self.settings, catalog=catalog)
        self.desk = Desk.open(catalog, people=self.people, settings=settings, create=True)
        self._keep(catalog)
        self.behind = application(self.desk, self.people, settings)
        return self.behind

    def _keep(self, catalog: Path) -> None:
        """Write the settings with which `privet serve --config privet.toml` goes on."""
        path = self.folder / CONFIG
        lines = [
            "# Written by the first run. Every line is explained in docs/server/operate.md.",
            f"catalog = {text(str(catalog.relative_to(self.folder)))}",
            f"people = {text(str(self.settings.people))}",
        ]
        if not path.exists():
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")

    async def open_doors(self, listening: "socket.socket | None") -> None:
        """Wait for the desk, then open the doors beside the web, until this is cancelled."""
        await self.app.opened.wait()
        if self.desk is None or self.behind is None:
            return
        async with self.behind.router.lifespan_context(self.behind):  # the web server began before it was there
            if listening is not None:
                self.door = PostgresDoor(self.desk, self.people, self.settings, tls=tls_of(self.settings))
                await self.door.start(listening=listening)
            await asyncio.Event().wait()

    def close(self) -> None:
        """Let go of everything."""
        if self.desk is not None:
            self.desk.close()
        self.people.close()


def first_serve(settings: Settings, *, tell: Callable[[str], None], invent: Callable[[Path], Path] | None) -> None:
    """Serve the first run until the process is told to stop; from then on whatever it has opened.

    Args:
        settings: how; the catalog is not known yet.
        tell: prints a sentence for whoever runs it.
        invent: writes an invented dataset, to look around in.
    """
    folder = Path.cwd()
    ready = settings
    if settings.dev and settings.certificate is None:
        certificate, key = localhost_certificate(folder)
        ready = replace(settings, certificate=certificate, certificate_key=key)
    with ExitStack() as opened:
        http = opened.enter_context(closing(listening(ready.host, ready.port)))
        wire = opened.enter_context(closing(listening(ready.host, ready.postgres_port))) if ready.postgres else None
        ready = replace(ready, port=http.getsockname()[1])
        if wire is not None:
            ready = replace(ready, postgres_port=wire.getsockname()[1])
        first = FirstServe(ready, folder, invent)
        opened.enter_context(closing(first))
        tell(f"there is no catalog yet: make one in the browser at {ready.address}{first.app.path}")
        tell(f"the next time: privet serve --config {CONFIG}")
        asyncio.run(_served(first, ready, http, wire))


async def _served(first: FirstServe, settings: Settings, http: "socket.socket", wire: "socket.socket | None") -> None:
    web = WebServer(config_of(first.app, settings))
    waiting = asyncio.create_task(first.open_doors(wire))
    try:
        await web.serve(sockets=[http])
    finally:
        waiting.cancel()
        with suppress(asyncio.CancelledError):
            await waiting
        if first.door is not None:
            await first.door.stop()
