"""Connections: HTTP/1.1 over connections that have to say something in time."""

from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol


def timed(seconds: float) -> type[H11Protocol]:
    """A protocol that ends a connection on which for so long no request was whole and none was in work.

    Args:
        seconds: after which somebody who sends nothing, or sends a head letter by letter, has to connect again.
    """

    class Timed(H11Protocol):
        """A connection that is looked at from time to time."""

        def connection_made(self, transport: Any) -> None:  # noqa: ANN401 - as asyncio has it
            super().connection_made(transport)
            self._cycles: object = None
            self._watch = self.loop.call_later(seconds, self._look)

        def connection_lost(self, exc: Exception | None) -> None:
            self._watch.cancel()
            super().connection_lost(exc)

        def _look(self) -> None:
            """End it if nothing has come since the last look."""
            cycle: Any = self.cycle  # None before the first request, whatever its type says
            idle = cycle is None or cycle.response_complete
            if idle and cycle is self._cycles:
                self.transport.close()
                return
            self._cycles = cycle
            self._watch = self.loop.call_later(seconds, self._look)

    return Timed
