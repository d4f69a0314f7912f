"""Rounded normals from bars: every short string, both sides of boundaries, and the law where the rest is frequent."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from privet.noise import BitSource, GaussianLaw
from privet.noise.barred_gaussian import MANY, WIDEST, BarredGaussian
from privet.noise.for_tests import bit_string_for_tests, seeded_entropy_for_tests
from privet.noise.lazy import CHUNK, Floats, Steps, collect
from privet.noise.normal_bars import LazyReal, NormalBars, normal_bars
from tests.noise.reference import around_pmf, ball
from tests.noise.test_around import cells, edges_about
from tests.noise.test_exhaustive import assert_brackets, assert_shrinks
from tests.noise.test_normal_bars import FEW, SOME
from tests.support.statistics import assert_does_not_follow, assert_follows

CENTERS = [0.0, -0.0, 0.5, -0.5, 0.3, -1234.7, 1 - 2.0**-53, -(2.0**-60), 2.0**31, -(2.0**31) - 0.5]
SCALES = [Fraction(1, 3), Fraction(10, 3), Fraction(2**24 + 1, 3), Fraction(WIDEST)]


def floors(law: BarredGaussian, word: int, center: float, *, known: int = 48) -> set[int]:
    """The values that the reals beginning with the first bits of a word's place can have, in exact arithmetic."""
    place = (word >> 16) - (1 << 48 if word >> 63 else 0)
    width = int(law._bars.half_widths[word & 0xFFFF])
    both = (Fraction(place + more, 2**47) * width / 2**law._bars.grid for more in (0, 1 << 48 - known))
    low, high = sorted(Fraction(center) + Fraction(1, 2) + law.scale * noise for noise in both)
    return set(range(math.floor(low), max(math.ceil(high), math.floor(low) + 1)))


@pytest.mark.parametrize("center", [0.0, 0.25, -0.3, 0.5], ids=str)
@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(10, 3)], ids=str)
def test_every_short_string(scale: Fraction, center: float) -> None:
    """All bars and all first bits of a place: decided <= what the bars have <= decided + undecided."""
    law = BarredGaussian(scale, FEW)
    slots = np.arange(0, FEW.filled, 2**10, dtype=np.uint64)
    exact = {k: Fraction(0) for k in range(-12, 13)}
    for slot in slots.tolist():
        width = scale * int(FEW.half_widths[slot]) / 2**FEW.grid
        for k in exact:
            low, high = (k + Fraction(side, 2) - Fraction(center) for side in (-1, 1))
            exact[k] += max(0, min(high, width) - max(low, -width)) / (2 * width) / len(slots)
    assert sum(exact.values()) == 1
    open_mass = {}
    for known in (6, 8, 10):
        places = np.arange(2**known, dtype=np.uint64) << np.uint64(64 - known)
        words = (places[:, None] | slots).ravel()
        outcomes, undecided = law.decide(words, np.full(len(words), center), law.slack(0.5, known=known))
        decided = np.bincount(np.delete(outcomes, undecided).astype(np.int64) + 12, minlength=25)
        assert_brackets(
            dict(zip(range(-12, 13), decided.tolist(), strict=True)),
            len(undecided),
            len(words),
            {k: ball(mass) for k, mass in exact.items()},
        )
        open_mass[known] = Fraction(len(undecided), len(words))
    assert_shrinks(open_mass, to=0.3)


@pytest.mark.parametrize("center", CENTERS, ids=str)
@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_what_a_word_decides_is_what_exact_arithmetic_says(scale: Fraction, center: float) -> None:
    for bars in (SOME, normal_bars()):
        law = BarredGaussian(scale, bars)
        words = seeded_entropy_for_tests(11).words(400)
        words[:4] = [5 | 2**63, 2**63 - 2**16 + 5, 0, 2**64 - 2**16]  # the ends of bars, and their middles
        outcomes, undecided = law.decide(words, np.full(len(words), center), law.slack(abs(center)))
        assert (words[undecided] % 2**16 >= bars.filled).sum() == (words % 2**16 >= bars.filled).sum()
        for at in sorted({*range(len(words))} - {*undecided.tolist()}):
            assert floors(law, int(words[at]), center) == {int(outcomes[at])}
        bar_ones = [at for at in undecided.tolist() if words[at] % 2**16 < bars.filled]
        assert len(bar_ones) <= 6  # nearly all are decided


@pytest.mark.parametrize("scale", [Fraction(10, 3), Fraction(2**24 + 1, 3)], ids=str)
@pytest.mark.parametrize("center", [0.0, 0.3, -1234.7])
def test_places_on_both_sides_of_a_boundary(center: float, scale: Fraction) -> None:
    """Two reals of a bar that differ in their 112th bit, one on each side."""
    law = BarredGaussian(scale, normal_bars())
    slot = normal_bars().filled // 2
    width = scale * int(normal_bars().half_widths[slot]) / 2**12
    step = round(center) + int(scale / 3) + 1
    edge = math.floor((((step - Fraction(1, 2) - Fraction(center)) / width) + 1) / 2 * 2**112)  # u, as 112 bits
    for shift, expected in ((-1, step - 1), (1, step)):
        first, second = divmod(edge + shift, 2**64)
        string = f"{(first ^ 1 << 47) << 16 | slot:064b}{second:064b}"
        assert law.around(bit_string_for_tests(string), np.array([center])).tolist() == [expected]
    first, second = divmod(edge, 2**64)  # the control: the boundary itself stays open
    with pytest.raises(RuntimeError, match="0 words left"):
        law.around(bit_string_for_tests(f"{(first ^ 1 << 47) << 16 | slot:064b}{second:064b}"), np.array([center]))


class WithoutRest(NormalBars):
    """The control: what is left draws from the bars too."""

    def rest(self, source: BitSource) -> LazyReal:
        return self.place(0, int(source.words(1)[0]), source)


@pytest.mark.parametrize(
    ("scale", "center"),
    [(Fraction(7, 5), 0.3), (Fraction(7, 5), -(2.0**40) - 0.5), (Fraction(1, 5), 0.5), (Fraction(2**24 + 1, 3), -7e7)],
    ids=str,
)
def test_the_law_where_the_rest_is_frequent(scale: Fraction, center: float, source: BitSource) -> None:
    """n = 60,000 draws from 64 bars, of which many leave to boxes and tail; control: no rest."""
    n = 60_000
    edges = edges_about(center, scale)
    pmf = around_pmf(GaussianLaw, scale, Fraction(center), edges)
    centers = np.full(n, center)
    assert_follows(cells(BarredGaussian(scale, FEW).around(source, centers), edges), pmf)
    without = WithoutRest(bits=6, grid=2, reach=2)
    if scale > 1:
        assert_does_not_follow(cells(BarredGaussian(scale, without).around(source, centers), edges), pmf)


def test_a_real_known_roughly_is_settled_as_one_known_not_at_all(source: BitSource) -> None:
    """The float64 shortcut for the rest, beside ball arithmetic with the same bits."""
    for bars in (FEW, normal_bars()):
        for scale in SCALES:
            law = BarredGaussian(scale, bars)
            for center in CENTERS * 5:
                real = bars.rest(source)
                if real.uniform.known == 63:
                    sure = law._floor(real, center)
                    assert sure == law._floor(LazyReal(real.formula, real.uniform), center)


@pytest.mark.parametrize("kind", ["many", "around"])
def test_many_values_are_drawn_from_bars_and_few_are_not(kind: str) -> None:
    def drawn(count: int, scale: Fraction) -> Steps:
        law, source = GaussianLaw(scale), seeded_entropy_for_tests(4)
        return law.many(source, count) if kind == "many" else law.around(source, np.zeros(count))

    for scale, barred in ((Fraction(10, 3), True), (Fraction(WIDEST), True), (Fraction(WIDEST + 1), False)):
        for count in (MANY - 1, MANY, CHUNK + 5):
            from_bars = BarredGaussian(scale, normal_bars()).many(seeded_entropy_for_tests(4), count)
            assert bool((drawn(count, scale) == from_bars).all()) is (barred and count >= MANY)


@pytest.mark.parametrize("scale", [Fraction(7, 5), Fraction(2**20)], ids=str)
def test_few_at_a_time_follow_the_law(scale: Fraction, source: BitSource) -> None:
    """n = 400,000 values, always fewer at once than are drawn from bars."""
    law, n = GaussianLaw(scale), 400_000
    edges = edges_about(0.3, scale)

    def together(draw: Callable[[int], Steps]) -> Steps:
        return collect(n, lambda size: draw(min(size, MANY - 1)))

    for draw, center in (
        (lambda size: law.many(source, size), Fraction(0)),
        (lambda size: law.around(source, np.full(size, 0.3)), Fraction(0.3)),
    ):
        draws = cells(together(draw), edges)
        assert_follows(draws, around_pmf(GaussianLaw, scale, center, edges))
        assert_does_not_follow(draws, around_pmf(GaussianLaw, scale, center, edges, wrong=Fraction(11, 10)))


def test_far_centers_are_parted_and_near_ones_are_not() -> None:
    """The same words around a center and around its rest give the same noise, whichever way the sum is taken."""
    rng = np.random.default_rng(2)  # picks places to look at, not noise
    near: Floats = rng.normal(0, 2.0**20, CHUNK + 5)
    far = near.copy()
    far[[0, -1]] = [2.0**54 + 4, -1e300]
    law = GaussianLaw(Fraction(2**24 + 1, 3))
    drawn = law.around(seeded_entropy_for_tests(8), far)
    assert drawn.dtype == np.object_
    assert abs(drawn[-1] + int(1e300)) < 2**30
    assert abs(drawn[0] - 2**54 - 4) < 2**30
    assert (drawn[1:-1] == law.around(seeded_entropy_for_tests(8), near)[1:-1]).all()


def test_a_column_of_a_table_is_as_good_as_an_array() -> None:
    centers = np.zeros((MANY, 2))[:, 0]
    drawn = GaussianLaw(3).around(seeded_entropy_for_tests(3), centers)
    assert (drawn == GaussianLaw(3).around(seeded_entropy_for_tests(3), centers.copy())).all()
