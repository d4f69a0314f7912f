"""Mission rows R160 and R180: what DP-SGD costs, beside what other libraries say.

`trainings.csv` holds the answers of dp-accounting 0.6.0 (loss distributions at a step of 1e-4, rounded up: `pld_high`;
rounded down at 1e-4 or 1e-5: `pld_low`), prv-accountant 0.2.0 (both ends for an error of 0.01) and Opacus 1.6.0 (both
its ways). `python benchmarks/training.py --write` asks them again.
"""

import csv
import math
from pathlib import Path

import pytest

from privet.loss import GaussianCurve, PrivacyLoss, training_loss
from tests.golden.printed import agrees

FILE = Path(__file__).parent / "trainings.csv"
ROWS = list(csv.DictReader(FILE.read_text(encoding="utf-8").splitlines()))
HAIR = 2e-4  # the share by which an answer may lie above that of the best peer
SHORT = 1e-11  # deltas that dp-accounting's transform in float64 loses: there its bound may lie below the truth
MANY = 1_000_000  # steps that take a second or two


def named(row: dict[str, str]) -> str:
    return f"{row['steps']} at {row['rate']}, noise {row['noise']}, delta {row['delta']}"


def priced(row: dict[str, str], delta: float) -> float:
    return training_loss(row["noise"], rate=row["rate"], steps=int(row["steps"])).epsilon(delta)


def certain(row: dict[str, str]) -> float:
    """What a peer certifies from below."""
    return max(float(row["pld_low"]), float(row["prv_low"]))


def best(row: dict[str, str]) -> float:
    """The least upper bound of a peer."""
    ways = ("pld_high", "prv_high") if float(row["delta"]) > SHORT else ("prv_high",)
    return min(float(row[way]) for way in ways)


SLOW = [pytest.mark.soak]


@pytest.mark.parametrize(
    "row", [pytest.param(row, id=named(row), marks=SLOW if int(row["steps"]) >= MANY else []) for row in ROWS]
)
def test_never_below_what_is_certain_and_hardly_above_the_best(row: dict[str, str]) -> None:
    found = priced(row, float(row["delta"]))
    assert certain(row) <= found <= best(row) * (1 + HAIR)
    assert found < float(row["opacus_rdp"])


def test_the_comparison_notices_a_bound_that_is_one_percent_off() -> None:
    """The control: a training with a hundredth less noise, or more, falls out of the table somewhere."""
    few = [row for row in ROWS if int(row["steps"]) in {10, 100, 5}]
    for change, worst in ((0.99, "above"), (1.01, "below")):
        found = [
            training_loss(float(row["noise"]) * change, rate=row["rate"], steps=int(row["steps"])).epsilon(
                float(row["delta"])
            )
            for row in few
        ]
        if worst == "above":
            assert all(each > best(row) * (1 + HAIR) for each, row in zip(found, few, strict=True))
        else:
            assert any(each < certain(row) for each, row in zip(found, few, strict=True))


def test_a_peer_is_below_the_truth_at_a_tiny_delta() -> None:
    """Every batch whole: one Gaussian with μ = √2000/30, whose ε is 11.22859173 (in 50 digits, by Balle and Wang)."""
    row = next(row for row in ROWS if row["steps"] == "2000")
    exact = PrivacyLoss.of(GaussianCurve(math.sqrt(2000) / 30)).epsilon(1e-12)
    assert agrees(exact, "11.22859173")
    assert float(row["pld_high"]) < 11.2285
    assert priced(row, 1e-12) >= exact * (1 - 1e-12)


def test_r160_the_training_of_60_epochs_on_60000() -> None:
    """60 epochs of batches of 256 are 14062.5 steps; the row's Rényi figures are those of 14,062, at whole orders."""
    loss = training_loss("1.1", rate="256/60000", steps=14_062)
    divergences = {order: loss.renyi(order) for order in range(2, 64)}
    room = math.log(1e5)
    standard = min(found + room / (order - 1) for order, found in divergences.items())
    tight = min(
        found + math.log1p(-1 / order) + (room - math.log(order)) / (order - 1) for order, found in divergences.items()
    )
    assert agrees(standard, "3.0091")
    assert agrees(tight, "2.5970")
    assert loss.epsilon(1e-5) < 2.3817


def test_r180_half_a_step_more_hardly_matters_and_whole_epochs_little() -> None:
    """14,063 steps, or 235 batches an epoch: 14,100."""
    assert agrees(training_loss("1.1", rate="256/60000", steps=14_063).epsilon(1e-5), "2.3817")
    assert agrees(training_loss("1.1", rate="256/60000", steps=14_100).epsilon(1e-5), "2.3852")
