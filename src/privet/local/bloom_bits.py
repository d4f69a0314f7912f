"""bloom_bits: which bits of a Bloom filter a text sets in a cohort, as all of RAPPOR's clients compute it."""

from collections.abc import Sequence
from hashlib import md5

import numpy as np
from numpy.typing import NDArray


def bloom_bits(text: str, cohort: int, *, hashes: int, bits: int) -> list[int]:
    """The positions: bytes of MD5(cohort as four bytes, text), modulo `bits`, a power of two, so that all are alike.

    MD5 is no secret here and need not be strong: it only spreads texts over positions.

    Example:
        >>> bloom_bits("abc", 0, hashes=2, bits=16)
        [6, 13]
    """
    digest = md5(cohort.to_bytes(4, "big") + text.encode(), usedforsecurity=False).digest()
    return [byte % bits for byte in digest[:hashes]]


def bloom_map(texts: Sequence[str], *, cohorts: int, hashes: int, bits: int) -> NDArray[np.float64]:
    """Which bits each text sets in each cohort: an array of cohorts, bits and texts."""
    found = np.zeros((cohorts, bits, len(texts)))
    for number, text in enumerate(texts):
        for cohort in range(cohorts):
            found[cohort, bloom_bits(text, cohort, hashes=hashes, bits=bits), number] = 1.0
    return found
