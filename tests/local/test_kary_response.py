import math
from fractions import Fraction

import numpy as np
import pytest

from privet.errors import InvalidParameter
from privet.local import KaryResponse
from privet.loss import KaryResponseCurve
from privet.noise import BitSource
from tests.contracts.protocol import Example, ProtocolContract


class TestContract(ProtocolContract):
    EXAMPLES = (
        Example(KaryResponse(categories=4, epsilon=1), 1, range(4), shares=(0.4, 0.3, 0.2, 0.1)),
        Example(KaryResponse(categories=["a", "b", "ü"], epsilon=3), 3, ["a", "b", "ü"], shares=(0.7, 0.05, 0.25)),
        Example(KaryResponse(categories=2, epsilon="0.5"), 0.5, range(2), shares=(0.5, 0.5)),
    )
    REFUSED = (4, -1, 0.5, "a", None)


@pytest.mark.parametrize(
    ("categories", "epsilon", "variance"),
    [(2, 0.1, 99.9167), (4, 0.5, 8.67011), (16, 1, 5.66243), (128, 3, 0.401050), (1024, 5, 0.053860), (4, 3, 0.060632)],
)
def test_variances_are_those_of_the_reference(categories: int, epsilon: float, variance: float) -> None:
    assert KaryResponse(categories=categories, epsilon=epsilon).variance() == pytest.approx(variance, rel=1e-5)


def test_the_lecture_s_numbers() -> None:
    protocol = KaryResponse(categories=4, epsilon=1)
    assert float(protocol.true_support) == pytest.approx(0.475367, abs=5e-7)
    shares = np.array([0.4, 0.3, 0.2, 0.1])
    law = shares @ np.array(protocol.channel().matrix, dtype=float)
    assert law == pytest.approx([0.295073, 0.265024, 0.234976, 0.204927], abs=5e-7)
    squared = sum(protocol.variance(f) + f * (1 - f) for f in shares.tolist()) / 10_000
    assert squared == pytest.approx(8.256223e-4, rel=1e-6)
    twice = KaryResponse(categories=4, epsilon=math.log(4))
    assert sum(twice.variance(f) + f * (1 - f) for f in shares.tolist()) == pytest.approx(4.033, abs=5e-4)


@pytest.mark.parametrize(
    ("categories", "epsilon", "uniform"),
    [(2, math.log(3), 0.5), (3, math.log(3), 0.6), (2925, 14, 0.0024263221679834087), (3, 14, 0.000002494582008677539)],
)
def test_a_uniform_answer_is_as_likely_as_the_web_s_own_tests_say(
    categories: int, epsilon: float, uniform: float
) -> None:
    assert float(KaryResponse(categories=categories, epsilon=epsilon).other_support * categories) == pytest.approx(
        uniform, rel=1e-6
    )


@pytest.mark.parametrize("categories", [2, 3, 1000, 1 << 20])
@pytest.mark.parametrize("epsilon", ["0.001", 1, 10, 20])
def test_weights_are_whole_numbers_that_javascript_keeps_and_never_cost_more(categories: int, epsilon: str) -> None:
    protocol = KaryResponse(categories=categories, epsilon=epsilon)
    assert protocol.truth + (categories - 1) * protocol.other == 2**52
    assert protocol.ratio <= Fraction(math.exp(Fraction(epsilon))) * (1 + Fraction(1, 2**50))
    assert protocol.epsilon == pytest.approx(float(epsilon), rel=0.03)
    assert protocol.epsilon <= float(epsilon)
    curve = next(iter(protocol.loss.parts))[0]
    assert isinstance(curve, KaryResponseCurve), "so that shuffling is priced as that of k-ary responses"


def test_an_epsilon_that_tells_nothing_is_refused() -> None:
    with pytest.raises(InvalidParameter, match=r"must be in \[1/1000000, 20\]|nothing would be told"):
        KaryResponse(categories=4, epsilon=0)
    with pytest.raises(InvalidParameter):
        KaryResponse(categories=4, epsilon=21)
    with pytest.raises(InvalidParameter):
        KaryResponse(categories=1, epsilon=1)


def test_a_draw_is_the_one_that_its_word_says() -> None:
    """Every device in every language turns the same eight bytes into the same report."""
    protocol = KaryResponse(categories=3, epsilon=1)
    edges = [
        0,
        protocol.truth - 1,
        protocol.truth,
        protocol.truth + protocol.other - 1,
        2**52 - protocol.other,
        2**52 - 1,
    ]

    class Words:
        def words(self, count: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
            return np.array([each << 12 for each in edges[:count]], dtype=np.uint64)  # the leading 52 bits count

    assert protocol.privatize([2] * 6, entropy=Words()).tolist() == [2, 2, 0, 0, 1, 1]


def test_a_million_values_in_one_call(source: BitSource) -> None:
    protocol = KaryResponse(categories=128, epsilon=1)
    assert protocol.tally(protocol.privatize(np.arange(1_000_000) % 128, entropy=source)).reports == 1_000_000
