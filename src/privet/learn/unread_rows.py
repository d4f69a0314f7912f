"""UnreadRows: features that are read when a fit has been paid for, not before."""

from collections.abc import Callable
from dataclasses import dataclass, field

from privet.learn.features import Floats


@dataclass(frozen=True)
class UnreadRows:
    """X of a fit whose rows lie elsewhere; not even how many there are is known before they are read.

    Args:
        width: how many columns there are.
        read: returns the rows as floats, NaN where a value is missing; called within a deferred secret only.
        length: said to be 0, as nobody has looked: for neighbors that differ in a unit more or less.
    """

    width: int
    read: Callable[[], Floats] = field(repr=False)
    length: int = 0

    @property
    def shape(self) -> tuple[int, int]:
        """As scikit-learn asks for the number of columns."""
        return self.length, self.width
