"""What is calibrated to the numbers that were typed fits a limit of the same numbers, and never costs less than it."""

import math
from fractions import Fraction
from typing import Any

import pytest

from privet import Guarantee, Sensitivity
from privet.loss import EpsilonSum
from privet.mechanisms import (
    Bernstein,
    DiscreteGaussian,
    DiscreteLaplace,
    Exponential,
    Gaussian,
    Laplace,
    NoisyMax,
    PartitionCounts,
    PartitionSelection,
    PermuteAndFlip,
    RandomizedResponse,
    SparseVector,
    Staircase,
)

ONE = Sensitivity(1)
PURE: tuple[tuple[Any, dict[str, Any]], ...] = (
    (Bernstein, {"function_sensitivity": 1, "degree": 3}),
    (DiscreteLaplace, {"sensitivity": ONE}),
    (Exponential, {"sensitivity": ONE}),
    (Laplace, {"sensitivity": ONE}),
    (NoisyMax, {"sensitivity": ONE}),
    (PermuteAndFlip, {"sensitivity": ONE}),
    (RandomizedResponse, {"cells": 3}),
    (SparseVector, {"sensitivity": ONE, "threshold": 10}),
    (Staircase, {"sensitivity": ONE}),
)
APPROXIMATE: tuple[tuple[Any, dict[str, Any]], ...] = tuple(
    (kind, {"sensitivity": ONE, "delta": "1e-6"})
    for kind in (DiscreteGaussian, Gaussian, Laplace, PartitionCounts, PartitionSelection)
)


@pytest.mark.parametrize("epsilon", [math.log(3), math.log(7), 0.1 + 0.2, "1/3", Fraction(22, 7)], ids=str)
@pytest.mark.parametrize(("kind", "others"), [*PURE, *APPROXIMATE], ids=lambda value: getattr(value, "__name__", ""))
def test_it_fits_the_limit_it_was_calibrated_to(kind: Any, others: dict[str, Any], epsilon: Any) -> None:  # noqa: ANN401 - any mechanism
    made = kind.calibrated(epsilon=epsilon, **others)
    limit = Guarantee(epsilon, others.get("delta", 0))
    assert made.loss.meets(limit)
    assert EpsilonSum().cost(made.loss, promise=made.promise).fits(EpsilonSum().capacity(limit))
