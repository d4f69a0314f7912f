"""SecondMoments: sums of all products of two columns, released together: what linear models and PCA learn from."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.asking.budget import Budget
from privet.core import Mechanism, Sensitivity
from privet.core.sensitivity import root_above
from privet.errors import InvalidParameter
from privet.learn.features import BITS, Ball, Box, Floats
from privet.learn.fitting import Fitting
from privet.learn.noisy_moments import NoisyMoments
from privet.learn.rows import Rows
from privet.loss import ConcentratedGuarantee, Guarantee
from privet.mechanisms import CubeNoise, DiscreteLaplace, SymmetricGaussian
from privet.mechanisms.least_noise import standard_deviation

CHUNK = 2**15  # rows at a time: they fit a cache, and their sums of products stay within 2^53
STEP = 2**BITS  # steps of a coordinate
ONE = 4**BITS  # steps of a product
FINEST = 16  # weights are multiples of one part of so many


@dataclass(frozen=True)
class Way:
    """One way to make the sums noisy.

    Args:
        mechanism: adds the noise to the upper triangle, row by row.
        sensitivity: how far one unit moves it, as that mechanism measures moves.
        deviations: the standard deviation of each sum's noise; 1 is the product of two ones.
    """

    mechanism: Mechanism[Any, Any]
    sensitivity: Sensitivity
    deviations: Floats


@dataclass(frozen=True)
class SecondMoments:
    """The sums of v v' over rows v = (1, x, y): x in half widths of its box or radii of its ball, y in half widths.

    Args:
        features: the bounds or the ball of x.
        columns: how many features.
        target: the bounds of y; None if there is none.
        constant: whether there is the 1: then the sums have the number of rows, and sums.
        balance: how much of |v|² the constant and the target have where noise is Gaussian: parts of that of x.

    Privacy: let r rows be a unit's, d the features, and |x|² <= R (d in a box, 1 in a ball). Noise is made for moves of
        r (c² + R + w²) in Frobenius length with weights c and w, √2 times that if units are replaced; of r in every
        sum, twice that if replaced; or of r (|v|₁² + |v|₂²)/2 in L1 over the triangle, twice that if replaced.
    Proof: |vv'| = |v|² in Frobenius length. If r rows are replaced, and A and B are the sums over old and new ones,
        |A - B|² = |A|² + |B|² - 2 tr(AB), and tr(AB) >= 0 where both are positive semidefinite. All coordinates lie in
        [-1, 1], and so do their products. Σ_{i<=j} |v_i v_j| = (|v|₁² + |v|₂²)/2, and |x|₁ <= √d |x|₂. The sums are
        exact: coordinates are multiples of 2^-15, and float64 adds products of 2^23 rows without rounding.
    Not covered: time. Sums of more than 2^33 rows are cut off.

    Example:
        >>> sums = SecondMoments(Box.of((0, 10), width=2), 2, target=Box.of((0, 1), width=1))
        >>> way = sums.best(Budget.of(epsilon=1), rows=1, replaces=False)
        >>> type(way.mechanism).__name__, way.deviations.round(1).tolist()[:3]
        ('CubeNoise', [6.6, 6.6, 6.6])
    """

    features: Box | Ball
    columns: int
    target: Box | None = None
    constant: bool = True
    balance: tuple[Fraction, Fraction] = (Fraction(1, 4), Fraction(1, 2))

    @property
    def width(self) -> int:
        """How many numbers v has."""
        return self.constant + self.columns + (self.target is not None)

    def best(self, budget: Budget, *, rows: int, replaces: bool) -> Way:
        """Return the way with the least noise in sums of products of features with features, or with the target.

        Args:
            budget: what it may cost.
            rows: how many rows one unit can have.
            replaces: whether neighbors have a unit replaced.

        Privacy: the choice depends on public numbers only. Where a pure mechanism wins, no δ is spent.
        """
        promise = budget.promise
        ways: list[Way] = []
        if isinstance(promise, ConcentratedGuarantee) or promise.delta:
            with suppress(InvalidParameter):  # there are widths at which a law cannot be drawn: then others are left
                ways.append(self._gaussian(budget, rows, replaces=replaces))
        if isinstance(promise, Guarantee):
            ways += self._pure(promise.epsilon, rows, replaces=replaces)
        if not ways:
            raise InvalidParameter("the price is too small for any noise that can be drawn: spend more than that")
        return min(ways, key=self._noise)

    def release(self, fitting: Fitting, stored: Callable[[], NDArray[np.int64]] | None = None) -> NoisyMoments:
        """Charge, add up, and release.

        Args:
            fitting: who pays, and the rows.
            stored: the sums of rows that an engine keeps (`StoredRows`), in the place of those of the fitting.
        """
        way = self.best(fitting.budget, rows=fitting.moved_rows, replaces=fitting.replaces)
        compute = self.sums if stored is None else lambda _: stored()
        released = fitting.release(compute, way.sensitivity, way.mechanism)
        return NoisyMoments.of(released, way.deviations, constant=self.constant, target=self.target is not None)

    def sums(self, rows: Rows) -> NDArray[np.int64]:
        """Return the exact upper triangle, row by row, in steps of 2^-30."""
        table, values = (rows.read_features(), None) if self.target is None else rows.read_pairs()
        total = np.zeros((self.width, self.width), dtype=np.object_)  # Python's integers never wrap around
        for first in range(0, len(table), CHUNK):
            here = slice(first, first + CHUNK)
            steps = self._steps(table[here], None if values is None else values[here])
            total += (steps.T @ steps).astype(np.int64).astype(np.object_)
        most = np.iinfo(np.int64)
        triangle: NDArray[np.int64] = np.clip(total[np.triu_indices(self.width)], most.min, most.max).astype(np.int64)
        return triangle

    def _steps(self, table: Floats, values: Floats | None) -> Floats:
        """Some rows v in whole steps."""
        parts = [self._unit.unit(table)]
        if self.constant:
            parts.insert(0, np.ones((len(table), 1)))
        if self.target is not None and values is not None:
            parts.append(self.target.unit(values[:, None]))
        steps: Floats = np.hstack(parts) * STEP
        return steps

    @cached_property
    def _unit(self) -> Box | Ball:
        return replace(self.features, bits=BITS)

    def _gaussian(self, budget: Budget, rows: int, *, replaces: bool) -> Way:
        length = Fraction(self.columns if isinstance(self.features, Box) else 1)
        constant, target = (_weight(length * share) for share in self.balance)
        weights = self._beside([Fraction(1)] * self.columns, constant, target)
        outside = sum(self._beside([], constant**2, target**2), Fraction(0))
        moved = root_above((2 if replaces else 1) * (rows * (length + outside) * ONE) ** 2)
        moved += self.width**2 * max(weights) ** 2  # an engine rounds each sum down once
        sensitivity = Sensitivity(moved, cells=self.width**2, l2=moved)
        noise = SymmetricGaussian.calibrated(
            width=self.width, sensitivity=sensitivity, weights=weights, **_said(budget)
        )
        return Way(noise, sensitivity, noise.deviations / ONE)

    def _pure(self, epsilon: Fraction, rows: int, *, replaces: bool) -> list[Way]:
        moved = rows * (2 if replaces else 1)
        cells = self.width * (self.width + 1) // 2
        most = Fraction(cells)
        if isinstance(self.features, Ball):
            outside = self.constant + (self.target is not None)
            most = min(most, ((outside + root_above(Fraction(self.columns))) ** 2 + outside + 1) / 2)
        sensitivity = Sensitivity(moved * ONE, cells=cells, l1=moved * most * ONE)
        found: list[tuple[Mechanism[Any, Any], float]] = []
        with suppress(InvalidParameter):
            cube = CubeNoise.calibrated(epsilon=epsilon, width=cells, sensitivity=sensitivity)
            found.append((cube, cube.standard_deviation))
        with suppress(InvalidParameter):
            laplace = DiscreteLaplace.calibrated(epsilon=epsilon, sensitivity=sensitivity)
            found.append((laplace, standard_deviation(laplace)))
        return [Way(noise, sensitivity, np.full(cells, deviation / ONE)) for noise, deviation in found]

    def _beside(self, between: Sequence[Fraction], constant: Fraction, target: Fraction) -> list[Fraction]:
        """What there is of the constant's number, those of the features, and the target's."""
        return [*[constant] * self.constant, *between, *[target] * (self.target is not None)]

    def _noise(self, way: Way) -> float:
        """The mean square of the noise in what coefficients are made of."""
        first, second = np.triu_indices(self.width)
        matters = (first >= self.constant) & (first < self.constant + self.columns)
        return float((way.deviations**2 * np.where(first == second, 1, 2))[matters].sum())


def _weight(square: Fraction) -> Fraction:
    """A root, to few digits."""
    return Fraction(max(round(float(square) ** 0.5 * FINEST), 1), FINEST)


def _said(budget: Budget) -> dict[str, Fraction]:
    """The budget as keywords of Gaussian mechanisms."""
    promise = budget.promise
    if isinstance(promise, ConcentratedGuarantee):
        return {"rho": promise.rho}
    return {"epsilon": promise.epsilon, "delta": promise.delta}
