"""One whole number more likely than all others: the draw of k-ary randomized response."""

import operator

import numpy as np
from flint import arb
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.noise.bernoulli import survive
from privet.noise.entropy import BitSource
from privet.noise.law import Law, Number, draw_count, exact_number
from privet.noise.lazy import RESERVE, Steps, ball_of, collect
from privet.noise.uniform import UniformLaw

_LN_2 = float(np.log(2.0))
_WORD = 62  # bits of a slot number that fits int64 with room for a sum


class FavoriteLaw(Law):
    """A whole number in [0, below): zero is exp(log_odds) times as likely as each of the others.

    Args:
        below: how many numbers there are, >= 1, also beyond 64 bits.
        log_odds: in [0, 2^256], exact.

    Proof of the law:
        Let 2^b be at most exp(log_odds). A proposal is one uniform slot of 2^b + below - 1: the first 2^b belong to
        zero, the others to one number each. Zero is always kept, another with probability 2^b exp(-log_odds), so zero
        has exp(log_odds) times the weight of each. With b the whole part of log_odds / ln 2 at least half of the
        proposals are kept; b ends where zero owns at least as many slots as all others, and half are kept there too.

    Example:
        >>> from privet.noise.for_tests import seeded_entropy_for_tests
        >>> FavoriteLaw(below=10**9, log_odds=10**6).one(seeded_entropy_for_tests(1))
        0
    """

    def __init__(self, below: int, log_odds: Number) -> None:
        self.below = operator.index(below)
        self.log_odds = exact_number(log_odds, name="log_odds")
        if self.below < 1:
            raise InvalidParameter(f"below must be >= 1, got {below}")
        if not 0 <= self.log_odds <= 1 << 256:
            raise InvalidParameter(f"log_odds must be in [0, 2^256], got {log_odds}")
        size = self.below.bit_length()
        deepest = max(_WORD - size, size)  # half of the proposals are kept there too
        safe = float(self.log_odds) * (1 - RESERVE) / _LN_2 - RESERVE  # float64 errors go to the safe side
        self.level = int(min(max(safe, 0.0), deepest))
        self._slots = UniformLaw((1 << self.level) + self.below - 1)

    def one(self, source: BitSource) -> int:
        """Draw one value."""
        return int(self.many(source, 1)[0])

    def many(self, source: BitSource, count: int) -> Steps:
        """Draw `count` independent values."""
        return collect(draw_count(count), lambda size: self._some(source, size))

    def _some(self, source: BitSource, size: int) -> Steps:
        values = self.propose(self._slots.many(source, size))
        others = np.flatnonzero(values)
        keep: NDArray[np.bool_] = np.ones(len(values), dtype=np.bool_)
        exponents = np.full(others.size, max(float(self.log_odds) - self.level * _LN_2, 0.0))
        keep[others] = survive(exponents, lambda _: self.exponent_ball(), source)
        return values[keep]

    def propose(self, slots: Steps) -> Steps:
        """Return the number that owns each slot."""
        values: Steps = np.maximum(slots - ((1 << self.level) - 1), 0)
        return values

    def exponent_ball(self) -> arb:
        """Return a ball around log_odds - b ln 2: numbers above zero are kept with probability exp of minus that."""
        return ball_of(self.log_odds) - self.level * arb.const_log2()

    def __repr__(self) -> str:
        return f"FavoriteLaw(below={self.below}, log_odds={self.log_odds})"
