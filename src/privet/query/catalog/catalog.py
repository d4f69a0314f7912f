"""Catalog: the public facts about data that its owner declares. Nothing that is not declared is public."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Unpack

from privet.core import Unit
from privet.loss import Promise
from privet.query.catalog.consistency import refuse_inconsistent
from privet.query.catalog.declared_table import DeclaredTable, TimeWindow
from privet.query.catalog.frame_words import FrameWords


@dataclass(frozen=True, repr=False)
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
        anchor: the file that remembers the journal's last row; by default beside a SQLite file, and none in PostgreSQL.
        frames: tables that are in memory, by name.
        folder: relative paths are relative to this.

    Raises:
        InvalidParameter: if declarations contradict each other, in one sentence that begins with the place.

    Example:
        >>> import pyarrow as pa
        >>> from privet import Guarantee
        >>> people = pa.table({"id": [1, 2, 3], "age": [30, 40, 50]})
        >>> declared = {"unit": "person", "unit_column": "id", "columns": {"age": {"bounds": [0, 110]}}}
        >>> catalog = Catalog.of(people, table="people", limit=Guarantee(1), **declared)
        >>> list(catalog.tables), catalog.limit
        (['people'], (ε=1)-DP)
    """

    name: str
    unit: Unit
    limit: Promise
    tables: Mapping[str, DeclaredTable]
    source: str = ""
    row_level: bool = False
    window: TimeWindow | None = None
    analysts: Mapping[str, Promise] = field(default_factory=dict)
    budget: Promise | None = None
    ledger: str | None = None
    anchor: str | None = None
    frames: Mapping[str, object] = field(default_factory=dict)
    folder: Path = Path()

    def __post_init__(self) -> None:
        refuse_inconsistent(self)

    @property
    def limited(self) -> str:
        """Whose rows the limits of a table count, in words: a unit's, or with a window a unit's on one day."""
        return self.unit.name if self.window is None else f"unit on each {self.window.column}"

    def __repr__(self) -> str:
        """What is declared, in short: no address, which may hold a password, and nothing of a frame."""
        tables = "; ".join(f"{name}({', '.join(table.columns)})" for name, table in self.tables.items())
        return f"Catalog({self.name}: {tables}; {self.limit!r} per {self.unit.name})"

    def _repr_html_(self) -> str:
        """What a notebook shows: tables and columns, and what is public about each."""
        from privet.query.catalog.catalog_card import catalog_card  # noqa: PLC0415 - for notebooks

        return catalog_card(self).html()

    @classmethod
    def of(cls, frame: object, **declared: Unpack[FrameWords]) -> "Catalog":
        """The catalog of a pandas, polars or Arrow frame; see `catalog_of_frame`."""
        from privet.query.catalog.frame_catalog import catalog_of_frame  # noqa: PLC0415 - it makes catalogs

        return catalog_of_frame(frame, **declared)
