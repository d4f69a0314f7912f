"""Local privacy beside its peers: 100,000 devices privatized and estimated; ten million reports tallied by an engine.

Run: python benchmarks/local.py. Peers are installed into .peers/ldp, with the versions of numpy and xxhash they need.
Each row is a whole collection: reports of all devices, tally and estimate. Times are of the processor. Errors are mean
squares over the values: of peers from one collection, of Privet the mean of three, unbiased and made consistent;
multi-freq-ldpy cuts off negative shares and rescales, so its error is to be compared with the latter.
"""

import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np
from numpy.typing import NDArray
from peers import best_of, run_peer
from rich.console import Console
from rich.table import Table

from privet.local import (
    AffineResponse,
    HadamardResponse,
    KaryResponse,
    ProjectiveGeometryResponse,
    SubsetSelection,
    UnaryEncoding,
    choose_frequency_protocol,
)
from privet.local.frequency_protocol import FrequencyProtocol

DEVICES = 100_000
TALLIED = 10_000_000
NEEDED = [
    "pure-ldp==1.2.0",
    "multi-freq-ldpy==0.2.5",
    "numpy==1.23.5",
    "xxhash==2.0.2",
    "scikit-learn",
    "statsmodels",
    "setuptools",
]
KINDS = {
    "kary": KaryResponse,
    "unary": UnaryEncoding,
    "subset": SubsetSelection,
    "affine": AffineResponse,
    "hadamard": HadamardResponse,
    "points": ProjectiveGeometryResponse,
}
PEERS = [
    ("pure-ldp", "kary"),
    ("pure-ldp", "unary"),
    ("pure-ldp", "hadamard"),
    ("multi-freq-ldpy", "kary"),
    ("multi-freq-ldpy", "unary"),
    ("multi-freq-ldpy", "subset"),
]


def zipf(size: int) -> NDArray[np.int64]:
    shares = 1 / np.arange(1, size + 1) ** 1.2
    return np.random.default_rng(5).choice(size, DEVICES, p=shares / shares.sum())


def collected(protocol: FrequencyProtocol, values: NDArray[np.int64]) -> tuple[float, float, float]:
    """Seconds of a whole collection, and the mean squared errors of three: unbiased, and consistent."""
    truth = np.bincount(values, minlength=len(protocol.categories)) / len(values)
    found = [protocol.estimate(protocol.privatize(values)) for _ in range(3)]
    errors = [[np.mean((each - truth) ** 2) for each in (one.value, one.consistent)] for one in found]
    plain, consistent = np.mean(errors, axis=0)
    return cpu_of(lambda: protocol.estimate(protocol.privatize(values)).value), float(plain), float(consistent)


def cpu_of(work: Callable[[], object]) -> float:
    """Seconds of the processor: other work on the machine counts less than in seconds of the clock."""
    times = []
    for _ in range(5):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def compare(console: Console, size: int, epsilon: float) -> None:
    values = zipf(size)
    table = Table(title=f"{DEVICES:,} devices, {size:,} values, ε = {epsilon:g}")
    for name in ("protocol", "Privet", "error", "consistent", "peer", "took", "its error", "faster"):
        table.add_column(name, justify="left" if name in {"protocol", "peer"} else "right")
    own = {name: collected(kind(size, epsilon), values) for name, kind in KINDS.items()}
    chosen = choose_frequency_protocol(size, epsilon).protocol
    own["chosen"] = collected(chosen, values)
    theirs: dict[tuple[str, str], tuple[float, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "values.npy"
        np.save(file, values)
        script = str(Path(__file__).parent / "local_peers.py")
        for peer, name in PEERS:
            said = json.loads(
                run_peer("ldp", NEEDED, [script, peer, name, str(size), str(epsilon), str(file)], console)[-1]
            )
            theirs[peer, name] = (said["seconds"], said["error"])
            row(table, name, own[name], f"{peer} {name}", theirs[peer, name])
    subset = theirs["multi-freq-ldpy", "subset"]  # the same idea, and of all peers the smallest error
    for name in ("affine", "points"):
        row(table, name, own[name], "multi-freq-ldpy subset", subset)
    for (peer, name), took in theirs.items():
        row(table, f"chosen: {type(chosen).__name__}", own["chosen"], f"{peer} {name}", took)
    console.print(table)


def row(table: Table, name: str, own: tuple[float, float, float], peer: str, theirs: tuple[float, float]) -> None:
    cells = (
        name,
        f"{1e3 * own[0]:,.1f} ms",
        f"{own[1]:.3g}",
        f"{own[2]:.3g}",
        peer,
        f"{1e3 * theirs[0]:,.0f} ms",
        f"{theirs[1]:.3g}",
    )
    table.add_row(*cells, f"{theirs[0] / own[0]:,.0f}x")


def tally(console: Console) -> None:
    protocol = KaryResponse(128, 1)
    reports = protocol.privatize(np.arange(TALLIED) % 128)
    engine = duckdb.connect()
    engine.register("given", {"report": reports})
    engine.execute("CREATE TABLE reports AS SELECT report::UTINYINT AS report FROM given")

    def tallied() -> object:
        rows = engine.execute(protocol.tally_sql("reports")).fetchnumpy()
        return protocol.estimate(protocol.tally(rows["report"], times=rows["times"])).interval()

    plain = best_of(lambda: engine.execute("SELECT report, COUNT(*) FROM reports GROUP BY report").fetchall())
    own = best_of(tallied)
    numpy_took = best_of(lambda: protocol.tally(reports), 3)
    console.print(
        f"{TALLIED:,} reports: tallied and estimated by DuckDB in {1e3 * own:,.1f} ms, {own / plain:.2f}x the plain "
        f"GROUP BY ({1e3 * plain:,.1f} ms); tallied by numpy in {1e3 * numpy_took:,.1f} ms"
    )


if __name__ == "__main__":
    screen = Console(width=140)
    for values_listed in (128, 1024):
        for cost in (1.0, 3.0):
            compare(screen, values_listed, cost)
    tally(screen)
