"""What is logged about a question: that it was charged, answered or refused, and nothing of it or of the data."""

import logging

import pyarrow as pa
import pytest

import privet

ROWS = pa.table({"id": [*range(77)], "age": [61] * 77})


def test_events_are_logged_without_words_or_values(caplog: pytest.LogCaptureFixture) -> None:
    catalog = privet.Catalog.of(
        ROWS,
        name="clinic",
        unit="person",
        unit_column="id",
        limit=privet.Guarantee(1),
        columns={"age": {"bounds": [0, 99]}},
    )
    with caplog.at_level(logging.INFO, logger="privet"), privet.connect(catalog) as session:
        session.sql("SELECT COUNT(*) FROM data WHERE age <> 61", epsilon=1, purpose="a secret plan")
        with pytest.raises(privet.BudgetExceeded):
            session.sql("SELECT COUNT(*) FROM data", epsilon=1)
    told = [record.getMessage() for record in caplog.records if record.name == "privet"]
    assert told == [
        "opened clinic: 1 tables",
        "charged (ε=1)-DP for a question about clinic",
        "answered a question about clinic",
        "refused a question about clinic: the budget does not allow it",
    ]


def test_nothing_is_printed_where_nobody_has_asked_for_a_log() -> None:
    assert any(isinstance(each, logging.NullHandler) for each in logging.getLogger("privet").handlers)
