"""Messages that were changed at random: no traceback, no crash, no hang, no charge without an entry, no memory kept."""

import gc
import logging
import random
import re
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
SHORT, LONG = 600, 100_000  # mutated messages
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
WORD = re.compile(r"\s+|\w+|'[^']*'|.")
ODD = [
    "'",
    '"',
    "/*",
    "*/",
    "--",
    "$$",
    ";",
    "(" * 200,
    ")",
    "\\",
    "$1",
    "$2",
    "NULL",
    "::",
    "::regclass",
    ",",
    "\U0001f600",
    "E'",
    "0x1",
    "1e400",
]
ODD += [
    " UNION ALL SELECT 1",
    " LIMIT 0",
    " GROUP BY sex",
    "COPY (",
    "pg_catalog.",
    "information_schema.tables",
    "DISCARD ALL;",
    "COMMIT;",
]
PREPARED = [
    "SELECT COUNT(*) FROM patient WHERE age > $1",
    "SELECT COUNT(*) FROM patient WHERE sex = $1",
    "SELECT 1",
    *TEXTS[:1],
]
PREPARED += [
    "SELECT relname FROM pg_class WHERE oid = $1",
    "SELECT $1::text",
    "SHOW ALL",
    "SELECT $1::date, $2::int",
    "",
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


def mutated(draw: random.Random) -> bytes:
    """One message that was changed: mostly in what it says, sometimes in how it is framed."""
    if draw.random() < 0.06:
        return scrambled(draw, *draw.choice(BODIES))
    kind = draw.choice("QQQPPBBDECWWWW")
    name, text = draw.choice((b"", b"", b"", b"s", b"s", b"x")), said(draw) + b"\0"
    match kind:
        case "W":
            return series(draw)
        case "Q":
            found = message(b"Q", text)
        case "P":
            text = draw.choice((text, draw.choice(PREPARED).encode() + b"\0"))
            oids = [
                draw.choice((0, 16, 20, 25, 701, 1009, 1082, 1114, 1700, 17, 2**32 - 1))
                for _ in range(draw.randrange(4))
            ]
            found = message(b"P", name + b"\0" + text + struct.pack(f"!H{len(oids)}I", len(oids), *oids))
        case "B":
            values = [
                draw.choice((None, b"", b"5", b"x", b"2024-01-01", bytes(8), draw.randbytes(9)))
                for _ in range(draw.choice((0, 1, 1, 2)))
            ]
            formats = draw.choice(([], [0], [1], [0] * len(values), [1] * len(values)))
            results = draw.choice(([], [0], [1], [0, 1]))
            cells = [b"\xff" * 4 if each is None else struct.pack("!I", len(each)) + each for each in values]
            head = struct.pack(f"!H{len(formats)}HH", len(formats), *formats, len(values))
            tail = struct.pack(f"!H{len(results)}H", len(results), *results)
            found = message(b"B", draw.choice((b"", b"p")) + b"\0" + name + b"\0" + head + b"".join(cells) + tail)
        case "E":
            found = message(b"E", draw.choice((b"", b"p")) + b"\0" + draw.choice((0, 1, 3, 2**32 - 1)).to_bytes(4))
        case _:
            found = message(kind.encode(), draw.choice((b"S", b"P")) + name + b"\0")
    return found + (message(b"S") if draw.random() < 0.4 else b"")


def series(draw: random.Random) -> bytes:
    """A statement with a value, step by step, whose value, formats and order were changed."""
    text = draw.choice(PREPARED) if draw.random() < 0.7 else said(draw).decode(errors="replace")
    value = draw.choice((b"", b"5", b"F", b"2024-01-01", bytes(8), draw.randbytes(4), b"x" * 9_000, b"1e5", b"{a,b}"))
    number = 2 if "$2" in text else int("$1" in text)
    oids = [draw.choice((0, 0, 0, 20, 25, 23, 1700, 1009, 1082))] * number
    form = draw.choice((0, 0, 1))
    head = struct.pack("!HHH", 1, form, number)
    cells = (struct.pack("!I", len(value)) + value) * number
    steps = [
        message(b"P", b"\0" + text.encode().replace(b"\0", b"") + b"\0" + struct.pack(f"!H{number}I", number, *oids)),
        message(b"B", b"\0\0" + head + cells + struct.pack("!HH", 1, draw.choice((0, 1)))),
        message(b"D", draw.choice((b"P\0", b"S\0"))),
        message(b"E", b"\0" + draw.choice((0, 1)).to_bytes(4)),
        message(b"E", b"\0" + bytes(4)),
    ]
    if draw.random() < 0.2:
        draw.shuffle(steps)
    return b"".join(steps) + message(b"S")


def said(draw: random.Random) -> bytes:
    """A statement, some words of which were moved, left out, doubled or taken from others."""
    words = WORD.findall(draw.choice(TEXTS))
    for _ in range(draw.choice((0, 1, 1, 2, 3, 8))):
        place = draw.randrange(len(words) + 1)
        match draw.randrange(5):
            case 0:
                del words[place : place + draw.choice((1, 1, 5))]
            case 1:
                words[place:place] = [draw.choice(ODD)]
            case 2:
                words[place:place] = [draw.choice(WORD.findall(draw.choice(TEXTS)))]
            case 3:
                words[place:place] = words[draw.randrange(len(words) + 1) :][: draw.choice((1, 5))]
            case _:
                draw.shuffle(words[place : place + 4])
        words = words[:500] or ["SELECT"]
    found = "".join(words).encode()
    return found if draw.random() > 0.02 else found[: len(found) // 2] + b"\xc3\x28" + found[len(found) // 2 :]


def scrambled(draw: random.Random, kind: bytes, body: bytes) -> bytes:
    """One message with some of its bytes changed, perhaps its letter or length too."""
    changed = bytearray(body)
    for _ in range(draw.choice((1, 1, 2, 5, 30))):
        place = draw.randrange(len(changed) + 1)
        match draw.randrange(4):
            case 0 if changed:
                changed[place % len(changed)] = draw.randrange(256)
            case 1:
                changed[place:place] = draw.randbytes(draw.choice((1, 2, 4, 50)))
            case 2:
                del changed[place : place + draw.choice((1, 4, 40))]
            case _:
                changed[place:place] = changed[:place]
    whole = bytearray(message(kind, bytes(changed[:20_000])))
    if draw.random() < 0.3:
        whole[draw.randrange(5)] = draw.randrange(256)
    return bytes(whole)


def hurled(server: Served, draw: random.Random, count: int) -> Iterator[int]:
    """Connections with mutated messages, and how many bytes each was told."""
    for _ in range(count // IN_ONE):
        first = opening(user="token", database="hospital")
        stream = b"".join(mutated(draw) for _ in range(IN_ONE))
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
    with psycopg.connect(server.address(user="token", password=server.token), autocommit=True) as client:
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
