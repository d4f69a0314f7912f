import math

import numpy as np
import pytest

from privet.errors import InvalidParameter
from privet.loss import ApproximateCurve, GaussianCurve, KaryResponseCurve, PrivacyLoss
from privet.loss.curves.shuffled import ShuffledCurve, positive_part

of = PrivacyLoss.of


@pytest.mark.parametrize(
    ("reports", "local", "central"),
    [(1000, 1, 0.18241), (1000, 3, 1.26463), (10_000, 2, 0.15505), (100_000, 4, 0.16977), (100_000, 6, 0.52418)],
)
def test_clones_bound_reproduces_independent_values(reports: int, local: int, central: float) -> None:
    assert of(ApproximateCurve(local)).shuffled(reports).epsilon(1e-6) == pytest.approx(central, abs=6e-6)


def test_the_apple_repository_brackets_it() -> None:
    found = of(ApproximateCurve(4)).shuffled(100_000).epsilon(1e-6)
    assert 0.1675385583317841 < found < 0.172790550755978


@pytest.mark.parametrize(
    ("categories", "local", "reports", "central"),
    [
        (2, 1, 1000, 0.1487),
        (10, 1, 1000, 0.0802),
        (100, 2, 1000, 0.1013),
        (10, 2, 10_000, 0.0798),
        (100, 4, 10_000, 0.2339),
    ],
)
def test_blanket_bound_of_kary_response(categories: int, local: int, reports: int, central: float) -> None:
    found = of(KaryResponseCurve(categories, local)).shuffled(reports).epsilon(1e-6)
    assert central * 0.999 <= found <= central * 1.01


def test_one_report_is_not_amplified_and_many_never_cost_more_than_the_local_loss() -> None:
    assert of(ApproximateCurve(1)).shuffled(1).epsilon(1e-6) == pytest.approx(
        of(ApproximateCurve(1)).epsilon(1e-6), rel=1e-9
    )
    assert of(ApproximateCurve(6)).shuffled(20).epsilon(1e-9) <= 6


def test_clones_bound_against_the_whole_sum() -> None:
    """Every count of clones and of their kinds, by brute force."""
    n, local, epsilon = 12, 1.5, 0.3
    truth, clone = 1 / (1 + math.exp(-local)), math.exp(-local)
    total = 0.0
    for c in range(n):
        weight = math.comb(n - 1, c) * clone**c * (1 - clone) ** (n - 1 - c)
        law: dict[int, float] = {}
        for a in range(c + 1):
            mass = math.comb(c, a) / 2**c
            for own, chance in ((1, truth), (0, 1 - truth)):
                law[a + own] = law.get(a + own, 0.0) + mass * chance
        total += weight * sum(max(law[k] - math.exp(epsilon) * law[c + 1 - k], 0) for k in law)
    found = ShuffledCurve(local, n).removing(np.array([epsilon]))[0]
    assert total <= found <= total * (1 + 1e-6)


def test_positive_part_against_the_binomial() -> None:
    values, chances, times = np.array([1.0, -2.0]), np.array([0.6, 0.4]), 50
    exact = sum(
        math.comb(times, k) * 0.6**k * 0.4 ** (times - k) * max(k - 2 * (times - k), 0) for k in range(times + 1)
    )
    assert exact <= positive_part(values, chances, times) <= exact * 1.001


def test_refuses_what_has_no_local_guarantee() -> None:
    with pytest.raises(InvalidParameter, match="pure local loss"):
        of(GaussianCurve(1)).shuffled(100)
    with pytest.raises(InvalidParameter, match="REPLACE"):
        of(ApproximateCurve(1)).sampled(0.5).shuffled(100)
    with pytest.raises(InvalidParameter, match="reports"):
        of(ApproximateCurve(1)).shuffled(0)
