"""WireTypes: how values are written for clients, as text or as bytes, by the number of their type."""

import datetime as dt
import math
import struct
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

import pyarrow as pa

from privet.server.postgres.replies import Field
from privet.server.postgres.wire_numeric import numeric_bytes

BOOL, BYTEA, CHAR, NAME, INT8, INT2, INT4, TEXT, OID = 16, 17, 18, 19, 20, 21, 23, 25, 26
JSON, FLOAT4, FLOAT8, UNKNOWN, BPCHAR, VARCHAR = 114, 700, 701, 705, 1042, 1043
DATE, TIME, TIMESTAMP, TIMESTAMPTZ, NUMERIC, UUID = 1082, 1083, 1114, 1184, 1700, 2950
TEXT_ARRAY, INT4_ARRAY, INT2_ARRAY, INT8_ARRAY, NAME_ARRAY = 1009, 1007, 1005, 1016, 1003
OID_ARRAY, FLOAT8_ARRAY, BOOL_ARRAY = 1028, 1022, 1000
SIZES = {BOOL: 1, INT2: 2, INT4: 4, OID: 4, INT8: 8, FLOAT4: 4, FLOAT8: 8, DATE: 4, TIME: 8, TIMESTAMP: 8, NAME: 64}
FIRST_DAY = dt.date(2000, 1, 1)
FIRST_MOMENT = dt.datetime(2000, 1, 1)  # noqa: DTZ001 - timestamps have no zone here
MICROSECOND = dt.timedelta(microseconds=1)
ELEMENTS = {
    TEXT_ARRAY: TEXT,
    INT4_ARRAY: INT4,
    INT2_ARRAY: INT2,
    INT8_ARRAY: INT8,
    OID_ARRAY: OID,
    FLOAT8_ARRAY: FLOAT8,
    BOOL_ARRAY: BOOL,
}
ARRAYS = {element: array for array, element in ELEMENTS.items()}


class FormatsError(Exception):
    """There are not as many formats as columns."""


Cell = Callable[[Any], bytes]


def oid_of(kind: pa.DataType) -> int:
    """The number of the type that an Arrow type is sent as; what has none is sent as text.

    Example:
        >>> oid_of(pa.int64()), oid_of(pa.float64()), oid_of(pa.list_(pa.string()))
        (20, 701, 1009)
    """
    for test, oid in TESTS:
        if test(kind):
            return oid
    if pa.types.is_list(kind):
        return ARRAYS.get(oid_of(kind.value_type), TEXT_ARRAY)
    return TEXT


TESTS: tuple[tuple[Callable[[pa.DataType], bool], int], ...] = (
    (pa.types.is_boolean, BOOL),
    (lambda kind: pa.types.is_int8(kind) or pa.types.is_int16(kind) or pa.types.is_uint8(kind), INT2),
    (lambda kind: pa.types.is_int32(kind) or pa.types.is_uint16(kind), INT4),
    (pa.types.is_uint32, OID),
    (pa.types.is_int64, INT8),
    (lambda kind: pa.types.is_uint64(kind) or pa.types.is_decimal(kind), NUMERIC),
    (pa.types.is_float32, FLOAT4),
    (pa.types.is_floating, FLOAT8),
    (pa.types.is_date, DATE),
    (pa.types.is_timestamp, TIMESTAMP),
    (pa.types.is_time, TIME),
)


def field_of(name: str, oid: int, *, binary: bool) -> Field:
    """How a column is described."""
    return Field(name, oid, SIZES.get(oid, -1), binary)


def writer(oid: int, *, binary: bool) -> Cell:
    """What writes the values of a type."""
    if oid in ELEMENTS:
        return _array_bytes(ELEMENTS[oid]) if binary else _array_text(ELEMENTS[oid])
    return (BYTES if binary else TEXTS).get(oid, _text)


def _text(value: Any) -> bytes:  # noqa: ANN401 - whatever it is
    return str(value).encode(errors="replace")


def _float_text(value: float) -> bytes:
    """As PostgreSQL writes them, the special ones too."""
    if math.isfinite(value):
        return repr(float(value)).removesuffix(".0").encode()
    return b"NaN" if math.isnan(value) else b"Infinity" if value > 0 else b"-Infinity"


def _timestamp_text(value: dt.datetime) -> bytes:
    return value.replace(tzinfo=None).isoformat(sep=" ").encode()


def _timestamp_bytes(value: dt.datetime) -> bytes:
    return struct.pack("!q", (value.replace(tzinfo=None) - FIRST_MOMENT) // MICROSECOND)


def _time_bytes(value: dt.time) -> bytes:
    seconds = (value.hour * 60 + value.minute) * 60 + value.second
    return struct.pack("!q", seconds * 10**6 + value.microsecond)


def _packed(form: str) -> Cell:
    return struct.Struct(form).pack


TEXTS: Mapping[int, Cell] = {
    BOOL: lambda value: b"t" if value else b"f",
    FLOAT4: _float_text,
    FLOAT8: _float_text,
    NUMERIC: lambda value: f"{value:f}".encode() if isinstance(value, Decimal) else str(value).encode(),
    TIMESTAMP: _timestamp_text,
    DATE: lambda value: value.isoformat().encode(),
}
BYTES: Mapping[int, Cell] = {
    BOOL: lambda value: b"\1" if value else b"\0",
    INT2: _packed("!h"),
    INT4: _packed("!i"),
    OID: _packed("!I"),
    INT8: _packed("!q"),
    FLOAT4: _packed("!f"),
    FLOAT8: _packed("!d"),
    NUMERIC: lambda value: numeric_bytes(Decimal(value)),
    DATE: lambda value: struct.pack("!i", (value - FIRST_DAY).days),
    TIMESTAMP: _timestamp_bytes,
    TIME: _time_bytes,
}


def _array_text(element: int) -> Cell:
    write = writer(element, binary=False)

    def written(values: list[Any]) -> bytes:
        parts = []
        for value in values:
            cell = b"NULL" if value is None else write(value)
            if value is not None and element == TEXT:
                cell = b'"' + cell.replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"'
            parts.append(cell)
        return b"{" + b",".join(parts) + b"}"

    return written


def _array_bytes(element: int) -> Cell:
    write = writer(element, binary=True)

    def written(values: list[Any]) -> bytes:
        if not values:
            return struct.pack("!iiI", 0, 0, element)
        cells = [None if value is None else write(value) for value in values]
        head = struct.pack("!iiIii", 1, int(None in cells), element, len(cells), 1)
        return head + b"".join(b"\xff\xff\xff\xff" if cell is None else len(cell).to_bytes(4) + cell for cell in cells)

    return written
