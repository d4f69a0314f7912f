"""ProjectiveSpace: points over a prime field, numbered, and the hyperplane that belongs to each."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class ProjectiveSpace:
    """The points of a projective space: vectors of digits below a prime, of which the first that is not 0 is 1.

    Args:
        prime: q, the size of the field.
        dimension: t >= 2, how many digits a vector has.

    A point with m digits after its leading one is the number N in base q, from q^m on; points are numbered in this
    order, so that the first with m digits has the number (q^m - 1)/(q - 1). A point u lies on the hyperplane of v if
    the sum of the products of their digits is 0 modulo q. Each hyperplane has (q^(t-1) - 1)/(q - 1) points, and two
    have (q^(t-2) - 1)/(q - 1) in common.

    Example:
        >>> space = ProjectiveSpace(prime=3, dimension=3)
        >>> len(space), space.vectors(np.array([0, 1, 4])).tolist()
        (13, [[0, 0, 1], [0, 1, 0], [1, 0, 0]])
    """

    prime: int
    dimension: int

    def __len__(self) -> int:
        return self._points(self.dimension)

    @property
    def on_hyperplane(self) -> int:
        """How many points a hyperplane has."""
        return self._points(self.dimension - 1)

    @property
    def on_both(self) -> int:
        """How many points two hyperplanes have in common."""
        return self._points(self.dimension - 2)

    def vectors(self, points: Numbers) -> Numbers:
        """The digits of points, one row each."""
        extra = np.searchsorted(self._starts, points, side="right") - 1
        return self._digits(points - self._starts[extra] + self._powers[extra])

    def points(self, vectors: Numbers) -> Numbers:
        """The numbers of the points that vectors, none of them 0, lie on: multiples are one point."""
        first = np.argmax(vectors != 0, axis=1)
        leading = np.take_along_axis(vectors, first[:, None], axis=1)
        scaled = vectors * self._inverses[leading] % self.prime
        extra = self.dimension - 1 - first
        found: Numbers = scaled @ self._powers[::-1] - self._powers[extra] + self._starts[extra]
        return found

    def drawn_on(self, planes: Numbers, choices: Numbers) -> Numbers:
        """Of the hyperplane of each point the one with this number, from 0 to `on_hyperplane` - 1.

        Proof: the leading one of v is left out of u, the other digits of u are those of a point with one digit less,
            and the digit left out follows from the sum being 0. Multiples of u have multiples of these digits, so this
            goes through the points of the hyperplane, each once.
        """
        smaller = ProjectiveSpace(self.prime, self.dimension - 1)
        return self._solved(planes, smaller.vectors(choices), 0)

    def drawn_off(self, planes: Numbers, choices: Numbers) -> Numbers:
        """Of the points that do not lie there the one with this number, from 0 to q^(t-1) - 1.

        Proof: such a point has just one multiple whose sum with v is 1; all digits but one of it are free.
        """
        return self._solved(planes, self._digits(choices)[:, 1:], 1)

    def _solved(self, planes: Numbers, others: Numbers, total: int) -> Numbers:
        """Fill in the digit at the leading one of each v, so that the sum of products is `total`."""
        vectors = self.vectors(planes)
        pivot = np.argmax(vectors != 0, axis=1)
        places = np.arange(self.dimension - 1)
        places = places + (places >= pivot[:, None])  # all but the pivot
        filled = np.zeros_like(vectors)
        np.put_along_axis(filled, places, others, axis=1)
        missing = (total - (filled * vectors).sum(axis=1)) % self.prime
        np.put_along_axis(filled, pivot[:, None], missing[:, None], axis=1)
        return self.points(filled)

    def hyperplane_sums(self, counts: Numbers) -> Numbers:
        """For each point v, the sum of the counts of all points on its hyperplane.

        Proof: give every multiple of u the count of u. Its Fourier transform over the vectors is, at v, the sum over u
            of its count times q [u on the hyperplane of v] - 1. Rounding is far from a half for up to 10^12 reports.
        """
        shape = (self.prime,) * self.dimension
        spread = np.zeros(self.prime**self.dimension)
        spread[1:] = counts[self.points(self._digits(np.arange(1, spread.size)))]
        transformed = np.fft.fftn(spread.reshape(shape)).real.ravel()
        at = self.vectors(np.arange(len(self))) @ self._powers[::-1]
        sums: Numbers = np.rint((transformed[at] + counts.sum()) / self.prime).astype(np.int64)
        return sums

    def incidence(self, first: int | None = None) -> NDArray[np.bool_]:
        """Whether each point (columns) lies on the hyperplane of each of the first points (rows), for small spaces."""
        vectors = self.vectors(np.arange(len(self))).astype(np.float64)  # products of floats are fast, and exact here
        on: NDArray[np.bool_] = vectors[:first] @ vectors.T % self.prime == 0
        return on

    def _digits(self, numbers: Numbers) -> Numbers:
        digits = np.empty((len(numbers), self.dimension), dtype=np.int64)
        left = numbers
        for place in range(self.dimension - 1, -1, -1):
            higher = left // self.prime
            digits[:, place] = left - higher * self.prime
            left = higher
        return digits

    def _points(self, dimension: int) -> int:
        return int((self.prime**dimension - 1) // (self.prime - 1))

    @cached_property
    def _powers(self) -> Numbers:
        return np.array([self.prime**place for place in range(self.dimension)], dtype=np.int64)

    @cached_property
    def _starts(self) -> Numbers:
        return np.array([self._points(place) for place in range(self.dimension)], dtype=np.int64)

    @cached_property
    def _inverses(self) -> NDArray[Any]:
        return np.array([pow(each, -1, self.prime) if each else 0 for each in range(self.prime)], dtype=np.int64)
