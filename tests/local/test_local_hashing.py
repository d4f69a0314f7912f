import math

import numpy as np
import pytest

from privet.errors import InvalidParameter
from privet.local import LocalHashing, Tally
from privet.local.hash_family import HashFamily
from privet.noise import BitSource
from tests.contracts.protocol import Example, ProtocolContract


def small(categories: int, epsilon: float, *, prime: int, functions: int | None = None) -> LocalHashing:
    """With so small a prime that all functions can be written down."""
    config = LocalHashing(categories=categories, epsilon=epsilon, functions=functions).config
    narrow = {**config, "prime": prime, "payload_bytes": 2}
    return LocalHashing.from_config(narrow)


class TestContract(ProtocolContract):
    EXAMPLES = (
        Example(small(5, 1, prime=7), 1, range(5), shares=(0.4, 0.3, 0.2, 0.1, 0)),
        Example(small(3, 2, prime=11), 2, range(3), shares=(0.7, 0.2, 0.1)),
    )
    REFUSED = (5, -1, "a")


def test_pairs_fall_together_as_often_as_is_claimed() -> None:
    for prime, buckets in ((7, 3), (11, 8), (13, 2)):
        family = HashFamily(buckets, prime)
        a, b = (each.ravel() for each in np.meshgrid(np.arange(prime), np.arange(prime)))
        for one, other in ((0, 1), (2, 5), (0, prime - 1)):
            together = np.mean(family.buckets_of(a, b, np.array(one)) == family.buckets_of(a, b, np.array(other)))
            assert together == pytest.approx(float(family.collision))


def test_supports_by_addition_are_those_by_multiplication(source: BitSource) -> None:
    family = HashFamily(buckets=5)
    a, b = (source.words(200) % np.uint64(family.prime)).astype(np.int64).reshape(2, -1)
    told = np.arange(100) % 5
    wanted = [int((family.buckets_of(a, b, np.array(value)) == told).sum()) for value in range(50)]
    assert family.supports(a, b, told, 50).tolist() == wanted
    assert family.supports_of(a, b, told, np.arange(50)).tolist() == wanted
    far = np.array([family.prime - 1, family.prime - 2, 2**30])
    wanted = [int((family.buckets_of(a, b, np.array(value)) == told).sum()) for value in far]
    assert family.supports_of(a, b, told, far).tolist() == wanted


@pytest.mark.parametrize(
    ("epsilon", "buckets", "variance"),
    [(0.1, 2, 400.667), (0.5, 3, 15.8174), (1, 4, 3.69165), (2, 8, 0.724591), (3, 21, 0.220565), (4, 56, 0.076023)],
)
def test_variances_are_those_of_the_reference(epsilon: float, buckets: int, variance: float) -> None:
    protocol = LocalHashing(categories=1024, epsilon=epsilon)
    assert protocol.buckets == buckets
    assert protocol.variance() == pytest.approx(variance, rel=2e-5)


@pytest.mark.whole
def test_intervals_of_few_shared_functions_hold_because_collisions_are_in_them(source: BitSource) -> None:
    """n = 20,000 devices, one value of a half, 2,000 families of 64; without collisions many intervals fail."""
    n, values, runs, functions = 20_000, 40, 2_000, 64
    shares = np.array([0.5, *[0.5 / (values - 1)] * (values - 1)])
    protocol = LocalHashing(categories=values, epsilon=2, functions=functions)
    p, g = float(protocol.true_support), protocol.buckets
    generator = np.random.default_rng(int(source.words(1)[0]))
    held, plain = [], []
    for _ in range(runs):
        a, b = generator.integers(0, protocol.prime, (2, functions, 1))
        fall = protocol.family.buckets_of(a, b, np.arange(values))
        told = np.zeros((functions, g))
        for value in range(values):
            told[np.arange(functions), fall[:, value]] += shares[value]
        law = told * p + (1 - told) * (1 - p) / (g - 1)
        counts = generator.multinomial(n, (law / law.sum()).ravel()).reshape(functions, g)
        estimate = protocol.estimate(Tally(protocol.config, n, counts))
        rebuilt = counts[np.arange(functions)[:, None], fall].sum(axis=0)
        object.__setattr__(estimate, "supports", rebuilt)  # under this family
        low, high = estimate.interval()
        held.append((low <= shares) & (shares <= high))
        object.__setattr__(estimate, "collisions", 0.0)
        estimate.__dict__.pop("_collided")
        low, high = estimate.interval()
        plain.append((low <= shares) & (shares <= high))
    covered = np.mean(held, axis=0)[1:].mean()
    assert 0.93 <= covered <= 0.97
    assert np.mean(plain, axis=0)[1:].mean() < 0.9, "the control"


def test_shared_functions_are_counted_in_a_small_table(source: BitSource) -> None:
    protocol = LocalHashing(categories=30, epsilon=1, functions=7)
    reports = protocol.privatize(np.arange(3_000) % 30, entropy=source)
    assert protocol.tally(reports).counts.shape == (7, 4)
    fresh = LocalHashing(categories=30, epsilon=1)
    assert fresh.tally(fresh.privatize(np.arange(300) % 30, entropy=source)).counts.shape == (30,)


def test_estimates_of_fresh_functions_are_near(source: BitSource) -> None:
    """n = 50,000: an error of more than 5 standard errors in one of 50 cells happens once in 30,000 runs."""
    protocol = LocalHashing(categories=50, epsilon=1)
    values = np.minimum(np.arange(50_000) % 100, 49)
    estimate = protocol.estimate(protocol.privatize(values, entropy=source))
    truth = np.bincount(values, minlength=50) / 50_000
    assert np.abs((estimate.value - truth) / estimate.standard_error).max() < 5.5
    assert estimate.standard_error[0] == pytest.approx(math.sqrt(3.69 / 50_000), rel=0.02)


def test_what_is_no_function_is_refused() -> None:
    protocol = LocalHashing(categories=5, epsilon=1, functions=3)
    for forged in ([[3, 0]], [[0, 4]], [[-1, 0]], [[0, 0, 0]], [[0.5, 0]]):
        with pytest.raises(InvalidParameter):
            protocol.tally(np.array(forged))
    with pytest.raises(InvalidParameter):
        LocalHashing.from_config({**protocol.config, "prime": 3})
    with pytest.raises(InvalidParameter, match="a prime"):
        LocalHashing.from_config({**protocol.config, "prime": 15})
