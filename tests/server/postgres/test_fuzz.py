"""Messages that were changed at random: no traceback, no crash, no hang, no charge without an entry, no memory kept."""

import gc
import logging
import random
import resource
import socket
import struct
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.support.wire_server import Served, everything, message, opening, raw, served, wire_hospital

pytestmark = pytest.mark.whole
SHORT, LONG = 1_500, 100_000  # mutated messages
IN_ONE = 20  # of one connection
GROWTH = 150 << 20  # bytes that may be kept after a long run, most of them stored answers
TEXTS = [
    "SELECT COUNT(*) AS n FROM patient",
    "SELECT sex, COUNT(*) AS n FROM patient WHERE age > 40 GROUP BY sex; SELECT 1",
    "SELECT * FROM patient LIMIT 10",
    "SELECT c.relname, a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = 'visit'::regclass",
    "SET privet.epsilon = '0.1'; SHOW privet.epsilon; RESET ALL",
    "BEGIN; SAVEPOINT a; ROLLBACK TO a; COMMIT",
    "EXPLAIN SELECT AVG(age) FROM patient",
    "COPY (SELECT COUNT(*) AS n FROM patient) TO STDOUT (FORMAT binary)",
    "SELECT E'\\'' || $$a;b$$ /* c /* d */ */ -- e",
]
BODIES = [
    *((b"Q", text.encode() + b"\0") for text in TEXTS),
    *((b"P", b"s\0" + text.encode() + b" WHERE age > $1\0" + struct.pack("!HI", 1, 20)) for text in TEXTS[:3]),
    (b"P", b"\0SELECT COUNT(*) FROM patient WHERE sex = $1\0\0\0"),
    (b"P", b"s\0SELECT relname FROM pg_class WHERE oid = $1\0\0\0"),
    (b"B", b"p\0s\0" + struct.pack("!HHHi", 1, 1, 1, 8) + bytes(7) + b"\x05" + struct.pack("!HH", 1, 1)),
    (b"B", b"\0\0" + struct.pack("!HHi", 0, 1, 2) + b"41" + struct.pack("!H", 0)),
    (b"D", b"Ss\0"),
    (b"D", b"P\0"),
    (b"E", b"\0\0\0\0\1"),
    (b"E", b"p\0\0\0\0\0"),
    (b"C", b"Ss\0"),
    (b"S", b""),
    (b"H", b""),
    (b"d", b"copy"),
    (b"F", bytes(8)),
    (b"p", b"secret\0"),
]


def mutated(draw: random.Random, kind: bytes, body: bytes) -> bytes:
    """One message with some of its bytes changed, perhaps its letter or length too."""
    changed = bytearray(body)
    for _ in range(draw.choice((0, 1, 1, 2, 5, 30))):
        place = draw.randrange(len(changed) + 1)
        match draw.randrange(6):
            case 0 if changed:
                changed[place % len(changed)] = draw.randrange(256)
            case 1:
                changed[place:place] = draw.randbytes(draw.choice((1, 2, 4, 50)))
            case 2:
                del changed[place : place + draw.choice((1, 4, 40))]
            case 3:
                other = draw.choice(BODIES)[1]
                changed[place:place] = other[draw.randrange(len(other) + 1) :]
            case 4:
                changed[place:place] = draw.choice((b"'", b"\0", b'"', b"/*", b"$$", b";", b"\xff", b"(" * 300, b"\\"))
            case _:
                changed[place:place] = changed[:place]
    whole = bytearray(message(kind, bytes(changed[:20_000])))
    if draw.random() < 0.05:
        whole[draw.randrange(5)] = draw.randrange(256)
    return bytes(whole)


def hurled(server: Served, draw: random.Random, count: int) -> Iterator[int]:
    """Connections with mutated messages, and how many bytes each was told."""
    for _ in range(count // IN_ONE):
        first = opening(user="token", database="hospital")
        stream = b"".join(mutated(draw, *draw.choice(BODIES)) for _ in range(IN_ONE))
        with raw(server, timeout=30) as found:
            found.sendall(first + message(b"p", server.token.encode() + b"\0"))
            found.recv(1)
            try:
                found.sendall(stream + message(b"S") + message(b"X"))
                found.shutdown(socket.SHUT_WR)
            except OSError:
                pass
            yield len(everything(found))


def hurled_first(server: Served, draw: random.Random, count: int) -> None:
    """The same with what opens connections."""
    told = [
        opening(user="ada", database="hospital", options="-c a=b"),
        opening(user="token"),
        struct.pack("!II", 8, 80877103),
    ]
    told += [struct.pack("!IIII", 16, 80877102, 1, 2), message(b"p", b"SCRAM-SHA-256\0\0\0\0\x0cn,,n=,r=abcd")]
    for _ in range(count):
        parts = []
        for part in draw.choices(told, k=3):
            changed = bytearray(part)
            for _ in range(draw.randrange(3)):
                changed[draw.randrange(len(changed))] = draw.randrange(256)
            parts.append(bytes(changed))
        with raw(server, timeout=30) as found:
            try:
                found.sendall(b"".join(parts))
                found.shutdown(socket.SHUT_WR)
            except OSError:
                pass
            everything(found)


def resident() -> int:
    """The bytes of memory that this process has."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * resource.getpagesize()


def survived(server: Served, caplog: pytest.LogCaptureFixture, *, seed: int, count: int) -> int:
    """Hurl messages, and check what must hold afterwards; the bytes that were kept."""
    draw = random.Random(seed)  # noqa: S311 - of a test
    with caplog.at_level(logging.ERROR):
        told = list(hurled(server, draw, count // 10))
        gc.collect()
        before = resident()
        told += hurled(server, draw, count - count // 10)
        hurled_first(server, draw, count // 20)
    assert min(told) > 0
    assert "postgres" not in caplog.text.lower()
    assert "unforeseen" not in caplog.text
    until = time.monotonic() + 10
    while server.door.connections and time.monotonic() < until:
        time.sleep(0.02)
    assert server.door.connections == 0
    with psycopg.connect(server.address(), autocommit=True) as client:
        assert client.execute("SELECT 1").fetchone() == (1,)
        assert client.execute("SELECT COUNT(*) FROM patient").fetchone() is not None
    server.desk.ledger.verify()
    gc.collect()
    return resident() - before


def test_mutated_messages(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with served(wire_hospital(tmp_path)) as server:
        survived(server, caplog, seed=1, count=SHORT)


@pytest.mark.soak
def test_many_mutated_messages(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with served(wire_hospital(tmp_path)) as server:
        kept = survived(server, caplog, seed=time.time_ns(), count=LONG)
    assert kept < GROWTH
