"""Exact audits of numbers whose distribution is known: by cells, between which the privacy loss is monotone."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import ndtr

from privet.audit.claim import Claim, claimed
from privet.audit.figures import figure
from privet.audit.finding import Finding

Array = NDArray[np.float64]
Cumulative = Callable[[Array], Array]
CELLS = 50_000
ROUNDING = 1e-13  # of a distribution function's value, relative to it; see `Density`
FAR = 40.0  # how far out cells begin, in widths


@dataclass(frozen=True)
class Density:
    """A continuous distribution of one number.

    Args:
        below: the probability of a smaller number, with a relative error of at most 1e-13.
        above: that of a larger one, likewise; not 1 - below, which loses the tail.
        log: the logarithm of the density, up to a constant that both densities of an audit share.
        middle: where most of it is.
        width: about how wide it is.

    Example:
        >>> from privet.audit.densities import normal
        >>> law = normal(0, 2)
        >>> law.middle, law.width, float(law.below(0.0))
        (0, 2, 0.5)
    """

    below: Cumulative
    above: Cumulative
    log: Cumulative
    middle: float
    width: float


def normal(mean: float, deviation: float) -> Density:
    """The normal distribution."""

    def scaled(at: Array) -> Array:
        return (at - mean) / deviation

    return Density(
        lambda at: ndtr(scaled(at)),
        lambda at: ndtr(-scaled(at)),
        lambda at: -0.5 * scaled(at) ** 2 - math.log(deviation),
        mean,
        deviation,
    )


def laplace(mean: float, scale: float) -> Density:
    """The Laplace distribution."""

    def half(at: Array) -> Array:
        tail = 0.5 * np.exp(-np.abs(at))
        return np.where(at < 0, tail, 1 - tail)

    return Density(
        lambda at: half((at - mean) / scale),
        lambda at: half((mean - at) / scale),
        lambda at: -np.abs(at - mean) / scale - math.log(scale),
        mean,
        scale,
    )


@dataclass(frozen=True)
class Densities:
    """What two neighboring inputs give.

    Args:
        one: under the first input.
        other: under the second.
        breaks: where the loss log(one / other) turns; between two of them it must be monotone. None for two normal or
            Laplace distributions of one scale.

    Example:
        >>> from privet.audit.densities import normal
        >>> below, above = Densities(normal(0, 1), normal(1, 1)).delta(1)
        >>> bool(below <= 0.126937 <= above), bool(above - below < 0.001)
        (True, True)
    """

    one: Density
    other: Density
    breaks: tuple[float, ...] = ()

    def delta(self, epsilon: float) -> tuple[float, float]:
        """The smallest δ at this ε, from below and from above.

        Proof: merged into cells the two laws have a δ that is not larger (post-processing). In a cell the loss is at
            most the larger of those at its ends, L, where it is monotone, so P(cell)(1 - e^(ε - L))+ bounds its part
            from above; what lies beyond all cells counts as δ.
        """
        both = [self._parts(first, second, epsilon) for first, second in self._orders()]
        return max(low for low, _ in both), max(high for _, high in both)

    def rates(self, epsilon: float) -> tuple[float, float]:
        """How likely the set of cells is that one input makes more than e^ε times as likely, under either."""
        pairs = [[_masses(each, self._ends()) for each in order] for order in self._orders()]
        found = []
        for masses, others in pairs:
            event = masses > math.exp(min(epsilon, 700.0)) * others
            found.append((float(masses[event].sum()), float(others[event].sum())))
        return max(found)

    def _orders(self) -> tuple[tuple[Density, Density], tuple[Density, Density]]:
        return (self.one, self.other), (self.other, self.one)

    def _parts(self, first: Density, second: Density, epsilon: float) -> tuple[float, float]:
        ends = self._ends()
        masses, others = _masses(first, ends), _masses(second, ends)
        with np.errstate(over="ignore"):
            grown = math.exp(min(epsilon, 700.0))
        low = np.maximum(masses * (1 - ROUNDING) - grown * others * (1 + ROUNDING), 0).sum() * (1 - 1e-9)
        loss = first.log(ends) - second.log(ends)
        worst = np.maximum(loss[1:], loss[:-1])
        part = -np.expm1(np.minimum(epsilon - worst - 1e-9, 0.0))
        beyond = float(first.below(ends[:1])[0] + first.above(ends[-1:])[0])
        high = float((masses[1:-1] * part).sum()) * (1 + 1e-9) + beyond * (1 + 1e-9)
        return float(low), high

    def _ends(self) -> Array:
        sides = [(each.middle - FAR * each.width, each.middle + FAR * each.width) for each in (self.one, self.other)]
        low, high = min(side[0] for side in sides), max(side[1] for side in sides)
        turns = [at for at in (*self.breaks, self.one.middle, self.other.middle) if low < at < high]
        return np.unique(np.concatenate([np.linspace(low, high, CELLS), turns]))


def _masses(density: Density, ends: Array) -> Array:
    """The probability of every cell, with those beyond the first and the last end; each tail from its own side."""
    below, above = density.below(ends), density.above(ends)
    inside = np.where(ends[1:] <= density.middle, np.diff(below), -np.diff(above))
    return np.concatenate([below[:1], np.maximum(inside, 0.0), above[-1:]])


def audit_densities(densities: Densities, *, claim: Claim, name: str = "two densities") -> Finding:
    """Compare what two neighboring inputs give with a claim, without samples.

    Args:
        densities: of both.
        claim: what is claimed.
        name: what is audited.

    Example:
        >>> from privet.loss import Guarantee
        >>> classical = Densities(normal(0, 0.48448), normal(1, 0.48448))
        >>> audit_densities(classical, claim=Guarantee(10, "1e-5")).verdict
        'violates the claim: ε is at least 10.4 at δ=1e-05, exactly'
    """
    said = claimed(claim, None)
    low, high = densities.delta(said.epsilon)
    epsilon = _epsilon(densities, said.delta)
    broken = low > said.delta * (1 + 1e-9)
    if not broken and high > max(said.delta, 1e-15) * (1 + 1e-6):
        notes: tuple[str, ...] = (f"δ lies between {figure(low)} and {figure(high)}: not decided",)
    else:
        notes = (f"δ at ε={figure(said.epsilon)} lies between {low:.6g} and {high:.6g}",)
    return Finding(
        subject=name,
        claim=said.words,
        claimed_epsilon=said.epsilon,
        at_delta=said.delta,
        violated=broken,
        epsilon=epsilon,
        delta=low,
        mu=0.0,
        alpha=0.0,
        event=f"the first input's density is more than e^{figure(said.epsilon)} times the second's",
        pair=("the first density", "the second density"),
        rates=densities.rates(said.epsilon),
        tested=0,
        trials=0,
        notes=notes,
    )


def _epsilon(densities: Densities, delta: float) -> float:
    """The ε at which the lower bound of δ falls to this."""
    gap: Callable[[float], float] = lambda epsilon: densities.delta(epsilon)[0] - max(delta, 1e-15)  # noqa: E731
    if gap(0.0) <= 0:
        return 0.0
    top = 1.0
    while gap(top) > 0:
        top *= 2
        if top > 700:  # noqa: PLR2004 - e to it is the largest float
            return math.inf
    return float(brentq(gap, 0.0, top, xtol=1e-6)) - 1e-6
