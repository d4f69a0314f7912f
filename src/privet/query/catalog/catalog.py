"""Catalog: the public facts about data that its owner declares. Nothing that is not declared is public."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from privet.core import Unit
from privet.loss import Promise
from privet.query.catalog.rules import refuse_inconsistent
from privet.query.facts import Facts
from privet.query.limits import ONE_ROW, ROWS_JOINED, Limits

if TYPE_CHECKING:
    from privet.query.catalog.frame import FrameWords


@dataclass(frozen=True)
class Step:
    """One foreign key on the way from a table to its unit: `column` here holds a value of `key` in `table`."""

    column: str
    table: str
    key: str


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
    """

    name: str
    columns: Mapping[str, Facts]
    public: bool = False
    unit_column: str | None = None
    unit_path: tuple[Step, ...] = ()
    limits: Limits = ONE_ROW
    unique: frozenset[str] = frozenset()
    files: str | None = None
    location: str | None = None
    rows_joined_per_unit: int = ROWS_JOINED


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


@dataclass(frozen=True)
class Catalog:
    """Everything that is public about a dataset, and how much may be revealed about anybody in it.

    Args:
        name: of the dataset; its ledger is kept under this name.
        unit: who is protected, and under which neighbors; with a window, named by `TimeWindow.of`.
        limit: for all analysts together.
        tables: by name.
        source: "duckdb:///file", "postgresql://user@host/database", or "" when every table has files or a frame.
        row_level: True if each row is a unit of its own, so that there is no unit column.
        window: for w-event privacy.
        analysts: limits of their own, each within the catalog's. If there are any, nobody else may ask.
        budget: what a question costs when it does not say.
        ledger: the journal's address; None keeps it in memory. A catalog file without one has a SQLite file beside it.
        frames: tables that are in memory, by name.
        folder: relative paths are relative to this.

    Raises:
        InvalidParameter: if declarations contradict each other, in one sentence that begins with the place.
    """

    name: str
    unit: Unit
    limit: Promise
    tables: Mapping[str, DeclaredTable]
    source: str = field(default="", repr=False)  # it may hold a password
    row_level: bool = False
    window: TimeWindow | None = None
    analysts: Mapping[str, Promise] = field(default_factory=dict)
    budget: Promise | None = None
    ledger: str | None = field(default=None, repr=False)  # the same
    frames: Mapping[str, object] = field(default_factory=dict, repr=False)
    folder: Path = Path()

    def __post_init__(self) -> None:
        refuse_inconsistent(self)

    @property
    def limited(self) -> str:
        """Whose rows the limits of a table count, in words: a unit's, or with a window a unit's on one day."""
        return self.unit.name if self.window is None else f"unit on each {self.window.column}"

    @classmethod
    def of(cls, frame: object, **declared: "Unpack[FrameWords]") -> "Catalog":
        """The catalog of a pandas, polars or Arrow frame; see `catalog_of_frame`."""
        from privet.query.catalog.frame import catalog_of_frame  # noqa: PLC0415 - it makes catalogs

        return catalog_of_frame(frame, **declared)
