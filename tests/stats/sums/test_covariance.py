"""covariance and correlation."""

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privet import Unit
from privet.errors import InvalidParameter
from privet.stats import correlation, covariance, covariance_matrix
from privet.stats.sums.correlation import _correlation
from tests.support.recording_ledger import Recording, assert_within, recorded

X = np.array([1.0, 2.0, 3.5, 9.0, 4.0, np.nan])
Y = np.array([2.0, 1.0, 5.0, 40.0, np.nan, 3.0])
BOUNDS = ((0, 5), (0, 10))
PAIRS = np.clip(X[:4], 0, 5), np.clip(Y[:4], 0, 10)


def test_rows_with_a_missing_value_in_either_column_are_left_out() -> None:
    ledger = Recording(Unit("person"))
    covariance((X, Y), bounds=BOUNDS, epsilon=1, ledger=ledger)
    both, left, right, none = ledger.secrets[0]
    assert both + left + right + none == 4
    exact = both / 4 - (both + left) * (both + right) / 16
    assert float(exact) * 50 == pytest.approx(np.cov(*PAIRS, ddof=0)[0, 1], abs=1e-4)


@pytest.mark.parametrize("ddof", [0, 1])
def test_a_public_number_of_rows(ddof: int) -> None:
    ledger = Recording(Unit("person", "replace"))
    covariance((X[:4], Y[:4]), bounds=BOUNDS, epsilon=1, missing="none", ddof=ddof, ledger=ledger)
    mechanism: Any = ledger.mechanisms[0]
    assert float(ledger.secrets[0][0] * mechanism.factor) == pytest.approx(np.cov(*PAIRS, ddof=ddof)[0, 1], rel=1e-5)
    assert mechanism.factor == Fraction(50 * 3, 4 * (4 - ddof))


def test_no_replaced_row_moves_the_covariance_farther_and_one_reaches_it() -> None:
    """All tables of three rows on a grid of [0, 1]², all replacements of one row."""
    grid = list(itertools.product((0, Fraction(1, 2), 1), repeat=2))

    def scaled(table: list[Any]) -> Any:  # noqa: ANN401 - an exact number: 9 times the covariance
        return 3 * sum(x * y for x, y in table) - sum(x for x, _ in table) * sum(y for _, y in table)

    largest = max(
        abs(scaled([first, second, before]) - scaled([first, second, after]))
        for first, second, before, after in itertools.product(grid, repeat=4)
    )
    assert largest == 2


def test_the_correlation_comes_from_nine_shares() -> None:
    ledger = Recording(Unit("person"))
    correlation((X, Y), bounds=BOUNDS, epsilon=1, ledger=ledger)
    assert sum(ledger.secrets[0]) == 4
    assert ledger.sensitivities[0].l1 == 1
    exact, slopes = _correlation(np.array([float(share) for share in ledger.secrets[0]]))
    assert exact == pytest.approx(np.corrcoef(*PAIRS)[0, 1], abs=1e-5)
    assert len(slopes) == 9


def test_the_slopes_are_those_of_the_function() -> None:
    sums = np.array([2.0, 2.0, 3.0, 2.0, 3.0, 2.0, 1.0, 2.5, 3.0])
    _, slopes = _correlation(sums)
    for place, slope in enumerate(slopes):
        moved = sums.copy()
        moved[place] += 1e-6
        assert (_correlation(moved)[0] - _correlation(sums)[0]) / 1e-6 == pytest.approx(slope, abs=1e-5)


def test_too_little_to_say() -> None:
    assert _correlation(np.zeros(9)) == (0.0, ())
    assert _correlation(np.array([5.0, *[0.0] * 8])) == (0.0, ())
    answer = correlation(([], []), bounds=BOUNDS, epsilon="0.01")
    assert abs(answer.value) <= 1
    assert answer.margin(0.95) <= 2
    empty = covariance(([], []), bounds=BOUNDS, epsilon="0.01")
    assert abs(empty.value) <= 12.5
    assert empty.margin(0.95) <= 25


@pytest.mark.parametrize(
    ("columns", "bounds", "said"),
    [
        (X, BOUNDS, "pair of columns"),
        ((X,), BOUNDS, "pair of columns"),
        ((X, Y), (0, 5), "pair"),
        ((X, Y), ((0, 5),), "for each column"),
        ((X, Y[:3]), BOUNDS, "lengths differ"),
        ((X, np.array(["a"] * 6)), BOUNDS, "must hold numbers"),
    ],
)
def test_what_is_refused(columns: Any, bounds: Any, said: str) -> None:  # noqa: ANN401 - anything
    for ask in (covariance, correlation):
        with pytest.raises(InvalidParameter, match=said):
            ask(columns, bounds=bounds, epsilon=1)


def test_a_public_number_of_too_few_rows() -> None:
    with pytest.raises(InvalidParameter, match="more than 1 rows"):
        covariance((np.array([1]), np.array([1])), bounds=BOUNDS, epsilon=1, neighbors="replace")


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("how", [{"neighbors": "replace", "missing": "none"}, {}])
def test_a_matrix_of_covariances(how: Any, ddof: int) -> None:  # noqa: ANN401 - keywords
    random = np.random.default_rng(3)
    table = random.normal(size=(3, 4000)).clip(-3, 3)
    table[1] += table[0]
    bounds = ((-3, 3), (-6, 6), (-3, 3))
    found = covariance_matrix(list(table), bounds=bounds, epsilon=200, ddof=ddof, **how)
    assert found.value == pytest.approx(np.cov(table, ddof=ddof), abs=0.02)
    assert (found.value == found.value.T).all()
    assert found.margin(0.9).shape == (3, 3)
    assert (found.margin(0.9) < found.margin(0.99)).all()
    assert found.margin(0.9)[1, 1] > found.margin(0.9)[0, 0], "the wider column errs more"
    assert "at most ±" in repr(found)
    assert "spent ε=200 per person on 'covariance matrix'" in repr(found)


def test_a_matrix_needs_columns_and_their_bounds() -> None:
    for columns, bounds in ((X, BOUNDS), ((X,), BOUNDS[:1]), ((X, Y), BOUNDS[:1])):
        with pytest.raises(InvalidParameter, match="two or more columns"):
            covariance_matrix(columns, bounds=bounds, epsilon=1)
    with pytest.raises(InvalidParameter, match="more than 1 rows"):
        covariance_matrix((np.array([1]), np.array([1])), bounds=BOUNDS, epsilon=1, neighbors="replace")
    assert covariance_matrix(([], []), bounds=BOUNDS, epsilon=1).value.shape == (2, 2)


@pytest.mark.parametrize("more", [[], [(0.0, 0.0)], [(1.0, 0.0), (0.5, 0.5)]])
@pytest.mark.parametrize("ask", [covariance, covariance_matrix])
def test_two_rows_of_one_unit_move_their_own_pair_twice(more: list[tuple[float, float]], ask: Any) -> None:  # noqa: ANN401 - a statistic
    """From a rising pair to a falling one: with no other rows, exactly as far as declared."""

    def secret(mine: list[tuple[float, float]]) -> tuple[tuple[Fraction, ...], Any]:
        x, y = np.array([*mine, *more]).T
        how = {"bounds": ((0, 1), (0, 1)), "epsilon": 1, "missing": "none", "rows_per_unit": 2}
        return recorded(lambda ledger: ask((x, y), ledger=ledger, **how), Unit("person", "replace"))

    rising, declared = secret([(0.0, 0.0), (1.0, 1.0)])
    falling, _ = secret([(0.0, 1.0), (1.0, 0.0)])
    assert_within(rising, falling, declared)
    farthest = max(abs(one - other) for one, other in zip(rising, falling, strict=True))
    assert farthest == declared.linf or more
