"""Answer: tables of every kind, margins in words, and the way to JSON and back."""

import datetime as dt
from dataclasses import replace
from fractions import Fraction

import pyarrow as pa
import pytest

from privet.core import Unit
from privet.loss import Amount, LaplaceCurve, PrivacyLoss
from privet.query.results.answer import Answer
from privet.wording.shown_value import shown_value

TABLE = pa.table(
    {
        "city": ["Rome", None, "Köln"],
        "day": pa.array([dt.date(2024, 2, 29), None, None]),
        "pay": [51234.567, None, 0.5],
        "pay_low": [50344.1, 0.0, 0.25],
        "pay_high": [52125.0, 9e9, 0.75],
        "n": pa.array([12, -3, 1_000_000]),
    }
)
ANSWER = Answer(
    TABLE,
    PrivacyLoss.of(LaplaceCurve("0.5")),
    Amount(Fraction(1, 2), Fraction(0), units=("epsilon", "delta")),
    Unit("person"),
    "pay by city",
    intervals=("pay",),
    hidden="groups are private: few are hidden",
    notes={"pay": "between 0 and 100000"},
    rank_margins={"n": 22.2},
)


def test_it_prints_margins_and_the_receipt() -> None:
    text = repr(ANSWER)
    assert "51,235 ± 891" in text
    assert "0.50 ± 0.25" in text
    assert "1000000" in text
    assert "pay_low" not in text
    assert "groups are private" in text
    assert "spent ε=0.5, δ=0 per person on 'pay by city'" in text
    assert "± at 95 %" in text
    assert "n ± 23 rows" in text


def test_it_becomes_frames() -> None:
    assert ANSWER.to_pandas()["n"].tolist() == [12, -3, 1_000_000]
    assert ANSWER.to_polars()["city"].to_list() == ["Rome", None, "Köln"]
    assert ANSWER.rows[1]["pay"] is None
    assert len(ANSWER) == 3


def test_it_survives_json() -> None:
    again = Answer.from_json(ANSWER.to_json())
    assert again == ANSWER
    assert again.to_json() == ANSWER.to_json()
    assert again.table.schema == TABLE.schema


def test_long_and_empty_tables_print() -> None:
    long = Answer(pa.table({"n": list(range(100))}), ANSWER.loss, ANSWER.spent, ANSWER.unit, "numbers")
    assert "… 70 more rows" in repr(long)
    empty = Answer(TABLE.slice(0, 0), ANSWER.loss, ANSWER.spent, ANSWER.unit, "nothing", intervals=("pay",))
    assert "spent" in repr(empty)
    assert Answer.from_json(empty.to_json()) == empty


@pytest.mark.parametrize(
    ("value", "low", "high", "text"),
    [
        (10, 4, 16, "10 ± 6"),
        (-10, -16, -4, "-10 ± 6"),
        (0.123456, 0.1, 0.146912, "0.123 ± 0.024"),
        (1e9, 0.9e9, 1.1e9, "1,000,000,000 ± 100,000,000"),
        (5.0, 5.0, 5.0, "5.000000 ± 0"),
        (2.0, float("-inf"), float("inf"), "2"),
        (True, None, None, "True"),
        ("x", None, None, "x"),
    ],
)
def test_values_are_shown_to_the_digits_of_their_margin(value: object, low: object, high: object, text: str) -> None:
    assert shown_value(value, low=low, high=high) == text


def test_a_printed_margin_is_never_below_the_real_one() -> None:
    for number in range(1, 2000):
        margin = number / 7
        shown = float(shown_value(0.0, low=-margin, high=margin).split("± ")[1].replace(",", ""))
        assert shown >= margin * (1 - 1e-8)


def test_a_notebook_shows_the_same_cells_and_words() -> None:
    shown = replace(ANSWER, table=TABLE.set_column(0, "<city>", [["<b>", None, "Köln"]]))._repr_html_()
    assert shown.count("<tr>") == 1 + 3
    assert "51,235 ± 891" in shown
    assert "&lt;b&gt;" in shown
    assert "<b>" not in shown
    assert "pay_low" not in shown
    assert shown.count("<circle") == 2  # where a value is NULL there is no whisker
    assert "spent ε=0.5, δ=0 per person" in shown
