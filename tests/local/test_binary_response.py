import math

import numpy as np
import pytest

from privet.errors import InvalidParameter
from privet.local import BinaryResponse
from tests.contracts.protocol import Example, ProtocolContract


class TestContract(ProtocolContract):
    EXAMPLES = (
        Example(BinaryResponse(epsilon=1), 1, [False, True], shares=(0.7, 0.3)),
        Example(
            BinaryResponse(flip_zero="0.1", flip_one="0.3"),
            math.nextafter(math.log(7), 2),
            [False, True],
            shares=(0.95, 0.05),
        ),
    )
    REFUSED = (2, -1, "yes", None)


def test_the_lecture_s_numbers() -> None:
    coins = BinaryResponse(flip_zero=0.25, flip_one=0.25)
    assert coins.epsilon == pytest.approx(math.log(3), rel=1e-15)
    assert [BinaryResponse(flip_zero=p, flip_one=p).epsilon for p in (0.4, 0.1)] == pytest.approx(
        [0.405465, 2.197225], abs=5e-7
    )
    assert BinaryResponse(flip_zero=0.1, flip_one=0.3).epsilon == pytest.approx(1.945910, abs=5e-7)
    assert float(BinaryResponse(epsilon=1).true_support) == pytest.approx(0.731059, abs=5e-7)
    forty = coins.tally([1] * 40 + [0] * 60)
    assert coins.estimate(forty).value == pytest.approx([0.7, 0.3])


def test_deviations_of_the_lecture() -> None:
    coins = BinaryResponse(flip_zero=0.25, flip_one=0.25)
    assert math.sqrt((coins.variance(0.2) + 0.2 * 0.8) / 100) == pytest.approx(0.095394, abs=5e-7)
    thousand = coins.estimate(coins.tally([1] * 400 + [0] * 600))
    assert thousand.standard_error == pytest.approx([0.030984] * 2, abs=5e-7)
    local = BinaryResponse(epsilon=1)
    assert math.sqrt(local.variance(0) * 10_000) == pytest.approx(95.95, abs=5e-3)


@pytest.mark.parametrize(
    "flips", [(0, 0.5), (0.5, 0), (1, 0.2), (0.3, 0.7), ("1/3", 2**-60), (-0.1, 0.1), (float("nan"), 0.1)]
)
def test_flips_that_tell_all_or_nothing_are_refused(flips: tuple[float, float]) -> None:
    with pytest.raises(InvalidParameter):
        BinaryResponse(flip_zero=flips[0], flip_one=flips[1])


def test_either_an_epsilon_or_two_flips() -> None:
    with pytest.raises(InvalidParameter, match="give either"):
        BinaryResponse()
    with pytest.raises(InvalidParameter, match="give either"):
        BinaryResponse(1, flip_zero=0.1, flip_one=0.1)


def test_lies_more_likely_than_truths_are_turned_round() -> None:
    liar = BinaryResponse(flip_zero=0.9, flip_one=0.9)
    estimate = liar.estimate(np.array([0] * 26 + [1] * 74))
    assert estimate.value == pytest.approx([0.8, 0.2])
    low, high = estimate.interval()
    assert (low < estimate.value).all()
    assert (estimate.value < high).all()


def test_values_may_be_zeros_and_ones() -> None:
    protocol = BinaryResponse(epsilon=20)
    assert protocol.privatize(np.array([0, 1, 1])).tolist() == protocol.privatize([False, True, True]).tolist()
