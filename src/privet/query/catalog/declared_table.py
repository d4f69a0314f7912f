"""DeclaredTable: a table as its owner declares it, the way from it to its unit, and windows of time."""

from collections.abc import Mapping
from dataclasses import dataclass

from privet.query.plan.limits import ROWS_JOINED, UNSAID, Limits
from privet.query.scalars.facts import Facts


@dataclass(frozen=True)
class Step:
    """One foreign key on the way from a table to its unit: `column` here holds a value of `key` in `table`."""

    column: str
    table: str
    key: str


@dataclass(frozen=True)
class ExpectedRows:
    """What the owner of a table expects of its size: public, rough, and believed by nothing.

    Args:
        rows: how many there are.
        units: how many units have some; None if nobody knows.
    """

    rows: int
    units: int | None = None


@dataclass(frozen=True)
class DeclaredTable:
    """A table as its owner declares it.

    Args:
        name: as statements call it.
        columns: the facts of each column that may be named.
        public: True if its rows are about nobody; then it has no unit.
        unit_column: the column that says who a row is about; with a path, the column of the path's last table.
        unit_path: the foreign keys that lead there, if that is another table.
        limits: what is used of one unit.
        unique: columns in which no value occurs twice: where a path may lead, or a public table be joined.
        files: Parquet or CSV files that hold it, if it is not a table of the catalog's source.
        location: the table's name in the engine, if that differs.
        rows_joined_per_unit: how many rows of one unit are joined, where rows multiply; those beyond are left out.
        expected: how large it probably is. Explanations and advice use it, and nothing else does.
    """

    name: str
    columns: Mapping[str, Facts]
    public: bool = False
    unit_column: str | None = None
    unit_path: tuple[Step, ...] = ()
    limits: Limits = UNSAID
    unique: frozenset[str] = frozenset()
    files: str | None = None
    location: str | None = None
    rows_joined_per_unit: int = ROWS_JOINED
    expected: ExpectedRows | None = None


@dataclass(frozen=True)
class TimeWindow:
    """For w-event privacy: what a unit did within any `length` consecutive days (or whole numbers) of a column."""

    column: str
    length: int

    def of(self, unit: str, *, days: bool) -> str:
        """The name of what is protected: less than the unit, and a ledger must not promise more.

        Example:
            >>> TimeWindow("day", 7).of("patient", days=True)
            "patient's 7 consecutive days"
        """
        return f"{unit}'s {self.length} consecutive {'days' if days else f'values of {self.column}'}"
