"""PostgresDoor: listens for clients of PostgreSQL, and lets those who sign in ask the desk."""

import asyncio
import hmac
import ipaddress
import logging
import socket
import ssl
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

from privet.errors import InvalidParameter
from privet.noise import Entropy
from privet.server.desk import Desk
from privet.server.pace import Pace
from privet.server.people import People
from privet.server.postgres import replies, sqlstates
from privet.server.postgres.byte_reader import BrokenTextError, MalformedError
from privet.server.postgres.commands import Commands
from privet.server.postgres.conversation import Conversation
from privet.server.postgres.guesses import Guesses
from privet.server.postgres.introspection.empty_tables import EmptyTables, Limits
from privet.server.postgres.limits import WireLimits
from privet.server.postgres.messages import Cancellation
from privet.server.postgres.questions import Questions
from privet.server.postgres.session_settings import VERSION
from privet.server.postgres.sign_in import SignedIn, SignIn
from privet.server.postgres.sqlstates import FAILED, INTERNAL, PROTOCOL, SHUTDOWN, TOO_MANY, Refusal
from privet.server.postgres.wire import LostError, Wire
from privet.server.settings import Settings

LOG = logging.getLogger("privet.server")
THREADS, SMALL = 32, 4  # for the desk's work, and for what is short
LONG_KEY, SHORT_KEY = 4, 1  # words of 64 bits, of which the short one is cut
T = TypeVar("T")


class PostgresDoor:
    """One listening address.

    Args:
        desk: what all doors share.
        people: who may come in.
        settings: how the server runs: address, limits, pace.
        tls: how TLS is spoken; needed to listen to other machines.
        limits: of connections, where not the settings' own.

    Privacy: a client reaches the desk alone, which charges before it answers; what it asks about tables is answered
        from an engine that holds none of the data. Messages are taken apart without trusting their lengths, and every
        failure is one of our sentences. Nothing of what clients say is logged.
    Not covered: how large a reply is tells how many groups were released, as the reply itself does.
    """

    def __init__(
        self,
        desk: Desk,
        people: People,
        settings: Settings,
        *,
        tls: ssl.SSLContext | None = None,
        limits: WireLimits | None = None,
    ) -> None:
        if tls is None and not _is_loopback(settings.host):
            raise InvalidParameter(
                f"the PostgreSQL door listens on {settings.host} with TLS only: name certificate and certificate_key"
            )
        self._desk = desk
        self._settings = settings
        self._limits = limits or WireLimits(connections=settings.connections)
        self._pace = Pace(settings.answer_after)
        self._entropy = Entropy()
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._conversations: dict[int, tuple[bytes, Conversation]] = {}
        self._running: dict[asyncio.Task[None] | None, Conversation] = {}
        self._opening = 0
        self._stopping = False
        self._desk_threads = ThreadPoolExecutor(THREADS, thread_name_prefix="postgres-desk")
        self._threads = ThreadPoolExecutor(SMALL, thread_name_prefix="postgres")
        self._tables = EmptyTables(
            desk.catalog,
            version=f"PostgreSQL {VERSION}",
            limits=Limits(self._limits.rows_of_catalog, self._limits.seconds_of_catalog),
        )
        self._sign_in = SignIn(people, desk.catalog.name, tls, self._limits, Guesses(), self._short, self._cancel)

    @property
    def address(self) -> tuple[str, int]:
        """Host and port that are listened to."""
        if self._server is None:
            raise InvalidParameter("the PostgreSQL door is closed: start it first")
        host, port = self._server.sockets[0].getsockname()[:2]
        return str(host), int(port)

    @property
    def connections(self) -> int:
        """How many clients are connected."""
        return len(self._tasks)

    async def start(self, *, listening: socket.socket | None = None) -> None:
        """Listen.

        Args:
            listening: to this socket, which processes share; by default to one of the settings' address.
        """
        loop = asyncio.get_running_loop()
        if listening is not None:
            self._server = await loop.create_server(self._connected, sock=listening, backlog=128)
            return
        self._server = await loop.create_server(
            self._connected, self._settings.host, self._settings.postgres_port, backlog=128
        )

    async def stop(self) -> None:
        """Listen no more; what runs has `seconds_to_stop` to end, and everybody is told."""
        self._stopping = True
        if self._server is not None:
            self._server.close()
        busy = []
        for task in tuple(self._tasks):
            running = self._running.get(task)
            if running is not None and running.running:
                busy.append(task)
            else:
                task.cancel()
        if busy:
            _, late = await asyncio.wait(busy, timeout=self._settings.seconds_to_stop)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late, timeout=1)
        for pool in (self._desk_threads, self._threads):
            pool.shutdown(wait=False, cancel_futures=True)
        self._tables.close()

    # --- connections ---

    def _connected(self) -> Wire:
        wire = Wire(largest=self._limits.largest_message, seconds_to_send=self._limits.seconds_to_send)
        task = asyncio.get_running_loop().create_task(self._served(wire))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return wire

    async def _served(self, wire: Wire) -> None:
        await asyncio.sleep(0)  # until the transport is there
        try:
            await self._talked(wire)
        except Refusal as problem:
            self._told(wire, problem)
        except MalformedError as problem:
            self._told(wire, Refusal(str(problem), PROTOCOL, fatal=True))
        except BrokenTextError:
            self._told(wire, Refusal("a text is no UTF-8", sqlstates.BAD_TEXT, fatal=True))
        except (LostError, OSError):
            pass
        except asyncio.CancelledError:
            self._told(wire, Refusal("the server stops", SHUTDOWN, "connect again later", fatal=True))
        except Exception as problem:  # noqa: BLE001 - whatever it is, the client is told the one sentence
            LOG.error("the PostgreSQL door failed: %s", type(problem).__name__)  # noqa: TRY400 - no text of it
            self._told(wire, Refusal(FAILED, INTERNAL, fatal=True))
        finally:
            wire.close()

    def _told(self, wire: Wire, problem: Refusal) -> None:
        problem.fatal = True
        wire.put(replies.told(b"E", problem.fields))

    async def _talked(self, wire: Wire) -> None:
        if len(self._tasks) > self._limits.connections or self._opening >= self._limits.opening:
            raise Refusal("too many connections", TOO_MANY, "try again in a moment")
        self._opening += 1
        try:
            async with asyncio.timeout(self._limits.seconds_to_sign_in):
                found = await self._sign_in.run(wire)
        except TimeoutError:
            raise Refusal("signing in took too long", PROTOCOL, "connect again") from None
        finally:
            self._opening -= 1
        if found is not None:
            await self._conversed(wire, found)

    async def _conversed(self, wire: Wire, who: SignedIn) -> None:
        questions = Questions(self._desk, who.asker, who.renew, who.settings, self._tables)
        conversation = Conversation(wire, questions, Commands(who.settings), self._limits, self._run, self._pace.left)
        number = int(self._entropy.words(1)[0]) & 0x7FFFFFFF
        key = self._entropy.words(LONG_KEY).tobytes()
        key = key if who.minor else key[:4]
        self._conversations[number] = (key, conversation)
        task = asyncio.current_task()
        self._running[task] = conversation
        try:
            conversation.begin(number, key)
            await conversation.run(lambda: self._stopping)
        finally:
            del self._conversations[number], self._running[task]

    def _cancel(self, wish: Cancellation) -> None:
        """Whoever has the key stops waiting; nobody learns whether it was right."""
        key, conversation = self._conversations.get(wish.number, (b"", None))
        if conversation is not None and hmac.compare_digest(key, wish.key):
            conversation.cancel()

    # --- threads ---

    async def _short(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    async def _run(self, work: Callable[[], object], desk: bool) -> object:  # noqa: FBT001 - as a conversation says it
        pool = self._desk_threads if desk else self._threads
        return await asyncio.get_running_loop().run_in_executor(pool, work)


def _is_loopback(host: str) -> bool:
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"
