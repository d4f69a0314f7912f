"""shown_value: a released value for people, with its margin in as many digits as it deserves."""

import math
from typing import Any

HUGE = 1e15  # numbers from here on are written as powers of ten
WHOLE_FROM = 100  # margins from here on are shown as whole numbers


def shown_value(value: Any, *, low: Any = None, high: Any = None) -> str:  # noqa: ANN401 - any cell of a table
    """A value, and half the width of its interval if it has one; the margin is rounded up.

    Example:
        >>> shown_value(51234.567, low=50344.1, high=52125.0), shown_value(None), shown_value(0.25)
        ('51,235 ± 891', 'NULL', '0.25')
        >>> shown_value(24.0803, low=24.0404, high=24.1202)
        '24.080 ± 0.040'
    """
    if value is None:
        return "NULL"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if low is None or high is None or not math.isfinite(high - low):
        return str(value) if isinstance(value, int) else f"{value:,.6g}"  # a year is not 2,024
    margin = max(high - value, value - low)
    shown = rounded_to(value, margin)
    return f"{shown} ± {_as_long(shown_margin(margin), shown)}"


def shown_margin(margin: float) -> str:
    """A margin in two digits, or as a whole number from 100 on, rounded up: it must still hold."""
    if margin <= 0:
        return "0"
    unit = 10.0 ** min(math.floor(math.log10(margin)) - 1, 0)
    up = math.ceil(margin / unit * (1 - 1e-9)) * unit
    return f"{up:,.0f}" if up >= WHOLE_FROM else f"{up:.2g}"


def roughly(number: float) -> str:
    """A rough guess in two digits; no more of it are known.

    Example:
        >>> roughly(245_231), roughly(0.0449), roughly(15)
        ('250,000', '0.045', '15')
    """
    rounded = float(f"{number:.2g}")
    return f"{rounded:,.0f}" if WHOLE_FROM <= rounded < HUGE else f"{rounded:g}"


def _as_long(margin: str, value: str) -> str:
    """A margin with as many decimals as its value has, unless it is 0 or a power of ten is written."""
    decimals = len(value.partition(".")[2])
    return margin if margin == "0" or "e" in margin or not decimals else f"{float(margin):.{decimals}f}"


def rounded_to(value: float, margin: float) -> str:
    """A value to the digits of its margin."""
    if isinstance(value, int):
        return f"{value:,}"
    digits = max(0, 1 - math.floor(math.log10(margin))) if margin > 0 else 6
    return f"{value:,.{min(digits if margin < WHOLE_FROM else 0, 15)}f}"
