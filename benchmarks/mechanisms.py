"""What a release costs, ledger included, beside the peers' mechanisms alone, on one core, in one run."""

import json
import math
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from peers import Row, best_of, duration, run_peer, show
from rich.console import Console
from rich.table import Table

from privet import Guarantee, Ledger, Sensitive, Sensitivity, Unit
from privet.core import Mechanism
from privet.mechanisms import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace
from privet.noise import Entropy

CELLS = 1_000_000
RELEASES = 2_000
SCRIPT = str(Path(__file__).with_name("noise_peers.py"))
PERSON = Unit("person")
ENTROPY = Entropy()
KINDS: list[tuple[str, str, Mechanism[Any, Any]]] = [
    ("laplace", "int", DiscreteLaplace(l1_sensitivity=1, scale=10)),
    ("laplace", "float", Laplace(l1_sensitivity=1, scale=10)),
    ("gaussian", "int", DiscreteGaussian(l2_sensitivity=1, scale=10)),
    ("gaussian", "float", Gaussian(l2_sensitivity=1, scale=10)),
]


def released(mechanism: Mechanism[Any, Any], value: object, times: int) -> float:
    """Seconds for each release through a ledger that holds every earlier one."""
    delta = None if math.isfinite(mechanism.loss.epsilon(0)) else "1e-9"

    def spend() -> None:
        ledger = Ledger(Guarantee(10**9, "0.1"), unit=PERSON)
        secret = Sensitive(value, Sensitivity(1), PERSON)
        for _ in range(times):
            ledger.release(secret, mechanism, purpose="benchmark", delta=delta)

    return best_of(spend, 5) / times


def sampled(mechanism: Mechanism[Any, Any], value: object) -> float:
    """Seconds for each draw without a ledger."""
    return best_of(lambda: [mechanism.sample(value, ENTROPY) for _ in range(RELEASES)], 5) / RELEASES


def main() -> None:
    console = Console()
    opendp = json.loads(run_peer("opendp", ["opendp==0.16.0", "numpy"], [SCRIPT, "opendp"], console)[-1])
    requirements = ["diffprivlib==0.6.6", "scikit-learn==1.6.1"]
    diffprivlib = json.loads(run_peer("diffprivlib", requirements, [SCRIPT, "diffprivlib"], console)[-1])
    rows = []
    shares = Table(title="The ledger's share of one release", title_justify="left")
    for column in ("mechanism", "release", "mechanism alone", "ledger"):
        shares.add_column(column, justify="left" if column == "mechanism" else "right")
    for name, kind, mechanism in KINDS:
        one: object = 42 if kind == "int" else 42.5
        release = released(mechanism, one, RELEASES)
        alone = sampled(mechanism, one)
        shares.add_row(repr(mechanism), duration(release), duration(alone), f"{1 - alone / release:.0%}")
        faster = partial(Row.faster, f"{mechanism!r}, one release", release)
        rows.append(faster(f"OpenDP, one {kind}, no ledger", opendp[f"{name} {kind} scalar"], times=3))
        cells = np.full(CELLS, one)
        per_cell = released(mechanism, cells, 1) / CELLS
        faster = partial(Row.faster, f"{mechanism!r}, a cell of {CELLS:,}", per_cell)
        rows.append(faster(f"OpenDP, {kind} vector", opendp[f"{name} {kind} vector"], times=150))
        rows.append(faster("diffprivlib, a call for each", diffprivlib[f"{name} {kind}"], times=150))
    console.print(shares)
    show("Releases through a ledger in memory, beside the peers' mechanisms alone", rows, console)


if __name__ == "__main__":
    main()
