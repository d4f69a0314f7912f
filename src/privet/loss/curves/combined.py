"""Curves made of whole losses: the worst of several, a public mixture, disjoint parts of the data, a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from privet.errors import InvalidParameter
from privet.loss.curve import Array, LossCurve, rounded_up
from privet.loss.exact import Exact, exact_within
from privet.loss.guarantee import Guarantee
from privet.loss.neighbors import Neighbors

if TYPE_CHECKING:
    from privet.loss.privacy_loss import PrivacyLoss


class OneOfCurve(LossCurve):
    """One of several computations runs."""

    alternatives: "tuple[PrivacyLoss, ...]"

    @property
    def neighbors(self) -> frozenset[Neighbors]:
        """What holds for every alternative."""
        return reduce(frozenset.intersection, (loss.neighbors for loss in self.alternatives))

    @property
    def symmetric(self) -> bool:
        """As the alternatives."""
        return all(loss.symmetric for loss in self.alternatives)

    @property
    def largest_loss(self) -> Fraction | float:
        """The largest of theirs."""
        return max(loss.largest_loss for loss in self.alternatives)


@dataclass(frozen=True)
class WorstOfCurve(OneOfCurve):
    """One of several computations runs, and it is not known (or is chosen by an opponent) which.

    Args:
        alternatives: the losses, at least one.

    Privacy: delta(e) is the largest of theirs.
    Proof: a curve above all of them is above whichever applies.

    Example:
        >>> from privet.loss import LaplaceCurve, PrivacyLoss
        >>> worst = WorstOfCurve((PrivacyLoss.of(LaplaceCurve(1)), PrivacyLoss.of(LaplaceCurve(2))))
        >>> PrivacyLoss.of(worst).epsilon(delta=0)
        2.0
    """

    __hash__ = LossCurve.__hash__

    alternatives: "tuple[PrivacyLoss, ...]"

    def __post_init__(self) -> None:
        if not self.alternatives:
            raise InvalidParameter("alternatives must hold at least one loss, got none")

    def removing(self, epsilon: Array) -> Array:
        """Delta at each epsilon when a unit leaves."""
        return reduce(np.maximum, [loss.profile(epsilon) for loss in self.alternatives])

    def adding(self, epsilon: Array) -> Array:
        """Delta at each epsilon when a unit joins."""
        return reduce(np.maximum, [loss.profile(epsilon, adding=True) for loss in self.alternatives])

    def unbounded(self, *, adding: bool) -> Fraction:
        """The largest of theirs."""
        return max(loss.unbounded(adding=adding) for loss in self.alternatives)

    def keeps(self, promise: Guarantee) -> bool:
        """True if each of them does."""
        return all(loss.meets(promise) for loss in self.alternatives)

    def renyi(self, order: float) -> tuple[float, float]:
        """The largest of theirs."""
        found = [loss.renyi_pair(order) for loss in self.alternatives]
        return max(pair[0] for pair in found), max(pair[1] for pair in found)

    def grouped(self, size: int) -> LossCurve:
        """Whichever applies, it applies to the group."""
        return type(self)(tuple(loss.group(size) for loss in self.alternatives))


@dataclass(frozen=True)
class ParallelCurve(WorstOfCurve):
    """Computations on disjoint parts of the data: `a | b`.

    Args:
        alternatives: one loss for each part of the data.

    Privacy: under ADD_REMOVE the worst of the parts. Under REPLACE a unit can move from one part to another, so
        `under(Neighbors.REPLACE)` is the worst sum of two.
    Proof: a unit that joins or leaves is in one part only and the other answers do not change (McSherry 2009,
        Theorem 4). A replaced unit leaves one part and joins another; inside one part it does both.
    """

    __hash__ = LossCurve.__hash__

    @property
    def neighbors(self) -> frozenset[Neighbors]:
        """One unit more or less."""
        return super().neighbors & {Neighbors.ADD_REMOVE}

    def grouped(self, size: int) -> LossCurve:
        """A group may be spread over the parts, so only the chain of single units is sure."""
        return LossCurve.grouped(self, size)

    def replacing(self) -> LossCurve:
        """The same computation when a unit may move: the worst sum of two parts, in either direction."""
        both = [WorstOfCurve((loss, loss.reversed())) if not loss.symmetric else None for loss in self.alternatives]
        parts = [
            loss if worst is None else type(loss).of(worst) for loss, worst in zip(self.alternatives, both, strict=True)
        ]
        twice = [loss if Neighbors.REPLACE in loss.neighbors else loss * 2 for loss in parts]
        return ReplacedCurve(tuple(dict.fromkeys([a + b for a, b in combinations(parts, 2)] + twice)))


@dataclass(frozen=True)
class ReplacedCurve(WorstOfCurve):
    """Disjoint parts of the data under REPLACE: the worst of all ways in which one unit can move.

    Args:
        alternatives: one loss for each way.

    Privacy and proof: see `ParallelCurve`.
    """

    __hash__ = LossCurve.__hash__

    @property
    def neighbors(self) -> frozenset[Neighbors]:
        """One unit replaced."""
        return frozenset({Neighbors.REPLACE})

    def grouped(self, size: int) -> LossCurve:
        """Each of the group may move, so only the chain of single units is sure."""
        return LossCurve.grouped(self, size)


@dataclass(frozen=True)
class ReversedCurve(LossCurve):
    """A curve with the two directions exchanged.

    Args:
        inner: the curve.
    """

    __hash__ = LossCurve.__hash__

    inner: LossCurve

    @property
    def neighbors(self) -> frozenset[Neighbors]:
        """Those of the inner curve."""
        return self.inner.neighbors

    def removing(self, epsilon: Array) -> Array:
        """Delta at each epsilon when a unit joins."""
        return self.inner.adding(epsilon)

    def adding(self, epsilon: Array) -> Array:
        """Delta at each epsilon when a unit leaves."""
        return self.inner.removing(epsilon)

    def unbounded(self, *, adding: bool) -> Fraction | None:
        """That of the other direction."""
        return self.inner.unbounded(adding=not adding)

    def keeps(self, promise: Guarantee) -> bool:
        """As the inner curve: a promise is about both directions."""
        return self.inner.keeps(promise)

    @property
    def largest_loss(self) -> Fraction | float:
        """As the inner curve."""
        return self.inner.largest_loss

    def renyi(self, order: float) -> tuple[float, float]:
        """The inner pair, exchanged."""
        removing, adding = self.inner.renyi(order)
        return adding, removing


@dataclass(frozen=True)
class MixtureCurve(OneOfCurve):
    """One of several computations runs, drawn by a public coin that does not depend on the data.

    Args:
        weights: probabilities that add up to 1.
        alternatives: one loss for each weight.

    Privacy: delta(e) is the weighted mean of theirs.
    Proof: the coin is part of the output, so the best set is chosen for each side of it separately.

    Example:
        >>> from privet.loss import LaplaceCurve, PrivacyLoss
        >>> half = MixtureCurve((0.5, 0.5), (PrivacyLoss.of(LaplaceCurve(1)), PrivacyLoss()))
        >>> half.removing(np.array([0.5])).round(6)
        array([0.1106])
    """

    __hash__ = LossCurve.__hash__

    weights: Sequence[Exact]
    alternatives: "tuple[PrivacyLoss, ...]"

    def __post_init__(self) -> None:
        weights = tuple(exact_within(x, "weight", low=0, high=1) for x in self.weights)
        if len(weights) != len(self.alternatives) or abs(sum(weights, Fraction(-1))) > Fraction(1, 10**9):
            raise InvalidParameter("weights must add up to 1, one for each alternative")
        object.__setattr__(self, "weights", tuple(weight / sum(weights) for weight in weights))

    def removing(self, epsilon: Array) -> Array:
        """Delta at each epsilon when a unit leaves."""
        return self._mean([loss.profile(epsilon) for loss in self.alternatives])

    def adding(self, epsilon: Array) -> Array:
        """Delta at each epsilon when a unit joins."""
        return self._mean([loss.profile(epsilon, adding=True) for loss in self.alternatives])

    def unbounded(self, *, adding: bool) -> Fraction:
        """The weighted mean of theirs."""
        both = zip(self.weights, self.alternatives, strict=True)
        return sum((Fraction(weight) * loss.unbounded(adding=adding) for weight, loss in both), Fraction(0))

    def _mean(self, profiles: list[Array]) -> Array:
        weighted = [float(weight) * delta for weight, delta in zip(self.weights, profiles, strict=True)]
        return rounded_up(np.sum(weighted, axis=0))


@dataclass(frozen=True)
class TabulatedCurve(LossCurve):
    """A curve of which only some points are known, for example from a paper or another system.

    Args:
        points: (epsilon, delta) pairs at each of which the mechanism is (epsilon, delta)-DP.

    Privacy: between the points the chord in e^epsilon, before the first the chord to certainty, after the last flat.
    Proof: the true curve is convex in e^epsilon and decreasing.

    Example:
        >>> TabulatedCurve(((1, 1e-5), (2, 1e-9))).removing(np.array([1.0, 3.0])).round(12)
        array([1.e-05, 1.e-09])
    """

    __hash__ = LossCurve.__hash__

    points: Sequence[tuple[Exact, Exact]]

    def __post_init__(self) -> None:
        pairs = [(exact_within(e, "epsilon", low=0), exact_within(d, "delta", low=0, high=1)) for e, d in self.points]
        if not pairs:
            raise InvalidParameter("points must hold at least one (epsilon, delta) pair, got none")
        object.__setattr__(self, "points", tuple(sorted(pairs)))

    def removing(self, epsilon: Array) -> Array:
        """Delta at each epsilon."""
        x = np.exp(np.array([-np.inf, *(min(float(e), 700.0) for e, _ in self.points)]))
        y = np.minimum.accumulate(np.array([1.0, *(float(d) for _, d in self.points)]))
        return rounded_up(np.interp(np.exp(np.minimum(epsilon, 700.0)), x, y))

    def unbounded(self, *, adding: bool) -> Fraction:  # noqa: ARG002 - the same in both directions
        """The least delta in the table."""
        return min(Fraction(delta) for _, delta in self.points)

    @property
    def largest_loss(self) -> Fraction:
        """The last epsilon in the table."""
        return Fraction(self.points[-1][0])
