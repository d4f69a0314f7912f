"""FrameWords: what may be declared about a frame, with the words of a catalog file."""

from collections.abc import Iterable, Mapping
from typing import Any, TypedDict

from privet.loss import Neighbors, Promise
from privet.query.plan.limits import Limit


class FrameWords(TypedDict, total=False):
    """What is declared about a frame; the words are those of docs/catalog.md.

    Args:
        limit: how much may be revealed about anybody, in all.
        unit: who is protected; "row" if each row is somebody else.
        unit_column: the column that says who a row is about.
        columns: by name, the words of each column that may be named; its type need not be said.
        table: what statements call the frame.
        neighbors: "add_remove" or "replace".
        window: (column, length), to protect what a unit did within any so many consecutive days or whole numbers.
        rows_per_unit: how many rows of one unit are used; "auto" has each question find it with part of what it costs.
        groups_per_unit: with rows_per_group, in how many groups; or "auto".
        rows_per_group: and how many rows in each.
        expected: how many rows there probably are, and units: {"rows": 120_000, "units": 20_000}.
        bounding: "weigh" or "sample" rows beyond that; by default whatever errs less.
        public: further frames, by name, that are about nobody.
        unique: columns of the public frames in which no value occurs twice, as "table.column".
        budget: what a question costs when it does not say.
        analysts: limits of their own.
        ledger: where spends are kept; in memory by default, and then gone with the process.
        anchor: where the ledger's anchor is, if not beside it.
        name: of the dataset.
    """

    limit: Promise
    unit: str
    unit_column: str | None
    columns: Mapping[str, Mapping[str, Any]]
    table: str
    neighbors: Neighbors | str
    window: tuple[str, int] | None
    rows_per_unit: Limit
    groups_per_unit: Limit
    rows_per_group: int | None
    expected: Mapping[str, int] | None
    bounding: str | None
    public: Mapping[str, object]
    unique: Iterable[str]
    budget: Promise | None
    analysts: Mapping[str, Promise]
    ledger: str | None
    anchor: str | None
    name: str
