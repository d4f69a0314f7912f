"""Every law by its probabilities; sums of shares by convolution."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import geom, nbinom

from privet.errors import InvalidParameter
from privet.noise import BitSource
from privet.noise.for_tests import bit_string_for_tests
from privet.noise.polya import PolyaLaw
from tests.support.statistics import assert_does_not_follow, assert_follows


@pytest.mark.parametrize(("shape", "scale"), [(Fraction(1, 3), 2), (1, 1), (Fraction(1, 50), 4)])
def test_draws_follow_the_negative_binomial_law(shape: Fraction, scale: int, source: BitSource) -> None:
    """n = 200,000, false alarm 1e-6; the control has a scale 30 % off."""
    drawn = PolyaLaw(shape, scale).many(source, 200_000)
    laws = [
        {k: float(nbinom.pmf(k, float(shape), 1 - np.exp(-1 / each))) for k in range(200)}
        for each in (scale, 0.7 * scale)
    ]
    assert_follows(drawn, laws[0])
    assert_does_not_follow(drawn, laws[1])


def test_edges_are_the_cumulative_probabilities() -> None:
    edges = PolyaLaw(Fraction(1, 4), 3)._edges / 2.0**64
    assert edges[:40] == pytest.approx(nbinom.cdf(np.arange(40), 0.25, 1 - np.exp(-1 / 3)), rel=1e-12)
    assert 1 - edges[-1] < 1e-18 or len(edges) > 100


def test_a_word_on_an_edge_is_settled_by_more_bits() -> None:
    """The same 64 bits, then zeros or ones: below the edge, and above it."""
    law = PolyaLaw(Fraction(1, 2), 2)
    edge = f"{int(law._edges[0]):064b}"
    assert law.one(bit_string_for_tests(edge + "0" * 64)) == 0
    assert law.one(bit_string_for_tests(edge + "1" * 64)) == 1
    assert law.one(bit_string_for_tests("0" * 64)) == 0


def test_words_beyond_the_table_are_settled_too() -> None:
    far = PolyaLaw(1, 1).one(bit_string_for_tests("1" * 64 + "0" * 64))
    assert far == pytest.approx(-np.log(2.0**-64), abs=2)  # geometric: the quantile of 1 - 2^-64
    assert geom.cdf(far + 1, 1 - np.exp(-1)) == 1.0


def test_refuses_what_is_no_law() -> None:
    for shape, scale in ((0, 1), (2, 1), (1, 0), (1, 2**17)):
        with pytest.raises(InvalidParameter):
            PolyaLaw(shape, scale)


def test_a_law_that_is_nearly_always_0_has_no_edges_and_is_drawn(source: BitSource) -> None:
    law = PolyaLaw(Fraction(1, 6), Fraction(1, 50))
    assert not len(law._edges)
    assert not law.many(source, 1000).any()  # above 0 once in 10^21
    assert law.one(bit_string_for_tests("1" * 80 + "0" * 48)) == 1
