import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.errors import InvalidParameter
from privet.loss.divergences.divergence import (
    approximate_max_divergence,
    hockey_stick,
    log_ratio,
    masses,
    max_divergence,
    renyi_divergence,
)
from tests.support import loss_oracle as oracle

TOTAL = 2**20


@st.composite
def distributions(draw: st.DrawFn, size: int) -> list[float]:
    """Masses that are whole multiples of 2^-20, so that they sum to 1 exactly; zeros included."""
    cuts = sorted(draw(st.lists(st.integers(0, TOTAL), min_size=size - 1, max_size=size - 1)))
    edges = [0, *cuts, TOTAL]
    return [(high - low) / TOTAL for low, high in itertools.pairwise(edges)]


@st.composite
def pairs(draw: st.DrawFn) -> tuple[list[float], list[float]]:
    size = draw(st.integers(2, 6))
    return draw(distributions(size)), draw(distributions(size))


EPSILONS = st.one_of(st.just(0.0), st.floats(1e-9, 30))


@given(pairs(), EPSILONS)
def test_hockey_stick_is_a_tight_upper_bound(pq: tuple[list[float], list[float]], epsilon: float) -> None:
    truth = oracle.hockey_stick(*pq, epsilon)
    assert oracle.binary(hockey_stick(*pq, epsilon=epsilon)) >= truth
    assert hockey_stick(*pq, epsilon=epsilon) <= float(truth) + 1e-12


@given(pairs())
def test_hockey_stick_at_zero_is_exact(pq: tuple[list[float], list[float]]) -> None:
    assert hockey_stick(*pq, epsilon=0) == sum(max(a - b, 0) for a, b in zip(*pq, strict=True))


@given(pairs(), st.sampled_from([0.0, 2.0**-20, 0.001, 0.1, 0.5, 0.99, 1.0]))
def test_approximate_max_divergence_is_the_best_of_all_sets(pq: tuple[list[float], list[float]], delta: float) -> None:
    truth = oracle.approximate_max_divergence(*pq, delta)
    result = approximate_max_divergence(*pq, delta=delta)
    if truth is None:
        assert result == math.inf
    else:
        assert oracle.binary(result) >= truth
        assert result <= float(truth) + 1e-6  # next to a set of mass δ the logarithm magnifies one ulp


@given(pairs(), st.one_of(st.sampled_from([1.0, 1 + 1e-12, 1 + 1e-8, 1.5, 2.0]), st.floats(1, 500)))
def test_renyi_is_a_tight_upper_bound(pq: tuple[list[float], list[float]], order: float) -> None:
    result = renyi_divergence(*pq, order=order)
    if any(a > 0 and b == 0 for a, b in zip(*pq, strict=True)):
        assert result == math.inf
        return
    truth = oracle.renyi(*pq, order)
    assert oracle.binary(result) >= truth
    assert result <= float(truth) * (1 + 1e-12) + 1e-11


@given(pairs())
def test_renyi_rises_with_the_order_up_to_the_max_divergence(pq: tuple[list[float], list[float]]) -> None:
    values = [renyi_divergence(*pq, order=order) for order in (1, 1.01, 2, 10, 1000)]
    for low, high in zip(values, [*values[1:], max_divergence(*pq)], strict=True):
        assert low <= high + 1e-11


@given(pairs())
def test_nothing_is_nan(pq: tuple[list[float], list[float]]) -> None:
    results = [
        max_divergence(*pq),
        *(hockey_stick(*pq, epsilon=epsilon) for epsilon in (0, 1, 1000, math.inf)),
        *(approximate_max_divergence(*pq, delta=delta) for delta in (0, 1e-300, 0.5, 1)),
        *(renyi_divergence(*pq, order=order) for order in (1, 2, 1e300, math.inf)),
    ]
    assert not any(math.isnan(result) or result < 0 for result in results)


def test_equal_distributions_are_at_distance_zero() -> None:
    p = [0.1, 0.2, 0.3, 0.4, 0.0]
    assert max_divergence(p, p) == 0
    assert hockey_stick(p, p, epsilon=0) == 0
    assert renyi_divergence(p, p, order=1) == renyi_divergence(p, p, order=50) == 0
    assert approximate_max_divergence(p, p, delta=0.1) == 0


def test_disjoint_distributions_are_told_apart_for_certain() -> None:
    p, q = [1.0, 0.0], [0.0, 1.0]
    assert hockey_stick(p, q, epsilon=1000) == hockey_stick(p, q, epsilon=math.inf) == 1
    assert max_divergence(p, q) == renyi_divergence(p, q, order=1) == math.inf
    assert approximate_max_divergence(p, q, delta=1) == 0


def test_orders_next_to_one_do_not_vanish() -> None:
    p = [0.5 + 2**-20, 0.5 - 2**-20]
    q = [0.5, 0.5]
    for order in (1 + 1e-15, 1 + 1e-8, 1.0):
        assert renyi_divergence(p, q, order=order) == pytest.approx(2**-39, rel=1e-4)


def test_log_ratio_spans_all_floats() -> None:
    p, q = np.array([1e-320, 1.0, 0.0, 0.0, 1.0]), np.array([1.0, 1e-320, 0.0, 1.0, 0.0])
    result = log_ratio(p, q)
    assert result[0] == pytest.approx(-result[1]) == pytest.approx(math.log(1e-320))
    assert result[2:].tolist() == [0, -math.inf, math.inf]


@pytest.mark.parametrize("bad", [[], [0.5, 0.4], [1.5, -0.5], [math.nan, 1], [[0.5, 0.5]]])
def test_what_is_not_a_distribution_is_refused(bad: list[float]) -> None:
    with pytest.raises(InvalidParameter, match="masses"):
        masses(bad)


def test_arguments_out_of_range_are_refused() -> None:
    p = [0.5, 0.5]
    calls: list[Callable[[], float]] = [
        lambda: hockey_stick(p, p, epsilon=-1),
        lambda: hockey_stick(p, p, epsilon=math.nan),
        lambda: approximate_max_divergence(p, p, delta=2),
        lambda: renyi_divergence(p, p, order=0.5),
        lambda: renyi_divergence(p, p, order=math.nan),
        lambda: max_divergence(p, [0.3, 0.3, 0.4]),
    ]
    for call in calls:
        with pytest.raises(InvalidParameter):
            call()
