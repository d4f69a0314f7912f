"""FoundTable: a table as a schema has it, before anything is declared about it."""

from dataclasses import dataclass

from privet.query.scalars.facts import Type


@dataclass(frozen=True)
class Seen:
    """What the values of a column are.

    Args:
        type: the narrowest that every value says.
        spaced: whether texts begin or end with spaces, which a list of values must then have too.
    """

    type: Type
    spaced: bool


@dataclass(frozen=True)
class FoundColumn:
    """A column as the schema has it.

    Args:
        name: of the column.
        engine: its type there; None if the file does not say, as CSV does not.
        nullable: whether the schema allows NULL.
        seen: what its values are, if the owner let them be looked at.
    """

    name: str
    engine: str | None
    nullable: bool = False
    seen: Seen | None = None


@dataclass(frozen=True)
class FoundTable:
    """A table as the schema has it."""

    name: str
    columns: tuple[FoundColumn, ...]
    unique: tuple[str, ...] = ()
    refers: tuple[tuple[str, str, str], ...] = ()  # foreign keys: column, other table, its column
    files: tuple[str, str] | None = None  # the word and the path
    location: str | None = None  # schema.table, where the name alone does not find it
