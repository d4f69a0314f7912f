"""StrictRoute: a route whose body is read by `strict_json`."""

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute

from privet.server.http.strict_json import strict_json

PREFIX = "/api/v1"
JSON = "application/json"


class StrictRequest(Request):
    """A request whose JSON means one thing only."""

    async def json(self) -> Any:  # noqa: ANN401 - JSON
        """What the body says."""
        if not hasattr(self, "_read"):
            self._read = strict_json(await self.body())
        return self._read


class StrictRoute(APIRoute):
    """A route for programs."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, with the stricter request."""
        handler = super().get_route_handler()

        async def handled(request: Request) -> Response:
            stricter = StrictRequest(request.scope, request.receive)
            if self.body_field is not None and JSON in request.headers.get("content-type", "").casefold():
                await stricter.json()  # here, so that its own sentence is told
            return await handler(stricter)

        return handled
