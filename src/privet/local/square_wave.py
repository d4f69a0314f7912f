"""SquareWave: the whole distribution of a bounded number, from reports near the truth more often than far."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.local.bounded_values import BoundedValues
from privet.local.distribution_estimate import DistributionEstimate
from privet.local.frequency_protocol import three_outcome_loss
from privet.local.number_reports import NumberReports
from privet.local.protocol import Reports, refuse_large
from privet.local.tally import Tally
from privet.local.weights import WHOLE, declared
from privet.loss import PrivacyLoss
from privet.loss.exact import Exact, readable, whole
from privet.loss.outward import exp_below
from privet.mechanisms import FiniteMechanism
from privet.noise import BitSource, UniformLaw

BINS, MOST_BINS = 64, 1 << 12
FINE = 1 << 40  # places of values, which bins are made of
TINY = 1e-3  # below this ε the formula of the width loses its digits, and the width is that of ε = 0


@dataclass(frozen=True, init=False, repr=False)
class SquareWave(NumberReports[DistributionEstimate]):
    """A bin at most `reach` away from the own one, or now and then one farther away (Li and others 2020), discrete.

    Args:
        bounds: the lowest and the highest value; public.
        epsilon: what a report may cost, from a millionth to 20.
        bins: d, how many bins the range is cut into, from 2 to 4096.

    A report is one of the d + 2 b bins of the range, widened by b = `reach` bins on either side. Each of the 2 b + 1
    bins around the own one has the weight `near` out of 2^52, each of the d - 1 others the weight `other`.

    Privacy: `epsilon`-DP for each report.
    Proof: a bin has the weight near or other, whatever the value; near <= e^ε other. b is such that 2 b + 1 and d - 1
        have no common divisor, so whole weights exist that add up to 2^52: near is the largest of them.

    Example:
        >>> protocol = SquareWave(bounds=(0, 100), epsilon=1, bins=32)
        >>> protocol.reach, protocol.numbers
        (8, 48)
    """

    name: ClassVar[str] = "square_wave"
    values: BoundedValues
    bins: int
    reach: int
    near: int

    def __init__(self, bounds: Any, epsilon: Exact, *, bins: int = BINS) -> None:  # noqa: ANN401 - a pair
        cost = declared(epsilon)
        number = whole(bins, "bins", low=2, high=MOST_BINS)
        reach = _best_reach(float(cost), number)
        self._fill(BoundedValues.of(bounds), number, reach, _near_weight(exp_below(cost), number, reach))

    def _fill(self, values: BoundedValues, bins: int, reach: int, near: int) -> None:
        whole(bins, "bins", low=2, high=MOST_BINS)
        whole(reach, "reach", low=0, high=bins)
        left = WHOLE - (2 * reach + 1) * whole(near, "near")
        if left <= 0 or left % (bins - 1) or near * (bins - 1) <= left:
            raise InvalidParameter("near must leave each other bin a whole weight, smaller than its own")
        self._keep(values=values, bins=bins, reach=reach, near=near)

    def _fill_from(self, config: Mapping[str, Any]) -> None:
        numbers = (config["bins"], config["reach"], config["near"])
        self._fill(BoundedValues.from_config(config["bounds"]), *numbers)

    @property
    def parameters(self) -> dict[str, Any]:
        """The bounds, the bins, how far near ones are, and the weights, which add up to 2^52."""
        words = {"bounds": self.values.config, "bins": self.bins, "reach": self.reach}
        return {**words, "near": self.near, "other": self.other}

    @property
    def other(self) -> int:
        """The weight of a bin that is not near."""
        return (WHOLE - (2 * self.reach + 1) * self.near) // (self.bins - 1)

    @property
    def ratio(self) -> Fraction:
        """Of the two weights."""
        return Fraction(self.near, self.other)

    @cached_property
    def loss(self) -> PrivacyLoss:
        """That of two values whose near bins have as little in common as can be."""
        apart = min(2 * self.reach + 1, self.bins - 1)
        return three_outcome_loss(apart * Fraction(self.near, WHOLE), self.ratio)

    @property
    def numbers(self) -> int:
        """The bins of the widened range."""
        return self.bins + 2 * self.reach

    def _inputs(self, values: Any) -> NDArray[Any]:  # noqa: ANN401 - any column
        places = self.values.places(values, steps=FINE)
        found: NDArray[Any] = np.minimum(places * self.bins // FINE, self.bins - 1)
        return found

    def _drawn(self, inputs: NDArray[Any], source: BitSource) -> Reports:
        drawn = UniformLaw(WHOLE).many(source, len(inputs))
        width = 2 * self.reach + 1
        near = drawn // self.near
        far = (drawn - width * self.near) // self.other
        reports: Reports = np.where(near < width, inputs + near, np.where(far < inputs, far, far + width))
        return reports

    def _estimated(self, tally: Tally) -> DistributionEstimate:
        facts = (self.name, tally.reports, self.loss, self.epsilon, self.values.bounds, tally.counts)
        return DistributionEstimate(*facts, self._law)

    @cached_property
    def _law(self) -> NDArray[np.float64]:
        """The probability of each report (rows) for each bin (columns)."""
        away = np.arange(self.numbers)[:, None] - np.arange(self.bins)
        return np.where((away >= 0) & (away <= 2 * self.reach), self.near, self.other) / WHOLE

    def channel(self) -> FiniteMechanism:
        """One row for each bin of values, one column for each bin of reports."""
        refuse_large(self.bins, self.numbers)
        near, other = Fraction(self.near, WHOLE), Fraction(self.other, WHOLE)
        width = 2 * self.reach
        return FiniteMechanism(
            [[near if 0 <= y - x <= width else other for y in range(self.numbers)] for x in range(self.bins)]
        )

    def __repr__(self) -> str:
        low, high = self.values.config
        return f"SquareWave(bounds=({low}, {high}), bins={self.bins}, ε={readable(self.epsilon)})"


def wave_width(epsilon: float) -> float:
    """How far the wave reaches on either side, as a share of the range, where a report tells most of the value.

    Example:
        >>> [round(wave_width(epsilon), 6) for epsilon in (0.5, 1, 2, 4)]
        [0.358155, 0.256083, 0.129337, 0.030428]
    """
    if epsilon < TINY:
        return 0.5
    grown = math.exp(epsilon)
    return (epsilon * grown - grown + 1) / (2 * grown * (grown - 1 - epsilon))


def _best_reach(epsilon: float, bins: int) -> int:
    """The reach next to the best one for which whole weights exist; 0 always is."""
    best = round(wave_width(epsilon) * bins)
    known = [each for each in range(best + 1) if math.gcd(2 * each + 1, bins - 1) == 1]
    return known[-1]


def _near_weight(grown: Fraction, bins: int, reach: int) -> int:
    """The largest weight, at most e^ε times the other one, that leaves the others whole ones."""
    width, others = 2 * reach + 1, bins - 1
    most = int(WHOLE * grown / (width * grown + others))
    wanted = WHOLE * pow(width, -1, others) % others if others > 1 else 0
    near = most - (most - wanted) % others
    if near * others <= WHOLE - width * near:
        raise InvalidParameter("epsilon is too small for so many bins: nothing would be told")
    return near
