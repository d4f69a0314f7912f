"""What one unit's rows can make of a statement has a public size: texts, rows that multiply, and expressions."""

from contextlib import closing
from typing import Any

import pyarrow as pa
import pytest

from privet.loss import Guarantee
from privet.query.backends.duckdb import DuckDBBackend
from privet.query.catalog import Catalog
from privet.query.expressions import Column, Literal, Reference, facts_of
from privet.query.facts import LONGEST_TEXT, Facts, Type
from privet.query.functions import call, evaluate
from tests.query.exact_session import ExactSession

LETTER = "👩"  # four bytes, and one of the letters that some count as several
UNCUT = Reference(Column("s", Facts(Type.TEXT)))
SHORT = Reference(Column("t", Facts(Type.TEXT, longest=10)))


def exact(table: pa.Table, text: str, **words: Any) -> int:  # noqa: ANN401 - words of a catalog
    """The exact number that a statement about t asks for, as n."""
    columns = words.pop("columns", {})
    how: dict[str, Any] = {"unit": "person", "unit_column": "id", "limit": Guarantee(1000, "0.1")} | words
    catalog = Catalog.of(table, table="t", columns=columns, **how)
    with closing(DuckDBBackend(catalog, threads=1)) as backend:
        return int(ExactSession(catalog, backend=backend).sql(text).rows[0]["n"])


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
    statement = f"SELECT SUM(CLIP(LENGTH({text}), 0, 5000)) AS n FROM t"  # noqa: S608 - a text of this file
    assert exact(table, statement, columns={"s": {}, "short": {}, "long": {"longest": 1500}}) == letters


def test_what_is_known_of_a_joined_text_is_where_it_is_cut() -> None:
    joined = call("concat", UNCUT, UNCUT, SHORT)
    assert facts_of(joined).longest == LONGEST_TEXT
    row = {UNCUT.column: "a" * 700, SHORT.column: "b"}
    assert evaluate(joined, row) == "a" * 1000
    assert facts_of(call("concat", SHORT, SHORT)).longest == 20
    assert facts_of(call("concat", SHORT, Literal("abc", Type.TEXT))).longest == 13
