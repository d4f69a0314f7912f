"""RandomizedResponse: a bit that is sometimes the other one."""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privet.core import Mechanism, Sensitivity, Uncertainty
from privet.errors import InvalidParameter
from privet.loss import Guarantee, PrivacyLoss, RandomizedResponseCurve
from privet.loss.exact import Exact, exact_within, shortest, whole
from privet.loss.outward import decimal_of, float_up, precise
from privet.mechanisms.additive import positive
from privet.noise import BernoulliLaw, BitSource

Bits: TypeAlias = bool | int | ArrayLike
ReportedBits: TypeAlias = bool | int | NDArray[Any]  # a bit for a bit, an array of the same type for an array
LEAST = Fraction(1, 2**1000)  # probabilities below could not be priced as floats
STEP = Fraction(1, 2**52)


@dataclass(frozen=True)
class FlipError(Uncertainty):
    """A bit that is the wrong one with at most this probability.

    Args:
        flip: in [0, 1].

    Example:
        >>> FlipError(0.25).margin(0.7), FlipError(0.25).margin(0.95)
        (0.0, 1.0)
    """

    flip: float

    def tail(self, distance: float) -> float:
        """The flip, below a distance of 1; two bits are never farther apart."""
        return self.flip if distance < 1 else 0.0

    def distance(self, tail: float) -> float:
        """0 if a flip is rare enough, else 1."""
        return 0.0 if self.flip <= tail else 1.0


@dataclass(frozen=True, init=False, repr=False)
class RandomizedResponse(Mechanism[Bits, ReportedBits]):
    """Reports each bit, or now and then the other one.

    Args:
        flip_zero: in [0, 1]; probability that a 0 is reported as 1, exact.
        flip_one: in [0, 1]; probability that a 1 is reported as 0, exact.
        cells: how many bits one unit can change; 1 by default.
        promise: the ε it was made for, at which a ledger that counts ε charges it; set by `calibrated`.

    Privacy: for one bit ε = ln max{(1-p)/q, q/(1-p), p/(1-q), (1-q)/p} with p = flip_zero and q = flip_one; each
        further bit that a unit can change costs as much again. It holds in the local model, where every person flips
        the own bit and trusts nobody, and in the central one.
    Proof: these are the four ratios of the table with rows (1-p, p) and (q, 1-q) (Warner 1965). Flips are independent,
        so only the changed bits differ in law and their losses add up.
    Not covered: how many bits there are is public; so if each person owns a bit, neighbors replace an answer. Asked
        again, the same person pays again.

    Example:
        >>> round(RandomizedResponse.symmetric(truth=0.75).loss.epsilon(delta=0), 6)  # ln 3
        1.098612
        >>> round(RandomizedResponse(flip_zero=0.1, flip_one=0.3).loss.epsilon(delta=0), 6)  # ln 7
        1.94591
    """

    flip_zero: Fraction
    flip_one: Fraction
    cells: int
    promise: Guarantee | None = field(repr=False)

    def __init__(self, flip_zero: Exact, flip_one: Exact, *, cells: int = 1, promise: Guarantee | None = None) -> None:
        self._keep(flip_zero=_flip(flip_zero, "flip_zero"), flip_one=_flip(flip_one, "flip_one"))
        self._keep(cells=whole(cells, "cells"), promise=promise)
        self._refuse_broken_promise()

    @classmethod
    def symmetric(cls, *, truth: Exact, cells: int = 1) -> "RandomizedResponse":
        """Return the response that tells the truth with this probability, whatever the truth is."""
        lie = 1 - exact_within(truth, "truth", low=0, high=1)
        return cls(lie, lie, cells=cells)

    @classmethod
    def calibrated(cls, *, epsilon: Exact, cells: int = 1) -> "RandomizedResponse":
        """Return the most truthful symmetric response that is epsilon-DP.

        The truth is told with probability e^a / (1 + e^a), a = epsilon / cells, rounded down to a fraction.
        """
        promise = Guarantee(positive(epsilon, "epsilon"))
        lie = _least_flip(promise.epsilon / whole(cells, "cells"))
        step = STEP
        while not cls(lie, lie, cells=cells).loss.meets(promise):
            lie = min(lie * (1 + step), Fraction(1, 2))
            step = 2 * step
        return cls(lie, lie, cells=cells, promise=promise)

    @cached_property
    def loss(self) -> PrivacyLoss:
        """The exact curve of the two rows, once for each bit that a unit can change."""
        return PrivacyLoss.of(RandomizedResponseCurve(self.flip_zero, self.flip_one), self.cells)

    def covers(self, sensitivity: Sensitivity) -> bool:
        """Compared in the number of bits that change."""
        return changed_cells(sensitivity) <= self.cells

    def check(self, value: Bits) -> None:
        """Refuse what is not a bit or a non-empty array of bits."""
        _bits(value)

    def sample(self, value: Bits, source: BitSource) -> ReportedBits:
        """The bits, each flipped or not."""
        bits = _bits(value)
        flat = bits.ravel().astype(np.bool_)
        flips = BernoulliLaw(self.flip_zero).many(source, flat.size)
        if self.flip_zero != self.flip_one:  # both coins for every bit, so that time does not tell how many are 1
            flips = np.where(flat, BernoulliLaw(self.flip_one).many(source, flat.size), flips)
        reported = (flat ^ flips).astype(bits.dtype).reshape(bits.shape)
        if bits.ndim:
            return reported
        return bool(reported) if bits.dtype.kind == "b" else int(reported)

    @cached_property
    def uncertainty(self) -> FlipError:
        """How likely a bit is the wrong one, at most."""
        return FlipError(float_up(max(self.flip_zero, self.flip_one)))

    def flipped(self, count: int, *, bits: int) -> float:
        """Return a bound on the probability that exactly `count` of `bits` bits are flipped; exact if both flips agree.

        Proof: C(bits, count) sets of bits can be the flipped ones, each with probability at most m^count n^(bits -
            count), where m is the larger flip and n the larger chance of none; no probability exceeds 1.

        Example:
            >>> round(RandomizedResponse.symmetric(truth=0.75).flipped(2, bits=10), 6)
            0.281568
        """
        number = whole(count, "count", low=0)
        all_bits = whole(bits, "bits")
        flip = max(self.flip_zero, self.flip_one)
        stay = 1 - min(self.flip_zero, self.flip_one)
        if number > all_bits:
            return 0.0
        return float_up(min(Fraction(1), math.comb(all_bits, number) * flip**number * stay ** (all_bits - number)))


def changed_cells(sensitivity: Sensitivity) -> int:
    """How many labels a unit can change: a label that changes moves by a whole number, so the L1 move counts them."""
    return min(sensitivity.cells, max(math.floor(sensitivity.l1), 1))


def _flip(value: Exact, name: str) -> Fraction:
    flip = exact_within(value, name, low=0, high=1)
    if 0 < min(flip, 1 - flip) < LEAST:
        raise InvalidParameter(f"{name} must be 0, 1, or at least 2^-1000 away from both, got {shortest(flip)}")
    return flip


@precise()
def _least_flip(epsilon: Fraction) -> Fraction:
    """1 / (1 + e^epsilon), rounded up to a multiple of a power of two."""
    exponent = min(epsilon, Fraction(690))  # e^-690 is about 2^-1000
    flip = Fraction(1 / (1 + decimal_of(exponent).exp()))
    unit = Fraction(1, 2 ** (64 + math.ceil(exponent / Fraction("0.69"))))
    return min(max((math.floor(flip / unit) + 1) * unit, LEAST), Fraction(1, 2))


def _bits(value: Bits) -> NDArray[Any]:
    """Return the value as an array of bits, at least one; the error says what to do, and no bit."""
    try:
        array = np.asarray(value)
    except (TypeError, ValueError, OverflowError):
        raise InvalidParameter("the value must be a bit or a rectangular array of bits") from None
    if not array.size:
        raise InvalidParameter("the value must hold at least one bit, got an empty array")
    if array.dtype.kind not in "biu":
        raise InvalidParameter(f"the value must be a bit or an array of bits, got {array.dtype}: convert it to bool")
    if array.dtype.kind != "b" and not ((array == 0) | (array == 1)).all():
        raise InvalidParameter("the value must hold only 0 and 1: compare with what makes the answer a yes first")
    return array
