"""Answers with coins: what devices send."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.audit.zoo.draws import Draws
from privet.audit.zoo.specimen import Specimen
from privet.loss import Guarantee
from privet.mechanisms import DiscreteGaussian, DiscreteLaplace
from privet.noise import BitSource

ONE = Guarantee(1)
CATEGORIES = 4
BUCKETS = 4  # of local hashing, e + 1 rounded up


def _lie_or_not(bit: int, source: BitSource, count: int) -> NDArray[np.int64]:
    """The truth with probability 3/4; a "lie" is a fresh coin, which may be the truth too."""
    draws = Draws(source)
    return np.where(draws.coin(0.75, count), bit, draws.coin(0.5, count)).astype(np.int64)


def _unary(chance: float) -> Any:  # noqa: ANN401 - a specimen's run
    """One bit for each category; each is told truly with this probability."""

    def run(category: int, source: BitSource, count: int) -> NDArray[np.int8]:
        truth = np.arange(2) == category
        return np.asarray(truth ^ ~Draws(source).coin(chance, count, 2), dtype=np.int8)

    return run


def _optimised_unary(category: int, source: BitSource, count: int) -> NDArray[np.int8]:
    """The category's own bit by a fair coin, every other with probability 1 / (e + 1)."""
    draws = Draws(source)
    noise = draws.coin(1 / (math.e + 1), count, CATEGORIES)
    noise[:, category] = draws.coin(0.5, count)
    return noise.astype(np.int8)


def _kary(category: int, source: BitSource, count: int) -> NDArray[np.int64]:
    """The truth with probability e / (e + 3), else one of the others."""
    draws = Draws(source)
    others = 1 + draws.whole(CATEGORIES - 1, count)
    return np.where(draws.coin(math.e / (math.e + CATEGORIES - 1), count), category, (category + others) % CATEGORIES)


def _hashed(category: int, source: BitSource, count: int) -> NDArray[np.int64]:
    """The number of a hash function, and the noisy hash of the category."""
    draws = Draws(source)
    functions = draws.whole(64, count)
    buckets = (category * (2 * functions + 1) + functions // BUCKETS) % BUCKETS
    others = 1 + draws.whole(BUCKETS - 1, count)
    told = np.where(draws.coin(math.e / (math.e + BUCKETS - 1), count), buckets, (buckets + others) % BUCKETS)
    return np.stack([functions, told], axis=1)


SPECIMENS = {
    "lie_may_be_true": Specimen(
        "randomized response whose lie may be true",
        "the truth is told with probability 7/8, not 3/4",
        Guarantee("1.0986123"),
        math.log(7),
        (0, 1),
        _lie_or_not,
        10_000,
        {10_000: 1.80, 100_000: 1.90, 1_000_000: 1.93},
    ),
    "unary_encoding": Specimen(
        "unary encoding with e^ε for each bit",
        "two bits change, and each costs ε",
        ONE,
        2.0,
        (0, 1),
        _unary(math.e / (math.e + 1)),
        10_000,
        {10_000: 1.78, 100_000: 1.93, 1_000_000: 1.98},
    ),
    "optimised_unary": Specimen("optimised unary encoding", "", ONE, 1.0, (0, 1), _optimised_unary, 50_000),
    "local_hashing": Specimen("local hashing", "", ONE, 1.0, (0, 1), _hashed, 50_000),
    "kary_response": Specimen("randomized response of four", "", ONE, 1.0, (0, 1), _kary, 50_000),
    "discrete_laplace": Specimen(
        "discrete Laplace",
        "",
        ONE,
        1.0,
        (0, 1),
        lambda data, source, count: DiscreteLaplace(1, 1).sample(np.full(count, data), source),
        50_000,
    ),
    "discrete_gaussian": Specimen(
        "discrete Gaussian",
        "",
        Guarantee("4.4303", "1e-5"),
        4.43,
        (0, 1),
        lambda data, source, count: DiscreteGaussian(1, 1).sample(np.full(count, data), source),
        50_000,
    ),
}
