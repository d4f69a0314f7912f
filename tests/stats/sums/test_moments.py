"""moments, variance, stddev."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privet import Unit
from privet.errors import InvalidParameter
from privet.stats import moments, stddev, variance
from privet.stats.sums.variance import in_moves, moved_pairs
from tests.support.recording_ledger import Recording

X = np.array([3.0, np.nan, 250.0, -8.0, 40.0, 77.7])
CLIPPED = np.clip(X[[0, 2, 3, 4, 5]], 0, 100)


def test_four_answers_from_three_sums() -> None:
    found = moments(np.repeat(X, 2000), bounds=(0, 100), epsilon=100)
    assert found.count.value == pytest.approx(10_000, abs=1)
    assert found.mean.value == pytest.approx(CLIPPED.mean(), abs=0.1)
    assert found.variance.value == pytest.approx(CLIPPED.var(), abs=1)
    assert found.stddev.value == pytest.approx(CLIPPED.std(), abs=0.1)
    assert found.mean.loss == found.release.loss
    text = repr(found)
    assert text.startswith("count: ")
    assert text.endswith("spent ε=100 per person on 'moments' by Laplace(l1_sensitivity=1, scale=0.01)")
    assert len(text.splitlines()) == 5


def test_the_three_sums_are_exact_shares() -> None:
    ledger = Recording(Unit("person"))
    moments(X, bounds=(0, 100), epsilon=1, ledger=ledger)
    squares, crosses, rest = ledger.secrets[0]
    assert squares + crosses + rest == 5
    assert float(squares) == pytest.approx(((CLIPPED / 100) ** 2).sum(), abs=1e-6)
    assert float(squares + crosses / 2) == pytest.approx((CLIPPED / 100).sum(), abs=1e-6)


@pytest.mark.parametrize("ddof", [0, 1, 3])
@pytest.mark.parametrize("fill", ["none", 12])
def test_the_variance_of_a_public_number_of_rows(ddof: int, fill: Any) -> None:  # noqa: ANN401 - a policy
    ledger = Recording(Unit("person", "replace"))
    variance(X, bounds=(0, 100), epsilon=1, ddof=ddof, missing=fill, ledger=ledger)
    mechanism: Any = ledger.mechanisms[0]
    exact = float(ledger.secrets[0][0] * mechanism.factor)
    expected = np.append(CLIPPED, 50 if fill == "none" else fill).var(ddof=ddof)
    assert exact == pytest.approx(expected, rel=1e-5)
    assert mechanism.factor == Fraction(100**2 * 5, 6 * (6 - ddof))


@pytest.mark.parametrize(("rows", "pairs"), [(2, 1), (3, 2), (100, 99)])
def test_the_sensitivity_of_the_variance_is_reached_and_not_more(rows: int, pairs: int) -> None:
    """(n - 1)/n²: all at 0, or all but one; n = 1 has no variance, and is refused."""
    assert moved_pairs(rows, 1) == pairs
    zeros = np.zeros(rows)
    one = np.append(np.zeros(rows - 1), 1.0)
    assert one.var() - zeros.var() == pytest.approx(pairs / rows**2)
    with pytest.raises(InvalidParameter, match="more than 1 rows, got 1"):
        variance(np.array([1]), bounds=(0, 1), epsilon=1, neighbors="replace")
    with pytest.raises(InvalidParameter, match="more than 2 rows"):
        variance(np.array([1, 2]), bounds=(0, 1), epsilon=1, neighbors="replace", ddof=2)


def test_pairs_with_several_rows() -> None:
    for rows in range(1, 7):
        for moved in range(1, 9):
            unmoved = max(rows - moved, 0)
            assert moved_pairs(rows, moved) == math.comb(rows, 2) - math.comb(unmoved, 2)


def test_rounding_in_moves_keeps_a_move_a_move() -> None:
    for total in (0, 1, 12345, -7, 10**30):
        for move in (1, 3, 10**6 + 1):
            assert Fraction(in_moves(total + move, move)) - Fraction(in_moves(total, move)) == 1 or total == 10**30


def test_small_or_empty_data_give_bounded_answers() -> None:
    for values in ([], [1.0], X):
        for _ in range(10):
            found = moments(values, bounds=(0, 100), epsilon="0.1", ddof=1)
            assert 0 <= found.mean.value <= 100
            assert found.variance.value >= 0
            assert found.stddev.value == pytest.approx(math.sqrt(found.variance.value))
            assert found.variance.margin(0.95) <= 2500 * 2
            assert found.stddev.margin(0.95) > 0


def test_stddev_is_the_root() -> None:
    answer = stddev(np.arange(1000), bounds=(0, 1000), epsilon=50, neighbors="replace")
    assert answer.value == pytest.approx(np.arange(1000).std(), rel=0.01)
    assert 0 < answer.margin(0.95) < 10
    assert answer.purpose == "stddev"
    noisy = [stddev(np.zeros(3, dtype=int), bounds=(0, 1), epsilon="0.1", neighbors="replace") for _ in range(20)]
    assert all(release.value >= 0 and release.margin(0.9) > 0 for release in noisy)


@pytest.mark.parametrize("ddof", [-1, 0.5, True])
def test_ddof_is_a_whole_number(ddof: Any) -> None:  # noqa: ANN401 - anything
    for ask in (variance, stddev, moments):
        with pytest.raises(InvalidParameter, match="ddof must be a whole number"):
            ask([1.0, 2.0], bounds=(0, 1), epsilon=1, ddof=ddof)
