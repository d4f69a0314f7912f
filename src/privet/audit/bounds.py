"""What counts say of probabilities and losses: exact bounds for a report, and quick ones to choose events by."""

import math
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainccinv, betaincinv, ndtri

Array = NDArray[np.float64]
OUT = 1e-9  # relative: more than the error of the inverse incomplete beta function, see tests/audit/test_bounds.py


def at_least(hits: int, trials: int, alpha: float) -> float:
    """A lower bound of an event's probability, wrong with probability alpha at most (Clopper and Pearson 1934).

    Example:
        >>> round(at_least(60, 100, 0.025), 6)
        0.497209
    """
    return float(betaincinv(hits, trials - hits + 1, alpha)) * (1 - OUT) if hits else 0.0


def at_most(hits: int, trials: int, alpha: float) -> float:
    """An upper bound of an event's probability, wrong with probability alpha at most.

    Example:
        >>> round(at_most(0, 100, 0.025), 6)
        0.036217
    """
    return min(float(betainccinv(hits + 1, trials - hits, alpha)) * (1 + OUT), 1.0) if hits < trials else 1.0


@dataclass(frozen=True)
class Seen:
    """How often an event was seen in runs of two inputs.

    Args:
        hits: runs of the first input in which it happened, of so many `trials`.
        trials: runs of the first input.
        others: runs of the second input in which it happened, of `other_trials`.
        other_trials: runs of the second input.

    Example:
        >>> Seen(5000, 10_000, 1839, 10_000).likely(1e-6).epsilon(0) > 0.84
        True
    """

    hits: int
    trials: int
    others: int
    other_trials: int

    def likely(self, alpha: float) -> "Box":
        """The least probability under the first input and the largest under the second, both at once.

        Proof: each of the two bounds is wrong with probability alpha / 2 at most; union bound.
        """
        low = at_least(self.hits, self.trials, alpha / 2)
        return Box(low, at_most(self.others, self.other_trials, alpha / 2))


@dataclass(frozen=True)
class Box:
    """An event happens with at least probability `low` under the first input, with at most `high` under the second."""

    low: float
    high: float

    def epsilon(self, delta: float) -> float:
        """The smallest ε that is possible at this δ: ln((low - δ) / high), or 0."""
        if self.low <= delta + self.high:
            return 0.0
        return math.log((self.low - delta) / self.high) if self.high > 0 else math.inf

    def delta(self, epsilon: float) -> float:
        """The smallest δ that is possible at this ε: low - e^ε high, or 0."""
        grown = math.exp(min(epsilon, 700.0)) * self.high
        return max(0.0, self.low - grown * (1 + OUT))

    def mu(self) -> float:
        """The smallest μ of Gaussian privacy that is possible, or 0 (Dong, Roth and Su 2022).

        Proof: under μ-Gaussian privacy a test with false alarm rate a has power at most Φ(Φ⁻¹(a) + μ).
        """
        if self.low <= self.high:
            return 0.0
        return float(ndtri(self.low) - ndtri(self.high)) * (1 - OUT)

    def renyi(self, order: float) -> float:
        """The smallest Rényi divergence of this order > 1 that is possible, or 0.

        Proof: merging outcomes into "event" and "not" never increases the divergence; that of two coins grows with the
            first's probability above the second's, and falls with the second's below the first's.
        """
        p, q = self.low, self.high
        if p <= q:
            return 0.0
        if q == 0:
            return math.inf
        parts = [order * math.log(p) - (order - 1) * math.log(q)]
        if p < 1:
            parts.append(order * math.log1p(-p) - (order - 1) * math.log1p(-q))
        return float(np.logaddexp.reduce(parts)) / (order - 1) * (1 - OUT)


def lower_epsilon(hits: int, others: int, trials: int, delta: float, alpha: float) -> float:
    """ln((lower(p) - δ) / upper(q)) for as many runs of each input; each of the two bounds is wrong at most by alpha.

    Example:
        >>> round(lower_epsilon(5000, 1839, 10_000, 0.0, 5e-7), 3)
        0.849
    """
    return Seen(hits, trials, others, trials).likely(2 * alpha).epsilon(delta)


# --- to choose by: close to the bounds above, for thousands of events at once ---------------------------------


def wilson(rate: Array, trials: float, deviations: float) -> Array:
    """Wilson's bound of a rate: above it for deviations > 0, below it for deviations < 0."""
    rate = np.clip(rate, 0.0, 1.0)
    square = deviations * deviations / trials
    spread = np.sqrt(rate * (1 - rate) * square + square * square / 4)
    return cast("Array", np.clip((rate + square / 2 + math.copysign(1, deviations) * spread) / (1 + square), 0, 1))


def promising(hits: Any, others: Any, trials: tuple[int, int], *, delta: float, later: int, alpha: float) -> Array:  # noqa: ANN401, PLR0913 - whole numbers or arrays of them; each by name
    """About the ε that later runs will show of events seen so often now: what their choice maximises.

    Args:
        hits: how often each event was seen under the first input.
        others: the same under the second.
        trials: runs of either input so far.
        delta: the δ of the claim.
        later: runs of each input in which the chosen event will be tested.
        alpha: of that test.
    """
    deviations = -float(ndtri(alpha / 2))
    low = wilson(wilson(np.asarray(hits) / trials[0], trials[0], -1.0), later, -deviations)
    high = wilson(wilson(np.asarray(others) / trials[1], trials[1], 1.0), later, deviations)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(low > delta, np.log(np.maximum(low - delta, 1e-300) / high), -np.inf)
