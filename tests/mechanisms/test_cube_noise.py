"""CubeNoise: the contract for rows of two numbers and for two rows, and its error."""

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
import pytest

from privet.core import Sensitivity
from privet.errors import InvalidParameter
from privet.loss import Guarantee
from privet.mechanisms import CubeNoise
from privet.mechanisms.cube_noise import CubeError
from privet.noise import BitSource
from tests.contracts.mechanism import Example, Law, MechanismContract

FAR = 45
SIDE = 2 * FAR + 1


def place(answer: Any) -> int:  # noqa: ANN401 - rows of numbers
    first, second = np.asarray(answer).ravel().tolist()
    return int((first + FAR) * SIDE + second + FAR)


def law(value: Any, norm: Callable[[int, int], int], scale: float) -> Law:  # noqa: ANN401 - rows of numbers
    """Pr[k] proportional to exp(-norm(k) / scale), over all pairs of numbers."""
    first, second = np.asarray(value).ravel().tolist()
    masses = {
        (a + FAR) * SIDE + b + FAR: math.exp(-norm(a - first, b - second) / scale)
        for a, b in itertools.product(range(-FAR, FAR + 1), repeat=2)
    }
    total = math.fsum(masses.values())
    return {each: mass / total for each, mass in masses.items()}


def example(mechanism: CubeNoise, pair: tuple[Any, Any], norm: Callable[[int, int], int], **more: Any) -> Example:  # noqa: ANN401 - keywords
    scale = float(mechanism.scale)
    return Example(
        mechanism=mechanism,
        pair=pair,
        law=lambda value: law(value, norm, scale),
        wrong_law=lambda value: law(value, norm, 1.3 * scale),
        outcome=place,
        trials=6_000,
        **more,
    )


def largest(a: int, b: int) -> int:
    return max(abs(a), abs(b))


def added_up(a: int, b: int) -> int:
    return abs(a) + abs(b)


class TestContract(MechanismContract):
    EXAMPLES: ClassVar[Sequence[Example]] = [
        example(
            CubeNoise(2, reach=1, scale=1),
            ([[0, 0]], [[1, 1]]),
            largest,
            sensitivity=Sensitivity(1, cells=2),
            too_far=Sensitivity(2),
        ),
        example(
            CubeNoise(1, reach=2, scale=1, added_up=True),
            ([[0], [3]], [[1], [2]]),  # from one row to the other
            added_up,
            sensitivity=Sensitivity(1, cells=2),
            too_far=Sensitivity(1, cells=3),
        ),
    ]
    REFUSED: ClassVar[Sequence[Any]] = [
        5,
        [1, 2, 3],
        [[1.5, 2.0]],
        [],
        None,
        "12",
        np.array([[2**63, 0]], dtype=np.uint64),
    ]


def test_calibration_is_exact_and_counts_rows() -> None:
    one = CubeNoise.calibrated(epsilon="0.1", width=4, sensitivity=Sensitivity(3, cells=4))
    assert one.reach * 10 == one.scale == 30
    assert one.loss.meets(Guarantee("0.1"))
    assert not one.loss.meets(Guarantee("0.0999"))
    assert CubeNoise.calibrated(epsilon=1, width=4, sensitivity=Sensitivity(1, cells=8)).reach == 2


def test_several_rows_need_moves_that_were_added_up() -> None:
    """A sensitivity of 1 may be 1 in each of two rows, which costs twice as much as it says."""
    with pytest.raises(InvalidParameter, match="one row, got 2"):
        CubeNoise(2, reach=1, scale=1).check([[0, 0], [0, 0]])
    CubeNoise(2, reach=1, scale=1, added_up=True).check([[0, 0], [0, 0]])


@pytest.mark.parametrize(("width", "scale"), [(1, 3.0), (2, 8.0), (20, 500.0)])
def test_tails_are_bounds_and_near(width: int, scale: float) -> None:
    """Against the sum over all sizes of cubes; the control is the tail of a scale 30 % smaller."""
    sizes = np.arange(int(scale * (width + 50)))
    weights = np.exp(width * np.log(2 * sizes + 1.0) - sizes / scale - width * np.log(2 * width * scale) + width)
    weights /= weights.sum()
    for distance in (0, int(scale), int(width * scale / 2), int(width * scale)):
        exact = float((weights * np.maximum(2 * (sizes - distance) / (2 * sizes + 1), 0)).sum())
        told = CubeError(width, scale).tail(distance)
        assert exact <= told <= exact * math.exp(2 / scale) + 0.5 / scale
        if distance > scale:
            assert CubeError(width, 0.7 * scale).tail(distance) < exact
    margin = CubeError(width, scale).margin(0.9)
    assert CubeError(width, scale).tail(margin) <= 0.1 < CubeError(width, scale).tail(margin - 1)


def test_the_deviation_is_that_of_draws(source: BitSource) -> None:
    mechanism = CubeNoise(30, reach=1, scale=2**20, added_up=True)
    drawn = mechanism.sample(np.zeros((400, 30), dtype=np.int64), source)
    assert float(np.std(drawn)) == pytest.approx(mechanism.standard_deviation, rel=0.05)  # 10 deviations of 12,000
    assert np.unique(np.abs(drawn).max(axis=1)).size > 300  # each row has noise of its own


@pytest.mark.parametrize("wrong", [{"width": 0}, {"reach": 0}, {"scale": 0}, {"scale": "nan"}, {"scale": 2**50}])
def test_bad_parameters_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter):
        CubeNoise(**{"width": 2, "reach": 1, "scale": 1, **wrong})
