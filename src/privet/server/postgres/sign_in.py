"""SignIn: a connection's first messages, up to the moment when it is known who asks."""

import asyncio
import ipaddress
import ssl
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from privet.noise import Entropy
from privet.server.desk import Asker
from privet.server.people import People
from privet.server.postgres import replies
from privet.server.postgres.byte_reader import MalformedError
from privet.server.postgres.guesses import Guesses
from privet.server.postgres.limits import WireLimits
from privet.server.postgres.messages import Cancellation, Encryption, Opening, Secret
from privet.server.postgres.scram import METHOD, RefusedError, Scram
from privet.server.postgres.session_settings import SessionSettings
from privet.server.postgres.sqlstates import (
    NO_DATABASE,
    NOT_SIGNED_IN,
    NOT_SUPPORTED,
    TOO_MANY,
    WRONG_PASSWORD,
    Refusal,
)
from privet.server.postgres.startup_options import settings_of
from privet.server.postgres.wire import LostError, Wire

TOKEN = "token"  # noqa: S105 - the name under which tokens are passwords
MINOR = 2  # the newest minor version of the protocol that is spoken
WISHES = 3  # how often a client may ask for encryption before it says who it is
DATABASE = "privet"
VIA = "postgres"
T = TypeVar("T")


class InThread(Protocol):
    """Runs something that takes a while where it stops nobody else."""

    def __call__(self, work: Callable[[], T]) -> Awaitable[T]:
        """Run it."""


@dataclass(frozen=True)
class SignedIn:
    """Who asks, with which settings, by which minor version of the protocol.

    Args:
        asker: who has signed in.
        renew: looks once more: None if they may not come in any more.
        settings: as the connection begins.
        minor: of the protocol.
    """

    asker: Asker
    renew: Callable[[], Asker | None]
    settings: SessionSettings
    minor: int


@dataclass(frozen=True)
class SignIn:
    """Lets people in.

    Args:
        people: who may come in.
        dataset: its name, which is that of the database.
        tls: how TLS is spoken; None if it is not.
        limits: of connections.
        guesses: counts wrong passwords.
        in_thread: for what takes long.
        cancel: what a wish to cancel does.

    Privacy: whoever has not signed in learns that this is Privet, and whether it speaks TLS. Names with and without an
        account lead through the same dialogue, and fail alike. A token is asked for only where nobody can listen:
        in TLS, or from this machine itself.
    """

    people: People
    dataset: str
    tls: ssl.SSLContext | None
    limits: WireLimits
    guesses: Guesses
    in_thread: InThread
    cancel: Callable[[Cancellation], None]

    async def run(self, wire: Wire) -> SignedIn | None:
        """Who it is; None if the connection was for something else.

        Raises:
            Refusal: it is nobody who may come in.
        """
        opening = await self._opening(wire)
        if opening is None:
            return None
        said = opening.said
        minor = MINOR if opening.minor >= MINOR else 0
        unknown = [name for name in said if name.startswith("_pq_.")]
        if opening.minor != minor or unknown:
            wire.put(replies.other_version(minor, unknown))
        if "replication" in said and said["replication"].lower() not in ("false", "off", "no", "0"):
            raise Refusal("nothing is replicated from here", NOT_SUPPORTED, fatal=True)
        settings = settings_of(said)
        name = said.get("user", "")
        if not self._private(wire):
            raise Refusal("this connection has no TLS", NOT_SIGNED_IN, "connect with sslmode=require", fatal=True)
        if name != TOKEN and self.guesses.wait(wire.peer, name) > 0:  # nobody guesses a token
            raise Refusal("too many wrong passwords", TOO_MANY, "wait a little, then try again", fatal=True)
        renew = await (self._by_token(wire) if name == TOKEN else self._by_password(wire, name))
        asker = None if renew is None else await self.in_thread(renew)
        if renew is None or asker is None:
            await asyncio.sleep(0 if name == TOKEN else self.guesses.wrong(wire.peer, name))
            hint = "a token is the password of the user named token"
            raise Refusal("the name or the password is wrong", WRONG_PASSWORD, hint, fatal=True)
        self.guesses.right(wire.peer, name)
        if said.get("database", name) not in (self.dataset, DATABASE, name):
            raise Refusal("there is no such database here", NO_DATABASE, f"connect to {self.dataset}", fatal=True)
        wire.incoming.signed_in = True
        return SignedIn(asker, renew, settings, minor)

    async def _opening(self, wire: Wire) -> Opening | None:
        for _ in range(WISHES):
            match await wire.first():
                case Encryption(tls=True) if self.tls is not None and not wire.secured:
                    await wire.secure(self.tls, seconds=self.limits.seconds_to_sign_in)
                case Encryption():
                    wire.put(replies.REFUSED_ENCRYPTION)
                    await wire.flush()
                case Cancellation() as wish:
                    self.cancel(wish)
                    return None
                case Opening() as found:
                    return found
                case None:
                    return None
        raise MalformedError("encryption was asked for too often")

    def _private(self, wire: Wire) -> bool:
        """Whether nobody in between can listen."""
        if wire.secured or not wire.peer:
            return True
        try:
            return ipaddress.ip_address(wire.peer.partition("%")[0]).is_loopback
        except ValueError:
            return False

    async def _secret(self, wire: Wire) -> bytes:
        await wire.flush()
        message = await wire.message()
        if message is None:
            raise LostError
        if not isinstance(message, Secret):
            raise MalformedError("a password is expected before anything else")
        return message.body

    async def _by_token(self, wire: Wire) -> Callable[[], Asker | None] | None:
        wire.put(replies.asked_to_sign_in(replies.CLEARTEXT))
        body = await self._secret(wire)
        try:
            token = body.removesuffix(b"\0").decode("ascii")
        except UnicodeDecodeError:
            return None

        def look() -> Asker | None:
            found = self.people.by_token(token)
            return None if found is None else Asker(found[0], found[1], VIA)

        return look

    async def _by_password(self, wire: Wire, name: str) -> Callable[[], Asker | None] | None:
        verifier = await self.in_thread(lambda: self.people.scram_verifier(name))
        scram = Scram(verifier, Entropy())
        wire.put(replies.asked_to_sign_in(replies.SASL, replies.text(METHOD) + b"\0"))
        try:
            challenge = scram.challenge(await self._secret(wire))
            wire.put(replies.asked_to_sign_in(replies.SASL_CONTINUE, challenge))
            signature = scram.signature(await self._secret(wire))
        except RefusedError:
            return None

        def look() -> Asker | None:
            person = self.people.active(name)
            return None if person is None else Asker.of(person, VIA)

        wire.put(replies.asked_to_sign_in(replies.SASL_FINAL, signature))
        return look
