"""GroupedChoice: a quantile of each of many groups, at one price."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privet.core import Mechanism, Sensitivity
from privet.core.placed_weights import PlacedWeights, in_arrays
from privet.core.sensitivity import refuse_undeclared
from privet.core.uncertainty import UP, refuse_certainty
from privet.errors import InvalidParameter
from privet.loss import ExponentialCurve, PrivacyLoss
from privet.loss.exact import Exact, exact_within, whole
from privet.mechanisms.additive import positive
from privet.noise import BitSource
from privet.noise.segments import WIDEST, SegmentLaw

Ranks: TypeAlias = Sequence[Mapping[int, int]]  # of each group, the weight at each place that has any


@dataclass(frozen=True, init=False, repr=False)
class GroupedChoice(Mechanism[Ranks, NDArray[np.int64]]):
    """Chooses a place of a public row of places for each group: near the one with a given share of weight below it.

    Args:
        l1_sensitivity: > 0; how far one unit moves the weights of all groups and places together.
        epsilon: > 0; the pure ε, for all groups at once.
        fraction: in [0, 1]; 1/2 for medians.
        places: how many there are in each group, numbered from 0.
        offset: so much weight above the quantile is the target, or below it if negative. As if that much weight lay at
            the last (first) place in addition: the target lies among the weights then, however few there are.

    Privacy: epsilon-DP for all groups together, however many a unit moves; and better, as `ExponentialCurve` says. The
        number of groups, their order, and the number of places are public.
    Proof: let q be the fraction, N the weight of a group, L(t) and R(t) what lies below and above place t. The score
        is -max(L(t) - qN, R(t) - (1-q)N, 0), 0 just at the quantiles. A weight at x enters L - qN with the factor
        [x < t] - q and R - (1-q)N with [x > t] - (1-q), both at most m = max(q, 1-q) in size; so a unit that moves
        the weights of group g by W_g in all moves every score there by at most m W_g. The exponential mechanism at
        `rate` has losses within a range of 2 rate m W_g (see `Exponential`). Groups are drawn independently, so their
        losses, and the ranges, add up: 2 rate m (W_1 + W_2 + …) <= 2 rate m l1_sensitivity, which is epsilon. With an
        offset o > 0 the two terms are L(t) - qN - o and R(t) - (1-q)N + o, at the last place without this o; with
        o < 0 the same from the other end. That is public and the same for neighbors: no move of a score changes.
    Not covered: time.

    Example:
        >>> medians = GroupedChoice(l1_sensitivity=1, epsilon=1, fraction="1/2", places=110)
        >>> medians.loss.epsilon(delta=0), round(medians.rank_margin(0.95), 1)
        (1.0, 7.7)
    """

    l1_sensitivity: Fraction
    epsilon: Fraction
    fraction: Fraction
    places: int
    offset: int

    def __init__(self, l1_sensitivity: Exact, epsilon: Exact, *, fraction: Exact, places: int, offset: int = 0) -> None:
        self._keep(l1_sensitivity=positive(l1_sensitivity, "l1_sensitivity"), epsilon=positive(epsilon, "epsilon"))
        self._keep(fraction=exact_within(fraction, "fraction", low=0, high=1), places=whole(places, "places"))
        self._keep(offset=_signed(offset))
        if self.places > WIDEST:
            raise InvalidParameter(f"places must be at most 2^33, got {self.places}: use a coarser lattice")

    @classmethod
    def calibrated(cls, *, epsilon: Exact, sensitivity: Sensitivity, fraction: Exact, places: int) -> "GroupedChoice":
        """Return the mechanism that is epsilon-DP for weights of this sensitivity."""
        refuse_undeclared(sensitivity)
        return cls(sensitivity.l1, epsilon, fraction=fraction, places=places)

    @cached_property
    def rate(self) -> Fraction:
        """The factor before the score, which is counted in denominator-ths of a weight."""
        top, bottom = self.fraction.numerator, self.fraction.denominator
        return self.epsilon / (2 * max(top, bottom - top) * self.l1_sensitivity)

    @cached_property
    def loss(self) -> PrivacyLoss:
        """The curve of a loss whose range is epsilon."""
        return PrivacyLoss.of(ExponentialCurve(self.epsilon))

    @cached_property
    def _described(self) -> str:
        """Without an offset as it was before there were any: ledgers hold these words."""
        return super()._described.replace(", offset=0)", ")")

    def covers(self, sensitivity: Sensitivity) -> bool:
        """Compared in L1."""
        return sensitivity.l1 <= self.l1_sensitivity

    def check(self, value: Any) -> None:  # noqa: ANN401 - anything may be given
        """Refuse what is not one mapping from place to whole weight >= 0 for each group."""
        if not isinstance(value, Sequence) or isinstance(value, str) or not all(map(self._ranked, value)):
            raise InvalidParameter(
                "the value must hold one mapping for each group, from places to whole weights >= 0, with places from 0 "
                f"to {self.places - 1}"
            )

    def _ranked(self, group: Any) -> bool:  # noqa: ANN401 - anything may be given
        if isinstance(group, PlacedWeights):
            return group.fit(self.places)
        if not isinstance(group, Mapping) or not _whole(group) or not _whole(group.values()):
            return False
        return not group or (min(group) >= 0 and max(group) < self.places and min(group.values()) >= 0)

    def sample(self, value: Ranks, source: BitSource) -> NDArray[np.int64]:
        """One place for each group."""
        return np.array([self._law(group).one(source) for group in value], dtype=np.int64)

    def _law(self, group: Mapping[int, int]) -> SegmentLaw:
        """The exponential mechanism's law: scores change only where there is weight."""
        top, bottom = self.fraction.numerator, self.fraction.denominator
        at, weights = self._with_offset(*in_arrays(group))
        most = int(weights.max(initial=0)) * len(at)
        kind = np.int64 if 2 * bottom * (most + 1) < 1 << 63 else np.object_  # whole numbers of any size
        weights = weights.astype(kind, copy=False)
        upto: NDArray[Any] = weights.cumsum(dtype=kind)
        total = int(upto[-1]) if len(at) else 0
        target = top * (total - abs(self.offset)) + bottom * max(self.offset, 0)
        below, above = (np.empty(2 * len(at) + 1, dtype=kind) for _ in range(2))
        below[0:-1:2] = below[1::2] = upto - weights  # between two places with weight, and at a place
        above[0:-1:2], above[1::2] = total - upto + weights, total - upto
        below[-1], above[-1] = total, 0
        widths = np.ones(2 * len(at) + 1, dtype=np.int64)
        widths[0], widths[2::2] = 0, -1 - at
        widths[:-1:2] += at
        widths[-1] += self.places
        scores = -np.maximum(np.maximum(bottom * below - target, bottom * above - (bottom * total - target)), 0)
        return SegmentLaw(widths, scores, rate=self.rate)

    def _with_offset(self, at: NDArray[np.int64], weights: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """The places and weights with that of the offset at the end where it is thought to lie."""
        if not self.offset:
            return at, weights
        end, place = (0, 0) if self.offset < 0 else (self.places - 1, len(at))
        if not (at == end).any():
            at, weights = np.insert(at, place, end), np.insert(weights, place, 0)
        small = int(weights.max()) + abs(self.offset) < 1 << 62
        weights = weights.astype(weights.dtype if small else np.object_)  # a copy: the group keeps its own
        weights[place if place == 0 else -1] += abs(self.offset)
        return at, weights

    def rank_margin(self, confidence: float = 0.95) -> float:
        """How much weight may lie between a group's answer and the quantile asked for, each group alone.

        Proof: places whose score is r or more below the best have together at most places e^(-rate r) of the weight
            of the best one (McSherry and Talwar 2007).
        """
        refuse_certainty(confidence, "confidence")
        score = (math.log(self.places) - math.log1p(-confidence)) / float(self.rate)
        return score / self.fraction.denominator * UP


def _signed(offset: int) -> int:
    if isinstance(offset, bool) or not isinstance(offset, int):
        raise InvalidParameter(f"offset must be a whole number, got {offset!r:.80}")
    return offset


def _whole(numbers: Iterable[object]) -> bool:
    return all(issubclass(kind, int) for kind in set(map(type, numbers)))
