"""budget_shares: what several releases of one fit may each cost, so that together they keep its budget."""

from collections.abc import Sequence
from fractions import Fraction

from privet.asking.budget import Budget
from privet.core import Sensitivity
from privet.loss import ConcentratedGuarantee, Guarantee
from privet.mechanisms import Gaussian


def pure_shares(budget: Budget, shares: Sequence[Fraction]) -> list[Fraction] | None:
    """Return an ε for each release; None where the budget is a ρ.

    Args:
        budget: of the whole fit.
        shares: > 0, adding up to 1.

    Example:
        >>> pure_shares(Budget.of(epsilon=1), [Fraction(1, 4), Fraction(3, 4)])
        [Fraction(1, 4), Fraction(3, 4)]
    """
    if not isinstance(budget.promise, Guarantee) or not budget.promise.epsilon:
        return None
    return [budget.promise.epsilon * share for share in shares]


def gaussian_shares(budget: Budget, shares: Sequence[Fraction]) -> list[Fraction] | None:
    """Return a ρ for each release by `Gaussian` noise; None where the budget is a pure ε.

    Args:
        budget: of the whole fit.
        shares: > 0, adding up to 1.

    Proof: releases by Gaussian noise of moves μ compose exactly to one of √(Σ μ²), and ρ = μ²/2: whatever the shares,
        all together lose what one Gaussian mechanism calibrated to the whole budget does.

    Example:
        >>> gaussian_shares(Budget.of(rho=1), [Fraction(1, 4), Fraction(3, 4)])
        [Fraction(1, 4), Fraction(3, 4)]
    """
    promise = budget.promise
    if isinstance(promise, ConcentratedGuarantee):
        return [promise.rho * share for share in shares]
    if not promise.delta:
        return None
    whole = Gaussian.calibrated(epsilon=promise.epsilon, delta=promise.delta, sensitivity=Sensitivity(1))
    return [share / (2 * whole.scale**2) for share in shares]
