"""Pólya's law: a part of a geometric number, so that the parts of several parties add up to one."""

from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import arb
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.noise.entropy import BitSource
from privet.noise.law import Law, Number, draw_count, exact_number, exact_scale
from privet.noise.lazy import Steps, at_precision, ball_of

FIRST = 64  # bits of a uniform number that are looked at first
SPARE = 64  # bits more than a comparison needs
MOST_STEPS = 1 << 16  # of scale, so that the table of probabilities stays small


class PolyaLaw(Law):
    """A whole number k >= 0 with probability proportional to Γ(r + k)/k! e^(-k / scale): negative binomial, any r.

    Args:
        shape: r, above 0 and at most 1: the sum of independent numbers has the sum of their shapes, and shape 1 is
            geometric. Rational.
        scale: in lattice steps, at most 2^16.

    Proof of the law:
        A uniform real lies between the cumulative probabilities of k - 1 and k with the probability of k. Its first 64
        bits decide, unless a cumulative probability begins with them; then more bits are drawn, until balls around the
        probabilities exclude it.

    Example:
        >>> from privet.noise.for_tests import seeded_entropy_for_tests
        >>> PolyaLaw(Fraction(1, 10), scale=1).many(seeded_entropy_for_tests(1), 5).tolist()
        [0, 1, 0, 0, 0]
    """

    def __init__(self, shape: Number, scale: Number) -> None:
        self.shape = exact_number(shape, name="shape")
        self.scale = exact_scale(scale)
        if not 0 < self.shape <= 1 or self.scale > MOST_STEPS:
            raise InvalidParameter("shape must lie above 0 and at most at 1, and scale be at most 2^16 steps")

    def one(self, source: BitSource) -> int:
        """Draw one value."""
        return int(self.many(source, 1)[0])

    def many(self, source: BitSource, count: int) -> Steps:
        """Draw `count` independent values."""
        words = source.words(draw_count(count))
        values = np.searchsorted(self._edges, words, side="right").astype(np.int64)
        before = np.append(np.uint64(0), self._edges)[values]
        open_ones = (values == len(self._edges)) | ((values > 0) & (before == words))
        for place in np.flatnonzero(open_ones).tolist():
            values[place] = self._refined(int(words[place]), source)
        return values

    @cached_property
    def _edges(self) -> NDArray[np.uint64]:
        """The first 64 bits of each cumulative probability, up to where nothing more begins with other bits."""
        edges: list[int] = []
        with at_precision(FIRST + SPARE * 4):
            for total in self._cumulative():
                edge = (total * (1 << FIRST)).floor().unique_fmpz()
                if edge is None or int(edge) >= (1 << FIRST) - 1:
                    break
                edges.append(int(edge))
        return np.array(edges, dtype=np.uint64)

    def _refined(self, known: int, source: BitSource) -> int:
        """The value of the real that begins with these bits, drawing as many more as that takes."""
        bits = FIRST
        while True:
            known = known << 64 | int(source.words(1)[0])
            bits += 64
            with at_precision(bits + SPARE * 4):
                low, high = arb(known) / (arb(1) * 2**bits), (arb(known) + 1) / (arb(1) * 2**bits)
                for value, total in enumerate(self._cumulative()):
                    if total >= high:
                        return value
                    if not total <= low:
                        break  # the probability lies inside: more bits

    def _cumulative(self) -> "_Sums":
        return _Sums(self.shape, self.scale)

    def __repr__(self) -> str:
        return f"PolyaLaw({self.shape}, scale={self.scale})"


class _Sums:
    """Balls around the cumulative probabilities of 0, 1, 2, … at the present precision.

    Proof: the probability of 0 is (1 - a)^r with a = e^(-1/scale), that of k + 1 is a (r + k)/(k + 1) times that of k.
    """

    def __init__(self, shape: Fraction, scale: Fraction) -> None:
        self._shape = shape
        self._ratio = (-ball_of(1 / scale)).exp()
        self._next = (ball_of(shape) * (1 - self._ratio).log()).exp()
        self._total = arb(0)
        self._value = 0

    def __iter__(self) -> "_Sums":
        return self

    def __next__(self) -> arb:
        self._total += self._next
        self._next *= self._ratio * ball_of((self._shape + self._value) / (self._value + 1))
        self._value += 1
        return self._total
