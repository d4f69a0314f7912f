"""Quotes are remembered: only where every word is the same, never too many; what was priced is what is run."""

from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pytest

import privet
from privet.errors import QueryRefused
from privet.loss import Guarantee
from privet.query import quoter
from privet.query.backends import sql_engine
from privet.query.backends.duckdb import DuckDBBackend
from privet.query.catalog import Catalog
from privet.query.second_price.engine_text import read_back
from privet.query.session import Session

COUNT = "SELECT city, COUNT(*) AS n, SUM(age) AS s FROM people GROUP BY city"
PEOPLE = pa.table({"id": [1, 1, 2, 3], "city": ["a", "b", "a", None], "age": [30, 31, 50, 70]})


@pytest.fixture(name="session")
def _session() -> Iterator[Session]:
    columns: dict[str, dict[str, Any]] = {
        "city": {"type": "text", "values": ["a", "b"]},
        "age": {"type": "integer", "bounds": [0, 100]},
    }
    catalog = Catalog.of(
        PEOPLE,
        table="people",
        unit="person",
        unit_column="id",
        limit=Guarantee(10**9),
        columns=columns,
        rows_per_unit=3,
    )
    with privet.connect(catalog) as session:
        yield session


def quoted(session: Session, text: str = COUNT, **keywords: Any) -> object:  # noqa: ANN401 - keywords of any kind
    weights = keywords.pop("weights", None)
    said: Any = keywords
    return session._quoter.quote(text, session._options(said, weights))


def test_a_statement_is_read_and_quoted_once(session: Session) -> None:
    first = quoted(session, epsilon=1)
    assert quoted(session, epsilon=1) is first
    with patch("privet.query.sql.read", side_effect=AssertionError):
        assert session.sql(COUNT, epsilon=1).table.num_rows == 2


@pytest.mark.parametrize(
    "other",
    [
        {"epsilon": "1.0000000000000000001"},
        {"epsilon": 1, "delta": "1e-9"},
        {"rho": 1},
        {"epsilon": 1, "confidence": 0.9},
        {"epsilon": 1, "rows_per_unit": 2},
        {"epsilon": 1, "groups_per_unit": 2, "rows_per_group": 1},
        {"epsilon": 1, "rows_per_unit": 1, "bounding": "sample"},
        {"epsilon": 1, "weights": {"n": 2}},
        {"epsilon": 1, "text": COUNT + " "},
    ],
)
def test_whatever_else_is_said_makes_another_quote(session: Session, other: dict[str, Any]) -> None:
    assert quoted(session, epsilon=1) is not quoted(session, **other)


def test_a_refusal_is_said_again(session: Session) -> None:
    for _ in range(2):
        with pytest.raises(QueryRefused):
            quoted(session, "SELECT id FROM people", epsilon=1)


def test_few_are_remembered(session: Session) -> None:
    first = quoted(session, epsilon=1)
    for number in range(quoter.REMEMBERED):
        quoted(session, epsilon=2 + number)
    assert len(session._quoter._quotes) == quoter.REMEMBERED
    assert quoted(session, epsilon=1) is not first


def test_what_was_priced_is_what_is_run(session: Session) -> None:
    read, run = list[str](), list[str]()
    running = DuckDBBackend._fetch

    def reading(text: str, name: str) -> object:
        read.append(text)
        return read_back(text, name)

    def spied(backend: DuckDBBackend, text: str) -> list[tuple[Any, ...]]:
        run.append(text)
        return running(backend, text)

    with (
        patch("privet.query.second_price.price_check.read_back", reading),
        patch.object(DuckDBBackend, "_fetch", spied),
    ):
        session.sql(COUNT, epsilon=1)
        with patch.object(sql_engine, "print_request", side_effect=AssertionError):
            session.sql(COUNT, epsilon=1)
    assert len(read) == 2  # the second price is computed for every statement
    assert read == run


def test_statements_of_several_stages_are_printed_with_the_names_of_each_run(session: Session) -> None:
    text = "SELECT AVG(n) AS m FROM (SELECT city, COUNT(*) AS n FROM people GROUP BY city)"
    assert [session.sql(text, epsilon=10).table.num_rows for _ in range(2)] == [1, 1]
