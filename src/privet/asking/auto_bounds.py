"""AutoBounds: bounds that are found with a share of what an answer may cost."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privet.errors import InvalidParameter
from privet.loss.exact import Exact, exact, shown
from privet.postprocessing.bins import Expected

AUTO = "auto"  # the word for it
SHARE = Fraction(1, 4)  # measured: benchmarks/automatic_bounds.py


@dataclass(frozen=True, init=False)
class AutoBounds:
    """Bounds that nobody knows, found privately. Those that are known are better: with few rows far better.

    Args:
        share: of what the answer may cost, for finding bounds; between 0 and 1.
        sign: "positive" or "negative", if the owner knows that all values are, or 0.
        scale: a usual size of the values, such as 50_000 for incomes; a thousandfold more or less will do.

    Privacy: public, all of it, and never read off the data.

    Example:
        >>> AutoBounds(sign="positive", scale=50_000).expected.fallback
        (Fraction(0, 1), Fraction(65536, 1))
    """

    share: Fraction
    expected: Expected

    def __init__(self, *, share: Exact = SHARE, sign: str | None = None, scale: Exact | None = None) -> None:
        number = exact(share, "share")
        if not 0 < number < 1:
            raise InvalidParameter(f"share is how much of the price finds bounds, between 0 and 1, got {shown(share)}")
        object.__setattr__(self, "share", number)
        object.__setattr__(self, "expected", Expected.of(sign=sign, scale=scale))

    @classmethod
    def asked(cls, bounds: Any) -> "AutoBounds | None":  # noqa: ANN401 - whatever a caller hands over
        """Return what is asked for by `bounds="auto"`, or by such an object; None if it is neither."""
        if isinstance(bounds, cls):
            return bounds
        return cls() if isinstance(bounds, str) and bounds == AUTO else None
