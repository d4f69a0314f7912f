"""SecondMoments: what one unit moves, by brute force at the corners; that sums are exact; that noise is as told."""

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.asking.budget import Budget
from privet.asking.payment import Payment
from privet.learn.features import Ball, Box
from privet.learn.fitting import Fitting
from privet.learn.noisy_moments import squared
from privet.learn.rows import Rows
from privet.learn.second_moments import ONE, SecondMoments, Way
from privet.mechanisms import CubeNoise, DiscreteLaplace, SymmetricGaussian

Y = Box.of((-1, 1), width=1)
GAUSSIAN = Budget.of(rho="0.5")
PURE = Budget.of(epsilon=1)
CORNERS = [-1e300, -1.0, -0.5, -0.0, 0.0, 1e-9, 1.0, 7.0, math.inf, -math.inf, math.nan]


def rows_of(table: Any, target: Any = None) -> Rows:  # noqa: ANN401 - rows
    features = np.asarray(table, dtype=np.float64)
    return Rows.of(features, target, width=features.shape[1])


def moved(plan: SecondMoments, old: Any, new: Any) -> list[int]:  # noqa: ANN401 - rows with a target last
    """How far the exact sums move if some rows become others."""

    def sums(pairs: Any) -> Any:  # noqa: ANN401 - rows with a target last
        table = np.asarray(pairs, dtype=np.float64).reshape(-1, plan.columns + 1)
        return plan.sums(rows_of(table[:, :-1], None if plan.target is None else table[:, -1])).astype(object)

    return list(sums(new) - sums(old))


def exceeded(way: Way, plan: SecondMoments, move: list[int]) -> float:
    """The share of its sensitivity that a move takes, in the norm of the mechanism."""
    mechanism: Any = way.mechanism
    if isinstance(mechanism, CubeNoise):
        return max(map(abs, move)) / mechanism.reach
    if isinstance(mechanism, DiscreteLaplace):
        return float(sum(map(abs, move)) / mechanism.l1_sensitivity)
    places = itertools.combinations_with_replacement(range(plan.width), 2)
    square = sum(
        (1 if i == j else 2) * (mechanism.weights[i] * mechanism.weights[j] * each) ** 2
        for (i, j), each in zip(places, move, strict=True)
    )
    return math.sqrt(square) / float(mechanism.l2_sensitivity)


def ways(plan: SecondMoments, *, rows: int, replaces: bool) -> list[Way]:
    pure = plan._pure(Fraction(1), rows, replaces=replaces)
    return [plan._gaussian(GAUSSIAN, rows, replaces=replaces), *pure]


PLANS = [
    SecondMoments(features, 2, target=target, constant=constant)
    for features in (Box.of((-1, 1), width=2), Ball.of(1))
    for target in (Y, None)
    for constant in (True, False)
]
row = st.tuples(*[st.sampled_from(CORNERS) | st.floats(width=32)] * 3)


@pytest.mark.parametrize("plan", PLANS, ids=range(len(PLANS)))
@settings(max_examples=40)
@given(st.lists(row, min_size=2, max_size=2), st.lists(row, min_size=2, max_size=2))
def test_no_unit_moves_more_than_noise_is_made_for(plan: SecondMoments, old: Any, new: Any) -> None:  # noqa: ANN401
    for count in (1, 2):
        added = moved(plan, [], new[:count])
        changed = moved(plan, old[:count], new[:count])
        for way in ways(plan, rows=count, replaces=False):
            assert exceeded(way, plan, added) <= 1
        for way in ways(plan, rows=count, replaces=True):
            assert exceeded(way, plan, changed) <= 1


def test_no_sensitivity_can_be_smaller() -> None:
    """Corners at which each norm takes all of its sensitivity: noise made for less would be too little."""
    box, ball = PLANS[0], PLANS[4]
    corner = [(1.0, 1.0, 1.0)]
    for way in ways(box, rows=1, replaces=False):
        assert exceeded(way, box, moved(box, [], corner)) > 1 - 1e-4
    gaussian, cube, laplace = ways(box, rows=1, replaces=True)
    apart = moved(box, [(1, 1, -1)], [(-1, -1, -1)])
    assert exceeded(cube, box, apart) == 1
    assert exceeded(gaussian, box, apart) > 0.8
    assert exceeded(ways(box, rows=1, replaces=False)[0], box, apart) > 1.1  # the control: it is more than added rows
    assert exceeded(ways(box, rows=1, replaces=False)[1], box, apart) == 2
    diagonal = [(math.sqrt(0.5), math.sqrt(0.5), 1.0)]
    for way in ways(ball, rows=1, replaces=False):
        assert exceeded(way, ball, moved(ball, [], diagonal)) > 1 - 1e-3 or isinstance(way.mechanism, CubeNoise)
    bare = SecondMoments(Ball.of(1), 2, constant=False)  # rows at right angles: √2, attained
    assert exceeded(ways(bare, rows=1, replaces=True)[0], bare, moved(bare, [(1, 0, 0)], [(0, 1, 0)])) > 1 - 1e-4
    assert laplace.sensitivity.l1 == 2 * 10 * ONE


def test_sums_are_exact() -> None:
    """Against Python's integers, over several chunks; a row without a target does not count."""
    source = np.random.default_rng(5)
    table = source.uniform(-1.2, 1.2, size=(70_000, 2))
    table[3, 0] = np.nan
    target = source.uniform(-1, 1, size=70_000)
    target[5] = np.nan
    plan = PLANS[0]
    steps = np.ldexp(np.hstack([np.ones((70_000, 1)), plan.features.unit(table), Y.unit(target[:, None])]), 15)
    counted = [[int(each) for each in row] for row, y in zip(steps.tolist(), target.tolist(), strict=True) if y == y]  # noqa: PLR0124
    wanted = [sum(v[i] * v[j] for v in counted) for i, j in itertools.combinations_with_replacement(range(4), 2)]
    assert plan.sums(rows_of(table, target)).tolist() == wanted
    assert wanted[0] == 69_999 * ONE


def test_no_rows_have_no_sums() -> None:
    assert not PLANS[0].sums(rows_of(np.empty((0, 2)), np.empty(0))).any()


def released(plan: SecondMoments, *, columns: int = 2, **price: Any) -> Any:  # noqa: ANN401 - a budget
    payment = Payment.of("a test", price)
    target = None if plan.target is None else np.empty(0)
    return plan.release(Fitting(payment, rows_of(np.empty((0, columns)), target)))


@pytest.mark.parametrize(
    ("plan", "price", "kind"),
    [
        (PLANS[0], {"epsilon": 1}, CubeNoise),
        (PLANS[0], {"epsilon": 1, "delta": "1e-6"}, CubeNoise),
        (PLANS[0], {"rho": 1}, SymmetricGaussian),
        (SecondMoments(Ball.of(1), 12, target=Y), {"epsilon": 1}, DiscreteLaplace),
        (SecondMoments(Ball.of(1), 12, target=Y), {"epsilon": 1, "delta": "1e-6"}, SymmetricGaussian),
    ],
    ids=str,
)
def test_released_sums_err_as_told(plan: SecondMoments, price: Any, kind: type) -> None:  # noqa: ANN401 - a budget
    """n = 40 releases of nothing but noise; the size of each is within 1e-6, the control's, 0.6 as wide, is not."""
    way = plan.best(Budget.of(**price), rows=1, replaces=False)
    assert type(way.mechanism) is kind
    found = [released(plan, columns=plan.columns, **price) for _ in range(40)]
    scaled = np.array([(each.matrix / each.deviations)[np.triu_indices(plan.width)] for each in found])
    size = float((scaled**2).mean())
    spread = {CubeNoise: 1.5, DiscreteLaplace: 2.4, SymmetricGaussian: 1.0}[kind]  # against that of normal noise
    assert 1 - 4.9 * spread * math.sqrt(2 / scaled.size) < size < 1 + 5.5 * spread * math.sqrt(2 / scaled.size)
    assert (found[0].matrix == found[0].matrix.T).all()


def test_what_is_where_in_the_matrix() -> None:
    found = released(PLANS[0], epsilon=10**6)
    assert found.products.shape == (2, 2)
    assert found.sums.shape == (2,)
    assert abs(found.rows) < 0.1
    with pytest.raises(TypeError):
        _ = released(PLANS[1], epsilon=10**6).rows
    assert squared(np.arange(6.0)).tolist() == [[0, 1, 2], [1, 3, 4], [2, 4, 5]]
