"""Speed and tightness of the loss room beside dp-accounting and prv-accountant, in one run.

The peers live in .peers/, one virtual environment each, made on the first run. Every job is timed cold: Privet's
memories are cleared before each repetition, and the best of the repetitions counts, for everyone.
"""

import json
import math
import time
from collections.abc import Callable

from peers import run_peer
from rich.console import Console

from privet.loss import (
    GaussianCurve,
    LaplaceCurve,
    PrivacyLoss,
    RandomizedResponseCurve,
)
from privet.loss.pricing import composition, figures, grid, grid_layout

DELTA = 1e-6
REPEATS = 7
of = PrivacyLoss.of

GAUSSIANS = "10,000 Gaussians, sigma 100"
STEPS = "10,000 steps, sigma 1, rate 0.01"
LAPLACES = "1,000 Laplace, scale 20"
MIXED = "20 Laplace + 20 Gaussian + 10 responses"
GROWING = "50 spends, priced after each"


def gaussians() -> float:
    return (of(GaussianCurve("0.01")) * 10_000).epsilon(DELTA)


def steps() -> float:
    return (of(GaussianCurve(1)).sampled("0.01") * 10_000).epsilon(DELTA)


def laplaces() -> float:
    return (of(LaplaceCurve("0.05")) * 1_000).epsilon(DELTA)


def mixed() -> float:
    loss = PrivacyLoss()
    for i in range(20):
        loss += of(LaplaceCurve(1 / (10 + 2 * i))) + of(GaussianCurve(1 / (10 + 2 * i)))
    for i in range(10):
        loss += of(RandomizedResponseCurve.truthful(1 / (1 + math.exp(-0.05 - 0.01 * i))))
    return loss.epsilon(DELTA)


def growing() -> float:
    loss = PrivacyLoss()
    epsilon = 0.0
    for i in range(50):
        loss += of(LaplaceCurve(1 / (20 + i)))
        epsilon = loss.epsilon(DELTA)
    return epsilon


JOBS: dict[str, Callable[[], float]] = {
    GAUSSIANS: gaussians,
    STEPS: steps,
    LAPLACES: laplaces,
    MIXED: mixed,
    GROWING: growing,
}
# what Privet must reach: largest epsilon, times faster, than which peer job
TARGETS = {
    GAUSSIANS: (4.88656, 10, "interval 1e-3"),
    STEPS: (6.9080, 5, "interval 1e-4"),
    LAPLACES: (8.2046, 5, "interval 1e-4"),
    MIXED: (1.7985, 5, "interval 1e-4"),
    GROWING: (math.inf, 5, "interval 1e-4"),
}

TIMED = """
import json, math, time, warnings
warnings.filterwarnings("ignore")
def timed(job, how, run, repeats=3):
    best = math.inf
    try:
        for _ in range(repeats):
            start = time.perf_counter(); value = run(); best = min(best, time.perf_counter() - start)
    except Exception as problem:
        print(json.dumps({"job": job, "how": how, "seconds": None, "epsilon": None, "failed": str(problem)}))
        return
    print(json.dumps({"job": job, "how": how, "seconds": best, "epsilon": float(value)}), flush=True)
"""

DP_ACCOUNTING = f"""
import dp_accounting as da
from dp_accounting import pld
from dp_accounting.pld import privacy_loss_distribution as P
composed = da.SelfComposedDpEvent
EVENTS = {{
    {GAUSSIANS!r}: composed(da.GaussianDpEvent(100.0), 10_000),
    {STEPS!r}: composed(da.PoissonSampledDpEvent(0.01, da.GaussianDpEvent(1.0)), 10_000),
    {LAPLACES!r}: composed(da.LaplaceDpEvent(20.0), 1_000),
}}
def price(event, interval):
    accountant = pld.PLDAccountant(da.NeighboringRelation.ADD_OR_REMOVE_ONE, value_discretization_interval=interval)
    return accountant.compose(event).get_epsilon({DELTA})
def mixed(interval):
    known = dict(value_discretization_interval=interval)
    parts = [P.from_laplace_mechanism(10.0 + 2 * i, **known) for i in range(20)]
    parts += [P.from_gaussian_mechanism(10.0 + 2 * i, **known) for i in range(20)]
    parts += [P.from_randomized_response(2 / (1 + math.exp(0.05 + 0.01 * i)), 2, **known) for i in range(10)]
    total = parts[0]
    for part in parts[1:]:
        total = total.compose(part)
    return total.get_epsilon_for_delta({DELTA})
def growing(interval):
    accountant = pld.PLDAccountant(value_discretization_interval=interval)
    for i in range(50):
        accountant.compose(da.LaplaceDpEvent(20.0 + i)); epsilon = accountant.get_epsilon({DELTA})
    return epsilon
for interval in (1e-4, 1e-3):
    how = "interval " + ("1e-4" if interval == 1e-4 else "1e-3")
    for job, event in EVENTS.items():
        timed(job, how, lambda: price(event, interval))
    timed({MIXED!r}, how, lambda: mixed(interval))
    timed({GROWING!r}, how, lambda: growing(interval))
"""

PRV_ACCOUNTANT = f"""
from prv_accountant import PRVAccountant
from prv_accountant.privacy_random_variables import (
    GaussianMechanism, LaplaceMechanism, PoissonSubsampledGaussianMechanism, PureDPMechanism)
def price(mechanisms, counts, error):
    accountant = PRVAccountant(prvs=mechanisms, max_self_compositions=counts, eps_error=error, delta_error=1e-9)
    return accountant.compute_epsilon(delta={DELTA}, num_self_compositions=counts)[2]
many = [LaplaceMechanism(mu=1 / (10 + 2 * i)) for i in range(20)]
many += [GaussianMechanism(10.0 + 2 * i) for i in range(20)] + [PureDPMechanism(0.05 + 0.01 * i) for i in range(10)]
for error in (0.1, 0.01):
    how = f"error {{error}}, upper end"
    timed({GAUSSIANS!r}, how, lambda: price([GaussianMechanism(100.0)], [10_000], error))
    timed({STEPS!r}, how, lambda: price([PoissonSubsampledGaussianMechanism(0.01, 1.0)], [10_000], error))
    timed({LAPLACES!r}, how, lambda: price([LaplaceMechanism(mu=1 / 20)], [1_000], error))
    timed({MIXED!r}, how, lambda: price(many, [1] * 50, error), repeats=1)
"""

Row = dict[str, object]


def peer(name: str, release: str, script: str, console: Console) -> list[Row]:
    """What a peer answers, from its own environment."""
    lines = run_peer(name, [f"{name}=={release}"], ["-c", TIMED + script], console)
    return [{"who": name, **json.loads(line)} for line in lines]


def forget() -> None:
    """Clear everything Privet remembers between readings."""
    for room in (composition, grid_layout, grid, figures):
        for memory in vars(room).values():
            if hasattr(memory, "cache_clear"):
                memory.cache_clear()
    vars(composition)["_products"].clear()


def privet() -> list[Row]:
    rows: list[Row] = []
    for job, work in JOBS.items():
        best, value = math.inf, math.nan
        for _ in range(REPEATS):
            forget()
            start = time.perf_counter()
            value = work()
            best = min(best, time.perf_counter() - start)
        rows.append({"who": "privet", "job": job, "how": "cold", "seconds": best, "epsilon": value})
    return rows


def main() -> None:
    console = Console()
    dp_accounting = peer("dp-accounting", "0.6.0", DP_ACCOUNTING, console)
    prv_accountant = peer("prv-accountant", "0.2.0", PRV_ACCOUNTANT, console)
    rows = [*privet(), *dp_accounting, *prv_accountant]
    print("| work (δ=1e-6) | who | how | ε | ms |\n|---|---|---|--:|--:|")
    for job in JOBS:
        for row in rows:
            if row["job"] == job:
                known = isinstance(row["seconds"], float)
                numbers = f"{row['epsilon']:.6f} | {1e3 * float(str(row['seconds'])):.2f}" if known else "failed | –"
                print(f"| {job} | {row['who']} | {row['how']} | {numbers} |")
    print()
    for job, (largest, factor, rival) in TARGETS.items():
        ours = next(row for row in rows if row["job"] == job and row["who"] == "privet")
        theirs = next(row for row in rows if row["job"] == job and row["how"] == rival)
        faster = float(str(theirs["seconds"])) / float(str(ours["seconds"]))
        tight = float(str(ours["epsilon"])) <= largest
        verdict = "met" if tight and faster >= factor else "MISSED"
        print(
            f"{verdict}: {job}: ε {ours['epsilon']:.6f} (at most {largest}), {faster:.1f}x faster (at least {factor}x)"
        )


if __name__ == "__main__":
    main()
