"""Limits: how much of one unit's data is used."""

from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

Limit: TypeAlias = int | Literal["auto"] | None  # as it is said
AUTO = "auto"  # in the place of a number: it is found first, with part of the budget
STAND_IN = 16  # what stands for such a number until then; nothing that is read or released depends on it


@dataclass(frozen=True)
class Limits:
    """How much of one unit's data is used: a choice of accuracy, carried out by the engine.

    Args:
        rows_per_unit: rows in all; a unit with more has each of them weighted down.
        groups_per_unit: with rows_per_group: how many groups of a GROUP BY, chosen by a hash of unit and group.
        rows_per_group: rows in each of them; a unit with more has each of them weighted down.
        bounding: what is done with rows beyond that: "weigh" or "sample"; None: whatever errs less.
        said: whether somebody chose them. Advice depends on it, and nothing else: limits are equal without it.
        automatic: whether rows_per_unit, or else groups_per_unit, is found first (`measures/automatic_caps.py`): then
            STAND_IN is in its place.
        late: whether that number was found after the price was known: then what is drawn stays as it was priced.

    Either rows_per_unit alone, or groups_per_unit and rows_per_group.
    """

    rows_per_unit: int | None = None
    groups_per_unit: int | None = None
    rows_per_group: int | None = None
    bounding: str | None = None
    said: bool = field(default=True, compare=False)
    automatic: bool = False
    late: bool = False

    @property
    def cap(self) -> int:
        """Rows of one unit that count: in all with rows_per_unit, else in each group."""
        return self.rows_per_unit or self.rows_per_group or 1

    @property
    def rows(self) -> int:
        """Rows of one unit in all."""
        return self.cap * (1 if self.rows_per_unit else self.groups_per_unit or 1)

    @property
    def of_rows(self) -> bool:
        """Whether rows are limited in all, not groups and rows in each."""
        return self.rows_per_unit is not None

    @property
    def words(self) -> dict[str, int | str]:
        """The words in which they are declared, and what is said with each."""
        numbers = {
            "rows_per_unit": self.rows_per_unit,
            "groups_per_unit": self.groups_per_unit,
            "rows_per_group": self.rows_per_group,
        }
        words: dict[str, int | str] = {word: number for word, number in numbers.items() if number is not None}
        if self.automatic:
            words["rows_per_unit" if self.of_rows else "groups_per_unit"] = AUTO
        return words if self.bounding is None else {**words, "bounding": self.bounding}

    def found(self, cap: int) -> "Limits":
        """The limits with the number that was found."""
        if self.of_rows:
            return replace(self, rows_per_unit=cap, automatic=False)
        return replace(self, groups_per_unit=cap, automatic=False)


def limits_from(
    rows_per_unit: Limit,
    groups_per_unit: Limit,
    rows_per_group: int | None,
    bounding: str | None = None,
    *,
    said: bool = True,
) -> Limits:
    """The limits that were said; where groups_per_unit is found and nothing is said of rows, one counts in each.

    Example:
        >>> limits_from("auto", None, None).words, limits_from(None, "auto", None).words
        ({'rows_per_unit': 'auto'}, {'groups_per_unit': 'auto', 'rows_per_group': 1})
    """
    rows = STAND_IN if rows_per_unit == "auto" else rows_per_unit
    groups = STAND_IN if groups_per_unit == "auto" else groups_per_unit
    each = 1 if groups_per_unit == AUTO and rows_per_group is None else rows_per_group
    return Limits(rows, groups, each, bounding, said, automatic=AUTO in {rows_per_unit, groups_per_unit})


BOUNDING = ("weigh", "sample")  # what may be done with rows beyond a limit
ROWS_JOINED = 1_000  # of each unit, where rows would multiply
ONE_ROW = Limits(rows_per_unit=1)
UNSAID = Limits(rows_per_unit=1, said=False)  # of a table whose owner says nothing about it
