"""Workloads: what a hundred counts under conditions err by, beside the best of GROUP BY, hierarchies and Gaussian sums.

    .venv/bin/python benchmarks/workloads.py --runs 20

Every column is the root of the mean squared error of a count. GROUP BY releases cells, a hierarchy blocks of cells,
blocks of blocks and cells with the best weights of a grid, and Gaussian sums are those of
`privet.postprocessing.factorization`; all three are computed, not run, with the noise that the same price allows. Times
are of planning and answering, CPU: a batch of a hundred statements with WHERE beside one with a hundred columns.
"""

import argparse
import itertools
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

import privet
from privet.loss import GaussianCurve, PrivacyLoss, calibrated_scale
from privet.postprocessing.factorization import gaussian_strategy

PEOPLE = 20_000
MOST = 99  # the largest value
SEED = 20
SIZES = (4, 5, 8, 10, 12, 16, 20, 25, 33)
PARENTS = (0, 2, 4, 5)  # blocks in a block of the level above; 0: there is none
WEIGHTS = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0)
PRICES: dict[str, dict[str, Any]] = {"ε = 1": {"epsilon": 1}, "ε = 1, δ = 1e-6": {"epsilon": 1, "delta": "1e-6"}}
Bits = NDArray[np.bool_]


def overlapping(random: np.random.Generator) -> list[tuple[int, int]]:
    ends = np.sort(random.integers(0, MOST + 1, (100, 2)), axis=1)
    return [(int(low), int(high)) for low, high in ends]


def workloads() -> dict[str, list[tuple[int, int]]]:
    """The lowest and the highest value of each count."""
    random = np.random.default_rng(SEED)
    disjoint = [(value, value) for value in range(100)]
    nested = [(0, value) for value in range(100)]
    return {
        "disjoint": disjoint,
        "nested": nested,
        "overlapping": overlapping(random),
        "mixed": [*disjoint[::4], *nested[::4], *overlapping(random)[:50]],
    }


def levels(workload: NDArray[np.float64], *, gaussian: bool) -> float:
    """The least mean variance of hierarchies, for noise on a move of 1."""
    cells = workload.shape[1]
    products = workload.T @ workload
    best = np.inf
    for size, parents, low, high in itertools.product(SIZES, PARENTS, WEIGHTS, (0.0, *WEIGHTS)):
        if bool(parents) != bool(high):
            continue
        asked = [np.eye(cells), low * blocks(cells, size)]
        asked += [high * blocks(cells, size * parents)] if parents else []
        strategy = np.concatenate(asked)
        norm = (strategy**2).sum(axis=0).max() if gaussian else np.abs(strategy).sum(axis=0).max() ** 2
        best = min(best, norm * np.trace(np.linalg.solve(strategy.T @ strategy, products)) / len(workload))
    return float(best)


def blocks(cells: int, size: int) -> NDArray[np.float64]:
    return np.asarray(np.arange(cells) // size == np.arange(-(-cells // size))[:, None], dtype=np.float64)


def references(bits: Bits, price: str) -> dict[str, float]:
    """The errors of the three, at a price."""
    workload = np.unique(bits, axis=1).astype(np.float64)
    ordered = bits[:, np.sort(np.unique(bits, axis=1, return_index=True)[1])].astype(np.float64)
    ordered = ordered[:, ordered.any(axis=0)]
    found = {
        "GROUP BY": np.sqrt(2 * workload.sum(axis=1).mean()),
        "hierarchy": np.sqrt(2 * levels(ordered, gaussian=False)),
    }
    if "δ" in price:
        promise = privet.Guarantee(1, "1e-6")
        scale = calibrated_scale(lambda each: PrivacyLoss.of(GaussianCurve(1 / each)), promise)
        strategy = gaussian_strategy(ordered.astype(np.int64))
        length = float(strategy.moves(rows=1, replaced=False).l2)
        found["Gaussian"] = float(scale) * length * float(np.sqrt(strategy.variances(ordered).mean()))
    return {name: float(error) for name, error in found.items()}


def session_of(ages: NDArray[np.int64]) -> "privet.query.session.Session":
    table = pa.table({"id": np.arange(len(ages)), "age": ages})
    catalog = privet.Catalog.of(
        table,
        table="people",
        unit="person",
        unit_column="id",
        limit=privet.Guarantee(10**6, "0.5"),
        columns={"age": {"bounds": [0, MOST]}},
    )
    return privet.connect(catalog)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20)
    said = parser.parse_args(arguments)
    ages = np.random.default_rng(SEED).binomial(MOST, 0.4, PEOPLE)
    print("| 100 counts | price | GROUP BY | hierarchy | Gaussian | Privet | Privet / best | batch / statement, CPU |")
    print("|---|---|---|---|---|---|---|---|")
    for (name, asked), (price, spent) in itertools.product(workloads().items(), PRICES.items()):
        bits = np.array([[low <= value <= high for value in range(MOST + 1)] for low, high in asked])
        truth = bits @ np.bincount(ages, minlength=MOST + 1)
        errors, ratio = measured(ages, asked, truth, spent, said.runs)
        beside = references(bits, price)
        best = min(beside.values())
        figures = [f"{beside[each]:.2f}" if each in beside else "–" for each in ("GROUP BY", "hierarchy", "Gaussian")]
        cells = [name, price, *figures, f"{errors:.2f}", f"{errors / best:.2f}", f"{ratio:.2f}"]
        print(f"| {' | '.join(cells)} |", flush=True)


def measured(
    ages: NDArray[np.int64],
    asked: Sequence[tuple[int, int]],
    truth: NDArray[np.int64],
    spent: dict[str, Any],
    runs: int,
) -> tuple[float, float]:
    """What a batch errs by, and how long it takes beside one statement."""
    conditions = [f"age BETWEEN {low} AND {high}" for low, high in asked]
    one = ", ".join(f"COUNT(*) FILTER (WHERE {each}) AS n{place}" for place, each in enumerate(conditions))
    many = [f"SELECT COUNT(*) AS n FROM people WHERE {each}" for each in conditions]  # noqa: S608 - our own
    batch = statement = 0.0
    squares = []
    for run in range(runs):
        session = session_of(ages)
        session.sql("SELECT COUNT(*) FROM people", epsilon=1)
        start = time.process_time()
        session.sql(f"SELECT {one} FROM people", **spent)  # noqa: S608 - our own
        middle = time.process_time()
        answers = session.batch(many, **spent)
        if run:  # the first finds what is remembered
            statement += middle - start
            batch += time.process_time() - middle
        noisy = np.array([answer.rows[0]["n"] for answer in answers])
        squares.append(((noisy - truth) ** 2).mean())
    return float(np.sqrt(np.mean(squares))), batch / statement if statement else float("nan")


if __name__ == "__main__":
    main()
