"""Exponential: the mechanism for choosing."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privet.core.uncertainty import UP
from privet.loss import ExponentialCurve, PrivacyLoss
from privet.loss.exact import Exact
from privet.mechanisms.additive import Numbers, positive
from privet.mechanisms.selection import Selection, exponents_of, score_row
from privet.noise import BitSource, CategoricalLaw
from privet.noise.lazy import Floats


@dataclass(frozen=True, init=False, repr=False)
class Exponential(Selection):
    """Chooses candidate i with probability proportional to exp(epsilon score_i / (2 score_sensitivity)).

    Args:
        score_sensitivity: > 0; the most that any one score moves between neighbors.
        epsilon: > 0; the pure ε.

    Privacy: epsilon-DP, and better: losses have range epsilon, so the curve is that of `ExponentialCurve`.
    Proof: the weight of i moves by at most e^(epsilon/2) and so does the sum of all weights (McSherry and Talwar 2007,
        Theorem 6). The sum is the same for every i, so the losses of two candidates differ by at most epsilon (Durfee
        and Rogers 2019). The draw has exactly this law: weights are never computed, so none can underflow.
    Not covered: time; candidates that were found by looking at the data.

    Example:
        >>> auction = Exponential(score_sensitivity=4, epsilon=1)  # a price, by the revenue it would bring
        >>> auction.probabilities([3, 2, 3, 0]).round(6)
        array([0.280129, 0.247213, 0.280129, 0.19253 ])
        >>> round(auction.regret(4, best=2, tail=math.exp(-1)), 6)  # 8 (ln 2 + 1): no use, the scores end at 3
        13.545177
    """

    def many(self, scores: Numbers, source: BitSource, count: int) -> NDArray[np.intp]:
        """The indices chosen in `count` independent runs."""
        return CategoricalLaw(score_row(scores), rate=self.rate).many(source, count).astype(np.intp)

    def probabilities(self, scores: Numbers) -> Floats:
        """How likely each candidate is, to float64 accuracy. As secret as the scores."""
        exponents, _ = exponents_of(score_row(scores), self.rate)
        weights = np.exp(-exponents)
        shares: Floats = weights / weights.sum()
        return shares

    def influence(self, spread: Exact) -> float:
        """How often, at most, the scores decide; else the choice is a blind draw among the candidates.

        Args:
            spread: > 0; a public bound on the best score minus the worst.

        Proof: the largest distance in variation from the uniform law is reached when a share x of the candidates has
            the best score and the others the worst. With r = rate spread it is x e^r / (x e^r + 1 - x) - x, largest
            at x = 1/(1 + e^(r/2)), where it is tanh(r/4).

        Example:
            >>> Exponential(score_sensitivity=10, epsilon=1).influence(spread=10)  # 100 prices up to 10: nearly blind
            0.1243530...
        """
        return min(1.0, math.tanh(min(float(self.rate * positive(spread, "spread")) / 4, 32.0)) * UP)

    @cached_property
    def loss(self) -> PrivacyLoss:
        """The curve of a loss whose range is epsilon."""
        return PrivacyLoss.of(ExponentialCurve(self.epsilon))
