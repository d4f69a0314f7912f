"""cdf: shares that increase, with margins."""

import numpy as np
import pytest

from privet.errors import InvalidParameter
from privet.stats import cdf

VALUES = np.linspace(0, 100, 5001)
TENS = range(0, 101, 10)


def test_shares_increase_from_zero_to_one() -> None:
    for epsilon in ("0.001", "0.1", 10):
        answer = cdf(VALUES, edges=TENS, epsilon=epsilon)
        assert (np.diff(answer.value) >= 0).all()
        assert answer.value[[0, -1]].tolist() == [0, 1]
    assert answer.value == pytest.approx(np.arange(11) / 10, abs=0.01)
    assert answer.at(25) == pytest.approx(0.25, abs=0.01)


def test_nothing_is_known_without_rows() -> None:
    """A total within its own margin may be none at all: in 20 runs hardly one lies beyond, and one must lie within."""
    unknown = 0
    for _ in range(20):
        answer = cdf([], edges=TENS, epsilon="0.01")
        low, high = answer.intervals()
        if answer.hierarchy.total.value <= answer.hierarchy.total.margin(0.95):
            assert (high - low)[1:-1].tolist() == [1.0] * 9
            unknown += 1
        assert (high >= low).all()
    assert unknown


def test_margins_are_those_of_the_ratio() -> None:
    public = cdf(VALUES, edges=TENS, epsilon=1, neighbors="replace", missing="none")
    assert public.hierarchy.levels[0].tolist() == [5001]
    assert public.margins()[[0, -1]].tolist() == [0, 0]
    direct = public.hierarchy.range(0, 5).margin(0.95) / 5001
    assert public.margins()[5] == pytest.approx(direct, rel=0.02), "with a public total only the count below matters"
    low, high = public.intervals()
    assert (high >= low).all()
    with pytest.raises(InvalidParameter, match="a margin of its own"):
        public.margin()


def test_without_a_public_total_the_noise_of_the_total_is_in_the_margin() -> None:
    answer = cdf(VALUES, edges=TENS, epsilon=1)
    inside = (np.arange(10) < 9) - answer.shares[9]
    margin = answer.hierarchy.weighted(inside).margin(0.95) / float(answer.hierarchy.levels[0][0])
    assert answer.margins()[9] == pytest.approx(margin)
    assert margin < 0.8 * answer.hierarchy.range(0, 9).margin(0.95) / 5001, "a high share errs less than its count"


def test_more_bins_hardly_cost_more() -> None:
    few, many = (cdf(VALUES, edges=np.linspace(0, 100, n + 1), rho="0.1") for n in (16, 1024))
    assert many.margins()[512] < 3 * few.margins()[8]
