"""AffineResponse: a map modulo a prime that sends the device's value below a bound more often than others."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privet.local.categories import Categories
from privet.local.fair_sets import FairSets, best_size
from privet.local.frequency_estimate import FrequencyEstimate
from privet.local.hash_family import is_prime
from privet.local.number_reports import NumberReports
from privet.local.protocol import Reports, refuse_large
from privet.local.tally import Counts
from privet.local.weights import checked_weight, declared, favored_weight
from privet.loss.exact import Exact, whole
from privet.mechanisms import FiniteMechanism
from privet.noise import BitSource, UniformLaw
from privet.noise.coins import CoinLaw

MOST = 4096  # categories; a tally goes through as many maps as the square of it
AT_ONCE = 1 << 18  # pairs of a map and a value that are worked on at once: they stay in the cache


@dataclass(frozen=True, init=False, repr=False)
class AffineResponse(FairSets, NumberReports[FrequencyEstimate]):
    """As accurate as `SubsetSelection`, with reports of 2 log₂ k bits instead of k.

    The sets are a block design (Park, Nam and Lee 2024; pairwise independent sets as in Feldman and Talwar 2021).

    Args:
        categories: k, up to 4,096, or the list of values; see `Categories`.
        epsilon: what a report may cost, from a millionth to 20.

    A report is a map v ↦ (slope v + shift) mod P, P the smallest prime that is not below k, and stands for the set of
    values that it sends below `chosen`. With the weight `inside` out of 2^52 the own value is in that set.

    Privacy: `epsilon`-DP for each report.
    Proof: see `FairSets`. There are P(P-1) maps; for two different values and two different images just one map sends
        the former to the latter, so equally many sets hold any one value, and any two. Given the slope and the image of
        the own value the shift is fixed; both are uniform, so all sets with the own value are equally likely, and all
        without.

    Example:
        >>> protocol = AffineResponse(categories=1024, epsilon=1)
        >>> protocol.prime, protocol.chosen, protocol.payload_bytes, round(protocol.variance(), 4)
        (1031, 277, 3, 3.6736)
    """

    name: ClassVar[str] = "affine_response"
    categories: Categories
    chosen: int
    inside: int

    def __init__(self, categories: Any, epsilon: Exact) -> None:  # noqa: ANN401 - a number or a list
        known, cost = Categories(categories), declared(epsilon)
        whole(len(known), "the number of categories", high=MOST)
        places = _prime_from(len(known))
        size = best_size(places, cost)
        self._fill(known, size, favored_weight(cost, favored=size, others=places - size))

    def _fill_from(self, config: Mapping[str, Any]) -> None:
        known = Categories(config["categories"])
        whole(len(known), "the number of categories", high=MOST)
        self._fill(known, config["chosen"], checked_weight(config["inside"], "inside"))

    @property
    def parameters(self) -> dict[str, Any]:
        """The values, the prime, the size of a set, and the weight out of 2^52 of sets that hold the own value."""
        sets = {"prime": self.prime, "chosen": self.chosen, "inside": self.inside}
        return {"categories": self.categories.config, **sets}

    @cached_property
    def prime(self) -> int:
        """The smallest that is not below k."""
        return _prime_from(len(self.categories))

    @property
    def places(self) -> int:
        """What maps send values to: numbers below the prime."""
        return self.prime

    @property
    def numbers(self) -> int:
        """The maps: by their slopes from 1 on, those of one slope by their shifts."""
        return self.prime * (self.prime - 1)

    def _drawn(self, inputs: NDArray[Any], source: BitSource) -> Reports:
        coins = CoinLaw(self.inside).many(source, len(inputs))
        others = self.prime - self.chosen
        drawn = UniformLaw((self.prime - 1) * self.chosen * others).many(source, len(inputs))
        left, high = np.divmod(drawn.astype(np.int64, copy=False), others)
        slopes, low = np.divmod(left, self.chosen)
        images = np.where(coins, low, high + self.chosen)
        shifts = (images - (slopes + 1) * inputs) % self.prime
        reports: Reports = slopes * self.prime + shifts
        return reports

    def _counted(self, reports: Reports, times: Counts | None) -> Counts:
        """How many sets hold each value: of few maps one by one, of many by how often each map that there is came."""
        counts = np.zeros(len(self.categories), dtype=np.int64)
        if len(reports) * len(self.categories) <= self.numbers:
            for part in _parts(len(reports), len(self.categories)):
                held = self._held(reports[part])
                counts += np.count_nonzero(held, axis=0) if times is None else times[part] @ held
            return counts
        came = super()._counted(reports, times).reshape(-1, self.prime)
        for part in _parts(len(came), self.prime):
            counts += self._added(came[part], np.arange(1, self.prime)[part])
        return counts

    def _held(self, reports: Reports) -> NDArray[np.bool_]:
        """Whether the set of each report holds each value."""
        slopes, shifts = np.divmod(reports[:, None], self.prime)
        held: NDArray[np.bool_] = ((slopes + 1) * self._values + shifts) % self.prime < self.chosen
        return held

    def _added(self, came: Counts, slopes: Reports) -> Counts:
        """How many sets hold each value, if maps of these slopes (rows) came so often with each shift (columns).

        Proof: a value is held if its image under the slope alone, plus the shift, is 0 to w - 1 modulo P: by w shifts
            that follow each other, around P. Their counts are the difference of two sums from the left.
        """
        around = np.hstack([np.zeros_like(came[:, :1]), came, came[:, : self.chosen - 1]])
        reached = np.cumsum(around, axis=1)
        held = reached[:, self.chosen :] - reached[:, : self.prime]
        first = -slopes[:, None] * self._values % self.prime
        first += np.arange(0, held.size, self.prime)[:, None]
        added: Counts = np.take(held, first).sum(axis=0)
        return added

    @cached_property
    def _values(self) -> NDArray[np.int64]:
        return np.arange(len(self.categories))

    def _supports(self, counts: Counts) -> NDArray[np.int64]:
        return counts

    def outcomes(self) -> Reports:
        """The numbers of the maps, in order."""
        refuse_large(len(self.categories), self.numbers)
        return super().outcomes()

    def channel(self) -> FiniteMechanism:
        """Maps whose set holds the value, and those whose set does not."""
        held = self._held(self.outcomes()).T.tolist()
        maps = self.prime - 1
        true = self.true_support / (maps * self.chosen)
        other = (1 - self.true_support) / (maps * (self.prime - self.chosen))
        return FiniteMechanism([[true if each else other for each in row] for row in held])


def _prime_from(size: int) -> int:
    return next(filter(is_prime, count(size)))


def _parts(rows: int, width: int) -> Iterator[slice]:
    """So many rows at once that they stay in the cache."""
    size = max(1, AT_ONCE // width)
    return (slice(start, start + size) for start in range(0, rows, size))
