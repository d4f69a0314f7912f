"""Numbers for people: as many digits as the margin deserves, and a margin that still holds."""

import pytest

from privet.wording.shown_value import rounded_to, shown_margin


@pytest.mark.parametrize(
    ("margin", "text"), [(0, "0"), (0.0123, "0.013"), (5, "5"), (12.1, "13"), (99.5, "100"), (1234.2, "1,235")]
)
def test_a_margin_has_two_digits_and_is_rounded_up(margin: float, text: str) -> None:
    assert shown_margin(margin) == text
    assert float(text.replace(",", "")) >= margin


@pytest.mark.parametrize(
    ("value", "margin", "text"), [(3.14159, 0.01, "3.142"), (1234.5, 150, "1,234"), (2024, 0.5, "2,024")]
)
def test_a_value_has_the_digits_of_its_margin(value: float, margin: float, text: str) -> None:
    assert rounded_to(value, margin) == text
