"""Distributed noise: every party adds a share, so that the sum is as noisy as if a trusted server had added it all."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from operator import index
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.loss import ConcentratedCurve, DiscreteLaplaceCurve, PrivacyLoss
from privet.loss.exact import Exact, exact_within, whole
from privet.loss.outward import float_up
from privet.mechanisms.additive import positive
from privet.noise import BitSource, DiscreteGaussianLaw, Entropy, UniformLaw
from privet.noise.polya import MOST_STEPS, PolyaLaw

ROUNDING = 1 + 2.0**-40  # more than the closed forms below lose
MANY = 1 << 12  # terms of a sum that are added up; all others count as much as the last of them


class SecureSum(Protocol):
    """What adds up the parties' numbers and tells nobody anything but the sum (Bonawitz and others 2017).

    Example:
        >>> from privet.local import SimulatedSecureSum
        >>> secure: SecureSum = SimulatedSecureSum(parties=3)
        >>> secure.total(secure.masked([5, -7, 4]))
        2
    """

    def masked(self, values: Sequence[int]) -> list[int]:
        """What each party sends instead of its number."""
        ...

    def total(self, masked: Sequence[int]) -> int:
        """The sum of the numbers, from what was sent."""
        ...


class SimulatedSecureSum:
    """A secure sum for simulations: each pair of parties shares a mask that one adds and the other takes off.

    Args:
        parties: how many there are, at least 2.
        modulus: sums are whole numbers from -modulus/2 up to, but without, modulus/2.

    What is sent is uniform, whatever the numbers are, as long as two parties keep their mask: their sum alone is told.
    Agreeing on masks over a network, and parties that leave, are not simulated.

    Example:
        >>> secure = SimulatedSecureSum(parties=3)
        >>> secure.total(secure.masked([5, -7, 4]))
        2
    """

    def __init__(self, parties: int, *, modulus: int = 1 << 64, entropy: BitSource | None = None) -> None:
        self.parties = whole(parties, "parties", low=2)
        self.modulus = whole(modulus, "modulus", low=2)
        self._source = Entropy() if entropy is None else entropy

    def masked(self, values: Sequence[int]) -> list[int]:
        """Each number with the masks of all pairs that its party is in, modulo the modulus."""
        sent = _whole_numbers(values)
        self._refuse_other_number(sent)
        law = UniformLaw(self.modulus)
        for one in range(self.parties):
            for other in range(one):
                mask = law.one(self._source)
                sent[one] += mask
                sent[other] -= mask
        return [each % self.modulus for each in sent]

    def total(self, masked: Sequence[int]) -> int:
        """The masks cancel out."""
        self._refuse_other_number(masked)
        found = sum(_whole_numbers(masked)) % self.modulus
        return found - self.modulus if 2 * found >= self.modulus else found

    def _refuse_other_number(self, values: Sequence[int]) -> None:
        if len(values) != self.parties:
            raise InvalidParameter(f"a sum needs a number of each of {self.parties} parties, got {len(values)}")


class NoiseShares(ABC):
    """Noise in shares: subclasses are frozen dataclasses of public numbers.

    Privacy: of the sum of all numbers and shares, if at least `honest` parties add theirs and keep them to themselves.
        More honest parties only add noise, and what the others add, or take off, does not depend on honest shares.
    """

    parties: int
    honest: int

    @property
    @abstractmethod
    def loss(self) -> PrivacyLoss:
        """What the sum reveals, for a number that changes by at most the sensitivity."""

    @abstractmethod
    def shares(self, count: int = 1, *, entropy: BitSource | None = None) -> NDArray[np.int64]:
        """So many shares: one for each party that is simulated."""

    def noisy_total(self, values: Sequence[int], *, secure: SecureSum, entropy: BitSource | None = None) -> int:
        """A simulation of all parties: each adds a share to its number, and only the sum is told."""
        if len(values) != self.parties:
            raise InvalidParameter(f"each of {self.parties} parties has a number, got {len(values)}")
        shares = self.shares(self.parties, entropy=entropy).tolist()
        whole_numbers = _whole_numbers(values)
        return secure.total(secure.masked([v + share for v, share in zip(whole_numbers, shares, strict=True)]))


@dataclass(frozen=True)
class LaplaceShares(NoiseShares):
    """Shares whose sum, over `honest` parties, is discrete Laplace noise, exactly.

    Args:
        parties: how many add a share.
        honest: how many of them are counted on, at least; with fewer shares in a sum there would be too little noise.
        epsilon: of the sum, above 0.
        sensitivity: by how many whole steps one person moves the sum.

    Privacy: ε-DP under the condition of `NoiseShares`.
    Proof: discrete Laplace noise is the difference of two geometric numbers, and a geometric number the sum of h
        independent Pólya numbers of shape 1/h (negative binomial laws add up in their shape). The shares of more than h
        parties are that noise plus an independent number (Dwork and others 2006 had the idea, with binomial shares).

    Example:
        >>> shares = LaplaceShares(parties=100, honest=60, epsilon=1)
        >>> shares.loss.epsilon(0)
        1.0
    """

    parties: int
    honest: int
    epsilon: Exact
    sensitivity: int = 1

    def __post_init__(self) -> None:
        _refuse_too_few(self.parties, self.honest)
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))
        whole(self.sensitivity, "sensitivity")
        if self.scale > MOST_STEPS:
            raise InvalidParameter("epsilon must be at least sensitivity / 2^16: shares of more noise are not drawn")

    @property
    def scale(self) -> Fraction:
        """Of the discrete Laplace noise."""
        return self.sensitivity / Fraction(self.epsilon)

    @cached_property
    def loss(self) -> PrivacyLoss:
        """That of discrete Laplace noise."""
        return PrivacyLoss.of(DiscreteLaplaceCurve(self.scale, self.sensitivity))

    def shares(self, count: int = 1, *, entropy: BitSource | None = None) -> NDArray[np.int64]:
        """Differences of two Pólya numbers."""
        source = Entropy() if entropy is None else entropy
        both = np.asarray(self._law.many(source, 2 * count), dtype=np.int64)
        return both[:count] - both[count:]

    @cached_property
    def _law(self) -> PolyaLaw:
        return PolyaLaw(Fraction(1, self.honest), self.scale)


@dataclass(frozen=True)
class GaussianShares(NoiseShares):
    """Shares that are discrete Gaussians; their sum is almost one, and by how much it is not is in the price.

    Args:
        parties: how many add a share.
        honest: how many of them are counted on, at least.
        scale: the standard deviation of the honest parties' sum, about.
        sensitivity: by how many whole steps one person moves the sum.

    Privacy: ρ-zCDP under the condition of `NoiseShares`, ρ = (Δ/scale + τ)²/2 at most, see `rho`.
    Proof: Kairouz, Liu and Steinke 2021, Theorem 1, in one dimension: with h shares of variance s², the sum is
        (e²/2)-concentrated with e = min{√(Δ²/(h s²) + τ/2), Δ/(√h s) + τ}, τ = 10 Σ e^(-2π² s² k/(k + 1)) over k from
        1 to h - 1. It is tiny once a share's deviation is above 1.

    Example:
        >>> shares = GaussianShares(parties=100, honest=64, scale=16)
        >>> round(shares.rho, 6), round(1 / (2 * 16**2), 6)
        (0.001953, 0.001953)
    """

    parties: int
    honest: int
    scale: Exact
    sensitivity: int = 1

    def __post_init__(self) -> None:
        _refuse_too_few(self.parties, self.honest)
        object.__setattr__(self, "scale", positive(self.scale, "scale"))
        whole(self.sensitivity, "sensitivity")

    @cached_property
    def rho(self) -> float:
        """The zCDP of the sum, from above."""
        share = float(self._share) ** 2 / ROUNDING
        places = np.arange(1, min(self.honest, MANY))
        terms = np.exp(-2 * math.pi**2 * share * places / (places + 1))  # each smaller than the one before
        left = max(self.honest - MANY, 0) * (float(terms[-1]) if terms.size else 0.0)
        gap = 10 * (math.fsum(terms.tolist()) + left) * ROUNDING
        ratio = self.sensitivity / math.sqrt(self.honest * share) * ROUNDING
        least = min(math.sqrt(ratio**2 + gap / 2), ratio + gap)
        return least**2 / 2 * ROUNDING

    @cached_property
    def loss(self) -> PrivacyLoss:
        """By concentrated privacy."""
        return PrivacyLoss.of(ConcentratedCurve(float_up(exact_within(self.rho, "rho", low=0))))

    def shares(self, count: int = 1, *, entropy: BitSource | None = None) -> NDArray[np.int64]:
        """Discrete Gaussians."""
        return np.asarray(self._law.many(Entropy() if entropy is None else entropy, count), dtype=np.int64)

    @cached_property
    def _share(self) -> Fraction:
        """A share's deviation, scale/√h, rounded up."""
        return Fraction(float(self.scale) / math.sqrt(self.honest) * ROUNDING)

    @cached_property
    def _law(self) -> DiscreteGaussianLaw:
        return DiscreteGaussianLaw(self._share)


def _whole_numbers(values: Sequence[int]) -> list[int]:
    try:
        return [index(value) for value in values]
    except TypeError:
        raise InvalidParameter("parties add up whole numbers: multiply others by a public factor and round") from None


def _refuse_too_few(parties: int, honest: int) -> None:
    if whole(honest, "honest") > whole(parties, "parties"):
        raise InvalidParameter(f"honest must be at most the {parties} parties, got {honest}")
