"""GroupedInterval: a quantile of each of many groups, and two places between which it lies, at one price."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.core import Mechanism, Sensitivity
from privet.core.sensitivity import refuse_undeclared
from privet.core.uncertainty import refuse_certainty
from privet.loss import PrivacyLoss
from privet.loss.exact import Exact, whole
from privet.loss.privacy_loss import sum_of
from privet.mechanisms.grouped_choice import GroupedChoice, Ranks
from privet.noise import BitSource

SHARES = (Fraction(1, 5), Fraction(2, 5), Fraction(2, 5))  # of ε: the quantile's, and those of the two ends


@dataclass(frozen=True, init=False, repr=False)
class GroupedInterval(Mechanism[Ranks, NDArray[np.int64]]):
    """Chooses three places for each group by `GroupedChoice`: near the quantile, surely below it, surely above it.

    Args:
        l1_sensitivity: as in `GroupedChoice`.
        epsilon: > 0; the pure ε of all three and all groups together.
        fraction: in [0, 1]; 1/2 for medians.
        places: how many there are in each group, numbered from 0.
        confidence: in (0, 1); how surely the quantile of a group lies between its two ends.
        part: the weight of one whole row.

    Privacy: epsilon-DP: three choices whose ε add up to it, composed.
    Proof of the confidence: let q be the fraction, N the weight of a group, and r such that a choice errs by r or more
        with probability (1 - confidence) / 2 at most: scores more than r below 0 have together at most places
        e^(-rate r) of the weight of a place with score 0. The lower end has the offset -(r + part). There is always a
        place with score 0 then, because the weight that is thought at the first place makes the target a rank of some
        place; and the score of a place t > 0 is at most -(L(t) - qN + r + part), so that L(t) <= qN - part for the
        place chosen, or it is the first one, with L = 0: nothing lies below. So the quantile in every usual sense (of
        order floor(q(n-1)) + 1 in n rows, and what lies above) is not below it. The upper end is the same from above.
        Nothing is asked of the data: where there are few rows, the ends are the first and the last place.
    Shares: a fifth of ε is the quantile's, the rest the ends'. Two ends alone, of half the ε each, are a fifth
        narrower, and the middle between them is as near to a median (n = 1,000 normal, ε = 1, 1,024 places: 11 wide
        against 13, and 0.4 off against 1.4); but near the end of the data it lies far off (the 99 % quantile of
        5,000: 65 off against 15), or between two heaps, and it has no rank. With a third the ends are a quarter
        wider, and the quantile two thirds as far off.

    Example:
        >>> medians = GroupedInterval(l1_sensitivity=1, epsilon=1, fraction="1/2", places=110, confidence=0.95)
        >>> medians.loss.epsilon(delta=0), medians.reach
        (1.0, 22)
    """

    l1_sensitivity: Fraction
    epsilon: Fraction
    fraction: Fraction
    places: int
    confidence: float
    part: int

    def __init__(  # noqa: PLR0913 - public parameters, each by name
        self,
        l1_sensitivity: Exact,
        epsilon: Exact,
        *,
        fraction: Exact,
        places: int,
        confidence: float,
        part: int = 1,
    ) -> None:
        refuse_certainty(confidence, "confidence")
        both = GroupedChoice(l1_sensitivity, epsilon, fraction=fraction, places=places)
        self._keep(l1_sensitivity=both.l1_sensitivity, epsilon=both.epsilon, fraction=both.fraction)
        self._keep(places=both.places, confidence=float(confidence), part=whole(part, "part"))

    @classmethod
    def calibrated(  # noqa: PLR0913 - all by name
        cls,
        *,
        epsilon: Exact,
        sensitivity: Sensitivity,
        fraction: Exact,
        places: int,
        confidence: float,
        part: int = 1,
    ) -> "GroupedInterval":
        """Return the mechanism that is epsilon-DP for weights of this sensitivity."""
        refuse_undeclared(sensitivity)
        return cls(sensitivity.l1, epsilon, fraction=fraction, places=places, confidence=confidence, part=part)

    def _choice(self, share: Fraction, offset: int = 0) -> GroupedChoice:
        return GroupedChoice(
            self.l1_sensitivity, self.epsilon * share, fraction=self.fraction, places=self.places, offset=offset
        )

    @cached_property
    def reach(self) -> int:
        """How much weight below and above the quantile the two ends aim."""
        return math.ceil(self._choice(SHARES[1]).rank_margin((1 + self.confidence) / 2)) + self.part

    @cached_property
    def choices(self) -> tuple[GroupedChoice, GroupedChoice, GroupedChoice]:
        """Of the quantile, the lower end and the upper end."""
        at, below, above = SHARES
        return self._choice(at), self._choice(below, -self.reach), self._choice(above, self.reach)

    @cached_property
    def loss(self) -> PrivacyLoss:
        """Of the three choices."""
        return sum_of(choice.loss for choice in self.choices)

    def covers(self, sensitivity: Sensitivity) -> bool:
        """Compared in L1."""
        return sensitivity.l1 <= self.l1_sensitivity

    def check(self, value: Any) -> None:  # noqa: ANN401 - anything may be given
        """Refuse what is not one mapping from place to whole weight >= 0 for each group."""
        self.choices[0].check(value)

    def sample(self, value: Ranks, source: BitSource) -> NDArray[np.int64]:
        """For each group the place near the quantile, which is held between the ends, the lower and the upper end."""
        near, *ends = (choice.sample(value, source) for choice in self.choices)
        low, high = np.sort(ends, axis=0)
        return np.stack([np.clip(near, low, high), low, high], axis=1)

    def rank_margin(self, confidence: float = 0.95) -> float:
        """How much weight may lie between a group's answer and the quantile asked for, each group alone.

        Proof: let p be such that the choice near the quantile is m or more off with probability p at most. Holding it
            between the ends takes it m off only if an end lies m on the other side of the quantile. Ends are drawn
            no less surely, so that has probability (1 - confidence) p / places at most; p (1 + 1 / places) is
            1 - confidence.
        """
        refuse_certainty(confidence, "confidence")
        return self.choices[0].rank_margin(1 - (1 - confidence) / (1 + 1 / self.places))
