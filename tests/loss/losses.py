"""Losses for testing rules."""

import math
from dataclasses import dataclass

from privet.loss import ApproximateCurve, GaussianCurve, PrivacyLoss
from privet.loss.exact import Exact


def response(level: Exact) -> PrivacyLoss:
    """Randomized response: the worst ε-DP release."""
    return PrivacyLoss.of(ApproximateCurve(level))


def normal(mu: Exact) -> PrivacyLoss:
    """Gaussian noise with sensitivity over scale `mu`."""
    return PrivacyLoss.of(GaussianCurve(mu))


@dataclass(frozen=True)
class Stated(PrivacyLoss):
    """A loss that says the same number whatever it is asked."""

    value: float = math.nan

    def epsilon(self, delta: Exact) -> float:  # noqa: ARG002 - the interface
        return self.value

    def renyi(self, order: float) -> float:  # noqa: ARG002 - the interface
        return self.value

    def zcdp(self) -> float:
        return self.value


LEAK = PrivacyLoss.of(ApproximateCurve(1, "0.2"))  # more δ than any limit in the tests
UNPRICEABLE = tuple(Stated(LEAK.parts, value) for value in (math.nan, math.inf, -1.0))
