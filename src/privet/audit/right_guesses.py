"""Right guesses: how many of them a training may allow that is as private as is claimed, in one run."""

import math
from collections.abc import Callable, Iterable
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
from scipy.stats import binom

from privet.audit.claim import SMALL, Claim, claim_of
from privet.loss import ConcentratedGuarantee, Guarantee

HIGHEST = 100.0  # the largest ε and μ that are looked at
STEPS = 24  # halvings in the search of the largest
SLACK = 1e-9  # a contradiction by less is a rounding
LEVELS = np.linspace(0.0, 2.0, 41)  # of the ε at a small δ: where a loss is read
RARE = np.logspace(-12, -0.1, 40)  # deltas at which a ρ is read

Least: TypeAlias = Callable[[float], float]
"""The least chance under one input of an event that has this chance under the other, if the claim holds."""


def chance_of(canaries: int, guesses: int, right: int, epsilon: float, delta: float) -> float:
    """The most probable that (ε, δ)-DP makes so many right guesses in one run.

    Args:
        canaries: how many there are.
        guesses: how many of them are guessed; no guess is made of the others.
        right: guesses that are right, or more.
        epsilon: of the guarantee.
        delta: of the guarantee.

    Proof: with δ = 0 right guesses are never more probable than with `guesses` coins that are right with probability
        e^ε/(1 + e^ε); δ adds at most 2 m δ times the largest mean of their law just below (Steinke et al. 2023).

    Example:
        >>> round(chance_of(100, 100, 75, math.log(3), 0), 4)
        0.5535
    """
    coin = 1 / (1 + math.exp(-epsilon)) if epsilon < HIGHEST else 1.0
    tail = float(binom.sf(right - 1, guesses, coin))
    if not delta or not right:
        return min(tail, 1.0)
    below = np.cumsum(binom.pmf(np.arange(right - 1, -1, -1), guesses, coin))
    worst = float((below / np.arange(1, right + 1)).max())
    return min(tail + 2 * canaries * delta * worst, 1.0)


def too_many(canaries: int, guesses: int, right: int, least: Least, alpha: float) -> bool:
    """Whether so many right guesses have a chance below alpha under every training with this trade-off.

    Args:
        canaries: how many there are, m.
        guesses: how many of them are guessed, g; always as many.
        right: guesses that are right, c, or more.
        least: of the claim, in both directions.
        alpha: the chance.

    Proof: (Mahloujifar, Melis and Chaudhuri 2024.) Let p_j be the chance of j right guesses. That a canary's guess is
        right and more than i are, becomes under its other coin: the guess is wrong and i are right at least. The
        trade-off holds for the two; its mean over canaries and coins (it is concave) says
            Σ_{j>i} (j/m) p_j <= F(Σ_{j>=i} ((g-j)/m) p_j),  F the inverse of `least`.
        Write r_i and h_i for the sums of (j/m) p_j and ((g-j)/m) p_j over j >= i. So h_i >= least(r_{i+1}), and
        r_i = r_{i+1} + i/(g-i) (h_i - h_{i+1}), and r_0 + h_0 = g/m. Suppose the chance of c or more is alpha, all of
        it at c, and take the least h_i that is allowed, each time. More mass at a place above only adds to r_i + h_i
        further on: if the mass above i grows by s and r by at least i s/m, then, with L >= 0 the slope of `least`, the
        mass above i-1 grows by (m (1 + L) r - i s)/(g - i) >= 0, and r by at least (i-1)/m of that. So if the least
        r_0 + h_0 is above g/m, no p_j has a chance of alpha.

    Example:
        >>> too_many(1000, 1000, 750, gaussian_least(0.3), 0.01), too_many(1000, 1000, 750, gaussian_least(0.5), 0.01)
        (True, False)
    """
    if not right:
        return False
    limit = guesses / canaries
    hit, missed = alpha * right / canaries, alpha * (guesses - right) / canaries
    for place in range(right - 1, -1, -1):
        needed = max(missed, least(min(hit, 1.0)))
        hit += place / (guesses - place) * (needed - missed)
        missed = needed
        if hit + missed > limit * (1 + SLACK):
            return True
    return False


def of_lines(lines: Iterable[tuple[float, float]]) -> Least:
    """The trade-off of several (ε, δ) at once: P <= e^ε Q + δ for each, and the same of opposites.

    Example:
        >>> least = of_lines([(math.log(3), 0.1)])
        >>> round(least(0.4), 3), round(least(0.95), 3)  # 1 - 3 (1 - 0.95) - 0.1
        (0.1, 0.75)
    """
    pairs = [(math.exp(min(epsilon, 700.0)), delta) for epsilon, delta in lines]

    def least(chance: float) -> float:
        missed = 1.0 - chance
        found = max([max((chance - delta) / grown, 1.0 - delta - grown * missed) for grown, delta in pairs])
        return max(found, 0.0) * (1 - SLACK)

    return least


def gaussian_least(mu: float) -> Least:
    """The trade-off of a Gaussian with this μ (Dong, Roth and Su 2022).

    Example:
        >>> round(gaussian_least(1.0)(0.5), 4)
        0.1587
    """
    normal = NormalDist()

    def least(chance: float) -> float:
        if not 0 < chance < 1:
            return float(chance >= 1)
        return normal.cdf(normal.inv_cdf(chance) - mu) * (1 - SLACK)

    return least


def claimed_least(claim: Claim) -> Least:
    """The trade-off that a claim allows."""
    if isinstance(claim, str):
        return claimed_least(claim_of(claim))
    if isinstance(claim, Guarantee):
        return of_lines([(float(claim.epsilon), float(claim.delta))])
    if isinstance(claim, ConcentratedGuarantee):  # Bun and Steinke 2016, Proposition 1.3
        rho = float(claim.rho)
        return of_lines([(rho + 2 * math.sqrt(rho * -math.log(delta)), delta) for delta in RARE.tolist()])
    pure = claim.epsilon(0)
    top = pure if math.isfinite(pure) else claim.epsilon(SMALL)
    levels = LEVELS * top if math.isfinite(top) else LEVELS
    return of_lines([(level, claim.delta(level)) for level in levels.tolist()])


def epsilon_of(canaries: int, guesses: int, right: int, delta: float, alpha: float) -> float:
    """The largest ε that so many right guesses contradict at this confidence, or 0: the better of both ways.

    Example:
        >>> round(epsilon_of(1000, 100, 75, 1e-4, 0.05), 3)  # 0.673 by the first way alone
        0.68
    """

    def wrong(epsilon: float) -> bool:
        if chance_of(canaries, guesses, right, epsilon, delta) < alpha:
            return True
        return too_many(canaries, guesses, right, of_lines([(epsilon, delta)]), alpha)

    return _largest(wrong)


def mu_of(canaries: int, guesses: int, right: int, alpha: float) -> float:
    """The largest μ of Gaussian privacy that so many right guesses contradict at this confidence, or 0.

    Not covered: how far from the largest that any argument could contradict: laws in which all guesses are right or
        none is keep `too_many`'s constraints, so where three in four are right it says less than half of that.

    Example:
        >>> round(mu_of(1000, 1000, 750, 0.05), 2), round(mu_of(1000, 1000, 1000, 0.05), 2)
        (0.46, 2.37)
    """
    return _largest(lambda mu: too_many(canaries, guesses, right, gaussian_least(mu), alpha))


def _largest(wrong: Callable[[float], bool]) -> float:
    """The end of what is wrong, from 0 up to `HIGHEST`."""
    low, high = 0.0, HIGHEST
    if not wrong(low):
        return 0.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if wrong(middle) else (low, middle)
    return low
