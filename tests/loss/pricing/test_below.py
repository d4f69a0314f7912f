"""The bracket from below: never above the exact answer, and close to it."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.loss import ApproximateCurve, FiniteCurve, GaussianCurve, LaplaceCurve, PrivacyLoss
from tests.support.exact_sums import exact_epsilon, hockey_stick, joint

of = PrivacyLoss.of


@st.composite
def mirrored(draw: st.DrawFn) -> list[tuple[list[float], int]]:
    """Rows p against p reversed, for which the curve is exact in both directions."""
    kinds = draw(st.integers(1, 3))
    parts = []
    for _ in range(kinds):
        weights = draw(st.lists(st.sampled_from([0, 1, 2, 3, 5, 9, 20, 100]), min_size=2, max_size=3).filter(any))
        parts.append(([w / sum(weights) for w in weights], draw(st.integers(1, 8 // kinds))))
    return parts


@settings(max_examples=60)
@given(mirrored(), st.sampled_from([0.3, 1e-2, 1e-4, 1e-8]))
def test_brackets_the_exact_answer(parts: list[tuple[list[float], int]], delta: float) -> None:
    loss = sum((of(FiniteCurve([row, row[::-1]]), n) for row, n in parts), PrivacyLoss())
    p, q = joint([(row, row[::-1]) for row, n in parts for _ in range(n)])
    forever = hockey_stick(p, q, 300.0)
    if abs(forever - delta) < 1e-9 * delta:
        return
    low, high = loss.lower_bound(delta), loss.epsilon(delta)
    if forever > delta:
        assert low == high == math.inf
        return
    exact = exact_epsilon(p, q, delta)
    assert low <= exact * (1 + 1e-9) + 1e-9
    assert exact - 1e-9 <= high <= exact * (1 + 2e-3) + 1e-6


@pytest.mark.parametrize("delta", [0.3, 1e-3, 1e-6, 1e-12])
def test_brackets_closed_forms(delta: float) -> None:
    """The small Laplace part keeps the Gaussians from being priced by their closed form alone."""
    loss = of(GaussianCurve("0.3"), 9) + of(LaplaceCurve("1e-9"))
    exact = of(GaussianCurve("0.9")).epsilon(delta)
    assert exact * (1 - 5e-3) <= loss.lower_bound(delta) <= exact + 2e-9
    assert exact - 1e-9 <= loss.epsilon(delta) <= exact * (1 + 1e-3)


def test_one_curve_is_its_own_bracket() -> None:
    loss = of(LaplaceCurve(1))
    assert loss.lower_bound(1e-3) == pytest.approx(loss.epsilon(1e-3), rel=1e-9)
    assert loss.lower_bound(0.9) == 0


def test_what_is_infinite_from_above_is_infinite_from_below() -> None:
    loss = of(ApproximateCurve(1, "1e-3"), 5)
    assert loss.lower_bound(1e-3) == loss.epsilon(1e-3) == math.inf
    assert loss.lower_bound(1e-2) < math.inf
    assert of(ApproximateCurve(0), 5).lower_bound(1e-3) == 0
