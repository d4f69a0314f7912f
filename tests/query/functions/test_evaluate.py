"""The engine computes what `evaluate` says, for every function and any row, and never raises."""

import datetime as dt
import math

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from privet.query.backends.duckdb.dialect import DuckDBDialect
from privet.query.functions import evaluate
from privet.query.printing.function_templates import print_expression
from privet.query.scalars.expressions import Column, Expression, facts_of
from privet.query.scalars.facts import Type, Value
from tests.support.drawn_expressions import expressions, rows

DIALECT = DuckDBDialect()
ENGINE = duckdb.connect()


def computed(expression: Expression, row: dict[Column, Value]) -> Value:
    """What the engine makes of an expression."""
    names = {column: f'"{column.name}"' for column in row}
    infinite = "CAST('{}infinity' AS DOUBLE)"
    cells = [
        (infinite.format("-" if value < 0 else "") if isinstance(value, float) and math.isinf(value) else None)
        or DIALECT.literal(value, column.facts.type)
        for column, value in row.items()
    ]
    source = ", ".join(f"{cell} AS {names[column]}" for cell, column in zip(cells, row, strict=True)) or "1 AS one"
    text = print_expression(expression, DIALECT, names.__getitem__)
    value = ENGINE.execute(f"SELECT {text} FROM (SELECT {source})").fetchone()[0]  # type: ignore[index] # noqa: S608 - printed
    if isinstance(value, dt.datetime):
        return value.isoformat(sep=" ")
    return value.isoformat() if isinstance(value, dt.date) else value


def agree(a: Value, b: Value) -> bool:
    """Equal, up to the rounding of floats."""
    if isinstance(a, float) and isinstance(b, float):
        return a == b or math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)
    return type(a) is type(b) and a == b


@pytest.mark.parametrize("type_", list(Type))
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_the_engine_agrees(type_: Type, data: st.DataObject) -> None:
    expression = data.draw(expressions(type_, 1))
    row = data.draw(rows(expression))
    expected, found = evaluate(expression, row), computed(expression, row)
    assert agree(expected, found), (expected, found)
    assert expected is None or facts_of(expression).type is type_
