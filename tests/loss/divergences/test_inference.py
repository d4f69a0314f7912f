import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.errors import InvalidParameter
from privet.loss.divergences.divergence import hockey_stick
from privet.loss.divergences.inference import posterior, posterior_bounds, smallest_error_sum, smallest_miss, tradeoff
from tests.loss.divergences.test_divergence import distributions, pairs


@given(pairs(), st.floats(0, 1))
def test_trade_off_is_not_above_any_test(pq: tuple[list[float], list[float]], alarm: float) -> None:
    """Every rejection set is a test; none misses less often at its false alarm rate than the curve says."""
    curve = tradeoff(*pq)
    p, q = (np.array(masses) for masses in pq)
    for subset in range(1 << p.size):
        inside = np.array([bool(subset >> i & 1) for i in range(p.size)])
        assert curve(float(min(1.0, p[inside].sum()))) <= q[~inside].sum() + 1e-12
    assert 0 <= curve(alarm) <= 1 - alarm + 1e-12


@given(pairs())
def test_trade_off_attains_the_hockey_sticks(pq: tuple[list[float], list[float]]) -> None:
    """δ(ε) of Q against P is the largest 1 - f(a) - e^ε a over the corners of the curve."""
    curve = tradeoff(*pq)
    for epsilon in (0.0, 0.5, 3.0):
        best = max(
            1 - miss - math.exp(epsilon) * alarm for alarm, miss in zip(curve.false_alarms, curve.misses, strict=True)
        )
        assert max(0.0, best) == pytest.approx(hockey_stick(pq[1], pq[0], epsilon=epsilon), abs=1e-12)


def test_disjoint_distributions_leave_no_error() -> None:
    curve = tradeoff([1.0, 0.0], [0.0, 1.0])
    assert curve(0) == curve(1) == curve.smallest_error_sum == 0


@given(st.floats(0, 1), st.floats(0, 20), st.floats(0, 1))
def test_miss_rate_of_a_guarantee_is_attained_by_its_dominating_pair(
    alarm: float, epsilon: float, delta: float
) -> None:
    truth = 1 / (1 + math.exp(-epsilon))
    p = [delta, (1 - delta) * truth, (1 - delta) * (1 - truth), 0.0]
    attained = tradeoff(p, p[::-1])(alarm)
    assert smallest_miss(alarm, epsilon=epsilon, delta=delta) == pytest.approx(attained, abs=1e-9)


@pytest.mark.parametrize("epsilon", [0, 1, 700, 1000, 10**6])
def test_large_epsilons_leave_small_errors_and_no_nan(epsilon: float) -> None:
    assert 0 <= smallest_error_sum(epsilon=epsilon) <= 2 / (1 + math.exp(min(epsilon, 700)))
    assert 0 <= smallest_miss(0.5, epsilon=epsilon) <= 0.5
    low, high = posterior_bounds(0.5, epsilon=epsilon)
    assert 0 <= low <= 0.5 <= high <= 1


@given(st.data())
def test_posteriors_are_distributions_within_the_bounds(data: st.DataObject) -> None:
    prior = data.draw(distributions(3))
    matrix = [data.draw(distributions(4)) for _ in range(3)]
    after = posterior(matrix, prior)
    assert np.isfinite(after).all()
    assert after.sum(axis=1) == pytest.approx(np.ones(4))
    reached = np.array(prior) @ np.array(matrix)
    assert reached @ after == pytest.approx(np.array(prior))


def test_an_output_that_cannot_occur_teaches_nothing() -> None:
    assert posterior([[1.0, 0.0], [1.0, 0.0]], [0.3, 0.7])[1].tolist() == [0.3, 0.7]


@pytest.mark.parametrize("prior", [0.0, 1.0])
def test_certainty_does_not_move(prior: float) -> None:
    assert posterior_bounds(prior, epsilon=5) == (prior, prior)


def test_bad_arguments_are_refused() -> None:
    for call in (
        lambda: tradeoff([0.5, 0.5], [0.5, 0.5])(1.5),
        lambda: tradeoff([0.5, 0.5], [0.5, 0.5])(math.nan),
        lambda: smallest_miss(0.1, epsilon=-1),
        lambda: smallest_error_sum(epsilon=math.nan),
        lambda: posterior([[0.5, 0.5]], [0.5, 0.5]),
        lambda: posterior([[0.5, 0.5], [1.0]], [0.5, 0.5]),
        lambda: posterior_bounds(2, epsilon=1),
    ):
        with pytest.raises(InvalidParameter):
            call()
