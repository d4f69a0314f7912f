"""Data that errors are measured on, the same in every environment: only numpy is needed."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Generator = np.random.Generator
Numbers = NDArray[Any]
SEED = 20261118
LABELS = 10_000
TOP = 50
ROWS = 10_000
GROUPS = 5_000
UNITS = 20_000
CROWDS = 100
BINS = 5_000  # rows in bins
DECILES = [place / 10 for place in range(1, 10)]
PEOPLE = 32_561  # as many as the census extract Adult has


def zipf(number: int, power: float) -> Numbers:
    """Chances that fall like a power of the place."""
    chances = 1 / np.arange(1, number + 1) ** power
    return np.asarray(chances / chances.sum())


def labels(random: Generator) -> Numbers:
    """100,000 rows with one of 10,000 labels."""
    return random.choice(LABELS, 100_000, p=zipf(LABELS, 1.1))


def overlap(column: Numbers, found: Any) -> float:  # noqa: ANN401 - any labels
    """Which share of the most frequent labels was found."""
    truth = np.argsort(-np.bincount(column, minlength=LABELS), kind="stable")[:TOP]
    return len(set(truth.tolist()) & {int(each) for each in found}) / TOP


def groups(random: Generator) -> Numbers:
    """The one group of each of 20,000 units."""
    return random.choice(GROUPS, UNITS, p=zipf(GROUPS, 1.0))


def many_groups(random: Generator) -> tuple[Numbers, Numbers]:
    """Units, and one of their groups each: 4,000 units with 20 rows."""
    return np.repeat(np.arange(4000), 20), random.choice(50_000, 80_000, p=zipf(50_000, 1.0))


def pareto_rows(random: Generator) -> tuple[Numbers, Numbers]:
    """Units, and the group of each of their rows, of 100: 20,000 units, a few of which have very many rows."""
    rows = np.minimum(np.floor(random.pareto(1.5, UNITS) + 1), 10**5).astype(np.int64)
    owners = np.repeat(np.arange(UNITS), rows)
    return owners, random.integers(0, CROWDS, len(owners))


def relative_error(truth: Numbers, found: Numbers) -> float:
    """The mean of errors over exact counts."""
    return float(np.mean(np.abs(found - truth) / truth))


def spread(random: Generator, mean: float) -> Numbers:
    """Values between 0 and 100 around a mean."""
    return np.clip(random.normal(mean, 5, ROWS), 0, 100)


def pair(random: Generator, mean: float = 50) -> tuple[Numbers, Numbers]:
    """Two columns between 0 and 100 that move together."""
    first = np.clip(random.normal(mean, 8, ROWS), 0, 100)
    return first, np.clip(mean + (first - mean) / 2 + random.normal(0, 8, ROWS), 0, 100)


def skewed(random: Generator, width: float = 2) -> Numbers:
    """Values whose logarithm is normal around 3."""
    return np.exp(random.normal(3, width, ROWS))


def in_bins(random: Generator, bins: int) -> Numbers:
    """Values over bins 0 to 1, 1 to 2 and so on."""
    return random.gamma(4, bins / 10, BINS)


def range_error(counts: Numbers, found: Numbers) -> float:
    """The root of the mean square over all ranges."""
    sums = np.concatenate([[0.0], np.cumsum(found - counts)])
    first, after = np.triu_indices(len(sums), 1)
    return float(np.sqrt(np.mean((sums[after] - sums[first]) ** 2)))


def prefix_error(counts: Numbers, found: Numbers) -> float:
    """The root of the mean square over all sums of the first bins."""
    return float(np.sqrt(np.mean(np.cumsum(found - counts) ** 2)))


def ages(random: Generator) -> Numbers:
    """Whole numbers from 17 to 90, spread like the ages of a census of workers."""
    return np.clip(17 + random.gamma(2.9, 7.5, PEOPLE), 17, 90).astype(np.int64)


def sparse(random: Generator) -> Numbers:
    """Counts of which 300 of 10,000 are not zero."""
    counts = np.zeros(LABELS, dtype=np.int64)
    counts[random.choice(LABELS, 300, replace=False)] = np.exp(random.normal(4, 1.5, 300))
    return counts
