"""Losses with closed forms, for testing rules without the grid."""

import math
from dataclasses import dataclass

from privet.loss.theorems import gaussian_epsilon, optimal_composition, pure_to_renyi, pure_to_zcdp


@dataclass(frozen=True)
class Response:
    """Randomized response: the worst ε-DP release."""

    level: float

    def epsilon(self, delta: float) -> float:
        return optimal_composition(self.level, times=1, delta=delta)

    def renyi(self, order: float) -> float:
        return pure_to_renyi(self.level, order=order)

    def zcdp(self) -> float:
        return pure_to_zcdp(self.level)


@dataclass(frozen=True)
class Normal:
    """Gaussian noise with sensitivity over scale `mu`."""

    mu: float

    def epsilon(self, delta: float) -> float:
        return gaussian_epsilon(self.mu, delta=delta)

    def renyi(self, order: float) -> float:
        return order * self.mu**2 / 2 * (1 + 1e-15)

    def zcdp(self) -> float:
        return self.mu**2 / 2 * (1 + 1e-15)


@dataclass(frozen=True)
class Stated:
    """A loss that says the same number whatever it is asked."""

    value: float

    def epsilon(self, delta: float) -> float:  # noqa: ARG002 - the interface
        return self.value

    def renyi(self, order: float) -> float:  # noqa: ARG002 - the interface
        return self.value

    def zcdp(self) -> float:
        return self.value


UNPRICEABLE = (Stated(math.nan), Stated(math.inf), Stated(-1.0))
