"""PartitionCounts: which groups are large enough to be named, and how large they are."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from privet.errors import InvalidParameter
from privet.loss.exact import shortest
from privet.mechanisms.discrete_laplace import DiscreteLaplace
from privet.mechanisms.key_order import in_order
from privet.mechanisms.partition_selection import (
    LARGEST_COUNT,
    LARGEST_EPSILON,
    Counts,
    Partitions,
    bound_of,
    counts_of,
)
from privet.noise import BitSource, DiscreteLaplaceLaw, Lattice
from privet.noise.lazy import Steps

SELDOM = Fraction(1, 32)  # noise would seldom lie within a bound of fewer scales than this
NoisyCounts: TypeAlias = Steps | dict[Any, int]


@dataclass(frozen=True, init=False, repr=False)
class PartitionCounts(Partitions[NoisyCounts]):
    """Adds bounded geometric noise to the number of units of each partition, and tells it where it exceeds the bound.

    Args:
        epsilon: > 0; for one partition.
        delta: in (0, 1); for one partition.
        partitions_per_unit: how many partitions one unit can move; under "replace" twice as many as it can be in.
        promise: the (ε, δ) it was made for; by default partitions_per_unit times (epsilon, delta).

    Privacy: as `PartitionSelection`, noisy counts included. It names a little fewer partitions at the same price: as
        many as that would with at most one unit less in each.
    Proof: the noise has Pr[x] = c e^(-ε|x|) for |x| <= k. Between n and n + 1 units the noisy counts share all values
        but one on each side, of mass c e^(-εk) <= δ; on shared ones masses differ by at most e^ε. That is (ε, δ)-DP.
        Telling only counts above k is post-processing, and a partition of nobody is never told, present or not.
        k is ln((e^ε + 2δ - 1)/(δ(e^ε + 1)))/ε rounded up (Desfontaines, Voss, Gipson and Mandayam 2022).

    Example:
        >>> PartitionCounts(epsilon=1, delta="1e-5").largest_error
        11
    """

    @cached_property
    def largest_error(self) -> int:
        """The bound k of the noise: no count is farther off, and every count told is above it."""
        return bound_of(self.epsilon, self.delta)

    @property
    def noise(self) -> DiscreteLaplace:
        """Noise that is as far off or farther: it is the same but for the bound."""
        return DiscreteLaplace(1, 1 / self.epsilon)

    @cached_property
    def _law(self) -> DiscreteLaplaceLaw:
        return DiscreteLaplaceLaw(1 / min(self.epsilon, Fraction(LARGEST_EPSILON)))

    def _refuse_undrawable(self) -> None:
        if self.largest_error * self.epsilon < SELDOM or self.largest_error > LARGEST_COUNT:
            raise InvalidParameter(
                f"epsilon must be larger, got {shortest(self.epsilon)} for one partition at a delta of "
                f"{shortest(self.delta)}: use PartitionSelection, and count the groups it names"
            )

    def sample(self, value: Counts, source: BitSource) -> NoisyCounts:
        """The noisy counts by key, sorted; or for a row of counts the noisy ones, and 0 where none is told."""
        counts = counts_of(value)
        noisy = Lattice.add(counts, self._noise(source, len(counts)))
        told = np.where(noisy > self.largest_error, noisy, 0)
        if not isinstance(value, Mapping):
            return told
        return dict(in_order((key, int(number)) for key, number in zip(value, told.tolist(), strict=True) if number))

    def _noise(self, source: BitSource, size: int) -> Steps:
        """Geometric noise, each drawn again until it lies within the bound: its law given that it does."""
        noise = self._law.many(source, size)
        while (outside := np.flatnonzero(np.abs(noise) > self.largest_error)).size:
            noise[outside] = self._law.many(source, outside.size)
        return noise.astype(np.int64)
