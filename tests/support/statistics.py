"""Statistical assertions with a stated false-alarm rate. Every use has a control that must fail."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.stats import binom, chi2

FALSE_ALARM = 1e-6
# Cells expected to hold fewer are merged. At 100 the exact chance of passing the chi-square threshold for 1e-6 is still
# up to 2.6 times that, so the threshold is taken at a fifth of its share of the rate: that is then an upper bound.
LEAST_EXPECTED = 100.0


@dataclass(frozen=True)
class Fit:
    """Pearson's chi-square statistic of a sample against a law, and the value it stays below if they agree."""

    draws: int
    cells: int
    statistic: float
    threshold: float

    @property
    def agrees(self) -> bool:
        return self.statistic <= self.threshold

    def __str__(self) -> str:
        return f"n={self.draws}, cells={self.cells}, chi-square={self.statistic:.1f}, threshold={self.threshold:.1f}"


Draws = Iterable[int] | Mapping[int, int]  # the outcomes one by one, or how often each occurred


def chi_square(draws: Draws, pmf: Mapping[int, float], *, false_alarm: float = FALSE_ALARM) -> Fit:
    """Compare draws with probabilities; outcomes that `pmf` does not name form one cell with what is left of 1.

    Half of the false-alarm rate goes to chi-square, half to an exact binomial test of the unnamed outcomes, which
    merging would hide.
    """
    observed = draws if isinstance(draws, Mapping) else tally(draws)
    total = sum(observed.values())
    left = max(1e-12, 1.0 - math.fsum(pmf.values()))  # the probabilities themselves are rounded
    strays = sum(count for k, count in observed.items() if k not in pmf)
    rows = [(pmf[k] * total, observed.get(k, 0)) for k in pmf]
    rows.sort(key=lambda row: row[0])  # by what is expected alone: ties must not be merged by what was seen
    merged = _merged(rows, (left * total, strays))
    statistic = sum((count - expected) ** 2 / expected for expected, count in merged)
    if binom.sf(strays - 1, total, left) < false_alarm / 2:
        statistic = math.inf
    threshold = float(chi2.isf(false_alarm / 10, max(1, len(merged) - 1)))
    return Fit(total, len(merged), statistic, threshold)


def tally(draws: Iterable[int]) -> Counter[int]:
    """Count how often each outcome occurs."""
    outcomes, counts = np.unique(np.asarray(draws), return_counts=True)
    return Counter(dict(zip(outcomes.tolist(), counts.tolist(), strict=True)))


def _merged(rows: list[tuple[float, int]], rest: tuple[float, int]) -> list[tuple[float, int]]:
    """Add expected and observed counts together, rarest first, until each cell is expected to hold enough."""
    merged = [rest]
    for expected, count in rows:
        if merged[-1][0] < LEAST_EXPECTED:
            merged[-1] = (merged[-1][0] + expected, merged[-1][1] + count)
        else:
            merged.append((expected, count))
    return merged


def assert_follows(draws: Draws, pmf: Mapping[int, float], *, false_alarm: float = FALSE_ALARM) -> None:
    """Fail, with probability `false_alarm` for a right sampler, unless the draws follow the probabilities."""
    fit = chi_square(draws, pmf, false_alarm=false_alarm)
    print(fit)  # noqa: T201 - shown by pytest when the test fails, and with -s
    assert fit.agrees, f"the draws do not follow the law: {fit}"


def assert_does_not_follow(draws: Draws, pmf: Mapping[int, float], *, false_alarm: float = FALSE_ALARM) -> None:
    """Be the control: fail unless the same test rejects a law that is wrong on purpose."""
    fit = chi_square(draws, pmf, false_alarm=false_alarm)
    assert not fit.agrees, f"the control was not rejected, so the test has no power: {fit}"
