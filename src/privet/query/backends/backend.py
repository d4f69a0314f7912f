"""Backend: what Privet needs from an engine. Everything that differs between engines is in its file."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa

from privet.query.measures.members import Keys, Members
from privet.query.measures.request import Bounded
from privet.query.plan.relations import Relation

__all__ = ["Backend", "Keys", "Sums"]


@dataclass(frozen=True, repr=False)
class Sums:
    """Exact sums by group: secret, and only a mechanism may see them.

    Args:
        groups: keys of a group to one tuple of whole numbers for each measure. Groups without rows are absent. For
            RANKS and DISTINCT see `Backend.ranks`.
        units: keys of a group to how many units are in it, after the cap; empty where rows are weighed one by one
            (`Bounded.by_row`), because then units are in any number of groups.
    """

    groups: Mapping[Keys, tuple[tuple[int, ...], ...]]
    units: Mapping[Keys, int]

    def __repr__(self) -> str:
        return "Sums(values hidden)"


class Backend(Protocol):
    """An engine with data in it. Methods that read private tables are called after the charge only."""

    name: str  # also how sqlglot calls its SQL

    def schema(self) -> Mapping[str, Mapping[str, str]]:
        """The engine's type of every column of every table, by name; read from the schema, never from rows."""

    def apart(self) -> AbstractContextManager["Backend"]:
        """The engine as one statement sees it: threads that ask at the same time do not see each other's tables."""

    def sums(self, request: Bounded) -> Sums:
        """Exact bounded sums of ROWS, UNITS, SUM, MEAN, SPREAD and DISTINCT measures."""

    def ranks(self, request: Bounded) -> Mapping[Keys, Mapping[int, int]]:
        """For a request of one RANKS measure: by group, how many parts of rows lie at each place of the lattice.

        Places are counted from the lattice's first and coarsened: place p stands for those from p << rank_shift on.
        """

    def members(self, request: Bounded) -> Members:
        """For a request of members: which units are in which groups, each in as many as it is held to."""

    def products(self, request: Bounded) -> tuple[int, ...]:
        """Exact sums of all products of two columns, in parts of a row (`printing/product_sums.py`)."""

    def products_text(self, request: Bounded) -> str:
        """The SQL that `products` runs."""

    def read(self, relation: Relation, released: Mapping[str, pa.Table]) -> pa.Table:
        """The rows of a public relation, in full; `released` holds the tables of earlier stages, by name."""

    def owned_rows(self, relation: Relation) -> pa.Table:
        """The rows of an owned relation, one by one: secret, for what learns from whole rows."""

    def publish(self, released: Mapping[str, pa.Table]) -> None:
        """Make tables of earlier stages available to relations that mention them."""

    def text(self, request: Bounded) -> str:
        """The SQL that `sums` or `ranks` runs, which is shown for free and which the second price reads back.

        Nothing of it follows from rows or their statistics.
        """

    def close(self) -> None:
        """Let go of connections."""
