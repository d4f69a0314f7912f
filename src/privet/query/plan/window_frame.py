"""Frame: which rows around the one at hand a window sees."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Frame:
    """The rows of a partition, in its order, counted from the row at hand: those before it are negative.

    Args:
        first: of them; None for the partition's first.
        last: of them; None for the partition's last.
    """

    first: int | None
    last: int | None
