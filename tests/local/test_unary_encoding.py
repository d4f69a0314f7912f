import numpy as np
import pytest

from privet.errors import InvalidParameter
from privet.local import UnaryEncoding
from privet.noise import BitSource
from tests.contracts.protocol import Example, ProtocolContract


class TestContract(ProtocolContract):
    EXAMPLES = (
        Example(UnaryEncoding(categories=4, epsilon=1), 1, range(4), shares=(0.4, 0.3, 0.2, 0.1)),
        Example(UnaryEncoding(categories=["a", "b", "c"], epsilon=2, symmetric=True), 2, "abc", shares=(0.7, 0.3, 0)),
        Example(UnaryEncoding(categories=6, epsilon=5), 5, range(6), shares=(0.5, 0.3, 0.05, 0.05, 0.05, 0.05)),
    )
    REFUSED = (4, -1, "a")


@pytest.mark.parametrize(
    ("epsilon", "symmetric", "optimised"),
    [
        (0.1, 399.917, 399.667),
        (0.5, 15.9169, 15.6708),
        (1, 3.91770, 3.68269),
        (2, 0.920674, 0.724062),
        (5, 0.097422, 0.027319),
    ],
)
def test_variances_are_those_of_the_reference(epsilon: float, symmetric: float, optimised: float) -> None:
    assert UnaryEncoding(categories=16, epsilon=epsilon).variance() == pytest.approx(optimised, rel=2e-5)
    assert UnaryEncoding(categories=16, epsilon=epsilon, symmetric=True).variance() == pytest.approx(
        symmetric, rel=2e-5
    )


def test_the_own_bit_is_kept_as_often_as_it_must_be(source: BitSource) -> None:
    """A client of another library never cleared a one, which tells all: here it is cleared half of the time."""
    protocol = UnaryEncoding(categories=20, epsilon=1)
    bits = protocol.bits(protocol.privatize([3] * 10_000, entropy=source))
    assert 4_700 < bits[:, 3].sum() < 5_300
    assert not (bits[:, 3] == 1).all()


def test_bits_of_no_value_are_refused() -> None:
    protocol = UnaryEncoding(categories=9, epsilon=1)
    with pytest.raises(InvalidParameter, match="beyond the last value"):
        protocol.tally(np.array([[0, 1]], dtype=np.uint8))


def test_many_devices_are_drawn_in_parts(source: BitSource) -> None:
    """More than fit into the cache at once: every part has its own bits."""
    protocol = UnaryEncoding(categories=2_000, epsilon=1)
    reports = protocol.privatize(np.zeros(3_000, dtype=np.int64), entropy=source)
    assert len(np.unique(reports, axis=0)) == 3_000
    assert protocol.tally(reports).counts[0] == protocol.bits(reports)[:, 0].sum()
