"""Post-processing of released rows, away from everything else."""

import datetime as dt
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import duckdb
import pyarrow as pa
import pytest

from privet.errors import InvalidParameter
from privet.query.answering import postprocess
from privet.query.answering.postprocess import CLOSED, _connection, _engine, post_process
from privet.query.functions import call
from privet.query.plan.statement import Output
from privet.query.scalars.arrow_types import ARROW
from privet.query.scalars.expressions import Call, Column, Expression, Literal, Reference
from privet.query.scalars.facts import Facts, Type, Value

CITY, COUNT, MEAN = (
    Column("city", Facts(Type.TEXT)),
    Column("n", Facts(Type.INTEGER)),
    Column("pay", Facts(Type.REAL)),
)
TABLE = pa.table({"city": ["b", "a", None, "b"], "n": [3, -1, 7, 3], "pay": [1.5, float("nan"), float("inf"), 2.0]})
COLUMNS = [CITY, COUNT, MEAN]


def item(expression: Expression, name: str = "x", kind: Type = Type.INTEGER) -> tuple[Column, Expression]:
    return Column(name, Facts(kind)), expression


def rows(output: Output, table: pa.Table = TABLE) -> list[tuple[Value, ...]]:
    result = post_process(output, table, COLUMNS)
    return [tuple(row.values()) for row in result.to_pylist()]


def whole(number: int) -> Literal:
    return Literal(number, Type.INTEGER)


def test_items_condition_and_order_are_computed_on_what_was_released() -> None:
    large = call(
        "case", call("gt", Reference(COUNT), whole(2)), Literal("large", Type.TEXT), Literal("small", Type.TEXT)
    )
    output = Output(
        (item(Reference(CITY), "town", Type.TEXT), item(large, "size", Type.TEXT)),
        condition=call("ge", Reference(COUNT), whole(-1)),
        order=((Reference(COUNT), True), (Reference(MEAN), False)),
    )
    assert rows(output) == [(None, "large"), ("b", "large"), ("b", "large"), ("a", "small")]
    assert post_process(output, TABLE, COLUMNS).column_names == ["town", "size"]


def test_order_without_terms_is_the_order_of_release() -> None:
    assert rows(Output((item(Reference(COUNT)),))) == [(3,), (-1,), (7,), (3,)]


def test_columns_as_they_are_need_no_engine_and_are_what_it_gives() -> None:
    values: dict[Type, list[Any]] = {
        Type.BOOLEAN: [True, None, False, True],
        Type.INTEGER: [2**62, None, -(2**63), 0],
        Type.REAL: [float("nan"), -0.0, float("-inf"), None],
        Type.TEXT: ["", None, "ä\0b", "NaN"],
        Type.DATE: [dt.date(1, 1, 1), None, dt.date(9999, 12, 31), dt.date(1970, 1, 1)],
        Type.TIMESTAMP: [dt.datetime(1, 1, 1), None, dt.datetime.max, dt.datetime(1970, 1, 1)],  # noqa: DTZ001, DTZ901 - without a zone, as released
    }
    table = pa.table(
        [pa.array(each, ARROW[kind]) for kind, each in values.items()], names=[kind.value for kind in values]
    )
    columns = [Column(kind.value, Facts(kind)) for kind in values]
    output = Output(tuple(item(Reference(column), f"my {column.name}", column.facts.type) for column in columns[::-1]))
    by_engine = post_process(replace(output, limit=9), table, columns)
    with patch.object(postprocess, "_connection", None):
        shown = post_process(output, table, columns)
    assert shown.schema == by_engine.schema
    assert shown.to_pylist() == by_engine.to_pylist()
    assert str(shown["my real"].to_pylist()) == "[None, -0.0, -inf, None]"
    narrow = post_process(output, table.set_column(1, "n", table.column(1).cast(pa.decimal128(38, 0))), columns)
    assert narrow.schema == by_engine.schema


def test_nulls_come_last_either_way() -> None:
    for down in (True, False):
        output = Output((item(Reference(CITY), kind=Type.TEXT),), order=((Reference(CITY), down),))
        assert rows(output)[-1] == (None,)


def test_limit_and_offset_cut_after_the_order() -> None:
    output = Output((item(Reference(COUNT)),), order=((Reference(COUNT), False),), limit=2, offset=1)
    assert rows(output) == [(3,), (3,)]
    assert rows(Output((item(Reference(COUNT)),), limit=0)) == []


def test_distinct_keeps_one_of_each() -> None:
    output = Output((item(Reference(COUNT)),), order=((Reference(COUNT), True),), distinct=True, limit=2)
    assert rows(output) == [(7,), (3,)]


def test_nan_is_null_and_infinity_is_itself() -> None:
    assert rows(Output((item(Reference(MEAN), kind=Type.REAL),))) == [(1.5,), (None,), (float("inf"),), (2.0,)]


def test_nothing_raises_on_what_was_released() -> None:
    quotient = call("divide", whole(1), call("subtract", Reference(COUNT), whole(3)))
    logarithm = call("ln", Reference(MEAN))
    huge = call("cast_integer", call("multiply", Reference(MEAN), Literal(1e300, Type.REAL)))
    output = Output((item(quotient, kind=Type.REAL), item(logarithm, "y", Type.REAL), item(huge, "z")))
    assert [row[0] for row in rows(output)] == [None, -0.25, 0.25, None]


def test_names_of_the_answer_are_only_names() -> None:
    name = '"; DROP TABLE released; --'
    output = Output((item(Reference(COUNT), name), item(Reference(COUNT), name)))
    assert post_process(output, TABLE, COLUMNS).column_names == [name, name]


def test_dates_stay_dates() -> None:
    day = Column("day", Facts(Type.DATE))
    table = pa.table({"day": [dt.date(2024, 2, 29)]})
    output = Output((item(call("add_days", Reference(day), whole(1)), kind=Type.DATE),))
    assert post_process(output, table, [day]).to_pydict() == {"x": [dt.date(2024, 3, 1)]}


def test_a_column_of_another_stage_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="own stage"):
        rows(Output((item(Reference(Column("n", Facts(Type.INTEGER)))),)))


def test_a_table_that_was_not_described_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="3 columns and 1 are described"):
        post_process(Output((item(Reference(COUNT)),)), TABLE, [COUNT])


def test_no_function_reads_files() -> None:
    reading = Call("read_text", (Literal("/etc/passwd", Type.TEXT),), Facts(Type.TEXT))
    with pytest.raises(InvalidParameter, match="not known"):
        rows(Output((item(reading, kind=Type.TEXT),)))
    assert CLOSED["enable_external_access"] == "false"
    assert CLOSED["lock_configuration"] == "true"


def test_tables_of_different_calls_do_not_meet() -> None:
    """All calls share an engine; each sees its own table, also at the same time, and leaves nothing behind."""
    output = Output((item(Reference(COUNT)),))

    def ask(number: int) -> bool:
        table = pa.table({"city": ["a"], "n": [number], "pay": [0.0]})
        return all(rows(output, table) == [(number,)] for _ in range(20))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(ask, range(8)))
    with _connection() as left:
        assert left.execute("SELECT COUNT(*) FROM duckdb_views() WHERE NOT internal").fetchall() == [(0,)]
        assert left.execute("SELECT COUNT(*) FROM duckdb_tables()").fetchall() == [(0,)]
        with pytest.raises(duckdb.CatalogException):
            left.execute("SELECT * FROM released")
        with pytest.raises(duckdb.Error):
            left.execute("SET enable_external_access = true")


def test_a_forked_process_opens_an_engine_of_its_own() -> None:
    assert rows(Output((item(Reference(COUNT)),), limit=1)) == [(3,)]
    ours = _engine(os.getpid())
    theirs = _engine(-1)
    assert _engine(os.getpid()) is ours
    assert theirs[0] is not ours[0]
    assert theirs[1] is not ours[1]
    theirs[0].close()
    _engine.cache_clear()
