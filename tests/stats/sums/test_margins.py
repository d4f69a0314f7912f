"""Margins hold: over 2,000 releases of each statistic the 95 % interval covers the noise-free bounded value.

The number of intervals that cover is compared with Binomial(n, 0.95): it must not lie in either tail of probability
1e-6. For n = 2,000 (`make soak`) that is between 1,851 and 1,943, so 93 to 97 %; for n = 1,000, in every run, between
914 and 979. Controls: the same releases with margins 30 % too small, or twice too large, must be rejected.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from privet import Guarantee, Ledger, Release, Unit
from privet.noise import BitSource
from privet.stats import (
    correlation,
    count,
    covariance,
    covariance_matrix,
    mean,
    moments,
    proportion,
    stddev,
    total,
    variance,
)
from tests.support.statistics import FALSE_ALARM

pytestmark = pytest.mark.whole

SAMPLE, ALL = 1000, 2000
CONFIDENCE = 0.95
RANDOM = np.random.default_rng(20261116)
X = RANDOM.gamma(2.0, 12.0, 3000)  # some lie beyond the bounds
Y = X / 2 + RANDOM.normal(0, 10, 3000)
HOLES = np.where(RANDOM.random(3000) < 0.1, np.nan, X)
LOW, HIGH = 0.0, 80.0
BOTH = ((LOW, HIGH), (-20.0, 60.0))
CX = np.clip(X, LOW, HIGH)
CY = np.clip(Y, -20, 60)
ILL = X > 50
PUBLIC = {"neighbors": "replace", "missing": "none"}
Ask = Callable[..., Release[Any]]


def part(name: str, values: Any, **how: Any) -> Release[Any]:  # noqa: ANN401 - any column, any keyword
    found: Release[Any] = getattr(moments(values, **how), name)
    return found


def cell(columns: Any, **how: Any) -> Release[Any]:  # noqa: ANN401 - any columns, any keyword
    """One covariance out of a matrix, as a release of its own."""
    found = covariance_matrix(columns, **how)
    value, error = found.cells[1]
    assert value == found.value[0, 1] == found.value[1, 0]
    return found.release.map(lambda _: value, uncertainty=error)


CASES: dict[str, tuple[Ask, float, dict[str, Any]]] = {
    "count": (partial(count, ILL), float(ILL.sum()), {"epsilon": "0.02"}),
    "count, ρ": (partial(count, ILL), float(ILL.sum()), {"rho": "0.0005"}),
    "total": (partial(total, HOLES, bounds=(LOW, HIGH)), float(np.nansum(np.clip(HOLES, LOW, HIGH))), {"epsilon": 1}),
    "total of a public number": (partial(total, X, bounds=(LOW, HIGH)), float(CX.sum()), {"epsilon": 2, **PUBLIC}),
    "mean": (partial(mean, HOLES, bounds=(LOW, HIGH)), float(np.nanmean(np.clip(HOLES, LOW, HIGH))), {"epsilon": 1}),
    "mean, small": (partial(mean, X[:40], bounds=(LOW, HIGH)), float(CX[:40].mean()), {"epsilon": 1}),
    "mean, ρ": (partial(mean, X, bounds=(LOW, HIGH)), float(CX.mean()), {"rho": "0.1"}),
    "mean of a public number": (partial(mean, X, bounds=(LOW, HIGH)), float(CX.mean()), {"epsilon": 1, **PUBLIC}),
    "proportion": (partial(proportion, ILL), float(ILL.mean()), {"epsilon": 1}),
    "variance": (partial(variance, X, bounds=(LOW, HIGH)), float(CX.var()), {"epsilon": 1}),
    "variance, δ": (partial(variance, X, bounds=(LOW, HIGH)), float(CX.var()), {"epsilon": 1, "delta": "0.01"}),
    "variance of a public number": (
        partial(variance, X, bounds=(LOW, HIGH), ddof=1),
        float(CX.var(ddof=1)),
        {"epsilon": 1, **PUBLIC},
    ),
    "stddev": (partial(stddev, X, bounds=(LOW, HIGH)), float(CX.std()), {"epsilon": 1}),
    "moments: count": (partial(part, "count", X, bounds=(LOW, HIGH)), 3000.0, {"epsilon": 1}),
    "moments: mean": (partial(part, "mean", X, bounds=(LOW, HIGH)), float(CX.mean()), {"epsilon": 1}),
    "covariance": (partial(covariance, (X, Y), bounds=BOTH), float(np.cov(CX, CY, ddof=0)[0, 1]), {"epsilon": 1}),
    "covariance of a public number": (
        partial(covariance, (X, Y), bounds=BOTH),
        float(np.cov(CX, CY, ddof=0)[0, 1]),
        {"epsilon": 1, **PUBLIC},
    ),
    "covariance matrix": (
        partial(cell, (X, Y, X), bounds=(*BOTH, (LOW, HIGH))),
        float(np.cov(CX, CY, ddof=0)[0, 1]),
        {"epsilon": 5},
    ),
    "correlation": (partial(correlation, (X, Y), bounds=BOTH), float(np.corrcoef(CX, CY)[0, 1]), {"epsilon": 1}),
}

ALWAYS = ["count", "total", "mean", "mean, small", "mean, ρ", "mean of a public number", "variance", "variance, δ"]
ALWAYS += ["variance of a public number", "stddev", "covariance", "correlation"]


@cache
def ledger_for(neighbors: str) -> Ledger:
    return Ledger(Guarantee(10**9, "0.99999"), unit=Unit("person", neighbors))


def ratios(name: str, source: BitSource, releases: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Each release's error over its margin."""
    ask, exact, how = CASES[name]
    asked = dict(how)
    if "rho" not in how:  # a ledger that counts ε does not sell ρ
        ledger = ledger_for(asked.pop("neighbors", "add_remove"))
        ledger._entropy = source  # type: ignore[assignment] # the same bits on every run
        asked["ledger"] = ledger
    answers = (ask(**asked) for _ in range(releases))
    return np.array([abs(float(answer.value) - exact) / answer.margin(CONFIDENCE) for answer in answers])


def agrees(covered: int, releases: int) -> bool:
    """Whether so many of the intervals cover, as 95 % should, at a false-alarm rate of 1e-6 in each tail."""
    few = binom.cdf(covered, releases, CONFIDENCE)
    many = binom.sf(covered - 1, releases, CONFIDENCE)
    return bool(min(few, many) >= FALSE_ALARM)


RUNS = [pytest.param(name, SAMPLE, id=name) for name in ALWAYS]
RUNS += [pytest.param(name, ALL, id=f"{name}, all", marks=pytest.mark.soak) for name in CASES]


@pytest.mark.parametrize(("name", "releases"), RUNS)
def test_margins_hold_and_are_no_wider_than_they_need_be(name: str, releases: int, source: BitSource) -> None:
    error = ratios(name, source, releases)
    covered = int((error <= 1).sum())
    assert agrees(covered, releases), f"{covered} of {releases} intervals cover"
    assert not agrees(int((error <= 0.7).sum()), releases), "the control: margins 30 % too small"
    assert not agrees(int((error <= 2).sum()), releases), "the control: margins twice too large"


def test_what_is_accepted() -> None:
    accepted = {n: [covered for covered in range(n + 1) if agrees(covered, n)] for n in (SAMPLE, ALL)}
    assert (accepted[ALL][0], accepted[ALL][-1]) == (1851, 1943)
    assert (accepted[SAMPLE][0], accepted[SAMPLE][-1]) == (914, 979)
