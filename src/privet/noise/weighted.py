"""One of a few outcomes with rational probabilities of any size."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from fractions import Fraction
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.noise.entropy import BitSource, Words
from privet.noise.law import Law, Number, draw_count, exact_number
from privet.noise.lazy import Steps, collect


class WeightedLaw(Law):
    """An index i with probability exactly weights[i] divided by the sum of all weights.

    Args:
        weights: >= 0, at least one above 0, rational of any size; a float counts as the binary fraction it is.

    Proof of the law:
        The shares of the weights cut [0, 1) into pieces; a real uniform on [0, 1) lies in each with just that
        probability. Its first 64 bits tell the piece unless an edge lies strictly inside the interval they leave,
        which has probability at most (edges) / 2^64; then more bits are drawn until no edge does.

    Example:
        >>> from privet.noise.for_tests import seeded_entropy_for_tests
        >>> WeightedLaw([0, Fraction(1, 3), 0]).one(seeded_entropy_for_tests(1))
        1
    """

    def __init__(self, weights: Iterable[Number]) -> None:
        self.weights = tuple(exact_number(weight, name="weight") for weight in weights)
        if not any(self.weights) or min(self.weights) < 0:
            raise InvalidParameter("weights must be >= 0, with at least one above 0")
        total = sum(self.weights, Fraction(0))
        possible = [i for i, weight in enumerate(self.weights) if weight]
        self._outcomes = np.array(possible, dtype=np.int64)
        self._edges = [reached / total for reached in accumulate(self.weights[i] for i in possible[:-1])]
        self._words = self._thresholds(64)

    def one(self, source: BitSource) -> int:
        """Draw one index."""
        return int(self.many(source, 1)[0])

    def many(self, source: BitSource, count: int) -> Steps:
        """Draw `count` independent indices."""
        return collect(draw_count(count), lambda size: self._some(source, size))

    def _some(self, source: BitSource, size: int) -> Steps:
        words = source.words(size)
        pieces, undecided = self._decided(words, *self._words)
        for place in np.flatnonzero(undecided).tolist():
            pieces[place] = self._refined(int(words[place]), source)
        return self._outcomes[pieces]

    def decide(self, prefixes: Words, *, bits: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return the index for a real that begins with each prefix, and where the prefix leaves that open."""
        pieces, undecided = self._decided(prefixes, *self._thresholds(bits))
        return self._outcomes[pieces], undecided

    def _thresholds(self, bits: int) -> tuple[Words, NDArray[np.bool_]]:
        """Return the leading bits of every edge, and whether more bits follow."""
        parts = [divmod(edge.numerator << bits, edge.denominator) for edge in self._edges]
        return np.array([high for high, _ in parts], dtype=np.uint64), np.array([rest > 0 for _, rest in parts], bool)

    @staticmethod
    def _decided(
        prefixes: Words, thresholds: Words, goes_on: NDArray[np.bool_]
    ) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        pieces = np.searchsorted(thresholds, prefixes, side="right")
        if not thresholds.size:
            return pieces, np.zeros(len(prefixes), dtype=np.bool_)
        last = pieces - 1  # of the edges that begin with the same bits, the last one goes on if any does
        return pieces, (pieces > 0) & (thresholds[last] == prefixes) & goes_on[last]

    def _refined(self, known: int, source: BitSource) -> int:
        """Return the piece of the real that begins with this word, drawing as many more as that takes."""
        bits = 64
        while True:
            known = known << 64 | int(source.words(1)[0])
            bits = bits + 64
            piece = bisect_right(self._edges, Fraction(known, 1 << bits))
            if piece == bisect_left(self._edges, Fraction(known + 1, 1 << bits)):
                return piece

    def __repr__(self) -> str:
        return f"WeightedLaw({len(self.weights)} outcomes)"
