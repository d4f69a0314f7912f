"""HashFamily: functions from values to a few buckets, any two values equally likely to fall together."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

PRIME = 2**31 - 1
Numbers = NDArray[np.int64]


def is_prime(number: int) -> bool:
    """Whether a number is prime, by division: for those up to 2^31."""
    return number > 1 and all(number % each for each in range(2, math.isqrt(number) + 1))


@dataclass(frozen=True)
class HashFamily:
    """x ↦ ((a x + b) mod P) mod g, for all a and b below the prime P.

    Args:
        buckets: g, from 2 to P.
        prime: P, above every value.

    Proof that pairs are alike: for x ≠ y the pair (a x + b, a y + b) takes every value modulo P once as a and b go
        through all numbers below P (Carter and Wegman 1979). So two values fall together with the probability
        `collision`, exactly and whichever they are: the sum of the squared shares of the buckets.

    Example:
        >>> family = HashFamily(buckets=4)
        >>> family.buckets_of(np.array([5]), np.array([3]), np.array([10])).tolist()  # 5 * 10 + 3 = 53
        [1]
    """

    buckets: int
    prime: int = PRIME

    @property
    def collision(self) -> Fraction:
        """The probability that two values fall into one bucket."""
        small, larger = divmod(self.prime, self.buckets)
        squares = larger * (small + 1) ** 2 + (self.buckets - larger) * small**2
        return Fraction(squares, self.prime**2)

    def buckets_of(self, a: Numbers, b: Numbers, values: Numbers) -> Numbers:
        """The buckets of values; arrays are matched as numpy does."""
        return (a * values + b) % self.prime % self.buckets

    def supports(self, a: Numbers, b: Numbers, told: Numbers, values: int) -> Numbers:
        """For each value below `values`, how many functions map it to what is told of them.

        The values are gone through one after the other, by addition, because the division is what takes time.
        """
        found = np.empty(values, dtype=np.int64)
        slope, at, wanted = (each.astype(np.uint32) for each in (a, b, told))
        prime, buckets = np.uint32(self.prime), np.uint32(self.buckets)
        for value in range(values):
            found[value] = np.count_nonzero(at - at // buckets * buckets == wanted)
            at += slope
            np.minimum(at, at - prime, out=at)  # below the prime the difference wraps round to a large number
        return found

    def supports_of(self, a: Numbers, b: Numbers, told: Numbers, values: Numbers) -> Numbers:
        """The same for values anywhere below the prime, which is a power of two less 1: then no division is needed."""
        found = np.empty(len(values), dtype=np.int64)
        wanted, buckets = told.astype(np.uint32), np.uint32(self.buckets)
        for place, value in enumerate(values.tolist()):
            product = a * value + b
            folded = (product & self.prime) + (product >> self.prime.bit_length())  # 2^31 is 1 modulo the prime
            at = np.where(folded >= self.prime, folded - self.prime, folded).astype(np.uint32)
            found[place] = np.count_nonzero(at - at // buckets * buckets == wanted)
        return found

    def shared(self, functions: int) -> tuple[Numbers, Numbers]:
        """So many functions that everybody knows: a and b of each, from SHA-256 of their numbers."""
        drawn = [_from_hash(number, self.prime) for number in range(functions)]
        return np.array([a for a, _ in drawn], dtype=np.int64), np.array([b for _, b in drawn], dtype=np.int64)


@dataclass(frozen=True)
class SharedFunctions:
    """A fixed list of functions of a family, for devices that tell only which one they took."""

    family: HashFamily
    functions: int

    @cached_property
    def coefficients(self) -> tuple[Numbers, Numbers]:
        """The a and b of each."""
        return self.family.shared(self.functions)

    def buckets_of(self, functions: Numbers, values: Numbers) -> Numbers:
        """The buckets of values under functions by their numbers; arrays are matched as numpy does."""
        a, b = self.coefficients
        return self.family.buckets_of(a[functions], b[functions], values)


def _from_hash(number: int, prime: int) -> tuple[int, int]:
    digest = sha256(b"privet hash function" + number.to_bytes(8, "big")).digest()
    return int.from_bytes(digest[:16], "big") % prime, int.from_bytes(digest[16:], "big") % prime
