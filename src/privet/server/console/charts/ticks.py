"""Ticks: round numbers for an axis, and how they are written."""

import math

STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
HUGE = 1e15
TINY = 1e6
MOST = 9  # digits after the point


def ticks(low: float, high: float, *, most: int = 5) -> list[float]:
    """Round numbers that cover an interval, at most about so many.

    Example:
        >>> ticks(0, 5400), ticks(45.2, 48.9)
        ([0.0, 2000.0, 4000.0, 6000.0], [45.0, 46.0, 47.0, 48.0, 49.0])
    """
    wide = high - low
    if not (math.isfinite(wide) and wide > 0 and max(abs(low), abs(high)) < HUGE):
        return [low]
    rough = wide / max(most - 1, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(each * power for each in STEPS if each * power >= rough * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [step * each for each in range(first, last + 1)]


def tick_words(value: float, step: float) -> str:
    """A number on an axis, in as many digits as its step has.

    Example:
        >>> tick_words(42.5, 2.5), tick_words(4000, 2000), tick_words(0.25, 0.05)
        ('42.5', '4,000', '0.25')
    """
    digits = 0
    while digits < MOST and abs(step * 10**digits - round(step * 10**digits)) > step / TINY:
        digits += 1
    return f"{value:,.{digits}f}"
