"""FavoriteLaw: exact odds from every short bit string, the law at n = 10^6, and any size in time."""

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import ctx

from privet.errors import InvalidParameter
from privet.noise import BitSource
from privet.noise.bernoulli import decide_survival
from privet.noise.favorite import FavoriteLaw
from tests.noise.reference import ball
from tests.support.statistics import assert_does_not_follow, assert_follows

CASES = [
    (2, Fraction(1, 10)),
    (4, Fraction(1)),
    (10, Fraction(22, 10)),
    (3, Fraction(0)),
    (100, Fraction(5)),
    (1000, Fraction(7)),
]


FURTHER = [
    (5, Fraction(40)),
    (7, Fraction(10**9)),
    (2, Fraction(1, 10**9)),
    (4, Fraction("0.6931")),  # just below ln 2, and nearer
    (4, Fraction("0.6931471805599")),
    (9, Fraction("4.85203")),  # just below 7 ln 2
]


@pytest.mark.parametrize(("below", "log_odds"), [*CASES, *FURTHER])
def test_slots_times_survival_are_the_odds(below: int, log_odds: Fraction) -> None:
    """Zero owns 2^b slots, each other number one, kept with a probability that every short string brackets."""
    law = FavoriteLaw(below, log_odds)
    slots = (1 << law.level) + below - 1
    shown = np.arange(max(0, 2**law.level - 5), slots)
    owners = law.propose(shown)
    assert np.array_equal(owners, np.maximum(shown - 2**law.level + 1, 0))
    assert law._slots.below == slots
    before = ctx.prec
    ctx.prec = 200
    try:
        kept = (-law.exponent_ball()).exp()
        odds = ball(log_odds).exp()
        assert (kept * odds / 2**law.level).overlaps(ball(Fraction(1)))
        assert not kept > 1
        exponent = max(float(log_odds) - law.level * math.log(2), 0.0)
        centres = (np.arange(2**16) + 0.5) / 2**16
        with np.errstate(divide="ignore"):
            coins, undecided = decide_survival(centres, 0.5 / 2**16, np.full(2**16, exponent))
        assert not ball(Fraction(int(np.sum(coins)), 2**16)) > kept
        assert not ball(Fraction(int(np.sum(coins) + np.sum(undecided)), 2**16)) < kept
    finally:
        ctx.prec = before


def pmf(below: int, log_odds: float) -> dict[int, float]:
    weights = [math.exp(log_odds)] + [1.0] * (below - 1)
    return {k: weight / math.fsum(weights) for k, weight in enumerate(weights)}


@pytest.mark.parametrize(("below", "log_odds"), CASES)
def test_a_million_follow_the_law(below: int, log_odds: Fraction, source: BitSource) -> None:
    draws = FavoriteLaw(below, log_odds).many(source, 1_000_000)
    assert_follows(draws, pmf(below, float(log_odds)))
    assert_does_not_follow(draws, pmf(below, 1.3 * float(log_odds) + (log_odds == 0)))


def test_single_draws_follow_the_law(source: BitSource) -> None:
    law = FavoriteLaw(4, 1)
    draws = [law.one(source) for _ in range(20_000)]
    assert_follows(draws, pmf(4, 1))
    assert_does_not_follow(draws, pmf(4, 1.3))


@pytest.mark.parametrize("below", [1, 2, 3, 2**31, 2**31 + 1, 2**40, 2**61, 2**62, 2**63, 2**100])
@pytest.mark.parametrize("log_odds", [0, Fraction(1, 2**300), 1, 20, 43, 1000, 2**256])
def test_any_size_is_drawn_in_time(below: int, log_odds: Fraction, source: BitSource) -> None:
    draws = FavoriteLaw(below, log_odds).many(source, 200)
    assert all(0 <= draw < below for draw in draws.tolist())
    share = sum(draw == 0 for draw in draws.tolist()) / 200
    if log_odds > math.log(below) + 20:
        assert share == 1
    elif log_odds < math.log(below) - 20:
        assert share == 0


@pytest.mark.parametrize(("below", "log_odds"), [(0, 1), (-3, 1), (2, -1), (2, 2**257), (2, math.nan), (2, "1")])
def test_bad_parameters_are_refused(below: int, log_odds: float) -> None:
    with pytest.raises(InvalidParameter, match=r"below must|log_odds must"):
        FavoriteLaw(below, log_odds)


def test_its_repr_says_it_all() -> None:
    assert repr(FavoriteLaw(4, 1)) == "FavoriteLaw(below=4, log_odds=1)"
