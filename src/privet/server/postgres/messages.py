"""Messages: what a client says, taken apart. Bytes in, messages out; nothing is sent or read here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from privet.server.postgres.byte_reader import HALF, WORD, BrokenTextError, ByteReader, MalformedError

SSL_REQUEST, GSS_REQUEST, CANCEL_REQUEST = 80877103, 80877104, 80877102
PROTOCOL = 3  # the major version
LARGEST_OPENING = 10_000  # bytes, as PostgreSQL itself allows
LARGEST_SECRET = 8_192  # bytes of a message before anybody has signed in
HEADER = 5
SHORTEST_OPENING = 8  # a length and a code
NEGATIVE = 1 << 31


@dataclass(frozen=True)
class Opening:
    """The first message: who wants to connect, and how."""

    minor: int
    said: dict[str, str]


@dataclass(frozen=True)
class Encryption:
    """A client asks for TLS, or for GSSAPI, which is not spoken."""

    tls: bool


@dataclass(frozen=True)
class Cancellation:
    """Another connection's number and key."""

    number: int
    key: bytes


@dataclass(frozen=True)
class Secret:
    """A password, or a step of SASL: its bytes, which mean what the dialogue says."""

    body: bytes = field(repr=False)


@dataclass(frozen=True)
class Query:
    """Statements, separated by semicolons."""

    text: str


@dataclass(frozen=True)
class Parse:
    """A statement gets a name."""

    name: str
    text: str
    types: tuple[int, ...]


@dataclass(frozen=True)
class Bind:
    """A statement and values for its parameters become a portal."""

    portal: str
    statement: str
    formats: tuple[int, ...]
    values: tuple[bytes | None, ...] = field(repr=False)
    results: tuple[int, ...] = ()


@dataclass(frozen=True)
class Describe:
    """What columns does a statement or portal have?"""

    portal: bool
    name: str


@dataclass(frozen=True)
class Execute:
    """Rows of a portal, at most so many; all if that is 0."""

    portal: str
    most: int


@dataclass(frozen=True)
class Close:
    """A statement or portal is not needed any more."""

    portal: bool
    name: str


@dataclass(frozen=True)
class Sync:
    """The end of a series; errors are over."""


@dataclass(frozen=True)
class Flush:
    """Send what there is."""


@dataclass(frozen=True)
class Terminate:
    """Good-bye."""


@dataclass(frozen=True)
class CopyPart:
    """Rows of a COPY that was never begun: ignored, as PostgreSQL does."""


@dataclass(frozen=True)
class FunctionCall:
    """A function by its number: refused."""


Message: TypeAlias = (
    Query | Parse | Bind | Describe | Execute | Close | Sync | Flush | Terminate | CopyPart | FunctionCall | Secret
)
First: TypeAlias = Opening | Encryption | Cancellation


@dataclass
class Incoming:
    """Bytes as they come, and the messages that are whole.

    Args:
        largest: bytes of one message, once somebody has signed in.

    Raises:
        MalformedError: at what cannot be a message; nobody knows then where the next one begins.
        BrokenTextError: at a message with a text that is no UTF-8; the next one can be read.
    """

    largest: int
    signed_in: bool = False
    _bytes: bytearray = field(default_factory=bytearray, repr=False)

    def feed(self, data: bytes) -> None:
        """Remember bytes."""
        self._bytes += data

    @property
    def held(self) -> int:
        """How many bytes wait to become messages."""
        return len(self._bytes)

    def first(self) -> First | None:
        """The message that opens a connection, which has no letter; None until all of it is there."""
        if len(self._bytes) < WORD:
            return None
        length = int.from_bytes(self._bytes[:WORD])
        if not SHORTEST_OPENING <= length <= LARGEST_OPENING:
            raise MalformedError("the first message has an impossible length")
        if len(self._bytes) < length:
            return None
        reader = ByteReader(self._taken(length), WORD)
        code = reader.word()
        if code in (SSL_REQUEST, GSS_REQUEST):
            reader.end()
            return Encryption(tls=code == SSL_REQUEST)
        if code == CANCEL_REQUEST:
            return Cancellation(reader.word(), reader.rest())
        if code >> 16 != PROTOCOL:
            raise MalformedError("only protocol 3 is spoken here")
        return Opening(code & 0xFFFF, _pairs(reader))

    def next(self) -> Message | None:
        """The next message; None until all of it is there."""
        if len(self._bytes) < HEADER:
            return None
        kind = self._bytes[0]
        length = int.from_bytes(self._bytes[1:HEADER]) + 1
        if kind not in KINDS:
            raise MalformedError("there is no such message")
        if not HEADER <= length <= (self.largest if self.signed_in else LARGEST_SECRET):
            raise MalformedError("a message is larger than is allowed here")
        if len(self._bytes) < length:
            return None
        reader = ByteReader(self._taken(length), HEADER)
        try:
            return KINDS[kind](reader)
        except BrokenTextError:
            raise BrokenTextError(kind) from None

    def _taken(self, length: int) -> bytes:
        taken = bytes(self._bytes[:length])
        del self._bytes[:length]
        return taken


def _pairs(reader: ByteReader) -> dict[str, str]:
    said = {}
    while name := reader.text():
        said[name] = reader.text()
    reader.end()
    return said


def _query(reader: ByteReader) -> Message:
    return reader.whole(Query(reader.text()))


def _parse(reader: ByteReader) -> Message:
    name, text = reader.text(), reader.text()
    return reader.whole(Parse(name, text, tuple(reader.word() for _ in range(reader.count(WORD)))))


def _bind(reader: ByteReader) -> Message:
    portal, statement = reader.text(), reader.text()
    formats = tuple(reader.half() for _ in range(reader.count(HALF)))
    values = tuple(reader.value() for _ in range(reader.count(WORD)))
    results = tuple(reader.half() for _ in range(reader.count(HALF)))
    if any(each not in (0, 1) for each in (*formats, *results)):
        raise MalformedError("a format is neither text nor binary")
    if len(formats) not in (0, 1, len(values)):
        raise MalformedError("there are not as many formats as values")
    return reader.whole(Bind(portal, statement, formats, values, results))


def _named(reader: ByteReader) -> tuple[bool, str]:
    kind = reader.letter()
    if kind not in b"SP":
        raise MalformedError("neither a statement nor a portal is meant")
    return reader.whole((kind == b"P", reader.text()))


def _describe(reader: ByteReader) -> Message:
    return Describe(*_named(reader))


def _close(reader: ByteReader) -> Message:
    return Close(*_named(reader))


def _execute(reader: ByteReader) -> Message:
    name = reader.text()
    most = reader.word()
    return reader.whole(Execute(name, most if most < NEGATIVE else 0))


def _bare(message: Message) -> Callable[[ByteReader], Message]:
    return lambda reader: reader.whole(message)


def _ignored(message: Message) -> Callable[[ByteReader], Message]:
    return lambda _: message


def _secret(reader: ByteReader) -> Message:
    return Secret(reader.rest())


KINDS: Mapping[int, Callable[[ByteReader], Message]] = {
    ord("Q"): _query,
    ord("P"): _parse,
    ord("B"): _bind,
    ord("D"): _describe,
    ord("E"): _execute,
    ord("C"): _close,
    ord("S"): _bare(Sync()),
    ord("H"): _bare(Flush()),
    ord("X"): _bare(Terminate()),
    ord("p"): _secret,
    ord("F"): _ignored(FunctionCall()),
    ord("d"): _ignored(CopyPart()),
    ord("c"): _ignored(CopyPart()),
    ord("f"): _ignored(CopyPart()),
}
