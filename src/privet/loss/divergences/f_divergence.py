"""f-divergences: one family of distances, its quantised forms, and its integrals.

D_f(P‖Q) is the sum over cells of q f(p/q), for a convex f with f(1) = 0. Where q = 0 < p a cell counts p
times the slope of f at infinity (Csiszár 1967; Liese and Vajda 2006), which may be infinite. Values here
are meant for teaching and comparison and are rounded to nearest; the bounds a promise rests on are in
`divergence`.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from privet.errors import InvalidParameter
from privet.loss.divergences.divergence import Array, Masses, log_ratio, pair
from privet.loss.divergences.merged_outcomes import best_partition, merge

LogDensity = Callable[[float], float]


@dataclass(frozen=True)
class FDivergence:
    """A divergence D_f, called with two finite distributions over the same cells.

    Args:
        name: as readers know it.
        perspective: (p, q, ln(p/q)) -> q f(p/q), elementwise, for q > 0 and p >= 0.
        slope: the limit of f(t)/t for large t, the price of mass where the other has none; may be infinite.

    Example:
        >>> round(KL([0.75, 0.25], [0.25, 0.75]), 6), KL([0.5, 0.5], [1, 0])
        (0.549306, inf)
    """

    name: str
    perspective: Callable[[Array, Array, Array], Array]
    slope: float

    @classmethod
    def of(cls, function: Callable[[float], float], *, name: str, slope: float) -> "FDivergence":
        """Return the divergence of your own convex f.

        Args:
            function: f itself, convex on [0, ∞) with f(1) = 0; it is called with single numbers.
            name: for people.
            slope: the limit of f(t)/t for large t; if infinite, f(t)/t is held fixed above e^700.

        Example:
            >>> cubes = FDivergence.of(lambda t: t**3 - 1, name="cubes", slope=math.inf)
            >>> round(cubes([0.75, 0.25], [0.25, 0.75]), 6)
            5.777778
        """
        if not abs(function(1.0)) <= _AT_ONE:
            raise InvalidParameter(f"f must vanish at 1; {name} has f(1) = {function(1.0)}: subtract it.")

        def one(p: float, q: float, ratio: float) -> float:
            if ratio > _OVERFLOW and slope < math.inf:
                return slope * p
            t = math.exp(min(ratio, _OVERFLOW))
            try:
                value = function(t)
            except OverflowError:
                value = math.inf
            return (p * (value / t) if p > 0 else 0.0) if t > 1 else q * value

        each = np.vectorize(one, otypes=[np.float64])
        return cls(name=name, perspective=each, slope=slope)

    def __call__(self, p: Masses, q: Masses) -> float:
        """Return D_f(P‖Q)."""
        first, second = pair(p, q)
        shared = second > 0
        first_shared, second_shared = first[shared], second[shared]
        with np.errstate(over="ignore", under="ignore"):
            terms = self.perspective(first_shared, second_shared, log_ratio(first_shared, second_shared))
        outside = math.fsum(first[~shared])
        return _total(terms) + (self.slope * outside if outside > 0 else 0.0)

    def quantised(self, p: Masses, q: Masses, *, cells: Sequence[int]) -> float:
        """Return the divergence of what is left when only the cell's label is seen.

        Args:
            p: the first distribution.
            q: the second, over the same outcomes.
            cells: the label of each outcome; outcomes with one label become one.

        Proof: D_f(quantised) <= D_f by Jensen's inequality in every merged cell (data processing), with
        equality when the ratio p/q is constant on each cell.
        """
        first, second = pair(p, q)
        return self(merge(first, cells), merge(second, cells))

    def best_quantised(self, p: Masses, q: Masses, *, cells: int) -> tuple[float, tuple[int, ...]]:
        """Return the largest divergence that a partition into `cells` parts can keep, and that partition.

        The supremum over all partitions is D_f itself (Gelfand, Yaglom and Perez); see `partition`.

        Example:
            >>> value, cells = TOTAL_VARIATION.best_quantised([0.5, 0.3, 0.2], [0.2, 0.3, 0.5], cells=2)
            >>> round(value, 6), cells
            (0.3, (0, 0, 1))
        """
        labels = best_partition(*pair(p, q), cells=cells, divergence=self.of_one_cell)
        return self.quantised(p, q, cells=labels), labels

    def of_one_cell(self, p: float, q: float) -> float:
        """Return what a cell of these masses contributes: q f(p/q)."""
        if q == 0:
            return self.slope * p if p > 0 else 0.0
        first, second = np.array([p]), np.array([q])
        with np.errstate(over="ignore", under="ignore"):
            return float(self.perspective(first, second, log_ratio(first, second))[0])

    def between_densities(
        self,
        log_p: LogDensity,
        log_q: LogDensity,
        *,
        support: tuple[float, float],
        breaks: Sequence[float] = (),
    ) -> float:
        """Return ∫ q f(p/q) dx by adaptive quadrature, plus the quadrature's own error estimate.

        Args:
            log_p: logarithm of the first density; logarithms, because densities underflow in the tails.
            log_q: logarithm of the second density; -inf where there is none.
            support: interval to integrate over; either end may be infinite.
            breaks: points where a density or f has a kink or a jump; the interval is cut there.

        Not covered: the error estimate is the quadrature's, not a proof; promises use closed curves.

        Example:
            >>> normal = lambda mean: lambda x: -((x - mean) ** 2) / 2 - math.log(2 * math.pi) / 2
            >>> line = (-math.inf, math.inf)
            >>> round(KL.between_densities(normal(0), normal(1), support=line, breaks=[0, 1]), 6)
            0.5
        """
        from scipy import integrate  # noqa: PLC0415 - slow to load, and few need it

        outside: list[float] = []

        def integrand(x: float) -> float:
            lp, lq = log_p(x), log_q(x)
            p, q = (math.exp(value) if value > -_OVERFLOW else 0.0 for value in (lp, lq))
            if p == 0 and q == 0:
                return 0.0
            if lq == -math.inf:
                outside.append(p)
                return self.slope * p if self.slope < math.inf else 0.0
            with np.errstate(over="ignore", under="ignore"):
                return float(self.perspective(np.array([p]), np.array([q]), np.array([lp - lq]))[0])

        ends = [support[0], *sorted(breaks), support[1]]
        pieces = [
            integrate.quad(integrand, low, high, epsabs=1e-13, epsrel=1e-11, limit=200, full_output=1)[:2]
            for low, high in itertools.pairwise(ends)
        ]
        if outside and self.slope == math.inf:
            return math.inf
        return math.fsum(value + error for value, error in pieces)


def _total(terms: Array) -> float:
    return math.inf if np.isinf(terms).any() else max(0.0, math.fsum(terms))


_AT_ONE = 1e-12
_OVERFLOW = 700.0  # e^700 is still a float


def _kl(p: Array, _: Array, ratio: Array) -> Array:
    terms = np.zeros(p.size)
    np.multiply(p, ratio, out=terms, where=p > 0)
    return terms


def _chi_squared(p: Array, q: Array, ratio: Array) -> Array:
    terms: Array = (p - q) * np.expm1(ratio)
    return terms


KL = FDivergence(name="Kullback-Leibler", perspective=_kl, slope=math.inf)
TOTAL_VARIATION = FDivergence(name="total variation", perspective=lambda p, q, _: np.abs(p - q) / 2, slope=0.5)
CHI_SQUARED = FDivergence(name="chi-squared", perspective=_chi_squared, slope=math.inf)
HELLINGER_SQUARED = FDivergence(
    name="squared Hellinger", perspective=lambda p, q, _: (np.sqrt(p) - np.sqrt(q)) ** 2 / 2, slope=0.5
)


def hockey_stick_at(epsilon: float) -> FDivergence:
    """Return the divergence of f(t) = (t - e^ε)_+, whose value is the δ of (ε, δ)-differential privacy.

    Example:
        >>> round(hockey_stick_at(0.5)([0.75, 0.25], [0.25, 0.75]), 6)
        0.33782
    """
    if not 0 <= epsilon < math.inf:
        raise InvalidParameter(f"epsilon must be a finite number of at least 0; got {epsilon}.")

    def perspective(p: Array, _: Array, ratio: Array) -> Array:
        terms = np.zeros(p.size)
        ahead = ratio > epsilon
        terms[ahead] = p[ahead] * -np.expm1(epsilon - ratio[ahead])
        return terms

    return FDivergence(name=f"hockey-stick at ε={epsilon:g}", perspective=perspective, slope=1.0)


def power(order: float) -> FDivergence:
    """Return the divergence of f(t) = t^order - 1: exp((order - 1) D) - 1 with Rényi's D of that order.

    Example:
        >>> round(power(2)([0.75, 0.25], [0.25, 0.75]), 6)
        1.333333
    """
    if not 1 < order < math.inf:
        raise InvalidParameter(f"order must be a finite number above 1; got {order}.")

    def perspective(p: Array, q: Array, ratio: Array) -> Array:
        terms: Array = np.where(p > 0, p * np.expm1((order - 1) * ratio), 0.0) + (p - q)
        return terms

    return FDivergence(name=f"power {order:g}", perspective=perspective, slope=math.inf)
