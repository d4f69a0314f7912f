"""NoisyMax: the candidate whose noisy score is the largest."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from privet.core.uncertainty import UP, refuse_certainty
from privet.loss import DiscreteLaplaceCurve, PrivacyLoss
from privet.loss.exact import Exact, whole
from privet.mechanisms.additive import BINARY, FINER, Numbers
from privet.mechanisms.discrete_laplace import DiscreteLaplaceError
from privet.mechanisms.selection import Selection, score_row
from privet.noise import BitSource, DiscreteLaplaceLaw, Lattice, UniformLaw


@dataclass(frozen=True, init=False, repr=False)
class NoisyMax(Selection):
    """Adds Laplace noise of scale 2 score_sensitivity / epsilon to every score and names the largest; never its value.

    Args:
        score_sensitivity: > 0; the most that any one score moves between neighbors.
        epsilon: > 0; the pure ε.

    Privacy: epsilon-DP, whatever the number of candidates, and better: the curve of Laplace noise. The noisy maximum
        itself is not covered: releasing it too would cost up to k/2 times as much. Ask for it with `Laplace`, and pay.
    Proof: scores are rounded to a lattice, where each moves by at most m whole steps (`Lattice.widened`), and the noise
        is discrete Laplace of scale 2m/epsilon steps. Fix everybody's noise but that of i, and an order that breaks
        ties: i wins if its noise is at least some whole number a. Between neighbors a moves by at most 2m, and
        Pr[noise >= a + 2m] >= e^-epsilon Pr[noise >= a]. Average over the others' noise, and over orders: ties are
        broken evenly, which is a random order. (Dwork and Roth 2014, Claim 3.9, for the continuous noise.) For scores
        that move a step this is epsilon/m, and m steps cost what Laplace noise costs (docs/proofs/choices.md).

    Example:
        >>> NoisyMax(score_sensitivity=1, epsilon="0.5").noise_scale
        Fraction(4, 1)
        >>> NoisyMax(score_sensitivity=1, epsilon="0.5").loss.epsilon(delta=0)
        0.5
    """

    finer: ClassVar[int] = FINER  # bits by which a step is smaller than the sensitivity and the noise

    def __init__(self, score_sensitivity: Exact, epsilon: Exact) -> None:
        super().__init__(score_sensitivity, epsilon)
        _ = self.law  # what cannot be drawn is refused now

    @property
    def noise_scale(self) -> Fraction:
        """The scale of the noise, in the unit of the scores; what is drawn may be a step wider."""
        return 2 * self.score_sensitivity / self.epsilon

    @cached_property
    def lattice(self) -> Lattice:
        """The multiples of a power of two to which scores are rounded."""
        return Lattice.finer_than(min(self.score_sensitivity, self.noise_scale), bits=self.finer)

    @cached_property
    def _moved(self) -> int:
        """How many steps a score moves, after rounding; the noise is made for that."""
        return self.lattice.widened(self.score_sensitivity * BINARY)

    @cached_property
    def law(self) -> DiscreteLaplaceLaw:
        """The noise, in steps."""
        return DiscreteLaplaceLaw(2 * self._moved / self.epsilon)

    def many(self, scores: Numbers, source: BitSource, count: int) -> NDArray[np.intp]:
        """The index of the largest noisy score in each of `count` runs; ties are broken evenly."""
        row = score_row(scores)
        noise = self.law.many(source, count * len(row)).reshape(count, len(row))
        noisy = self.lattice.add(self.lattice.to_steps(row), noise)
        largest = noisy == noisy.max(axis=1, keepdims=True)
        chosen: NDArray[np.intp] = np.argmax(largest, axis=1)
        for run in np.flatnonzero(largest.sum(axis=1) > 1).tolist():
            tied = np.flatnonzero(largest[run])
            chosen[run] = tied[UniformLaw(len(tied)).one(source)]
        return chosen

    def regret(self, candidates: int, *, best: int = 1, tail: float = 0.05) -> float:
        """How far the chosen score may lie below the best one: farther with at most this probability.

        Proof: unless some noise exceeds d, the chosen score lies at most 2d below the best, and one step for the
            rounding of both. By the union bound over all candidates; knowing that several are best does not help.
        """
        number = whole(candidates, "candidates")
        whole(best, "best")
        refuse_certainty(tail, "tail")
        steps = DiscreteLaplaceError(float(self.law.scale) * UP).distance(tail / number)
        return (2 * steps + 1) * float(self.lattice.step) * UP

    @cached_property
    def loss(self) -> PrivacyLoss:
        """That of discrete Laplace noise of scale m/epsilon on an answer that moves by m steps: see the proof."""
        return PrivacyLoss.of(DiscreteLaplaceCurve(self._moved / self.epsilon, self._moved))
