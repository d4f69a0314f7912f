import math

import pytest

from privet.errors import InvalidParameter
from privet.local import OneBitMean
from tests.contracts.protocol import Example, ProtocolContract


class TestContract(ProtocolContract):
    EXAMPLES = (
        Example(OneBitMean(bounds=(0, 10), epsilon=1), 1, (0, 10), shares=(0.9, 0.1), targets=(0, 10)),
        Example(OneBitMean(bounds=(-0.5, 2), epsilon="0.4"), 0.4, (-0.5, 2), shares=(0.5, 0.5), targets=(-0.5, 2)),
    )
    REFUSED = (None, math.nan, "a", [1])


@pytest.mark.parametrize(("epsilon", "variance"), [(1, 4.6827), (2, 1.7241), (4, 1.0760)])
def test_worst_variances_are_the_reference_s(epsilon: float, variance: float) -> None:
    """On [-1, 1] a value x has the variance C² - x², C = (e^ε + 1)/(e^ε - 1)."""
    protocol = OneBitMean(bounds=(-1, 1), epsilon=epsilon)
    assert protocol.variance("1/2") == pytest.approx(variance, abs=5e-5)
    assert protocol.variance(1) == pytest.approx(variance - 1, abs=1e-4)


def test_every_place_says_yes_as_its_line_says() -> None:
    """By the weights: linear in the place, unbiased, and no two places more than e^ε apart."""
    protocol = OneBitMean(bounds=(0, 1), epsilon=1)
    low, high = protocol.floor, protocol.floor + (1 << 20) * protocol.rise
    assert (low + high) in (2**52, 2**52 - 1)
    assert math.log(high / low) <= 1
    assert protocol._inputs([0, 0.5, 1, -7, math.inf]).tolist() == [0, 2**19, 2**20, 0, 2**20]


def test_golden_hoeffding_interval() -> None:
    """e = 1, n = 10,000, range 1: 0.02939 on either side, and 0.02121 by the normal law; the exact one is as wide."""
    estimate = OneBitMean(bounds=(0, 1), epsilon=1).estimate([0, 1] * 5000)
    low, high = estimate.guaranteed_interval()
    assert (high - low) / 2 == pytest.approx(0.02939, abs=5e-6)
    low, high = estimate.interval()
    assert 1.959964 * estimate.standard_error == pytest.approx(0.02121, abs=1e-5)
    assert 0.02121 < (high - low) / 2 < 0.02121 * 1.01
    assert estimate.value == pytest.approx(0.5, abs=1e-9)


def test_refuses_bounds_that_are_none() -> None:
    with pytest.raises(InvalidParameter, match="bounds"):
        OneBitMean(bounds=(1, 1), epsilon=1)
    with pytest.raises(InvalidParameter, match="one_bit_mean"):
        OneBitMean.from_config({**OneBitMean(bounds=(0, 1), epsilon=1).config, "bounds": [0, 1]})
