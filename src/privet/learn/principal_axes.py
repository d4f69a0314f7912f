"""PrincipalAxes: the plan of releases that principal components are computed from."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from privet.asking.budget import Budget
from privet.learn.around_middle import LONG, WIDE, BallAround, BoxAround, ball_around, box_around
from privet.learn.budget_shares import gaussian_shares, pure_shares
from privet.learn.features import Ball, Box, Floats
from privet.learn.first_look import Cloud, UnitRows, look
from privet.learn.fitting import Fitting
from privet.learn.nearest_sums import NearestSums
from privet.learn.noisy_moments import NoisyMoments
from privet.learn.second_moments import SecondMoments, Way
from privet.loss import PrivacyLoss
from privet.mechanisms import CubeNoise, DiscreteLaplace

SHARES = Fraction(1, 4), Fraction(3, 4)  # of the first look, and of the products


@dataclass(frozen=True)
class Covariance:
    """What was learned, in half widths of a box or radii of a ball.

    Args:
        middle: around which rows were measured.
        matrix: the noisy covariance.
        deviation: the standard deviation of the noise beside its diagonal.
        rows: a noisy number of rows.
        loss: what it cost.
    """

    middle: Floats
    matrix: Floats
    deviation: float
    rows: float
    loss: PrivacyLoss


@dataclass(frozen=True)
class PrincipalAxes:
    """A plan of two releases: a first look for the middle of the rows, then sums of products of distances from it.

    Args:
        columns: how many features.
        first: where the rows are.
        way: the noise of the products, for rows within [-1, 1] in each column if pure, else of length at most 1.

    Privacy: the plan is made of public numbers, and paid for at once; the products follow what the first look released.
    Proof: that of `NearestSums` and `SecondMoments`, whose rows are bounded whatever the middle and the reach are.
    """

    columns: int
    first: NearestSums
    way: Way

    words: ClassVar[str] = "sums of products of distances from a noisy middle"

    @classmethod
    def of(cls, budget: Budget, columns: int, *, rows: int, replaces: bool) -> "PrincipalAxes":
        """Return the plan with the least noise.

        Args:
            budget: of both releases together.
            columns: how many features.
            rows: how many rows one unit can have.
            replaces: whether neighbors have a unit replaced.
        """
        ways = []
        if (pure := pure_shares(budget, SHARES)) is not None:
            first = NearestSums.pure(pure[0], columns=columns, rows=rows, replaces=replaces)
            box = SecondMoments(Box.of((-1, 1), width=columns), columns, constant=False)
            ways.append(cls(columns, first, box.best(Budget.of(epsilon=pure[1]), rows=rows, replaces=replaces)))
        if (gaussian := gaussian_shares(budget, SHARES)) is not None:
            first = NearestSums.gaussian(gaussian[0], columns=columns, rows=rows, replaces=replaces)
            ball = SecondMoments(Ball.of(1), columns, constant=False)
            ways.append(cls(columns, first, ball.best(Budget.of(rho=gaussian[1]), rows=rows, replaces=replaces)))
        return min(ways, key=lambda way: way.noise)

    @property
    def pure(self) -> bool:
        """Whether it is."""
        return isinstance(self.way.mechanism, CubeNoise | DiscreteLaplace)

    @property
    def noise(self) -> float:
        """Of a sum of products of two columns, where 1 is the product of two columns' spreads."""
        return float(np.median(self.way.deviations)) * (WIDE**2 if self.pure else LONG**2 * self.columns)

    def find(self, fitting: Fitting, features: Box | Ball) -> Covariance:
        """Pay for the plan, release, and return the covariance."""
        draws = fitting.reserve([self.first.mechanism, self.way.mechanism])
        cloud = look(draws, self.first, UnitRows(features))
        each = float(np.median(self.way.deviations))
        around: BoxAround | BallAround
        if self.pure and isinstance(features, Box):
            around = box_around(features, cloud, each)
        else:
            around = ball_around(features, cloud, each)
        moments = SecondMoments(around, self.columns, constant=False)
        released = draws.release(moments.sums, self.way.sensitivity, self.way.mechanism)
        found = NoisyMoments.of(released, self.way.deviations, constant=False, target=False)
        unit = around.reach**2 if isinstance(around, Box) else float(around.radius) ** 2
        deviation = unit * each / _free(cloud)
        matrix = found.products * unit / _free(cloud)
        return Covariance(
            cloud.middle, matrix, deviation, cloud.rows, self.first.mechanism.loss + self.way.mechanism.loss
        )

    def foreseen(self, rows: int | None) -> Mapping[str, str]:
        """What can be said of the errors."""
        kind = "on cubes" if isinstance(self.way.mechanism, CubeNoise) else "Laplace" if self.pure else "Gaussian"
        each = float(np.median(self.way.deviations))
        said = {"noise of each sum of products": f"{each:.3g} times the square of the reach, {kind}"}
        if rows is not None:
            floor = 2 * self.noise * (self.columns**0.5 + 1) / max(rows, 1)
            said["noise floor"] = f"about {floor:.2g} times the mean variance of a column"
        return said


def _free(cloud: Cloud) -> float:
    """By what sums of squares are divided."""
    return max(cloud.rows - 1.0, 1.0)
