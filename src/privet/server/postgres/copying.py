"""Copying: rows as the output of COPY: text, CSV or binary."""

import struct
from collections.abc import Iterator

from privet.server.postgres import wire_types as types
from privet.server.postgres.replies import reply
from privet.server.postgres.rows import AT_ONCE, Rows

HEAD = b"PGCOPY\n\xff\r\n\x00" + bytes(8)
TAIL = b"\xff\xff"
ESCAPES = {b"\\": b"\\\\", b"\t": b"\\t", b"\n": b"\\n", b"\r": b"\\r"}


def copied(rows: Rows, form: str, *, header: bool) -> Iterator[bytes]:
    """The messages with all rows.

    Args:
        rows: none of which was sent.
        form: text, csv or binary.
        header: whether names come first; not in binary.
    """
    binary = form == "binary"
    write = [types.writer(column.oid, binary=binary) for column in rows.columns]
    line = {"binary": _binary, "csv": _csv, "text": _text}[form]
    head = HEAD if binary else b""  # in one message with the first row
    if header and not binary:
        yield reply(b"d", line([column.name.encode() for column in rows.columns]))
    for start in range(0, rows.number, AT_ONCE):
        parts = []
        for values in zip(*(cells[start : start + AT_ONCE] for cells in rows.cells), strict=True):
            cells = [None if value is None else each(value) for each, value in zip(write, values, strict=True)]
            parts.append(reply(b"d", head + line(cells)))
            head = b""
        yield b"".join(parts)
    if binary:
        yield reply(b"d", head + TAIL)


def _binary(cells: list[bytes | None]) -> bytes:
    parts = [b"\xff\xff\xff\xff" if cell is None else len(cell).to_bytes(4) + cell for cell in cells]
    return struct.pack("!H", len(cells)) + b"".join(parts)


def _text(cells: list[bytes | None]) -> bytes:
    return b"\t".join(b"\\N" if cell is None else _escaped(cell) for cell in cells) + b"\n"


def _escaped(cell: bytes) -> bytes:
    for each, instead in ESCAPES.items():
        cell = cell.replace(each, instead)
    return cell


def _csv(cells: list[bytes | None]) -> bytes:
    return b",".join(b"" if cell is None else _quoted(cell) for cell in cells) + b"\n"


def _quoted(cell: bytes) -> bytes:
    plain = cell and not any(each in cell for each in (b",", b'"', b"\n", b"\r")) and cell != b"\\."
    return cell if plain else b'"' + cell.replace(b'"', b'""') + b'"'
