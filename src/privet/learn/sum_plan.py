"""SumPlan: a noisy number of rows and noisy sums of columns, by two draws under one price."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privet.asking.best_noise import best_noise
from privet.asking.budget import Budget
from privet.asking.payment import Payment
from privet.core import Mechanism, Sensitivity
from privet.learn.fitting import budget_of, replaces
from privet.learn.moved_counts import moved_counts
from privet.learn.sum_noise import sum_noise
from privet.loss import Guarantee, PrivacyLoss
from privet.mechanisms import Gaussian
from privet.mechanisms.least_noise import least_noise, standard_deviation

SHARES = Fraction(1, 4), Fraction(3, 4)  # of ε: for the number of rows, and for sums
ROOTS = Fraction(1, 2), Fraction(433, 500)  # of Gaussian privacy: their squares add up to 0.99996


@dataclass(frozen=True)
class SumPlan:
    """The noise of the number of rows, if it is private, and of sums.

    Args:
        rows, sums: each with how far a unit moves it.

    Privacy: that of the composition: ε in shares, or Gaussian noise of deviation s r/a for sensitivities s, which is
        (1/r)-GDP in all where Σa² <= 1.
    """

    rows: tuple[Mechanism[Any, Any], Sensitivity] | None
    sums: tuple[Mechanism[Any, Any], Sensitivity]

    @classmethod
    def of(cls, payment: Payment, sums: Sensitivity, moved: int, *, counted: bool) -> "SumPlan":
        """Return the plan of the least noise.

        Args:
            payment: the price, and who is protected.
            sums: how far a unit moves whole-numbered sums.
            moved: how many rows a unit can have.
            counted: whether the number of rows is private.
        """
        budget = budget_of(payment)
        moves = [moved_counts(1, moved, replaces=replaces(payment)), sums]
        if not counted:
            return cls(None, (sum_noise(budget, sums), sums))
        ways = [*_pure(budget, moves), *_gaussian(budget, moves)]
        first, second = least_noise(ways, error=standard_deviation)
        return cls((first, moves[0]), (second, sums))

    @property
    def mechanisms(self) -> tuple[Mechanism[Any, Any], ...]:
        """All that is drawn."""
        return (self.sums[0],) if self.rows is None else (self.rows[0], self.sums[0])

    @property
    def loss(self) -> PrivacyLoss:
        """Of all together."""
        return self.sums[0].loss if self.rows is None else self.rows[0].loss + self.sums[0].loss


def _pure(budget: Budget, moves: list[Sensitivity]) -> list[list[Mechanism[Any, Any]]]:
    if not budget.epsilon:
        return []
    parts = [Budget.of(epsilon=budget.epsilon * share) for share in SHARES]
    return [[best_noise(part, move, whole=True) for part, move in zip(parts, moves, strict=True)]]


def _gaussian(budget: Budget, moves: list[Sensitivity]) -> list[list[Mechanism[Any, Any]]]:
    if isinstance(budget.promise, Guarantee):
        if not budget.promise.delta:
            return []
        said: dict[str, Any] = {"epsilon": budget.promise.epsilon, "delta": budget.promise.delta}
    else:
        said = {"rho": budget.promise.rho}
    ratio = Gaussian.calibrated(**said, sensitivity=Sensitivity(1)).scale
    return [[Gaussian(move.l2, move.l2 * ratio / root) for move, root in zip(moves, ROOTS, strict=True)]]
