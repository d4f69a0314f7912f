"""What DP-SGD costs by Privet and by its peers, and how long each takes to say so, in one run.

The points are those of tests/golden/trainings.csv; with --write, the peers' answers are stored there again. Times are
ratios: how many times as long as Privet a peer takes for all points together. Privet forgets everything before each.
"""

import argparse
import csv
import json
import time
from pathlib import Path

from loss import forget
from peers import run_peer
from rich.console import Console
from rich.table import Table

from privet.loss import Guarantee, training, training_loss, training_scale

POINTS = Path(__file__).parents[1] / "tests" / "golden" / "trainings.csv"
SCRIPT = Path(__file__).parent / "training_peers.py"
PEERS = {
    "dp-accounting": ["dp-accounting==0.6.0"],
    "prv-accountant": ["prv-accountant==0.2.0"],
    "opacus": ["opacus==1.6.0"],
}
KNOWN = ("rate", "noise", "steps", "delta")
WAYS = ("pld_low", "prv_low", "pld_high", "prv_high", "opacus_prv", "opacus_rdp")
Point = dict[str, str]


def answered(points: list[Point], console: Console) -> dict[str, float]:
    """Write the peers' answers into the points, and return the seconds of each way."""
    seconds = dict.fromkeys(WAYS, 0.0)
    for peer, requirements in PEERS.items():
        for line in run_peer(peer, requirements, [str(SCRIPT), peer, str(POINTS)], console):
            found = json.loads(line)
            way, epsilon = found["way"], found["epsilon"]
            points[found["point"]][way] = "" if epsilon is None else f"{epsilon:.9g}"
            seconds[way] += found["seconds"]
    return seconds


def priced(point: Point) -> tuple[float, float]:
    """Privet's epsilon, and the seconds it took."""
    forget()
    start = time.perf_counter()
    loss = training_loss(point["noise"], rate=point["rate"], steps=int(point["steps"]))
    epsilon = loss.epsilon(float(point["delta"]))
    return epsilon, time.perf_counter() - start


def calibrated(point: Point) -> float:
    """The seconds for the least noise at epsilon 2."""
    forget()
    vars(training)["_least_scale"].cache_clear()
    start = time.perf_counter()
    training_scale(rate=point["rate"], steps=int(point["steps"]), promise=Guarantee(2, point["delta"]))
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="store the peers' answers")
    write = parser.parse_args().write
    console = Console(width=180)
    points = list(csv.DictReader(POINTS.read_text(encoding="utf-8").splitlines()))
    seconds = answered(points, console)
    table = Table(title="ε of DP-SGD", title_justify="left")
    for column in (*KNOWN, "Privet", *WAYS, "ms", "noise for ε = 2, ms"):
        table.add_column(column, justify="right")
    total = 0.0
    for point in points:
        epsilon, took = priced(point)
        total += took
        row = (*(point[name] for name in KNOWN), f"{epsilon:.6g}", *(f"{float(point[way]):.6g}" for way in WAYS))
        table.add_row(*row, f"{1e3 * took:.0f}", f"{1e3 * calibrated(point):.0f}")
    console.print(table)
    for way, theirs in seconds.items():
        console.print(f"{way}: {theirs / total:.1f} times as long as Privet, for all points")
    if write:
        with POINTS.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, [*KNOWN, *WAYS], lineterminator="\n")
            writer.writeheader()
            writer.writerows(points)


if __name__ == "__main__":
    main()
