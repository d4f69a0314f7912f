from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from privet.core import Unit
from privet.loss import Amount, PrivacyLoss
from privet.mechanisms import Laplace
from privet.query.results.answer import Answer
from privet.server.agents.cautions import LISTED, cautions

LOSS: PrivacyLoss = Laplace(l1_sensitivity=1, scale=1).loss


def answer(low: float = 8.0, *, rows: int = 1, **more: object) -> Answer:
    table = pa.table({"ward": ["A"] * rows, "n": [low + 4] * rows, "n_low": [low] * rows, "n_high": [low + 8] * rows})
    return replace(Answer(table, LOSS, Amount(), Unit("patient"), "a test", intervals=("n",)), **more)  # type: ignore[arg-type]


def said(of: Answer, words: str) -> bool:
    return any(words in each for each in cautions(of))


def test_what_costs_nothing_needs_no_caution() -> None:
    assert cautions(replace(answer(), loss=PrivacyLoss())) == ()


def test_nobody_is_to_be_told_of_one_unit() -> None:
    assert cautions(answer())[0].startswith("Do not conclude anything about one patient")


def test_many_intervals_miss_sometimes() -> None:
    assert not said(answer(rows=LISTED - 1), "most extreme")
    assert said(
        answer(rows=20), "these 20 numbers: each interval holds with 95 % confidence by itself, so about 1 of them"
    )


def test_intervals_that_are_missing_do_not_count() -> None:
    table = answer(rows=20).table.set_column(2, "n_low", pa.array([None] * 20, pa.float64()))
    assert not said(replace(answer(rows=20), table=table), "most extreme")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"hidden": "groups are private"}, "missing group for an empty one: groups are private."),
        ({"unclear": {"n": (0,)}}, "marked unclear in n"),
        ({"without_margin": {"m": "it is random"}}, "how sure m is: it has no interval, because it is random."),
        ({"rank_margins": {"m": 17.0}}, "m is off in rank by up to 17 rows"),
        ({"stand_ins": {"m": "99 % quantile"}}, "m for what was asked: it is answered by the 99 % quantile"),
        ({"at_bounds": {"n": "500"}}, "from a bound: n cannot be told from its bound 500"),
        ({"clipped": {"age": ("0", "110")}}, "extremes from it: values outside their bounds count as the nearest"),
        ({"limits": ("each patient counts once",)}, "where limits cut: each patient counts once."),
        ({"advice": ("declare more rows",)}, "Declare more rows."),
        ({"interval": "population"}, "The intervals are for the population"),
        ({}, "Do not carry the intervals over to a larger population"),
    ],
)
def test_each_weakness_of_an_answer_is_told(more: dict[str, Any], words: str) -> None:
    assert said(answer(**more), words)
    assert not more or not said(answer(), words)


def test_numbers_below_zero_are_noise() -> None:
    assert said(answer(-9.0), "below zero")
    assert not said(answer(), "below zero")
