"""TopChoices: several of the best candidates, chosen one after the other."""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privet.core import Mechanism, Sensitivity
from privet.errors import InvalidParameter
from privet.loss import ExponentialCurve, Guarantee, PrivacyLoss
from privet.loss.exact import Exact, whole
from privet.mechanisms.additive import BINARY, Numbers, positive
from privet.mechanisms.selection import WIDEST, score_row
from privet.noise import BitSource, CategoricalLaw


@dataclass(frozen=True, init=False, repr=False)
class TopChoices(Mechanism[Numbers, NDArray[np.int64]]):
    """Chooses `choices` different candidates, each by the exponential mechanism among those that are left.

    Args:
        choices: >= 1; how many are chosen.
        score_sensitivity: > 0; the most that any one score moves between neighbors. A number that all scores have in
            common does not count: if one unit raises some scores by at most s and lowers none, it is s/2.
        epsilon: > 0; the pure ε of all choices together.
        promise: the (ε, δ) it was made for, if any; it may be far below the pure epsilon.

    Privacy: epsilon-DP: `choices` exponential mechanisms of epsilon / choices each, composed.
    Proof: given the choices before, the next is the exponential mechanism on the scores of the others, whose
        sensitivity is no larger. Adding one number to all scores changes no probability; with -s/2 added, scores that
        rise by 0 to s move by at most s/2. The order is the one in which the largest of scores with Gumbel noise
        come (Durfee and Rogers 2019), so it may be released too.
    Not covered: time; candidates that were found by looking at the data; the scores themselves.

    Example:
        >>> TopChoices(choices=3, score_sensitivity="0.5", epsilon=3).loss.epsilon(delta=0)
        3.0
        >>> TopChoices(choices=3, score_sensitivity="0.5", epsilon=3).rate < 1
        True
    """

    choices: int
    score_sensitivity: Fraction
    epsilon: Fraction
    promise: Guarantee | None = field(repr=False)

    def __init__(
        self, choices: int, *, score_sensitivity: Exact, epsilon: Exact, promise: Guarantee | None = None
    ) -> None:
        self._keep(
            choices=whole(choices, "choices"),
            score_sensitivity=positive(score_sensitivity, "score_sensitivity"),
            epsilon=positive(epsilon, "epsilon"),
            promise=promise,
        )
        if not 1 / WIDEST <= self.rate <= WIDEST:
            raise InvalidParameter("epsilon / score_sensitivity must lie between 2^-199 and 2^200")
        self._refuse_broken_promise()

    @property
    def rate(self) -> Fraction:
        """The factor before the score in each choice, rounded against us as in `Selection`."""
        return self.epsilon / (2 * self.choices * self.score_sensitivity * BINARY)

    @cached_property
    def loss(self) -> PrivacyLoss:
        """One exponential mechanism for each choice."""
        return PrivacyLoss.of(ExponentialCurve(self.epsilon / self.choices), self.choices)

    def covers(self, sensitivity: Sensitivity) -> bool:
        """Compared in the largest move of one score, however many move."""
        return sensitivity.linf <= self.score_sensitivity

    def check(self, value: Numbers) -> None:
        """Refuse what is not a row of finite numbers, at least as many as there are choices."""
        if len(score_row(value)) < self.choices:
            raise InvalidParameter(f"there must be at least {self.choices} candidates: choose fewer")

    def sample(self, value: Numbers, source: BitSource) -> NDArray[np.int64]:
        """The indices of the chosen candidates, in the order in which they were chosen."""
        scores = score_row(value)
        left = np.arange(len(score_row(value)))
        chosen = []
        for _ in range(self.choices):
            place = CategoricalLaw(scores[left], rate=self.rate).one(source)
            chosen.append(int(left[place]))
            left = np.delete(left, place)
        return np.array(chosen, dtype=np.int64)
