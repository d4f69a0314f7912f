"""DiscreteLaplace: the contract, and whole numbers of any size."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest

from privet.core import Sensitivity
from privet.errors import InvalidParameter
from privet.loss import Guarantee
from privet.mechanisms import DiscreteLaplace
from privet.mechanisms.discrete_laplace import DiscreteLaplaceError
from privet.noise import BitSource
from tests.contracts.mechanism import Example, Law, MechanismContract


def law(value: int, scale: float) -> Law:
    """Pr[k] = (1 - t) / (1 + t) t^|k - value|."""
    ratio = math.exp(-1 / scale)
    far = math.ceil(30 * scale) + 1
    return {value + k: (1 - ratio) / (1 + ratio) * ratio ** abs(k) for k in range(-far, far + 1)}


def example(mechanism: DiscreteLaplace, pair: tuple[int, int]) -> Example:
    scale = float(mechanism.scale)
    return Example(
        mechanism=mechanism,
        pair=pair,
        law=lambda value: law(value, scale),
        wrong_law=lambda value: law(value, 1.3 * scale),
        sensitivity=Sensitivity(mechanism.l1_sensitivity),
        draw=lambda value, source, count: np.asarray(mechanism.sample(np.full(count, value), source)).tolist(),
        tightness=1 - 1e-9,
        too_far=Sensitivity(mechanism.l1_sensitivity + 1),
    )


class TestContract(MechanismContract):
    EXAMPLES: ClassVar[Sequence[Example]] = [
        example(DiscreteLaplace(l1_sensitivity=1, scale=1), (0, 1)),
        example(DiscreteLaplace(l1_sensitivity=3, scale=2), (10, 13)),
        example(DiscreteLaplace.calibrated(epsilon="0.5", sensitivity=Sensitivity(1, cells=2)), (-5, -3)),
    ]
    REFUSED: ClassVar[Sequence[Any]] = [1.5, math.nan, [], np.array([1.0]), "12", None, [[1], [2, 3]]]


def test_two_dimensions_are_no_worse_than_one() -> None:
    """All pairs of outcomes of two counts that move by one each, against one count that moves by two."""
    scale = 1.5
    reach = 40
    ratio = math.exp(-1 / scale)
    one = (1 - ratio) / (1 + ratio) * ratio ** np.abs(np.arange(-reach, reach + 1))
    p = np.outer(one[:-1], one[:-1])
    q = np.outer(one[1:], one[1:])
    loss = DiscreteLaplace(l1_sensitivity=2, scale="1.5").loss
    for epsilon in np.linspace(0, 2 / scale, 15):
        truth = float(np.maximum(p - math.exp(epsilon) * q, 0).sum())
        assert truth <= loss.delta(float(epsilon)) + 1e-12


def test_numbers_of_any_size_stay_exact(source: BitSource) -> None:
    mechanism = DiscreteLaplace(l1_sensitivity=1, scale=2)
    assert abs(int(mechanism.sample(10**40, source)) - 10**40) < 1000
    top = np.array([2**63 - 1, -(2**63)])
    wide = np.asarray(mechanism.sample(top, source), dtype=object)
    assert all(abs(int(a) - int(b)) < 1000 for a, b in zip(wide, top, strict=True))
    unsigned = np.asarray(mechanism.sample(np.array([2**64 - 1], dtype=np.uint64), source), dtype=object)
    assert abs(int(unsigned[0]) - (2**64 - 1)) < 1000
    assert isinstance(mechanism.sample(np.int32(5), source), int)
    assert np.asarray(mechanism.sample(np.zeros((2, 3), dtype=bool), source)).shape == (2, 3)


def test_calibration_is_exact() -> None:
    mechanism = DiscreteLaplace.calibrated(epsilon="0.1", sensitivity=Sensitivity(1))
    assert mechanism.scale == 10
    assert mechanism.loss.meets(Guarantee("0.1"))
    assert not mechanism.loss.meets(Guarantee("0.0999"))


def test_fractions_of_a_move_are_no_move() -> None:
    assert DiscreteLaplace(l1_sensitivity=1, scale=1).covers(Sensitivity("1.9"))
    assert not DiscreteLaplace(l1_sensitivity="1.9", scale=1).covers(Sensitivity(2))
    assert DiscreteLaplace(l1_sensitivity="1.9", scale=1).loss.largest_loss == Fraction(1)


@pytest.mark.parametrize(("l1", "scale"), [("0.5", 1), (0, 1), (-1, 1), (1, 0), (1, -1), ("nan", 1), (None, 1)])
def test_bad_parameters_are_refused(l1: Any, scale: Any) -> None:  # noqa: ANN401 - anything
    with pytest.raises(InvalidParameter):
        DiscreteLaplace(l1_sensitivity=l1, scale=scale)


@pytest.mark.parametrize("scale", [1e16, 1e30, 1e300])
def test_margins_of_noise_that_floats_cannot_count_are_found_at_once(scale: float) -> None:
    margin = DiscreteLaplaceError(scale).margin(0.95)
    assert margin == pytest.approx(scale * math.log(20))
    assert DiscreteLaplaceError(scale).tail(margin) <= 0.05
