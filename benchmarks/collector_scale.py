"""Ten billion reports a day over a thousand collectors: what it takes and what breaks first, with real tallies.

Each collector tallies its own reports; the tallies are added. The reports of a collector are drawn as what they add up
to (a multinomial of the protocol's exact channel), but for one, whose reports are really made, counted and timed.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parents[1]))
from privet.local import KaryResponse
from privet.local.tally import Tally

REPORTS = 10**10
DAY = 86_400
REALLY = 10**7
NONCE_ROW = 45  # bytes of a nonce's row in SQLite, with its share of pages: measured by benchmarks/collector.py's files


def true_shares(size: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    weights = 1 / np.arange(1, size + 1) ** 1.2
    return np.asarray(weights / weights.sum())


def drawn_tally(protocol: KaryResponse, people: int, shares: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Tally:
    """The tally of so many people's reports, drawn as a whole."""
    source = np.random.default_rng()
    p, q = float(protocol.true_support), float(protocol.other_support)
    counts = source.multinomial(people, q + (p - q) * shares)
    return Tally(protocol.config, people, counts.astype(np.int64))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--collectors", type=int, default=1000)
    parser.add_argument(
        "--a-second", type=float, default=2000, help="what one process takes: see benchmarks/collector.py"
    )
    asked = parser.parse_args()
    console = Console()
    protocol = KaryResponse(1000, 4)
    shares = true_shares(1000)
    begun = time.perf_counter()
    each = REPORTS // asked.collectors
    parts = [drawn_tally(protocol, each, shares) for _ in range(asked.collectors)]
    drawn = time.perf_counter() - begun
    begun = time.perf_counter()
    total = sum(parts[1:], parts[0])
    added = time.perf_counter() - begun
    begun = time.perf_counter()
    estimate = protocol.estimate(total)
    low, high = estimate.interval(0.95, simultaneous=True)
    estimated = time.perf_counter() - begun
    source = np.random.default_rng()
    values = source.choice(1000, size=REALLY, p=shares)
    begun = time.perf_counter()
    reports = protocol.privatize(values)
    made = time.perf_counter() - begun
    begun = time.perf_counter()
    protocol.tally(reports)
    tallied = time.perf_counter() - begun
    table = Table(title=f"{REPORTS:,} reports a day over {asked.collectors:,} collectors", title_justify="left")
    table.add_column("what")
    table.add_column("how much", justify="right")
    rate = REPORTS / DAY
    rows = [
        ("reports a second, on average", f"{rate:,.0f}"),
        ("processes at half of what one sustains", f"{2 * rate / asked.a_second:,.0f}"),
        ("bytes received a second (54 of body, about 400 with TLS)", f"{rate * 400 / 1e6:,.0f} MB"),
        ("nonces of one period, all collectors", f"{REPORTS * NONCE_ROW / 1e9:,.0f} GB"),
        ("nonces of one period, one collector", f"{each * NONCE_ROW / 1e6:,.0f} MB"),
        ("rows of counts, one collector (one a payload)", f"{len(shares):,}"),
        ("one tally, as JSON", f"{len(parts[0].to_json()) / 1024:,.1f} KiB"),
        (f"adding {asked.collectors:,} tallies", f"{1000 * added:,.1f} ms"),
        ("estimating 1,000 shares with intervals", f"{1000 * estimated:,.1f} ms"),
        (
            "shares inside of intervals that hold together",
            f"{int(((low <= shares) & (shares <= high)).sum()):,} of 1,000",
        ),
        ("standard error of a share", f"{float(estimate.standard_error.max()):.2g}"),
        (f"{REALLY:,} reports really made", f"{made:.2f} s"),
        ("and tallied", f"{tallied:.2f} s"),
        ("drawing the other tallies", f"{drawn:.2f} s"),
    ]
    for row in rows:
        table.add_row(*row)
    console.print(table)


if __name__ == "__main__":
    main()
