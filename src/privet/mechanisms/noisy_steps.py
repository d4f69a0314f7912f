"""NoisySteps: noisy sums over units that take part by chance, each at the place where the last one led."""

import math
from collections.abc import Sized
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from privet.core import Mechanism, Sensitivity
from privet.errors import InvalidParameter
from privet.loss import Neighbors, PrivacyLoss
from privet.loss.exact import Exact, exact_within, shown, whole
from privet.mechanisms.gaussian import Gaussian
from privet.mechanisms.watched_steps import tell_watcher
from privet.noise import BitSource
from privet.noise.coins import BITS, CoinLaw

Out = TypeVar("Out", covariant=True)


class Steps(Protocol[Out]):
    """What is trained: it holds the units, and the place from which the next sum is computed."""

    @property
    def units(self) -> Sized:
        """Those that may take part; how many there are is private."""

    def summed(self, chosen: NDArray[np.intp]) -> NDArray[Any]:
        """The exact sum, at the present place, of what these units add; zeros for none.

        What a unit adds follows from it and from what was released, to the last bit, whoever takes part beside it, and
        is no longer than the noise's `l2_sensitivity`. Nothing that a unit holds raises an error.
        """

    def move(self, released: NDArray[np.float64]) -> None:
        """Go to the next place, which follows from released sums alone."""

    def released(self) -> Out:
        """What is known in the end: it follows from released sums alone, and holds nothing of the units."""


@dataclass(frozen=True, init=False, repr=False)
class NoisySteps(Mechanism[Steps[Out], Out]):
    """So many sums in a row, each over those who take part in it and with noise of its own.

    Args:
        steps: how many; >= 1.
        rate: the probability with which each takes part in a step, independent of all others; 1 for all in every step.
            Exact, and a multiple of 2^-52: `rate_near` finds one.
        noise: of each sum; its `l2_sensitivity` is the most that one unit adds to a sum.
        rows: how many entries of `units` a unit may have, which take part independently; 1 where an entry is a unit.
        replaced: whether neighbors have a unit replaced.

    Privacy: that of `steps` runs of the noise on a sample that holds a unit with probability 1 - (1 - rate)^rows.
    Proof: docs/proofs/training.md. A step is a Gaussian on a Poisson sample, whose place was released before: adaptive
        composition. The sum is divided and the place moved from what was released; empty samples are no exception. Of
        a unit with several entries the sample holds some: given that, it moves the sum by at most `l2_sensitivity`.
    Not covered: time, which tells about how many take part; memory of the process.

    Example:
        >>> steps = NoisySteps(1000, Fraction(1, 128), Gaussian(1, 1))
        >>> round(steps.loss.epsilon(1e-6), 2)
        1.64
    """

    steps: int
    rate: Fraction
    noise: Gaussian
    rows: int
    replaced: bool

    def __init__(self, steps: int, rate: Exact, noise: Gaussian, *, rows: int = 1, replaced: bool = False) -> None:
        share = exact_within(rate, "rate", low=0, high=1)
        if not share or (share * (1 << BITS)).denominator != 1:
            raise InvalidParameter(
                f"rate must be a multiple of 2^-{BITS} above 0, got {shown(rate)}: take rate_near(…)"
            )
        self._keep(steps=whole(steps, "steps"), rate=share, noise=noise)
        self._keep(rows=whole(rows, "rows"), replaced=bool(replaced))

    @property
    def unit_rate(self) -> Fraction:
        """The probability that a step sees anything of a unit, from above."""
        return self.rate if self.rows == 1 else min(Fraction(1), rate_above(1 - (1 - self.rate) ** self.rows))

    @cached_property
    def step_loss(self) -> PrivacyLoss:
        """Of one step."""
        if not self.replaced:
            return self.noise.loss.sampled(self.unit_rate)
        if self.unit_rate == 1:
            return self.noise.loss.group(2)
        return self.noise.loss.sampled(self.unit_rate, neighbors=Neighbors.REPLACE)

    @cached_property
    def loss(self) -> PrivacyLoss:
        """Of all steps."""
        return self.step_loss * self.steps

    def spent(self, done: int) -> PrivacyLoss:
        """Of the first so many steps."""
        return self.step_loss * done

    def of(self, steps: int) -> "NoisySteps[Out]":
        """The same for another number of steps."""
        return NoisySteps(steps, self.rate, self.noise, rows=self.rows, replaced=self.replaced)

    def covers(self, sensitivity: Sensitivity) -> bool:
        """Compared by what one unit adds to a sum, whether it is replaced or not."""
        return self.noise.covers(sensitivity)

    def check(self, value: Steps[Out]) -> None:
        """Refuse what cannot be trained."""
        if not all(callable(getattr(value, name, None)) for name in ("summed", "move", "released")):
            raise InvalidParameter(f"the value must have summed, move and released, got {type(value).__name__}")

    def sample(self, value: Steps[Out], source: BitSource) -> Out:
        """Run all steps, and return what is released in the end."""
        coins = CoinLaw(int(self.rate * (1 << BITS)))
        for _ in range(self.steps):
            chosen = np.flatnonzero(coins.many(source, len(value.units)))
            released = np.asarray(self.noise.sample(value.summed(chosen), source))
            tell_watcher(self, value, released)
            value.move(released)
        return value.released()


def rate_near(rate: float) -> Fraction:
    """The rate that can be tossed exactly and is nearest to this one; above 0, and at most 1.

    Example:
        >>> rate_near(0.25), rate_near(7)
        (Fraction(1, 4), Fraction(1, 1))
    """
    return Fraction(min(max(round(min(rate, 1.0) * (1 << BITS)), 1), 1 << BITS), 1 << BITS)


def rate_above(rate: Fraction) -> Fraction:
    """The least multiple of 2^-52 that is not below."""
    return Fraction(math.ceil(rate * (1 << BITS)), 1 << BITS)
