"""Each sampler against its law at n = 10^6, and against the law at 1.3 times the scale, which must be rejected."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from privet.noise import (
    BernoulliExpLaw,
    BernoulliLaw,
    BitSource,
    CategoricalLaw,
    Law,
    PermutationLaw,
    UniformLaw,
)
from tests.noise.reference import LAWS, Cells, Tail
from tests.support.statistics import assert_does_not_follow, assert_follows, tally

pytestmark = pytest.mark.whole

N = 1_000_000
SCALES = [
    Fraction(1, 5),
    Fraction(1, 2),
    Fraction(1),
    Fraction(10, 3),
    Fraction(1000),
    Fraction(2**20),
    Fraction(2**30),
]


def check_scale(law: type[Law], tail: Tail, scale: Fraction, n: int, source: BitSource) -> None:
    cells = Cells.for_scale(scale)
    draws = cells.of(law(scale).many(source, n))  # type: ignore[call-arg]  # every law here takes a scale
    assert_follows(draws, cells.pmf(tail, scale))
    assert_does_not_follow(draws, cells.pmf(tail, scale * Fraction(13, 10)))


@pytest.mark.parametrize("scale", SCALES, ids=str)
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_many_follow_the_law(law: type[Law], scale: Fraction, source: BitSource) -> None:
    check_scale(law, LAWS[law], scale, N, source)


@pytest.mark.parametrize("scale", [Fraction(2**45), Fraction(2**200, 3)], ids=["2^45", "2^200/3"])
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_scales_beyond_float64_follow_the_law(law: type[Law], scale: Fraction, source: BitSource) -> None:
    check_scale(law, LAWS[law], scale, 20_000, source)


@pytest.mark.soak
@pytest.mark.parametrize("scale", [Fraction(2**45), Fraction(2**200, 3)], ids=["2^45", "2^200/3"])
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_a_million_beyond_float64_follow_the_law(law: type[Law], scale: Fraction, source: BitSource) -> None:
    check_scale(law, LAWS[law], scale, N, source)


@pytest.mark.soak
@pytest.mark.parametrize("scale", SCALES, ids=str)
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_a_hundred_million_follow_the_law(law: type[Law], scale: Fraction, source: BitSource) -> None:
    cells = Cells.for_scale(scale)
    sampler = law(scale)  # type: ignore[call-arg]  # every law here takes a scale
    draws: Counter[int] = Counter()
    for _ in range(100):
        draws += tally(cells.of(sampler.many(source, N)))
    assert_follows(draws, cells.pmf(LAWS[law], scale))
    assert_does_not_follow(draws, cells.pmf(LAWS[law], scale * Fraction(101, 100)))


@pytest.mark.parametrize("scale", [Fraction(1, 2), Fraction(3), Fraction(2**20), Fraction(2**70)], ids=str)
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_single_draws_follow_the_law(law: type[Law], scale: Fraction, source: BitSource) -> None:
    cells = Cells.for_scale(scale)
    sampler = law(scale)  # type: ignore[call-arg]  # every law here takes a scale
    draws = np.array([sampler.one(source) for _ in range(20_000)])
    assert_follows(cells.of(draws), cells.pmf(LAWS[law], scale))
    assert_does_not_follow(cells.of(draws), cells.pmf(LAWS[law], scale * Fraction(13, 10)))


@pytest.mark.parametrize("below", [2, 3, 6, 10, 1000, 2**31 + 1])
def test_uniform(below: int, source: BitSource) -> None:
    cells = min(below, 500)
    edges = [below * j // cells for j in range(cells + 1)]
    pmf = {j: (edges[j + 1] - edges[j]) / below for j in range(cells)}
    draws = UniformLaw(below).many(source, N)
    assert_follows(np.searchsorted(edges, draws, side="right") - 1, pmf)
    biased = draws % max(1, below - 1)  # the folded top value lands on 0 twice
    tilted = np.where(draws < below * 2 // 3, draws, biased // 2)
    assert_does_not_follow(np.searchsorted(edges, tilted, side="right") - 1, pmf)


@pytest.mark.parametrize("below", [2**64 - 1, 2**64, 2**70 + 1, 3 * 2**198])
def test_uniform_beyond_int64(below: int, source: BitSource) -> None:
    draws = UniformLaw(below).many(source, 20_000)
    assert all(0 <= draw < below for draw in draws)
    tenths = np.array([10 * draw // below for draw in draws])
    assert_follows(tenths, dict.fromkeys(range(10), 0.1))
    assert_does_not_follow(np.minimum(tenths, 8), dict.fromkeys(range(10), 0.1))


@pytest.mark.parametrize(
    "p", [Fraction(1, 1000), Fraction(1, 3), Fraction(1, 2), Fraction(3, 4), Fraction(99, 100), 0.1]
)
def test_bernoulli(p: Fraction, source: BitSource) -> None:
    coins = BernoulliLaw(p).many(source, N)
    assert_follows(coins.astype(np.int64), {1: float(p), 0: float(1 - p)})
    wrong = float(p) * (1.3 if p < Fraction(3, 4) else 0.7)
    assert_does_not_follow(coins.astype(np.int64), {1: wrong, 0: 1 - wrong})


@pytest.mark.parametrize("x", [Fraction(1, 1000), Fraction(1, 3), Fraction(1, 1), 2.5, Fraction(4), Fraction(6)])
def test_bernoulli_exp(x: Fraction, source: BitSource) -> None:
    p = float(np.exp(-float(x)))
    coins = BernoulliExpLaw(x).many(source, N)
    assert_follows(coins.astype(np.int64), {1: p, 0: 1 - p})
    wrong = float(np.exp(-1.3 * float(x)))
    assert_does_not_follow(coins.astype(np.int64), {1: wrong, 0: 1 - wrong})
    singles = np.array([BernoulliExpLaw(x).one(source) for _ in range(20_000)])
    assert_follows(singles.astype(np.int64), {1: p, 0: 1 - p})


CATEGORICAL: dict[str, tuple[list[float], Fraction]] = {
    "auction": ([3, 2, 3, 0], Fraction(1, 8)),
    "two": ([0.0, 1.0], Fraction(1)),
    "equal": ([5] * 7, Fraction(3)),
    "spread": (list(np.linspace(-20.0, 20.0, 50)), Fraction(1, 2)),
    "huge": ([1e6, 1e6 - 1, 0.0, -1e6, -np.inf], Fraction(1)),
    "exact-ints": ([2**62, 2**62 - 1, 2**62 - 3, -(2**62)], Fraction(1, 2)),
    "steep": ([0.0, 0.001, 0.002], Fraction(1000)),
}


@pytest.mark.parametrize("name", CATEGORICAL)
def test_categorical(name: str, source: BitSource) -> None:
    scores, rate = CATEGORICAL[name]

    def pmf(rate: Fraction) -> dict[int, float]:
        best = max(scores)
        weights = [float(np.exp(float(rate) * float(score - best))) for score in scores]
        return {i: weight / sum(weights) for i, weight in enumerate(weights) if weight > 0}

    draws = CategoricalLaw(scores, rate=rate).many(source, N)
    assert_follows(draws, pmf(rate))
    if name != "equal":
        assert_does_not_follow(draws, pmf(rate * Fraction(13, 10)))


@pytest.mark.parametrize("length", [2, 3, 4, 5, 6, 20])
def test_permutation(length: int, source: BitSource) -> None:
    shown = length if length < 7 else 2  # all orders of a few things, the first two places of many

    def codes(
        orders: np.ndarray[tuple[int, ...], np.dtype[np.intp]],
    ) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
        code = np.zeros(len(orders), dtype=np.int64)
        for place in range(shown):
            code = code * length + orders[:, place]
        return code

    orders = PermutationLaw(length).many(source, N)
    possible = np.unique(codes(orders))
    assert len(possible) == np.prod([length - j for j in range(shown)])
    pmf = dict.fromkeys(possible.tolist(), 1 / len(possible))
    assert_follows(codes(orders), pmf)
    sticky = np.where((np.arange(N) % 20 == 0)[:, None], np.arange(length), orders)  # one in twenty not shuffled
    assert_does_not_follow(codes(sticky), pmf)
