import itertools
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.errors import InvalidParameter
from privet.explain.theorems import (
    advanced_composition,
    basic_composition,
    compare_composition,
    gaussian_epsilon,
    improved_composition,
    optimal_composition,
    renyi_composition,
    renyi_composition_ferrari,
    renyi_composition_standard,
    zcdp_composition,
    zcdp_composition_standard,
)
from privet.loss.divergences.divergence import approximate_max_divergence
from tests.support import loss_oracle as oracle

ALL = [
    advanced_composition,
    basic_composition,
    improved_composition,
    optimal_composition,
    renyi_composition,
    renyi_composition_ferrari,
    renyi_composition_standard,
    zcdp_composition,
    zcdp_composition_standard,
]
EPSILONS = st.floats(1e-4, 5)
DELTAS = st.floats(1e-15, 0.5)


@given(EPSILONS, st.integers(1, 60), DELTAS)
def test_optimal_is_exact(epsilon: float, times: int, delta: float) -> None:
    """Its δ is certainly at most the one allowed, and a hair below it is not."""
    result = optimal_composition(epsilon, times=times, delta=delta)
    level = Fraction(repr(epsilon))
    with oracle.digits():
        assert oracle.response_delta(level, times, oracle.ball(result)) <= oracle.ball(delta)
        if result > 0:
            assert oracle.response_delta(level, times, oracle.binary(result * (1 - 1e-12))) > oracle.ball(delta)


@given(EPSILONS, st.integers(1, 2000), DELTAS)
def test_no_theorem_beats_the_optimum(epsilon: float, times: int, delta: float) -> None:
    comparison = compare_composition(epsilon, times=times, delta=delta)
    assert comparison.best.epsilon == comparison.exact.epsilon
    found = {bound.theorem: bound.epsilon for bound in comparison.bounds}
    assert found["Rényi, tight conversion"] <= found["Rényi, standard conversion"]
    assert found["zCDP, tight conversions"] <= found["zCDP, standard conversions"]
    assert found["advanced (Kairouz-Oh-Viswanath)"] <= found["advanced (Dwork-Roth)"]
    assert found["Rényi, tight conversion"] <= found["zCDP, tight conversions"] * (1 + 1e-9)


@given(EPSILONS, st.integers(1, 10**6), DELTAS)
def test_closed_forms_are_rounded_up_by_at_most_two_ulp(epsilon: float, times: int, delta: float) -> None:
    with oracle.digits():
        level, failure = oracle.ball(epsilon), oracle.ball(delta)
        spread = level * (2 * times * (1 / failure).log()).sqrt()
        dwork_roth = spread + times * level * (level.exp() - 1)
        kov = spread + times * level * (level.exp() - 1) / (level.exp() + 1)
        assert oracle.at_least(advanced_composition(epsilon, times=times, delta=delta), dwork_roth, within=5e-16)
        assert oracle.at_least(improved_composition(epsilon, times=times, delta=delta), kov, within=5e-16)


@pytest.mark.parametrize(("delta_each", "delta"), [(0.01, 0.1), (0.02, 0.0588080001), (0.001, 0.5), (0.03, 0.05)])
def test_optimal_with_failures_is_exact(delta_each: float, delta: float) -> None:
    """Three (0.4, δ)-DP releases by brute force over their four-point dominating pair."""
    truth = 1 / (1 + math.exp(-0.4))
    pair = [delta_each, (1 - delta_each) * truth, (1 - delta_each) * (1 - truth), 0.0]
    p, q = ([math.prod(x) for x in itertools.product(masses, repeat=3)] for masses in (pair, pair[::-1]))
    brute = approximate_max_divergence(p, q, delta=delta)
    assert optimal_composition(0.4, times=3, delta=delta, delta_each=delta_each) == pytest.approx(brute, abs=1e-6)


@pytest.mark.parametrize("theorem", ALL)
def test_failures_beyond_delta_leave_no_promise(theorem: Callable[..., float]) -> None:
    assert theorem(0.1, times=10, delta="1e-6", delta_each="1e-6") == math.inf
    assert theorem(0.1, times=10, delta="1e-300", delta_each="1e-300") == math.inf
    assert theorem(0.1, times=10, delta="2e-6", delta_each="1e-7") < 4


@pytest.mark.parametrize("theorem", ALL)
@given(epsilon=st.sampled_from([0, 1e-300, 0.1, 1, 50, 1000]), times=st.sampled_from([1, 2, 1000]))
def test_every_theorem_is_total(theorem: Callable[..., float], epsilon: float, times: int) -> None:
    for delta in (0, 1e-300, 1e-6, 1):
        result = theorem(epsilon, times=times, delta=delta)
        assert result >= 0
        if delta > 0 and epsilon < 1000:  # Dwork and Roth's e^1000 is no float
            assert result < math.inf


@pytest.mark.parametrize("theorem", ALL)
def test_more_releases_and_larger_ones_cost_more_and_more_delta_less(theorem: Callable[..., float]) -> None:
    by_times = [theorem(0.1, times=times, delta=1e-6) for times in (1, 2, 5, 20, 100, 1000)]
    by_size = [theorem(size, times=30, delta=1e-6) for size in (0.001, 0.01, 0.1, 1, 10)]
    by_delta = [theorem(0.1, times=30, delta=delta) for delta in (0.4, 1e-3, 1e-6, 1e-12)]
    for values in (by_times, by_size, by_delta):
        assert values == sorted(values)


def test_a_million_releases() -> None:
    result = optimal_composition("0.0001", times=10**6, delta="1e-6")
    assert result == pytest.approx(gaussian_epsilon(0.1, delta=1e-6), abs=1e-5)  # the limit of many small ones
    assert result < zcdp_composition("0.0001", times=10**6, delta="1e-6")


def test_delta_zero_gives_basic_composition() -> None:
    for theorem in (optimal_composition, renyi_composition, renyi_composition_standard, basic_composition):
        assert theorem(0.1, times=10, delta=0) == 1.0
    assert zcdp_composition(0.1, times=10, delta=0) == math.inf


def test_comparison_is_iterable_text() -> None:
    comparison = compare_composition(0.1, times=10, delta=1e-5)
    lines = str(comparison).splitlines()
    assert lines[0] == "10 releases of (ε=0.1, δ=0) at total δ=1e-05"
    assert len(lines) == 2 + len(comparison.bounds)
    assert str(compare_composition(0, times=10, delta=1e-5)).count("-") >= len(comparison.bounds)


@pytest.mark.parametrize("theorem", ALL)
def test_bad_arguments_are_refused(theorem: Callable[..., float]) -> None:
    for epsilon, times, delta in (
        (-1, 1, 0.1),
        (math.nan, 1, 0.1),
        (0.1, 0, 0.1),
        (0.1, 1.5, 0.1),
        (0.1, 1, 2),
    ):
        with pytest.raises(InvalidParameter):
            theorem(epsilon, times=times, delta=delta)
    with pytest.raises(InvalidParameter, match="delta_each"):
        theorem(0.1, times=1, delta=0.1, delta_each=np.nan)
