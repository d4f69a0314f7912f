"""WireParameters: the values of a statement's parameters, as text or as bytes, become values of Python."""

import datetime as dt
import math
import re
import struct
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal

from privet.query.scalars.parameters import Given
from privet.server.postgres import wire_types as types
from privet.server.postgres.byte_reader import ByteReader, MalformedError
from privet.server.postgres.sqlstates import BAD_BINARY, BAD_TEXT, BAD_VALUE, NOT_SUPPORTED, Refusal
from privet.server.postgres.wire_numeric import numeric_of

TEXTUAL = {types.TEXT, types.VARCHAR, types.BPCHAR, types.NAME, types.CHAR, types.UNKNOWN, types.JSON, types.UUID, 0}
WHOLE = {types.INT2: "!h", types.INT4: "!i", types.INT8: "!q", types.OID: "!I"}
FLOATS = {types.FLOAT4: "!f", types.FLOAT8: "!d"}
TRUE = {"t", "true", "1", "on", "yes", "y"}
FALSE = {"f", "false", "0", "off", "no", "n"}
NAMES = {
    types.BOOL: "boolean",
    types.INT8: "bigint",
    types.FLOAT8: "double precision",
    types.DATE: "date",
    types.TIMESTAMP: "timestamp",
    types.NUMERIC: "numeric",
}
LONGEST = 400  # letters of a number
MOST_ELEMENTS = 1_000  # of an array
QUOTED = re.compile(r'"([^",\\]*)"')
ZONE = re.compile(r"\s?[+-]\d\d(:?\d\d)?$")


def values_of(data: Sequence[bytes | None], formats: Sequence[int], oids: Sequence[int]) -> tuple[Given, ...]:
    """The values of all parameters.

    Args:
        data: as they came.
        formats: none for text, one for all, or one for each: 1 is binary.
        oids: of each, what it is to be read as.

    Raises:
        Refusal: at one that is not a value of its type; its value is not repeated.
    """
    each = list(formats) * len(data) if len(formats) == 1 else list(formats) or [0] * len(data)
    return tuple(
        None if value is None else value_of(value, binary=bool(form), oid=oid, place=place)
        for place, (value, form, oid) in enumerate(zip(data, each, oids, strict=True), 1)
    )


def value_of(data: bytes, *, binary: bool, oid: int, place: int) -> Given:
    """The value of one parameter."""
    name = NAMES.get(oid, f"the type with the number {oid}")
    try:
        read = (BINARY if binary else TEXTUALLY).get(oid)
        if read is not None:
            return read(data)
        if oid in TEXTUAL:
            return _text(data)
    except UnicodeDecodeError:
        raise Refusal(f"parameter ${place} is no UTF-8", BAD_TEXT) from None
    except (ValueError, ArithmeticError, struct.error, MalformedError):
        state = BAD_BINARY if binary else BAD_VALUE
        raise Refusal(f"parameter ${place} is no value of {name} that is taken here", state) from None
    raise Refusal(
        f"parameter ${place}: values of {name} are not taken",
        NOT_SUPPORTED,
        "pass a number, text, boolean, date or timestamp without zone",
    )


def _text(data: bytes) -> str:
    found = data.decode()
    if "\0" in found:
        raise ValueError
    return found


def _short(data: bytes) -> str:
    if len(data) > LONGEST:
        raise ValueError
    return data.decode("ascii", errors="strict").strip() if data.isascii() else _refused()


def _refused() -> str:
    raise ValueError


def _boolean(data: bytes) -> bool:
    said = _short(data).lower()
    if said not in TRUE | FALSE:
        raise ValueError
    return said in TRUE


def _whole(data: bytes) -> int:
    return int(_short(data))


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise ValueError
    return value


def _number(value: Decimal) -> int | float:
    if not value.is_finite() or not -LONGEST < value.adjusted() < LONGEST:
        raise ValueError
    return int(value) if value == value.to_integral_value() else _finite(float(value))


def _date(data: bytes) -> dt.date:
    return dt.date.fromisoformat(ZONE.sub("", _short(data)) if len(data) > len("2024-12-31") else _short(data))


def _timestamp(data: bytes) -> dt.datetime:
    found = dt.datetime.fromisoformat(_short(data))
    return found.replace(tzinfo=None)  # a timestamp has no zone, and one that is said is left out


def _unpacked(form: str) -> Callable[[bytes], int | float]:
    def read(data: bytes) -> int | float:
        (value,) = struct.unpack(form, data)
        return value if isinstance(value, int) else _finite(float(value))

    return read


def _boolean_bytes(data: bytes) -> bool:
    if data not in (b"\0", b"\1"):
        raise ValueError
    return data == b"\1"


def _date_bytes(data: bytes) -> dt.date:
    return types.FIRST_DAY + dt.timedelta(days=struct.unpack("!i", data)[0])


def _timestamp_bytes(data: bytes) -> dt.datetime:
    return types.FIRST_MOMENT + dt.timedelta(microseconds=struct.unpack("!q", data)[0])


def _array_text(data: bytes) -> str:
    """An array in braces; only simple elements are taken."""
    found = _text(data)
    inner = QUOTED.sub(r"\1", found[1:-1])
    if found[:1] != "{" or found[-1:] != "}" or any(each in inner for each in '{}"\\'):
        raise ValueError
    return f"{{{inner}}}"


def _array_bytes(data: bytes) -> str:
    reader = ByteReader(data)
    sizes, _, _ = reader.word(), reader.word(), reader.word()
    if sizes == 0:
        return "{}"
    number, _ = reader.word(), reader.word()
    if sizes != 1 or number > MOST_ELEMENTS:
        raise ValueError
    parts = [reader.value() for _ in range(number)]
    reader.end()
    return _array_text(b"{" + b",".join(b"" if each is None else each for each in parts) + b"}")


def _uuid(data: bytes) -> str:
    found = data.hex()
    if len(data) != 16:  # noqa: PLR2004 - bytes of one
        raise ValueError
    return "-".join((found[:8], found[8:12], found[12:16], found[16:20], found[20:]))


TEXTUALLY: Mapping[int, Callable[[bytes], Given]] = {
    types.BOOL: _boolean,
    **dict.fromkeys(WHOLE, _whole),
    **dict.fromkeys(FLOATS, lambda data: _finite(float(_short(data)))),
    types.NUMERIC: lambda data: _number(Decimal(_short(data))),
    types.DATE: _date,
    types.TIMESTAMP: _timestamp,
    types.TEXT_ARRAY: _array_text,
    types.NAME_ARRAY: _array_text,
}
BINARY: Mapping[int, Callable[[bytes], Given]] = {
    types.BOOL: _boolean_bytes,
    **{oid: _unpacked(form) for oid, form in (WHOLE | FLOATS).items()},
    types.NUMERIC: lambda data: _number(numeric_of(data)),
    types.DATE: _date_bytes,
    types.TIMESTAMP: _timestamp_bytes,
    types.UUID: _uuid,
    types.TEXT_ARRAY: _array_bytes,
    types.NAME_ARRAY: _array_bytes,
}
