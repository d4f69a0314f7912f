"""target_error: what an ε buys, and what an error costs."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from privet.errors import InvalidParameter
from privet.stats import count, counts, covariance, mean, median, proportion, target_error, total, variance

SIDES = {"error", "epsilon"}
CASES: list[dict[str, Any]] = [
    {"statistic": "count", "error": 30},
    {"statistic": "total", "error": 1e6, "bounds": (20_000, 200_000)},
    {"statistic": "total", "error": 1e6, "bounds": (20_000, 200_000), "neighbors": "replace", "rows_per_unit": 2},
    {"statistic": "mean", "error": 5, "bounds": (0, 100), "rows": 1000},
    {"statistic": "mean", "error": 5, "bounds": (0, 100), "rows": 1000, "neighbors": "replace", "confidence": 0.9},
    {"statistic": "proportion", "error": 0.01, "rows": 5000},
    {"statistic": "variance", "error": 20, "bounds": (0, 100), "rows": 3000},
    {"statistic": "variance", "error": 20, "bounds": (0, 100), "rows": 3000, "neighbors": "replace"},
    {"statistic": "variance", "error": 20, "bounds": (0, 100), "rows": 3000, "delta": 1e-6},
    {"statistic": "histogram", "error": 20, "cells": 11},
    {"statistic": "quantile", "error": 20, "bounds": (0, 100), "q": "0.9"},
    {"statistic": "quantile", "error": 20, "bounds": (0, 100), "neighbors": "replace", "step": 1},
    {"statistic": "histogram", "error": 20, "cells": 11, "neighbors": "replace"},
    {"statistic": "median", "error": 20, "bounds": (0, 100)},
    {"statistic": "counts", "error": 20, "cells": 3},
    {
        "statistic": "covariance",
        "error": 20,
        "bounds": ((0, 100), (0, 10)),
        "rows": 500,
        "neighbors": "replace",
    },
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['statistic']} {len(case)}")
def test_there_and_back(case: dict[str, Any]) -> None:
    there = target_error(**case)
    assert there.error <= case["error"]
    assert there.error == pytest.approx(case["error"], rel=0.05)
    back = target_error(**{key: value for key, value in case.items() if key != "error"}, epsilon=there.epsilon)
    assert back.error == there.error
    dearer = target_error(**{key: value for key, value in case.items() if key != "error"}, epsilon=2 * there.epsilon)
    assert dearer.error < there.error
    assert f"{case['statistic']} within ±" in repr(there)


def test_it_is_what_the_statistic_then_says() -> None:
    x = np.arange(1000) % 100
    public: dict[str, Any] = {"neighbors": "replace"}
    assert target_error("count", epsilon="0.1").error == count(x, epsilon="0.1").margin()
    assert target_error("total", epsilon=1, bounds=(-5, 20)).error == pytest.approx(
        total(x, bounds=(-5, 20), epsilon=1).margin()
    )
    told = target_error("mean", epsilon=1, bounds=(0, 100), rows=1000, neighbors="replace")
    assert told.error == pytest.approx(mean(x, bounds=(0, 100), epsilon=1, **public).margin(), rel=1e-4)
    ranks = median(x.astype(float), bounds=(0, 100), epsilon=1, rows_per_unit=3).rank_margin()
    assert target_error("quantile", epsilon=1, bounds=(0, 100), rows_per_unit=3).error == pytest.approx(ranks)
    pair: tuple[Any, Any] = ((0, 100), (0, 99))
    told = target_error("covariance", epsilon=1, bounds=pair, rows=1000, neighbors="replace")
    assert covariance((x, x), bounds=pair, error=told.error, **public).margin() <= told.error
    told = target_error("covariance", epsilon="0.9", bounds=pair, rows=1000, neighbors="replace")
    assert told.error == pytest.approx(covariance((x, x), bounds=pair, epsilon="0.9", **public).margin())
    for told_of in ({}, public):
        found = counts({"a": x > 3, "b": x > 5, "c": x > 7}, epsilon=1, **told_of).margin()
        assert target_error("counts", epsilon=1, cells=3, **told_of).error == found
    told = target_error("variance", epsilon="0.19", bounds=(0, 100), rows=1000, neighbors="replace")
    assert told.error == pytest.approx(variance(x, bounds=(0, 100), epsilon="0.19", **public).margin())


def usual(ask: Callable[[], Any]) -> float:
    """The median margin of nine: the center is noisy, so one in a hundred is wider by 5 %, and five of nine in 10^8."""
    return float(np.median([ask().margin() for _ in range(9)]))


def test_where_the_answer_decides_it_is_the_worst() -> None:
    """The count is noisy, so a margin may exceed it by a few percent."""
    told = target_error("proportion", epsilon=1, rows=1000).error
    for share in (0.0, 0.2, 0.5, 1.0):
        values = np.arange(1000) < 1000 * share
        assert proportion(values, epsilon=1).margin() < 1.03 * told
    x = np.arange(1000) % 2
    told = target_error("variance", epsilon=1, bounds=(0, 1), rows=1000, neighbors="replace").error
    found = [
        usual(lambda: variance(x * share, bounds=(0, 1), epsilon=1, neighbors="replace"))  # noqa: B023 - called at once
        for share in (0, 1)
    ]
    assert max(found) < 1.05 * told
    assert min(found) < 0.5 * told < 0.5 * 1.2 * max(found)
    pair: tuple[Any, Any] = ((0, 1), (0, 1))
    told = target_error("covariance", epsilon=1, bounds=pair, rows=1000, neighbors="replace").error
    assert usual(lambda: covariance((x * 0, x * 0), bounds=pair, epsilon=1, neighbors="replace")) < 1.05 * told
    told = target_error("variance", epsilon=1, bounds=(0, 1), rows=1000).error
    for spread in (np.zeros(1000), np.arange(1000) % 2, np.full(1000, 0.5), np.linspace(0, 1, 1000)):
        assert usual(lambda: variance(spread, bounds=(0, 1), epsilon=1)) < 1.06 * told  # noqa: B023 - called at once


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"statistic": "mode", "error": 1}, "one of count"),
        ({"statistic": "stddev", "error": 1}, "ask for the variance"),
        ({"statistic": "top_k", "error": 1}, "how far their counts are apart"),
        ({"statistic": "covariance", "error": 1, "bounds": ((0, 1), (0, 1)), "rows": 9}, "only with neighbors"),
        ({"statistic": "count"}, "exactly one"),
        ({"statistic": "count", "error": 1, "epsilon": 1}, "exactly one"),
        ({"statistic": "count", "error": -1}, "> 0"),
        ({"statistic": "count", "error": float("nan")}, "finite number"),
        ({"statistic": "count", "error": 1, "confidence": 1}, "between 0 and 1"),
        ({"statistic": "mean", "error": 1, "bounds": (0, 1)}, "rows must say"),
        ({"statistic": "mean", "error": 1, "rows": 5}, "bounds must be a pair"),
        ({"statistic": "variance", "error": 1, "bounds": (0, 1), "rows": 1}, ">= 2"),
        ({"statistic": "total", "error": 1e-300, "bounds": (0, 1)}, "no ε up to 500"),
        ({"statistic": "count", "epsilon": 0}, "epsilon must be > 0"),
    ],
)
def test_what_is_refused(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidParameter, match=said):
        target_error(**asked)
