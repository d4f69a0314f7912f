"""Runs inside a peer's environment and prints seconds per value as one line of JSON."""

import json
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial


def best(work: Callable[[], object], repeats: int = 3) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def repeat(call: Callable[[float], object], value: float, times: int) -> None:
    for _ in range(times):
        call(value)


def opendp() -> dict[str, float]:
    warnings.simplefilter("ignore")
    import opendp.prelude as dp  # type: ignore[import-not-found]  # noqa: PLC0415 - only in the peer's environment

    dp.enable_features("contrib", "floating-point", "honest-but-curious")
    results = {}
    for name, make, vector_metric in (
        ("laplace", dp.m.make_laplace, dp.l1_distance),
        ("gaussian", dp.m.make_gaussian, dp.l2_distance),
    ):
        for kind, domain, zero in (
            ("float", dp.atom_domain(T=float, nan=False), 0.0),
            ("int", dp.atom_domain(T=int), 0),
        ):
            kind_type = type(zero)
            vector = make(dp.vector_domain(domain), vector_metric(T=kind_type), scale=10.0)
            size = 50_000
            results[f"{name} {kind} vector"] = best(partial(vector, [zero] * size)) / size
            scalar = make(domain, dp.absolute_distance(T=kind_type), scale=10.0)
            calls = 3_000
            results[f"{name} {kind} scalar"] = best(partial(repeat, scalar, zero, calls)) / calls
    return results


def pydp() -> dict[str, float]:
    from pydp.algorithms import numerical_mechanisms as mechanisms  # type: ignore[import-not-found]  # noqa: PLC0415

    calls = 200_000
    results = {}
    for name, mechanism in (
        ("laplace", mechanisms.LaplaceMechanism(0.1, 1.0)),
        ("gaussian", mechanisms.GaussianMechanism(0.5, 1e-6, 1.0)),
    ):
        results[name] = best(partial(repeat, mechanism.add_noise, 0.0, calls)) / calls
    return results


def diffprivlib() -> dict[str, float]:
    warnings.simplefilter("ignore")
    from diffprivlib import mechanisms  # type: ignore[import-not-found]  # noqa: PLC0415

    calls = 20_000
    results = {}
    for name, mechanism, value in (
        ("laplace float", mechanisms.Laplace(epsilon=0.1, sensitivity=1), 0.0),
        ("laplace int", mechanisms.Geometric(epsilon=0.1, sensitivity=1), 0),
        ("gaussian float", mechanisms.GaussianAnalytic(epsilon=0.5, delta=1e-6, sensitivity=1), 0.0),
        ("gaussian int", mechanisms.GaussianDiscrete(epsilon=0.5, delta=1e-6, sensitivity=1), 0),
    ):
        results[name] = best(partial(repeat, mechanism.randomise, value, calls)) / calls
    return results


if __name__ == "__main__":
    print(json.dumps({"opendp": opendp, "pydp": pydp, "diffprivlib": diffprivlib}[sys.argv[1]]()))
