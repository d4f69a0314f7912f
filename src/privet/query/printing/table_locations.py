"""Table locations: where the engine finds a table of the catalog."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from privet.query.catalog import Catalog


@dataclass(frozen=True)
class Source:
    """One table as the engine holds it.

    Args:
        text: what stands after FROM.
        types: the engine's type of every column, by the name it has in the engine.
        row_number: an expression that tells rows apart, the same in every scan; None if there is none.
        steady: whether a second scan within a statement surely gives the same rows. Those of a view may be drawn or
            computed anew for each scan; they are then kept for both (`Chain.steady`).
        small: whether it is public, and so small that an engine of many machines may send it to each of them.
    """

    text: str
    types: Mapping[str, str]
    row_number: str | None = None
    steady: bool = True
    small: bool = False

    def column(self, name: str) -> str | None:
        """The engine's own spelling of a column, whatever the case."""
        if name in self.types:
            return name
        return next((other for other in self.types if other.casefold() == name.casefold()), None)


@dataclass(frozen=True)
class Sources:
    """All tables that a relation may mention.

    Args:
        catalog: what the owner declared.
        tables: by their name in the catalog.
        released: by the name of a stage: the engine's name of the table, whose columns are called c1, c2, …
        whole_units: whether units are whole numbers of 64 bits in the engine.
    """

    catalog: Catalog
    tables: Mapping[str, Source]
    released: Mapping[str, str] = field(default_factory=dict)
    whole_units: bool = False
