"""PermuteAndFlip: choosing, with an expected score that is never below the exponential mechanism's."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privet.loss import PermuteAndFlipCurve, PrivacyLoss
from privet.mechanisms.additive import Numbers
from privet.mechanisms.selection import Selection, exponents_of, score_row
from privet.noise import BitSource, PermutationLaw
from privet.noise.bernoulli import survive
from privet.noise.lazy import Floats, ball_of

NODES = 64  # of a quadrature that is exact for polynomials of degree 127
NEGLIGIBLE = 96.0  # e^-96 is far below float64's rounding


@dataclass(frozen=True, init=False, repr=False)
class PermuteAndFlip(Selection):
    """Visits the candidates in random order and takes each with probability exp(-rate gap), gap being best - score.

    Args:
        score_sensitivity: > 0; the most that any one score moves between neighbors.
        epsilon: > 0; the pure ε. The rate is epsilon / (2 score_sensitivity).

    Privacy: epsilon-DP (McKenna and Sheldon 2020, Theorem 1), and better: Laplace's curve, which two candidates reach
        (docs/proofs/choices.md). The losses of its outcomes may differ by more than epsilon, so the
        exponential mechanism's curve and ρ = ε²/8 do not hold.
    Proof of the regret: the exponential mechanism visits with replacement. Let p be the chances of being taken, P their
        sum, B the candidates below some score and b their share of P. Taking a rejected r away changes B's share
        by -(P-b) g(p_r)/P if r is in B and by b g(p_r)/P if not, up to a factor 1/n, where g(p) = p h(p) and
        h(p) = (1-p)/(P-p) falls because P >= 1. Summed over r it is at most 0, as h is larger in B. By induction
        every bad set is at most as likely as with the exponential mechanism: so is every regret.

    Example:
        >>> PermuteAndFlip(score_sensitivity=4, epsilon=1).probabilities([3, 2, 3, 0]).round(6)
        array([0.288913, 0.243621, 0.288913, 0.178552])
    """

    def many(self, scores: Numbers, source: BitSource, count: int) -> NDArray[np.intp]:
        """The first candidate taken in each of `count` runs; the best one always is taken when its turn comes."""
        row = score_row(scores)
        rate = self.rate
        exponents, best = exponents_of(row, rate)
        exact = [Fraction(score) for score in row.tolist()]

        taken = survive(
            np.tile(exponents, count),
            lambda place: ball_of(rate * (exact[best] - exact[place % len(row)])),
            source,
        ).reshape(count, len(row))
        orders = PermutationLaw(len(row)).many(source, count)
        first = np.argmax(np.take_along_axis(taken, orders, axis=1), axis=1)
        chosen: NDArray[np.intp] = orders[np.arange(count), first]
        return chosen

    def probabilities(self, scores: Numbers) -> Floats:
        """How likely each candidate is, to float64 accuracy. As secret as the scores.

        Proof: let each candidate come at a time uniform in [0, 1]. If i comes at x, nobody was taken before with
            probability prod_j (1 - x p_j) over the others, so i is chosen with p_i times the integral of that. It is a
            falling polynomial below e^(1 - x sum p), integrated panel by panel until nothing is left.
        """
        exponents, _ = exponents_of(score_row(scores), self.rate)
        chances = np.exp(-exponents)
        total = np.zeros_like(chances)
        for place, weight in _nodes(float(chances.sum())):
            misses = np.log1p(-place * chances)
            total += weight * np.exp(misses.sum() - misses)
        shares: Floats = chances * total
        return shares

    @cached_property
    def loss(self) -> PrivacyLoss:
        """Laplace's curve; never the exponential mechanism's."""
        return PrivacyLoss.of(PermuteAndFlipCurve(self.epsilon))


def _nodes(decay: float) -> list[tuple[float, float]]:
    """Where to evaluate a function on [0, 1] that falls like e^(-decay x), and the weight of each place."""
    places, weights = np.polynomial.legendre.leggauss(NODES)
    found = []
    low = 0.0
    while low < 1.0 and low * decay < NEGLIGIBLE:
        high = max(1.0 / decay, 2 * low)
        high = 1.0 if high > 0.5 else high  # noqa: PLR2004 - a sliver at the end would have no room for floats
        half = (high - low) / 2
        found += [(low + half * (1 + float(x)), half * float(w)) for x, w in zip(places, weights, strict=True)]
        low = high
    return found
