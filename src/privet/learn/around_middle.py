"""AroundMiddle: rows measured from a middle that was released, and shortened to a reach around it."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from privet.learn.features import Ball, Box, Floats
from privet.learn.first_look import Cloud

WIDE = 1.5  # spreads to each side that columns reach: clipping some rows costs less than noise for all
FINE = 20  # bits of rows before they are measured from the middle
PART = 0.01  # of a column's variance
LONG = 1.25  # of the root mean square length of rows, to which they are shortened


@dataclass(frozen=True)
class BoxAround(Box):
    """A smaller box around a middle.

    Args:
        within: the whole box.
        middle_at: the middle, in half widths of the whole box.
        reach: to each side, in half widths.

    Privacy: as a `Box`: what a row becomes depends on that row, on public and on released numbers, within [-1, 1].
    """

    within: Box | None = None
    middle_at: tuple[float, ...] = ()
    reach: float = 1.0

    def unit(self, rows: Floats) -> Floats:
        """Return the rows in reaches from the middle: multiples of 2^-bits in [-1, 1]."""
        if self.within is None:
            raise TypeError("a box around a middle is within a box")
        distance = (self.within.unit(rows) - np.array(self.middle_at)) / self.reach
        rounded: Floats = np.ldexp(np.rint(np.ldexp(np.clip(distance, -1.0, 1.0), self.bits)), -self.bits)
        return rounded + 0.0


@dataclass(frozen=True)
class BallAround(Ball):
    """A ball around a middle, within a box or another ball, in whose half widths or radii its radius is.

    Args:
        within: where the middle is.
        middle_at: the middle, in half widths or radii.

    Privacy: as a `Ball`: what a row becomes depends on that row, on public and on released numbers, and has length at
        most 1.
    """

    within: Box | Ball | None = None
    middle_at: tuple[float, ...] = ()

    def unit(self, rows: Floats) -> Floats:
        """Return the rows in radii from the middle, each of length at most 1."""
        if self.within is None:
            raise TypeError("a ball around a middle is within a box or a ball")
        return super().unit(self.within.unit(rows) - np.array(self.middle_at))


def box_around(features: Box, cloud: Cloud, noise: float) -> BoxAround:
    """Return the box that holds most of a cloud.

    Args:
        features: the whole box.
        cloud: where the rows are.
        noise: of a sum of products of rows in the box, where 1 is the square of its reach.
    """
    reach = min(far(WIDE, cloud, noise) * _spread(cloud), 2.0)
    return BoxAround(features.columns, within=features.finer(FINE), middle_at=tuple(cloud.middle.tolist()), reach=reach)


def ball_around(features: Box | Ball, cloud: Cloud, noise: float) -> BallAround:
    """Return the ball that holds most of a cloud; see `box_around`."""
    columns = len(cloud.middle)
    length = min(far(LONG, cloud, noise * columns) * _spread(cloud), 2.0) * columns**0.5
    within = features.finer(FINE) if isinstance(features, Box) else features
    return BallAround(Fraction(length), within=within, middle_at=tuple(cloud.middle.tolist()))


def far(least: float, cloud: Cloud, noise: float) -> float:
    """How far to reach, in spreads: as far as noise stays below a part of a column's variance, since clipping bends.

    Args:
        least: where noise is more than that.
        cloud: where the rows are.
        noise: of a sum of products, where 1 is the square of the reach.
    """
    floor = 2 * noise * len(cloud.middle) ** 0.5 / cloud.rows
    return max(least, math.sqrt(PART / floor))


def _spread(cloud: Cloud) -> float:
    """The spread around a middle that is itself noisy."""
    return float(np.hypot(cloud.spread, cloud.error))
