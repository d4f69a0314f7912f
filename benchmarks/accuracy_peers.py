"""Runs inside the peers' environment: how far their answers are off, as one line of JSON. Argument: how many runs.

Each peer answers a task as its own documentation would have it, at the same privacy and on the same data: what it has
no function for is left out.
"""

import json
import sys
import warnings
from collections.abc import Callable
from typing import Any

import accuracy_data as data
import numpy as np
from accuracy_data import Generator, Numbers
from accuracy_task import MEAN, MEDIAN, ROOT, Measure, figure_of, runs_of

SLOW, OTHERS = 30, 200  # runs at most where one takes half a second, and else
CANDIDATES = 1001
THRESHOLD = 12  # the least for (1, 1e-5)
Asked = dict[str, tuple[str, dict[str, Measure]]]


def diffprivlib_tools() -> Any:  # noqa: ANN401 - a module without types
    from diffprivlib import tools  # type: ignore[import-not-found]  # noqa: PLC0415 - only in this environment

    return tools


def opendp() -> Any:  # noqa: ANN401 - a module without types
    import opendp.prelude as dp  # type: ignore[import-not-found]  # noqa: PLC0415 - only in this environment

    dp.enable_features("contrib", "honest-but-curious")
    return dp


def google() -> Any:  # noqa: ANN401 - a module without types
    from pydp.algorithms import laplacian  # type: ignore[import-not-found]  # noqa: PLC0415 - only in this environment

    return laplacian


def opendp_counts(counts: Numbers, scale: float) -> Numbers:
    dp = opendp()
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    return np.array((space >> dp.m.then_laplace(scale=scale))(counts.tolist()))


def top_opendp(epsilon: float) -> Measure:
    def measure(random: Generator) -> float:
        column = data.labels(random)
        noisy = opendp_counts(np.bincount(column, minlength=data.LABELS), 1 / epsilon)
        return data.overlap(column, np.argsort(-noisy)[: data.TOP])

    return measure


def top_diffprivlib(epsilon: float) -> Measure:
    def measure(random: Generator) -> float:
        column, edges = data.labels(random), np.arange(data.LABELS + 1)
        noisy = diffprivlib_tools().histogram(column, epsilon, bins=edges, range=(0, data.LABELS))[0]
        return data.overlap(column, np.argsort(-noisy)[: data.TOP])

    return measure


def variance_opendp(mean: float) -> Measure:
    def measure(random: Generator) -> float:
        dp, column = opendp(), data.spread(random, mean)
        space = dp.vector_domain(dp.atom_domain(bounds=(0.0, 100.0), nan=False), size=len(column))
        made = dp.t.make_variance(space, dp.symmetric_distance(), ddof=0)
        noisy = dp.binary_search_chain(lambda scale: made >> dp.m.then_laplace(scale), d_in=2, d_out=1.0)
        return abs(float(noisy(column)) - float(column.var()))

    return measure


def variance_diffprivlib(mean: float) -> Measure:
    def measure(random: Generator) -> float:
        column = data.spread(random, mean)
        found = diffprivlib_tools().var(column, epsilon=1, bounds=(0, 100))
        return abs(float(found) - float(column.var()))

    return measure


def variance_google(mean: float) -> Measure:
    def measure(random: Generator) -> float:
        column = data.spread(random, mean)
        asked = google().BoundedVariance(epsilon=1.0, lower_bound=0, upper_bound=100, dtype="float")
        return abs(float(asked.quick_result(column.tolist())) - float(column.var()))

    return measure


def percentile_opendp(random: Generator) -> float:
    dp, column = opendp(), data.skewed(random)
    candidates = np.linspace(0, 10**6, CANDIDATES)
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance()
    made = dp.binary_search_chain(
        lambda scale: dp.m.make_private_quantile(*space, dp.max_divergence(), candidates, 0.99, scale),
        d_in=1,
        d_out=0.1,
        bounds=(1e-3, 1e9),
    )
    return abs(float(made(column)) - float(np.quantile(column, 0.99)))


def percentile_diffprivlib(random: Generator) -> float:
    column = data.skewed(random)
    found = diffprivlib_tools().quantile(column, 0.99, epsilon=0.1, bounds=(0, 10**6))
    return abs(float(found) - float(np.quantile(column, 0.99)))


def percentile_google(random: Generator) -> float:
    column = data.skewed(random)
    asked = google().Percentile(epsilon=0.1, percentile=0.99, lower_bound=0, upper_bound=10**6, dtype="float")
    return abs(float(asked.quick_result(column.tolist())) - float(np.quantile(column, 0.99)))


def off_deciles(column: Numbers, found: list[float]) -> float:
    return float(np.abs(np.array(found) - np.quantile(column, data.DECILES, method="inverted_cdf")).mean())


def deciles_opendp(random: Generator) -> float:
    dp, column = opendp(), data.ages(random)
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()

    def one(place: float) -> float:
        made = dp.binary_search_chain(
            lambda scale: dp.m.make_private_quantile(*space, dp.max_divergence(), list(range(121)), place, scale),
            d_in=1,
            d_out=1 / len(data.DECILES),
            bounds=(1e-3, 1e9),
        )
        return float(made(column.tolist()))

    return off_deciles(column, [one(place) for place in data.DECILES])


def deciles_diffprivlib(random: Generator) -> float:
    column = data.ages(random)
    found = diffprivlib_tools().quantile(column, data.DECILES, epsilon=1, bounds=(0, 120))
    return off_deciles(column, np.asarray(found).tolist())


def deciles_google(random: Generator) -> float:
    column = data.ages(random)
    share = 1 / len(data.DECILES)
    asked = [
        google().Percentile(epsilon=share, percentile=place, lower_bound=0, upper_bound=120, dtype="float")
        for place in data.DECILES
    ]
    return off_deciles(column, [float(each.quick_result(column.astype(float).tolist())) for each in asked])


def tree_opendp(bins: int, error: Callable[[Numbers, Numbers], float], branching: int, rho: float | None) -> Measure:
    """A tree of counts made consistent, with its noise for ε = 1 or a ρ."""

    def measure(random: Generator) -> float:
        dp, column = opendp(), data.in_bins(random, bins)
        counts = np.histogram(column, bins=range(bins + 1))[0]
        metric = dp.l1_distance(T=int) if rho is None else dp.l2_distance(T=int)
        tree = dp.t.make_b_ary_tree(
            dp.vector_domain(dp.atom_domain(T=int)), metric, leaf_count=bins, branching_factor=branching
        )
        add = dp.m.then_laplace if rho is None else dp.m.then_gaussian
        noisy = dp.binary_search_chain(lambda scale: tree >> add(scale), d_in=1, d_out=rho or 1.0)
        consistent = dp.t.make_consistent_b_ary_tree(branching_factor=branching)
        return error(counts, np.array(consistent(noisy(counts.tolist()))[:bins]))

    return measure


def sparse_opendp(random: Generator) -> float:
    counts = data.sparse(random)
    return float(np.abs(np.maximum(opendp_counts(counts, 1.0), 0) - counts).sum())


def sparse_diffprivlib(random: Generator) -> float:
    counts = data.sparse(random)
    column, edges = np.repeat(np.arange(data.LABELS), counts), np.arange(data.LABELS + 1)
    noisy = diffprivlib_tools().histogram(column, 1.0, bins=edges, range=(0, data.LABELS))[0]
    return float(np.abs(noisy - counts).sum())


def groups_google(random: Generator) -> float:
    from pydp.algorithms import (  # noqa: PLC0415 - only in this environment
        partition_selection,
    )

    counts = np.bincount(data.groups(random), minlength=data.GROUPS)
    chosen = partition_selection.create_partition_strategy("truncated_geometric", 1.0, 1e-5, 1)
    return float(sum(chosen.should_keep(int(count)) for count in counts if count))


def groups_opendp(random: Generator) -> float:
    dp = opendp()
    names, counts = np.unique(data.groups(random), return_counts=True)
    space = dp.map_domain(dp.atom_domain(T=int), dp.atom_domain(T=int)), dp.l01inf_distance(dp.absolute_distance(T=int))
    made = space >> dp.m.then_laplace_threshold(scale=1.0, threshold=THRESHOLD)
    epsilon, delta = made.map((1, 1, 1))
    if epsilon > 1 + 1e-9 or delta > 1e-5:
        raise ValueError("the threshold is too low")
    return float(len(made(dict(zip(names.tolist(), counts.tolist(), strict=True)))))


def mean_google(draw: Callable[[Generator], Numbers]) -> Measure:
    """Without bounds: it finds them with half of ε."""

    def measure(random: Generator) -> float:
        column = draw(random)
        found = google().BoundedMean(epsilon=1.0, dtype="float").quick_result(column.tolist())
        return abs(float(found) - float(column.mean()))

    return measure


ASKED: Asked = {
    "groups": (MEAN, {"OpenDP": groups_opendp, "Google": groups_google}),
    "mean, normal": (MEAN, {"Google": mean_google(lambda random: random.normal(1000, 10, data.ROWS))}),
    "mean, skewed": (MEAN, {"Google": mean_google(lambda random: data.skewed(random, 1))}),
    "mean, very skewed": (MEAN, {"Google": mean_google(data.skewed)}),
    "top .1": (MEAN, {"OpenDP": top_opendp(0.1), "diffprivlib": top_diffprivlib(0.1)}),
    "top 1": (MEAN, {"OpenDP": top_opendp(1), "diffprivlib": top_diffprivlib(1)}),
    **{
        name: (
            MEAN,
            {"OpenDP": variance_opendp(at), "diffprivlib": variance_diffprivlib(at), "Google": variance_google(at)},
        )
        for name, at in (("variance", 50), ("variance, quarter", 25), ("variance, edge", 3))
    },
    "percentile, linear": (
        MEDIAN,
        {"OpenDP": percentile_opendp, "diffprivlib": percentile_diffprivlib, "Google": percentile_google},
    ),
    "deciles": (
        MEAN,
        {"OpenDP": deciles_opendp, "diffprivlib": deciles_diffprivlib, "Google": deciles_google},
    ),
    "ranges": (ROOT, {"OpenDP": tree_opendp(256, data.range_error, 16, None)}),
    "ranges, rho": (ROOT, {"OpenDP": tree_opendp(1024, data.range_error, 4, 0.1)}),
    "prefixes": (ROOT, {"OpenDP": tree_opendp(1024, data.prefix_error, 16, None)}),
    "prefixes, rho": (ROOT, {"OpenDP": tree_opendp(1024, data.prefix_error, 4, 0.1)}),
    "sparse": (MEAN, {"OpenDP": sparse_opendp, "diffprivlib": sparse_diffprivlib}),
}


def measured(runs: int) -> dict[str, dict[str, Any]]:
    """Of each task and peer: figure and standard error; or, in words, why there is none."""
    found: dict[str, dict[str, Any]] = {}
    for key, (figure, peers) in ASKED.items():
        found[key] = {}
        for peer, measure in peers.items():
            number = min(runs, SLOW if key.startswith("deciles") else OTHERS)
            try:
                found[key][peer] = figure_of(figure, runs_of(measure, number))
            except Exception as failure:  # noqa: BLE001 - a peer that fails is told of, not measured
                found[key][peer] = type(failure).__name__
                print(key, peer, failure, file=sys.stderr)
    return found


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(measured(int(sys.argv[1]))))
