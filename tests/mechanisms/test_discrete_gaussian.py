"""DiscreteGaussian: the contract, and moves of several cells."""

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pytest

from privet.core import Sensitivity
from privet.errors import InvalidParameter
from privet.loss import Guarantee
from privet.mechanisms import DiscreteGaussian
from tests.contracts.mechanism import Example, Law, MechanismContract


def law(value: int, scale: float) -> Law:
    far = math.ceil(12 * scale) + 1
    weights = {k: math.exp(-0.5 * (k / scale) ** 2) for k in range(-far, far + 1)}
    total = math.fsum(weights.values())
    return {value + k: weight / total for k, weight in weights.items()}


def example(mechanism: DiscreteGaussian, pair: tuple[int, int]) -> Example:
    scale = float(mechanism.scale)
    return Example(
        mechanism=mechanism,
        pair=pair,
        law=lambda value: law(value, scale),
        wrong_law=lambda value: law(value, 1.3 * scale),
        sensitivity=Sensitivity(mechanism.l2_sensitivity),
        draw=lambda value, source, count: np.asarray(mechanism.sample(np.full(count, value), source)).tolist(),
        tightness=1 - 1e-6,
        too_far=Sensitivity(mechanism.l2_sensitivity, cells=2),
    )


class TestContract(MechanismContract):
    EXAMPLES: ClassVar[Sequence[Example]] = [
        example(DiscreteGaussian(l2_sensitivity=1, scale=1), (0, 1)),
        example(DiscreteGaussian(l2_sensitivity=3, scale=4), (10, 13)),
        example(DiscreteGaussian.calibrated(epsilon=1, delta="1e-5", sensitivity=Sensitivity(2)), (-1, 1)),
    ]
    REFUSED: ClassVar[Sequence[Any]] = [1.5, math.nan, [], np.array([1.0]), "12", None]


@pytest.mark.parametrize("sensitivity", [Sensitivity(1), Sensitivity(1, cells=3), Sensitivity(2, cells=2)], ids=repr)
def test_calibration_is_tight(sensitivity: Sensitivity) -> None:
    promise = Guarantee(1, "1e-4")
    mechanism = DiscreteGaussian.calibrated(epsilon=1, delta="1e-4", sensitivity=sensitivity)
    assert mechanism.loss.meets(promise)
    assert mechanism.covers(sensitivity)
    less = DiscreteGaussian(
        mechanism.l2_sensitivity,
        mechanism.scale * 999_999 / 1_000_000,
        cells=sensitivity.cells,
        per_cell=mechanism.per_cell,
    )
    assert not less.loss.meets(promise)


def test_several_cells_cost_what_all_of_them_moving_costs() -> None:
    """All outcomes of two counts that move by one each."""
    scale = 1.5
    masses = np.array([law(0, scale).get(k, 0.0) for k in range(-20, 21)])
    p = np.outer(masses[:-1], masses[:-1])
    q = np.outer(masses[1:], masses[1:])
    loss = DiscreteGaussian(l2_sensitivity=math.sqrt(2), scale="1.5", cells=2, per_cell=1).loss
    for epsilon in np.linspace(0, 2, 9):
        truth = float(np.maximum(p - math.exp(epsilon) * q, 0).sum())
        assert truth - 1e-12 <= loss.delta(float(epsilon)) <= truth * 1.01 + 1e-9


def test_without_a_bound_for_each_cell_its_length_bounds_the_loss() -> None:
    known = DiscreteGaussian(l2_sensitivity=2, scale=10, cells=4, per_cell=1)
    unknown = DiscreteGaussian(l2_sensitivity=2, scale=10, cells=4)
    assert unknown.loss.zcdp() == pytest.approx(0.02)
    assert unknown.loss.epsilon("1e-6") > known.loss.epsilon("1e-6")


def test_covers_compares_everything_that_was_declared() -> None:
    mechanism = DiscreteGaussian(l2_sensitivity=4, scale=10, cells=4, per_cell=2)
    assert mechanism.covers(Sensitivity(2, cells=4))
    assert not mechanism.covers(Sensitivity(3, cells=1))
    assert not mechanism.covers(Sensitivity(1, cells=5))
    assert not DiscreteGaussian(l2_sensitivity=2, scale=1).covers(Sensitivity(1, cells=2))


@pytest.mark.parametrize(
    "arguments",
    [
        {"l2_sensitivity": "0.5", "scale": 1},
        {"l2_sensitivity": 1, "scale": 0},
        {"l2_sensitivity": 1, "scale": 1, "cells": 0},
        {"l2_sensitivity": 1, "scale": 1, "cells": 2, "per_cell": 0.5},
        {"l2_sensitivity": 1, "scale": 1, "promise": Guarantee(1, 1e-6)},
    ],
)
def test_bad_parameters_are_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter):
        DiscreteGaussian(**arguments)


def test_pure_privacy_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="DiscreteLaplace"):
        DiscreteGaussian.calibrated(epsilon=1, delta=0, sensitivity=Sensitivity(1))
