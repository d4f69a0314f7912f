"""SmoothGaussian: Gaussian noise in proportion to the smooth sensitivity of a vector."""

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property

from scipy import special

from privet.core.uncertainty import refuse_certainty
from privet.errors import InvalidParameter
from privet.loss import Guarantee
from privet.loss.exact import Exact, whole
from privet.loss.gaussian_privacy import gaussian_delta
from privet.loss.outward import decimal_of, float_down, float_up, precise
from privet.mechanisms.additive import positive
from privet.mechanisms.smooth import ROUNDED, SmoothNoise, kept_promise
from privet.noise import GaussianLaw

_CAREFUL = 1 - 1e-9  # more than scipy's chi-square quantile and a few roundings lose


@dataclass(frozen=True, init=False, repr=False)
class SmoothGaussian(SmoothNoise):
    """Adds Gaussian noise of scale 5 √(2 ln(2/δ)) S / ε to every coordinate, S the smooth sensitivity of the vector.

    Args:
        epsilon: >= 1e-9; refused where the theorem does not hold, from about 7 ln(2/δ) on.
        delta: in (0, 1/2].
        step: > 0; the public resolution of answers, in the answer's unit. Choose it without looking at the data.
        dimension: how many numbers an answer has; all count, because each shows the scale of its noise.

    Privacy: (epsilon, delta)-DP, if S is a Euclidean bound of this `smoothness` under the unit's neighbors.
    Proof: as for `SmoothLaplace`, first the scale, then the center. The move is Gaussian with μ = ε / (5 √(2 ln(2/δ))),
        (ε/2, δ1)-DP with δ1 from Balle and Wang (2018). Of the scale: a change by e^t has loss
        d t + (e^-2t - 1) |z|²/2, at most dβ <= ε/4 for t >= 0; for t < 0 at most ε/2 unless the chi-square variable
        |z|² exceeds q with e^2β - 1 <= ε/q, which has probability δ2 at the quantile q. In all e^(ε/2) δ1 + δ2 = δ.
    Not covered: time. The β of Nissim, Raskhodnikova and Smith (2007), ε / (4 (d + ln(2/δ))), is taken where it is
        smaller, as in one dimension for every ε up to 10.

    Example:
        >>> mechanism = SmoothGaussian(epsilon="0.5", delta=1e-5, step="0.001")
        >>> round(mechanism.smoothness, 6), round(float(mechanism.spread), 4)
        (0.009465, 49.4086)
    """

    epsilon: Fraction
    delta: Fraction
    step: Fraction
    dimension: int

    def __init__(self, epsilon: Exact, delta: Exact, *, step: Exact, dimension: int = 1) -> None:
        level, chance = kept_promise(epsilon, delta)
        self._keep(epsilon=level, delta=chance, step=positive(step, "step"), dimension=whole(dimension, "dimension"))
        self._keep(promise=Guarantee(level, chance))
        if not self.smoothness > 0:
            raise InvalidParameter(
                f"epsilon = {float(level):.3g} is outside of the theorem for delta = {float(chance):.3g}: take an "
                "epsilon below 7 ln(2/delta), or SmoothCauchy"
            )

    @property
    def size(self) -> int:
        """The dimension."""
        return self.dimension

    @cached_property
    def smoothness(self) -> float:
        """The smaller of ε / (4 (d + ln(2/δ))) and ln(1 + ε/q) / 2; not positive where nothing is proven."""
        with precise():
            textbook = decimal_of(self.epsilon) / (4 * (self.dimension + (2 / decimal_of(self.delta)).ln()))
            return float_down(min(textbook, Decimal(self._proven) - decimal_of(ROUNDED)))

    @property
    def _proven(self) -> float:
        half = float(self.epsilon) / 2
        moved = gaussian_delta(float(1 / self.spread) / _CAREFUL, epsilon=half * _CAREFUL)
        left = float(self.delta) * _CAREFUL - moved * math.exp(min(half, 700.0)) / _CAREFUL
        if left <= 0:
            return 0.0
        quantile = float(special.chdtri(self.dimension, left * _CAREFUL)) / _CAREFUL
        return math.log1p(float(self.epsilon) / quantile) / 2 * _CAREFUL

    @cached_property
    def spread(self) -> Fraction:
        """5 √(2 ln(2/δ)) / ε, rounded up."""
        with precise():
            root = (2 * (2 / decimal_of(self.delta)).ln()).sqrt()
            return Fraction(str(float_up(5 * root / decimal_of(self.epsilon))))

    def law(self, steps: Fraction) -> GaussianLaw:
        """Gaussian noise."""
        return GaussianLaw(steps)

    def noise_margin(self, smooth_sensitivity: float, confidence: float = 0.95) -> float:
        """The scale times the normal quantile."""
        refuse_certainty(confidence, "confidence")
        return smooth_sensitivity * float(self.spread) * float(special.ndtri((1 + confidence) / 2))
