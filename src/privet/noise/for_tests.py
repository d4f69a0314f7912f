"""Bit sources whose output is known in advance. They are not `Entropy`, so no ledger opens with one."""

import hashlib

import numpy as np

from privet.errors import EntropyError, InvalidParameter
from privet.noise.entropy import Keystream, Words


class SeededEntropyForTests:
    """The keystream of a known key: the same seed gives the same words, on every machine."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._stream = Keystream(hashlib.sha256(f"privet test seed {seed}".encode()).digest())

    def words(self, count: int) -> Words:
        """Return the next `count` words of the seed's stream."""
        return self._stream.words(count)

    def __repr__(self) -> str:
        return f"seeded_entropy_for_tests({self._seed})"


class BitStringForTests:
    """Serves the given bits, first bit most significant, in 64-bit words; then it has ended."""

    def __init__(self, bits: str) -> None:
        if set(bits) - {"0", "1"} or len(bits) % 64:
            raise InvalidParameter("bits must be a string of 0 and 1 whose length is a multiple of 64")
        self._words = [int(bits[i : i + 64], 2) for i in range(0, len(bits), 64)]

    def words(self, count: int) -> Words:
        """Return the next `count` words, or raise `EntropyError` where the string has ended."""
        if count > len(self._words):
            raise EntropyError(f"the bit string has {len(self._words)} words left, {count} were asked for")
        taken = self._words[:count]
        self._words = self._words[count:]
        return np.array(taken, dtype=np.uint64)


def seeded_entropy_for_tests(seed: int) -> SeededEntropyForTests:
    """Return a reproducible source: for tests only, because whoever knows the seed can subtract the noise.

    Example:
        >>> int(seeded_entropy_for_tests(7).words(1)[0]) == int(seeded_entropy_for_tests(7).words(1)[0])
        True
    """
    return SeededEntropyForTests(seed)


def bit_string_for_tests(bits: str) -> BitStringForTests:
    """Return a source that serves exactly these bits: for feeding a sampler every short string.

    Example:
        >>> int(bit_string_for_tests("1" + "0" * 63).words(1)[0]) == 2**63
        True
    """
    return BitStringForTests(bits)
