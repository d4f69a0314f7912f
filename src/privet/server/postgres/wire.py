"""Wire: the bytes of one connection, both ways, with TLS in between where it is asked for."""

import asyncio
import ssl

from privet.server.postgres.byte_reader import MalformedError
from privet.server.postgres.messages import LARGEST_OPENING, First, Incoming, Message
from privet.server.postgres.replies import ACCEPTED_ENCRYPTION

AHEAD = 65_536  # bytes that may wait beyond one message, before no more are read


class LostError(Exception):
    """The client is gone, or does not take what it is sent."""


class Wire(asyncio.Protocol):
    """One connection.

    Args:
        largest: bytes of one message.
        seconds_to_send: how long the client may take to accept what it was sent.

    Privacy: a byte that comes between the wish for TLS and its beginning ends the connection: whoever stands in
        between cannot put words before those of the client.
    """

    def __init__(self, *, largest: int, seconds_to_send: float) -> None:
        self.incoming = Incoming(largest)
        self.secured = False
        self._largest = largest
        self._seconds = seconds_to_send
        self._transport: asyncio.Transport | None = None
        self._came = asyncio.Event()
        self._writable = asyncio.Event()
        self._writable.set()
        self._closed = False
        self._ended = False
        self._out = bytearray()
        self.lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    # --- what asyncio says ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        if isinstance(transport, asyncio.Transport):
            self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Remember what came; if it is too much for now, read no more."""
        self.incoming.feed(data)
        most = self._largest + AHEAD if self.incoming.signed_in else LARGEST_OPENING
        if self.incoming.held > most and self._transport is not None:
            self._transport.pause_reading()
        self._came.set()

    def eof_received(self) -> bool:
        """The client says no more; what it said before is still answered, where TLS can be half closed: nowhere."""
        self._ended = True
        self._came.set()
        return not self.secured

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - why does not matter
        """Gone."""
        self._closed = self._ended = True
        self._came.set()
        self._writable.set()
        if not self.lost.done():
            self.lost.set_result(None)

    def pause_writing(self) -> None:
        """The client is slow."""
        self._writable.clear()

    def resume_writing(self) -> None:
        """It is not any more."""
        self._writable.set()

    # --- reading ---

    async def first(self) -> First | None:
        """The message that opens the connection; None if the client has gone."""
        while True:
            if (found := self.incoming.first()) is not None:
                return found
            if not await self._more():
                return None

    async def message(self) -> Message | None:
        """The next message; None if the client has gone."""
        while True:
            if (found := self.incoming.next()) is not None:
                return found
            if not await self._more():
                return None

    async def _more(self) -> bool:
        if self._ended:
            return False
        self._came.clear()
        if self._transport is not None and not self._closed and not self._transport.is_reading():
            self._transport.resume_reading()
        await self._came.wait()
        return True

    # --- writing ---

    def put(self, data: bytes) -> None:
        """Say something, soon."""
        self._out += data

    @property
    def held(self) -> int:
        """How many bytes wait to be sent."""
        return len(self._out)

    async def flush(self) -> None:
        """Send what was put, and wait until the client takes it."""
        if self._closed or self._transport is None:
            raise LostError
        if self._out:
            self._transport.write(bytes(self._out))
            self._out.clear()
        if not self._writable.is_set():
            try:
                async with asyncio.timeout(self._seconds):
                    await self._writable.wait()
            except TimeoutError:
                self.abort()
                raise LostError from None
        if self._closed:
            raise LostError

    async def secure(self, context: ssl.SSLContext, *, seconds: float) -> None:
        """Go on in TLS."""
        if self.incoming.held or self._transport is None:
            raise MalformedError("something came between the wish for TLS and its beginning")
        self._transport.pause_reading()  # what comes from now on is read as TLS
        self.put(ACCEPTED_ENCRYPTION)
        await self.flush()
        loop = asyncio.get_running_loop()
        self._securing = False  # what comes from now on is TLS's, and its first words may be there before this goes on
        try:
            found = await loop.start_tls(
                self._transport, self, context, server_side=True, ssl_handshake_timeout=seconds
            )
        except (OSError, TimeoutError):
            raise LostError from None
        if found is None:
            raise LostError
        self._transport = found
        self.secured = True

    @property
    def peer(self) -> str:
        """The address at the other end; "" if it is this machine's own socket."""
        found = None if self._transport is None else self._transport.get_extra_info("peername")
        return str(found[0]) if isinstance(found, tuple) and found else ""

    def close(self) -> None:
        """End it, after what was sent."""
        if self._transport is not None and not self._closed:
            if self._out:
                self._transport.write(bytes(self._out))
                self._out.clear()
            self._transport.close()

    def abort(self) -> None:
        """End it at once."""
        self._ended = True
        self._came.set()
        if self._transport is not None:
            self._transport.abort()
