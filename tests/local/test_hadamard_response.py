import numpy as np
import pytest

from privet.local import HadamardResponse
from privet.local.hadamard import hadamard_sums, odd_parity
from tests.contracts.protocol import Example, ProtocolContract


class TestContract(ProtocolContract):
    EXAMPLES = (
        Example(HadamardResponse(categories=4, epsilon=1), 1, range(4), shares=(0.4, 0.3, 0.2, 0.1)),
        Example(HadamardResponse(categories=["a", "b", "c"], epsilon=2), 2, "abc", shares=(0.7, 0.3, 0)),
        Example(HadamardResponse(categories=20, epsilon="0.5"), 0.5, range(20), shares=[0.05] * 20),
    )
    REFUSED = (4, -1, "a")


@pytest.mark.parametrize(
    ("epsilon", "variance"), [(0.1, 400.667), (0.5, 16.6708), (1, 4.68269), (2, 1.72406), (5, 1.02732)]
)
def test_variances_are_those_of_the_reference(epsilon: float, variance: float) -> None:
    assert HadamardResponse(categories=1024, epsilon=epsilon).variance() == pytest.approx(variance, rel=2e-5)


def test_the_fast_transform_is_the_matrix() -> None:
    places = np.arange(16)
    signs = np.where(odd_parity((places[:, None] & places).ravel()).reshape(16, 16), -1, 1)
    cells = np.arange(48).reshape(3, 16) ** 2
    assert np.array_equal(hadamard_sums(cells), cells @ signs.T)


def test_large_counts_stay_exact() -> None:
    protocol = HadamardResponse(categories=3, epsilon=1)
    tally = protocol.tally(np.array([1, 2]), times=np.array([2**36, 1]))
    assert protocol._supports(tally.counts).tolist() == [1, 2**36, 0]
