"""Guarantee: the promise made to people."""

from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from privet.errors import InvalidParameter
from privet.loss.exact import Exact, exact_within, shortest


@dataclass(frozen=True, init=False, repr=False)
class Guarantee:
    """Pr[M(D) in S] <= e^epsilon Pr[M(D') in S] + delta for all neighbors D, D' and all sets S.

    Args:
        epsilon: >= 0; kept as the exact number that was typed.
        delta: in [0, 1); the probability that epsilon does not bound.
        gamma: in [0, 1); above 0 the promise is random DP: it may fail altogether with this probability, over data
            drawn at random, because a sensitivity was estimated from samples (Hall, Rinaldo and Wasserman 2013).

    Example:
        >>> Guarantee(1, 1e-6)
        (ε=1, δ=1e-6)-DP
        >>> Guarantee("0.1").epsilon * 10 == Guarantee(1).epsilon
        True
    """

    epsilon: Fraction
    delta: Fraction
    gamma: Fraction

    def __init__(self, epsilon: Exact, delta: Exact = 0, gamma: Exact = 0) -> None:
        object.__setattr__(self, "epsilon", exact_within(epsilon, "epsilon", low=0))
        for name, value in (("delta", delta), ("gamma", gamma)):
            object.__setattr__(self, name, failing(value, name))

    def __repr__(self) -> str:
        pairs = (("ε", self.epsilon), ("δ", self.delta), ("γ", self.gamma))
        inside = ", ".join(f"{letter}={shortest(x)}" for letter, x in pairs if x or letter == "ε")
        return f"({inside}) random DP" if self.gamma else f"({inside})-DP"


def failing(chance: Exact, name: str) -> Fraction:
    """Return the exact probability with which a promise may fail, in [0, 1)."""
    number = exact_within(chance, name, low=0)
    if number >= 1:
        raise InvalidParameter(f"{name} must be in [0, 1), got {shortest(number)}; at 1 it promises nothing")
    return number


@dataclass(frozen=True, init=False, repr=False)
class ConcentratedGuarantee:
    """Zero-concentrated differential privacy: the Rényi divergence of every order a is at most rho a.

    Args:
        rho: >= 0; kept as the exact number that was typed.

    Example:
        >>> ConcentratedGuarantee("0.5")
        (ρ=0.5)-zCDP
    """

    rho: Fraction

    def __init__(self, rho: Exact) -> None:
        object.__setattr__(self, "rho", exact_within(rho, "rho", low=0))

    def __repr__(self) -> str:
        return f"(ρ={shortest(self.rho)})-zCDP"


Promise: TypeAlias = Guarantee | ConcentratedGuarantee
