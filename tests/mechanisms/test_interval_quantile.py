"""IntervalQuantile: the contract, the score's sensitivity over all neighbors, and its rank margin."""

import itertools
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
from privet.mechanisms.interval_quantile import IntervalQuantile
from privet.noise import BitSource
from tests.contracts.mechanism import Example, MechanismContract

ODD = [-5.0, -0.0, 5e-324, 0.2, 0.5, 0.5, 1.0, 3.7, 1e308, math.inf, -math.inf, math.nan]


def step_of(value: float, points: int) -> int | None:
    """Where a value lies between the bounds 0 and 1, or nothing for NaN."""
    return None if math.isnan(value) else round(min(max(value, 0.0), 1.0) * points)


def scores(values: Sequence[float], quantile: Fraction, points: int, offset: Fraction = Fraction(0)) -> list[Fraction]:
    """Minus the distance of each point's ranks from the target, row by row; an offset from an end stops half way."""
    steps = [step for value in values if (step := step_of(value, points)) is not None]
    target = quantile * len(steps) + offset
    if quantile == 0 and offset > 0:
        target = min(target, Fraction(len(steps), 2))
    if quantile == 1 and offset < 0:
        target = max(target, Fraction(len(steps), 2))
    found = []
    for point in range(points + 1):
        below = sum(step < point for step in steps)
        upto = sum(step <= point for step in steps)
        found.append(-max(Fraction(0), below - target, target - upto))
    return found


def law(values: Sequence[float], mechanism: IntervalQuantile, factor: float = 1) -> dict[int, float]:
    """The exponential mechanism's definition, term by term."""
    rate = factor * float(mechanism.epsilon / (2 * mechanism.score_sensitivity))
    marks = scores(values, mechanism.quantile, mechanism.points, mechanism.offset)
    weights = [math.exp(rate * float(mark - max(marks))) for mark in marks]
    return {point: weight / math.fsum(weights) for point, weight in enumerate(weights)}


def example(mechanism: IntervalQuantile, pair: tuple[Any, Any], *, tightness: float = 0.0) -> Example:
    return Example(
        mechanism=mechanism,
        pair=pair,
        law=lambda values: law(values, mechanism),
        wrong_law=lambda values: law(values, mechanism, 1.5),
        outcome=lambda value: round(value * mechanism.points),
        sensitivity=Sensitivity(mechanism.score_sensitivity),
        tightness=tightness,
        too_far=Sensitivity(mechanism.score_sensitivity * Fraction(101, 100)),
        draw=lambda values, source, count: mechanism.law(values).many(source, count).tolist(),
        trials=4_000,
    )


def made(quantile: str, sensitivity: str | int, epsilon: int, points: int, offset: int = 0) -> IntervalQuantile:
    return IntervalQuantile(
        quantile, bounds=(0, 1), score_sensitivity=sensitivity, epsilon=epsilon, points=points, offset=offset
    )


class TestContract(MechanismContract):
    EXAMPLES: ClassVar[Sequence[Example]] = [
        example(made("0.5", "0.5", 1, 10), ([0.1, 0.4, 0.4, 0.9], [0.1, 0.4, 0.4, 0.9, 1.0]), tightness=0.5),
        example(made("0.5", 1, 2, 8), ([0.0, 0.25, 0.5, 0.75], [1.0, 0.25, 0.5, 0.75])),
        example(made("0.9", "0.9", 1, 12), ([0.1, 0.5, 0.6], [0.1, 0.5, math.nan, 0.6, math.inf])),
        example(made("0", 1, 3, 6, offset=2), ([0.2, 0.3, 0.3, 0.5, 0.9], [-3.0, 0.2, 0.3, 0.3, 0.5, 0.9])),
        example(made("0.5", "0.5", 2, 5), ([0.5], [0.5, 0.9])),
    ]
    REFUSED: ClassVar[Sequence[Any]] = [3.0, [[1.0]], ["a"], None, [1 + 2j], [[1.0], [1.0, 2.0]]]


@given(
    st.lists(st.sampled_from(ODD), max_size=5),
    st.sampled_from(ODD),
    st.sampled_from(ODD),
    st.sampled_from(["0", "0.1", "1/3", "0.5", "0.9", "1"]),
    st.sampled_from([-3, -1, 0, 1, 3]),
)
def test_no_neighbor_moves_a_score_farther_than_claimed(
    rows: list[float], one: float, other: float, text: str, offset: int
) -> None:
    quantile, shift = Fraction(text), Fraction(offset)
    marks = scores([*rows, one], quantile, 8, shift)
    fewer = scores(rows, quantile, 8, shift)
    replaced = scores([*rows, other], quantile, 8, shift)
    assert max(abs(a - b) for a, b in zip(marks, fewer, strict=True)) <= max(quantile, 1 - quantile)
    assert max(abs(a - b) for a, b in zip(marks, replaced, strict=True)) <= 1


def test_the_claimed_sensitivity_is_reached() -> None:
    """For each relation, and also that max(q, 1-q) alone would be wrong when rows are replaced."""
    moves = {"add_remove": Fraction(0), "replace": Fraction(0)}
    for rows in itertools.product([0.0, 0.5, 1.0], repeat=3):
        marks = scores(rows, Fraction(1, 2), 4)
        for value in (0.0, 0.5, 1.0):
            for name, neighbor in (("add_remove", (*rows, value)), ("replace", (value, *rows[1:]))):
                there = scores(neighbor, Fraction(1, 2), 4)
                moves[name] = max(moves[name], *(abs(a - b) for a, b in zip(marks, there, strict=True)))
    assert moves == {"add_remove": Fraction(1, 2), "replace": Fraction(1)}


@given(st.lists(st.sampled_from(ODD), min_size=1, max_size=8), st.sampled_from(["0.1", "0.5", "0.8"]))
def test_the_law_ranks_values_as_the_definition_does(rows: list[float], text: str) -> None:
    mechanism = made(text, 1, 1, 9)
    found = mechanism.law(rows)
    expected = scores(rows, Fraction(text), 9)
    best = max(expected)
    assert [-found.distance(point) for point in range(10)] == [mark - best for mark in expected]


def test_the_rank_margin_holds_for_the_least_favorable_data(source: BitSource) -> None:
    """All values in one point, everything else as far away as possible; the margin is a bound, never exceeded more."""
    mechanism = IntervalQuantile("0.5", bounds=(0, 1), score_sensitivity="0.5", epsilon="0.5", points=1000)
    values = np.full(400, 0.5)
    law_of = mechanism.law(values)
    margin = mechanism.rank_margin(0.5)
    far = sum(float(law_of.distance(step)) > margin for step in law_of.many(source, 400).tolist())
    assert far <= 270  # Binomial(400, 1/2) exceeds this with probability below 1e-12
    assert margin > mechanism.rank_margin(0.4)


def test_no_rows_at_all_give_a_uniform_point() -> None:
    law_of = made("0.3", 1, 1, 4).law([])
    assert [law_of.distance(step) for step in range(5)] == [0] * 5


def test_its_repr_is_as_it_was_typed() -> None:
    assert repr(made("0.1", "0.9", 1, 8, offset=2)) == (
        "IntervalQuantile(0.1, bounds=(0, 1), points=8, offset=2, score_sensitivity=0.9, epsilon=1)"
    )


def test_answers_lie_between_the_bounds_and_on_the_points(source: BitSource) -> None:
    mechanism = IntervalQuantile("0.5", bounds=(18, 118), score_sensitivity="0.5", epsilon="0.1", points=100)
    answers = [mechanism.sample([30, 40, 41, 1000], source) for _ in range(200)]
    assert all(18 <= answer <= 118 and answer == int(answer) for answer in answers)
    assert len(set(answers)) > 20


@pytest.mark.parametrize("kind", [np.int8, np.uint64, np.float32, np.bool_, np.int64])
def test_every_kind_of_number_is_taken(kind: type, source: BitSource) -> None:
    mechanism = IntervalQuantile("0.5", bounds=(0, 2), score_sensitivity="0.5", epsilon=500, points=2)
    assert mechanism.sample(np.ones(9, dtype=kind), source) == 1.0


@pytest.mark.parametrize(
    "change",
    [
        {"quantile": "1.1"},
        {"quantile": -1},
        {"bounds": (1, 1)},
        {"bounds": (2, 1)},
        {"bounds": (0, math.inf)},
        {"bounds": (0, math.nan)},
        {"bounds": (0, "1e-300")},
        {"bounds": 3},
        {"bounds": (0, 1, 2)},
        {"epsilon": 0},
        {"epsilon": math.inf},
        {"score_sensitivity": 0},
        {"points": 0},
        {"points": 1 << 45},
        {"points": 2.5},
        {"offset": math.nan},
        {"epsilon": "1e-80"},
    ],
    ids=str,
)
def test_bad_parameters_are_refused(change: dict[str, Any]) -> None:
    fine: dict[str, Any] = {"quantile": "0.5", "bounds": (0, 1), "score_sensitivity": 1, "epsilon": 1}
    with pytest.raises(InvalidParameter):
        IntervalQuantile(**(fine | change))
