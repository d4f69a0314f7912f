"""What every curve must be, whoever wrote it."""

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest

from privet.loss import ConcentratedCurve, DiscreteGaussianCurve, LossCurve, PrivacyLoss, RenyiBoundCurve
from privet.loss.curve import Array
from privet.loss.curves.best_of import BestOf
from privet.loss.curves.group import GroupCurve
from tests.loss.examples import CURVES

EPSILONS = np.concatenate([np.linspace(0, 3, 61), [5.0, 10.0, 40.0, 300.0, 1000.0, math.inf]])
SLACK = 1e-11


def both(curve: LossCurve) -> list[Array]:
    return [curve.removing(EPSILONS), curve.adding(EPSILONS)]


@pytest.mark.parametrize("curve", CURVES, ids=repr)
def test_delta_is_a_decreasing_probability(curve: LossCurve) -> None:
    for delta in both(curve):
        assert np.all((delta >= 0) & (delta <= 1))
        assert np.all(np.diff(delta) <= SLACK * delta[:-1])


def cut_off_at_one(curve: LossCurve) -> bool:
    """Bounds that are not convex where they reach 1; see `grid` on why they are valid all the same."""
    if isinstance(curve, BestOf):
        return not curve.symmetric
    return isinstance(curve, ConcentratedCurve | RenyiBoundCurve | GroupCurve) or curve == DiscreteGaussianCurve(30_000)


@pytest.mark.parametrize("curve", [curve for curve in CURVES if not cut_off_at_one(curve)], ids=repr)
def test_delta_is_convex_in_exp_epsilon(curve: LossCurve) -> None:
    x = np.exp(np.linspace(0, 3, 61))
    for delta in both(curve):
        slope = np.diff(delta[:61]) / np.diff(x)
        assert np.all(np.diff(slope) >= -1e-9)


@pytest.mark.parametrize("curve", CURVES, ids=repr)
def test_beyond_the_largest_loss_the_curve_is_flat(curve: LossCurve) -> None:
    top = float(curve.largest_loss)
    if math.isfinite(top):
        beyond = np.array([top * (1 + 1e-12) + 1e-300, top + 1, math.inf])
        for delta in (curve.removing(beyond), curve.adding(beyond)):
            assert np.ptp(delta) <= 1e-11


@pytest.mark.parametrize("curve", CURVES, ids=repr)
def test_renyi_divergence_grows_with_the_order_and_stays_below_the_largest_loss(curve: LossCurve) -> None:
    found = [max(curve.renyi(order)) for order in (1.5, 2.0, 3.0, 8.0, 30.0)]
    assert all(b >= a * (1 - 1e-9) for a, b in pairwise(found))
    if math.isfinite(found[-1]) and math.isfinite(curve.largest_loss):
        assert found[-1] <= float(curve.largest_loss) * (1 + 1e-9)


@pytest.mark.parametrize("curve", CURVES, ids=repr)
def test_zcdp_bounds_every_renyi_divergence(curve: LossCurve) -> None:
    rho = curve.zcdp()
    for order in (1.01, 1.5, 2.0, 5.0, 20.0):
        assert max(curve.renyi(order)) <= rho * order * (1 + 1e-9)


@pytest.mark.parametrize("curve", CURVES, ids=repr)
def test_total_at_every_extreme(curve: LossCurve) -> None:
    for loss in (PrivacyLoss.of(curve), PrivacyLoss.of(curve, 3)):
        for epsilon in (0.0, 1e-12, 1.0, 1000.0, math.inf):
            assert 0 <= loss.delta(epsilon) <= 1
        deltas = (0.0, 1e-300, 1e-30, 1e-6, 0.5, 0.999, 1.0)
        found = [loss.epsilon(delta) for delta in deltas]
        assert all(value >= 0 for value in found)  # NaN would fail
        assert all(b <= a * (1 + 2e-5) + 1e-9 for a, b in pairwise(found))
        assert found[-1] == 0


@pytest.mark.parametrize("curve", CURVES, ids=repr)
def test_epsilon_and_delta_are_inverse(curve: LossCurve) -> None:
    loss = PrivacyLoss.of(curve, 2)
    epsilon = loss.epsilon(1e-4)
    if 0 < epsilon < math.inf:
        assert loss.delta(epsilon * (1 + 1e-4) + 1e-6) <= 1e-4 * (1 + 1e-6)
        assert loss.delta(epsilon * 0.98) >= 1e-4


@pytest.mark.parametrize("curve", CURVES, ids=repr)
def test_the_lower_bound_is_below(curve: LossCurve) -> None:
    for times in (1, 4):
        loss = PrivacyLoss.of(curve, times)
        for delta in (1e-2, 1e-6):
            assert loss.lower_bound(delta) <= loss.epsilon(delta) * (1 + 1e-9)


@dataclass(frozen=True)
class Wild(LossCurve):
    """A careless author's curve: rises, and forgets some points."""

    def removing(self, epsilon: Array) -> Array:
        honest = np.exp(-1 - epsilon) + 1e-3 * (1 + np.sin(50 * epsilon))
        return np.where((epsilon > 0.5) & (epsilon < 0.6), math.nan, honest)


def test_a_careless_curve_is_tamed_not_trusted() -> None:
    loss = PrivacyLoss.of(Wild(), 2)
    assert loss.delta(1.0) >= math.exp(-2)
    assert math.isfinite(loss.delta(0.55))
