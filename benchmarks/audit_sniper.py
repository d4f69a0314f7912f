"""DP-Sniper's mechanisms at ε = 0.1 (Bichsel, Steffen, Bogunovic and Vechev 2021), and what was published of them.

Laplace noise of scale s/ε on inputs that differ by 1 is ε times noise of scale s on inputs that differ by ε, so the
zoo's mechanisms, which are written for ε = 1, are run on inputs that are a tenth as far apart.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privet.audit.zoo import sparse_vector
from privet.audit.zoo.draws import Draws
from privet.noise import BitSource

EPSILON = 0.1
FINE = 1024  # answers are rounded to multiples of 1/1024: what floats give away is not their matter
Outcomes: TypeAlias = NDArray[Any]
TOLD = 10  # answers of a sparse vector


@dataclass(frozen=True)
class Published:
    """One row of their results.

    Args:
        name: the mechanism.
        true: its ε.
        linear: the power of the witness found by logistic regression.
        network: by a small network.
        seconds: of logistic regression, to a witness.
        run: many runs at once.
        pair: two neighboring inputs.
    """

    name: str
    true: str
    linear: float
    network: float
    seconds: int
    run: Callable[[Any, BitSource, int], Outcomes]
    pair: tuple[Any, Any]

    @property
    def best(self) -> float:
        """The larger of both."""
        return max(self.linear, self.network)


def scaled(row: list[float], threshold: float = 0.0, own: float = 0.0) -> list[float]:
    """Answers less their threshold, in the zoo's units, above the zoo's own threshold."""
    return [EPSILON * (each - threshold) + own for each in row]


def laplace(data: float, source: BitSource, count: int) -> Outcomes:
    """A number with Laplace noise."""
    return _rounded(data + Draws(source).laplace(1.0, count))


def histogram(counts: list[float], source: BitSource, count: int) -> Outcomes:
    """NoisyHist2: the scale is ε where it should be 1/ε."""
    return _rounded(counts + Draws(source).laplace(EPSILON, count, len(counts)))


def noisy_max(scores: list[float], source: BitSource, count: int) -> Outcomes:
    """The index of the largest noisy score."""
    return np.asarray(np.argmax(scores + Draws(source).laplace(2.0, count, len(scores)), axis=1))


def largest(scores: list[float], source: BitSource, count: int) -> Outcomes:
    """Its value, with Laplace noise."""
    return _rounded((scores + Draws(source).laplace(2.0, count, len(scores))).max(axis=1))


def largest_exponential(scores: list[float], source: BitSource, count: int) -> Outcomes:
    """Its value, with exponential noise."""
    return _rounded((scores + Draws(source).exponential(2.0, count, len(scores))).max(axis=1))


def prefix_sums(row: list[float], source: BitSource, count: int) -> Outcomes:
    """Sums of the first one, two, three noisy numbers and so on."""
    return _rounded(np.cumsum(row + Draws(source).laplace(1.0, count, len(row)), axis=1))


def _rounded(answers: Outcomes) -> Outcomes:
    return np.asarray(np.round(answers * FINE) / FINE)


def bits(chances: tuple[float, float]) -> Callable[[list[int], BitSource, int], Outcomes]:
    """RAPPOR: each bit of a Bloom filter is reported as 1 with the first probability if it is 0, else the second."""

    def run(row: list[int], source: BitSource, count: int) -> Outcomes:
        return (Draws(source).uniform(count, len(row)) < np.array(chances)[row]).astype(np.int8)

    return run


FIVE = (scaled([0.0] * 5), scaled([1.0] * 5))
FLIPPED = [1] * 3 + [0] * 3 + [0] * 14, [0] * 3 + [1] * 3 + [0] * 14  # six bits of twenty differ
CROSSED = [0.0] * 5 + [1.0] * 5, [1.0] * 5 + [0.0] * 5
FLATTENED = [0.0] * 5 + [2.0] * 5, [1.0] * TOLD


def pair_of(rows: tuple[list[float], list[float]], own: float = 0.0) -> tuple[list[float], list[float]]:
    """Two rows of answers to a threshold of 1."""
    return scaled(rows[0], 1.0, own), scaled(rows[1], 1.0, own)


PUBLISHED = (
    Published("Laplace", "0.1", 0.099, 0.100, 20, laplace, (0.0, EPSILON)),
    Published("NoisyHist2, scale ε", "10", 4.603, 4.603, 38, histogram, ([0.0] * 5, [1.0, 0.0, 0.0, 0.0, 0.0])),
    Published("noisy max, index", "0.1", 0.0945, 0.0948, 59, noisy_max, (scaled([1.0] * 5), scaled([2.0] + [0.0] * 4))),
    Published("noisy max, value, Laplace", "0.25", 0.250, 0.251, 59, largest, FIVE),
    Published("noisy max, value, exponential", "∞", 0.349, 0.356, 60, largest_exponential, FIVE),
    Published("SVT1 (right)", "0.1", 0.088, 0.088, 118, sparse_vector.first(0.0), pair_of(CROSSED)),
    Published("SVT2 (right)", "0.1", 0.088, 0.088, 148, sparse_vector.second(0.0), pair_of(CROSSED)),
    Published("SVT3", "∞", 0.174, 0.184, 150, sparse_vector.third, pair_of(FLATTENED)),
    Published("SVT4", "0.175", 0.171, 0.172, 123, sparse_vector.fourth, pair_of(CROSSED, 1.0)),
    Published("SVT5", "∞", 1.763, 1.763, 56, sparse_vector.fifth, pair_of(CROSSED)),
    Published("SVT6", "∞", 0.274, 0.272, 91, sparse_vector.sixth, pair_of(FLATTENED)),
    Published("one-time RAPPOR", "0.6", 0.600, 0.602, 80, bits((0.475, 0.525)), FLIPPED),
    Published("RAPPOR", "0.3", 0.295, 0.303, 131, bits((0.4875, 0.5125)), FLIPPED),
    Published("prefix sums", "1", 0.506, 0.580, 92, prefix_sums, (scaled([0.0] * TOLD), scaled([1.0] * TOLD))),
)
