"""How far apart two secrets are, in the measure of what they are given to."""

import math
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from privet.audit.moved import Moved, moved
from privet.core import Mechanism, Sensitivity
from privet.mechanisms import (
    Gaussian,
    GroupedRows,
    HalvingQuantiles,
    IntervalQuantile,
    Laplace,
    NoisyMax,
    OutputPerturbation,
    PartitionCounts,
    SampleAndAggregate,
    SmoothLaplace,
    SmoothValue,
    TwoRoundSelection,
)
from privet.mechanisms.grouped_choice import GroupedChoice
from privet.mechanisms.perturbed_minimiser import LabeledRows
from privet.noise import BitSource


class OfItsType(Laplace):
    """Answers in the type of what it was given."""

    def sample(self, value: Any, source: BitSource) -> Any:  # noqa: ANN401, ARG002 - any numbers
        return value


ONE = Sensitivity(1)
TWO_CELLS = Sensitivity(1, cells=2)
COUNTS = PartitionCounts.calibrated(epsilon=1, delta="1e-5", sensitivity=ONE)
HALVING = HalvingQuantiles(["0.25", "0.5"], bounds=(0, 10), rows=2, epsilon=1)
MEDIAN = IntervalQuantile("0.5", bounds=(0, 10), score_sensitivity="0.5", epsilon=1)
LOWEST = IntervalQuantile("0.1", bounds=(0, 10), score_sensitivity="0.9", epsilon=1)
BLOCKS = SampleAndAggregate(np.mean, blocks=2, bounds=(0, 1), epsilon=1)
SMOOTH = SmoothLaplace(1, "1e-6", step="0.01")
ROUNDS = TwoRoundSelection.calibrated(epsilon=1, delta="1e-5", sensitivity=Sensitivity(1, cells=2))


def units(*groups: set[str]) -> Any:  # noqa: ANN401 - who is in which group
    return SimpleNamespace(groups_of_units=lambda: [frozenset(each) for each in groups])


def grouped(*ids: str) -> GroupedRows:
    return GroupedRows(np.arange(len(ids)), list(ids))


WITHIN: dict[str, tuple[Mechanism[Any, Any], Sensitivity, Any, Any, float]] = {  # and the share of what was declared
    "a number": (Laplace(1, 1), ONE, 4, 5.0, 1),
    "two cells": (Gaussian(2, 1), Sensitivity(1, cells=4), np.array([1, 0, 0]), np.array([0, 1, 0]), 1),
    "a chain of two": (Laplace(1, 1).after(abs, stability=2), ONE, -5, 7, 1),
    "what follows": (Laplace(1, 1).then(abs), ONE, 5, 5, 0),
    "counts by key": (COUNTS, ONE, {"a": 5}, {"a": 5, "b": 1}, 1),
    "a median": (MEDIAN, ONE, [1.0, 99.0, math.nan], [1.0, 10.0, 3.0], 1),
    "a low quantile": (LOWEST, ONE, [1.0], [1.0, 3.0], 1),
    "many quantiles": (HALVING, Sensitivity(2), [1.0, 2.0], [1.0, 3.0], 1),
    "blocks": (BLOCKS, ONE, grouped("a", "b", "b"), grouped("a"), 1),
    "an answer with its bound": (SMOOTH, ONE, SmoothValue(1, 2), SmoothValue(2, 2), 0.5),
    "names in two rounds": (ROUNDS, TWO_CELLS, units({"a"}), units({"a"}, {"a", "b"}), 1),
}
BEYOND: dict[str, tuple[Mechanism[Any, Any], Sensitivity, Any, Any, str]] = {  # and words of how far
    "a number": (Laplace(1, 1), ONE, 4, 5.5, "the number by 1.5"),
    "a float that is a bit more": (Laplace(1, 1), ONE, 0.7, 1.7000000000000002, "1.0000000000000"),
    "not a number": (Laplace(1, 1), ONE, np.array([0.0, 1.0]), np.array([0.0, math.nan]), "infinity"),
    "cells": (Gaussian(1, 1), ONE, np.zeros(4), np.full(4, 0.75), "4 numbers"),
    "the sum of moves": (Laplace(2, 1), Sensitivity(1, cells=4, l1=2), np.zeros(3), np.ones(3), "(L1) of 3"),
    "the length": (Gaussian(1, 1), Sensitivity(1, cells=9, l2=1), np.zeros(2), np.ones(2), "(L2) of 1.414"),
    "a shape": (Laplace(1, 1), ONE, np.zeros(2), np.zeros(3), "its form"),
    "a type that shows": (OfItsType(1, 1), ONE, np.array([5]), np.array([5.0]), "its form: from answers of"),
    "a chain of two": (Laplace(1, 1).after(abs, stability=2), ONE, 5, -8, "by 3"),
    "a key that is written otherwise": (COUNTS, ONE, {0.0: 5}, {-0.0: 5}, "the number of float 0.0 by 5"),
    "two keys": (COUNTS, ONE, {"a": 5}, {"b": 5}, "L1) of 10 (the number of str 'b' by 5)"),
    "a median": (MEDIAN, ONE, [1.0], [1.0, 3.0, 4.0], "scores by 1"),
    "many quantiles": (HALVING, ONE, [1.0, 2.0], [1.0, 3.0], "2 rows that come or go"),
    "blocks": (BLOCKS, ONE, np.zeros(2), np.ones(2), "4 rows that come or go"),
    "an answer with its bound": (SMOOTH, ONE, SmoothValue(1, 2), SmoothValue(4, 9), "the answer by 3"),
    "a bound that is not smooth": (SMOOTH, ONE, SmoothValue(1, 2), SmoothValue(2, 9), "the bound by a factor of 4.5"),
    "a unit in too many groups": (ROUNDS, TWO_CELLS, units(), units({"a", "b", "c"}), "a unit in 3 groups"),
    "units of names": (ROUNDS, TWO_CELLS, units({"a"}), units({"b"}), "2 units"),
    "weights of places": (
        GroupedChoice(1, 1, fraction="0.5", places=9),
        ONE,
        [{1: 5}],
        [{1: 5, 2: 2}],
        "by 2",
    ),
}


@pytest.mark.parametrize("name", WITHIN)
def test_a_move_that_was_declared(name: str) -> None:
    mechanism, declared, one, other, share = WITHIN[name]
    found = moved(mechanism, declared, one, other)
    assert not found.beyond, found
    assert found.share == pytest.approx(share)
    assert moved(mechanism, declared, one, one).share in {0, share}


@pytest.mark.parametrize("name", BEYOND)
def test_a_move_that_was_not(name: str) -> None:
    mechanism, declared, one, other, words = BEYOND[name]
    for found in (moved(mechanism, declared, one, other), moved(mechanism, declared, other, one)):
        assert found.beyond
        assert not found.covered
        assert found.share > 1
    assert words in moved(mechanism, declared, one, other).moved


def test_rows_of_a_minimiser_are_counted() -> None:
    rows = LabeledRows(np.zeros((3, 2)), np.array([0, 1, 1]))
    fewer = LabeledRows(np.zeros((2, 2)), np.array([0, 1]))
    least = OutputPerturbation.__new__(OutputPerturbation)  # what rows are does not hang on its parameters
    assert moved(least, ONE, rows, fewer) == Moved("1 row that come or go", "at most 1", 1.0, beyond=False)
    assert moved(least, ONE, rows, LabeledRows(np.zeros((1, 2)), np.array([0]))).beyond


def test_what_the_mechanism_covers_though_it_was_not_declared() -> None:
    found = moved(NoisyMax(1, 1), ONE, np.zeros(3), np.ones(3))
    assert found.beyond
    assert found.covered
    assert Fraction(found.share) == 3


def test_what_cannot_be_compared_is_said() -> None:
    assert not moved(Laplace(1, 1), ONE, object(), object()).compared
