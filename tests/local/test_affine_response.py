import numpy as np
import pytest

from privet.errors import InvalidParameter
from privet.local import AffineResponse, SubsetSelection
from privet.noise import BitSource
from tests.contracts.protocol import Example, ProtocolContract


class TestContract(ProtocolContract):
    EXAMPLES = (
        Example(AffineResponse(categories=5, epsilon=1), 1, range(5), shares=(0.4, 0.3, 0.2, 0.1, 0)),
        Example(AffineResponse(categories=12, epsilon="0.5"), 0.5, range(12), shares=[1 / 12] * 12),
        Example(AffineResponse(categories=["a", "b"], epsilon=2), 2, "ab", shares=(0.7, 0.3)),
    )
    REFUSED = (5, -1, "a")


@pytest.mark.parametrize("epsilon", [0.5, 1, 3, 5])
def test_its_error_is_that_of_subset_selection(epsilon: float) -> None:
    """Exactly for a prime; else as if there were a few values more."""
    assert AffineResponse(131, epsilon).variance() == SubsetSelection(131, epsilon).variance()
    more = AffineResponse(1024, epsilon).variance() / SubsetSelection(1024, epsilon).variance()
    assert 0.999 < more < 1.002
    assert AffineResponse(1024, epsilon).payload_bytes == 3


@pytest.mark.parametrize(("size", "devices"), [(5, 3), (5, 400), (20, 5_000), (128, 300)])
def test_sets_are_counted_alike_one_by_one_and_all_together(size: int, devices: int, source: BitSource) -> None:
    protocol = AffineResponse(categories=size, epsilon=1)
    reports = protocol.privatize(np.arange(devices) % size, entropy=source)
    times = np.arange(devices)
    images = [[(each // protocol.prime + 1) * value + each for value in range(size)] for each in reports.tolist()]
    held = np.array(images) % protocol.prime < protocol.chosen
    assert np.array_equal(protocol.tally(reports).counts, held.sum(axis=0))
    assert np.array_equal(protocol.tally(reports, times=times).counts, times @ held)


def test_too_many_values_and_other_primes_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="number of categories"):
        AffineResponse(4097, 1)
    config = AffineResponse(20, 1).config
    for change in ({"prime": 29}, {"chosen": 23}, {"inside": 1}, {"categories": 5000}):
        with pytest.raises(InvalidParameter):
            AffineResponse.from_config({**config, **change})
