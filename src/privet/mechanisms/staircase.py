"""Staircase: the least noise that is ε-DP for one number."""

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property

from privet.core import Mechanism, Sensitivity, Uncertainty
from privet.core.sensitivity import refuse_undeclared
from privet.core.uncertainty import UP
from privet.errors import InvalidParameter
from privet.loss import ApproximateCurve, MixtureCurve, PrivacyLoss
from privet.loss.exact import Exact
from privet.loss.outward import decimal_of, float_up, precise
from privet.mechanisms.additive import BINARY, FINER, Answer, Numbers, finite_numbers, positive
from privet.noise import BitSource, Lattice, StaircaseLaw

_LARGEST = 500  # of ε: e^ε and its inverse are floats
_FINEST = 58  # bits: stairs of 2^59 steps fit int64


@dataclass(frozen=True)
class StaircaseError(Uncertainty):
    """Staircase noise: probabilities fall by e^-epsilon at rise, rise + width, …, in steps on both sides of zero.

    Args:
        epsilon: > 0.
        width: of a stair, in steps.
        rise: how far the middle stair reaches, in steps.
        step: the distance of two possible answers.

    Example:
        >>> round(StaircaseError(epsilon=1, width=2**20, rise=395904, step=2.0**-20).margin(0.95), 3)
        2.996
    """

    epsilon: float
    width: int
    rise: int
    step: float

    def tail(self, distance: float) -> float:
        """The weight of the stairs and the part of a stair beyond the distance, less half a step for the rounding."""
        return self._reaching(math.floor(max(distance / self.step - 0.5, 0.0)) + 1)

    def _reaching(self, steps: int) -> float:
        """Pr[|K| >= steps], for steps >= 1: sums of flat stairs are a product, and those of all later ones a series."""
        down = math.exp(-self.epsilon)
        later = self.width / math.expm1(self.epsilon)
        whole = 2 * self.rise - 1 + 2 * later
        if steps <= self.rise:
            return min(1.0, 2 * (self.rise - steps + later) / whole * UP)
        stair, used = divmod(steps - self.rise, self.width)
        return min(1.0, 2 * math.exp(-self.epsilon * stair) * (down * (self.width - used) + down * later) / whole * UP)

    def distance(self, tail: float) -> float:
        """The least whole number of steps that is exceeded with at most this probability, and half a step."""
        least, most = 0, 1
        while self._reaching(most + 1) > tail:
            least = most
            most = 2 * most
        while most - least > 1:
            middle = (least + most) // 2
            least, most = (least, middle) if self._reaching(middle + 1) <= tail else (middle, most)
        return (most + 0.5) * self.step


@dataclass(frozen=True, init=False, repr=False)
class Staircase(Mechanism[Numbers, Answer]):
    """Adds staircase noise to numbers of which one unit can move one only.

    Args:
        sensitivity: > 0; the largest move of that number, in the input's unit.
        epsilon: between 1e-9 and 500.

    Privacy: epsilon-DP; of all noise that is, none has a smaller expected size, up to the rounding to a lattice 2^24
        times finer than the noise. The curve is exact: δ(e) = Pr[K < rise] (1 - e^(e - ε)).
    Proof: Geng and Viswanath 2014, with γ = 1/(1 + e^(ε/2)). Values are rounded to the lattice, which moves them by at
        most `width` steps apart (`Lattice.widened`). The number of drops up to |k| rises by one if |k| grows by `width`
        and never falls, so probabilities a move apart differ by a factor of 1 or e^±ε. For a move of m the loss of k
        is ε if |k - m| has more drops than |k|; for every k that is so for m = width if for any: all k < rise.
    Not covered: more than one number moved (use Laplace); time.

    Example:
        >>> mechanism = Staircase(sensitivity=1, epsilon=10)
        >>> mechanism.loss.epsilon(delta=0), round(mechanism.expected_error, 6)  # Laplace noise: 0.1
        (10.0, 0.006738)
    """

    sensitivity: Fraction
    epsilon: Fraction

    def __init__(self, sensitivity: Exact, epsilon: Exact) -> None:
        self._keep(sensitivity=positive(sensitivity, "sensitivity"), epsilon=positive(epsilon, "epsilon"))
        if not Fraction(1, 10**9) <= self.epsilon <= _LARGEST:
            raise InvalidParameter(f"epsilon must be between 1e-9 and {_LARGEST}, got {float(self.epsilon):.3g}")

    @classmethod
    def calibrated(cls, *, epsilon: Exact, sensitivity: Sensitivity) -> "Staircase":
        """Return the mechanism for this sensitivity, which must be of one cell."""
        refuse_undeclared(sensitivity)
        if sensitivity.cells > 1:
            raise InvalidParameter(
                f"staircase noise is proven for one moved number, got {sensitivity!r}: use Laplace.calibrated"
            )
        return cls(sensitivity.linf, epsilon)

    @cached_property
    def lattice(self) -> Lattice:
        """The multiples of a power of two on which all answers lie: fine enough for the middle stair."""
        finer = FINER + math.ceil(float(self.epsilon) / 2 / math.log(2))
        return Lattice.finer_than(self.sensitivity, bits=min(finer, _FINEST))

    @cached_property
    def width(self) -> int:
        """How far rounded values can be apart, in steps."""
        return self.lattice.widened(self.sensitivity * BINARY)

    @cached_property
    def rise(self) -> int:
        """The reach of the middle stair: width / (1 + e^(ε/2)), in whole steps."""
        with precise():
            share = Decimal(self.width) / (1 + (decimal_of(self.epsilon) / 2).exp())
        return max(1, math.floor(share))

    @cached_property
    def law(self) -> StaircaseLaw:
        """The noise, in steps."""
        return StaircaseLaw(self.epsilon, width=self.width, rise=self.rise)

    @cached_property
    def loss(self) -> PrivacyLoss:
        """Randomized response with some probability, else nothing: exact."""
        with precise():
            down = (-decimal_of(self.epsilon)).exp()
            pure = PrivacyLoss.of(ApproximateCurve(self.epsilon))
            later = self.width * down / (1 - down)
            told = (1 - later / (2 * self.rise - 1 + 2 * later)) * (1 + down)
            share = min(Fraction(1), Fraction(str(float_up(told))))
        return PrivacyLoss.of(MixtureCurve((share, 1 - share), (pure, PrivacyLoss())))

    def covers(self, sensitivity: Sensitivity) -> bool:
        """One number, and how far it can move."""
        return sensitivity.cells == 1 and sensitivity.linf <= self.sensitivity

    def check(self, value: Numbers) -> None:
        """Refuse what is not a finite number or a non-empty array of them."""
        if not isinstance(value, int):
            finite_numbers(value)

    def sample(self, value: Numbers, source: BitSource) -> Answer:
        """The numbers rounded to the lattice, plus noise."""
        lattice, law = self.lattice, self.law
        if isinstance(value, int | float):
            return lattice.to_float(lattice.to_step(value) + law.one(source))
        array = finite_numbers(value)
        steps = lattice.add(lattice.to_steps(array.ravel()), law.many(source, array.size))
        floats = lattice.to_floats(steps).reshape(array.shape)
        return floats if array.ndim else float(floats)

    @cached_property
    def uncertainty(self) -> StaircaseError:
        """Exact, for each number."""
        return StaircaseError(float(self.epsilon) / UP, self.width, self.rise, float(self.lattice.step))

    @property
    def expected_error(self) -> float:
        """The mean size of the noise; in the limit sensitivity e^(ε/2) / (e^ε - 1)."""
        width = self.width
        rise = self.rise
        series = 1 / math.expm1(self.epsilon)
        beyond = 2 * width * (series * (rise + (width - 1) / 2) + width * series * series)
        total = 2 * rise - 1 + 2 * width * series
        return (rise * (rise - 1) + beyond) / total * float(self.lattice.step)
