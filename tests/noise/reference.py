"""The laws written a second time, straight from their textbook definitions, to compare samplers with."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb, fmpq
from numpy.typing import NDArray

from privet.noise import CauchyLaw, DiscreteGaussianLaw, DiscreteLaplaceLaw, GaussianLaw, LaplaceLaw, Law
from privet.noise.lazy import Steps


def ball(number: Fraction) -> arb:
    return arb(fmpq(number.numerator, number.denominator))


def laplace_tail(scale: Fraction, k: int) -> arb:
    """P(|K| >= k): the Laplace mass beyond k - 1/2."""
    return (-ball((k - Fraction(1, 2)) / scale)).exp() if k > 0 else arb(1)


def discrete_laplace_tail(scale: Fraction, k: int) -> arb:
    """P(|K| >= k): the geometric series of 2 (1-t)/(1+t) t^j over j >= k."""
    ratio = (-ball(1 / scale)).exp()
    return 2 * (-ball(k / scale)).exp() / (1 + ratio) if k > 0 else arb(1)


def gaussian_tail(scale: Fraction, k: int) -> arb:
    """P(|K| >= k): the normal mass beyond k - 1/2."""
    return (ball((k - Fraction(1, 2)) / scale) / arb(2).sqrt()).erfc() if k > 0 else arb(1)


def discrete_gaussian_tail(scale: Fraction, k: int) -> arb:
    """P(|K| >= k) by summing; for large scales by the normal tail, which differs by less than 1e-9 from scale 50 on."""
    if scale > 50:
        return gaussian_tail(scale, k)
    last = int(20 * scale) + 20
    weights = [(-ball(j**2 / (2 * scale**2))).exp() for j in range(last + 1)]
    whole = 2 * sum(weights[1:], arb(0)) + weights[0]
    return 2 * sum(weights[k:], arb(0)) / whole if k > 0 else arb(1)


def cauchy_tail(scale: Fraction, k: int) -> arb:
    """P(|K| >= k): the Cauchy mass beyond k - 1/2."""
    return 2 * (ball(scale / (k - Fraction(1, 2)))).atan() / arb.pi() if k > 0 else arb(1)


def laplace_beyond(x: arb) -> arb:
    """P(X > x) at scale 1."""
    return (-x).exp() / 2 if x > 0 else 1 - x.exp() / 2


def gaussian_beyond(x: arb) -> arb:
    """P(X > x) at scale 1."""
    return (x / arb(2).sqrt()).erfc() / 2


def cauchy_beyond(x: arb) -> arb:
    """P(X > x) at scale 1."""
    return arb(1) / 2 - x.atan() / arb.pi()


Rounded = LaplaceLaw | GaussianLaw | CauchyLaw
BEYOND: Mapping[type[Rounded], Callable[[arb], arb]] = {
    LaplaceLaw: laplace_beyond,
    GaussianLaw: gaussian_beyond,
    CauchyLaw: cauchy_beyond,
}


def around_pmf(
    law: type[Rounded], scale: Fraction, center: Fraction, edges: list[int], *, wrong: Fraction = Fraction(1)
) -> dict[int, float]:
    """P(edges[j-1] <= K < edges[j]) for K the whole number nearest to center + X; the first and last cells are open."""
    reached = [BEYOND[law](ball((edge - Fraction(1, 2) - center) / (scale * wrong))) for edge in edges]
    tails = [arb(1), *reached, arb(0)]
    return {j: float((tails[j] - tails[j + 1]).mid()) for j in range(len(edges) + 1)}


Tail = Callable[[Fraction, int], arb]
LAWS: Mapping[type[Law], Tail] = {
    LaplaceLaw: laplace_tail,
    DiscreteLaplaceLaw: discrete_laplace_tail,
    GaussianLaw: gaussian_tail,
    CauchyLaw: cauchy_tail,
    DiscreteGaussianLaw: discrete_gaussian_tail,
}


@dataclass(frozen=True)
class Cells:
    """Draws sorted into cells: the sign, and which of some public edges the magnitude has reached."""

    edges: list[int]

    @classmethod
    def for_scale(cls, scale: Fraction) -> "Cells":
        """Edges at 0, 1, 2, … for small scales, at fractions of the scale for large ones."""
        marks = [Fraction(j, 8) * scale for j in range(1, 80)]
        return cls(sorted({0, 1, *(int(mark) + 1 for mark in marks if mark < 40 * scale)}))

    def of(self, draws: Steps) -> NDArray[np.int64]:
        """The cell of each draw: its place among the edges, negated for negative draws."""
        magnitudes = np.abs(draws)
        if draws.dtype == np.int64:
            places = np.searchsorted(np.array(self.edges, dtype=np.int64), magnitudes, side="right") - 1
        else:
            places = np.searchsorted(np.array(self.edges, dtype=np.object_), magnitudes, side="right") - 1
        return np.where(draws < 0, -places, places).astype(np.int64)

    def pmf(self, tail: Tail, scale: Fraction) -> dict[int, float]:
        """Probability of each cell; the first holds zero alone, the others are split between the signs."""
        tails = [tail(scale, edge) for edge in self.edges] + [arb(0)]
        masses = [float((tails[j] - tails[j + 1]).mid()) for j in range(len(self.edges))]
        return {0: masses[0]} | {sign * j: masses[j] / 2 for j in range(1, len(masses)) for sign in (1, -1)}
