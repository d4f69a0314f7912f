"""What Gaussian noise, continuous or discrete, can be calibrated to: ε and δ, or ρ."""

from fractions import Fraction

from privet.core.sensitivity import root_above
from privet.errors import InvalidParameter
from privet.loss import ConcentratedGuarantee, Guarantee, Promise
from privet.loss.exact import Exact
from privet.mechanisms.additive import positive


def promised(epsilon: Exact | None, delta: Exact | None, rho: Exact | None, *, pure: str) -> Promise:
    """Return the promise that was asked for: either epsilon and delta, or rho.

    Args:
        epsilon: with delta.
        delta: > 0.
        rho: > 0.
        pure: the mechanism for those who want δ = 0.
    """
    if rho is not None:
        if epsilon is not None or delta is not None:
            raise InvalidParameter("give epsilon and delta, or rho, and not both")
        return ConcentratedGuarantee(positive(rho, "rho"))
    if epsilon is None:
        raise InvalidParameter("say what the mechanism must keep: epsilon and delta, or rho; got neither")
    promise = Guarantee(epsilon, 0 if delta is None else delta)
    if not promise.delta:
        raise InvalidParameter(f"delta must be > 0: Gaussian noise is never pure DP; for delta = 0 use {pure}")
    return promise


def concentrated_ratio(promise: ConcentratedGuarantee) -> Fraction:
    """The least scale that is ρ-zCDP for a Euclidean move of 1: √(1/2ρ) (Bun and Steinke 2016), rounded up."""
    return root_above(1 / (2 * promise.rho))
