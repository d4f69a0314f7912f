"""Runs inside a peer's environment: prices trainings, and prints one line of JSON for each point and way."""

import csv
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial

Way = tuple[str, Callable[..., float]]
FEW = 1000  # steps up to which coarse grids do for a lower bound


def dp_accounting() -> Iterator[Way]:
    """Loss distributions, rounded up and rounded down."""
    from dp_accounting.pld import privacy_loss_distribution as pld  # type: ignore[import-not-found]  # noqa: PLC0415

    def price(rate: float, noise: float, steps: int, delta: float, *, above: bool) -> float:
        step = pld.from_gaussian_mechanism(
            noise,
            sampling_prob=rate,
            value_discretization_interval=1e-4 if above or steps <= FEW else 1e-5,
            pessimistic_estimate=above,
            use_connect_dots=above,
        )
        return float(step.self_compose(steps).get_epsilon_for_delta(delta))

    yield "pld_high", partial(price, above=True)
    yield "pld_low", partial(price, above=False)


def prv_accountant() -> Iterator[Way]:
    """Its lower and upper end, for an error of a hundredth."""
    from prv_accountant import PRVAccountant  # type: ignore[import-not-found]  # noqa: PLC0415
    from prv_accountant.privacy_random_variables import (  # type: ignore[import-not-found]  # noqa: PLC0415
        PoissonSubsampledGaussianMechanism,
    )

    def price(rate: float, noise: float, steps: int, delta: float, *, end: int) -> float:
        accountant = PRVAccountant(
            prvs=[PoissonSubsampledGaussianMechanism(rate, noise)],
            max_self_compositions=[steps],
            eps_error=0.01,
            delta_error=delta / 1000,
        )
        return float(accountant.compute_epsilon(delta=delta, num_self_compositions=[steps])[end])

    yield "prv_low", partial(price, end=0)
    yield "prv_high", partial(price, end=2)


def opacus() -> Iterator[Way]:
    """Its two ways: Rényi divergences, and loss variables."""
    from opacus.accountants import PRVAccountant, RDPAccountant  # type: ignore[import-not-found]  # noqa: PLC0415

    def price(kind: type, rate: float, noise: float, steps: int, delta: float) -> float:
        accountant = kind()
        accountant.history = [(noise, rate, steps)]
        return float(accountant.get_epsilon(delta=delta))

    yield "opacus_rdp", partial(price, RDPAccountant)
    yield "opacus_prv", partial(price, PRVAccountant)


PEERS = {"dp-accounting": dp_accounting, "prv-accountant": prv_accountant, "opacus": opacus}


def main(peer: str, file: str) -> None:
    warnings.filterwarnings("ignore")
    with open(file, encoding="utf-8") as lines:  # noqa: PTH123 - as short as the peers' Python allows
        points = list(csv.DictReader(lines))
    for way, price in PEERS[peer]():
        for place, point in enumerate(points):
            numbers = (
                float(Fraction(point["rate"])),
                float(point["noise"]),
                int(point["steps"]),
                float(point["delta"]),
            )
            start = time.perf_counter()
            try:
                found: float | None = price(*numbers)
            except Exception:  # noqa: BLE001 - a peer that gives up is a result
                found = None
            seconds = time.perf_counter() - start
            print(json.dumps({"way": way, "point": place, "epsilon": found, "seconds": seconds}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
