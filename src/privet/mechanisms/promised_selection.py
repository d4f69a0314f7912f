"""PromisedSelection: names groups at one price, whatever number of groups a unit is held to."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from privet.core import Sensitivity
from privet.core.sensitivity import refuse_undeclared
from privet.loss import ApproximateCurve, Guarantee, NamingCurve, PrivacyLoss
from privet.loss.exact import Exact, whole
from privet.mechanisms.additive import positive
from privet.mechanisms.partition_selection import PartitionSelection
from privet.mechanisms.two_round_selection import STEPS, TwoRoundSelection, Weights
from privet.noise import BitSource


@dataclass(frozen=True, init=False, repr=False)
class PromisedSelection(TwoRoundSelection):
    """Names groups by how many units they have where each unit is in one, and in two rounds where it may be in more.

    Args:
        promise: the (ε, δ) it keeps and is charged at, with δ > 0.
        groups_per_unit: how many groups one unit can be in. It may be found after the price was paid.

    The input is that of `TwoRoundSelection`. Of units in one group each the rule by counts names far more groups.

    Privacy: (ε, δ)-DP, and charged as the worst of all that is, so that the price is one for every `groups_per_unit`.
        One unit more or less only.
    Proof: in several groups it is a `TwoRoundSelection` that was made for the promise. In one, a unit adds `STEPS` to
        the weight of one group, and weights over `STEPS`, rounded down, are counts of units that move by 1 in one
        group: `PartitionSelection` at (ε, δ). Whatever is (ε, δ)-DP is a function of the pair of `ApproximateCurve`
        (Kairouz, Oh and Viswanath 2015). `NamingCurve(0)` costs nothing, and says that units come and go.
    Not covered: time; how many groups there are shows in it.

    Example:
        >>> one, ten = (PromisedSelection(Guarantee(1, "1e-5"), groups_per_unit=groups) for groups in (1, 10))
        >>> one.loss == ten.loss, one.alone.units_for("1/2"), ten.units_for(0.5)
        (True, 12, 20)
    """

    def __init__(self, promise: Guarantee, *, groups_per_unit: int) -> None:
        moves = Sensitivity(1, cells=whole(groups_per_unit, "groups_per_unit"))
        rounds = TwoRoundSelection.calibrated(epsilon=promise.epsilon, delta=promise.delta, sensitivity=moves)
        super().__init__(rounds.mu, rounds.delta, groups_per_unit=rounds.groups_per_unit, promise=promise)

    @classmethod
    def calibrated(cls, *, epsilon: Exact, delta: Exact, sensitivity: Sensitivity) -> "PromisedSelection":
        """Return the mechanism that is (epsilon, delta)-DP for units in so many groups."""
        refuse_undeclared(sensitivity)
        return cls(Guarantee(epsilon, positive(delta, "delta")), groups_per_unit=max(1, sensitivity.cells))

    @property
    def kept(self) -> Guarantee:
        """The promise."""
        if self.promise is None:
            raise TypeError("it is made with a promise")
        return self.promise

    @cached_property
    def _described(self) -> str:
        return f"PromisedSelection({self.kept!r}, groups_per_unit={self.groups_per_unit})"

    @cached_property
    def loss(self) -> PrivacyLoss:
        """That of whatever keeps the promise."""
        worst = PrivacyLoss.of(ApproximateCurve(self.kept.epsilon, self.kept.delta))
        return worst + PrivacyLoss.of(NamingCurve(0))

    @cached_property
    def alone(self) -> PartitionSelection:
        """The rule by counts, for units in one group each."""
        return PartitionSelection(self.kept.epsilon, self.kept.delta)

    def sample(self, value: Weights, source: BitSource) -> tuple[Any, ...]:
        """The names of the groups that are large enough, sorted."""
        if self.groups_per_unit > 1:
            return super().sample(value, source)
        counts = {key: weight // STEPS for key, weight in value(()).items()}
        return tuple(self.alone.sample(counts, source))
