"""How findings write numbers."""

import math


def confidence(alpha: float) -> str:
    """One less alpha, as a percentage with all its nines.

    Example:
        >>> confidence(1e-3), confidence(1e-6), confidence(0.05)
        ('99.9 %', '99.9999 %', '95 %')
    """
    digits = max(0, math.ceil(-math.log10(alpha)) - 2) if alpha > 0 else 0
    return f"{100 * (1 - alpha):.{digits}f} %"


def figure(number: float) -> str:
    """A number in three digits, and in words where it is none."""
    if not math.isfinite(number):
        return "infinite" if number > 0 else str(number)
    return f"{number:.3g}" if abs(number) < 1000 else f"{number:,.0f}"  # noqa: PLR2004 - thousands
