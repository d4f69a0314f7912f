"""Statistics of ten million values, ledger included, beside plain NumPy, diffprivlib and OpenDP, in one run."""

import json
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from peers import Row, best_of, run_peer, show
from rich.console import Console
from rich.table import Table
from stats_peers import CANDIDATES, EDGES, EPSILON, HIGH, LOW, column, errors_of

import privet

ROWS = 10_000_000
OPENDP_ROWS = 1_000_000  # its lists of Python floats would not fit; its time grows with the rows
FEW, REPEATS = 1000, 2000
SCRIPT = str(Path(__file__).with_name("stats_peers.py"))
BOUNDS = (LOW, HIGH)


def asked(x: Any, high: Any) -> dict[str, Callable[[], Any]]:  # noqa: ANN401 - arrays
    """Privet's answers under the peers' assumptions: a public number of rows for mean and variance."""
    return {
        "count": lambda: privet.count(high, epsilon=EPSILON),
        "mean": lambda: privet.mean(x, bounds=BOUNDS, epsilon=EPSILON, neighbors="replace", missing="none"),
        "variance": lambda: privet.variance(x, bounds=BOUNDS, epsilon=EPSILON, neighbors="replace", missing="none"),
        "histogram": lambda: privet.histogram(x, edges=EDGES, epsilon=EPSILON),
        "quantile": lambda: privet.quantile(x, 0.5, bounds=BOUNDS, epsilon=EPSILON),
    }


def values(x: Any, high: Any) -> dict[str, Callable[[], Any]]:  # noqa: ANN401 - arrays
    """The numbers that are compared with the peers', with the same post-processing."""

    def only(ask: Callable[[], Any]) -> Callable[[], Any]:
        return lambda: ask().value

    asks = asked(x, high)
    counts = asks["histogram"]
    asks["histogram"] = lambda: counts().nonnegative()  # as diffprivlib's are
    step = Fraction(HIGH - LOW) / (CANDIDATES - 1)  # OpenDP's candidates
    asks["quantile"] = lambda: privet.quantile(x, 0.5, bounds=BOUNDS, step=step, epsilon=EPSILON)
    return {statistic: only(ask) for statistic, ask in asks.items()}


def numpys(x: Any, high: Any) -> dict[str, Callable[[], Any]]:  # noqa: ANN401 - arrays
    return {
        "count": lambda: np.count_nonzero(high),
        "mean": x.mean,
        "variance": x.var,
        "histogram": lambda: np.histogram(x, EDGES),
        "quantile": lambda: np.sort(x),
    }


def main(rows: int = ROWS) -> None:
    console = Console()
    x = column(rows)
    high = x > 50
    plain = numpys(x, high)
    with console.status("measuring Privet and NumPy"):
        ours, theirs = {}, {}
        for statistic, ask in asked(x, high).items():  # one after the other, so that both see the same machine
            repeats = 3 if statistic == "quantile" else 9
            theirs[statistic] = best_of(plain[statistic], repeats)
            ours[statistic] = best_of(ask, repeats)
    numbers = [str(rows), str(FEW), str(REPEATS)]
    requirements = ["diffprivlib==0.6.6", "scikit-learn==1.6.1"]
    diffprivlib = json.loads(run_peer("diffprivlib", requirements, [SCRIPT, "diffprivlib", *numbers], console)[-1])
    numbers[0] = str(min(rows, OPENDP_ROWS))
    opendp = json.loads(run_peer("opendp", ["opendp==0.16.0", "numpy"], [SCRIPT, "opendp", *numbers], console)[-1])
    more = rows / min(rows, OPENDP_ROWS)
    table = []
    for statistic, seconds in ours.items():
        work = f"{statistic} of {rows:,}"
        table.append(Row.at_most(work, seconds, "NumPy", theirs[statistic], times=3))
        table.append(Row.at_most(work, seconds, "diffprivlib", diffprivlib["seconds"][statistic], times=1.5))
        scaled = opendp["seconds"][statistic] * more
        table.append(Row.faster(work, seconds, f"OpenDP ({more:g} times its time for {numbers[0]})", scaled, times=10))
    show("Time, ledger included", table, console)
    show_errors(errors_of(values, FEW, REPEATS), diffprivlib["errors"], opendp["errors"], console)


def show_errors(
    ours: dict[str, float], diffprivlib: dict[str, float], opendp: dict[str, float], console: Console
) -> None:
    """Mean absolute errors; with so many repeats they are known to about 2 %, so up to 5 % more counts as no larger."""
    title = f"Mean absolute error at ε={EPSILON:g}, {FEW:,} values, {REPEATS:,} answers"
    table = Table(title=title, title_justify="left")
    for name in ("statistic", "Privet", "diffprivlib", "OpenDP", "no larger"):
        table.add_column(name, justify="left" if name in {"statistic", "no larger"} else "right")
    for statistic, error in ours.items():
        best = min(diffprivlib[statistic], opendp[statistic])
        figures = (f"{each[statistic]:.4g}" for each in (ours, diffprivlib, opendp))
        table.add_row(statistic, *figures, "yes" if error <= 1.05 * best else "NO")
    console.print(table)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
