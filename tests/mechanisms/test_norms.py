"""Each mechanism compares sensitivities in the norm of its own proof."""

from typing import Any

import pytest

from privet.core import Mechanism, Sensitivity
from privet.mechanisms import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace
from privet.mechanisms.bernstein import Bernstein
from privet.mechanisms.sample_and_aggregate import SampleAndAggregate

FOUR = Sensitivity(1, cells=4)  # L1 4, L2 2, L∞ 1
SHORT = Sensitivity(1, cells=100, l2=2)  # L1 20
SINGLE = Sensitivity(2)


@pytest.mark.parametrize(
    ("mechanism", "covered", "refused"),
    [
        (Laplace(4, 1), [FOUR, SINGLE], [SHORT, Sensitivity(1, cells=5)]),
        (Laplace(3, 1), [SINGLE], [FOUR]),
        (Gaussian(2, 1), [FOUR, SHORT, SINGLE], [Sensitivity(1, cells=5), Sensitivity(3)]),
        (Gaussian("1.9", 1), [], [FOUR, SHORT, SINGLE]),
        (DiscreteLaplace(4, 1), [FOUR, SINGLE], [SHORT, Sensitivity(1, cells=5)]),
        (DiscreteLaplace(3, 1), [SINGLE], [FOUR]),
        (DiscreteGaussian(2, 1, cells=4, per_cell=2), [FOUR, SINGLE], [Sensitivity(1, cells=5), Sensitivity(3)]),
        (DiscreteGaussian(2, 1, cells=4, per_cell=1), [FOUR], [SINGLE]),
        (Bernstein.calibrated(epsilon=1, function_sensitivity=1, degree=9), [FOUR, SHORT], [SINGLE]),
        (SampleAndAggregate(len, blocks=9, bounds=(0, 1), epsilon=1), [Sensitivity(1)], [FOUR, SHORT, SINGLE]),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_covers(mechanism: Mechanism[Any, Any], covered: list[Sensitivity], refused: list[Sensitivity]) -> None:
    assert all(mechanism.covers(sensitivity) for sensitivity in covered)
    assert not any(mechanism.covers(sensitivity) for sensitivity in refused)
