import math

import numpy as np
import pytest

from privet.errors import InvalidParameter
from privet.local import SubsetSelection
from privet.noise import BitSource
from tests.contracts.protocol import Example, ProtocolContract


class TestContract(ProtocolContract):
    EXAMPLES = (
        Example(SubsetSelection(categories=5, epsilon=1, chosen=2), 1, range(5), shares=(0.4, 0.3, 0.2, 0.1, 0)),
        Example(SubsetSelection(categories=9, epsilon="0.5"), 0.5, range(9), shares=[1 / 9] * 9),
        Example(SubsetSelection(categories=["a", "b"], epsilon=2), 2, "ab", shares=(0.7, 0.3)),
    )
    REFUSED = (5, -1, "a")


@pytest.mark.parametrize(
    ("epsilon", "chosen", "variance"),
    [
        (0.5, 387, 15.6383),
        (1, 275, 3.67355),
        (2, 122, 0.720695),
        (3, 49, 0.218196),
        (4, 18, 0.073908),
        (5, 7, 0.025337),
    ],
)
def test_variances_are_those_of_the_reference(epsilon: float, chosen: int, variance: float) -> None:
    protocol = SubsetSelection(categories=1024, epsilon=epsilon)
    assert protocol.chosen == chosen
    assert protocol.variance() == pytest.approx(variance, rel=2e-5)


@pytest.mark.parametrize(
    ("categories", "chosen", "epsilon", "wrong"), [(5, 2, 1, 1.710), (16, 5, 1, 1.600), (1024, 7, 5, 5.0135)]
)
def test_the_own_value_is_not_drawn_twice(
    categories: int, chosen: int, epsilon: float, wrong: float, source: BitSource
) -> None:
    """Where sets without the own value may receive it after all, ε is ln(1 + e^ε k/(k - w)): larger than declared."""
    protocol = SubsetSelection(categories=categories, epsilon=epsilon, chosen=chosen)
    left = categories - protocol.chosen
    assert math.log(1 + math.exp(epsilon) * categories / left) == pytest.approx(wrong, abs=2e-3)
    assert protocol.epsilon <= epsilon
    n = 40_000 if categories < 100 else 4_000
    held = protocol.bits(protocol.privatize([0] * n, entropy=source))[:, 0].mean()
    p = float(protocol.true_support)
    assert abs(held - p) < 4.9 * math.sqrt(p * (1 - p) / n)


def test_sets_have_their_size_and_all_values_are_alike(source: BitSource) -> None:
    """n = 20,000 of 300 values: the shares of others differ by no more than chance, at 1e-6 for all together."""
    protocol = SubsetSelection(categories=300, epsilon=1)
    bits = protocol.bits(protocol.privatize([7] * 20_000, entropy=source))
    assert (bits.sum(axis=1) == protocol.chosen).all()
    q = float(protocol.other_support)
    others = np.delete(bits.mean(axis=0), 7)
    assert np.abs(others - q).max() < 6 * math.sqrt(q * (1 - q) / 20_000)


def test_sets_of_another_size_are_refused() -> None:
    protocol = SubsetSelection(categories=16, epsilon=1)
    with pytest.raises(InvalidParameter, match="must hold 4 values"):
        protocol.tally(np.array([[255, 255]], dtype=np.uint8))
    with pytest.raises(InvalidParameter):
        SubsetSelection(categories=5, epsilon=1, chosen=5)
