"""hang_in: the agents' door in the web application of a server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.routing import Route

from privet.server.agents.calls import Calls
from privet.server.agents.http_door import HttpDoor
from privet.server.desk import Desk
from privet.server.pace import Pace
from privet.server.people import People
from privet.server.settings import Settings

PATH = "/mcp"


def hang_in(app: FastAPI, desk: Desk, people: People, settings: Settings, *, permalinks: str = "") -> None:
    """Let agents in at `/mcp`, for as long as the application runs.

    Args:
        app: that is not running yet.
        desk: which answers.
        people: who knows whose a token is.
        settings: of the server.
        permalinks: what the address of a stored answer begins with; "" where there are no pages for people.
    """
    door = HttpDoor(Calls(desk, permalinks=permalinks), people=people, pace=Pace(settings.answer_after))
    app.router.routes.insert(0, Route(PATH, endpoint=door, include_in_schema=False))  # found without a search
    before = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(running: FastAPI) -> AsyncIterator[object]:
        async with before(running) as state, door.running():
            yield state

    app.router.lifespan_context = lifespan  # type: ignore[assignment] # starlette has it for any of its applications
