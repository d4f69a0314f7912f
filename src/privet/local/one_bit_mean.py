"""OneBitMean: the mean of a bounded number from one bit of each device."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.local.bounded_values import BoundedValues
from privet.local.mean_protocol import MeanProtocol
from privet.local.protocol import Reports
from privet.local.weights import WHOLE, declared, favored_weight
from privet.loss import PrivacyLoss, RandomizedResponseCurve
from privet.loss.exact import Exact, whole
from privet.mechanisms import FiniteMechanism
from privet.noise import BitSource, UniformLaw

STEPS = 1 << 20  # places that a value is rounded to


@dataclass(frozen=True, init=False, repr=False)
class OneBitMean(MeanProtocol):
    """A yes, the more likely the larger the value is (Duchi, Jordan and Wainwright 2018).

    The 1BitMean of Ding, Kulkarni and Yekhanin (2017) is the same.

    Args:
        bounds: the lowest and the highest value; public.
        epsilon: what a report may cost, from a millionth to 20.

    The value is rounded to one of 2^20 + 1 places on its range. Place j says yes with the weight `floor` + j `rise` out
    of 2^52.

    Privacy: `epsilon`-DP for each report.
    Proof: the probability of a yes lies between those of the two bounds, which are at most e^ε apart, as are those of
        a no: floor and floor + 2^20 rise are symmetric around 2^51, up to one part, and within `favored_weight`.

    Example:
        >>> protocol = OneBitMean(bounds=(0, 100), epsilon=1)
        >>> estimate = protocol.estimate(protocol.privatize([20.0, 30.0, 70.0] * 10_000))
        >>> low, high = estimate.interval()
        >>> bool(low < estimate.value < high)
        True
    """

    name: ClassVar[str] = "one_bit_mean"
    values: BoundedValues
    rise: int

    def __init__(self, bounds: Any, epsilon: Exact) -> None:  # noqa: ANN401 - a pair, refused in words
        top = favored_weight(declared(epsilon), favored=1, others=1)
        self._fill(BoundedValues.of(bounds), (2 * top - WHOLE) // STEPS)

    def _fill(self, values: BoundedValues, rise: int) -> None:
        if not 0 < rise * STEPS < WHOLE:
            raise InvalidParameter("epsilon is too small, or rise too large: a report would tell nothing, or all")
        self._keep(values=values, rise=rise)

    def _fill_from(self, config: Mapping[str, Any]) -> None:
        self._fill(BoundedValues.from_config(config["bounds"]), whole(config["rise"], "rise"))

    @property
    def parameters(self) -> dict[str, Any]:
        """The bounds, and the weights of a yes: at the low bound, and by how much it grows with each place."""
        return {"bounds": self.values.config, "steps": STEPS, "floor": self.floor, "rise": self.rise}

    @property
    def floor(self) -> int:
        """The weight of a yes at the low bound."""
        return (WHOLE - STEPS * self.rise) // 2

    @property
    def gain(self) -> Fraction:
        """From bound to bound."""
        return Fraction(STEPS * self.rise, WHOLE)

    @property
    def ratio(self) -> Fraction:
        """Of a yes at the two bounds, or of a no."""
        low, high = self.floor, self.floor + STEPS * self.rise
        return max(Fraction(high, low), Fraction(WHOLE - low, WHOLE - high))

    @cached_property
    def loss(self) -> PrivacyLoss:
        """That of the two bounds: all other values are mixtures of them."""
        (_, zero), (one, _) = self._rows
        return PrivacyLoss.of(RandomizedResponseCurve(zero, one))

    @property
    def numbers(self) -> int:
        """No and yes."""
        return 2

    def _inputs(self, values: Any) -> NDArray[Any]:  # noqa: ANN401 - any column
        return self.values.places(values, steps=STEPS)

    def _drawn(self, inputs: NDArray[Any], source: BitSource) -> Reports:
        drawn = UniformLaw(WHOLE).many(source, len(inputs))
        return (drawn < self.floor + self.rise * inputs).astype(np.int64)

    def _spread(self, share: Fraction) -> Fraction:
        yes = Fraction(self.floor, WHOLE) + self.gain * share
        return yes * (1 - yes)

    @property
    def _rows(self) -> tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]]:
        low, high = Fraction(self.floor, WHOLE), Fraction(self.floor, WHOLE) + self.gain
        return (1 - low, low), (1 - high, high)

    def channel(self) -> FiniteMechanism:
        """The rows of the low and of the high bound; those of values between them are mixtures."""
        return FiniteMechanism(self._rows)
