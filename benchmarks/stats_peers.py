"""Runs inside a peer's environment: seconds and errors of its statistics, as one line of JSON.

Arguments: the peer's name, the number of rows to time, the number of rows and of repeats for errors.
"""

import json
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

LOW, HIGH = 0.0, 100.0
EDGES = np.linspace(LOW, HIGH, 11)
EPSILON = 1.0
CANDIDATES = 1001  # of a quantile, where a peer wants them listed


def column(rows: int, seed: int = 7) -> Any:  # noqa: ANN401 - an array
    """The same numbers in every environment."""
    return np.random.default_rng(seed).beta(2, 5, rows) * 100


def best(work: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def plain(x: Any, high: Any) -> dict[str, Any]:  # noqa: ANN401 - arrays
    """The noise-free answers."""
    return {
        "count": int(np.count_nonzero(high)),
        "mean": float(x.mean()),
        "variance": float(x.var()),
        "histogram": np.histogram(x, EDGES)[0].astype(float),
        "quantile": float(np.quantile(x, 0.5)),
    }


def diffprivlib(x: Any, high: Any) -> dict[str, Callable[[], Any]]:  # noqa: ANN401 - arrays
    from diffprivlib import tools  # type: ignore[import-not-found]  # noqa: PLC0415 - only in the peer's environment
    from diffprivlib.accountant import (  # type: ignore[import-not-found]  # noqa: PLC0415 - the same
        BudgetAccountant,
    )

    how = {"epsilon": EPSILON, "accountant": BudgetAccountant()}
    bounds = {"bounds": (LOW, HIGH), **how}
    return {
        "count": lambda: tools.count_nonzero(high, **how),
        "mean": lambda: tools.mean(x, **bounds),
        "variance": lambda: tools.var(x, **bounds),
        "histogram": lambda: tools.histogram(x, bins=EDGES, range=(LOW, HIGH), **how)[0],
        "quantile": lambda: tools.quantile(x, 0.5, **bounds),
    }


def opendp(x: Any, high: Any) -> dict[str, Callable[[], Any]]:  # noqa: ANN401 - arrays
    import opendp.prelude as dp  # type: ignore[import-not-found]  # noqa: PLC0415 - only in the peer's environment

    dp.enable_features("contrib", "floating-point", "honest-but-curious")
    rows = len(x)
    truths, numbers = np.asarray(high).tolist(), np.asarray(x).tolist()
    bools = dp.vector_domain(dp.atom_domain(T=bool)), dp.symmetric_distance()
    sized = dp.vector_domain(dp.atom_domain(T=float, nan=False), size=rows), dp.symmetric_distance()
    free = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance()

    def fitted(chain: Callable[[float], Any], moved: int) -> Any:  # noqa: ANN401 - a measurement
        return chain(dp.binary_search_param(chain, d_in=moved, d_out=EPSILON))

    count = fitted(
        lambda scale: bools >> dp.t.then_count_by_categories([True], null_category=False) >> dp.m.then_laplace(scale), 1
    )
    clamp = sized >> dp.t.then_clamp((LOW, HIGH))
    mean = fitted(lambda scale: clamp >> dp.t.then_mean() >> dp.m.then_laplace(scale), 2)
    variance = fitted(lambda scale: clamp >> dp.t.then_variance() >> dp.m.then_laplace(scale), 2)
    bins = free >> dp.t.then_find_bin(EDGES.tolist())
    cells = list(range(len(EDGES) + 1))
    histogram = fitted(lambda scale: bins >> dp.t.then_count_by_categories(cells) >> dp.m.then_laplace(scale), 1)
    candidates = np.linspace(LOW, HIGH, CANDIDATES).tolist()
    scores = free >> dp.t.then_quantile_score_candidates(candidates, 0.5)
    quantile = fitted(lambda scale: scores >> dp.m.then_noisy_max(dp.max_divergence(), scale, negate=True), 1)
    return {
        "count": lambda: count(truths)[0],
        "mean": lambda: mean(numbers),
        "variance": lambda: variance(numbers),
        "histogram": lambda: np.array(histogram(numbers)[1:11]),
        "quantile": lambda: candidates[quantile(numbers)],
    }


PEERS = {"diffprivlib": diffprivlib, "opendp": opendp}


def errors_of(make: Callable[..., dict[str, Callable[[], Any]]], rows: int, repeats: int) -> dict[str, float]:
    """Mean absolute errors over ten columns and some repeats of each."""
    found: dict[str, list[float]] = {}
    for seed in range(10):
        x = column(rows, seed)
        exact = plain(x, x > 50)
        for statistic, ask in make(x, x > 50).items():
            answers = [np.asarray(ask(), dtype=float) for _ in range(repeats // 10)]
            found.setdefault(statistic, []).extend(float(np.mean(np.abs(each - exact[statistic]))) for each in answers)
    return {statistic: float(np.mean(errors)) for statistic, errors in found.items()}


def measured(name: str, rows: int, few: int, repeats: int) -> dict[str, dict[str, float]]:
    """Seconds for many rows, and mean absolute errors over repeats for few."""
    x = column(rows)
    seconds = {statistic: best(ask, 3) for statistic, ask in PEERS[name](x, x > 50).items()}
    return {"seconds": seconds, "errors": errors_of(PEERS[name], few, repeats)}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(measured(sys.argv[1], *map(int, sys.argv[2:5]))))
