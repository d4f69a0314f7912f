"""Uniform whole numbers and permutations."""

import operator

import numpy as np
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.noise.entropy import BitSource, Words
from privet.noise.law import Law, draw_count
from privet.noise.lazy import Steps, collect


class UniformLaw(Law):
    """A whole number in [0, below), each with the same probability.

    Args:
        below: any whole number >= 1, also beyond 64 bits.

    Proof of the law:
        As many bits as `below - 1` has are uniform over a power of two; numbers outside the range are thrown away,
        which leaves the others equally likely. At least half are kept.

    Example:
        >>> from privet.noise.for_tests import seeded_entropy_for_tests
        >>> 0 <= UniformLaw(below=6).one(seeded_entropy_for_tests(1)) < 6
        True
    """

    def __init__(self, below: int) -> None:
        self.below = operator.index(below)
        if self.below < 1:
            raise InvalidParameter(f"below must be >= 1, got {below}")
        self._bits = (self.below - 1).bit_length()

    def one(self, source: BitSource) -> int:
        """Draw one value, exact however large."""
        length = -(-self._bits // 64)
        while True:
            number = 0
            for word in source.words(length):
                number = number << 64 | int(word)
            number >>= 64 * length - self._bits
            if number < self.below:
                return number

    def many(self, source: BitSource, count: int) -> Steps:
        """Draw `count` independent values."""
        if self.below == 1:
            return np.zeros(draw_count(count), dtype=np.int64)
        if self._bits > 63:  # noqa: PLR2004 - what int64 holds
            wide = np.empty(draw_count(count), dtype=np.object_)
            wide[:] = [self.one(source) for _ in range(count)]
            return wide
        return collect(draw_count(count), lambda size: self.decide(source.words(size)))

    def decide(self, words: Words) -> NDArray[np.int64]:
        """Return the numbers that the leading bits of each word choose, without those outside the range."""
        numbers = (words >> np.uint64(64 - self._bits)).view(np.int64)
        return numbers[numbers < self.below]

    def __repr__(self) -> str:
        return f"UniformLaw(below={self.below})"


class PermutationLaw:
    """An order of `length` things, each of the `length`! orders with the same probability.

    Args:
        length: how many things; >= 0.

    Proof of the law:
        The keys are independent and equally distributed, so every order of distinct keys is equally likely; a draw
        with two equal keys is thrown away whole, which favours no order.

    Example:
        >>> from privet.noise.for_tests import seeded_entropy_for_tests
        >>> sorted(PermutationLaw(length=4).one(seeded_entropy_for_tests(1)).tolist())
        [0, 1, 2, 3]
    """

    def __init__(self, length: int) -> None:
        self.length = draw_count(length, name="length")

    def one(self, source: BitSource) -> NDArray[np.intp]:
        """Draw one order, as the positions 0 to length - 1 rearranged."""
        order: NDArray[np.intp] = self.many(source, 1)[0]
        return order

    def many(self, source: BitSource, count: int) -> NDArray[np.intp]:
        """Draw `count` independent orders, one in each row."""
        orders = np.empty((draw_count(count), self.length), dtype=np.intp)
        missing = np.arange(count)
        while missing.size:
            keys = source.words(missing.size * self.length).reshape(missing.size, self.length)
            orders[missing], tied = self.decide(keys)
            missing = missing[tied]
        return orders

    @staticmethod
    def decide(keys: Words) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """Return the order of the keys in each row, and whether two of them are equal."""
        orders = np.argsort(keys, axis=1)
        ranked = np.take_along_axis(keys, orders, axis=1)
        return orders, (ranked[:, 1:] == ranked[:, :-1]).any(axis=1)

    def __repr__(self) -> str:
        return f"PermutationLaw(length={self.length})"
