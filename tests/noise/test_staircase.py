"""The staircase law against its definition, by enumeration of short strings and by statistics."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx

from privet.errors import InvalidParameter
from privet.noise import BitSource, StaircaseLaw
from privet.noise.for_tests import bit_string_for_tests
from tests.noise.reference import ball
from tests.noise.test_exhaustive import assert_brackets, counts, prefixes
from tests.noise.test_lazy import edge_at, tape
from tests.support.statistics import assert_does_not_follow, assert_follows

pytestmark = [
    pytest.mark.whole,
    pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning"),  # the interval that touches zero
]
LAWS = [
    (Fraction(1), 1, 1),
    (Fraction(1), 8, 3),
    (Fraction(1, 10), 5, 5),
    (Fraction(5), 20, 1),
    (Fraction(1, 3), 2, 1),
    (Fraction(2), 100, 27),
]


def drops(k: int, width: int, rise: int) -> int:
    """How many stairs lie between zero and k."""
    return 0 if abs(k) < rise else (abs(k) - rise) // width + 1


def pmf(drop: Fraction, width: int, rise: int) -> dict[int, float]:
    """Weights e^(-drop stairs), over all numbers that matter, divided by their sum."""
    last = int((45 / drop + 2) * width)
    weights = {k: float(np.exp(-float(drop) * drops(k, width, rise))) for k in range(-last, last + 1)}
    total = sum(weights.values())
    return {k: weight / total for k, weight in weights.items()}


@pytest.mark.parametrize(("drop", "width", "rise"), LAWS, ids=str)
def test_draws_follow_the_law(drop: Fraction, width: int, rise: int, source: BitSource) -> None:
    law = StaircaseLaw(drop, width=width, rise=rise)
    draws = law.many(source, 1_000_000)
    assert_follows(draws, pmf(drop, width, rise))
    assert_does_not_follow(draws, pmf(drop * Fraction(10, 13), width, rise))
    if rise < width:
        assert_does_not_follow(draws, pmf(drop, width, rise + 1))
    singles = [law.one(source) for _ in range(10_000)]
    assert_follows(singles, pmf(drop, width, rise))


@pytest.mark.parametrize(("drop", "width", "rise"), LAWS, ids=str)
def test_every_short_string_gives_the_stair(drop: Fraction, width: int, rise: int) -> None:
    """The chance of each stair, from the definition, is bracketed by the decided strings."""
    law = StaircaseLaw(drop, width=width, rise=rise)
    down = (-ball(drop)).exp()
    total = 2 * rise - 1 + 2 * width * down / (1 - down)
    exact = {s: (2 * width * down**s if s else arb(2 * rise - 1)) / total for s in range(12)}
    for bits in (12, 18):
        stairs, undecided = law._stairs.decide(*prefixes(bits))
        assert isinstance(undecided, np.ndarray)
        assert_brackets(counts(stairs, undecided), int(undecided.sum()), 2**bits, exact)
        assert undecided.sum() < 2**bits / 2 ** (bits / 3)


@pytest.mark.parametrize(("drop", "width", "rise"), [(Fraction(1, 3), 8, 3), (Fraction(7), 2**40, 2**30)], ids=str)
def test_stairs_on_both_sides_of_a_boundary(drop: Fraction, width: int, rise: int) -> None:
    stairs = StaircaseLaw(drop, width=width, rise=rise)._stairs

    def chance() -> arb:
        down = (-ball(drop)).exp()
        later = 2 * width * down / (1 - down)
        return later / (2 * rise - 1 + later) * down  # of two stairs or more

    edge = edge_at(chance)
    assert stairs.one(bit_string_for_tests(tape(edge + 1))) == 1
    assert stairs.one(bit_string_for_tests(tape(edge - 1))) == 2


@pytest.mark.parametrize(
    "drop", [Fraction(1, 10**6), Fraction(1, 3), Fraction(5), Fraction(80), Fraction(500)], ids=str
)
def test_float_errors_of_the_offset_stay_far_below_the_reserve(drop: Fraction) -> None:
    for width, rise in ((1, 1), (8, 3), (2**59, 2**30)):
        stairs = StaircaseLaw(drop, width=width, rise=rise)._stairs
        before = ctx.prec
        ctx.prec = 200
        try:
            error = abs(float((stairs.offset_ball() - ball(Fraction(stairs._offset))).mid()))
        finally:
            ctx.prec = before
        assert stairs._offset >= 0
        assert error <= (stairs._doubt + 2.0**-40 * stairs._scale) / 2**10


def test_wide_and_steep(source: BitSource) -> None:
    wide = StaircaseLaw(Fraction(1, 2**100), width=2**60, rise=2**59).many(source, 2_001)
    assert wide.dtype == np.object_
    assert len(set(wide.tolist())) == 2_001
    assert max(abs(draw) for draw in wide) > 2**158
    steep = StaircaseLaw(500, width=2**30, rise=1).many(source, 10_000)
    assert (steep == 0).all()


@pytest.mark.parametrize(
    ("drop", "width", "rise"), [(0, 1, 1), (501, 1, 1), (1, 0, 1), (1, 2, 3), (1, 2, 0), (1, 2**62, 1)]
)
def test_bad_parameters_are_refused(drop: int, width: int, rise: int) -> None:
    with pytest.raises(InvalidParameter):
        StaircaseLaw(drop, width=width, rise=rise)
    assert "StaircaseLaw" in repr(StaircaseLaw(1, width=2, rise=1))
