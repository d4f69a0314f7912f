"""A list of quantiles is a column for each, whatever stands around it, and places of GROUP BY move along."""

import pytest
import sqlglot
from sqlglot import exp

from privet.query.sql.quantile_lists import expanded


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("SELECT QUANTILE_CONT(x, [0.25, 0.975]) AS q FROM t", ["q_25", "q_97_5"]),
        ("SELECT QUANTILE_DISC(x, [0.5]) FILTER (WHERE x > 0) AS q FROM t", ["q_50"]),
        ("SELECT PERCENTILE_CONT(ARRAY[0, 1]) WITHIN GROUP (ORDER BY x) FROM t", ["quantile_0", "quantile_100"]),
        ("SELECT a, APPROX_QUANTILE(x, [0.1, 0.2]) AS q, b FROM t", ["a", "q_10", "q_20", "b"]),
        ("SELECT QUANTILE_CONT(x, [a]) AS q FROM t", ["q"]),
        ("SELECT QUANTILE_CONT(x, 0.5) AS q FROM t", ["q"]),
    ],
)
def test_names(text: str, names: list[str]) -> None:
    tree = expanded(sqlglot.parse_one(text, dialect="duckdb"))
    assert [item.alias_or_name for item in tree.expressions] == names
    assert (tree.find(exp.Array) is None) == ("[a]" not in text)


def test_places_move() -> None:
    text = "SELECT a, QUANTILE_CONT(x, [0.1, 0.2, 0.3]) AS q, b FROM t GROUP BY 1, 3 ORDER BY 3 DESC, 2, 9"
    tree = expanded(sqlglot.parse_one(text, dialect="duckdb"))
    assert [part.this for part in tree.args["group"].expressions] == ["1", "5"]
    assert [part.this.this for part in tree.args["order"].expressions] == ["5", "2", "9"]
