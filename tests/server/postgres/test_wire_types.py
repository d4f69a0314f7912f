"""Values on the wire are those that psycopg reads back, as text and as bytes."""

import datetime as dt
import math
import struct
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as some
from psycopg.adapt import PyFormat, Transformer
from psycopg.pq import Format

from privet.server.postgres import wire_types as types
from privet.server.postgres.sqlstates import Refusal
from privet.server.postgres.wire_numeric import numeric_bytes, numeric_of
from privet.server.postgres.wire_parameters import value_of

CASES: list[tuple[pa.DataType, int, list[Any]]] = [
    (pa.bool_(), 16, [True, False]),
    (pa.int64(), 20, [0, -1, 2**63 - 1, -(2**63)]),
    (pa.int32(), 23, [0, -(2**31), 2**31 - 1]),
    (pa.int16(), 21, [-(2**15), 7]),
    (pa.uint32(), 26, [0, 2**32 - 1]),
    (pa.float64(), 701, [0.0, -0.0, 1.5, 1e300, 5e-324, math.inf, -math.inf]),
    (pa.string(), 25, ["", "a\tb\n\\", "é😀'\""]),
    (pa.date32(), 1082, [dt.date(1, 1, 1), dt.date(2000, 1, 1), dt.date(9999, 12, 31)]),
    (pa.timestamp("us"), 1114, [dt.datetime(1, 1, 1), dt.datetime(2024, 2, 29, 23, 59, 59, 999999)]),  # noqa: DTZ001 - no zone
    (pa.decimal128(20, 4), 1700, [Decimal("0.0000"), Decimal("-12345.6780"), Decimal("99999999.0001")]),
    (pa.list_(pa.string()), 1009, [["a", 'b"\\c', None], []]),
    (pa.list_(pa.int16()), 1005, [[1, -2, 3]]),
]


@pytest.mark.parametrize(("kind", "oid", "values"), CASES)
@pytest.mark.parametrize("binary", [False, True])
def test_what_is_written_is_what_psycopg_reads(kind: pa.DataType, oid: int, values: list[Any], *, binary: bool) -> None:
    assert types.oid_of(kind) == oid
    write = types.writer(oid, binary=binary)
    loader = Transformer().get_loader(oid, Format.BINARY if binary else Format.TEXT)
    assert [repr(loader.load(write(value))) for value in pa.array(values, kind).to_pylist()] == list(map(repr, values))


def test_nan_is_written_as_postgresql_does() -> None:
    assert types.writer(701, binary=False)(math.nan) == b"NaN"
    assert math.isnan(struct.unpack("!d", types.writer(701, binary=True)(math.nan))[0])


PARAMETERS: list[tuple[Any, int]] = [
    (True, 16),
    (-5, 20),
    (70_000, 23),
    (3, 21),
    (1.25, 701),
    ("é'; DROP", 25),
    (dt.date(2024, 2, 29), 1082),
    (dt.datetime(2024, 2, 29, 1, 2, 3, 4), 1114),  # noqa: DTZ001 - no zone
]


@pytest.mark.parametrize(("value", "oid"), PARAMETERS)
@pytest.mark.parametrize("form", [PyFormat.TEXT, PyFormat.BINARY])
def test_what_psycopg_writes_is_what_is_read(value: Any, oid: int, form: PyFormat) -> None:  # noqa: ANN401 - any value
    dumper = Transformer().get_dumper(value, form)
    data = dumper.dump(value)
    assert data is not None
    read = value_of(bytes(data), binary=form is PyFormat.BINARY, oid=dumper.oid or oid, place=1)
    assert read == value
    assert type(read) is type(value)


@given(some.decimals(allow_nan=False, allow_infinity=False, places=6, min_value=-(10**30), max_value=10**30))
def test_decimals_come_back(value: Decimal) -> None:
    assert numeric_of(numeric_bytes(value)) == value
    loader = Transformer().get_loader(1700, Format.BINARY)
    assert loader.load(numeric_bytes(value)) == value


@given(
    some.binary(max_size=40),
    some.booleans(),
    some.sampled_from([0, 16, 20, 21, 23, 25, 26, 700, 701, 1009, 1082, 1114, 1700, 2950, 17]),
)
def test_no_bytes_are_more_than_a_value_or_a_refusal(data: bytes, binary: bool, oid: int) -> None:  # noqa: FBT001 - drawn
    try:
        found = value_of(data, binary=binary, oid=oid, place=3)
    except Refusal:
        found = None
    assert not isinstance(found, float) or math.isfinite(found)


@pytest.mark.parametrize(
    ("data", "oid"),
    [
        (b"nan", 701),
        (b"inf", 701),
        (b"1" * 5000, 20),
        (b"1e400", 1700),
        (b"1e999999999", 1700),
        (b"a\0b", 25),
        (b"12x", 20),
    ],
)
def test_values_that_mean_nothing_are_refused_without_being_repeated(data: bytes, oid: int) -> None:
    with pytest.raises(Refusal) as refused:
        value_of(data, binary=False, oid=oid, place=1)
    assert data.decode()[:3] not in refused.value.sentence


def test_zones_that_drivers_add_are_left_out() -> None:
    assert value_of(b"2024-01-02 +01", binary=False, oid=1082, place=1) == dt.date(2024, 1, 2)
    assert value_of(b"2024-01-02 03:04:05+00", binary=False, oid=1114, place=1) == dt.datetime(2024, 1, 2, 3, 4, 5)  # noqa: DTZ001 - no zone
