"""VectorMean: the mean of vectors in a ball, from one of a few public directions of each device."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.local.ball_vectors import full_length, rows_of, shortened
from privet.local.frequency_protocol import three_outcome_loss
from privet.local.payload import Rows, bytes_needed, packed_pairs, unpacked_pairs
from privet.local.protocol import Protocol, Reports, refuse_large
from privet.local.seeded_directions import SEEDS, SeededDirections
from privet.local.tally import Counts, Tally
from privet.local.vector_estimate import VectorEstimate
from privet.local.weights import WHOLE, checked_weight, declared, favored_weight
from privet.loss import PrivacyLoss
from privet.loss.exact import Exact, exact, exact_within, readable, shortest, whole
from privet.mechanisms import FiniteMechanism
from privet.noise import BitSource, UniformLaw

PAIR = 2  # a report: the seed, and the number of a direction
MOST_RADIUS = 10**150  # as of bounds, so that no estimate overflows
UNIT = 1 << 24  # in which coordinates are added up, so that sums are whole and tallies merge exactly
AT_ONCE = 1 << 18  # coordinates of directions that are worked on at once
MOST_DIMENSIONS = 1 << 16
MOST_DIRECTIONS = 1 << 8
Floats = NDArray[np.float64]


@dataclass(frozen=True, init=False, repr=False)
class VectorMean(Protocol[VectorEstimate]):
    """A random one of K public directions, likelier if it is among the t nearest to the device's vector.

    PrivUnit (Bhowmick and others 2018) with a finite choice. With 64 directions its squared error is larger by 1 % at
    ε = 1 and by 6 to 7 % at ε = 4; at ε = 8 by 35 to 49 %, with 256 by 8 to 14 %: take those there. With two directions
    it is the half-space mechanism of Duchi, Jordan and Wainwright (2018).

    Args:
        dimensions: d, how many numbers a vector has, at least 2.
        epsilon: what a report may cost, from a millionth to 20.
        radius: the largest length of a vector; public. Longer ones are shortened to it.
        directions: K, even, up to 256.
        seeds: how many seeds there are. Estimates are unbiased over all 2^56; few are for audits of the channel.

    Every report has a fresh seed, of which K directions follow (`SeededDirections`). The t nearest (`favored`) have the
    weight `weight` out of 2^52 together, the others share the rest. t is chosen for the least error. A vector that is
    shorter than the radius is first replaced by one of full length: forward with probability (1 + its share of the
    radius)/2, else backward.

    Privacy: `epsilon`-DP for each report.
    Proof: the seed is drawn without looking at the vector. Given it, the ranking is some order of the K directions, a
        different one for each vector, and place r of it is drawn by whole weights that depend on r alone. So whatever
        the ranking is, and however floats round it, a direction has one of two probabilities, at most e^ε apart. A
        mixture of forward and backward has no larger ratio.
    Proof that it is unbiased: directions are uniform, so turns around a full-length vector w change nothing, and the
        reported one has the mean `gain` w. Directions come in opposite pairs, which add up to 0: the t nearest have a
        mean inner product of a, the K - t others of -a t/(K - t). So with P = weight/2^52 it is
        gain = a (P - (1 - P) t/(K - t)). Forward and backward have the mean of the vector itself.
    Not covered: the ranking takes as long as floats take; who can time the device sees more than the report.

    Example:
        >>> protocol = VectorMean(dimensions=10, epsilon=4)
        >>> round(protocol.variance(1), 3), protocol.payload_bytes  # PrivUnit: 3.674
        (3.884, 8)
        >>> protocol.estimate(protocol.privatize(np.eye(10))).value.shape
        (10,)
    """

    name: ClassVar[str] = "vector_mean"
    radius: Fraction
    near: SeededDirections
    favored: int
    weight: int
    seeds: int

    def __init__(
        self, dimensions: int, epsilon: Exact, *, radius: Exact = 1, directions: int = 64, seeds: int = SEEDS
    ) -> None:
        near = _directions(dimensions, directions)
        cost = declared(epsilon)
        gains = [
            _gain(near, t, favored_weight(cost, favored=t, others=directions - t)) for t in range(1, near.pairs + 1)
        ]
        favored = 1 + int(np.argmax(gains))
        weight = favored_weight(cost, favored=favored, others=directions - favored)
        self._fill(near, exact(radius, "radius"), (favored, weight, seeds))

    def _fill(self, near: SeededDirections, radius: Fraction, numbers: tuple[int, int, int]) -> None:
        favored, weight, seeds = numbers
        whole(favored, "favored", high=near.pairs)
        whole(seeds, "seeds", high=SEEDS)
        if not Fraction(1, MOST_RADIUS) <= radius <= MOST_RADIUS:
            raise InvalidParameter("radius, the largest length of a vector, must lie from 1e-150 to 1e150")
        if weight * (2 * near.pairs - favored) <= (WHOLE - weight) * favored:
            raise InvalidParameter("weight must favor the nearest directions: otherwise a report tells nothing")
        self._keep(radius=radius, near=near, favored=favored, weight=weight, seeds=seeds)

    def _fill_from(self, config: Mapping[str, Any]) -> None:
        if not isinstance(config["radius"], str):
            raise TypeError("radius must be a text")
        near = _directions(config["dimensions"], config["directions"])
        weight = checked_weight(config["weight"], "weight")
        self._fill(near, exact(config["radius"], "radius"), (config["favored"], weight, config["seeds"]))

    @property
    def parameters(self) -> dict[str, Any]:
        """The ball, the directions, how many are favored, and the weight of those together, out of 2^52."""
        ball = {"dimensions": self.near.dimensions, "radius": shortest(self.radius)}
        weights = {"directions": self.directions, "favored": self.favored, "weight": self.weight}
        return {**ball, **weights, "seeds": self.seeds}

    @property
    def directions(self) -> int:
        """K, how many directions a seed has."""
        return 2 * self.near.pairs

    @property
    def ratio(self) -> Fraction:
        """Of a direction among the nearest, and among the others."""
        return Fraction(self.weight, self.favored) / Fraction(WHOLE - self.weight, self.directions - self.favored)

    @cached_property
    def loss(self) -> PrivacyLoss:
        """That of two opposite vectors, which favor different directions; others have some in common."""
        return three_outcome_loss(Fraction(self.weight, WHOLE), self.ratio)

    @cached_property
    def gain(self) -> float:
        """The length of the mean reported direction, for a vector of full length."""
        return _gain(self.near, self.favored, self.weight)

    def variance(self, share: Exact = 0) -> float:
        """The mean squared distance of one report's part from its vector, whose length is this share of the radius."""
        known = exact_within(share, "share", low=0, high=1)
        return float(self.radius) ** 2 * (1 / self.gain**2 - float(known) ** 2)

    @property
    def payload_bytes(self) -> int:
        """Those of the seed, and those of the direction."""
        return sum(self._widths)

    def __repr__(self) -> str:
        return f"VectorMean({self.near.dimensions:,} dimensions, ε={readable(self.epsilon)})"

    def _inputs(self, values: Any) -> NDArray[Any]:  # noqa: ANN401 - rows of numbers
        return shortened(rows_of(values, self.near.dimensions), float(self.radius))

    def _drawn(self, inputs: NDArray[Any], source: BitSource) -> Reports:
        seeds = UniformLaw(self.seeds).many(source, len(inputs))
        coins = UniformLaw(WHOLE).many(source, len(inputs))
        wanted = full_length(inputs, coins)
        told = UniformLaw(WHOLE).many(source, len(inputs)) < self.weight
        nearest = UniformLaw(self.favored).many(source, len(inputs))
        others = UniformLaw(self.directions - self.favored).many(source, len(inputs))
        places = np.where(told, nearest, self.favored + others)
        reports = np.empty((len(inputs), PAIR), dtype=np.int64)
        for part in self._parts(len(inputs), self.near.pairs):
            ranked = self.near.ranked(seeds[part], wanted[part])
            numbers = np.take_along_axis(ranked, places[part, None], axis=1)[:, 0]
            reports[part] = np.stack([seeds[part], numbers], axis=1)
        return reports

    def _parts(self, rows: int, directions: int) -> Iterator[slice]:
        size = max(1, AT_ONCE // (directions * self.near.dimensions))
        return (slice(start, start + size) for start in range(0, rows, size))

    def _packed(self, reports: Reports) -> Rows:
        return packed_pairs(reports, self._widths)

    def _unpacked(self, rows: Rows) -> Reports:
        return unpacked_pairs(rows, self._widths)

    @property
    def _widths(self) -> tuple[int, int]:
        return bytes_needed(self.seeds), bytes_needed(self.directions)

    def _checked(self, reports: Reports) -> Reports:
        if reports.ndim != PAIR or reports.shape[1] != PAIR or (reports.size and reports.dtype.kind not in "iu"):
            raise InvalidParameter("reports must be pairs of whole numbers, as `privatize` returns them")
        ends = np.array([self.seeds, self.directions])
        if reports.size and not ((reports >= 0).all() and (reports < ends).all()):
            raise InvalidParameter("every report must be a seed and a direction: drop the others, they are forged")
        return reports.astype(np.int64, copy=False)

    def _counted(self, reports: Reports, times: Counts | None) -> Counts:
        """Sums of u + 1 and of u², for each coordinate, in units of 2^-24: whole and not negative."""
        counts = np.zeros((PAIR, self.near.dimensions), dtype=np.int64)
        for part in self._parts(len(reports), 1):
            found = self.near.of(reports[part, 0], reports[part, 1])
            often = np.int64(1) if times is None else times[part, None]
            for place, numbers in enumerate((found + 1, found**2)):
                counts[place] += (often * np.rint(UNIT * numbers).astype(np.int64)).sum(axis=0)
        return counts

    @property
    def _most_counted(self) -> int:
        """Of a coordinate u + 1, at most 2."""
        return 2 * UNIT

    def _estimated(self, tally: Tally) -> VectorEstimate:
        sums, squares = tally.counts / UNIT
        facts = (self.name, tally.reports, self.loss, self.epsilon)
        return VectorEstimate(*facts, sums - tally.reports, squares, float(self.radius) / self.gain)

    def outcomes(self) -> Reports:
        """All seeds with all directions, where `seeds` are few."""
        refuse_large(2 * self.near.dimensions, self.seeds * self.directions)
        return np.stack(np.divmod(np.arange(self.seeds * self.directions), self.directions), axis=1)

    def channel(self) -> FiniteMechanism:
        """The rows of the vectors of full length along each axis, forward and then backward, where `seeds` are few."""
        refuse_large(2 * self.near.dimensions, self.seeds * self.directions)
        axes = np.eye(self.near.dimensions).repeat(2, axis=0) * np.tile([1.0, -1.0], self.near.dimensions)[:, None]
        return FiniteMechanism([self._law(axis) for axis in axes])

    def _law(self, wanted: Floats) -> list[Fraction]:
        often = Fraction(self.weight, WHOLE * self.favored * self.seeds)
        law = np.full((self.seeds, self.directions), often / self.ratio, dtype=np.object_)
        ranked = self.near.ranked(np.arange(self.seeds), np.tile(wanted, (self.seeds, 1)))
        law[np.arange(self.seeds)[:, None], ranked[:, : self.favored]] = often
        return [mass for row in law.tolist() for mass in row]


def _directions(dimensions: int, directions: int) -> SeededDirections:
    whole(dimensions, "dimensions", low=2, high=MOST_DIMENSIONS)
    if whole(directions, "directions", low=2, high=MOST_DIRECTIONS) % 2:
        raise InvalidParameter("directions must be even: they come in opposite pairs")
    return SeededDirections(dimensions, directions // 2)


def _gain(near: SeededDirections, favored: int, weight: int) -> float:
    share = weight / WHOLE
    return float(near.nearest_means[favored - 1]) * (share - (1 - share) * favored / (2 * near.pairs - favored))
