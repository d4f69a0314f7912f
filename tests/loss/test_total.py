"""Readings are total: a number or infinity for every curve, count and level, never an exception, a warning or NaN."""

import math
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import pytest

from privet.errors import InvalidParameter
from privet.loss import (
    ApproximateCurve,
    ConcentratedCurve,
    DiscreteGaussianCurve,
    DiscreteLaplaceCurve,
    ExponentialCurve,
    FiniteCurve,
    GaussianCurve,
    Guarantee,
    KaryResponseCurve,
    LaplaceCurve,
    LossCurve,
    MixtureCurve,
    PermuteAndFlipCurve,
    PrivacyLoss,
    RandomizedResponseCurve,
    RenyiBoundCurve,
    ShuffledKaryCurve,
)

pytestmark = pytest.mark.whole

CURVES = [
    ApproximateCurve(0),
    ApproximateCurve(1e-9),
    ApproximateCurve(1000),
    ApproximateCurve(1, 1e-6),
    ApproximateCurve(0, 1),
    ApproximateCurve(3, "1e-300"),
    LaplaceCurve(0),
    LaplaceCurve(1e-8),
    LaplaceCurve(1000),
    GaussianCurve(0),
    GaussianCurve(1e-6),
    GaussianCurve(100),
    DiscreteLaplaceCurve(1000),
    DiscreteLaplaceCurve("0.001"),
    DiscreteGaussianCurve("0.05"),
    DiscreteGaussianCurve(30_000),
    RandomizedResponseCurve(0, 0),
    RandomizedResponseCurve("0.5", "0.5"),
    RandomizedResponseCurve("0.1", 0),
    KaryResponseCurve(1000, "0.01"),
    FiniteCurve(((1, 0), (0, 1))),
    FiniteCurve((("0.5", "0.5", 0), (0, "0.5", "0.5"))),
    ExponentialCurve(0),
    ExponentialCurve(1000),
    PermuteAndFlipCurve(1000),
    ConcentratedCurve(1000),
    RenyiBoundCurve(2, 1),
]
READINGS: dict[str, Callable[[PrivacyLoss], float]] = {
    "delta(0)": lambda loss: loss.delta(0),
    "delta(1)": lambda loss: loss.delta(1),
    "delta(1000)": lambda loss: loss.delta(1000),
    "delta(inf)": lambda loss: loss.delta(math.inf),
    "epsilon(0)": lambda loss: loss.epsilon(0),
    "epsilon(1e-300)": lambda loss: loss.epsilon(1e-300),
    "epsilon(1e-6)": lambda loss: loss.epsilon(1e-6),
    "epsilon(1)": lambda loss: loss.epsilon(1),
    "renyi(1)": lambda loss: loss.renyi(1),
    "renyi(2)": lambda loss: loss.renyi(2),
    "renyi(inf)": lambda loss: loss.renyi(math.inf),
    "zcdp": lambda loss: loss.zcdp(),
    "advantage": lambda loss: loss.advantage(),
    "tradeoff": lambda loss: loss.tradeoff(0.1),
    "posterior": lambda loss: sum(loss.posterior(0.1)),
    "lower_bound": lambda loss: loss.lower_bound(1e-6),
}


LONGEST = DiscreteGaussianCurve(30_000)  # its million takes a quarter of a minute; a test below reads ε of it


@pytest.mark.parametrize(
    "times", [0, 1, 1_000, *(pytest.param(each, marks=pytest.mark.soak) for each in (3, 1_000_000))]
)
@pytest.mark.parametrize("curve", [each for each in CURVES if each != LONGEST], ids=repr)
def test_every_reading_is_a_number(curve: LossCurve, times: int) -> None:
    readings_are_numbers(curve, times)


@pytest.mark.parametrize(
    "curve", [ApproximateCurve(0, 1), GaussianCurve(1e-6), GaussianCurve(100), FiniteCurve(((1, 0), (0, 1)))], ids=repr
)
def test_every_reading_of_a_million_is_a_number(curve: LossCurve) -> None:
    """Of curves that are read at once; `make soak` takes all."""
    readings_are_numbers(curve, 1_000_000)


@pytest.mark.parametrize("times", [0, 1, *(pytest.param(times, marks=pytest.mark.soak) for times in (3, 1_000_000))])
def test_every_reading_of_the_widest_is_a_number(times: int) -> None:
    readings_are_numbers(LONGEST, times)


def readings_are_numbers(curve: LossCurve, times: int) -> None:
    loss = PrivacyLoss.of(curve, times)
    found = {name: reading(loss) for name, reading in READINGS.items()}
    assert not any(math.isnan(value) for value in found.values()), found
    assert all(value >= 0 for value in found.values()), found
    falling = [found[name] for name in ("delta(0)", "delta(1)", "delta(1000)", "delta(inf)")]
    assert all(after <= before * (1 + 1e-12) <= 1 + 1e-12 for before, after in pairwise(falling)), found
    assert found["lower_bound"] <= found["epsilon(1e-6)"] * (1 + 1e-9)


def test_wide_discrete_gaussians_compose_as_gaussians_do() -> None:
    wide = PrivacyLoss.of(DiscreteGaussianCurve(30_000)) * 1_000_000
    exact = PrivacyLoss.of(GaussianCurve("1/30"))
    assert exact.epsilon(1e-6) <= wide.epsilon(1e-6) <= 1.2 * exact.epsilon(1e-6)


@pytest.mark.parametrize("curve", CURVES, ids=repr)
def test_a_loss_that_was_read_can_still_be_sent_to_another_process(curve: LossCurve) -> None:
    loss = PrivacyLoss.of(curve, 2)
    loss.epsilon(1e-6)
    assert pickle.loads(pickle.dumps(loss)) == loss  # noqa: S301 - our own bytes


def test_a_loss_is_the_same_in_another_process() -> None:
    """Hashes differ there, so none may travel: the same curves would not be found again."""
    loss = PrivacyLoss.of(LaplaceCurve("0.1")) + PrivacyLoss.of(ApproximateCurve("0.1"), 2)
    loss.epsilon(1e-6)
    script = (
        "import pickle, sys; from privet.loss import ApproximateCurve, LaplaceCurve, PrivacyLoss; of = PrivacyLoss.of;"
        "loss = pickle.loads(sys.stdin.buffer.read()); same = of(LaplaceCurve('0.1')) + of(ApproximateCurve('0.1'), 2);"
        "assert loss == same and hash(loss) == hash(same) and loss + same == same * 2"
    )
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", script], input=pickle.dumps(loss), env=environment, check=True)  # noqa: S603 - our own words


def test_weights_and_rows_that_are_off_by_rounding_lose_no_mass() -> None:
    """Weights that add up to a little less than 1 would otherwise price a mixture a little below the truth."""
    short = Fraction(1, 2) - Fraction(1, 10**10)
    sure = PrivacyLoss.of(ApproximateCurve(0, 1))
    mixed = PrivacyLoss.of(MixtureCurve((short, short), (sure, sure)))
    assert mixed.delta(1) == 1.0
    rows = FiniteCurve(((short, short), (short, short))).rows
    assert all(sum(row) == 1 for row in rows)


def test_a_shuffled_response_needs_two_categories() -> None:
    with pytest.raises(InvalidParameter, match="categories must be a whole number >= 2"):
        ShuffledKaryCurve(categories=1, epsilon=1, reports=10)


def test_numbers_too_large_to_hold_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="finite number"):
        Guarantee("1e999999999")
    with pytest.raises(InvalidParameter, match="finite number"):
        Guarantee("1e-999999999")
    assert float(Guarantee("1e-300").epsilon) == 1e-300
