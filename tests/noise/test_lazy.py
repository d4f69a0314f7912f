"""Refinement: reals that differ only in their 128th bit, on both sides of a boundary, are told apart."""

from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx

from privet.noise import (
    BernoulliExpLaw,
    BernoulliLaw,
    BitSource,
    CategoricalLaw,
    DiscreteGaussianLaw,
    DiscreteLaplaceLaw,
    GaussianLaw,
    LaplaceLaw,
    Law,
)
from privet.noise.for_tests import bit_string_for_tests
from privet.noise.lazy import Steps, collect, midpoint, midpoints
from tests.noise.reference import LAWS, ball, laplace_tail

FAR_BITS = 63 + 64


def decay(exponent: arb) -> arb:
    return (-exponent).exp()


def edge_at(real: Callable[[], arb]) -> int:
    """The first 127 bits of a real in (0, 1): where a uniform crosses from one result to the next."""
    before = ctx.prec
    ctx.prec = FAR_BITS + 64
    try:
        scaled = (real() * 2**FAR_BITS).floor().unique_fmpz()
    finally:
        ctx.prec = before
    assert scaled is not None
    return int(scaled)


def tape(known: int, *, sign: int = 0) -> str:
    """The 127 known bits of a real as a sampler reads them: 52 low in a word, 11 above, then a second word."""
    low = known >> 75
    middle = known >> 64 & 0x7FF
    second = known & 2**64 - 1
    return f"{sign:01b}{middle:011b}{low:052b}{second:064b}"


@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(10), Fraction(2**20 + 1, 7)], ids=str)
@pytest.mark.parametrize("magnitude", [1, 2, 9])
@pytest.mark.parametrize("law", [LaplaceLaw, DiscreteLaplaceLaw])
def test_laplace_on_both_sides_of_a_boundary(
    law: type[LaplaceLaw | DiscreteLaplaceLaw], magnitude: int, scale: Fraction
) -> None:
    sampler = law(scale)
    edge = edge_at(lambda: LAWS[law](scale, magnitude))  # the chance of this magnitude or more
    for sign in (0, 1):
        for shift, expected in ((1, magnitude - 1), (-1, magnitude)):  # a larger uniform gives a smaller magnitude
            string = tape(edge + shift, sign=sign)
            assert sampler.one(bit_string_for_tests(string)) == (-1) ** sign * expected
            batch = sampler.many(bit_string_for_tests(string), 1)
            assert batch.tolist() == [(-1) ** sign * expected]


def test_a_bit_further_would_have_been_too_far() -> None:
    """The control: the boundary itself stays undecided with two words, and the sampler asks for a third."""
    sampler = LaplaceLaw(10)
    edge = edge_at(lambda: laplace_tail(Fraction(10), 3))
    with pytest.raises(RuntimeError, match="0 words left"):
        sampler.one(bit_string_for_tests(tape(edge)))


def test_gaussian_pair_on_both_sides_of_a_boundary() -> None:
    scale = 10
    half = 1 << 51  # an angle of pi/4, up to the bits below: both members of the pair hang on the same boundary
    edge = edge_at(lambda: decay((arb(7) / 2 / scale) ** 2))  # r cos(pi/4) = 3.5 / 10
    for shift, expected in ((1 << 30, 3), (-(1 << 30), 4)):
        first = tape(edge + shift)
        second = tape(half << 75)
        string = first[:64] + second[:64] + first[64:] + second[64:]
        assert GaussianLaw(scale).many(bit_string_for_tests(string), 2).tolist() == [expected, expected]
        assert GaussianLaw(scale).one(bit_string_for_tests(string)) == expected


@pytest.mark.parametrize("exponent", [Fraction(1, 7), Fraction(1), Fraction(20)], ids=str)
def test_survival_on_both_sides_of_a_boundary(exponent: Fraction) -> None:
    edge = edge_at(lambda: decay(ball(exponent)))
    for shift, expected in ((1, False), (-1, True)):
        law = BernoulliExpLaw(exponent)
        string = tape(edge + shift)
        assert law.one(bit_string_for_tests(string)) is expected
        assert law.many(bit_string_for_tests(string), 1).tolist() == [expected]


def test_acceptance_on_both_sides_of_a_boundary() -> None:
    """The second toss of the discrete Gaussian and of the categorical law is refined with their own exponent."""
    law = DiscreteGaussianLaw(10)
    proposal = tape(edge_at(lambda: decay(arb(37) / 10 / 10)))[:64]  # well inside a magnitude
    y = law._proposal.one(bit_string_for_tests(proposal))
    edge = edge_at(lambda: decay((arb(y) / 10 - 1) ** 2 / 2))
    accepted = proposal + tape(edge - 1)
    assert law.one(bit_string_for_tests(accepted)) == y
    assert law.many(bit_string_for_tests(accepted), 1).tolist() == [y]
    rejected = proposal + tape(edge + 1)
    with pytest.raises(RuntimeError, match="0 words left"):
        law.one(bit_string_for_tests(rejected))

    scores = CategoricalLaw([0, -1])  # the last slot belongs to the second candidate
    slot = f"{(scores._slots.below - 1) << 64 - scores._slots._bits:064b}"
    edge = edge_at(lambda: 2 * decay(arb(1)))  # level 1: twice the weight exp(-1)
    assert scores.one(bit_string_for_tests(slot + tape(edge - 1))) == 1
    with pytest.raises(RuntimeError, match="0 words left"):
        scores.one(bit_string_for_tests(slot + tape(edge + 1)))


@pytest.mark.parametrize("p", [Fraction(1, 3), Fraction(2, 7)])
def test_rational_coins_are_told_apart_at_the_second_word(p: Fraction) -> None:
    first, rest = divmod(p.numerator * 2**64, p.denominator)
    second = rest * 2**64 // p.denominator
    for shift, expected in ((-1, True), (1, False)):
        source = bit_string_for_tests(f"{first:064b}{second + shift:064b}")
        assert BernoulliLaw(p).one(source) is expected


def test_one_midpoint_is_as_many() -> None:
    words = np.array([0, 1, 2**52 - 1, 2**52, 2**63 + 5, 2**64 - 1], dtype=np.uint64)
    assert midpoints(words).tolist() == [float(midpoint(int(word))) for word in words]
    assert midpoints(words)[0] == 2.0**-53


def test_a_wide_value_widens_the_whole_array(source: BitSource) -> None:
    pieces: Iterator[Steps] = iter([np.arange(2**15), np.array([2**70, 1], dtype=np.object_)])

    def draw(_: int) -> Steps:
        return next(pieces)

    values = collect(2**15 + 2, draw)
    assert values.dtype == np.object_
    assert values[-2] == 2**70
    assert values[100] == 100
    assert LaplaceLaw(2**70).many(source, 10).dtype == np.object_


@pytest.mark.parametrize("kind", [np.int8, np.int64, np.object_])
def test_a_single_piece_is_of_the_kind_that_joined_ones_are(kind: type) -> None:
    assert collect(3, lambda size: np.ones(size, kind)).dtype == collect(2**15, lambda size: np.ones(size, kind)).dtype
    assert collect(5, lambda size: np.arange(size)[:2]).tolist() == [0, 1, 0, 1, 0]
    assert collect(0, lambda size: np.ones(size, kind)).dtype == np.int64


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_refined_values_are_independent(law: type[Law], source: BitSource) -> None:
    """Every value of a wide law is refined; no two share their magnitude, which has about 2^100 possibilities."""
    draws = law(2**100).many(source, 2_001)  # type: ignore[call-arg]  # every law here takes a scale
    assert len({abs(draw) for draw in draws}) == 2_001


def test_the_caller_s_precision_is_given_back(source: BitSource) -> None:
    before = ctx.prec
    ctx.prec = 77
    try:
        LaplaceLaw(2**100).many(source, 10)
        assert ctx.prec == 77
    finally:
        ctx.prec = before
