"""GridMean: the mean of a bounded number from one of a few grid points of each device."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.local.bounded_values import BoundedValues
from privet.local.kary_response import KaryResponse
from privet.local.mean_protocol import MeanProtocol
from privet.local.protocol import Reports
from privet.local.weights import WHOLE, declared
from privet.loss import PrivacyLoss
from privet.loss.exact import Exact, whole
from privet.loss.outward import exp_below
from privet.mechanisms import FiniteMechanism
from privet.noise import BitSource, UniformLaw

STEPS = 1 << 20  # places between two grid points that a value is rounded to
MOST_POINTS = 1 << 10


@dataclass(frozen=True, init=False, repr=False)
class GridMean(MeanProtocol):
    """A value rounded up or down to a grid point, then k-ary randomized response (Waudby-Smith, Wu and Ramdas 2023).

    Args:
        bounds: the lowest and the highest value; public.
        epsilon: what a report may cost, from a millionth to 20.
        points: G + 1, the number of grid points, from 2 to 1024; by default those of the smallest largest variance:
            2 for small ε, more from about 2 on.

    The value is rounded to a multiple of 2^-20 of a cell, then up with the probability of what is left of the cell,
    else down. Two words of randomness are used: one for rounding, one for the response.

    Privacy: `epsilon`-DP for each report.
    Proof: rounding is random but does not look at what is reported; the response to any grid point is ε-DP, so that to
        a mixture of them is.

    Example:
        >>> GridMean(bounds=(0, 1), epsilon=1).points, GridMean(bounds=(0, 1), epsilon=4).points
        (2, 5)
    """

    name: ClassVar[str] = "grid_mean"
    values: BoundedValues
    response: KaryResponse

    def __init__(self, bounds: Any, epsilon: Exact, *, points: int | None = None) -> None:  # noqa: ANN401 - a pair
        cost = declared(epsilon)
        number = _best_points(cost) if points is None else whole(points, "points", low=2, high=MOST_POINTS)
        self._keep(values=BoundedValues.of(bounds), response=KaryResponse(number, cost))

    def _fill_from(self, config: Mapping[str, Any]) -> None:
        words = {"categories": config["points"], "truth": config["truth"], "other": config["other"]}
        sized = {"protocol": KaryResponse.name, **words, "payload_bytes": config["payload_bytes"]}
        response = KaryResponse.from_config(sized)
        if not isinstance(config["points"], int) or config["points"] > MOST_POINTS:
            raise InvalidParameter(f"points must be a whole number up to {MOST_POINTS:,}")
        self._keep(values=BoundedValues.from_config(config["bounds"]), response=response)

    @property
    def parameters(self) -> dict[str, Any]:
        """The bounds, the grid, and the weights of the truth and of each other point, which add up to 2^52."""
        weights = {"truth": self.response.truth, "other": self.response.other}
        return {"bounds": self.values.config, "points": self.points, "steps": STEPS, **weights}

    @property
    def points(self) -> int:
        """How many grid points there are."""
        return self.response.numbers

    @property
    def numbers(self) -> int:
        """One report for each grid point."""
        return self.points

    @property
    def gain(self) -> Fraction:
        """How often the truth is told beyond chance."""
        return Fraction(self.response.truth - self.response.other, WHOLE)

    @property
    def ratio(self) -> Fraction:
        """That of the response."""
        return self.response.ratio

    @property
    def loss(self) -> PrivacyLoss:
        """That of the response, for two grid points."""
        return self.response.loss

    def _inputs(self, values: Any) -> NDArray[Any]:  # noqa: ANN401 - any column
        return self.values.places(values, steps=STEPS * (self.points - 1))

    def _drawn(self, inputs: NDArray[Any], source: BitSource) -> Reports:
        above = UniformLaw(STEPS).many(source, len(inputs)) < inputs % STEPS
        return self.response._drawn(inputs // STEPS + above, source)  # noqa: SLF001 - its own part

    def _spread(self, share: Fraction) -> Fraction:
        return _spread(share, self.points - 1, self.gain)

    def channel(self) -> FiniteMechanism:
        """One row for each grid point; those of values between them are mixtures."""
        return self.response.channel()


def _spread(share: Fraction, cells: int, gain: Fraction) -> Fraction:
    """The variance of a report: with probability `gain` it is the value, rounded; else any grid point."""
    low = Fraction(int(share * cells))
    up = share * cells - low
    square = ((1 - up) * low**2 + up * (low + 1) ** 2) / cells**2
    mean = gain * share + (1 - gain) / 2
    return gain * square + (1 - gain) * Fraction(2 * cells + 1, 6 * cells) - mean**2


def _best_points(epsilon: Fraction) -> int:
    """The number of points whose worst variance is smallest; it has one valley, and few points suffice."""
    grown = float(exp_below(min(epsilon, Fraction(20))))
    shares = np.linspace(0, 1, 201)

    def worst(points: int) -> float:
        cells, gain = points - 1, (grown - 1) / (grown + points - 1)
        low = np.floor(shares * cells)
        up = shares * cells - low
        square = ((1 - up) * low**2 + up * (low + 1) ** 2) / cells**2
        mean = gain * shares + (1 - gain) / 2
        return float((gain * square + (1 - gain) * (2 * cells + 1) / (6 * cells) - mean**2).max() / gain**2)

    best = 2
    while best < MOST_POINTS and worst(best + 1) < worst(best):
        best += 1
    return best
