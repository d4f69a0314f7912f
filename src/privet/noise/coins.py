"""Coins of one kind, very many: one byte each, and more for the few that it leaves open."""

import numpy as np
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.noise.entropy import BitSource

BITS = 52
REST = BITS - 8


class CoinLaw:
    """True with a probability of exactly weight / 2^52.

    Args:
        weight: from 0 to 2^52.

    Proof of the law:
        A uniform number of 52 bits is below the weight if its first byte is below that of the weight, or equal to it
        and the other 44 bits are below the others. Those are drawn only then: for one coin in 256.

    Example:
        >>> from privet.noise.for_tests import seeded_entropy_for_tests
        >>> CoinLaw(1 << 52).many(seeded_entropy_for_tests(1), 3).tolist()
        [True, True, True]
    """

    def __init__(self, weight: int) -> None:
        if not 0 <= weight <= 1 << BITS:
            raise InvalidParameter(f"weight must be from 0 to 2^{BITS}, got {weight}")
        self.weight = weight

    def many(self, source: BitSource, count: int) -> NDArray[np.bool_]:
        """Toss `count` independent coins."""
        if self.weight == 1 << BITS:
            return np.ones(count, dtype=np.bool_)
        octets = source.words(-(-count // 8)).astype("<u8", copy=False).view(np.uint8)[:count]
        high, rest = divmod(self.weight, 1 << REST)
        coins: NDArray[np.bool_] = octets < np.uint8(high)
        if rest:
            ties = np.flatnonzero(octets == np.uint8(high))
            coins[ties] = source.words(ties.size) >> np.uint64(64 - REST) < np.uint64(rest)
        return coins

    def __repr__(self) -> str:
        return f"CoinLaw({self.weight})"
