"""Numbers for people: as many digits as the margin deserves, and a margin that still holds."""

import pytest

from privet.wording.shown_value import roughly, rounded_to, shown_margin, shown_value


@pytest.mark.parametrize(
    ("margin", "text"), [(0, "0"), (0.0123, "0.013"), (5, "5"), (12.1, "13"), (99.5, "100"), (1234.2, "1,235")]
)
def test_a_margin_has_two_digits_and_is_rounded_up(margin: float, text: str) -> None:
    assert shown_margin(margin) == text
    assert float(text.replace(",", "")) >= margin


def test_a_floats_last_digits_are_no_reason_to_add_one() -> None:
    assert shown_margin(12.0000000001) == "12"


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0"), (99.6, "100"), (1234, "1,200"), (-0.0123, "-0.012"), (3.14e20, "3.1e+20")]
)
def test_a_guess_has_two_digits(number: float, text: str) -> None:
    assert roughly(number) == text


@pytest.mark.parametrize(
    ("value", "margin", "text"), [(3.14159, 0.01, "3.142"), (1234.5, 150, "1,234"), (2024, 0.5, "2,024")]
)
def test_a_value_has_the_digits_of_its_margin(value: float, margin: float, text: str) -> None:
    assert rounded_to(value, margin) == text


@pytest.mark.parametrize(
    ("value", "margin", "text"),
    [(24.0803, 0.0399, "24.080 ± 0.040"), (7.5, 3.0, "7.5 ± 3.0"), (7, 3, "7 ± 3"), (1.5, 3e-6, "1.5000000 ± 3e-06")],
)
def test_a_margin_is_written_as_long_as_its_value(value: float, margin: float, text: str) -> None:
    assert shown_value(value, low=value - margin, high=value + margin) == text
