"""Replies: what clients are told, put together as bytes."""

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

NO_SECRET, CLEARTEXT, SASL, SASL_CONTINUE, SASL_FINAL = 0, 3, 10, 11, 12
LONGEST_TOLD = 4_000  # letters of one field of an error or notice


@dataclass(frozen=True)
class Field:
    """One column, as clients are told of it.

    Args:
        name: of the column.
        oid: the number of its type.
        size: of the type in bytes, -1 if values differ.
        binary: whether its values are sent as bytes, not as text.
    """

    name: str
    oid: int
    size: int
    binary: bool = False


def reply(kind: bytes, body: bytes = b"") -> bytes:
    """A message: its letter, its length, its body."""
    return kind + (len(body) + 4).to_bytes(4) + body


def text(value: str) -> bytes:
    """A text that ends with the letter 0; those inside of it are left out, and so is what no UTF-8 can say."""
    return value.replace("\0", "").encode(errors="replace") + b"\0"


def asked_to_sign_in(kind: int, more: bytes = b"") -> bytes:
    """What is wanted next of a client that signs in; or that nothing is."""
    return reply(b"R", kind.to_bytes(4) + more)


def parameter(name: str, value: str) -> bytes:
    """A setting that clients keep in mind."""
    return reply(b"S", text(name) + text(value))


def cancel_key(number: int, key: bytes) -> bytes:
    """What cancels a statement of this connection."""
    return reply(b"K", number.to_bytes(4) + key)


def other_version(minor: int, unknown: Sequence[str]) -> bytes:
    """The newest minor version that is spoken, and options that are not known."""
    return reply(b"v", struct.pack("!II", (3 << 16) | minor, len(unknown)) + b"".join(map(text, unknown)))


def ready(status: bytes) -> bytes:
    """The next statement may come; I: idle, T: in a transaction, E: in one that failed."""
    return reply(b"Z", status)


def row_description(fields: Sequence[Field]) -> bytes:
    """The columns."""
    each = (text(f.name) + struct.pack("!IHIhiH", 0, 0, f.oid, f.size, -1, f.binary) for f in fields)
    return reply(b"T", len(fields).to_bytes(2) + b"".join(each))


def parameter_description(oids: Sequence[int]) -> bytes:
    """The types of parameters."""
    return reply(b"t", struct.pack(f"!H{len(oids)}I", len(oids), *oids))


def data_row(cells: Iterable[bytes | None]) -> bytes:
    """One row."""
    parts = [b"\xff\xff\xff\xff" if cell is None else len(cell).to_bytes(4) + cell for cell in cells]
    return reply(b"D", len(parts).to_bytes(2) + b"".join(parts))


def complete(tag: str) -> bytes:
    """A statement is done."""
    return reply(b"C", text(tag))


def told(kind: bytes, fields: Mapping[str, str]) -> bytes:
    """An error (E) or a notice (N), field by field."""
    said = (letter.encode() + text(value[:LONGEST_TOLD]) for letter, value in fields.items() if value)
    return reply(kind, b"".join(said) + b"\0")


def copy_out(columns: int, *, binary: bool) -> bytes:
    """Rows follow as the output of COPY."""
    return reply(b"H", struct.pack(f"!BH{columns}H", binary, columns, *[int(binary)] * columns))


NO_ROWS = reply(b"n")
NOTHING_ASKED = reply(b"I")
PARSED, BOUND, CLOSED, SUSPENDED, COPIED = map(reply, (b"1", b"2", b"3", b"s", b"c"))
REFUSED_ENCRYPTION, ACCEPTED_ENCRYPTION = b"N", b"S"
