"""Choosing one of many candidates by score: what the selection mechanisms share."""

import math
from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from privet.core import Mechanism, Sensitivity
from privet.core.sensitivity import refuse_undeclared
from privet.core.uncertainty import UP, refuse_certainty
from privet.errors import InvalidParameter
from privet.loss.exact import Exact, whole
from privet.mechanisms.additive import BINARY, Numbers, finite_numbers, positive
from privet.noise import BitSource
from privet.noise.categorical import nearest_float
from privet.noise.lazy import Floats

WIDEST = Fraction(2) ** 200  # rates beyond are refused: no sampler needs them, and they would only take time


@dataclass(frozen=True, init=False, repr=False)
class Selection(Mechanism[Numbers, int]):
    """Chooses a candidate: one score for each in, the index of one of them out. Higher scores are better.

    Args:
        score_sensitivity: > 0; the most that any one score moves between neighbors, all of them at once if need be.
        epsilon: > 0; what the choice costs.

    Privacy: only the index leaves. The number of candidates, their order and their meaning must be public. Scores are
        treated alike whether they come as ints or as floats, since the type could depend on the data; all are
        taken to move a part in 2^52 farther than stated, because a float may exceed the decimal it was typed as.
    """

    score_sensitivity: Fraction
    epsilon: Fraction

    def __init__(self, score_sensitivity: Exact, epsilon: Exact) -> None:
        self._keep(
            score_sensitivity=positive(score_sensitivity, "score_sensitivity"), epsilon=positive(epsilon, "epsilon")
        )
        if not 1 / WIDEST <= self.rate <= WIDEST:
            raise InvalidParameter(
                "epsilon / score_sensitivity must lie between 2^-199 and 2^200: choose another unit for the scores"
            )

    @classmethod
    def calibrated(cls, *, epsilon: Exact, sensitivity: Sensitivity) -> Self:
        """Return the mechanism that is epsilon-DP for scores of this sensitivity, all that are there."""
        refuse_undeclared(sensitivity)
        return cls(sensitivity.linf, epsilon)

    @property
    def rate(self) -> Fraction:
        """The factor before the score: epsilon / (2 score_sensitivity), rounded against us."""
        return self.epsilon / (2 * self.score_sensitivity * BINARY)

    def covers(self, sensitivity: Sensitivity) -> bool:
        """Compared in the largest move of one score, however many move."""
        return sensitivity.linf <= self.score_sensitivity

    def check(self, value: Numbers) -> None:
        """Refuse what is not a row of finite numbers, at least one."""
        score_row(value)

    @abstractmethod
    def many(self, scores: Numbers, source: BitSource, count: int) -> NDArray[np.intp]:
        """The indices chosen in `count` independent runs: for tests, and to try scores of your own invention."""

    def sample(self, value: Numbers, source: BitSource) -> int:
        """The index of the chosen candidate."""
        return int(self.many(value, source, 1)[0])

    def regret(self, candidates: int, *, best: int = 1, tail: float = 0.05) -> float:
        """How far the chosen score may lie below the best one: farther with at most this probability.

        Args:
            candidates: how many there are.
            best: how many of them have the best score. That is a fact about the data; 1 is always right.
            tail: in (0, 1).

        Proof: candidates r below the best have together at most candidates e^(-rate r) of the weight, the best ones
            at least `best`; so Pr[regret >= (ln(candidates/best) + ln(1/tail)) / rate] <= tail (McSherry and Talwar
            2007; Dwork and Roth 2014, Theorem 3.11).
        """
        number = whole(candidates, "candidates")
        if whole(best, "best") > number:
            raise InvalidParameter(f"best must be at most candidates, {number}, got {best}")
        refuse_certainty(tail, "tail")
        return (math.log(number / best) - math.log(tail)) / float(self.rate) * UP


def score_row(value: Numbers) -> NDArray[Any]:
    """Return the scores as one row of finite numbers; the error says what to do, and no score.

    No score decides how another is read: whole numbers beside floats stay whole, in a row of objects if need be.
    """
    row = finite_numbers(value, exact_lists=True)
    if row.ndim != 1:
        raise InvalidParameter(f"scores must be one row, one number for each candidate, got {row.ndim} dimensions")
    return row.astype(np.int64) if row.dtype.kind == "b" else row


def exponents_of(row: NDArray[Any], rate: Fraction) -> tuple[Floats, int]:
    """Return rate times how far each score lies below the best, to float64 accuracy, and the index of the best.

    Accuracy is relative to each result; what float64 cannot hold is infinite.
    """
    best = int(np.argmax(row))
    with np.errstate(over="ignore"):
        if row.dtype.kind in "iu":
            wide = row.astype(np.int64 if row.dtype.kind == "i" else np.uint64).astype(np.uint64)
            return float(rate) * (wide[best] - wide).astype(np.float64), best  # exact modulo 2^64
        if row.dtype.kind == "O":
            return np.array([nearest_float(rate * (Fraction(row[best]) - Fraction(score))) for score in row]), best
        floats = row.astype(np.float64)
        return float(rate) * (floats[best] - floats), best
