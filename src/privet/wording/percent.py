"""percent_up, percent_down: shares for people, rounded to the side that promises less."""

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

WHOLE = Decimal(100)
FEWEST = Decimal("0.000001")  # percent: less than that is not told from 0, nor from 100 what misses it by less
SHORT, LONG = 2, 3  # digits of shares below 1 % and above


def percent_up(share: float) -> str:
    """A share in percent, not below it.

    Example:
        >>> percent_up(0.46211), percent_up(0.0000123), percent_up(0.999931), percent_up(1)
        ('46.3 %', '0.0013 %', '99.9931 %', '100 %')
    """
    return _said(Decimal(repr(float(share))) * WHOLE, up=True)


def percent_down(share: float) -> str:
    """A share in percent, not above it.

    Example:
        >>> percent_down(0.26894), percent_down(0.00367), percent_down(0)
        ('26.8 %', '0.36 %', '0 %')
    """
    return _said(Decimal(repr(float(share))) * WHOLE, up=False)


def _said(percent: Decimal, *, up: bool) -> str:
    """Three digits, two below 1 %; near 100 % two digits of what is missing."""
    number = min(max(percent, Decimal(0)), WHOLE)
    missing = WHOLE - number
    if FEWEST < missing < 1:
        rest = Context(prec=SHORT, rounding=ROUND_FLOOR if up else ROUND_CEILING).create_decimal(missing)
        return f"{(WHOLE - rest).normalize():f} %"
    if missing <= FEWEST:
        return "100 %" if up or not missing else f"{WHOLE - FEWEST:f} %"
    if 0 < number < FEWEST:
        return f"{FEWEST:f} %" if up else "0 %"
    digits = Context(prec=LONG if number >= 1 else SHORT, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    rounded = digits.create_decimal(number)
    return f"{rounded.normalize():f} %" if rounded else "0 %"
