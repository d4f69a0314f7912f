"""QuantileInterval: two points between which a quantile of the data lies."""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np

from privet.core import Mechanism, Sensitivity
from privet.core.uncertainty import refuse_certainty
from privet.loss import Guarantee, PrivacyLoss
from privet.loss.exact import Exact
from privet.mechanisms.interval_quantile import Column, IntervalQuantile
from privet.noise import BitSource
from privet.noise.lazy import Floats

FEW_POINTS = 1 << 16  # where nothing else is asked for
ROUNDED = 0.501  # steps that a value lies from its point at most, floats included


@dataclass(frozen=True, init=False, repr=False)
class QuantileInterval(Mechanism[Column, Floats]):
    """Chooses a point surely below a quantile, and one surely above, each by `IntervalQuantile` at half the price.

    Args:
        quantile: in [0, 1].
        bounds: the lowest and the highest value; values beyond are clipped to them.
        score_sensitivity: as in `IntervalQuantile`.
        epsilon: > 0; the pure ε of both together.
        confidence: in (0, 1); how surely the quantile of the clipped data lies between.
        points: how many equal steps lie between the bounds. With fewer the ends aim less far out, but lie on coarser
            steps. Of 500 normal values (sd 10, ε = 1) intervals are 5.4 wide on 2^32 steps, 3.1 on 2^16 and 2.5 on 2^10
            between 0 and 100; but 5.4, 31 and 1,957 between -10^6 and 10^6.
        on_points: whether all values are points. Else the ends are half a step farther out: so far from a value may
            the point be that stands for it.
        promise: the (ε, δ) it was made for, if any.

    Privacy: epsilon-DP: two exponential mechanisms of epsilon / 2, composed.
    Proof of the confidence: let t be the quantile's rank and r the rank margin of each draw at (1 + confidence)/2. The
        lower point aims at t - r - 1, so with that probability at most t - 1 values lie below it; the upper one
        aims at t + r + 1. Between them lies every usual definition of the quantile. This holds if at least
        `reach` rows lie on either side of the quantile; with fewer, a target falls off the end.

    Example:
        >>> interval = QuantileInterval("0.5", bounds=(0, 100), score_sensitivity="0.5", epsilon=1, confidence=0.95)
        >>> interval.reach, interval.loss.epsilon(0)
        (31, 1.0)
    """

    quantile: Fraction
    bounds: tuple[Fraction, Fraction]
    score_sensitivity: Fraction
    epsilon: Fraction
    confidence: float
    points: int
    on_points: bool = field(repr=False)
    promise: Guarantee | None = field(repr=False)

    def __init__(  # noqa: PLR0913 - public parameters, each by name
        self,
        quantile: Exact,
        *,
        bounds: tuple[Exact, Exact],
        score_sensitivity: Exact,
        epsilon: Exact,
        confidence: float,
        points: int = FEW_POINTS,
        on_points: bool = False,
        promise: Guarantee | None = None,
    ) -> None:
        refuse_certainty(confidence, "confidence")
        whole = IntervalQuantile(
            quantile, bounds=bounds, score_sensitivity=score_sensitivity, epsilon=epsilon, points=points
        )
        self._keep(
            quantile=whole.quantile,
            bounds=whole.bounds,
            score_sensitivity=whole.score_sensitivity,
            epsilon=whole.epsilon,
            confidence=float(confidence),
            points=whole.points,
            on_points=on_points,
            promise=promise,
        )
        self._refuse_broken_promise()

    def _end(self, offset: int) -> IntervalQuantile:
        return IntervalQuantile(
            self.quantile,
            bounds=self.bounds,
            score_sensitivity=self.score_sensitivity,
            epsilon=self.epsilon / 2,
            points=self.points,
            offset=offset,
        )

    @cached_property
    def reach(self) -> int:
        """How many ranks below and above the quantile the two points aim."""
        return math.ceil(self._end(0).rank_margin((1 + self.confidence) / 2)) + 1

    @cached_property
    def loss(self) -> PrivacyLoss:
        """Two exponential mechanisms of half the ε."""
        return self._end(0).loss * 2

    def covers(self, sensitivity: Sensitivity) -> bool:
        """Compared in the largest move of one point's score, in rows."""
        return sensitivity.linf <= self.score_sensitivity

    def check(self, value: Column) -> None:
        """Refuse what is not a column of numbers."""
        self._end(0).check(value)

    def sample(self, value: Column, source: BitSource) -> Floats:
        """The lower and the upper point, the lower one first."""
        found = np.sort([end.sample(value, source) for end in self._ends])
        if self.on_points:
            return found
        low, high = self.bounds
        aside = ROUNDED * float((high - low) / self.points)
        found[0], found[1] = found[0] - aside, found[1] + aside
        return np.asarray(np.clip(found, float(low), float(high)))

    @cached_property
    def _ends(self) -> tuple[IntervalQuantile, IntervalQuantile]:
        return self._end(-self.reach), self._end(self.reach)

    @cached_property
    def _described(self) -> str:
        inner = repr(self._end(0)).removeprefix("IntervalQuantile(").rpartition(", epsilon=")[0]
        return f"{type(self).__name__}({inner}, epsilon={float(self.epsilon):.9g}, confidence={self.confidence:g})"
