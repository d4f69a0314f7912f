"""Runs inside the peers' environment: privatizes and estimates, and prints seconds and squared errors as JSON."""

import json
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

Server = tuple[Callable[[int], Any], Callable[[list[Any]], Any]]


def pure_ldp(name: str, size: int, epsilon: float) -> Server:
    """The client and the estimator of pure-ldp, whose values begin at 1."""
    from pure_ldp import frequency_oracles as oracles  # type: ignore[import-not-found]  # noqa: PLC0415

    if name == "unary":
        client, server = oracles.UEClient(epsilon, size, True), oracles.UEServer(epsilon, size, True)  # noqa: FBT003
    elif name == "hadamard":
        server = oracles.HadamardResponseServer(epsilon, size)
        client = oracles.HadamardResponseClient(epsilon, size, server.get_hash_funcs())
    else:
        client, server = oracles.DEClient(epsilon, size), oracles.DEServer(epsilon, size)

    def estimate(reports: list[Any]) -> Any:  # noqa: ANN401 - numpy's
        server.aggregate_all(reports)
        return np.asarray(server.estimate_all(range(1, size + 1), suppress_warnings=True)) / len(reports)

    return lambda value: client.privatise(value + 1), estimate


def multi_freq(name: str, size: int, epsilon: float) -> Server:
    """The client and the estimator of multi-freq-ldpy."""
    from multi_freq_ldpy.pure_frequency_oracles import GRR, SS, UE  # type: ignore[import-not-found]  # noqa: PLC0415

    if name == "unary":
        return lambda value: UE.UE_Client(value, size, epsilon, True), lambda reports: UE.UE_Aggregator_MI(  # noqa: FBT003
            np.asarray(reports),
            epsilon,
            True,  # noqa: FBT003
        )
    if name == "subset":
        return lambda value: SS.SS_Client(value, size, epsilon), lambda reports: SS.SS_Aggregator_MI(
            reports, size, epsilon
        )
    return lambda value: GRR.GRR_Client(value, size, epsilon), lambda reports: GRR.GRR_Aggregator_MI(
        np.asarray(reports), size, epsilon
    )


def measured(kind: str, name: str, size: int, epsilon: float, file: str) -> dict[str, float]:
    values = np.load(file)
    client, estimate = (pure_ldp if kind == "pure-ldp" else multi_freq)(name, size, epsilon)
    estimate([client(int(value)) for value in values[:50]])  # what is compiled at first is not measured
    client, estimate = (pure_ldp if kind == "pure-ldp" else multi_freq)(name, size, epsilon)
    start = time.process_time()
    found = estimate([client(int(value)) for value in values])
    seconds = time.process_time() - start
    truth = np.bincount(values, minlength=size) / len(values)
    return {"seconds": seconds, "error": float(np.mean((np.asarray(found) - truth) ** 2))}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    kind, name, size, epsilon, file = sys.argv[1:]
    print(json.dumps(measured(kind, name, int(size), float(epsilon), file)))
