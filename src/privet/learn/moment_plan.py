"""MomentPlan: noisy counts, sums and sums of squares of the rows of each class, by three draws under one price."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from privet.asking.best_noise import best_noise
from privet.asking.budget import Budget
from privet.core import Mechanism, Sensitivity
from privet.core.sensitivity import root_above
from privet.learn.class_moments import ClassMoments
from privet.learn.class_sums import UNIT, ClassSums
from privet.learn.features import Box
from privet.learn.fitting import Fitting
from privet.learn.moved_counts import moved_counts
from privet.loss import Guarantee, PrivacyLoss
from privet.mechanisms import Gaussian
from privet.mechanisms.least_noise import least_noise, standard_deviation

SHARES = Fraction(1, 10), Fraction(7, 10), Fraction(2, 10)  # of ε: for counts, sums and squares
ROOTS = Fraction(3, 10), Fraction(433, 500), Fraction(2, 5)  # of Gaussian privacy: their squares add up to 0.99996
UNCOUNTED = Fraction(0), Fraction(3, 4), Fraction(1, 4)  # where the number of rows is public
UNCOUNTED_ROOTS = Fraction(0), Fraction(1833, 2000), Fraction(2, 5)
NEAR = 0.01  # noise in a class's variance, in squared half widths, above which classes share their variances

Plan = tuple[Mechanism[Any, Any], ...]


@dataclass(frozen=True)
class MomentPlan:
    """Three draws under one price: counts of classes, sums of z, and sums of 2z² - 1.

    Args:
        counts, sums, squares: their noise; no counts where the number of rows is public and there is one class.
        moved: how many rows one unit can move; those of two units if units are replaced.
        width: how many features.

    Privacy: that of the composition, which `of` makes from shares of the price.
    Proof: a row is in one class. There it moves the count by 1, each of `width` sums of |z| <= 1 by at most 1, and so
        each sum of 2z² - 1, which lies in [-1, 1]: √width in L2, width in L1, 1 in the largest move of a row, all times
        `moved`. Squares of all classes in one row move as far. z and 2z² - 1 are rounded to 2^-15 row by row, and
        their sums are whole numbers of 2^-15. Gaussian noise of deviation s r/a for a sensitivity s is
        (a/r)-GDP; with Σa² <= 1 all of them are (1/r)-GDP together, as one with deviation r for a sensitivity of 1.
    """

    counts: Mechanism[Any, Any] | None
    sums: Mechanism[Any, Any]
    squares: Mechanism[Any, Any]
    moved: int
    width: int

    @classmethod
    def of(  # noqa: PLR0913 - what is public, each by name
        cls,
        budget: Budget,
        *,
        width: int,
        moved: int,
        replaces: bool,
        counted: bool = True,
        cubes: bool = True,
    ) -> "MomentPlan":
        """Return the plan of the least noise, from public numbers.

        Args:
            budget: of the whole plan.
            width: how many features.
            moved: how many rows a unit can have.
            replaces: whether units are replaced.
            counted: whether the number of rows is private, or of interest.
            cubes: False for noise that is independent from number to number.
        """
        reach = moved * (2 if replaces else 1)
        moves = sensitivities(width, moved, replaces=replaces)
        plans = [
            *_pure(budget, moves, width if cubes else 1, counted=counted),
            *_gaussian(budget, moves, counted=counted),
        ]
        chosen = least_noise(plans, error=standard_deviation)
        return cls(chosen[0] if counted else None, chosen[-2], chosen[-1], reach, width)

    @property
    def mechanisms(self) -> Plan:
        """All that is drawn."""
        return (self.sums, self.squares) if self.counts is None else (self.counts, self.sums, self.squares)

    @property
    def loss(self) -> PrivacyLoss:
        """Of all together."""
        first, *others = (each.loss for each in self.mechanisms)
        return sum(others, start=first)

    @property
    def deviations(self) -> tuple[float, float, float]:
        """Of the noise of a count, of a sum of z and of a sum of z², but for what counts add to the last."""
        count = 0.0 if self.counts is None else standard_deviation(self.counts)
        return count, standard_deviation(self.sums) / UNIT, standard_deviation(self.squares) / UNIT / 2

    def released(
        self, fitting: Fitting, box: Box, *, classes: int, pooled: bool | None = None, public: int | None = None
    ) -> ClassMoments:
        """Pay for the plan, and draw it.

        Args:
            fitting: the rows; with a target if there are several classes.
            box: the bounds.
            classes: how many classes.
            pooled: whether squares are summed over all classes; None: where noise is large against noisy counts.
            public: the number of rows, where it is.
        """
        table = ClassSums(box, classes)
        moves = sensitivities(self.width, fitting.moved_rows, replaces=fitting.replaces)
        count_noise, sum_noise, square_noise = self.deviations
        draws = fitting.reserve(self.mechanisms)
        if self.counts is None:
            counts = np.array([float(public or 0)])
        else:
            counts = np.asarray(draws.release(table.counts, moves[0], self.counts).value, dtype=np.float64)
        sums = np.asarray(draws.release(table.sums, moves[1], self.sums).value, dtype=np.float64) / UNIT
        together = square_noise > NEAR * max(float(counts.min()), 1.0) if pooled is None else pooled
        compute = table.squares_of_all if together else table.squares
        scaled = np.asarray(draws.release(compute, moves[2], self.squares).value, dtype=np.float64) / UNIT
        rows = np.array([counts.sum()]) if together else counts
        squares = (scaled + rows[:, None]) / 2
        count_part = count_noise / 2 * (math.sqrt(classes) if together else 1.0)
        return ClassMoments(counts, sums, squares, count_noise, sum_noise, math.hypot(square_noise, count_part))


def sensitivities(width: int, moved: int, *, replaces: bool) -> tuple[Sensitivity, Sensitivity, Sensitivity]:
    """How far one unit moves counts, sums and squares, the last two in multiples of 2^-15."""
    reach = moved * (2 if replaces else 1)
    counts = moved_counts(1, moved, replaces=replaces)
    steps = reach * UNIT
    sums = Sensitivity(steps, cells=width * reach, l1=width * steps, l2=root_above(Fraction(steps) ** 2 * width))
    return counts, sums, sums


Moves = tuple[Sensitivity, Sensitivity, Sensitivity]


def _pure(budget: Budget, moves: Moves, row: int, *, counted: bool) -> list[list[Mechanism[Any, Any]]]:
    if budget.epsilon is None or not budget.epsilon:
        return []
    shares = SHARES if counted else UNCOUNTED
    parts = zip(shares, moves, (1, row, row), strict=True)
    return [
        [
            best_noise(Budget.of(epsilon=budget.epsilon * share), move, whole=True, row=each, error=standard_deviation)
            for share, move, each in parts
            if share
        ]
    ]


def _gaussian(budget: Budget, moves: Moves, *, counted: bool) -> list[list[Mechanism[Any, Any]]]:
    if isinstance(budget.promise, Guarantee):
        if not budget.promise.delta:
            return []
        said: dict[str, Any] = {"epsilon": budget.promise.epsilon, "delta": budget.promise.delta}
    else:
        said = {"rho": budget.promise.rho}
    ratio = Gaussian.calibrated(**said, sensitivity=Sensitivity(1)).scale
    roots = ROOTS if counted else UNCOUNTED_ROOTS
    pairs = [(move, root) for move, root in zip(moves, roots, strict=True) if root]
    return [[Gaussian(move.l2, move.l2 * ratio / root) for move, root in pairs]]
