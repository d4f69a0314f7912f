"""CapChoice: how much of each unit to count, chosen from how many units have more."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privet.core import Mechanism, Sensitivity
from privet.core.sensitivity import refuse_undeclared
from privet.core.uncertainty import UP, refuse_certainty
from privet.errors import InvalidParameter
from privet.loss import PrivacyLoss
from privet.loss.exact import Exact, exact_within, whole
from privet.mechanisms.additive import Numbers, positive
from privet.mechanisms.permute_and_flip import PermuteAndFlip
from privet.mechanisms.selection import score_row
from privet.noise import BitSource

OCTAVE = 4  # candidates between a number and its double
FINER = 16  # parts of a unit that scores are counted in
SLACK = 4  # over epsilon, in units: how far above the rank is aimed, and what each factor e of a cap costs
WIDEST = 1 << 31  # the largest candidate
MOST_RANK = 1 << 40


def caps_up_to(largest: int) -> tuple[int, ...]:
    """The candidates: four in each octave, whole, up to the largest, which is one.

    Example:
        >>> caps_up_to(20)
        (1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 13, 16, 19, 20)
    """
    octaves = OCTAVE * largest.bit_length()
    every = {round(2 ** (step / OCTAVE)) for step in range(octaves + 1)}
    return (*sorted(cap for cap in every if cap < largest), largest)


@dataclass(frozen=True, init=False, repr=False)
class CapChoice(Mechanism[Numbers, int]):
    """Chooses a cap on what each unit adds (rows, or groups), such that about so many units have more.

    Args:
        units: > 0; how many units one protected unit is: so far it moves how many have more than each candidate.
        epsilon: > 0; what the choice costs.
        largest: the largest candidate; others are `caps_up_to` it.
        rank: >= 0; how many units should have more than a cap of 1.
        falling: whether that number falls as the root of the cap.

    The value is one whole number for each candidate: how many units have more than it.

    Privacy: epsilon-DP, and better, as `PermuteAndFlip` is. Candidates, rank and all that follows from them are public.
    Proof: let N(C) be how many units have more than C, t(C) = rank (/ √C, if falling) + 4 units / epsilon, and B the
        candidate before C. The distance d(C) = max(0, N(C) - t(C), t(C) - N(B)), without the last term for the first
        candidate, is a maximum of numbers that move no farther than N: at most by `units`. The score is
        -d(C) - (4 units / epsilon) ln C, both parts in sixteenths that public numbers are rounded to; what is
        subtracted is public. `PermuteAndFlip` on scores that move so far.
    Why so: |N(C) - t| alone is the same for all candidates beyond the largest unit, and any of them may be chosen; the
        third part of d is 0 only where units are left to be counted. Errors grow with the cap, so that a rare choice
        far above would decide the mean error: with what ln C takes away, a cap C is taken by mistake at most about
        1 / C² times as often.
    Not covered: time.

    Example:
        >>> choice = CapChoice(units=1, epsilon=1, largest=8, rank=10)
        >>> choice.caps, choice.goals[0]
        ((1, 2, 3, 4, 5, 6, 7, 8), Fraction(14, 1))
        >>> choice.scores([100, 60, 20, 14, 13, 1, 0, 0])  # 14 units have more than 4: only ln 4 is taken away
        [-1376, -780, -166, -88, -103, -130, -332, -357]
    """

    units: Fraction
    epsilon: Fraction
    largest: int
    rank: Fraction
    falling: bool

    def __init__(self, units: Exact, epsilon: Exact, *, largest: int, rank: Exact = 0, falling: bool = False) -> None:
        self._keep(units=positive(units, "units"), epsilon=positive(epsilon, "epsilon"))
        self._keep(largest=whole(largest, "largest", high=WIDEST), falling=bool(falling))
        self._keep(rank=exact_within(rank, "rank", low=0, high=MOST_RANK))

    @classmethod
    def calibrated(cls, *, epsilon: Exact, sensitivity: Sensitivity, largest: int) -> "CapChoice":
        """Return the mechanism that is epsilon-DP for numbers of units that each move so far."""
        refuse_undeclared(sensitivity)
        return cls(sensitivity.linf, epsilon, largest=largest)

    @cached_property
    def caps(self) -> tuple[int, ...]:
        """The candidates."""
        return caps_up_to(self.largest)

    @cached_property
    def goals(self) -> tuple[Fraction, ...]:
        """How many units should have more than each candidate, if it is the one to take."""
        above = SLACK * self.units / self.epsilon
        return tuple(_parts(self.rank / Fraction(math.sqrt(cap) if self.falling else 1) + above) for cap in self.caps)

    @cached_property
    def offsets(self) -> tuple[Fraction, ...]:
        """What is taken from the score of each candidate, whatever the data."""
        each = SLACK * self.units / self.epsilon
        return tuple(_parts(each * Fraction(math.log(cap))) for cap in self.caps)

    @cached_property
    def choice(self) -> PermuteAndFlip:
        """The mechanism on scores."""
        return PermuteAndFlip(FINER * self.units, self.epsilon)

    @cached_property
    def loss(self) -> PrivacyLoss:
        """That of the choice."""
        return self.choice.loss

    def covers(self, sensitivity: Sensitivity) -> bool:
        """Compared in the largest move of one number."""
        return sensitivity.linf <= self.units

    def check(self, value: Numbers) -> None:
        """Refuse what is not one whole number for each candidate."""
        row = score_row(value)
        if row.dtype.kind not in "iu" or len(row) != len(self.caps):
            raise InvalidParameter(f"the value must be {len(self.caps)} whole numbers, one for each candidate")

    def scores(self, value: Numbers) -> list[int]:
        """The score of each candidate, in sixteenths of a unit. As secret as the value."""
        more = [FINER * min(max(int(number), 0), 1 << 48) for number in score_row(value).tolist()]
        goals = [int(FINER * goal) for goal in self.goals]
        before = [goals[0], *more]  # nothing is asked of the first
        return [
            -max(0, here - goal, goal - last) - int(FINER * offset)
            for here, goal, last, offset in zip(more, goals, before, self.offsets, strict=False)
        ]

    def many(self, value: Numbers, source: BitSource, count: int) -> NDArray[np.int64]:
        """The caps chosen in `count` independent runs, for tests."""
        return np.array(self.caps, dtype=np.int64)[self.choice.many(self.scores(value), source, count)]

    def sample(self, value: Numbers, source: BitSource) -> int:
        """The cap."""
        return int(self.many(value, source, 1)[0])

    def units_above(self, cap: int, confidence: float = 0.95) -> int:
        """How many units have more than the cap that was chosen, at most, at this confidence.

        Proof: let r be the regret of the choice at this confidence (`Selection.regret`), and let no more units than its
            goal have more than the largest candidate. Then some candidate has distance 0: the first whose N is at most
            its goal, as goals do not rise. So the best score is at least minus the largest offset, and the chosen one
            at most r below: N(C) - t(C) <= d(C) <= r + offset(largest) - offset(C).
        """
        refuse_certainty(confidence, "confidence")
        place = self.caps.index(cap)
        regret = Fraction(self.choice.regret(len(self.caps), tail=1 - confidence) * UP) / FINER
        return math.ceil(self.goals[place] + regret + self.offsets[-1] - self.offsets[place])


def _parts(number: Fraction) -> Fraction:
    """The number, rounded down to a whole number of sixteenths."""
    return Fraction(math.floor(number * FINER), FINER)
