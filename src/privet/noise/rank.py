"""A whole number whose rank among given ones is near a target: the draw behind private quantiles."""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.noise.bernoulli import survives
from privet.noise.entropy import BitSource
from privet.noise.law import Law, Number, draw_count, exact_number
from privet.noise.lazy import Steps, ball_of
from privet.noise.uniform import UniformLaw

Values = NDArray[Any]
_LN_2_ABOVE = Fraction(math.log(2.0)) + Fraction(1, 1 << 50)  # a rational not below ln 2
_SPARE = 32  # levels beyond those that outweigh all of the outside: it is proposed once in 2^32 draws, or less


class RankLaw(Law):
    """A whole number j in [0, top] with probability proportional to exp(-rate * d(j)).

    Here d(j) is how far the target lies from the ranks of j, from how many values are below j to how many are not
    above it: d(j) = max(0, below(j) - target, target - upto(j)).

    Args:
        values: the numbers among which j is ranked, in any order, without NaN; there may be none.
        top: >= 1; the largest j.
        target: the rank aimed at; beyond [0, len(values)] the law is that of the nearest end.
        rate: > 0, between 2^-256 and 2^256, exact.
        ordered: True if the values are in order already.
        place: a monotone function from values to whole numbers in [0, top], applied to each value; by default
            the values are such numbers themselves.

    Proof of the law:
        The numbers with d(j) <= r form an interval whose ends are values of known rank. Level b holds those with
        r_b < d(j) <= r_(b+1), where rate r_b is b ln 2 rounded up, and the last level holds all that are left. A
        proposal picks j with probability proportional to 2^-b: one uniform whole number below the sum over levels
        of size times 2^(last - b). It is kept with probability exp(-rate d(j)) 2^b <= 1. So j is returned with
        probability proportional to exp(-rate d(j)), and at least half of the proposals on a level but the last are
        kept. Only the values whose ranks are within r_last of the target are ever put in order; the last level is
        proposed at most once in 2^32 draws, and then all values are counted once.

    Example:
        >>> from privet.noise.for_tests import seeded_entropy_for_tests
        >>> 5 <= RankLaw(np.array([3, 5, 9]), top=10, target=2, rate=1000).one(seeded_entropy_for_tests(1)) <= 9
        True
    """

    def __init__(  # noqa: PLR0913 - the values and how to rank them, each by name
        self,
        values: Values,
        *,
        top: int,
        target: Number,
        rate: Number,
        ordered: bool = False,
        place: Callable[[Values], NDArray[np.int64]] | None = None,
    ) -> None:
        self.top = top
        self.rate = exact_number(rate, name="rate")
        if not 1 <= top < 1 << 62:
            raise InvalidParameter(f"top must be between 1 and 2^62, got {top}")
        if not Fraction(1, 1 << 256) <= self.rate <= 1 << 256:
            raise InvalidParameter(f"rate must be between 2^-256 and 2^256, got {rate}")
        self._in_order = ordered
        self._values = values
        self._place = place or (lambda some: some.astype(np.int64))
        self.target = min(max(exact_number(target, name="target"), Fraction(0)), Fraction(len(values)))
        self._last = top.bit_length() + _SPARE
        self._window, self._first = self._ordered()
        self._inner = [self._interval(level) for level in range(1, self._last + 1)]
        self._owned = self._slots_by_level()
        self._slots = UniformLaw(sum(self._owned))

    def one(self, source: BitSource) -> int:
        """Draw one number."""
        while True:
            level, number = self.propose(self._slots.one(source))
            if self._kept(self.rate * self.distance(number), level, source):
                return number

    def many(self, source: BitSource, count: int) -> Steps:
        """Draw `count` independent numbers."""
        return np.array([self.one(source) for _ in range(draw_count(count))], dtype=np.int64)

    def propose(self, slot: int) -> tuple[int, int]:
        """Return the level b that a slot belongs to, and the number; each number owns 2^(last - b) slots."""
        for level, owned in enumerate(self._owned):
            if slot < owned:
                return level, self._number(level, slot >> (self._last - level))
            slot -= owned
        raise InvalidParameter("slot must be below the number of slots")

    def distance(self, number: int) -> Fraction:
        """Return d(j), from the ordered window where that is enough."""
        below, upto = self._ranks(number)
        return max(Fraction(0), below - self.target, self.target - upto)

    def _ordered(self) -> tuple[NDArray[np.int64], int]:
        """Return the placed values whose ranks can matter to a level but the last, in order, and the first's rank."""
        reach = self._last * _LN_2_ABOVE / self.rate
        count = len(self._values)
        first = max(math.ceil(self.target - reach) - 1, 0)
        after = min(math.floor(self.target + reach) + 1, count)
        kept = self._values
        if self._in_order:
            return self._place(kept[first:after]), first
        if after - first < count // 4:  # else to sort everything is as fast
            kept = np.partition(kept, first)[first:]
            kept.partition(after - first - 1)
            return self._place(np.sort(kept[: after - first])), first
        return self._place(np.sort(kept)[first:after]), first

    @cached_property
    def _ratios(self) -> tuple[tuple[int, int], int]:
        """The target and r_1 as whole numbers over one denominator: much faster than fractions."""
        radius = _LN_2_ABOVE / self.rate
        whole = self.target.denominator * radius.denominator
        return (int(self.target * whole), int(radius * whole)), whole

    def _interval(self, level: int) -> tuple[int, int]:
        """Return the first and the last number with d(j) <= r_level: values of the outermost ranks allowed."""
        (middle, radius), whole = self._ratios
        low = -((level * radius - middle) // whole)  # upto(j) >= low: j is not below the low-th value
        high = (level * radius + middle) // whole + 1  # below(j) < high: j is not above the high-th
        start = int(self._window[low - 1 - self._first]) if low > 0 else 0
        return start, int(self._window[high - 1 - self._first]) if high <= len(self._values) else self.top

    def _slots_by_level(self) -> list[int]:
        sizes = [high - low + 1 for low, high in self._inner] + [self.top + 1]
        return [(sizes[b] - (sizes[b - 1] if b else 0)) << (self._last - b) for b in range(self._last + 1)]

    def _number(self, level: int, place: int) -> int:
        """Return the number at a place of its level, which is an interval without the one before."""
        start = self._inner[level][0] if level < self._last else 0
        if level == 0:
            return start + place
        low, high = self._inner[level - 1]
        return start + place if start + place < low else start + place + high - low + 1

    def _ranks(self, number: int) -> tuple[int, int]:
        """Return how many values are below a number, and how many are not above it."""
        low, high = self._inner[-1]
        if low <= number <= high:
            below, upto = (int(np.searchsorted(self._window, number, side=side)) for side in ("left", "right"))
            return self._first + below, self._first + upto
        placed = self._place(self._values)
        return int(np.count_nonzero(placed < number)), int(np.count_nonzero(placed <= number))

    @staticmethod
    def _kept(product: Fraction, level: int, source: BitSource) -> bool:
        """Toss a coin of probability exp of minus (rate d - b ln 2)."""

        def ball() -> arb:
            return ball_of(product) - level * arb.const_log2()

        return survives(np.float64(max(float(product) - level * math.log(2.0), 0.0)), ball, source)

    def __repr__(self) -> str:
        return f"RankLaw({len(self._values)} values, top={self.top}, rate={self.rate})"
