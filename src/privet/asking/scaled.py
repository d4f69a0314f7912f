"""Scaled: a mechanism whose answers are brought back to the data's own unit."""

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from privet.core import Mechanism, Sensitivity, Uncertainty
from privet.core.uncertainty import UP, ScaledError
from privet.errors import InvalidParameter
from privet.loss import Guarantee, PrivacyLoss
from privet.loss.exact import readable
from privet.mechanisms import Gaussian, Laplace, Staircase
from privet.mechanisms.additive import Answer, Numbers
from privet.noise import BitSource


@dataclass(frozen=True, init=False, repr=False)
class Scaled(Mechanism[Numbers, Answer]):
    """A mechanism in multiples of a public unit; answers are multiplied by it and moved by a public offset.

    Args:
        mechanism: adds noise to numbers that are measured in that unit.
        factor: > 0; the unit.
        offset: what is added to every answer.
        rounding: how far the exact number may lie from the one that noise is added to, in the answer's unit.

    Privacy: the mechanism's own; what follows it is post-processing by public numbers.

    Example:
        >>> Scaled(Staircase(sensitivity=1, epsilon=1), factor=1800)
        1800 × Staircase(sensitivity=1, epsilon=1)
    """

    mechanism: Mechanism[Any, Any]
    factor: Fraction
    offset: Fraction
    rounding: Fraction
    promise: Guarantee | None = field(repr=False)

    def __init__(
        self,
        mechanism: Mechanism[Any, Any],
        *,
        factor: Fraction | int,
        offset: Fraction | int = 0,
        rounding: Fraction | int = 0,
    ) -> None:
        self._keep(mechanism=mechanism, factor=Fraction(factor), offset=Fraction(offset), rounding=Fraction(rounding))
        self._keep(promise=mechanism.promise)

    @cached_property
    def loss(self) -> PrivacyLoss:
        """That of the mechanism."""
        return self.mechanism.loss

    def covers(self, sensitivity: Sensitivity) -> bool:
        """What the mechanism covers, in multiples of the factor."""
        return self.mechanism.covers(sensitivity)

    def check(self, value: Numbers) -> None:
        """Refuse what the mechanism refuses."""
        self.mechanism.check(value)

    def sample(self, value: Numbers, source: BitSource) -> Answer:
        """One answer, in the data's own unit: the product is exact and rounded once for a number."""
        answer = self.mechanism.sample(value, source)
        if isinstance(answer, int | float):
            return float(Fraction(answer) * self.factor + self.offset) + 0.0
        return np.asarray(answer) * float(self.factor) + float(self.offset)

    @cached_property
    def uncertainty(self) -> Uncertainty | None:
        """The mechanism's, in the new unit."""
        inner = self.mechanism.uncertainty
        return None if inner is None else ScaledError(inner, float(self.factor) * UP, float(self.rounding) * UP)

    @cached_property
    def _described(self) -> str:
        start = f"{readable(self.offset)} + " if self.offset else ""
        times = f"{readable(self.factor)} × " if self.factor != 1 else ""
        return f"{start}{times}{self.mechanism!r}"


def rescaled(mechanism: Mechanism[Any, Any], unit: Fraction) -> Mechanism[Any, Any]:
    """Return the mechanism for numbers that are measured in multiples of `unit`.

    Privacy: noise and sensitivity shrink by one factor, exactly, so the loss is the same.

    Example:
        >>> rescaled(Laplace(l1_sensitivity=1800, scale=3600), Fraction(1800))
        Laplace(l1_sensitivity=1, scale=2)
    """
    if unit == 1:
        return mechanism
    if isinstance(mechanism, Laplace):
        return Laplace(mechanism.l1_sensitivity / unit, mechanism.scale / unit)
    if isinstance(mechanism, Gaussian):
        return replace(mechanism, l2_sensitivity=mechanism.l2_sensitivity / unit, scale=mechanism.scale / unit)
    if isinstance(mechanism, Staircase):
        return Staircase(mechanism.sensitivity / unit, mechanism.epsilon)
    raise InvalidParameter(
        f"the mechanism of this statistic must be a Laplace, Staircase or Gaussian, got {type(mechanism).__name__}"
    )
