"""Coins: with a rational probability, and with probability exp(-x)."""

from collections.abc import Callable
from functools import partial

import numpy as np
from flint import arb
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.noise.entropy import BitSource, Words
from privet.noise.law import Number, draw_count, exact_number
from privet.noise.lazy import (
    CHUNK,
    RADIUS,
    RESERVE,
    F,
    Flags,
    Floats,
    LazyUniform,
    ball_of,
    exponential,
    midpoint,
    midpoints,
    settle,
)

Bools = NDArray[np.bool_]


class BernoulliLaw:
    """True with exactly the given probability.

    Args:
        probability: rational, in [0, 1]; a float counts as the binary fraction it is, so write Fraction(1, 3).

    Proof of the law:
        A real uniform on [0, 1) is below p exactly when its first 64 bits, read as a number, are below the first
        64 bits of p, or equal to them and the rest of the real is below the rest of p. Each round decides all but
        one in 2^64.

    Example:
        >>> from privet.noise.for_tests import seeded_entropy_for_tests
        >>> BernoulliLaw(1).one(seeded_entropy_for_tests(1))
        True
    """

    def __init__(self, probability: Number) -> None:
        self.probability = exact_number(probability, name="probability")
        if not 0 <= self.probability <= 1:
            raise InvalidParameter(f"probability must be in [0, 1], got {probability}")

    def one(self, source: BitSource) -> bool:
        """Toss one coin."""
        return bool(self.many(source, 1)[0])

    def many(self, source: BitSource, count: int) -> Bools:
        """Toss `count` independent coins."""
        words = source.words(draw_count(count))
        coins, undecided = self.decide(words, bits=64)
        ties = np.flatnonzero(undecided)
        if ties.size:
            coins[ties] = BernoulliLaw(self.probability * 2**64 % 1).many(source, ties.size)
        return coins

    def decide(self, prefixes: Words, *, bits: int) -> tuple[Bools, Bools]:
        """Return whether a real that begins with each prefix is below p, and where the prefix leaves that open."""
        threshold, rest = divmod(self.probability.numerator << bits, self.probability.denominator)
        if threshold == 1 << bits:
            return np.ones(len(prefixes), dtype=np.bool_), np.zeros(len(prefixes), dtype=np.bool_)
        undecided = prefixes == np.uint64(threshold) if rest else np.zeros(len(prefixes), dtype=np.bool_)
        return prefixes < np.uint64(threshold), undecided

    def __repr__(self) -> str:
        return f"BernoulliLaw({self.probability})"


class BernoulliExpLaw:
    """True with probability exactly exp(-exponent).

    Args:
        exponent: >= 0, taken as the exact fraction it is; beyond 2^256 it is refused.

    Proof of the law:
        An exponential variable E of mean 1 exceeds x with probability exp(-x). E = -ln u is decided lazily.

    Example:
        >>> from privet.noise.for_tests import seeded_entropy_for_tests
        >>> BernoulliExpLaw(0).one(seeded_entropy_for_tests(1))
        True
    """

    def __init__(self, exponent: Number) -> None:
        self.exponent = exact_number(exponent, name="exponent")
        if not 0 <= self.exponent <= 1 << 256:
            raise InvalidParameter(f"exponent must be in [0, 2^256], got {exponent}")

    def one(self, source: BitSource) -> bool:
        """Toss one coin."""
        return survives(np.float64(self.exponent), self._ball, source)

    def many(self, source: BitSource, count: int) -> Bools:
        """Toss `count` independent coins."""
        exponents = np.full(draw_count(count), float(self.exponent))
        return survive(exponents, lambda _: self._ball(), source)

    def _ball(self) -> arb:
        return ball_of(self.exponent)

    def __repr__(self) -> str:
        return f"BernoulliExpLaw({self.exponent})"


def decide_survival(uniform: F, radius: float, exponent: F) -> tuple[Flags, Flags]:
    """Return whether -ln(v) > exponent for all v within `radius` of `uniform`, and where that is undecided.

    The exponents may be off by the reserve, relative and absolute.
    """
    value, slack = exponential(uniform, radius)
    slack += RESERVE * exponent
    slack += RESERVE
    value -= exponent
    return value > slack, np.abs(value) <= slack


def survive(exponents: Floats, ball: Callable[[int], arb], source: BitSource) -> Bools:
    """Toss a coin of probability exp(-x) for every x.

    Args:
        exponents: each x in float64, off by less than the reserve.
        ball: a ball around the x at a place, at the present precision; asked only where float64 cannot decide.
        source: where the bits come from.
    """
    coins = np.empty(len(exponents), dtype=np.bool_)
    for start in range(0, len(exponents), CHUNK):
        block = exponents[start : start + CHUNK]
        words = source.words(len(block))
        with np.errstate(divide="ignore"):
            coins[start : start + CHUNK], undecided = decide_survival(midpoints(words), RADIUS, block)
        for place in np.flatnonzero(undecided):
            coins[start + place] = _exceeds(partial(ball, start + int(place)), int(words[place]), source)
    return coins


def survives(exponent: np.float64, ball: Callable[[], arb], source: BitSource) -> bool:
    """Toss one coin of probability exp(-x), with x as in `survive`."""
    word = int(source.words(1)[0])
    with np.errstate(divide="ignore"):
        coin, undecided = decide_survival(midpoint(word), RADIUS, exponent)
    return _exceeds(ball, word, source) if undecided else bool(coin)


def _exceeds(ball: Callable[[], arb], word: int, source: BitSource) -> bool:
    (floor,) = settle(lambda uniform: [-uniform.log() - ball()], [LazyUniform.continuing(word, source)])
    return floor >= 0
