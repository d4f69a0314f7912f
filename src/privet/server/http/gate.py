"""Gate: what every request to the server passes, whatever page or route it is for."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias

from privet.server.settings import Settings

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

HEADERS = {  # of every answer, unless a page says otherwise
    b"cache-control": b"no-store",
    b"content-security-policy": b"default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"referrer-policy": b"no-referrer",
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
}


class Gate:
    """Refuses requests under foreign names, that are too large or too many; adds what browsers must be told.

    Args:
        app: what stands behind it.
        settings: names, sizes and numbers.

    Privacy: reads the request alone, so that neighbors cannot differ.
    """

    def __init__(self, app: App, *, settings: Settings) -> None:
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        await self._app(scope, receive, self._with_headers(send))

    def _with_headers(self, send: Send) -> Send:
        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                said = {name.lower() for name, _ in message["headers"]}
                message["headers"] = [
                    *message["headers"],
                    *((name, value) for name, value in HEADERS.items() if name not in said),
                ]
            await send(message)

        return sent
