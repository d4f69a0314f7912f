"""How far answers are from the truth."""

import math

import pytest
from query_truth import LOW, Error, error_of, rounded

TRUTH = {"a": [10.0, 100.0, 30_000.0], "b": [20.0, 200.0, 40_000.0]}


def test_an_error_is_over_all_cities_and_answers() -> None:
    error = error_of("count", [{"a": 13.0, "b": 20.0}, {"a": 10.0, "b": 15.0}], TRUTH)
    assert error.rmse == pytest.approx(math.sqrt((9 + 25) / 4))
    assert error.answers == 2
    assert error_of("sum", [{"a": 100.0, "b": 198.0}], TRUTH).rmse == pytest.approx(math.sqrt(2))


def test_exact_answers_have_no_error() -> None:
    assert error_of("avg", [{"a": 30_000.0, "b": 40_000.0}], TRUTH) == Error(0.0, 0.0, 1)


def test_what_is_missing_counts_against_whom_it_is_missing() -> None:
    assert error_of("count", [{"a": 10.0}], TRUTH).rmse == pytest.approx(20 / math.sqrt(2))
    assert error_of("avg", [{"a": math.nan, "b": 40_000.0}], TRUTH).rmse == pytest.approx((30_000 - LOW) / math.sqrt(2))


def test_the_standard_error_shrinks_with_more_answers() -> None:
    few = error_of("count", [{"a": 13.0, "b": 21.0}] * 2, TRUTH)
    many = error_of("count", [{"a": 13.0, "b": 21.0}] * 200, TRUTH)
    assert many.rmse == pytest.approx(few.rmse)
    assert many.give_or_take < few.give_or_take / 8


def test_digits_that_mean_something() -> None:
    numbers = ((1_131_370.8, 3), (5.657, 3), (43.1, 1), (9.96, 1), (0.0, 1))
    assert [rounded(*each) for each in numbers] == ["1,130,000", "5.66", "40", "10", "0"]


def test_no_larger_allows_for_chance_alone() -> None:
    ours = Error(5.7, 0.1, 100)
    assert ours.no_larger_than(Error(5.6, 0.1, 10))
    assert not ours.no_larger_than(Error(5.25, 0.1, 10))
    assert ours.no_larger_than(Error(5.0, 0.4, 1))
    assert [str(error) for error in (Error(5.657, 0.09, 9), Error(1_131_370.8, 9e3, 9))] == [
        "5.66 ± 0.09",
        "1,130,000 ± 9,000",
    ]
