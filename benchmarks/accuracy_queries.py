"""Tasks in SQL: what Privet's answers err by, beside the best known algorithms."""

import math
from functools import lru_cache
from typing import Any

import accuracy_data as data
import numpy as np
import pyarrow as pa
from accuracy_data import Generator, Numbers
from accuracy_task import ROOT, Measure, Task

import privet

QUESTIONS = 100
PEOPLE = 20_000
SQL_RUNS = 100  # of statements with a hundred columns


def asked(columns: dict[str, Numbers], declared: dict[str, Any], text: str, **asking: Any) -> pa.Table:  # noqa: ANN401 - a price
    """The answer about one row of each unit."""
    rows = len(next(iter(columns.values())))
    table = pa.table({"id": np.arange(rows), **columns})
    catalog = privet.Catalog.of(
        table, table="t", unit="person", unit_column="id", limit=privet.Guarantee(10**6, "0.1"), columns=declared
    )
    return privet.connect(catalog).sql(text, **asking).table


def private_groups(random: Generator) -> float:
    text = "SELECT label, COUNT(*) AS n FROM t GROUP BY label"
    return float(len(asked({"label": data.groups(random)}, {"label": {}}, text, epsilon=1, delta=1e-5)))


def private_counts(random: Generator) -> float:
    column = data.groups(random)
    text = "SELECT label, COUNT(*) AS n FROM t GROUP BY label"
    found = asked({"label": column}, {"label": {}}, text, epsilon=1, delta=1e-5)
    counts = np.bincount(column, minlength=data.GROUPS)[np.array(found["label"].to_pylist(), dtype=np.int64)]
    return float(np.sqrt(np.mean((np.array(found["n"].to_pylist()) - counts) ** 2)))


@lru_cache(maxsize=4)
def named(epsilon: float, delta: float, most: int) -> Numbers:
    """How likely a group of each size is named at best (Desfontaines, Voss, Gipson and Mandayam 2022)."""
    chances = [0.0]
    for _ in range(most):
        last = chances[-1]
        chances.append(min(math.exp(epsilon) * last + delta, 1 - math.exp(-epsilon) * (1 - last - delta), 1.0))
    return np.array(chances)


def best_groups(random: Generator) -> float:
    counts = np.bincount(data.groups(random), minlength=data.GROUPS)
    return float((random.random(data.GROUPS) < named(1.0, 1e-5, int(counts.max()))[counts]).sum())


def average(draw: Any) -> Measure:  # noqa: ANN401 - a function of a generator
    def measure(random: Generator) -> float:
        column = draw(random)
        found = asked({"x": column}, {"x": {}}, "SELECT AVG(x) AS x FROM t", epsilon=1, automatic_bounds="0.2")
        return abs(float(found["x"][0].as_py()) - float(column.mean()))

    return measure


def conditions(nested: bool) -> Measure:  # noqa: FBT001 - which of two
    """A hundred counts by WHERE, of values 0 to 99, in one statement."""
    sign = "<=" if nested else "="
    text = ", ".join(f"COUNT(*) FILTER (WHERE x {sign} {value}) AS c{value}" for value in range(QUESTIONS))

    def measure(random: Generator) -> float:
        column = random.binomial(QUESTIONS - 1, 0.4, PEOPLE)
        found = asked({"x": column}, {"x": {"bounds": [0, QUESTIONS - 1]}}, f"SELECT {text} FROM t", epsilon=1)  # noqa: S608 - our own
        counts = np.bincount(column, minlength=QUESTIONS)
        truth = np.cumsum(counts) if nested else counts
        noisy = np.array([found[f"c{value}"][0].as_py() for value in range(QUESTIONS)], dtype=np.float64)
        return float(np.sqrt(np.mean((noisy - truth) ** 2)))

    return measure


TASKS = (
    Task(
        "groups",
        "GROUP BY of private labels with COUNT(*), one row a unit, 20,000 units, 5,000 labels, Zipf 1: groups shown",
        "ε = 1, δ = 1e-5",
        private_groups,
        best_groups,
        "the best of all selections, without counts",
        larger=True,
    ),
    Task(
        "group counts",
        "the same: error of the counts shown",
        "ε = 1, δ = 1e-5",
        private_counts,
        1.5,
        "named by the count itself",
        figure=ROOT,
        before="2.8",
    ),
    Task(
        "mean, normal",
        "AVG without bounds, N(1000, 10), 10,000 rows",
        "ε = 1",
        average(lambda random: random.normal(1000, 10, data.ROWS)),
        0.015,
        "a found range, extended, and a center",
        before=".197",
    ),
    Task(
        "mean, skewed",
        "the same, lognormal(3, 1)",
        "ε = 1",
        average(lambda random: data.skewed(random, 1)),
        0.07,
        "a found range, extended",
        before=".63",
    ),
    Task(
        "mean, very skewed",
        "the same, lognormal(3, 2)",
        "ε = 1",
        average(data.skewed),
        10.0,
        "a found range, extended",
        before="28",
    ),
    Task(
        "disjoint",
        "100 counts by conditions that exclude each other",
        "ε = 1",
        conditions(nested=False),
        1.41,
        "counts of cells",
        figure=ROOT,
        before="147",
        runs=SQL_RUNS,
    ),
    Task(
        "nested",
        "100 counts by conditions that contain each other",
        "ε = 1",
        conditions(nested=True),
        7.7,
        "sums of cells at two levels",
        figure=ROOT,
        before="150",
        runs=SQL_RUNS,
    ),
)
