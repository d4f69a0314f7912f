"""Mission rows R001, R010, R020 to R025, R060 to R074: definitions and responses that fit into a small table."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from privet.core import Ledger, Sensitive, Sensitivity, Unit
from privet.errors import BudgetExceeded, InvalidParameter
from privet.loss import Guarantee
from privet.mechanisms.finite_mechanism import FiniteMechanism
from privet.mechanisms.kary_randomized_response import KaryRandomizedResponse
from privet.mechanisms.randomized_response import RandomizedResponse
from tests.golden.printed import agrees

COINS = FiniteMechanism([["3/4", "1/4"], ["1/4", "3/4"]])  # the truth three times in four
LN_3 = "1.09861228866810969140"  # rounded up in the last digit


def all_sets(columns: int) -> list[tuple[int, ...]]:
    return [chosen for size in range(columns + 1) for chosen in combinations(range(columns), size)]


def private_for_all_sets(matrix: Sequence[Sequence[Fraction]], epsilon: float) -> bool:
    """P(M(x) in T) <= e^ε P(M(x') in T) for all T, x and x', straight from the definition."""
    return all(
        float(sum(one[c] for c in chosen)) <= math.exp(epsilon) * float(sum(other[c] for c in chosen))
        for one, other in permutations(matrix, 2)
        for chosen in all_sets(len(one))
    )


def test_r001_the_definition_over_all_sets_passes_at_ln_3_and_fails_below() -> None:
    assert agrees(COINS.worst().epsilon, "1.098612")
    assert private_for_all_sets(COINS.matrix, float(LN_3) + 1e-15)
    assert COINS.keeps(Guarantee(LN_3))
    assert not private_for_all_sets(COINS.matrix, 1.0986)
    assert not COINS.keeps(Guarantee("1.0986"))
    assert not COINS.loss.meets(Guarantee("1.0986"))


def test_r010_the_local_model_compares_single_inputs() -> None:
    """A survey of n people is one product; of two neighbors only the factor of the one who differs remains."""
    people = np.array([0, 1, 1])
    other = np.array([0, 0, 1])
    rows = np.array(COINS.matrix, dtype=float)
    reports = [np.array(report) for report in np.ndindex(2, 2, 2)]
    ratios = [np.prod(rows[people, report]) / np.prod(rows[other, report]) for report in reports]
    assert max(ratios) == pytest.approx(3)
    assert agrees(RandomizedResponse.symmetric(truth=0.75).loss.epsilon(0), "1.098612")


@pytest.mark.parametrize(
    ("matrix", "accuracy"),
    [
        ([[1]], [1]),
        ([[1, 0], [1, 0]], [1, 0]),
        ([[0, 0, 1], [0, 0, 1]], [0, 0]),
        ([[0.5, 0.5], [0.5, 0.5]], [0.5, 0.5]),
    ],
)
def test_r020_perfect_privacy_has_any_accuracy(matrix: list[list[float]], accuracy: list[float]) -> None:
    """A constant may be right always, for one input, or never; a fair coin is right half the time, not never."""
    perfect = FiniteMechanism(matrix)
    assert perfect.loss.epsilon(0) == 0
    assert perfect.worst().epsilon == 0
    assert list(perfect.accuracy()) == accuracy


@pytest.mark.parametrize("epsilon", ["1.0987", "2", "100"])
def test_r021_any_larger_epsilon_holds_and_the_smallest_is_reported(epsilon: str) -> None:
    assert COINS.keeps(Guarantee(epsilon))
    assert COINS.loss.meets(Guarantee(epsilon))
    assert agrees(COINS.loss.epsilon(0), "1.098612")


def test_r022_a_deterministic_function_that_is_not_constant_is_refused() -> None:
    identity = FiniteMechanism([[1, 0], [0, 1]])
    assert identity.worst().epsilon == math.inf
    assert identity.loss.epsilon(0) == math.inf
    unit = Unit("person", neighbors="replace")
    ledger = Ledger(Guarantee(10**6), unit=unit)
    with pytest.raises(BudgetExceeded):
        ledger.release(Sensitive(1, Sensitivity(1), unit), identity, purpose="the answer itself")


def test_r024_a_finite_kernel_is_a_row_stochastic_matrix() -> None:
    thirds = FiniteMechanism([[1 / 3, 1 / 3, 1 / 3], [0.1, 0.2, 0.7]])  # floats: 1 - 1e-16 and 0.1 + 0.2 + 0.7
    assert [sum(row) for row in thirds.matrix] == [1, 1]
    for bad in ([[0.5, 0.499999]], [[0.5, 0.6]], [[-0.5, 1.5]]):
        with pytest.raises(InvalidParameter):
            FiniteMechanism(bad)


def stochastic(rows: int, columns: int) -> st.SearchStrategy[list[list[Fraction]]]:
    row = st.lists(st.integers(0, 9), min_size=columns, max_size=columns).filter(any)
    return st.lists(row.map(lambda r: [Fraction(x, sum(r)) for x in r]), min_size=rows, max_size=rows)


@given(stochastic(3, 4), stochastic(4, 3))
def test_r025_post_processing_by_any_table_never_raises_epsilon(
    matrix: list[list[Fraction]], further: list[list[Fraction]]
) -> None:
    """G after M; the table of G is random, and need not be a uniform choice of deterministic functions."""
    before = FiniteMechanism(matrix)
    after = before @ further
    assert after.worst().ratio <= before.worst().ratio
    assert after.delta("0.5") <= before.delta("0.5") + 1e-12


def test_r060_two_coins() -> None:
    """Heads: the truth; tails: a second coin. So the truth is told with 1/2 + 1/4."""
    response = RandomizedResponse.symmetric(truth=Fraction(1, 2) + Fraction(1, 4))
    assert response.flip_zero == response.flip_one == Fraction(1, 4)
    assert agrees(response.loss.epsilon(0), "1.098612")


@pytest.mark.parametrize(("truth", "printed"), [("0.6", "0.405465"), ("0.9", "2.197225"), ("0.5", "0")])
def test_r061_epsilon_is_the_size_of_the_log_odds(truth: str, printed: str) -> None:
    assert agrees(RandomizedResponse.symmetric(truth=truth).loss.epsilon(0), printed)


def test_r064_asymmetric_response_takes_the_logarithm() -> None:
    loss = RandomizedResponse(flip_zero=0.1, flip_one=0.3).loss
    p, q = 0.1, 0.3
    largest = max((1 - p) / q, p / (1 - q), q / (1 - p), (1 - q) / p)
    assert largest == pytest.approx(7)
    assert agrees(loss.epsilon(0), "1.945910")
    assert loss.epsilon(0) < 2 < largest  # "max{…}-DP" without the ln


def test_r065_number_of_flipped_bits() -> None:
    response = RandomizedResponse.symmetric(truth="3/4")
    assert agrees(response.flipped(2, bits=10), "0.281568")
    assert response.flipped(2, bits=10) == pytest.approx(binom.pmf(2, 10, 0.25))
    assert RandomizedResponse("0.9", "0.1").flipped(1, bits=10) == 1  # 10 · 0.9 · 0.9⁹ = 3.49 is capped


def test_r066_a_fair_coin_reveals_nothing() -> None:
    coin = RandomizedResponse(0.5, 0.5)
    assert coin.loss.epsilon(0) == 0
    assert coin.uncertainty.tail(0) == 0.5


def test_r067_two_heads_negate() -> None:
    """im f = {F, T}; its four subsets are {}, {F}, {T}, {F, T}."""
    heads = Fraction(1, 4)
    survey = FiniteMechanism([[1 - heads, heads], [heads, 1 - heads]])
    assert len(all_sets(2)) == 4
    assert (survey.matrix[1][1], survey.matrix[0][1]) == (Fraction(3, 4), Fraction(1, 4))
    assert agrees(survey.worst().epsilon, "1.098612")
    reported = FiniteMechanism([["0.7", "0.3"]]) @ survey  # a population of which 0.3 is true
    assert reported.matrix[0][1] == Fraction(2, 5)


@pytest.mark.parametrize("truth", ["0.51", "0.6", "0.9", "0.1", "0.4"])
def test_r068_warner_survey_on_all_sets(truth: str) -> None:
    share = Fraction(truth)
    epsilon = abs(math.log(share / (1 - share)))  # the absolute value, for a truth below one half
    survey = FiniteMechanism([[share, 1 - share], [1 - share, share]])
    assert survey.worst().epsilon == pytest.approx(epsilon)
    assert RandomizedResponse.symmetric(truth=truth).loss.epsilon(0) == pytest.approx(epsilon)
    assert private_for_all_sets(survey.matrix, epsilon + 1e-12)
    assert not private_for_all_sets(survey.matrix, epsilon - 1e-9)


def test_r069_truth_for_an_epsilon() -> None:
    response = RandomizedResponse.calibrated(epsilon=1)
    truth = float(1 - response.flip_one)
    lie = float(response.flip_one)
    assert agrees(truth, "0.731059")
    assert agrees(lie, "0.268941")
    assert truth / lie == pytest.approx(math.e)
    assert response.loss.meets(Guarantee(1))


def test_r070_k_ary_response() -> None:
    response = KaryRandomizedResponse(categories=4, epsilon=1)
    assert agrees(response.truth, "0.475367")
    population = np.array([0.4, 0.3, 0.2, 0.1])
    reported = population @ np.array([response.probabilities(value) for value in range(4)])
    for share, printed in zip(reported.tolist(), ("0.295073", "0.265024", "0.234976", "0.204927"), strict=True):
        assert agrees(share, printed)
    assert response.loss.epsilon(0) == 1


@pytest.mark.parametrize(("categories", "truth", "printed"), [(10, "0.5", "2.197225"), (5, "0.6", "1.791759")])
def test_r073_epsilon_of_a_truth(categories: int, truth: str, printed: str) -> None:
    response = KaryRandomizedResponse.truthful(categories=categories, truth=truth)
    assert agrees(float(response.epsilon), printed)
    assert agrees(response.loss.epsilon(0), printed)


def test_r073_truth_of_an_epsilon_and_two_categories() -> None:
    assert agrees(KaryRandomizedResponse(categories=10, epsilon=1).truth, "0.231969")
    two = KaryRandomizedResponse.truthful(categories=2, truth=0.75)
    assert two.loss.epsilon(0) == pytest.approx(RandomizedResponse.symmetric(truth=0.75).loss.epsilon(0))


def test_r074_epsilon_of_any_table_with_its_worst_column_and_pair() -> None:
    table = FiniteMechanism([[0.5, 0.3, 0.2], [0.3, 0.5, 0.2], [0.2, 0.3, 0.5]])
    worst = table.worst()
    assert agrees(worst.epsilon, "0.916291")
    assert (worst.column, worst.rows, worst.ratio) == (0, (0, 2), Fraction(5, 2))
    assert all(worst.ratio >= one[c] / other[c] for one, other in permutations(table.matrix, 2) for c in range(3))
    assert table.delta(worst.epsilon) < 1e-12
    assert table.delta(0) == pytest.approx(0.3)  # the largest total variation
    assert agrees(
        FiniteMechanism([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]]).worst().epsilon, "0.693147"
    )


def test_r074_zero_entries() -> None:
    assert FiniteMechanism([[0.5, 0.5, 0], [0.5, 0.5, 0]]).worst().epsilon == 0  # 0/0 is skipped
    assert FiniteMechanism([[0.5, 0.5, 0], [0.5, 0.4, 0.1]]).worst().epsilon == math.inf  # x/0 is not
