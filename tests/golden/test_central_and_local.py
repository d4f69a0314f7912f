"""Mission rows R075 and R186: what trusting nobody costs, and that every release says how good and how dear it is."""

import math
from collections.abc import Callable
from typing import Any

import central_and_local
import numpy as np
import pytest

import privet
from privet.core import Ledger, Mechanism, Release, Sensitive, Sensitivity, Unit
from privet.loss import Guarantee
from privet.mechanisms import (
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    RandomizedResponse,
    Staircase,
)
from tests.golden.printed import agrees

PERSON = Unit("person", neighbors="replace")


def test_r075_deviations_of_a_count() -> None:
    """n = 10^4 people, ε = 1."""
    assert agrees(central_and_local.central_deviation(), "1.4142")
    assert agrees(central_and_local.local_deviation(), "95.95")
    assert agrees(central_and_local.local_deviation(), "95.9517")
    assert central_and_local.local_deviation(4 * 10_000) == pytest.approx(2 * central_and_local.local_deviation())


def test_r075_both_models_are_as_accurate_as_they_say() -> None:
    """n = 1,500 surveys: mean squares within six deviations, √(5/n) of them (Laplace) and √(2/n) (nearly normal)."""
    number = 1500
    seen = central_and_local.errors(number)
    for model, variance, spread in (("central", 2.0, 5.0), ("local", 95.9517**2, 2.0)):
        square = float(np.mean(seen[model] ** 2))
        assert abs(square / variance - 1) < 6 * math.sqrt(spread / number)
        assert abs(1.69 * square / variance - 1) > 6 * math.sqrt(spread / number)  # the control: a scale 30 % off
        assert abs(float(np.mean(seen[model]))) < 6 * math.sqrt(variance / number)  # neither is biased
    ratio = float(np.mean(seen["local"] ** 2) / np.mean(seen["central"] ** 2))
    assert 2000 < ratio < 10_000  # about 4,600


def test_r075_the_estimate_without_its_correction_is_wrong() -> None:
    """Reports alone are drawn towards a half: 10^4 people, 30 % yes, are told to be 39 %."""
    flip = 1 / (1 + math.e)
    assert 0.3 * (1 - flip) + 0.7 * flip == pytest.approx(0.4076, abs=1e-4)
    truth = int(central_and_local.truths().sum())
    assert abs(10_000 * (0.3 * (1 - flip) + 0.7 * flip) - truth) > 10 * central_and_local.local_deviation()


NUMERIC: list[Mechanism[Any, Any]] = [
    Laplace(l1_sensitivity=1, scale=2),
    DiscreteLaplace(l1_sensitivity=1, scale=2),
    Gaussian.calibrated(epsilon=1, delta="1e-6", sensitivity=Sensitivity(1)),
    DiscreteGaussian.calibrated(epsilon=1, delta="1e-6", sensitivity=Sensitivity(1)),
    Staircase(sensitivity=1, epsilon=1),
]


@pytest.mark.parametrize("mechanism", NUMERIC, ids=repr)
def test_r186_a_release_reports_accuracy_and_privacy(mechanism: Mechanism[Any, Any]) -> None:
    ledger = Ledger(Guarantee(10, "1e-3"), unit=PERSON)
    release: Release[Any] = ledger.release(Sensitive(42, Sensitivity(1), PERSON), mechanism, purpose="a count")
    low, high = release.interval(0.95)
    assert high - low == pytest.approx(2 * release.margin(0.95))
    assert release.margin(0.99) > release.margin(0.95) > 0
    assert 0 < release.loss.epsilon("1e-6") <= 1.0000001
    told = repr(release)
    assert "±" in told
    assert "(95%)" in told
    assert "spent" in told
    assert "per person on 'a count'" in told
    assert Release.from_json(release.to_json()).margin(0.95) == release.margin(0.95)


def test_r186_radius_is_that_of_rows_053_and_094() -> None:
    ledger = Ledger(Guarantee(10, "1e-3"), unit=PERSON)
    bins = Sensitive(np.zeros(11, dtype=np.int64), Sensitivity(1), PERSON)
    laplace = ledger.release(bins, Laplace(l1_sensitivity=1, scale=1), purpose="bins")
    exact = -math.log(1 - 0.95 ** (1 / 11))
    assert laplace.margin(0.95, simultaneous=True) == pytest.approx(exact, rel=1e-5)
    assert laplace.margin(0.95, simultaneous=True) < math.log(11 / 0.05)  # the union bound, 5.393628
    gaussian = ledger.release(bins, Gaussian(l2_sensitivity=1, scale=1), purpose="bins", delta="1e-4")
    assert agrees(round(gaussian.margin(0.95, simultaneous=True), 5), "2.83018")


def test_r186_what_has_no_margin_says_so_and_still_says_its_price() -> None:
    ledger = Ledger(Guarantee(10), unit=PERSON)
    response = RandomizedResponse.symmetric(truth="0.75")
    bit = ledger.release(Sensitive(1, Sensitivity(1), PERSON), response, purpose="a bit")
    assert bit.uncertainty is not None
    assert bit.loss.epsilon(0) == pytest.approx(math.log(3))
    mapped = bit.map(str)
    assert mapped.uncertainty is None
    assert mapped.loss == bit.loss
    assert "spent" in repr(mapped)


NUMBERS = np.random.default_rng(186).integers(0, 101, 500)
STATISTICS: dict[str, Callable[[], Release[Any]]] = {
    "count": lambda: privet.count(NUMBERS > 50, epsilon=1, purpose="asked"),
    "total": lambda: privet.total(NUMBERS, bounds=(0, 100), epsilon=1, purpose="asked"),
    "mean": lambda: privet.mean(NUMBERS, bounds=(0, 100), epsilon=1, purpose="asked"),
    "proportion": lambda: privet.proportion(NUMBERS > 50, epsilon=1, purpose="asked"),
    "histogram": lambda: privet.histogram(NUMBERS, edges=range(0, 111, 10), epsilon=1, purpose="asked"),
    "variance": lambda: privet.variance(NUMBERS, bounds=(0, 100), epsilon=1, purpose="asked"),
}


@pytest.mark.parametrize("name", STATISTICS)
def test_r186_a_statistic_reports_accuracy_and_privacy(name: str) -> None:
    release = STATISTICS[name]()
    assert 0 < release.margin(0.95) < release.margin(0.99) < math.inf
    assert release.loss.epsilon(0) == pytest.approx(1)
    told = repr(release)
    assert "±" in told
    assert "spent ε=1 per person on 'asked'" in told


def test_r186_a_quantile_reports_its_accuracy_in_ranks() -> None:
    """How far a median is off in its own unit depends on the data; how far in rows does not."""
    release = privet.median(NUMBERS, bounds=(0, 100), epsilon=1, purpose="asked")
    assert 0 < release.rank_margin(0.95) < release.rank_margin(0.99) < len(NUMBERS)
    assert release.loss.epsilon(0) == pytest.approx(1)
    assert "rows of its place (95%)" in repr(release)
