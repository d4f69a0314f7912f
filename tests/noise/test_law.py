"""Parameters: checked before anything is drawn, and answered in time however extreme."""

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from privet.errors import InvalidParameter
from privet.noise import (
    BernoulliExpLaw,
    BernoulliLaw,
    BitSource,
    CategoricalLaw,
    CauchyLaw,
    DiscreteLaplaceLaw,
    LaplaceLaw,
    Law,
    PermutationLaw,
    UniformLaw,
)
from privet.noise.entropy import Words
from privet.noise.for_tests import bit_string_for_tests
from privet.noise.lazy import RADIUS, midpoints
from tests.noise.reference import LAWS

NOTHING = bit_string_for_tests("")


@pytest.mark.parametrize("exponent", [-256, -200, -100, -1, 0, 1, 40, 63, 64, 100, 200, 256])
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_extreme_scales_answer(law: type[Law], exponent: int, source: BitSource) -> None:
    sampler = law(Fraction(2) ** exponent)  # type: ignore[call-arg]  # every law here takes a scale
    draws = sampler.many(source, 1000)
    assert len(draws) == 1000
    typical = np.median(np.abs(draws).astype(np.float64))
    if exponent < 0:
        assert typical <= (exponent == -1)  # the median of |Cauchy| at scale 1/2 is the edge between 0 and 1
    elif exponent > 1:
        assert 0.5 < typical / 2.0**exponent < 1.3  # ln 2 for Laplace, 0.674 for Gaussian, 1 for Cauchy
    assert isinstance(sampler.one(source), int)


BAD_SCALES = [
    0,
    -1,
    -0.0,
    math.nan,
    math.inf,
    -math.inf,
    5e-324,
    1e308,
    Fraction(1, 2**257),
    2**257,
    True,
    "1",
    None,
    [1.0],
]


@pytest.mark.parametrize("scale", BAD_SCALES, ids=repr)
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_bad_scales_are_refused(law: Callable[..., Law], scale: object) -> None:
    with pytest.raises(InvalidParameter, match="scale must"):
        law(scale)


@pytest.mark.parametrize(
    "scale", [3, 3.0, Fraction(3), Decimal(3), np.float64(3), np.int32(3), np.float32(3)], ids=repr
)
def test_every_kind_of_number_is_exact(scale: float) -> None:
    assert LaplaceLaw(scale).scale == 3
    assert LaplaceLaw(0.1).scale == Fraction(3602879701896397, 2**55)


@pytest.mark.parametrize("p", [-0.1, 1.5, math.nan, math.inf, "0.5"], ids=repr)
def test_bad_probabilities_are_refused(p: float) -> None:
    with pytest.raises(InvalidParameter, match="probability must"):
        BernoulliLaw(p)


@pytest.mark.parametrize("x", [-1e-300, math.nan, math.inf, 2**257], ids=repr)
def test_bad_exponents_are_refused(x: float) -> None:
    with pytest.raises(InvalidParameter, match="exponent must"):
        BernoulliExpLaw(x)


@pytest.mark.parametrize("below", [0, -5])
def test_bad_ranges_are_refused(below: int) -> None:
    with pytest.raises(InvalidParameter, match="below must be >= 1"):
        UniformLaw(below)


@pytest.mark.parametrize("scores", [[], [[1.0]], [math.nan], [1.0, math.inf], [-math.inf], ["a"], 3.0], ids=repr)
def test_bad_scores_are_refused(scores: list[float]) -> None:
    with pytest.raises(InvalidParameter, match="scores must"):
        CategoricalLaw(scores)


@pytest.mark.parametrize("rate", [0, -1, math.nan, 2**300])
def test_bad_rates_are_refused(rate: float) -> None:
    with pytest.raises(InvalidParameter, match="rate must"):
        CategoricalLaw([1, 2], rate=rate)


@pytest.mark.parametrize("count", [-1, 2**41])
@pytest.mark.parametrize(
    "law",
    [LaplaceLaw(1), DiscreteLaplaceLaw(1), UniformLaw(7), UniformLaw(1), BernoulliLaw(1), BernoulliExpLaw(1)],
    ids=repr,
)
def test_bad_counts_are_refused_before_a_bit_is_drawn(law: Law, count: int) -> None:
    with pytest.raises(InvalidParameter, match="count must be between"):
        law.many(NOTHING, count)


@pytest.mark.parametrize("law", [*(law(2) for law in LAWS), UniformLaw(7), CategoricalLaw([1, 2])], ids=repr)  # type: ignore[call-arg]
def test_none_is_a_count(law: Law) -> None:
    assert len(law.many(NOTHING, 0)) == 0


@pytest.mark.parametrize("length", [-1, 2**41])
def test_bad_lengths_are_refused(length: int) -> None:
    with pytest.raises(InvalidParameter, match="length must be between"):
        PermutationLaw(length)


def test_certain_outcomes() -> None:
    assert UniformLaw(1).one(NOTHING) == 0
    assert UniformLaw(1).many(NOTHING, 3).tolist() == [0, 0, 0]
    assert PermutationLaw(0).one(NOTHING).tolist() == []
    zeros = bit_string_for_tests("0" * 128)
    assert BernoulliLaw(0).many(zeros, 1).tolist() == [False]
    assert BernoulliLaw(1).many(bit_string_for_tests("1" * 64), 1).tolist() == [True]


def test_exponents_near_the_limit_never_survive(source: BitSource) -> None:
    assert not BernoulliExpLaw(2**256).many(source, 1000).any()
    assert BernoulliExpLaw(Fraction(1, 2**300)).many(source, 1000).all()


@pytest.mark.parametrize("rate", [Fraction(1), Fraction(1, 3), Fraction(2**40), Fraction(1, 2**40)], ids=str)
@pytest.mark.parametrize("nudge", [-0.3, -1e-3, -1e-9, -1e-13, 0.0, 1e-16, 1e-13, 1e-9, 1e-3])
def test_no_candidate_is_kept_with_more_than_certainty(rate: Fraction, nudge: float) -> None:
    """Scores placed around the edges between levels: 2^-b >= exp(-rate g), or the draw would be biased."""
    edges = np.arange(1, 50) * math.log(2) / float(rate)
    law = CategoricalLaw(np.concatenate(([0.0], -edges * (1 + nudge))), rate=rate)
    slots = law._start[:-1][np.diff(law._start) > 0]
    for level, first in enumerate(law._first[:-1]):
        for candidate in law._candidates[first : law._first[level + 1]]:
            assert not law.exponent_ball(int(candidate), level) < 0
    assert len(slots) > 1


def test_tied_keys_are_drawn_again() -> None:
    tape = "".join(f"{key:064b}" for key in (7, 7, 5, 3))
    assert PermutationLaw(2).one(bit_string_for_tests(tape)).tolist() == [1, 0]
    rows = "".join(f"{key:064b}" for key in (1, 2, 7, 7, 9, 8, 6, 4))  # only the middle one of three rows is tied
    assert PermutationLaw(2).many(bit_string_for_tests(rows), 3).tolist() == [[0, 1], [1, 0], [1, 0]]


def test_categorical_over_a_million_candidates(source: BitSource) -> None:
    scores = np.arange(1_000_000.0)
    draws = CategoricalLaw(scores, rate=1).many(source, 1000)
    assert min(draws.tolist()) > 999_900


def test_categorical_takes_unsigned_and_extreme_scores(source: BitSource) -> None:
    assert CategoricalLaw(np.array([2**64 - 1, 0], dtype=np.uint64)).one(source) == 0
    close = np.array([2**64 - 1, 2**64 - 2], dtype=np.uint64)  # one apart, and the same float64
    assert CategoricalLaw(close, rate=1000).many(source, 100).tolist() == [0] * 100
    assert CategoricalLaw([1.7e308, -1.7e308], rate=Fraction(1, 2**200)).one(source) == 0
    assert set(CategoricalLaw([1e-320, 0.0]).many(source, 100).tolist()) == {0, 1}


@pytest.mark.parametrize(
    ("law", "text"),
    [
        (LaplaceLaw(Fraction(1, 2)), "LaplaceLaw(scale=1/2)"),
        (BernoulliLaw(Fraction(1, 3)), "BernoulliLaw(1/3)"),
        (BernoulliExpLaw(2), "BernoulliExpLaw(2)"),
        (UniformLaw(6), "UniformLaw(below=6)"),
        (PermutationLaw(3), "PermutationLaw(length=3)"),
        (CategoricalLaw([1, 2]), "CategoricalLaw(2 candidates, rate=1)"),
    ],
)
def test_reprs_are_readable(law: object, text: str) -> None:
    assert repr(law) == text
    assert all("scale=2" in repr(law(2)) for law in LAWS)  # type: ignore[call-arg]


class Replayed:
    """The same words again, as if they were fresh."""

    def __init__(self, words: Words) -> None:
        self._words = words

    def words(self, count: int) -> Words:
        taken = self._words[:count]
        self._words = self._words[count:]
        return taken


@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(7), Fraction(2**24, 3), Fraction(2**40)], ids=str)
@pytest.mark.parametrize("law", [LaplaceLaw, DiscreteLaplaceLaw, CauchyLaw])
def test_single_draws_decide_as_many_do(law: type[LaplaceLaw], scale: Fraction, source: BitSource) -> None:
    """Each word by itself, without numpy, and all at once: the same whole numbers wherever both are decided."""
    drawn = source.words(5_000)
    sampler = law(scale)
    magnitudes, undecided = sampler.decide(midpoints(drawn), RADIUS)
    for place in np.flatnonzero(~np.asarray(undecided)).tolist():
        word = int(drawn[place])
        single = sampler.one(Replayed(np.concatenate((drawn[place : place + 1], drawn[:20]))))
        assert single == (-1 if word >> 63 else 1) * int(magnitudes[place])


@pytest.mark.parametrize("word", [0, 1 << 63, (1 << 52) - 1, (1 << 64) - 1])
def test_the_ends_of_the_unit_interval(word: int, source: BitSource) -> None:
    """Attack A17: no logarithm of zero, whatever the bits."""
    bits = np.concatenate((np.array([word], dtype=np.uint64), source.words(20)))
    for law in (LaplaceLaw(5), DiscreteLaplaceLaw(5), CauchyLaw(5)):
        assert isinstance(law.one(Replayed(bits)), int)
        if isinstance(law, LaplaceLaw | CauchyLaw):
            assert isinstance(law.near(Replayed(bits), 0.3), int)
