"""SamplingPlan: how many neighbors to draw for a sampled sensitivity, and which of their moves to take."""

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from fractions import Fraction

from scipy.special import lambertw

from privet.errors import InvalidParameter
from privet.loss.exact import Exact, exact, readable, whole
from privet.loss.outward import decimal_of, float_up, precise

MOST = 10**8  # trials
_CARE = Decimal("1e-40")


@dataclass(frozen=True)
class SamplingPlan:
    """How many neighbors to draw, and which of their moves to take.

    Args:
        m: how many pairs of neighbors are drawn.
        k: the k-th smallest of their m moves is the sensitivity.
        gamma: the probability with which another pair moves farther, all chance taken together; rounded up.
        rho: the part of gamma that is the chance of unlucky draws; the rest is the share of pairs that move farther.

    Privacy: but for a share rho of unlucky draws, the sensitivity fails for at most a share gamma - rho of pairs. So it
        holds except with probability gamma, over the m pairs drawn and one more, the protected data and its neighbor,
        all drawn alike and independently.
    Proof: let F be the distribution of moves and F_m that of the m drawn. With probability at least 1 - rho, F_m - F is
        nowhere above r = √(ln(1/rho) / (2m)) (Dvoretzky, Kiefer and Wolfowitz; the constant by Massart 1990, for
        rho <= 1/2). Then F at the k-th move is at least k/m - r >= 1 - gamma + rho if k >= m (1 - gamma + rho + r), so
        another pair moves farther with probability at most gamma - rho, and rho more for unlucky draws. Any rho will
        do; the least gamma for m is at rho = exp(W(-1/(4m))/2), the least m for gamma about at
        exp(W(-gamma/(2√e)) + 1/2), W the lower branch of Lambert's function (Rubinstein and Aldà 2017).

    Example:
        >>> SamplingPlan.of(m=500, gamma="0.2").k, SamplingPlan.of(gamma="0.1").m
        (439, 285)
    """

    m: int
    k: int
    gamma: Fraction
    rho: Fraction

    @classmethod
    def of(cls, *, gamma: Exact | None = None, m: int | None = None, k: int | None = None) -> "SamplingPlan":
        """Return the best plan: from gamma the least m, from m the least gamma, from both the least k.

        Args:
            gamma: between 0 and 1, both excluded.
            m: >= 1.
            k: at most m; with m, and instead of gamma: the gamma that these two amount to.
        """
        if m is None and k is None and gamma is not None:
            return _least_trials(_chance(gamma))
        if m is None or (k is not None and gamma is not None):
            raise InvalidParameter("give gamma, or m, or m and gamma, or m and k")
        trials = whole(m, "m")
        if trials > MOST:
            raise InvalidParameter(f"m must be at most {MOST:,}, got {trials:,}: allow a larger gamma")
        rho = Fraction(math.exp(_lower_branch(-1 / (4 * trials)) / 2))
        if gamma is not None:
            return _with_order(trials, _chance(gamma), rho)
        order = trials if k is None else whole(k, "k")
        if order > trials:
            raise InvalidParameter(f"k must be at most m = {trials}, got {order}")
        failing = Fraction(repr(float_up(_least_gamma(trials, rho)))) + 1 - Fraction(order, trials)
        if failing >= 1:
            raise InvalidParameter(f"m={trials}, k={order} promise nothing: draw more, or take a larger k")
        return cls(trials, order, failing, rho)

    def __repr__(self) -> str:
        return f"SamplingPlan(m={self.m}, k={self.k}, gamma={readable(self.gamma)}, rho={readable(self.rho)})"


def _chance(gamma: Exact) -> Fraction:
    number = exact(gamma, "gamma")
    if not 0 < number < 1:
        raise InvalidParameter(f"gamma must be between 0 and 1, both excluded, got {readable(number)}")
    return number


def _lower_branch(number: float) -> float:
    return float(lambertw(number, k=-1).real)


@precise()
def _least_gamma(trials: int, rho: Fraction) -> Decimal:
    """Return rho + √(ln(1/rho) / (2m)), rounded up."""
    chance = decimal_of(rho)
    return (chance + (-chance.ln() / (2 * trials)).sqrt()) * (1 + _CARE)


@precise()
def _order(trials: int, gamma: Fraction, rho: Fraction) -> int:
    """The least k with k >= m (1 - gamma + rho + √(ln(1/rho) / (2m)))."""
    share = trials * (1 - decimal_of(gamma) + _least_gamma(trials, rho))
    return int(share.to_integral_value(rounding=ROUND_CEILING))


def _with_order(trials: int, gamma: Fraction, rho: Fraction) -> SamplingPlan:
    order = max(1, _order(trials, gamma, rho))
    if order > trials:
        least = float(_least_gamma(trials, rho))
        raise InvalidParameter(
            f"gamma must be at least {least:.6g} for m = {trials}, got {readable(gamma)}: draw more pairs"
        )
    return SamplingPlan(trials, order, gamma, rho)


def _least_trials(gamma: Fraction) -> SamplingPlan:
    rho = Fraction(math.exp(_lower_branch(-float(gamma) / (2 * math.sqrt(math.e))) + 0.5))
    trials = math.ceil(-math.log(rho) / (2 * float(gamma - rho) ** 2)) if 0 < rho < gamma else MOST + 1
    while trials <= MOST and _order(trials, gamma, rho) > trials:  # a float was rounded down
        trials += 1
    if trials > MOST:
        raise InvalidParameter(f"gamma {readable(gamma)} needs more than {MOST:,} pairs: allow a larger gamma")
    return _with_order(trials, gamma, rho)
