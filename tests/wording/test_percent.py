"""Shares for people are rounded to the side that promises less, at every size."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from privet.wording.percent import percent_down, percent_up


def number(text: str) -> Fraction:
    assert text.endswith(" %")
    return Fraction(text.removesuffix(" %"))


@given(st.floats(0, 1))
def test_up_is_not_below_and_down_is_not_above(share: float) -> None:
    meant = 100 * Fraction(repr(share))
    assert number(percent_down(share)) <= meant <= number(percent_up(share))
    assert number(percent_up(share)) - number(percent_down(share)) <= max(meant / 50, Fraction(1, 10**5))


def test_the_ends_are_told_as_they_are() -> None:
    assert [percent_up(share) for share in (0, 0.01, 0.5, 1)] == ["0 %", "1 %", "50 %", "100 %"]
    assert [percent_down(share) for share in (0, 0.01, 0.5, 1)] == ["0 %", "1 %", "50 %", "100 %"]


def test_nearly_certain_is_not_rounded_to_certain_downward() -> None:
    assert percent_down(1 - 1e-12) == "99.999999 %"
    assert percent_up(1e-300) == "0.000001 %"
