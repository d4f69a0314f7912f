"""Published numbers: a value agrees with a printed one if it rounds to it, to the last digit printed."""

from decimal import Decimal


def agrees(value: float, printed: str) -> bool:
    """Return whether `value` lies within half a unit of the last printed digit."""
    exponent = Decimal(printed).as_tuple().exponent
    assert isinstance(exponent, int)
    return abs(Decimal(value) - Decimal(printed)) <= Decimal("0.5000001") * Decimal(1).scaleb(exponent)


def test_agrees_can_tell_numbers_apart() -> None:
    assert agrees(0.2211992, "0.221199")
    assert not agrees(0.2212, "0.221199")
    assert not agrees(1.36e-6, "1.35e-6")
