"""Limits: how much of one unit's data is used."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Limits:
    """How much of one unit's data is used: a choice of accuracy, carried out by the engine.

    Args:
        rows_per_unit: rows in all; a unit with more has each of them weighted down.
        groups_per_unit: with rows_per_group: how many groups of a GROUP BY, chosen by a hash of unit and group.
        rows_per_group: rows in each of them; a unit with more has each of them weighted down.
        bounding: what is done with rows beyond that: "weigh" or "sample"; None: whatever errs less.
        said: whether somebody chose them. Advice depends on it, and nothing else: limits are equal without it.

    Either rows_per_unit alone, or groups_per_unit and rows_per_group.
    """

    rows_per_unit: int | None = None
    groups_per_unit: int | None = None
    rows_per_group: int | None = None
    bounding: str | None = None
    said: bool = field(default=True, compare=False)

    @property
    def cap(self) -> int:
        """Rows of one unit that count: in all with rows_per_unit, else in each group."""
        return self.rows_per_unit or self.rows_per_group or 1

    @property
    def rows(self) -> int:
        """Rows of one unit in all."""
        return self.cap * (1 if self.rows_per_unit else self.groups_per_unit or 1)


BOUNDING = ("weigh", "sample")  # what may be done with rows beyond a limit
ROWS_JOINED = 1_000  # of each unit, where rows would multiply
ONE_ROW = Limits(rows_per_unit=1)
UNSAID = Limits(rows_per_unit=1, said=False)  # of a table whose owner says nothing about it
