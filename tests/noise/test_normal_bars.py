"""The bars lie below the normal density, the boxes over them reach above it, and the rest is what lies between."""

import hashlib
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx

from privet.noise import BitSource
from privet.noise.for_tests import bit_string_for_tests
from privet.noise.lazy import RESERVE, LazyUniform, at_precision
from privet.noise.normal_bars import NormalBars, normal_bars
from tests.noise.reference import ball, gaussian_beyond
from tests.noise.test_lazy import edge_at, tape
from tests.support.statistics import assert_does_not_follow, assert_follows

FEW = NormalBars(bits=6, grid=2, reach=2)
SOME = NormalBars(bits=9, grid=4, reach=3)
EVERY = [FEW, SOME, normal_bars()]
IDS: dict[str, Any] = {"ids": lambda bars: f"{bars.bits} bits"}


def phi(point: arb) -> arb:
    return (-point * point / 2).exp() / (2 * arb.pi()).sqrt()


def edge_of(bars: NormalBars, number: int) -> Fraction:
    return Fraction(number, 2**bars.grid)


def levels(bars: NormalBars, *, more: int = 0) -> list[arb]:
    """The density of all bars together over each cell, and 0 beyond; with so many more bars at each edge."""
    own = [arb(0)] + [
        arb(bars.counts[number] + more) / 2**bars.bits / (2 * ball(edge_of(bars, number)))
        for number in range(1, bars.cells + 1)
    ]
    return [*list(accumulate(reversed(own)))[::-1][1:], arb(0)]


@pytest.mark.parametrize("bars", EVERY, **IDS)
def test_the_bars_lie_below_the_density(bars: NormalBars) -> None:
    with at_precision(128):
        level, crowded = levels(bars), levels(bars, more=1)
        assert all(level[n - 1] <= phi(ball(edge_of(bars, n))) for n in range(1, bars.cells + 1))
        # the control, and that none is missing: with one more bar at each edge they would not
        assert all(crowded[n - 1] > phi(ball(edge_of(bars, n))) for n in range(1, bars.cells + 1))


@pytest.mark.parametrize("bars", EVERY, **IDS)
def test_the_boxes_reach_above_the_density(bars: NormalBars) -> None:
    with at_precision(128):
        level = levels(bars)
        for cell in range(bars.cells):
            top = level[cell] + arb(bars.heights[cell]) / 2**32
            assert top >= phi(ball(edge_of(bars, cell)))
            assert top <= phi(ball(edge_of(bars, cell))) + arb(3) / 2**32  # and hardly further: little is rejected
        outermost = phi(arb(bars.reach)) / bars.reach * 2 ** (32 + bars.grid)
        assert outermost <= bars.tail <= outermost * 2


@pytest.mark.parametrize("bars", EVERY, **IDS)
def test_every_bar_has_its_slots(bars: NormalBars) -> None:
    slots = np.bincount(bars.half_widths[: bars.filled].astype(np.int64), minlength=bars.cells + 1)
    assert (slots * 2**bars.bits == np.array(bars.counts) * 2**16).all()
    assert slots[0] == 0
    assert not bars.half_widths[bars.filled :].any()
    assert not bars.half_widths.flags.writeable


def test_the_bars_are_the_same_on_every_machine() -> None:
    bars = normal_bars()
    assert bars.filled == 2**16 - 10
    counts = hashlib.sha256(np.array([*bars.counts, *bars.heights, bars.tail], dtype="<i8").tobytes())
    assert counts.hexdigest() == "073f214bf66da0660aa1daf4ee1524f184e45f3c8cdf66d4a45e3d90bdfa473d"


@pytest.mark.parametrize("bars", [FEW, SOME], **IDS)
def test_the_rest_is_what_the_bars_leave(bars: NormalBars) -> None:
    """Every short string: the weight that boxes and tail keep brackets the mass between bars and density."""
    bits = 6
    strings = [LazyUniform(None, bits=b, known=bits).ball() for b in range(2**bits)]  # type: ignore[arg-type]
    level = levels(bars)
    kept_in_all = Fraction(0)
    for cell in {0, 1, bars.cells // 2, bars.cells - 2, bars.cells - 1}:
        rooms = [bars.room(cell, first, second) for first in strings for second in strings]
        sure = Fraction(bars.heights[cell] * sum(room > 0 for room in rooms), 4**bits)
        perhaps = Fraction(bars.heights[cell] * sum(not room < 0 for room in rooms), 4**bits)
        mass = gaussian_beyond(ball(edge_of(bars, cell))) - gaussian_beyond(ball(edge_of(bars, cell + 1)))
        exact = mass * 2 ** (32 + bars.grid) - level[cell] * 2**32
        assert not ball(sure) > exact
        assert not ball(perhaps) < exact
        assert perhaps - sure < Fraction(bars.heights[cell], 8)
        kept_in_all += sure
    rooms = [
        bars.tail_room((bars.reach**2 - 2 * first.log()).sqrt(), second) for first in strings[1:] for second in strings
    ]
    exact = gaussian_beyond(arb(bars.reach)) * 2 ** (32 + bars.grid)
    sure = Fraction(bars.tail * sum(room > 0 for room in rooms), 4**bits)
    assert not ball(sure) > exact
    assert not ball(Fraction(bars.tail * (sum(not room < 0 for room in rooms) + 2**bits), 4**bits)) < exact
    assert sure > 0
    assert kept_in_all > 0


def pick_of(bars: NormalBars, weight: int, *, sign: int = 0) -> str:
    return f"{weight << 64 - bars._pick_bits | sign:064b}"


def test_a_pick_is_a_box_by_its_weight() -> None:
    half = f"{1 << 51:064b}"
    low = f"{0:064b}"
    for cell, end in enumerate(FEW._ends[:-1]):
        for weight, expected in ((end - 1, cell), (end - FEW.heights[cell], cell)):
            for sign in (0, 1):
                real = FEW.rest(bit_string_for_tests(pick_of(FEW, weight, sign=sign) + half + low))
                assert real.value == pytest.approx((1 - 2 * sign) * float(edge_of(FEW, 2 * expected + 1)) / 2)
    tail = FEW.rest(bit_string_for_tests(pick_of(FEW, FEW._ends[-1] - 1) + half + low))
    assert tail.formula(arb(1) / 2) > FEW.reach
    with pytest.raises(RuntimeError, match="0 words left"):  # beyond all boxes: the next pick
        FEW.rest(bit_string_for_tests(pick_of(FEW, FEW._ends[-1]) + half + low))


@pytest.mark.parametrize("bars", EVERY, **IDS)
def test_points_on_both_sides_of_the_density_are_told_apart(bars: NormalBars) -> None:
    """The height is that of phi up to its last bits: floats cannot decide, more bits can."""
    first = 0x5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A & (1 << 127) - 1
    for cell in (0, bars.cells // 3, bars.cells // 2):
        height = bars.heights[cell]
        edge = edge_at(lambda: bars.room(cell, (arb(first) + arb(0.5)) / 2**127, arb(0)) / height)  # noqa: B023
        pick = pick_of(bars, bars._ends[cell] - 1)
        for shift, kept in ((-(1 << 30), True), (1 << 30, False)):
            one, other = tape(first), tape(edge + shift)
            string = pick + one[:64] + other[:64] + one[64:] + other[64:]
            if kept:
                real = bars.rest(bit_string_for_tests(string))
                assert real.uniform.known == 127
                assert real.value == pytest.approx((cell + first / 2**127) / 2**bars.grid)
            else:
                with pytest.raises(RuntimeError, match="0 words left"):
                    bars.rest(bit_string_for_tests(string))


def test_points_of_the_tail_on_both_sides_are_told_apart() -> None:
    first = 0x5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A & (1 << 127) - 1

    def point() -> arb:
        return (FEW.reach**2 - 2 * ((arb(first) + arb(0.5)) / 2**127).log()).sqrt()

    edge = edge_at(lambda: FEW.tail_room(arb(0), arb(0)) / (FEW.tail * point()))
    for shift, kept in ((-(1 << 30), True), (1 << 30, False)):
        one, other = tape(first), tape(edge + shift)
        string = pick_of(FEW, FEW._ends[-1] - 1, sign=1) + one[:64] + other[:64] + one[64:] + other[64:]
        if kept:
            real = FEW.rest(bit_string_for_tests(string))
            assert (real.formula(real.uniform.ball()) + point()).contains(0)
        else:
            with pytest.raises(RuntimeError, match="0 words left"):
                FEW.rest(bit_string_for_tests(string))


@pytest.mark.parametrize("bars", EVERY, **IDS)
def test_float_errors_stay_far_below_the_reserve(bars: NormalBars) -> None:
    rng = np.random.default_rng(5)  # picks places to look at, not noise
    before, ctx.prec = ctx.prec, 128
    try:
        for cell in rng.integers(0, bars.cells, 12).tolist():
            first, second = rng.random(2).tolist()
            x = (cell + first) / 2**bars.grid
            density = np.exp(-x * x / 2) / np.sqrt(2 * np.pi) * 2**32
            room = density - bars._sums[cell] - bars.heights[cell] * second
            assert abs(arb(float(room)) - bars.room(cell, arb(first), arb(second))) < 2**32 * RESERVE / 2**8
    finally:
        ctx.prec = before


def test_the_rest_follows_its_law(source: BitSource) -> None:
    """n = 20,000 draws of the rest of 64 bars, by half cells and tail; control: the rest of 512 bars."""
    n = 20_000
    places = []
    for _ in range(n):
        real = FEW.rest(source)
        value = float(real.formula(real.uniform.ball()).mid())
        places.append(int(np.clip(np.floor(value * 8), -17, 16)))
    assert_follows(places, rest_pmf(FEW, FEW))
    assert_does_not_follow(places, rest_pmf(FEW, SOME))


def rest_pmf(drawn: NormalBars, claimed: NormalBars) -> dict[int, float]:
    level = levels(claimed)
    masses = {}
    for j in range(16 * drawn.reach // 2):
        mass = gaussian_beyond(arb(j) / 8) - gaussian_beyond(arb(j + 1) / 8)
        masses[j] = float((mass - level[(j << claimed.grid) >> 3] / 8).mid())
    masses[8 * drawn.reach] = float(gaussian_beyond(arb(drawn.reach)).mid())
    total = 2 * sum(masses.values())
    return {j: mass / total for j, mass in masses.items()} | {-j - 1: mass / total for j, mass in masses.items()}
