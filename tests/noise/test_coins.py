"""CoinLaw: exact by counting, and by chance."""

import numpy as np
import pytest

from privet.errors import InvalidParameter
from privet.noise import BitSource
from privet.noise.coins import CoinLaw
from tests.support.statistics import assert_does_not_follow, assert_follows


class Bytes:
    """First all 256 bytes once, then given words."""

    def __init__(self, rest: list[int]) -> None:
        self.rest = rest
        self.begun = False

    def words(self, count: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
        if not self.begun:
            self.begun = True
            return np.arange(256, dtype=np.uint8).view(np.uint64)[:count]
        assert count == len(self.rest)
        return np.array(self.rest, dtype=np.uint64)


@pytest.mark.parametrize("high", [0, 1, 100, 255])
@pytest.mark.parametrize("rest", [0, 1, 12345, 2**44 - 1])
def test_every_byte_decides_as_the_number_that_it_begins(high: int, rest: int) -> None:
    law = CoinLaw((high << 44) + rest)
    for word in (rest - 1, rest):
        if 0 <= word < 2**44:
            coins = law.many(Bytes([word << 20] if rest else []), 256)
            assert coins.sum() == high + (rest > 0 and word < rest)
            assert not coins[high + 1 :].any()


def test_coins_follow_their_weight(source: BitSource) -> None:
    """n = 10^6, a weight whose first byte alone is off by 0.3 %."""
    weight = (77 << 44) + 2**44 - 5
    heads = int(CoinLaw(weight).many(source, 1_000_000).sum())
    seen = {0: 1_000_000 - heads, 1: heads}
    assert_follows(seen, {1: weight / 2**52, 0: 1 - weight / 2**52})
    assert_does_not_follow(seen, {1: 77 / 256, 0: 1 - 77 / 256})


def test_certain_coins_and_impossible_weights() -> None:
    assert CoinLaw(2**52).many(Bytes([]), 5).all()
    with pytest.raises(InvalidParameter):
        CoinLaw(-1)
    with pytest.raises(InvalidParameter):
        CoinLaw(2**52 + 1)
