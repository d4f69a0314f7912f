"""Controls: an engine that is broken on purpose is noticed by the tests of this folder."""

from collections.abc import Callable
from unittest.mock import patch

import pytest

from privet.errors import InvalidParameter
from privet.query.backends.postgres import float_arithmetic, text_values
from privet.query.backends.postgres.dialect import PostgresDialect
from privet.query.backends.postgres.literals import real
from privet.query.scalars.facts import Type
from tests.query.engines.test_functions import check
from tests.query.engines.test_golden import compare
from tests.support.engines import engine_of

psycopg = pytest.importorskip("psycopg")


def of(kind: Type) -> Callable[[], None]:
    return lambda: check("postgres", (kind,))


def of_two(kind: Type) -> Callable[[], None]:
    return lambda: check("postgres", (kind, kind))


def statement(name: str, hospital: str = "nasty") -> Callable[[], object]:
    return lambda: compare("postgres", hospital, 0, [name])


BROKEN: dict[str, tuple[object, str, object, Callable[[], object]]] = {
    "halves go to even numbers": (float_arithmetic, "NEAREST_WHOLE", "ROUND({a})", of(Type.REAL)),
    "sums may be infinite": (float_arithmetic, "ADD", "{a} + {b}", of_two(Type.REAL)),
    "products may be too small": (float_arithmetic, "MULTIPLY", "{a} * {b}", of_two(Type.REAL)),
    "quotients may be too small": (
        float_arithmetic,
        "DIVIDE",
        "CASE WHEN {b} <> 0 THEN {a} / {b} END",
        of_two(Type.REAL),
    ),
    "days are not looked at": (text_values, "REAL_DAY", "{a} IS NOT NULL", of(Type.TEXT)),
    "letters are the engine's": (text_values, "in_case", lambda text, **_: f"LOWER({text})", of(Type.TEXT)),
    "reals are written as the engine does": (
        text_values,
        "real_as_text",
        lambda t: f"CAST({t} AS TEXT)",
        of(Type.REAL),
    ),
    "groups are hashed otherwise": (
        PostgresDialect,
        "digest",
        lambda _, texts: f"MD5('x' || {' || '.join(f'CAST({text} AS TEXT)' for text in texts)})",
        statement("group_by_private_average", "crowded"),
    ),
    "quotients are rounded": (
        PostgresDialect,
        "quotient",
        lambda _, a, b: f"CAST(ROUND(CAST({a} AS NUMERIC) / {b}) AS BIGINT)",
        statement("percentile"),
    ),
    "places very near to 0 are too small": (
        PostgresDialect,
        "place",
        lambda _, text, origin, step, **__: f"({text} - {real(float(origin))}) / {real(float(step))} + 0.5",
        statement("wide_steps"),
    ),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_dialect_is_noticed(fault: str) -> None:
    engine_of("postgres")
    where, name, wrong, noticed = BROKEN[fault]
    with patch.object(where, name, wrong), pytest.raises((AssertionError, InvalidParameter, psycopg.Error)):
        noticed()
