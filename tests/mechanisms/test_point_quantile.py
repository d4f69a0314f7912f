"""PointQuantile: the contract, its scores, and that it errs less than the exponential mechanism."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.core import Sensitivity
from privet.errors import InvalidParameter
from privet.mechanisms import PermuteAndFlip, PointQuantile
from tests.contracts.mechanism import Example, MechanismContract
from tests.mechanisms.test_interval_quantile import ODD
from tests.mechanisms.test_permute_and_flip import law as flip_law


def scores(values: Sequence[float], mechanism: PointQuantile) -> list[Fraction]:
    """Minus the distance of each point's ranks from the target, row by row; an offset from an end stops half way."""
    rows = [min(max(value, 0.0), 1.0) for value in values if not math.isnan(value)]
    target = mechanism.quantile * len(rows) + mechanism.offset
    if mechanism.quantile == 0 and mechanism.offset > 0:
        target = min(target, Fraction(len(rows), 2))
    if mechanism.quantile == 1 and mechanism.offset < 0:
        target = max(target, Fraction(len(rows), 2))
    found = []
    for step in range(mechanism.points + 1):
        point = step / mechanism.points
        below = sum(row < point for row in rows)
        upto = sum(row <= point for row in rows)
        found.append(-max(Fraction(0), below - target, target - upto))
    return found


def law(values: Sequence[float], mechanism: PointQuantile, factor: float = 1) -> dict[int, float]:
    """Permute-and-flip's definition, order by order."""
    rate = factor * float(mechanism.epsilon / (2 * mechanism.score_sensitivity))
    marks = scores(values, mechanism)
    return flip_law([float(mark) for mark in marks], rate)


def example(mechanism: PointQuantile, pair: tuple[Any, Any]) -> Example:
    return Example(
        mechanism=mechanism,
        pair=pair,
        law=lambda values: law(values, mechanism),
        wrong_law=lambda values: law(values, mechanism, 1.5),
        outcome=lambda value: round(value * mechanism.points),
        sensitivity=Sensitivity(mechanism.score_sensitivity),
        too_far=Sensitivity(mechanism.score_sensitivity * Fraction(101, 100)),
        draw=lambda values, source, count: mechanism._choice.many(mechanism.scores(values), source, count).tolist(),
        trials=4_000,
    )


def made(quantile: str, sensitivity: str | int, epsilon: int, points: int, offset: int = 0) -> PointQuantile:
    return PointQuantile(
        quantile, bounds=(0, 1), score_sensitivity=sensitivity, epsilon=epsilon, points=points, offset=offset
    )


class TestContract(MechanismContract):
    EXAMPLES: ClassVar[Sequence[Example]] = [
        example(made("0.5", "0.5", 1, 6), ([0.1, 0.4, 0.4, 0.9], [0.1, 0.4, 0.4, 0.9, 1.0])),
        example(made("0.5", 1, 2, 5), ([0.0, 0.25, 0.5, 0.75], [1.0, 0.25, 0.5, 0.75])),
        example(made("0", 1, 3, 6, offset=2), ([0.2, 0.3, 0.3, 0.5, 0.9], [-3.0, 0.2, 0.3, 0.3, 0.5, 0.9])),
    ]
    REFUSED: ClassVar[Sequence[Any]] = [3.0, [[1.0]], ["a"], None, [1 + 2j]]


@given(st.lists(st.sampled_from(ODD), max_size=8), st.sampled_from(["0", "0.1", "1/3", "0.5", "0.8", "1"]))
def test_scores_are_those_of_the_definition(rows: list[float], text: str) -> None:
    for offset in (-2, 0, 3):
        mechanism = made(text, 1, 1, 9, offset)
        marks = scores(rows, mechanism)
        assert [Fraction(int(mark), mechanism._parts) for mark in mechanism.scores(rows)] == marks


def test_it_errs_less_than_the_exponential_mechanism() -> None:
    mechanism = made("0.5", "0.5", 1, 6)
    values = [0.1, 0.2, 0.3, 0.5, 0.5, 0.6, 0.8, 0.9]
    marks = [float(mark) for mark in scores(values, mechanism)]
    regret = [max(marks) - mark for mark in marks]
    rate = float(mechanism.rate)
    weights = [math.exp(-rate * each) for each in regret]
    ours = math.fsum(mass * regret[point] for point, mass in law(values, mechanism).items())
    theirs = math.fsum(weight * each for weight, each in zip(weights, regret, strict=True)) / math.fsum(weights)
    assert ours < 0.95 * theirs


def test_its_price_is_that_of_permute_and_flip() -> None:
    assert made("0.5", "0.5", 2, 6).loss == PermuteAndFlip(1, 2).loss


def test_many_points_are_left_to_intervals() -> None:
    with pytest.raises(InvalidParameter, match="use IntervalQuantile"):
        made("0.5", 1, 1, 2**14 + 1)
    with pytest.raises(InvalidParameter, match="use IntervalQuantile"):
        made("0.1234567891", 1, 1, 10)


def test_a_million_rows_are_counted() -> None:
    mechanism = made("0.5", "0.5", 1, 1000)
    values = np.linspace(0, 1, 10**6)
    assert abs(int(np.argmax(mechanism.scores(values))) - 500) <= 1


@given(st.lists(st.sampled_from(ODD), max_size=5), st.sampled_from(ODD), st.sampled_from(ODD))
def test_no_neighbor_moves_a_score_farther_than_claimed(rows: list[float], one: float, other: float) -> None:
    for text in ("0", "0.1", "1/3", "0.5", "1"):
        mechanism = made(text, 1, 1, 8)
        parts = mechanism._parts
        largest = max(mechanism.quantile, 1 - mechanism.quantile)
        marks, fewer, there = (mechanism.scores(each) for each in ([*rows, one], rows, [*rows, other]))
        assert Fraction(int(np.abs(marks - fewer).max()), parts) <= largest
        assert Fraction(int(np.abs(marks - there).max()), parts) <= 1
