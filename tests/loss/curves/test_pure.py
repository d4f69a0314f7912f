import math

import numpy as np
import pytest

from privet.loss import ApproximateCurve, ExponentialCurve, PrivacyLoss
from tests.support.exact_sums import hockey_stick


def test_approximate_is_the_worst_pair() -> None:
    big = math.exp(1)
    p = np.array([0.1, 0.9 * big / (1 + big), 0.9 / (1 + big), 0.0])
    q = p[::-1]
    for epsilon in (0.0, 0.4, 0.99, 1.5):
        found = ApproximateCurve(1, "0.1").removing(np.array([epsilon]))[0]
        assert found == pytest.approx(hockey_stick(p, q, epsilon), rel=1e-12)


def test_the_exponential_mechanism_is_never_above_its_curve() -> None:
    """All score moves of a 4-candidate mechanism, against the closed form; some move must come close."""
    rng = np.random.default_rng(7)
    closest = 0.0
    for _ in range(2000):
        scores = rng.choice([0.0, 3.0, 12.0], 4)
        moved = rng.choice([-1.0, 0.0, 1.0], 4)
        # epsilon 2: exp(epsilon score / 2)
        p = np.exp(scores)
        q = np.exp(scores + moved)
        p, q = p / p.sum(), q / q.sum()
        for epsilon in (0.0, 0.5, 1.0):
            curve = ExponentialCurve(2).removing(np.array([epsilon]))[0]
            exact = hockey_stick(p, q, epsilon)
            assert exact <= curve * (1 + 1e-12)
            closest = max(closest, exact / curve)
    assert closest > 0.9


def test_exponential_costs_less_than_any_pure_mechanism() -> None:
    exponential, pure = PrivacyLoss.of(ExponentialCurve(1), 10), PrivacyLoss.of(ApproximateCurve(1), 10)
    assert exponential.epsilon(1e-6) < 0.95 * pure.epsilon(1e-6)
    assert exponential.epsilon(0) == pure.epsilon(0) == 10


def test_groups_of_pure_losses_add_up_and_approximate_ones_grow_their_delta() -> None:
    assert PrivacyLoss.of(ApproximateCurve("0.5")).group(3).epsilon(0) == 1.5
    grouped = PrivacyLoss.of(ApproximateCurve("0.5", "1e-5")).group(3)
    exact = 1e-5 * (math.exp(1.5) - 1) / (math.exp(0.5) - 1)
    assert grouped.delta("1.5") == pytest.approx(exact, rel=1e-9)


def test_no_loss_at_all() -> None:
    assert ExponentialCurve(0).removing(np.array([0.0, 1.0])).tolist() == [0.0, 0.0]
    assert ExponentialCurve(0).spacing is None
    assert PrivacyLoss.of(ExponentialCurve(1)).group(2).epsilon(0) == 2


def two_points(epsilon: float, top: float, order: float) -> float:
    """Rényi divergence of the pair whose losses are `top` and `top - epsilon`."""
    often = (math.exp(epsilon) - math.exp(top)) / math.expm1(epsilon)
    moments = often * math.exp((order - 1) * top) + (1 - often) * math.exp((order - 1) * (top - epsilon))
    return math.log(moments) / (order - 1)


@pytest.mark.parametrize("epsilon", [0.2, 0.5, 1, 3, 6])
def test_an_exponential_choice_is_concentrated_as_its_range_is(epsilon: float) -> None:
    """Never below the worst pair of losses within the range, and close to it: ε²/8, where ε is not large."""
    curve = ExponentialCurve(epsilon)
    places = [epsilon * place / 400 for place in range(1, 400)]
    for order in (1.001, 1.5, 2.0, 4.0, 16.0):
        worst = max(two_points(epsilon, top, order) for top in places)
        assert worst <= min(curve.renyi(order))
        assert worst <= curve.zcdp() * order
    assert curve.zcdp() <= epsilon**2 / 8 * (1 + 1e-12)
    if epsilon <= 1:
        assert curve.zcdp() <= 1.02 * max(two_points(epsilon, top, 1.001) for top in places)
