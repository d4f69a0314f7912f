"""Messages are taken apart whole, however their bytes come, and nothing else is taken for one."""

import struct

import pytest

from privet.server.postgres import messages as m
from privet.server.postgres.byte_reader import BrokenTextError, MalformedError

PARSE = b"s\0SELECT $1\0" + struct.pack("!HI", 1, 20)
BIND = b"p\0s\0" + struct.pack("!HHHi", 1, 1, 2, 3) + b"abc" + struct.pack("!iHH", -1, 1, 0)
CASES = [
    (b"Q", b"SELECT 1\0", m.Query("SELECT 1")),
    (b"P", PARSE, m.Parse("s", "SELECT $1", (20,))),
    (b"B", BIND, m.Bind("p", "s", (1,), (b"abc", None), (0,))),
    (b"D", b"Sname\0", m.Describe(portal=False, name="name")),
    (b"D", b"P\0", m.Describe(portal=True, name="")),
    (b"E", b"p\0" + struct.pack("!i", 7), m.Execute("p", 7)),
    (b"E", b"p\0" + struct.pack("!i", -7), m.Execute("p", 0)),
    (b"C", b"Px\0", m.Close(portal=True, name="x")),
    (b"S", b"", m.Sync()),
    (b"H", b"", m.Flush()),
    (b"X", b"", m.Terminate()),
    (b"p", b"secret\0", m.Secret(b"secret\0")),
    (b"d", b"any\xff", m.CopyPart()),
    (b"F", b"any", m.FunctionCall()),
]


def framed(kind: bytes, body: bytes) -> bytes:
    return kind + struct.pack("!I", len(body) + 4) + body


def test_messages_come_out_byte_by_byte_and_all_at_once() -> None:
    stream = b"".join(framed(kind, body) for kind, body, _ in CASES)
    whole = m.Incoming(10_000, signed_in=True)
    whole.feed(stream)
    slow, found = m.Incoming(10_000, signed_in=True), []
    for byte in stream:
        slow.feed(bytes([byte]))
        if (message := slow.next()) is not None:
            found.append(message)
    expected = [message for _, _, message in CASES]
    assert [whole.next() for _ in CASES] == expected == found
    assert whole.next() is None
    assert whole.held == slow.held == 0


@pytest.mark.parametrize(("kind", "body", "_message"), [case for case in CASES if case[0] not in b"dFp"])
def test_a_message_that_is_cut_or_longer_than_it_says_is_none(kind: bytes, body: bytes, _message: object) -> None:
    for wrong in (*(body[:end] for end in range(len(body))), body + b"x"):
        incoming = m.Incoming(10_000, signed_in=True)
        incoming.feed(framed(kind, wrong))
        with pytest.raises(MalformedError):
            incoming.next()


@pytest.mark.parametrize(
    "stream",
    [
        b"Q\xff\xff\xff\xff",
        b"Q\0\0\0\3",
        b"Q\0\0\0\0",
        b"z\0\0\0\4",
        b"Q" + struct.pack("!I", 10_001),
        framed(b"B", b"\0\0" + struct.pack("!HH", 60_000, 1)),
        framed(b"B", b"\0\0" + struct.pack("!HHHH", 1, 2, 0, 0)),
        framed(b"B", b"\0\0" + struct.pack("!HHHHH", 2, 0, 0, 0, 0)),
        framed(b"D", b"Xname\0"),
    ],
)
def test_what_cannot_be_a_message_is_refused_at_once(stream: bytes) -> None:
    incoming = m.Incoming(10_000, signed_in=True)
    incoming.feed(stream)
    with pytest.raises(MalformedError):
        incoming.next()


def test_nobody_who_has_not_signed_in_sends_large_messages() -> None:
    incoming = m.Incoming(1_000_000)
    incoming.feed(b"p" + struct.pack("!I", m.LARGEST_SECRET + 1))
    with pytest.raises(MalformedError):
        incoming.next()


def test_broken_texts_end_their_message_alone() -> None:
    incoming = m.Incoming(10_000, signed_in=True)
    incoming.feed(framed(b"Q", b"SELECT '\xff'\0") + framed(b"S", b""))
    with pytest.raises(BrokenTextError) as broken:
        incoming.next()
    assert broken.value.kind == ord("Q")
    assert incoming.next() == m.Sync()


def opening(code: int, body: bytes) -> bytes:
    return struct.pack("!II", len(body) + 8, code) + body


def test_connections_are_opened_in_four_ways() -> None:
    for stream, expected in [
        (opening(m.SSL_REQUEST, b""), m.Encryption(tls=True)),
        (opening(m.GSS_REQUEST, b""), m.Encryption(tls=False)),
        (opening(m.CANCEL_REQUEST, b"\0\0\0\7key"), m.Cancellation(7, b"key")),
        (opening(3 << 16 | 2, b"user\0ada\0x\0\0\0"), m.Opening(2, {"user": "ada", "x": ""})),
    ]:
        incoming = m.Incoming(10_000)
        incoming.feed(stream[:-1])
        assert incoming.first() is None
        incoming.feed(stream[-1:])
        assert incoming.first() == expected


@pytest.mark.parametrize(
    "stream",
    [
        b"\0\0\0\7",
        struct.pack("!I", m.LARGEST_OPENING + 1),
        b"\x16\x03\x01\x02",  # TLS that nobody has agreed on
        b"GET / HTTP/1.1\r\n",
        opening(2 << 16, b"user\0ada\0\0"),
        opening(3 << 16, b"user\0ada\0"),
        opening(3 << 16, b"user\0ada\0\0more"),
        opening(m.SSL_REQUEST, b"x"),
    ],
)
def test_no_other_first_words_open_one(stream: bytes) -> None:
    incoming = m.Incoming(10_000)
    incoming.feed(stream)
    with pytest.raises(MalformedError):
        incoming.first()
