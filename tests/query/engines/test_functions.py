"""Every function on a table of edge values: an engine says what DuckDB says, to the last bit, and the reference too."""

import math
import random
import struct
from collections.abc import Iterator
from typing import Any

import pytest

from privet.query.backends.group_keys import plain_value
from privet.query.functions import FUNCTIONS, call, evaluate
from privet.query.functions.curves import CURVES
from privet.query.functions.letters import lower, upper
from privet.query.scalars.expressions import Column, Expression, Literal, Reference
from privet.query.scalars.facts import Facts, Type, Value
from tests.query.printing.test_function_templates import LITERALS, ONE, SAMPLES, TWO
from tests.support.engines import ENGINES, OTHERS, engine_of

MORE: dict[Type, list[Value]] = {
    Type.INTEGER: [7, -2, 86_400],
    Type.REAL: [
        -0.0, 0.1, 0.3, 3.0, 0.49999999999999994, 5e-320, 2.2250738585072014e-308, 1e-160, -1e160, 1.5e154, 4.5e15,
        -1234567890123456.5, 9999999999999998.0, 1e16, 123456.789, 1e-5, 0.0001, -708.0, 709.7, 1e22, 2.5e-1,
    ],
    Type.TEXT: [
        "é👩" * 400,
        "ÄÖÜ", "straße", "ΑΣ", "İI", "ﬁ", "1e-400", "-1e400", "0e99999999999", "1e99999999999", "-1e-99999999999",
        "00000000000000000000000000000000000000000000012", "+5", "1.", ".5", ".", "1_0", "٣", "12\u00a0", "\t7\n",
        "1.7976931348623157e308", "1.7976931348623159e308", "5e-324", "2e-324", "1" * 99, "1" * 101,
        "0." + "0" * 90 + "1", "2305843009213693352.0", "-2305843009213693439.5", "4611686018427387391e0",
        "4611686018427387903.5", "4611686018427387904", "4611686018427387905", "-4611686018427387905.0",
        "2024-04-31", "1900-02-29", "2000-02-29", "2024-2-9", "2024-12-31 24:00:00", " 2024-12-31 23:59:59.123456 ",
        "2024-12-31T01:02", "10000-01-01", "TRUE", " t ", "0", "1", "yes", "inf", "NaN", "-0", "-0.0", "2.5000",
    ],
    Type.DATE: ["2024-02-29", "2023-12-31"],
    Type.TIMESTAMP: ["2024-12-31 23:59:59.123456", "2024-12-31 23:59:59.500000"],
    Type.BOOLEAN: [],
}  # fmt: skip
NO_NUL = {kind: [v for v in (*SAMPLES[kind], *MORE[kind]) if not (isinstance(v, str) and "\0" in v)] for kind in Type}
LAST_BIT = {"ln", "log10", "exp", "power", *CURVES}  # the C library's own


def expressions() -> Iterator[tuple[str, tuple[Type, ...], tuple[Literal, ...]]]:
    """Every function with the types of its columns, and its literals."""
    yield from ((name, (kind,), ()) for name, kinds in ONE.items() for kind in kinds)
    yield from ((name, (kind, kind), ()) for name, kinds in TWO.items() for kind in kinds)
    for name, kind, literals in LITERALS:
        if not any("\0" in str(each.value) for each in literals):
            yield name, (kind,), literals


def rows_of(kinds: tuple[Type, ...]) -> list[tuple[Value, ...]]:
    if len(kinds) == 1:
        return [(value,) for value in NO_NUL[kinds[0]]]
    few = NO_NUL[kinds[0]] if kinds[0] is not Type.TEXT else NO_NUL[Type.TEXT][:40]
    return [(one, other) for one in few for other in few]


def same(one: Any, other: Any, *, loose: bool = False) -> bool:  # noqa: ANN401 - any cells
    """Equal to the last bit; 0 and -0 are one."""
    if isinstance(one, float) and isinstance(other, float):
        return one == other or (loose and math.isclose(one, other, rel_tol=4e-16))
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def batches() -> dict[tuple[Type, ...], list[tuple[str, tuple[Literal, ...]]]]:
    found: dict[tuple[Type, ...], list[tuple[str, tuple[Literal, ...]]]] = {}
    for name, kinds, literals in expressions():
        found.setdefault(kinds, []).append((name, literals))
    return found


@pytest.mark.parametrize("engine", OTHERS)
@pytest.mark.parametrize("kinds", batches(), ids=lambda kinds: "_".join(kind.value for kind in kinds))
def test_functions_of_edge_values(engine: str, kinds: tuple[Type, ...]) -> None:
    check(engine, kinds)


def check(engine: str, kinds: tuple[Type, ...]) -> None:
    """Raise unless every function of these types is the same here, in DuckDB and in the reference."""
    made = tuple(Column(f"x{n}", Facts(kind)) for n, kind in enumerate(kinds))
    rows = rows_of(kinds)
    asked = batches()[kinds]
    wanted: list[Expression] = [call(name, *map(Reference, made), *literals) for name, literals in asked]
    here = engine_of(engine).column(made, rows, wanted)
    there = engine_of("duckdb").column(made, rows, wanted)
    wrong: list[tuple[object, ...]] = []
    for row, mine, theirs in zip(rows, here, there, strict=True):
        for (name, literals), expression, one, other in zip(asked, wanted, map(plain_value, mine), theirs, strict=True):
            if name == "power" and extreme(other):
                continue
            if not same(one, plain_value(other), loose=name in LAST_BIT):
                wrong.append((name, literals, row, one, other))
            meant = evaluate(expression, dict(zip(made, row, strict=True)))
            if row != (0.0, -math.inf) and not same(one, meant, loose=True):  # 0 to -∞ is NULL, as 0 to -1 is
                wrong.append((name, "as it is meant", row, one, meant))
    assert not wrong, (len(wrong), wrong[:40])


def extreme(value: Any) -> bool:  # noqa: ANN401 - any cell
    """Below 2^-1022 a power may be 0, and just below 2^1024 infinite."""
    return isinstance(value, float) and (0 < abs(value) < 2.3e-308 or 1.79e308 < abs(value) < math.inf)


def test_every_function_is_among_them() -> None:
    assert {name for name, _, _ in expressions()} | {"case"} == set(FUNCTIONS)


def random_reals(seed: int, count: int) -> list[tuple[Value, ...]]:
    """Pairs of floats of any bits, and pairs whose product or quotient is near the largest or the least float."""
    draw, rows = random.Random(seed), []  # noqa: S311 - invented numbers

    def near(exponent: int) -> float:
        return math.ldexp(draw.choice([-1, 1]) * draw.uniform(1, 2), min(max(exponent, -1074), 1023))

    for _ in range(count):
        any_two = struct.unpack("<dd", draw.randbytes(16))
        one = draw.randint(-1074, 1023)
        end = draw.choice([1023, 1024, -1074, -1075, -1076, -1022])
        rows += [any_two, (near(one), near(end - one)), (near(one), near(one - end)), (near(1023), near(1023))]
    return [row for row in rows if not any(map(math.isnan, row))]


@pytest.mark.parametrize("engine", OTHERS)
@pytest.mark.parametrize("count", [400, pytest.param(20_000, marks=pytest.mark.soak)])
def test_arithmetic_is_that_of_floats_to_the_last_bit(engine: str, count: int) -> None:
    made = tuple(Column(f"x{n}", Facts(Type.REAL)) for n in range(2))
    names = ("add", "subtract", "multiply", "divide", "modulo", "least", "lt")
    wanted = [call(name, *map(Reference, made)) for name in names]
    rows = random_reals(count, count)
    found = engine_of(engine).column(made, rows, wanted)
    for row, values in zip(rows, found, strict=True):
        meant = [evaluate(expression, dict(zip(made, row, strict=True))) for expression in wanted]
        assert list(values) == meant, (row, values, meant)


@pytest.mark.parametrize("engine", ENGINES)
def test_every_letter_has_one_upper_and_lower_case(engine: str) -> None:
    made = (Column("x0", Facts(Type.TEXT)),)
    letters = [chr(code) for code in range(1, 0x1F000) if code not in range(0xD800, 0xE000)]
    rows = [("".join(letters[at : at + 500]),) for at in range(0, len(letters), 500)]
    wanted = [call(name, Reference(made[0])) for name in ("lower", "upper")]
    for (text,), values in zip(rows, engine_of(engine).column(made, rows, wanted), strict=True):
        assert tuple(values) == (lower(text), upper(text))
