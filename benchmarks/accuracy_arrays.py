"""Tasks about arrays: what Privet's statistics err by, beside the best known algorithms."""

from collections.abc import Callable
from typing import Any

import accuracy_data as data
import numpy as np
from accuracy_data import Generator, Numbers
from accuracy_task import MEDIAN, ROOT, Measure, Task

import privet

PUBLIC: dict[str, Any] = {"neighbors": "replace", "missing": "none"}
BOTH = ((0, 100), (0, 100))


def top_labels(epsilon: float) -> Measure:
    def measure(random: Generator) -> float:
        column = data.labels(random)
        found = privet.top_k(column, data.TOP, categories=range(data.LABELS), epsilon=epsilon).numbers
        return data.overlap(column, found)

    return measure


def top_by_noisy_counts(epsilon: float) -> Measure:
    def measure(random: Generator) -> float:
        column = data.labels(random)
        counts = np.bincount(column, minlength=data.LABELS) + random.laplace(0, 1 / epsilon, data.LABELS)
        return data.overlap(column, np.argsort(-counts)[: data.TOP])

    return measure


def spread(mean: float) -> Measure:
    def measure(random: Generator) -> float:
        column = data.spread(random, mean)
        return abs(float(privet.variance(column, bounds=BOTH[0], epsilon=1, **PUBLIC).value) - float(column.var()))

    return measure


def centered_spread(mean: float) -> Measure:
    """A rough center for 15 % of ε, then the mean square around it."""

    def measure(random: Generator) -> float:
        column = data.spread(random, mean)
        rough = 100 / (len(column) * 0.15)
        center = float(np.clip(column.mean() + random.laplace(0, rough), 0, 100))
        reach = max(center, 100 - center) ** 2
        around = ((column - center) ** 2).mean() + random.laplace(0, reach / (len(column) * 0.85))
        return abs(float(around) - 2 * rough**2 - float(column.var()))

    return measure


def joint(random: Generator) -> float:
    first, second = data.pair(random)
    truth = float(np.cov(first, second, ddof=0)[0, 1])
    return abs(float(privet.covariance((first, second), bounds=BOTH, epsilon=1, **PUBLIC).value) - truth)


def centered_joint(random: Generator) -> float:
    first, second = data.pair(random)
    rough = 100 / (len(first) * 0.075)
    c, d = (float(np.clip(each.mean() + random.laplace(0, rough), 0, 100)) for each in (first, second))
    corners = [(x - c) * (y - d) for x in (0, 100) for y in (0, 100)]
    noise = random.laplace(0, (max(corners) - min(corners)) / (len(first) * 0.85))
    return abs(float(((first - c) * (second - d)).mean()) + noise - float(np.cov(first, second, ddof=0)[0, 1]))


def together(mean: float) -> Measure:
    def measure(random: Generator) -> float:
        first, second = data.pair(random, mean)
        truth = float(np.corrcoef(first, second)[0, 1])
        return abs(float(privet.correlation((first, second), bounds=BOTH, epsilon=1, **PUBLIC).value) - truth)

    return measure


def centered_together(mean: float) -> Measure:
    """Rough centers for 10 % of ε, then the sums of ab, a²/2 and b²/2 for distances of at most 1: 2 in L1."""

    def measure(random: Generator) -> float:
        first, second = data.pair(random, mean)
        rows, rough = len(first), 2 / (len(first) * 0.1)
        parts = []
        for column in (first / 100, second / 100):
            center = float(np.clip(column.mean() + random.laplace(0, rough), 0, 1))
            parts.append(((column - center) / max(center, 1 - center), 2 * (rough / max(center, 1 - center)) ** 2))
        (a, extra_a), (b, extra_b) = parts
        both, left, right = np.array([a @ b, a @ a / 2, b @ b / 2]) + random.laplace(0, 2 / 0.9, 3)
        spreads = max(2 * left / rows - extra_a, 1e-9) * max(2 * right / rows - extra_b, 1e-9)
        return abs(float(np.clip(both / rows / np.sqrt(spreads), -1, 1)) - float(np.corrcoef(first, second)[0, 1]))

    return measure


def high_percentile(scale: Any) -> Measure:  # noqa: ANN401 - a word
    def measure(random: Generator) -> float:
        column = data.skewed(random)
        found = privet.quantile(column, "0.99", bounds=(0, 10**6), scale=scale, epsilon="0.1").value
        return abs(found - float(np.quantile(column, 0.99)))

    return measure


def deciles(random: Generator) -> float:
    column = data.ages(random)
    found = privet.quantiles(column, data.DECILES, bounds=(0, 120), epsilon=1).value
    return float(np.abs(found - np.quantile(column, data.DECILES, method="inverted_cdf")).mean())


def deciles_one_by_one(random: Generator) -> float:
    """What halving would give if its four levels were free of each other."""
    column = data.ages(random)
    ordered, points = np.sort(column), np.arange(121)
    found = []
    for place in data.DECILES:
        target = place * len(column)
        above, below = ordered.searchsorted(points, side="left"), ordered.searchsorted(points, side="right")
        off = np.maximum(np.maximum(above - target, target - below), 0)
        found.append(points[np.argmax(-off / 8 / max(place, 1 - place) + random.gumbel(size=121))])
    return float(np.abs(np.array(found) - np.quantile(column, data.DECILES, method="inverted_cdf")).mean())


def interval_width(step: str | None) -> Measure:
    def measure(random: Generator) -> float:
        column = random.normal(50, 10, 500)
        low, high = privet.quantile_interval(column, "0.5", bounds=(0, 100), step=step, epsilon=1).value
        return float(high - low)

    return measure


def interval_cover(random: Generator) -> float:
    column = random.normal(50, 10, 500)
    low, high = privet.quantile_interval(column, "0.5", bounds=(0, 100), epsilon=1).value
    return float(low <= np.quantile(column, 0.5, method="inverted_cdf") <= high)


def in_bins(bins: int, error: Callable[[Numbers, Numbers], float], **asking: Any) -> Measure:  # noqa: ANN401 - a price
    def measure(random: Generator) -> float:
        column = data.in_bins(random, bins)
        answer = privet.hierarchical_counts(column, edges=range(bins + 1), **asking)
        return error(np.histogram(column, bins=range(bins + 1))[0], np.asarray(answer.value))

    return measure


def sparse(view: Callable[[Any, int], Numbers]) -> Measure:
    def measure(random: Generator) -> float:
        counts = data.sparse(random)
        column = np.repeat(np.arange(data.LABELS), counts)
        answer = privet.histogram(column, categories=range(data.LABELS), epsilon=1)
        return float(np.abs(view(answer, int(counts.sum())) - counts).sum())

    return measure


def sparse_above(random: Generator) -> float:
    """Noisy counts, and nothing where they are below ln(labels): as thresholding is often done."""
    counts = data.sparse(random)
    noisy = counts + random.laplace(0, 1, data.LABELS)
    return float(np.abs(np.where(noisy > np.log(data.LABELS), noisy, 0) - counts).sum())


NOISY_COUNTS = "noisy counts of all labels, sorted"
ROUGH_CENTER = "a rough center first"
TASKS = (
    Task(
        "top .1",
        "top 50 of 10,000 labels, Zipf 1.1, 100,000 rows: share of the true ones",
        "ε = 0.1",
        top_labels(0.1),
        top_by_noisy_counts(0.1),
        NOISY_COUNTS,
        larger=True,
        before=".09",
    ),
    Task(
        "top 1",
        "the same",
        "ε = 1",
        top_labels(1),
        top_by_noisy_counts(1),
        NOISY_COUNTS,
        larger=True,
        before=".68",
    ),
    Task(
        "variance",
        "variance, mean in the middle of the bounds, 10,000 rows replaced",
        "ε = 1",
        spread(50),
        centered_spread(50),
        ROUGH_CENTER,
        before=".96",
    ),
    Task(
        "variance, quarter",
        "the same, mean at a quarter",
        "ε = 1",
        spread(25),
        centered_spread(25),
        ROUGH_CENTER,
        before=".96",
    ),
    Task(
        "variance, edge",
        "the same, mean at an edge",
        "ε = 1",
        spread(3),
        0.96,
        "no center, if one knew",
        before=".96",
        why="where the mean lies is not known beforehand: a center is paid for and does not help. Declare bounds "
        "around the values, not from zero",
    ),
    Task("covariance", "covariance in the middle", "ε = 1", joint, centered_joint, ROUGH_CENTER, before=".96"),
    Task(
        "correlation",
        "correlation of about a half, means in the middle",
        "ε = 1",
        together(50),
        centered_together(50),
        "rough centers first, then three sums",
    ),
    Task(
        "correlation, edge",
        "the same, means near an edge",
        "ε = 1",
        together(10),
        centered_together(10),
        "rough centers first, then three sums",
    ),
    Task(
        "percentile, linear",
        "99th percentile of lognormal(3, 2), bounds 10^6, 10,000 rows, as by default",
        "ε = 0.1",
        high_percentile("linear"),
        380.0,
        "logarithmic steps",
        figure=MEDIAN,
        before="4.3e5",
        why='most of the bounds lie above all values; `scale="log"`, the next row, is for columns whose owner says '
        "that values differ by powers of ten, and costs a little where they do not",
    ),
    Task(
        "percentile, log",
        'the same, scale="log"',
        "ε = 0.1",
        high_percentile("log"),
        380.0,
        "logarithmic steps",
        figure=MEDIAN,
        before="4.3e5",
    ),
    Task(
        "deciles",
        "deciles of 32,561 ages, mean of nine",
        "ε = 1",
        deciles,
        deciles_one_by_one,
        "steps of 1, each at ε/4",
        before=".27",
    ),
    Task(
        "interval",
        "interval for the median of 500 rows, N(50, 10), bounds (0, 100): width",
        "ε = 1, 95 %",
        interval_width(None),
        2.44,
        "1,024 points, ends moved out by half a step",
        before="5.9",
        why="2^16 points, not 1,024, because bounds are often far wider than the values, and 1,024 points then lie "
        'farther apart than the ends; with `step="0.1"`, the next row, there are 1,000',
    ),
    Task(
        "interval, step",
        'the same, step="0.1"',
        "ε = 1, 95 %",
        interval_width("0.1"),
        2.44,
        "1,024 points, ends moved out by half a step",
    ),
    Task(
        "cover",
        "the same: how often it holds the median",
        "ε = 1, 95 %",
        interval_cover,
        0.95,
        "what is promised",
        larger=True,
        before="1.00",
    ),
    Task(
        "ranges",
        "all ranges of 256 bins",
        "ε = 1",
        in_bins(256, data.range_error, epsilon=1),
        8.89,
        "a tree of 16 x 16, best weights of levels",
        figure=ROOT,
        before="11.7",
    ),
    Task(
        "ranges, rho",
        "all ranges of 1,024 bins",
        "ρ = 0.1",
        in_bins(1024, data.range_error, rho="0.1"),
        7.86,
        "the optimal factorization",
        figure=ROOT,
        before="9.5",
        runs=200,
    ),
    Task(
        "prefixes",
        "all prefix sums of 1,024 bins",
        "ε = 1",
        in_bins(1024, data.prefix_error, epsilon=1, best_for="prefixes"),
        10.91,
        "a tree of 4 x 16 x 16, best weights of levels",
        figure=ROOT,
    ),
    Task(
        "prefixes, rho",
        "all prefix sums of 1,024 bins",
        "ρ = 0.1",
        in_bins(1024, data.prefix_error, rho="0.1", best_for="prefixes"),
        6.61,
        "the optimal factorization",
        figure=ROOT,
        before="8.34",
    ),
    Task(
        "sparse",
        "300 of 10,000 bins filled, sum of all errors: thresholded",
        "ε = 1",
        sparse(lambda answer, _: answer.thresholded().value),
        sparse_above,
        "nothing below ln(bins) / ε",
    ),
    Task(
        "sparse, total",
        "the same, not negative and with the public total",
        "ε = 1",
        sparse(lambda answer, total: answer.with_total(total).value),
        sparse_above,
        "nothing below ln(bins) / ε",
        why="a view that keeps the total; `thresholded()`, the row above, is for bins of which most are empty",
    ),
)
