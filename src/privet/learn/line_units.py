"""LineUnits: lines y = a + x b in the data's units, and in half widths of bounds."""

from dataclasses import dataclass

import numpy as np

from privet.learn.features import Ball, Box, Floats
from privet.learn.noisy_moments import NoisyMoments

FAR = 1e6


@dataclass(frozen=True)
class LineUnits:
    """What stands for 0 and for 1 in sums of products of features and a target.

    Args:
        features: their bounds or their ball.
        columns: how many there are.
        target: the bounds of the target.

    Example:
        >>> units = LineUnits(Box.of((0, 10), width=1), 1, Box.of((100, 300), width=1))
        >>> units.line(np.array([0.0, 1.0]))  # from 100 at 0 to 300 at 10
        (100.0, array([20.]))
    """

    features: Box | Ball
    columns: int
    target: Box

    @property
    def middle(self) -> Floats:
        """What stands for 0 in each feature."""
        return self.features.middle if isinstance(self.features, Box) else np.zeros(self.columns)

    @property
    def half(self) -> Floats:
        """What stands for 1 in each feature."""
        return (
            self.features.half if isinstance(self.features, Box) else np.full(self.columns, float(self.features.radius))
        )

    @property
    def slopes(self) -> Floats:
        """How much each coefficient is in the data's units, if it is 1 in half widths."""
        with np.errstate(all="ignore"):
            found: Floats = float(self.target.half[0]) / self.half
        return found

    @property
    def shifted(self) -> bool:
        """Whether a line through 0 in the data's units is not one in half widths."""
        return bool(self.middle.any() or self.target.middle.any())

    @property
    def near_zero(self) -> bool:
        """Whether the bounds are not so far from 0, measured in half widths, that rounding would decide."""
        pairs = ((self.middle, self.half), (self.target.middle, self.target.half))
        return all(bool((np.abs(middle) <= FAR * half).all()) for middle, half in pairs)

    @property
    def without_intercept(self) -> Floats:
        """The coefficients in half widths that a line through 0 may have: a point, and a direction for each feature."""
        high = float(self.target.half[0])
        point = np.zeros(self.columns + 1)
        point[0] = -float(self.target.middle[0]) / high
        ways = np.vstack([self.middle / self.half, np.eye(self.columns)])
        return np.hstack([point[:, None], ways])

    def line(self, coefficients: Floats) -> tuple[float, Floats]:
        """Return the intercept and the coefficients in the data's units."""
        first, *_ = self.target.middle
        intercept, *slopes = (self._change @ coefficients).tolist()
        return float(intercept + first), np.array(slopes)

    def line_covariance(self, covariance: Floats) -> Floats:
        """Return the covariance of both in the data's units."""
        with np.errstate(all="ignore"):
            found: Floats = self._change @ covariance @ self._change.T
        return found

    def completed(self, moments: NoisyMoments) -> tuple[Floats, Floats]:
        """Return sums and deviations with those of a constant.

        Where none was asked for, no line has one, and of its sums only the number of rows is read: at least Σ |x|², in
        parts of the largest |x|² there is.
        """
        if moments.constant:
            return moments.matrix, moments.deviations
        matrix = np.pad(moments.matrix, (1, 0))
        matrix[0, 0] = np.trace(moments.products) / (self.columns if isinstance(self.features, Box) else 1)
        return matrix, np.pad(moments.deviations, (1, 0))

    @property
    def _change(self) -> Floats:
        """From (intercept, coefficients) in half widths to the data's units, but for the target's middle."""
        change = np.diag([float(self.target.half[0]), *self.slopes])
        change[0, 1:] = -self.middle * self.slopes
        return change
