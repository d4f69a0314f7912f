"""MomentPlan: exact sums, how far a unit moves them, and how wide their noise is."""

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privet import Guarantee, Unit
from privet.asking.budget import Budget
from privet.learn import GaussianNB, StandardScaler
from privet.learn.class_moments import ClassMoments
from privet.learn.class_sums import UNIT
from privet.learn.moment_plan import MomentPlan
from privet.learn.moved_counts import moved_counts
from privet.loss import ConcentratedGuarantee
from privet.mechanisms import CubeNoise, DiscreteLaplace, Gaussian
from privet.noise import BitSource
from tests.learn.neighbor_fits import EVIL, moved, secrets
from tests.support.recording_ledger import LARGE, RecordingPlans

ODD: list[Any] = [[each, each] for each in EVIL]
BOUNDS = ([4.3, -1.0], [7.9, 3.0])  # 0 lies far outside of one pair
CORNERS: list[Any] = [np.array(each) for each in itertools.product((4.3, 7.9, 6.1), (-1.0, 3.0, 1.0))]
ROWS = np.array([[5.0, 0.0], [7.0, 2.0], [6.0, 1.0]])
LABELS = ["a", "b", "a"]


def bayes(**more: Any) -> GaussianNB:  # noqa: ANN401 - parameters
    return GaussianNB(**{"classes": ["a", "b"], "bounds": BOUNDS, "epsilon": 1, "pooled": False, **more})


def scaler(**more: Any) -> StandardScaler:  # noqa: ANN401 - parameters
    return StandardScaler(**{"bounds": BOUNDS, "epsilon": 1, **more})


@pytest.mark.parametrize("pooled", [True, False])
def test_sums_are_exact(pooled: bool, source: BitSource) -> None:  # noqa: FBT001 - a parameter
    rows = np.vstack([*CORNERS, [[5.12345, 0.98765]], [[np.nan, np.inf]], [[-1e308, 5e-324]]])
    labels = ["a", "b", "c"] * 4
    counts, sums, squares = secrets(bayes(pooled=pooled, ledger=RecordingPlans(Unit("person"), source)), rows, labels)
    middle, half = (Fraction("6.1"), 1), (Fraction("1.8"), 2)
    expected: dict[str, list[Any]] = {"a": [0, [0, 0], [0, 0]], "b": [0, [0, 0], [0, 0]]}
    for row, label in zip(rows.tolist(), labels, strict=True):
        if label == "c":
            continue
        expected[label][0] += 1
        for column, value in enumerate(row):
            finite = Fraction(str(min(max(value, -1e9), 1e9))) if value == value else Fraction(middle[column])  # noqa: PLR0124 - NaN
            place = min(max((finite - middle[column]) / half[column], Fraction(-1)), Fraction(1))
            step = round(place * UNIT)
            expected[label][1][column] += step
            expected[label][2][column] += round((2 * Fraction(step, UNIT) ** 2 - 1) * UNIT)
    a, b = expected["a"], expected["b"]
    assert counts == (a[0], b[0])
    assert sums == (*a[1], *b[1])
    assert squares == (tuple(x + y for x, y in zip(a[2], b[2], strict=True)) if pooled else (*a[2], *b[2]))


@pytest.mark.parametrize("pooled", [True, False])
def test_one_row_more_moves_as_far_as_declared_and_no_farther(pooled: bool) -> None:  # noqa: FBT001 - a parameter
    shares = []
    for row, label in itertools.product([*CORNERS, *ODD], ("a", "b", "c")):
        more = np.vstack([ROWS, row]), [*LABELS, label]
        found = moved(lambda **said: bayes(pooled=pooled, **said), (ROWS, LABELS), more)
        assert label != "c" or found == [0, 0, 0]
        shares.append(found)
    assert np.max(shares, axis=0).tolist() == [1, 1, 1]  # less noise would not do


def test_one_replaced_row_moves_as_far_as_declared_and_no_farther() -> None:
    shares = []
    for (one, first), (other, second) in itertools.combinations(itertools.product(CORNERS, "ab"), 2):
        mine, theirs = (np.vstack([ROWS, row]) for row in (one, other))
        shares.append(moved(bayes, (mine, [*LABELS, first]), (theirs, [*LABELS, second]), replaced=True))
    assert np.max(shares, axis=0).tolist() == [1, 1, 1]


def test_units_with_several_rows_move_as_many() -> None:
    def fitted(rows: Any, labels: Any, owners: Any, **said: Any) -> list[tuple[Fraction, ...]]:  # noqa: ANN401 - rows
        ledger = RecordingPlans(Unit("person"))
        found = secrets(bayes(rows_per_unit=2, ledger=ledger, **said), rows, labels, groups=owners)
        declared.append(ledger.sensitivities[1].l1)
        return found

    declared: list[Fraction] = []
    mine = fitted(ROWS, LABELS, [1, 2, 3])
    more = np.vstack([ROWS, np.full((5, 2), 7.9)])
    theirs = fitted(more, [*LABELS, *"aaaaa"], [1, 2, 3, 4, 4, 4, 4, 4])
    assert theirs[0][0] - mine[0][0] == 2
    assert sum(abs(x - y) for x, y in zip(mine[1], theirs[1], strict=True)) == declared[0] == 4 * UNIT


def test_a_scaler_moves_as_far_as_declared_and_no_farther() -> None:
    shares = [moved(scaler, (ROWS,), (np.vstack([ROWS, row]),)) for row in (*CORNERS, *ODD)]
    assert np.max(shares, axis=0).tolist() == [1, 1, 1]
    pairs = itertools.combinations(CORNERS, 2)
    replaced = [moved(scaler, (np.vstack([ROWS, x]),), (np.vstack([ROWS, y]),), replaced=True) for x, y in pairs]
    assert np.max(replaced, axis=0).tolist() == [1, 1]  # no counts: their number is public


@pytest.mark.parametrize("counted", [True, False])
@pytest.mark.parametrize("replaces", [True, False])
@pytest.mark.parametrize("width", [1, 4, 80])
def test_plans_cost_what_they_may(width: int, replaces: bool, counted: bool) -> None:  # noqa: FBT001 - parameters
    said: dict[str, Any] = {"width": width, "moved": 2, "replaces": replaces, "counted": counted}
    pure = MomentPlan.of(Budget.of(epsilon="0.5"), **said)
    assert pure.loss.epsilon(0) == pytest.approx(0.5, rel=1e-12)
    assert pure.loss.meets(Guarantee("0.5"))
    approximate = MomentPlan.of(Budget.of(epsilon=1, delta="1e-6"), **said)
    assert approximate.loss.meets(Guarantee(1, "1e-6"))
    assert not approximate.loss.meets(Guarantee("0.99", "1e-6"))
    concentrated = MomentPlan.of(Budget.of(rho="0.1"), **said)
    assert 0.0999 < concentrated.loss.zcdp() <= 0.1


def test_the_noise_of_the_least_error_is_chosen() -> None:
    few = MomentPlan.of(Budget.of(epsilon=1, delta="1e-6"), width=1, moved=1, replaces=False)
    many = MomentPlan.of(Budget.of(epsilon=1, delta="1e-6"), width=60, moved=1, replaces=False)
    pure = MomentPlan.of(Budget.of(epsilon=1), width=60, moved=1, replaces=False)
    exact = MomentPlan.of(Budget.of(epsilon=10**8), width=60, moved=1, replaces=False)
    assert [type(each.sums) for each in (few, many, pure, exact)] == [
        DiscreteLaplace,
        Gaussian,
        CubeNoise,
        DiscreteLaplace,
    ]
    assert pure.deviations[1] == pytest.approx(math.sqrt(61 * 62 / 3) / 0.7)  # Laplace noise: 121


@pytest.mark.parametrize("price", [{"epsilon": 1}, {"epsilon": "0.3", "delta": "1e-5"}, {"rho": "0.05"}])
def test_the_noise_is_as_wide_as_said(price: dict[str, Any], source: BitSource) -> None:
    """2,000 classes without rows; mean squares within 6 deviations of themselves, and the control is 30 % off."""
    limit = ConcentratedGuarantee(1) if "rho" in price else LARGE
    ledger = RecordingPlans(Unit("person"), source, limit=limit)
    model = bayes(classes=list(range(2000)), ledger=ledger, **{"epsilon": None, **price})
    found = model.fit(np.zeros((0, 2)), np.zeros(0, dtype=int))._learned
    for noise, deviation in (
        (found.counts, found.count_noise),
        (found.sums[:, 0], found.sum_noise),
        (found.squares[:, 1], found.square_noise),
    ):
        squares = noise**2
        slack = 6 * float(squares.std()) / math.sqrt(len(squares))
        assert abs(float(squares.mean()) - deviation**2) < slack
        assert abs(float(squares.mean()) - 1.69 * deviation**2) > slack


def test_tables_are_moved_as_far_as_rows_can() -> None:
    """Brute force: two rows leave cells of three tables, and enter others."""
    cells = list(itertools.product(range(3), repeat=2))  # of both rows, in each table
    farthest: list[Callable[[np.ndarray], float]] = [
        lambda move: float(np.abs(move).sum()),
        lambda move: float((move**2).sum()),
    ]
    for replaces in (False, True):
        moves = []
        for leave, enter in itertools.product(cells, cells):
            move = -np.eye(3)[list(leave)].sum(axis=0) + (np.eye(3)[list(enter)].sum(axis=0) if replaces else 0)
            moves.append(np.tile(move, 3))
        declared = moved_counts(3, 2, replaces=replaces)
        assert max(map(farthest[0], moves)) == declared.l1
        assert max(map(farthest[1], moves)) == pytest.approx(float(declared.l2) ** 2)
        assert max(np.abs(each).max() for each in moves) == declared.linf
        assert max(np.count_nonzero(each) for each in moves) <= declared.cells


def test_batches_add_up() -> None:
    one = ClassMoments(np.array([3.0, 4.0]), np.ones((2, 2)), np.ones((2, 2)), 1.0, 2.0, 3.0)
    two = ClassMoments(np.array([1.0, 1.0]), np.ones((2, 2)), np.ones((1, 2)), 1.0, 2.0, 4.0)
    both = one + two
    assert both.pooled
    assert both.counts.tolist() == [4, 5]
    assert both.squares.tolist() == [[3, 3]]
    assert both.square_noise == pytest.approx(math.sqrt(9 * 2 + 16))
    assert (one + one).squares.tolist() == [[2, 2], [2, 2]]
