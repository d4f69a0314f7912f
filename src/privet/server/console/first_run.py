"""FirstRun: an application that asks for a catalog, and becomes the server as soon as there is one."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route, Router

from privet.core import Unit
from privet.errors import InvalidParameter
from privet.server.console.guard import HEADERS
from privet.server.console.pages import Pages
from privet.server.console.router import hung_in
from privet.server.console.setup.steps import Steps
from privet.server.console.texts import Texts
from privet.server.console.visit import Doors
from privet.server.people.secret import new_secret
from privet.server.settings import Settings

if TYPE_CHECKING:
    from privet.server.desk import Desk
    from privet.server.people import People

Message: TypeAlias = MutableMapping[str, Any]
App: TypeAlias = Callable[
    [MutableMapping[str, Any], Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]
]


@dataclass(frozen=True)
class _Undeclared:
    """What stands for a catalog while there is none."""

    name: str = ""
    unit: Unit = field(default_factory=lambda: Unit("person"))


@dataclass(frozen=True)
class _NoDesk:
    """What stands for the desk until then; no page of the first run asks anything through it."""

    catalog: _Undeclared = _Undeclared()


class FirstRun:
    """Serves the set-up until a catalog is written and opens, and from then on what `begin` made of it.

    Args:
        begin: opens the data and the ledger of a catalog file and returns the application; what is wrong with the
            catalog it raises, and the owner reads it. It runs in a thread.
        people: where the owner's account is made.
        settings: of the server.
        folder: where the data is and the catalog will be.
        invent: writes an invented dataset into a folder and returns its catalog file, to look around in.
        code: what shows that somebody started this server; a new one if left out.
        root: where the pages hang.
        language: of the texts.

    Privacy: without the code, which is told to nobody but who starts the server, nothing can be done here.
    """

    def __init__(  # noqa: PLR0913 - what it stands on, each by name
        self,
        begin: Callable[[Path], App],
        *,
        people: "People",
        settings: Settings,
        folder: Path,
        invent: Callable[[Path], Path] | None = None,
        code: str | None = None,
        root: str = "/console",
        language: str = "en",
    ) -> None:
        self.code = code or new_secret(128)
        self._begin = begin
        self._app: App | None = None
        self._turn = asyncio.Lock()
        self.opened = asyncio.Event()
        self._hosts = settings.hosts
        doors = Doors(cast("Desk", _NoDesk()), people, settings, Pages(Texts(language)))
        steps = Steps(folder, self.code, self._ready, invent)
        self._root = root
        self._setup = Router([Route("/", self._begin_here), Mount(root, hung_in(doors, steps.pages))])

    @property
    def path(self) -> str:
        """Where whoever started the server begins."""
        return f"{self._root}/setup?code={self.code}"

    async def _begin_here(self, _: Request) -> Response:
        return RedirectResponse(f"{self._root}/setup", status_code=303, headers=HEADERS)

    async def _ready(self, catalog: Path) -> None:
        async with self._turn:
            if self._app is not None:
                raise InvalidParameter("the server runs already: reload this page")
            self._app = await asyncio.to_thread(self._begin, catalog)
            self.opened.set()

    async def __call__(
        self,
        scope: MutableMapping[str, Any],
        receive: Callable[[], Awaitable[Message]],
        send: Callable[[Message], Awaitable[None]],
    ) -> None:
        """Answer a request."""
        if self._app is not None:
            await self._app(scope, receive, send)
        elif scope["type"] == "lifespan":
            await _lifespan(receive, send)
        elif scope["type"] == "http":
            name = _host(scope)
            if name not in self._hosts:
                await PlainTextResponse("unknown host", status_code=421, headers=HEADERS)(scope, receive, send)
                return
            await self._setup(scope, receive, send)


def _host(scope: MutableMapping[str, Any]) -> str:
    """The name a request came under, without its port."""
    said = next((value for name, value in scope["headers"] if name == b"host"), b"").decode("latin-1").casefold()
    return said.rpartition("]")[0].lstrip("[") if said.startswith("[") else said.partition(":")[0]


async def _lifespan(receive: Callable[[], Awaitable[Message]], send: Callable[[Message], Awaitable[None]]) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
