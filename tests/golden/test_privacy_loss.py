"""Mission rows R012 to R019, R029, R032 to R036, R090 to R107 and R122 to R128, read off `PrivacyLoss` itself.

Not here, because their rooms are not built yet: R037 (demos: explain), R091, R092, R094 (accuracy: mechanisms and
stats), R097 to R099 (smooth sensitivity, sample and aggregate: mechanisms), R105's sampled game (audit).
"""

import math
from fractions import Fraction
from functools import reduce
from operator import or_

import pytest

from privet.explain.theorems import gaussian_scale_classical, optimal_composition
from privet.loss import (
    ApproximateCurve,
    ConcentratedCurve,
    FiniteCurve,
    GaussianCurve,
    Guarantee,
    LaplaceCurve,
    LossCurve,
    Neighbors,
    PrivacyLoss,
    RandomizedResponseCurve,
    RenyiBoundCurve,
)
from tests.golden.printed import agrees

RESPONSE = PrivacyLoss.of(RandomizedResponseCurve(0.25, 0.25))
GAUSSIAN = PrivacyLoss.of(GaussianCurve(1))


def test_r012_and_r016_delta() -> None:
    assert agrees(PrivacyLoss.of(LaplaceCurve(1)).delta(0.5), "0.221199")
    assert agrees(GAUSSIAN.delta(1), "0.126937")


def test_r013_delta_grows_with_the_group() -> None:
    loss = PrivacyLoss.of(GaussianCurve(1 / gaussian_scale_classical(0.5, delta="1e-5")))
    for size, printed in ((10, "1.35e-6"), (20, "2.27e-5"), (50, "7.70e-3"), (100, "0.586")):
        assert agrees(loss.group(size).delta(size * 0.5), printed)
    declared = PrivacyLoss.of(ApproximateCurve(0.5, "1e-5"))
    assert declared.group(3).delta(1.5) > 3e-5  # not the fixed 1e-5


def test_r015_a_leak_is_delta_at_every_epsilon() -> None:
    leak = PrivacyLoss.of(FiniteCurve(((0.999, 0.001, 0.0), (0.999, 0.0, 0.001))))
    assert min(leak.delta(epsilon) for epsilon in (0, 1, 1000, math.inf)) >= 1e-3
    assert leak.epsilon(0.0009) == math.inf


def test_r017_to_r019_max_divergence() -> None:
    assert agrees(RESPONSE.max_divergence(), "1.098612")
    assert agrees(RESPONSE.max_divergence(0.1), "0.955511")
    both = RESPONSE * 2
    assert agrees(both.max_divergence(0), "2.197225")
    assert agrees(both.max_divergence(0.1), "2.001480")
    assert agrees(both.max_divergence(0.2), "1.757858")
    assert both.max_divergence(0.1) > 2 * RESPONSE.max_divergence(0.1)  # R018: additivity at one δ is false


def test_r029_parallel_parts_cost_the_worst_only_when_units_come_and_go() -> None:
    """Eleven bins at ε each: ε in all when a unit is added or removed, 2ε when it can move between bins."""
    histogram = reduce(or_, [PrivacyLoss.of(LaplaceCurve(Fraction(1, 2) + Fraction(n, 100))) for n in range(11)])
    assert histogram.under(Neighbors.ADD_REMOVE).epsilon(0) == 0.6
    assert histogram.under(Neighbors.REPLACE).epsilon(0) == pytest.approx(0.6 + 0.59)
    assert histogram.under(Neighbors.REPLACE).epsilon(0) > 0.6  # the wrong form


@pytest.mark.parametrize(("epsilon", "printed"), [(0.1, "0.950042"), (1, "0.537883"), (2, "0.238406")])
def test_r032_smallest_error_sum(epsilon: float, printed: str) -> None:
    loss = PrivacyLoss.of(ApproximateCurve(epsilon))
    assert agrees(1 - loss.advantage(), printed)
    at = 1 / (1 + math.exp(epsilon))
    assert agrees(at + loss.tradeoff(at), printed)


@pytest.mark.parametrize(("prior", "low", "high"), [(0.1, "0.035714", "0.250000"), (0.9, "0.750000", "0.964286")])
def test_r034_to_r036_posterior(prior: float, low: str, high: str) -> None:
    found = RESPONSE.posterior(prior)
    assert agrees(found[0], low)
    assert agrees(found[1], high)


def test_r090_and_r093_and_r095_gaussian() -> None:
    for scale, epsilon in (("3.185703", 1), ("1.223157", 3)):
        assert PrivacyLoss.of(GaussianCurve(1 / Fraction(scale))).delta(epsilon) == pytest.approx(1e-4, rel=1e-5)
    assert agrees(GAUSSIAN.epsilon(0.1), "1.160334")
    assert agrees(PrivacyLoss.of(GaussianCurve(math.sqrt(2))).delta(1), "0.286208")
    assert not GAUSSIAN.meets(Guarantee(1, 0.1))  # R095: sigma 1 is not (1, 0.1)


def test_r100_to_r104_composition_is_exact() -> None:
    tenth = PrivacyLoss.of(ApproximateCurve("0.1"))
    one = PrivacyLoss.of(ApproximateCurve(1))
    assert agrees((tenth * 100).epsilon(1e-5), "4.306791")
    assert agrees((tenth * 10).epsilon(1e-5), "0.993691")
    assert agrees((one * 100).epsilon(0.01), "65.408")
    assert agrees((one * 100).delta(53.603), "0.176")  # R100: what the misprinted denominator claims at 0.01
    assert agrees((one * 100).delta(46.052), "0.457")  # R101


@pytest.mark.parametrize(("epsilon", "times", "delta"), [("0.1", 100, "1e-5"), (1, 100, "0.01"), ("0.5", 7, "1e-9")])
def test_r104_two_derivations_of_the_optimum_agree(epsilon: float | str, times: int, delta: str) -> None:
    grid = (PrivacyLoss.of(ApproximateCurve(epsilon)) * times).epsilon(delta)
    assert grid == pytest.approx(optimal_composition(epsilon, times=times, delta=delta), rel=1e-9)


def test_r106_ten_gaussians() -> None:
    ten = PrivacyLoss.of(GaussianCurve("0.25")) * 10
    assert ten.renyi(7) == pytest.approx(7 * 0.3125)
    assert agrees(ten.epsilon(1e-5), "3.341409")


def test_r107_one_loss_holds_every_kind_of_promise() -> None:
    kinds: list[LossCurve] = [
        ApproximateCurve(1),
        ApproximateCurve("0.5", "1e-6"),
        RenyiBoundCurve(order=10, divergence="0.1"),
        ConcentratedCurve("0.01"),
        GaussianCurve("0.2"),
    ]
    total = reduce(lambda a, b: a + b, map(PrivacyLoss.of, kinds))
    parts = sum(PrivacyLoss.of(kind).epsilon(2e-6) for kind in kinds)
    assert 1.5 < total.epsilon(1e-5) <= parts


@pytest.mark.parametrize(
    ("curve", "order", "printed"),
    [
        (RandomizedResponseCurve(0.25, 0.25), 2, "0.847298"),
        (RandomizedResponseCurve(0.25, 0.25), 1, "0.549306"),
        (RandomizedResponseCurve(0.4, 0.4), 2, "0.154151"),
        (LaplaceCurve("0.5"), 2, "0.200304"),
        (LaplaceCurve("0.5"), 4, "0.320927"),
        (LaplaceCurve("0.5"), math.inf, "0.500000"),
        (LaplaceCurve("0.5"), 1, "0.106531"),
        (GaussianCurve("0.5"), 16, "2.000000"),
        (GaussianCurve("0.2"), 16, ".320000"),
        (RandomizedResponseCurve(0.48, 0.48), 16, ".041802"),
    ],
)
def test_r122_to_r126_renyi(curve: LossCurve, order: float, printed: str) -> None:
    assert agrees(PrivacyLoss.of(curve).renyi(order), printed)


def test_r128_conversions() -> None:
    assert agrees(PrivacyLoss.of(RenyiBoundCurve(order=10, divergence=1)).epsilon(1e-5), "1.918011")
    assert agrees(PrivacyLoss.of(ConcentratedCurve("0.5")).epsilon(1e-5), "4.728387")
    assert agrees(GAUSSIAN.epsilon(1e-5), "4.377178")


def test_ten_randomized_responses_cost_ten_times_one() -> None:
    """A peer forgets the repeat count here and says 1.099."""
    assert (RESPONSE * 10).epsilon(0) == pytest.approx(10 * math.log(3))
    assert agrees((RESPONSE * 10).epsilon(0), "10.986")
