# ruff: noqa: S608 - statements are texts of this file
"""What one unit's rows can make of a statement has a public size: texts, rows that multiply, and expressions."""

from contextlib import closing
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from privet.errors import PrivetError, QueryRefused
from privet.loss import Guarantee
from privet.query.backends.duckdb import DuckDBBackend
from privet.query.backends.duckdb.dialect import DuckDBDialect
from privet.query.backends.postgres.dialect import PostgresDialect
from privet.query.backends.spark.dialect import SparkDialect
from privet.query.catalog import Catalog, DeclaredTable
from privet.query.functions import call, evaluate
from privet.query.printing.dialect import Dialect
from privet.query.printing.function_templates import print_expression
from privet.query.printing.shared_expressions import DEEPEST, HEAVIEST, Once
from privet.query.scalars.expressions import Call, Column, Expression, Literal, Reference, facts_of
from privet.query.scalars.facts import LONGEST_TEXT, Facts, Type
from tests.support.exact_session import ExactSession

LETTER = "👩"  # four bytes, and one of the letters that some count as several
UNCUT = Reference(Column("s", Facts(Type.TEXT)))
SHORT = Reference(Column("t", Facts(Type.TEXT, longest=10)))


def exact(table: pa.Table, text: str, **words: Any) -> int:  # noqa: ANN401 - words of a catalog
    """The exact number that a statement about t asks for, as n."""
    columns = words.pop("columns", {})
    how: dict[str, Any] = {"unit": "person", "unit_column": "id", "limit": Guarantee(1000, "0.1")} | words
    catalog = Catalog.of(table, table="t", columns=columns, **how)
    with closing(DuckDBBackend(catalog, threads=1)) as backend:
        found: float = ExactSession(catalog, backend=backend).sql(text).rows[0]["n"]
        return round(found)


# --- texts ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("s", 1000),
        ("s || s", 1000),
        ("CONCAT(s, s, s, s, s)", 1000),
        ("CONCAT(short, short, '-')", 5),
        ("long", 1500),
        ("long || s", 1500),
        ("SUBSTRING(s, 990) || short", 13),
        ("id || id", 1000),
    ],
)
def test_texts_have_a_public_longest_length(text: str, letters: int) -> None:
    table = pa.table({"id": [LETTER * 1200], "s": [LETTER * 1300], "short": [LETTER * 2], "long": [LETTER * 1600]})
    statement = f"SELECT SUM(CLIP(LENGTH({text}), 0, 5000)) AS n FROM t"
    assert exact(table, statement, columns={"s": {}, "short": {}, "long": {"longest": 1500}}) == letters


@pytest.mark.parametrize("letters", [1000, 1001, 5000])
def test_long_units_are_the_same_if_and_only_if_they_are_equal(letters: int) -> None:
    """They differ in their last letter only; then in their first."""
    same = "u" * (letters - 1)
    ids = [f"{same}{end}" for end in "abc"] + [f"{start}{same}" for start in "xyz"] + [f"{same}a"] * 3
    table = pa.table({"id": ids, "n": [1] * len(ids)})
    assert exact(table, "SELECT COUNT(DISTINCT id) AS n FROM t", columns={"n": {}}) == 6
    counted = "SELECT SUM(CLIP(n, 0, 9)) AS n FROM (SELECT id, COUNT(*) AS n FROM t GROUP BY id) AS g WHERE n = 4"
    assert exact(table, counted, columns={"n": {}}, rows_per_unit=9) == 4
    assert exact(table, "SELECT SUM(CLIP(LENGTH(id), 0, 9999)) AS n FROM t") == 6 * (
        1064 if letters > 1000 else letters
    )


def test_a_very_long_unit_is_joined_as_a_short_one() -> None:
    """Uncut, 27,000 copies of a megabyte are more than the engine has."""
    table = pa.table({"id": ["u" * 10**6] * 30 + ["v"], "n": [1] * 31})
    how: dict[str, Any] = {"unit": "person", "unit_column": "id", "limit": Guarantee(1000, "0.1")}
    catalog = Catalog.of(table, table="t", columns={"n": {"bounds": [0, 1]}}, rows_per_unit=30, **how)
    text = "SELECT SUM(n) AS n FROM (SELECT a.id, a.n FROM t a JOIN t b ON a.id = b.id JOIN t c ON b.id = c.id) AS j"
    with closing(DuckDBBackend(catalog, threads=1, memory="300MB")) as backend:
        assert round(ExactSession(catalog, backend=backend).sql(text).rows[0]["n"]) == 30**3 + 1


def test_what_is_known_of_a_joined_text_is_where_it_is_cut() -> None:
    joined = call("concat", UNCUT, UNCUT, SHORT)
    assert facts_of(joined).longest == LONGEST_TEXT
    row = {UNCUT.column: "a" * 700, SHORT.column: "b"}
    assert evaluate(joined, row) == "a" * 1000
    assert facts_of(call("concat", SHORT, SHORT)).longest == 20
    assert facts_of(call("concat", SHORT, Literal("abc", Type.TEXT))).longest == 13


# --- expressions ------------------------------------------------------------------------------------------------

NUMBERS = pa.table({"id": [1, 2, 3], "x": [1.0, 2.0, 4.0], "s": ["a", "bb", None]})
FREE = {"x": {}, "s": {"nullable": True}}  # nothing is known of them, so that every step looks first


def nested(pattern: str, start: str, times: int) -> str:
    for _ in range(times):
        start = pattern.format(start)
    return start


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (" + ".join(["x"] * 40), 40 * 7),
        (" + ".join(["LENGTH(s)"] * 40), 40 * 3),
        (nested("CLIP({} + x, 0, 1000)", "x", 14), 15 * 7),
        (nested("ROUND({} + x, 1)", "x", 14), 15 * 7),
        (nested("({} * 1 / (x - x + 1))", "x", 14), 7),
        (nested("CASE WHEN {} > 3 THEN x ELSE 1 END", "x", 14), 6),
    ],
)
def test_what_is_nested_is_computed_once(text: str, wanted: int) -> None:
    """With every argument computed as often as it is looked at, the engine would be given 2^14 to 2^40 parts."""
    within = f"FROM (SELECT id, {text} AS y FROM t) AS q WHERE y IS NULL OR y > -1"
    assert exact(NUMBERS, f"SELECT SUM(CLIP(y, 0, 1000)) AS n {within}", columns=FREE) == wanted


@pytest.mark.parametrize(
    "dialect", [DuckDBDialect(), PostgresDialect(), SparkDialect()], ids=lambda each: each.types[Type.TEXT]
)
def test_every_level_is_light_and_flat(dialect: Dialect) -> None:
    x: Expression = Reference(Column("x", Facts(Type.REAL)))
    made = x
    for _ in range(30):
        made = call("abs", call("subtract", call("floor", made), x))
    deep: Expression = call("gt", x, Literal(1.0, Type.REAL))
    for _ in range(90):
        deep = call("not", deep)
    once = Once(dialect)
    parts = [once.split(made), once.split(deep), *(part for level in once.levels for _, part in level)]
    plain = Once(dialect)
    assert all(plain.weight(part) <= 4 * HEAVIEST for part in parts)
    assert all(not isinstance(part, Call) or part.depth <= DEEPEST + 1 for part in parts)
    assert sum(len(print_expression(part, dialect, lambda _: "n")) for part in parts) < 60_000


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("SELECT COUNT(*) AS n FROM t WHERE s = 'a\0'", "the letter with the number 0"),
        ("SELECT COUNT(*) AS n FROM t WHERE s = '" + "a" * 100_000 + "'", "100,000 letters"),
        ("SELECT COUNT(*) AS n FROM t WHERE x IN (" + ", ".join(["1"] * 25_000) + ")", "20,000 words"),
        ("SELECT COUNT(*) AS n FROM t WHERE " + "(" * 300 + "TRUE" + ")" * 300, "nested too deeply"),
        ("SELECT COUNT(*) AS n FROM t WHERE x > " + " + ".join(["x"] * 150), "100 inside one another"),
        ("SELECT SUM(LENGTH(" + " || ".join(["s"] * 120) + ")) AS n FROM t", "at most 100 texts are joined"),
        ("SELECT COUNT(*) AS n FROM t WHERE " + nested("({} IS DISTINCT FROM (x > 2))", "x > 1", 13), "5,000 parts"),
    ],
)
def test_depth_and_length_of_statements_are_public(text: str, sentence: str) -> None:
    with pytest.raises(QueryRefused, match=sentence):
        exact(NUMBERS, text, columns=FREE)


def test_many_short_texts_can_be_joined() -> None:
    text = " || ".join(["s"] * 64)
    assert exact(NUMBERS, f"SELECT SUM(CLIP(LENGTH({text}), 0, 1000)) AS n FROM t", columns=FREE) == 64 * 3


# --- rows that multiply -----------------------------------------------------------------------------------------

CROWD = [(1, value) for value in range(40)] + [(2, value) for value in range(5)]
PAIRS = "SELECT SUM(CLIP(a.x, 0, 1000)) AS n FROM t AS a JOIN t AS b ON a.id = b.id"
THRICE = PAIRS + " JOIN t AS c ON a.id = c.id"


def joined(rows: list[tuple[int, int]], text: str, *, most: int = 10) -> int:
    """The exact answer over rows (id, x), of which so many of each unit are joined."""
    table = pa.table({"id": [unit for unit, _ in rows], "x": [value for _, value in rows]})
    how: dict[str, Any] = {"unit": "person", "unit_column": "id", "limit": Guarantee(1000, "0.1")}
    catalog = Catalog.of(table, table="t", columns={"x": {"bounds": [0, 1000]}}, rows_per_unit=100, **how)
    declared = replace(catalog.tables["t"], rows_joined_per_unit=most)
    beside = DeclaredTable("p", {"k": Facts(Type.INTEGER)}, public=True)
    tables = {"t": declared, "p": beside}
    frames = {**catalog.frames, "p": pa.table({"k": list(range(7))})}
    catalog = replace(catalog, tables=tables, frames=frames)
    with closing(DuckDBBackend(catalog, threads=1)) as backend:
        found: float = ExactSession(catalog, backend=backend).sql(text).rows[0]["n"]
        return round(found)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("SELECT COUNT(*) AS n FROM t AS a JOIN t AS b ON a.id = b.id", 100 + 25),
        ("SELECT COUNT(*) AS n FROM t AS a JOIN t AS b ON a.id = b.id JOIN t AS c ON a.id = c.id", 100 + 50),
        ("SELECT COUNT(*) AS n FROM t AS a LEFT JOIN t AS b ON a.id = b.id AND a.x = b.x", 10 + 5),
        ("SELECT COUNT(*) AS n FROM t CROSS JOIN p", 10 * 7 + 5 * 7),
        ("SELECT COUNT(*) AS n FROM t CROSS JOIN p CROSS JOIN p AS q", 10 * 7 + 10 * 7),
        ("SELECT COUNT(*) AS n FROM t JOIN p ON p.k <= t.x", None),
        ("SELECT COUNT(*) AS n FROM t", 45),
        ("SELECT COUNT(*) AS n FROM t JOIN (SELECT MAX(k) AS k FROM p) AS m ON TRUE", 45),
        ("SELECT COUNT(*) AS n FROM t JOIN (SELECT k, COUNT(*) AS c FROM p GROUP BY k) AS m ON m.k = t.x", 7 + 5),
        ("SELECT COUNT(*) AS n FROM t JOIN (SELECT id, COUNT(*) AS c FROM t GROUP BY id) AS m ON m.id = t.id", 45),
        ("SELECT COUNT(*) AS n FROM (SELECT * FROM t UNION ALL SELECT * FROM t) AS u", 90),
    ],
)
def test_rows_are_few_before_they_multiply(text: str, rows: int | None) -> None:
    found = joined(CROWD, text)
    assert found == rows if rows is not None else found <= (10 + 5) * 7


@pytest.mark.parametrize("text", [PAIRS, THRICE])
def test_which_rows_are_joined_depends_on_the_unit_alone(text: str) -> None:
    both = joined(CROWD, text)
    assert both == joined(CROWD[::-1], text) == joined(CROWD[20:] + CROWD[:20], text)
    assert both == joined(CROWD[:40], text) + joined(CROWD[40:], text)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (PAIRS, "declare a smaller rows_joined_per_unit"),
        (
            "SELECT COUNT(*) AS n FROM t CROSS JOIN (SELECT 1 AS one FROM p, p AS q, p AS r) AS m",
            "public tables are multiplied",
        ),
        ("SELECT COUNT(*) AS n FROM t CROSS JOIN p CROSS JOIN p AS q CROSS JOIN p AS r", "at most 2 times"),
        (
            "WITH u0 AS (SELECT * FROM t), "
            + ", ".join(f"u{n + 1} AS (SELECT * FROM u{n} UNION ALL SELECT * FROM u{n})" for n in range(8))
            + " SELECT COUNT(*) AS n FROM u8",
            "reads tables at most 100 times",
        ),
    ],
)
def test_too_much_work_is_refused_before_anything_is_read(text: str, sentence: str) -> None:
    with pytest.raises(PrivetError, match=sentence):
        joined(CROWD, text, most=10_000)
