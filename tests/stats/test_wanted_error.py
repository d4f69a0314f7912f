"""Errors in the place of ε: a statistic is then as sure as asked, and pays the least; others refuse by name."""

from typing import Any

import numpy as np
import pytest

import privet
from privet.asking.payment import Payment
from privet.core import Ledger, Unit
from privet.errors import InvalidParameter
from privet.loss import ConcentratedGuarantee

X = np.arange(2_000) % 100
PUBLIC: dict[str, Any] = {"neighbors": "replace"}
SURE: list[tuple[Any, float, dict[str, Any]]] = [
    (privet.count, 5, {}),
    (privet.count, 5, {"delta": 1e-6}),
    (privet.count, 5, {"ledger": ConcentratedGuarantee(1)}),
    (privet.count, 50, {"confidence": 0.99, "rows_per_unit": 3}),
    (privet.total, 1_000, {"bounds": (0, 100)}),
    (privet.mean, 0.5, {"bounds": (0, 100), **PUBLIC}),
    (privet.proportion, 0.01, PUBLIC),
    (privet.variance, 20, {"bounds": (0, 100), **PUBLIC}),
    (privet.histogram, 9, {"edges": range(0, 101, 10)}),
    (privet.median, 20, {"bounds": (0, 100)}),
    (privet.maximum, 60, {"bounds": (0, 100)}),
    (privet.median, 20, {"bounds": (0, 100), "ledger": ConcentratedGuarantee(1)}),
]


@pytest.mark.parametrize(("statistic", "error", "said"), SURE)
def test_answers_are_as_sure_as_asked(statistic: Any, error: float, said: dict[str, Any]) -> None:  # noqa: ANN401 - any statistic
    asking = dict(said)
    if "ledger" in said:
        asking["ledger"] = Ledger(said["ledger"], unit=Unit("person"))
    answer = statistic(X, error=error, **asking)
    confidence = said.get("confidence", 0.95)
    found = answer.rank_margin(confidence) if hasattr(answer, "rank_margin") else answer.margin(confidence)
    assert 0.8 * error <= found <= error


def test_several_quantiles_are_as_sure_as_asked_together() -> None:
    answer = privet.quantiles(X, [0.25, 0.5, 0.75], bounds=(0, 100), error=60)
    assert 48 <= answer.rank_margin() <= 60


def test_of_a_mean_it_is_the_largest_for_any_mean_of_so_many_rows() -> None:
    for low in (0, 99):  # at the lower bound, and near the upper one
        answer = privet.mean(np.full(20_000, low), bounds=(0, 100), error=0.2, rows=20_000)
        assert 0.9 * 0.2 < answer.margin() < 1.02 * 0.2  # the released number of rows is noisy


@pytest.mark.parametrize(
    ("statistic", "said", "words"),
    [
        (privet.mean, {"bounds": (0, 100), "error": 1}, "rows=1000"),
        (privet.variance, {"bounds": (0, 100), "error": 1}, "how far variance errs depends on the data"),
        (privet.stddev, {"bounds": (0, 100), "error": 1, **PUBLIC}, "how far stddev errs depends on the data"),
        (privet.cdf, {"edges": [0, 50, 100], "error": 0.1}, "how far cdf errs depends on the data"),
        (privet.top_k, {"categories": [1, 2, 3], "k": 1, "error": 1}, "depends on the data"),
        (privet.count, {"error": 5, "epsilon": 1}, "exactly one"),
        (privet.count, {"error": 0}, "error must be a number > 0"),
        (privet.count, {"error": "2%"}, "2% of 1000"),
        (privet.count, {"error": 5, "confidence": 1}, "confidence"),
        (privet.count, {"epsilon": 1, "confidence": 0.9}, "goes with error"),
        (privet.count, {"epsilon": 1, "rows": 9}, "goes with error"),
        (privet.count, {"error": 5, "rows": 0}, "rows must be"),
        (privet.total, {"bounds": (0, 1), "error": 1e-300}, "allow a larger error"),
    ],
)
def test_what_cannot_be_promised_is_refused(statistic: Any, said: dict[str, Any], words: str) -> None:  # noqa: ANN401 - any statistic
    with pytest.raises(InvalidParameter, match=words):
        statistic(X, **said)


def test_functions_of_ones_own_take_none() -> None:
    with pytest.raises(InvalidParameter, match="depends on your function"):
        Payment.of("smooth_sensitivity", {"error": 1})
