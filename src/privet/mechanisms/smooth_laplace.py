"""SmoothLaplace: Laplace noise in proportion to the smooth sensitivity."""

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property

from privet.core.uncertainty import refuse_certainty
from privet.loss import Guarantee
from privet.loss.exact import Exact
from privet.loss.outward import decimal_of, float_down, precise
from privet.mechanisms.additive import positive
from privet.mechanisms.smooth import ROUNDED, SmoothNoise, kept_promise
from privet.noise import LaplaceLaw


@dataclass(frozen=True, init=False, repr=False)
class SmoothLaplace(SmoothNoise):
    """Adds Laplace noise of scale 2 S / ε to one number, S its smooth sensitivity.

    Args:
        epsilon: >= 1e-9.
        delta: in (0, 1/2].
        step: > 0; the public resolution of answers, in the answer's unit. Choose it without looking at the data.

    Privacy: (epsilon, delta)-DP, if S is a bound of this `smoothness` under the unit's neighbors.
    Proof: of neighbors x and y with noise scales a and b: first change the scale around f(x), then move to f(y). The
        move costs |f(x) - f(y)| / b <= ε/2, for S(y) bounds it. Changing a to a e^t has loss t + (e^-t - 1)|z|/a:
        at most β <= ε/2 for t >= 0; for t < 0 more than ε/2 only if |z|/a > (ε/2 + |t|) / (e^|t| - 1), which is at
        least ln(1/δ) if e^β - 1 <= ε / (2 ln(1/δ)): so with probability at most δ.
    Not covered: time. The β = ε / (2 ln(2/δ)) of Nissim, Raskhodnikova and Smith (2007) is taken where it is smaller,
        which it is up to about ε = 2.7; unbounded, it is not private from about ε = 12 on.

    Example:
        >>> round(SmoothLaplace(epsilon=1, delta=1e-6, step="0.001").smoothness, 6)
        0.034462
    """

    epsilon: Fraction
    delta: Fraction
    step: Fraction

    def __init__(self, epsilon: Exact, delta: Exact, *, step: Exact) -> None:
        level, chance = kept_promise(epsilon, delta)
        self._keep(epsilon=level, delta=chance, step=positive(step, "step"))
        self._keep(promise=Guarantee(level, chance))

    @cached_property
    def smoothness(self) -> float:
        """The smaller of ε / (2 ln(2/δ)) and ln(1 + ε / (2 ln(1/δ)))."""
        with precise():
            half = decimal_of(self.epsilon) / 2
            chance = decimal_of(self.delta)
            proven = (1 + half / -chance.ln()).ln() - decimal_of(ROUNDED)
            return float_down(min(half / (Decimal(2) / chance).ln(), proven))

    @cached_property
    def spread(self) -> Fraction:
        """2 / ε."""
        return 2 / self.epsilon

    def law(self, steps: Fraction) -> LaplaceLaw:
        """Laplace noise."""
        return LaplaceLaw(steps)

    def noise_margin(self, smooth_sensitivity: float, confidence: float = 0.95) -> float:
        """The scale times ln(1 / (1 - confidence))."""
        refuse_certainty(confidence, "confidence")
        return smooth_sensitivity * float(self.spread) * -math.log1p(-confidence)
