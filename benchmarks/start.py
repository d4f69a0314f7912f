"""How long it takes to begin: `import privet`, a statement that is asked again, and noise for a million numbers."""

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from peers import Row, best_of, show
from rich.console import Console

import privet
from privet.loss import Guarantee
from privet.mechanisms import Gaussian
from privet.noise import Entropy
from privet.query.catalog import Catalog

N = 1_000_000
ROWS = 1_000
ASKED = 200
STATEMENTS = {
    "COUNT": "SELECT COUNT(*) AS n FROM people",
    "COUNT, SUM and AVG by city": "SELECT city, COUNT(*) AS n, SUM(pay) AS s, AVG(pay) AS a FROM people GROUP BY city",
    "MEDIAN by city": "SELECT city, MEDIAN(pay) AS m FROM people GROUP BY city",
}
SOON = 0.008  # seconds for a statement that is asked again


def importing(text: str) -> float:
    return best_of(partial(subprocess.run, [sys.executable, "-c", text], check=True), 7)


def import_rows() -> list[Row]:
    numpy = importing("import numpy, scipy.special")
    beside = "import numpy, scipy.special"
    return [
        Row.at_most("import privet", importing("import privet"), beside, numpy, times=2),
        Row.at_most("import privet, and a statistic", importing("import privet; privet.mean"), beside, numpy, times=4),
        Row.at_most("import privet, and connect", importing("import privet; privet.connect"), beside, numpy, times=6),
    ]


def statement_rows() -> list[Row]:
    """The ledger is in memory: one on disk adds what the disk takes to write, about which `ledger.py` tells."""
    draw = np.random.default_rng(1)
    cities = [f"city{number}" for number in range(10)]
    people = pa.table(
        {"id": draw.integers(0, ROWS // 4, ROWS), "city": draw.choice(cities, ROWS), "pay": draw.uniform(0, 1e5, ROWS)}
    )
    columns: dict[str, dict[str, Any]] = {
        "city": {"type": "text", "values": cities},
        "pay": {"type": "real", "bounds": [0, 100_000]},
    }
    catalog = Catalog.of(
        people,
        table="people",
        unit="person",
        unit_column="id",
        limit=Guarantee(10**9),
        columns=columns,
        rows_per_unit=4,
    )
    with privet.connect(catalog) as session:
        return [
            Row.at_most(
                f"{name}, {ROWS:,} rows, asked again",
                _median(partial(session.sql, text, epsilon=1)),
                "8 ms",
                SOON,
                times=1,
            )
            for name, text in STATEMENTS.items()
        ]


def _median(work: Callable[[], object]) -> float:
    times = []
    for _ in range(ASKED):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def noise_rows() -> list[Row]:
    draw = np.random.default_rng(1)
    source = Entropy()
    rows = []
    for scale, values in ((1, draw.random(N)), (10, draw.normal(0, 1e5, N)), (1e4, draw.uniform(-1e9, 1e9, N))):
        numpy = best_of(partial(draw.normal, 0.0, scale, N)) / N
        ours = best_of(partial(Gaussian(1, scale).sample, values, source)) / N
        rows.append(
            Row.at_most(f"Gaussian(1, {scale:g}).sample, a number", ours, "numpy normal (unsafe)", numpy, times=2.5)
        )
    return rows


def main() -> None:
    console = Console(width=150)
    with console.status("measuring"):
        rows = [*import_rows(), *statement_rows(), *noise_rows()]
    show("to begin: fastest of several runs; of statements, the median", rows, console)


if __name__ == "__main__":
    main()
