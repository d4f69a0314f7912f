"""ProjectiveGeometryResponse: a point that lies on the hyperplane of the device's value more often than on others."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.local.categories import Categories
from privet.local.frequency_estimate import FrequencyEstimate
from privet.local.frequency_protocol import FrequencyProtocol, support_variance, three_outcome_loss
from privet.local.hash_family import is_prime
from privet.local.number_reports import NumberReports
from privet.local.projective_space import ProjectiveSpace
from privet.local.protocol import Reports, refuse_large
from privet.local.tally import Counts
from privet.local.weights import WHOLE, checked_weight, declared, favored_weight
from privet.loss import PrivacyLoss
from privet.loss.exact import Exact, whole
from privet.loss.outward import exp_below
from privet.mechanisms import FiniteMechanism
from privet.noise import BitSource, UniformLaw
from privet.noise.coins import CoinLaw

TABLE, MANY = 1 << 23, 100  # cells of a table of points that is written down, if there are devices for it
MOST_CELLS = 1 << 25  # vectors of a space: an estimate transforms all of them


@dataclass(frozen=True, init=False, repr=False)
class ProjectiveGeometryResponse(NumberReports[FrequencyEstimate], FrequencyProtocol):
    """As accurate as the best for very many values, with reports of about log₂ k bits.

    It is of Feldman, Nelson, Nguyen and Talwar (2022).

    Args:
        categories: k, or the list of values; see `Categories`.
        epsilon: what a report may cost, from a millionth to 20.

    A value is a point of a projective space over a field of `prime` elements, and so is a report. With the weight
    `inside` out of 2^52 the report lies on the value's hyperplane, else off it.

    Privacy: `epsilon`-DP for each report.
    Proof: all hyperplanes have s of the K points, so the ratio is p/(1-p) (K-s)/s, at most e^ε by `favored_weight`. All
        pairs of hyperplanes have equally many points in common, so any other value is supported equally often.

    Example:
        >>> protocol = ProjectiveGeometryResponse(categories=1000, epsilon=2)
        >>> protocol.space, round(protocol.variance(), 4), protocol.payload_bytes
        (ProjectiveSpace(prime=7, dimension=5), 0.7308, 2)
    """

    name: ClassVar[str] = "projective_geometry_response"
    categories: Categories
    space: ProjectiveSpace
    inside: int

    def __init__(self, categories: Any, epsilon: Exact) -> None:  # noqa: ANN401 - a number or a list
        known = Categories(categories)
        cost = declared(epsilon)
        self._fill(known, _best_space(len(known), cost), cost)

    def _fill(self, categories: Categories, space: ProjectiveSpace, cost: Fraction) -> None:
        on = space.on_hyperplane
        self._keep(categories=categories, space=space, inside=favored_weight(cost, favored=on, others=len(space) - on))

    def _fill_from(self, config: Mapping[str, Any]) -> None:
        prime = whole(config["prime"], "prime", low=2, high=MOST_CELLS)
        dimension = whole(config["dimension"], "dimension", low=2, high=MOST_CELLS.bit_length())
        known = Categories(config["categories"])
        space = ProjectiveSpace(prime, dimension)
        if not is_prime(prime) or prime**dimension > MOST_CELLS or len(space) < len(known):
            raise InvalidParameter("prime and dimension must make a space with a point for each category")
        self._keep(categories=known, space=space, inside=checked_weight(config["inside"], "inside"))
        if self.ratio <= 1:
            raise InvalidParameter("inside must favor the own value: otherwise a report tells nothing")

    @property
    def parameters(self) -> dict[str, Any]:
        """The values, the space, and the weight out of 2^52 of points on the own hyperplane."""
        space = {"prime": self.space.prime, "dimension": self.space.dimension}
        return {"categories": self.categories.config, **space, "inside": self.inside}

    @property
    def ratio(self) -> Fraction:
        """Of a point on the hyperplane and one off it."""
        on = self.space.on_hyperplane
        return Fraction(self.inside * (len(self.space) - on), (WHOLE - self.inside) * on)

    @cached_property
    def loss(self) -> PrivacyLoss:
        """The exact curve: a point lies on the own hyperplane and not on the other one, the reverse, or neither."""
        space = self.space
        alone = Fraction(space.on_hyperplane - space.on_both, space.on_hyperplane)
        return three_outcome_loss(self.true_support * alone, self.ratio)

    @property
    def true_support(self) -> Fraction:
        """A point supports the values on whose hyperplanes it lies."""
        return Fraction(self.inside, WHOLE)

    @property
    def other_support(self) -> Fraction:
        """Of the points on the own hyperplane, and of those off it, so many lie on another one."""
        return _other_support(self.true_support, self.space)

    @property
    def numbers(self) -> int:
        """The points."""
        return len(self.space)

    def _drawn(self, inputs: NDArray[Any], source: BitSource) -> Reports:
        coins = CoinLaw(self.inside).many(source, len(inputs))
        on = UniformLaw(self.space.on_hyperplane).many(source, len(inputs)).astype(np.int64, copy=False)
        off = (
            UniformLaw(len(self.space) - self.space.on_hyperplane)
            .many(source, len(inputs))
            .astype(np.int64, copy=False)
        )
        if len(self.categories) * self.numbers <= min(TABLE, MANY * len(inputs)):
            there, elsewhere = self._listed
            listed: Reports = np.where(coins, there[inputs, on], elsewhere[inputs, off]).astype(np.int64)
            return listed
        reports = self.space.drawn_off(inputs, off)
        reports[coins] = self.space.drawn_on(inputs[coins], on[coins])
        return reports

    @cached_property
    def _listed(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """For each value the points on its hyperplane, and those off it: for many devices at once."""
        size = len(self.categories)
        on = self.space.incidence(size)
        there, elsewhere = (np.nonzero(each)[1].astype(np.int32).reshape(size, -1) for each in (on, ~on))
        return there, elsewhere

    def _supports(self, counts: Counts) -> NDArray[np.int64]:
        return self.space.hyperplane_sums(counts)[: len(self.categories)]

    def channel(self) -> FiniteMechanism:
        """Points on the hyperplane of the value, and points off it."""
        refuse_large(len(self.categories), self.numbers)
        on = self.space.on_hyperplane
        true, other = self.true_support / on, (1 - self.true_support) / (self.numbers - on)
        rows = self.space.incidence(len(self.categories)).tolist()
        return FiniteMechanism([[true if each else other for each in row] for row in rows])


def _other_support(true: Fraction, space: ProjectiveSpace) -> Fraction:
    on, both = space.on_hyperplane, space.on_both
    return true * Fraction(both, on) + (1 - true) * Fraction(on - both, len(space) - on)


def _best_space(size: int, epsilon: Fraction) -> ProjectiveSpace:
    """The space of smallest variance that has a point for each value; of about equal ones, the smallest."""
    spaces = [space for space in _spaces(size, epsilon) if space.prime**space.dimension <= MOST_CELLS]
    if not spaces:
        raise InvalidParameter(f"a space for {size:,} categories is too large at this epsilon: use HadamardResponse")
    spread = {space: _variance(space, size, epsilon) for space in spaces}
    best = min(spread.values())
    return min((space for space in spaces if spread[space] <= 1.01 * best), key=len)


def _spaces(size: int, epsilon: Fraction) -> Iterator[ProjectiveSpace]:
    """Spaces over fields of up to about twice the best size, e^ε + 1."""
    for prime in filter(is_prime, range(2, min(int(2 * exp_below(epsilon)) + 8, 10_000))):
        dimension = 2
        while len(ProjectiveSpace(prime, dimension)) < size:
            dimension += 1
        yield ProjectiveSpace(prime, dimension)


def _variance(space: ProjectiveSpace, size: int, epsilon: Fraction) -> float:
    grown = exp_below(epsilon) * space.on_hyperplane
    true = grown / (grown + len(space) - space.on_hyperplane)
    return support_variance(true, _other_support(true, space), Fraction(1, size))
