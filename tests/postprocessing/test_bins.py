"""Bins: they touch, reach far, and their ends are floats, so that engines compare with the very numbers."""

from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.errors import InvalidParameter
from privet.postprocessing.bins import LARGEST, SMALLEST, Bins, Expected

ANY = st.builds(Expected, st.sampled_from([None, "positive", "negative"]), st.sampled_from([None, Fraction(50_000)]))


@given(ANY)
def test_bins_touch_and_are_on_the_declared_side(expected: Expected) -> None:
    bins = expected.bins
    assert all(low < high for low, high in pairwise(bins.edges))
    assert expected.sign != "positive" or bins.edges[0] == 0
    assert expected.sign != "negative" or bins.edges[-1] == 0
    low, high = expected.fallback
    assert bins.edges[0] <= low < high <= bins.edges[-1]
    assert 0 in (low, high) or expected.sign is None


def test_what_is_declared_makes_a_search_smaller() -> None:
    assert [len(Expected(sign).bins) for sign in (None, "positive", "negative")] == [143, 72, 72]
    assert len(Expected.of(sign="positive", scale=50_000).bins) == 21
    assert Expected.of(scale=50_000).bins.edges[-1] == 2**26
    assert Expected.of(scale="1e-3").fallback == (-Fraction(1, 512), Fraction(1, 512))


@given(
    low=st.integers(SMALLEST, LARGEST - 3),
    octaves=st.integers(1, 3),
    at=st.fractions(0, 1, max_denominator=1 << 16),
    sign=st.sampled_from([1, -1]),
)
def test_ends_around_a_center_are_floats_between_the_bounds(low: int, octaves: int, at: Fraction, sign: int) -> None:
    ends = sorted((sign * Fraction(2) ** low, sign * Fraction(2) ** (low + octaves)))
    center = ends[0] + (ends[1] - ends[0]) * round(at * (1 << 16)) / (1 << 16)
    bins = Bins.around(center, (ends[0], ends[1]))
    assert (bins.edges[0], bins.edges[-1]) == tuple(ends)
    assert all(Fraction(float(edge)) == edge for edge in bins.edges)
    inner, outer = bins.ends(bins.middle, bins.middle)
    assert inner <= center <= outer
    assert len(bins) <= 65


@pytest.mark.parametrize("said", [{"sign": "up"}, {"sign": 1}, {"scale": 0}, {"scale": -3}, {"scale": "1e30"}])
def test_other_words_are_refused(said: Any) -> None:  # noqa: ANN401 - on purpose
    with pytest.raises(InvalidParameter, match=r"^(sign|scale) must be"):
        Expected.of(**said)
