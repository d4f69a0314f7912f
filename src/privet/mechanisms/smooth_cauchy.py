"""SmoothCauchy: Cauchy noise in proportion to the smooth sensitivity, without a δ."""

import math
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

from privet.core.uncertainty import refuse_certainty
from privet.errors import InvalidParameter
from privet.loss import Guarantee
from privet.loss.exact import Exact, exact, readable
from privet.loss.outward import decimal_of, float_down, float_up, precise
from privet.mechanisms.additive import positive
from privet.mechanisms.smooth import ROUNDED, SMALLEST, SmoothNoise
from privet.noise import CauchyLaw

_LARGEST = 500  # of ε: e^ε and its inverse are floats


@dataclass(frozen=True, init=False, repr=False)
class SmoothCauchy(SmoothNoise):
    """Adds Cauchy noise to one number, as little as is ε-DP for its smooth sensitivity S.

    Args:
        epsilon: between 1e-9 and 500.
        step: > 0; the public resolution of answers, in the answer's unit. Choose it without looking at the data.
        smoothness: in (0, epsilon); ε/6 by default. A larger one makes S smaller and the noise per S larger.
        spread: the noise scale per S, where it shall be larger than needed; by default the least.

    Privacy: epsilon-DP, if S is a bound of this smoothness under the unit's neighbors; the constant is the best there
        is: with 1/spread = a and smoothness β, cosh ε = max(1 + a²/2, cosh β + e^-β a²/2).
    Proof: the densities with centers 0, m and scales 1, s have the ratio (s² + (z - m)²) / (s (1 + z²)) <= r for all z
        if and only if r + 1/r >= (1 + s² + m²)/s (a quadratic in z without a sign change): the largest loss is
        arccosh of half of that. Neighbors have e^-β <= s <= e^β and m <= a min(1, s); it is largest at s = 1 or e^±β.
    Not covered: time.

    Example:
        >>> mechanism = SmoothCauchy(epsilon=1, step="0.001")
        >>> round(mechanism.smoothness, 6), round(float(mechanism.spread), 6), mechanism.loss.epsilon(delta=0)
        (0.166667, 0.959517, 1.0)
    """

    epsilon: Fraction
    step: Fraction
    chosen: tuple[float, Fraction] = field(repr=False)  # smoothness and spread

    def __init__(
        self, epsilon: Exact, *, step: Exact, smoothness: Exact | None = None, spread: Exact | None = None
    ) -> None:
        level = positive(epsilon, "epsilon")
        if not SMALLEST <= level <= _LARGEST:
            raise InvalidParameter(f"epsilon must be between 1e-9 and {_LARGEST}, got {float(level):.3g}")
        smooth = level / 6 if smoothness is None else exact(smoothness, "smoothness")
        if not 0 < smooth < level - 2 * ROUNDED:
            raise InvalidParameter(f"smoothness must be > 0 and < epsilon, got {float(smooth):.3g}")
        least = _least_spread(level, smooth)
        wide = least if spread is None else positive(spread, "spread")
        if wide < least:
            raise InvalidParameter(f"spread must be >= {float(least):.6g} for this epsilon and smoothness")
        with precise():
            kept = float_down(decimal_of(smooth)) if smoothness is None else float(smooth)
        self._keep(epsilon=level, step=positive(step, "step"), chosen=(kept, wide))
        self._keep(promise=Guarantee(level))

    @classmethod
    def classical(cls, *, epsilon: Exact, step: Exact) -> "SmoothCauchy":
        """Return the textbook's choice, for comparison: 6 S / ε with β = ε/6, charged what it costs, about 0.23 ε.

        Nissim, Raskhodnikova and Smith (2007) state it as ε-DP, which is true and far from tight.
        """
        level = positive(epsilon, "epsilon")
        return cls(_epsilon(6 / level, level / 6), step=step, smoothness=level / 6, spread=6 / level)

    @property
    def smoothness(self) -> float:
        """As it was chosen."""
        return self.chosen[0]

    @property
    def spread(self) -> Fraction:
        """The least, or as it was chosen."""
        return self.chosen[1]

    def law(self, steps: Fraction) -> CauchyLaw:
        """Cauchy noise."""
        return CauchyLaw(steps)

    def noise_margin(self, smooth_sensitivity: float, confidence: float = 0.95) -> float:
        """The scale times tan(π/2 confidence)."""
        refuse_certainty(confidence, "confidence")
        return smooth_sensitivity * float(self.spread) * math.tan(math.pi / 2 * confidence)

    def __repr__(self) -> str:
        words = ("epsilon", self.epsilon), ("step", self.step), ("smoothness", self.smoothness), ("spread", self.spread)
        return f"SmoothCauchy({', '.join(f'{name}={readable(number)}' for name, number in words)})"


def _least_spread(epsilon: Fraction, smoothness: Fraction) -> Fraction:
    """1/a with a² = min(2 (cosh ε - 1), 2 e^β (cosh ε - cosh β)), rounded up."""
    with precise():
        top = decimal_of(epsilon)
        smooth = decimal_of(smoothness + ROUNDED)
        far = (_cosh(top) - _cosh(smooth)) * smooth.exp()
        return Fraction(str(float_up(1 / (2 * min(far, _cosh(top) - 1)).sqrt())))


def _epsilon(spread: Fraction, smoothness: Fraction) -> Fraction:
    """What a spread costs, rounded up."""
    with precise():
        square = 1 / decimal_of(spread) ** 2
        smooth = decimal_of(smoothness + ROUNDED)
        grown = max(1 + square / 2, _cosh(smooth) + square / 2 * (-smooth).exp())
        loss = (grown + (grown**2 - 1).sqrt()).ln()
        return Fraction(str(float_up(loss * (1 + Decimal("1e-15")))))


def _cosh(number: Decimal) -> Decimal:
    return (number.exp() + (-number).exp()) / 2
