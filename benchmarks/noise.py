"""How fast exact noise is, beside numpy's unsafe noise and the peers' safe noise, on one core, in one run."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
from peers import Row, best_of, duration, run_peer, show
from rich.console import Console
from rich.table import Table
from scipy.stats import spearmanr

from privet.mechanisms import Gaussian
from privet.noise import (
    CategoricalLaw,
    DiscreteGaussianLaw,
    DiscreteLaplaceLaw,
    Entropy,
    GaussianLaw,
    LaplaceLaw,
    Law,
)
from privet.noise.lazy import RADIUS, midpoints

N = 1_000_000
SCRIPT = str(Path(__file__).with_name("noise_peers.py"))
ENTROPY = Entropy()


def per_value(law: Law) -> float:
    return best_of(partial(law.many, ENTROPY, N)) / N


def per_single_value(law: Law, draws: int = 2_000) -> float:
    return best_of(lambda: [law.one(ENTROPY) for _ in range(draws)]) / draws


def unsafe_rows(numpy_laplace: float, numpy_normal: float) -> list[Row]:
    rows = []
    for scale in (1, 10, 2**20):
        for law, peer, theirs, times in (
            (LaplaceLaw(scale), "laplace", numpy_laplace, 2),
            (GaussianLaw(scale), "normal", numpy_normal, 1.5),
            (DiscreteLaplaceLaw(scale), "laplace", numpy_laplace, 4),
            (DiscreteGaussianLaw(scale), "normal", numpy_normal, 4),
        ):
            rows.append(Row.at_most(repr(law), per_value(law), f"numpy {peer} (unsafe)", theirs, times=times))
    return rows


def array_rows() -> list[Row]:
    """Noise for one step of training: 101,770 weights, alone and on two threads."""
    size = 101_770
    generator = np.random.default_rng(1)
    values = generator.normal(size=size)
    mechanism, centers = Gaussian(1, scale=1), values * 2.0**25
    theirs = best_of(lambda: generator.normal(0.0, 1.0, size) + values) / size
    alone = best_of(lambda: mechanism.sample(values, ENTROPY)) / size
    sources = [ENTROPY, Entropy()]
    with ThreadPoolExecutor(2) as pool:
        both = best_of(lambda: list(pool.map(partial(mechanism.sample, values), sources))) / (2 * size)
    law = GaussianLaw(2**24)
    peer = "numpy normal + values (unsafe)"
    return [
        Row.at_most("Gaussian.sample, 101,770 floats", alone, peer, theirs, times=1.5),
        Row.at_most("… on two threads", both, "on one", alone, times=1),
        Row.at_most(f"{law!r}.around", best_of(lambda: law.around(ENTROPY, centers)) / size, peer, theirs, times=1.5),
    ]


def peer_rows(opendp: dict[str, float], pydp: dict[str, float]) -> list[Row]:
    rows = []
    laws: list[tuple[str, str, Law]] = [
        ("laplace", "float", LaplaceLaw(10)),
        ("laplace", "int", DiscreteLaplaceLaw(10)),
        ("gaussian", "float", GaussianLaw(10)),
        ("gaussian", "int", DiscreteGaussianLaw(10)),
    ]
    for name, kind, law in laws:
        seconds = per_value(law)
        rows.append(
            Row.faster(repr(law), seconds, f"OpenDP, {kind} vector", opendp[f"{name} {kind} vector"], times=200)
        )
        if kind == "float":
            rows.append(Row.faster(repr(law), seconds, "PyDP", pydp[name], times=60))
        theirs = opendp[f"{name} {kind} scalar"]
        rows.append(Row.faster(f"{law!r}, one", per_single_value(law), f"OpenDP, one {kind}", theirs, times=5))
    return rows


def categorical_row() -> Row:
    generator = np.random.default_rng(1)
    scores = generator.normal(0.0, 100.0, N)
    gumbel = best_of(lambda: int(np.argmax(scores / 2 + generator.gumbel(size=N))))
    ours = best_of(lambda: CategoricalLaw(scores, rate=Fraction(1, 2)).one(ENTROPY))
    return Row.at_most("CategoricalLaw, 10^6 candidates", ours, "numpy Gumbel-max (unsafe)", gumbel, times=5)


def undecided_share(law: LaplaceLaw | DiscreteLaplaceLaw | GaussianLaw, n: int = 4_000_000) -> float:
    """The share of values that float64 could not decide and that went to ball arithmetic."""
    words = ENTROPY.words(2 * n)
    with np.errstate(divide="ignore"):
        if isinstance(law, GaussianLaw):
            _, undecided = law.decide(midpoints(words[:n]), midpoints(words[n:]), RADIUS)
        else:
            _, undecided = law.decide(midpoints(words), RADIUS)
    return float(np.mean(undecided))


def show_undecided(console: Console) -> None:
    table = Table(title="undecided by float64, refined by ball arithmetic (share of values)", title_justify="left")
    table.add_column("scale in lattice steps")
    for law in (LaplaceLaw, DiscreteLaplaceLaw, GaussianLaw):
        table.add_column(law.__name__, justify="right")
    for exponent in (0, 10, 20, 30):
        laws = (LaplaceLaw(2**exponent), DiscreteLaplaceLaw(2**exponent), GaussianLaw(2**exponent))
        table.add_row(f"2^{exponent}", *(f"{undecided_share(law):.2g}" for law in laws))
    console.print(table)


def timing_correlation(law: Law, draws: int = 20_000) -> tuple[float, float, float]:
    """Rank correlation of the time of single draws with |noise|, its p-value, and the median time."""
    times, noise = [], []
    for _ in range(draws):
        start = time.perf_counter_ns()
        value = law.one(ENTROPY)
        times.append(time.perf_counter_ns() - start)
        noise.append(abs(value))
    result = spearmanr(times, noise)
    return float(result.statistic), float(result.pvalue), float(np.median(times)) * 1e-9


def show_timing(console: Console) -> None:
    table = Table(title="does the time of a single draw tell |noise|? (20,000 draws each)", title_justify="left")
    for column in ("law", "median", "rank correlation", "p-value"):
        table.add_column(column, justify="left" if column == "law" else "right")
    for law in (LaplaceLaw(10), DiscreteLaplaceLaw(10), GaussianLaw(10), DiscreteGaussianLaw(10)):
        correlation, p_value, median = timing_correlation(law)
        table.add_row(repr(law), duration(median), f"{correlation:+.4f}", f"{p_value:.2g}")
    console.print(table)


def main() -> None:
    console = Console(width=150)
    opendp = json.loads(run_peer("opendp", ["opendp==0.16.0", "numpy"], [SCRIPT, "opendp"], console)[-1])
    pydp = json.loads(run_peer("pydp", ["python-dp==1.1.5", "numpy"], [SCRIPT, "pydp"], console)[-1])
    generator = np.random.default_rng(1)
    with console.status("measuring Privet and numpy"):
        laplace = best_of(lambda: generator.laplace(0.0, 10.0, N)) / N
        normal = best_of(lambda: generator.normal(0.0, 10.0, N)) / N
        rows = [*unsafe_rows(laplace, normal), *array_rows(), *peer_rows(opendp, pydp), categorical_row()]
    show(f"noise: time per value, best of several runs, vectors of {N:,}", rows, console)
    show_undecided(console)
    show_timing(console)


if __name__ == "__main__":
    main()
