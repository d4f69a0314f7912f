"""Decimal numbers as PostgreSQL sends them in binary: digits of base 10,000."""

import struct
from decimal import Decimal, InvalidOperation

from privet.server.postgres.byte_reader import ByteReader, MalformedError

DIGITS = 4  # decimal ones in each of base 10,000
BASE = 10**DIGITS
PLUS, MINUS, NAN, INFINITE, MINUS_INFINITE = 0x0000, 0x4000, 0xC000, 0xD000, 0xF000
MOST = 300  # digits of base 10,000 in a parameter


def numeric_bytes(value: Decimal) -> bytes:
    """A number in binary.

    Example:
        >>> numeric_of(numeric_bytes(Decimal("-12345.678")))
        Decimal('-12345.6780')
    """
    if not value.is_finite():
        sign = NAN if value.is_nan() else INFINITE if value > 0 else MINUS_INFINITE
        return struct.pack("!HhHH", 0, 0, sign, 0)
    sign, figures, exponent = value.as_tuple()
    if not isinstance(exponent, int):  # pragma: no cover - only of what is not finite
        raise InvalidOperation
    whole = "".join(map(str, figures)) + "0" * max(exponent, 0)
    scale = max(-exponent, 0)
    whole = whole.rjust(scale + 1, "0")
    before, after = (whole[:-scale], whole[-scale:]) if scale else (whole, "")
    before = before.rjust(-(-len(before) // DIGITS) * DIGITS, "0")
    after = after.ljust(-(-len(after) // DIGITS) * DIGITS, "0")
    text = before + after
    groups = [int(text[place : place + DIGITS]) for place in range(0, len(text), DIGITS)]
    weight = len(before) // DIGITS - 1
    while groups and groups[0] == 0:
        groups.pop(0)
        weight -= 1
    while groups and groups[-1] == 0:
        groups.pop()
    if not groups:
        sign, weight = 0, 0
    return struct.pack(f"!HhHH{len(groups)}H", len(groups), weight, MINUS if sign else PLUS, scale, *groups)


def numeric_of(data: bytes) -> Decimal:
    """The number that bytes say; not finite ones too."""
    reader = ByteReader(data)
    number, weight, sign, _ = reader.half(), reader.half(), reader.half(), reader.half()
    weight -= (weight & 0x8000) << 1
    if sign in (NAN, INFINITE, MINUS_INFINITE):
        return Decimal({NAN: "NaN", INFINITE: "Infinity", MINUS_INFINITE: "-Infinity"}[sign])
    if sign not in (PLUS, MINUS) or number > MOST or not -MOST < weight < MOST:
        raise MalformedError("a number is not written as one")
    groups = [reader.half() for _ in range(number)]
    reader.end()
    if any(group >= BASE for group in groups):
        raise MalformedError("a number is not written as one")
    figures = int("".join(f"{group:04}" for group in groups) or "0")
    digits = Decimal(figures).as_tuple().digits  # exactly, whatever the precision of the context
    return Decimal((int(sign == MINUS), digits, DIGITS * (weight + 1 - number)))
