# ruff: noqa: S608 - SQL is printed from typed nodes, never from the text of an analyst
"""Few: at most so many rows of each unit, chosen by a hash of what is in them, before they multiply in a join."""

from collections.abc import Sequence

from privet.query.printing.dialect import Dialect
from privet.query.scalars.facts import Type

Named = tuple[str, Type]


def print_many(source: str, unit: Sequence[str], rows: int) -> str:
    """The units that have more rows."""
    units = ", ".join(f"{name} AS b{number}" for number, name in enumerate(unit, 1))
    return f"SELECT {units} FROM {source} GROUP BY {', '.join(unit)} HAVING COUNT(*) > {rows}"


def print_few(  # noqa: PLR0913, PLR0917 - the parts of one node
    source: str, many: str, unit: Sequence[str], columns: Sequence[Named], rows: int, dialect: Dialect
) -> str:
    """All rows of units that have few, and so many of the others'; nobody's rows are left out.

    Few units have many rows, so only theirs are put in order: by a hash of all that is in a row, then by the row.
    Equal rows are worth the same, whichever is kept; where a row is stored says nothing. So which rows are kept depends
    on the unit's own rows alone.
    """
    names = ", ".join(name for name, _ in columns)
    known = " AND ".join(f"{name} IS NOT NULL" for name in unit)
    same = " AND ".join(f"{name} = b{number}" for number, name in enumerate(unit, 1))
    digest = dialect.digest(tuple(dialect.hashable(name, type_) for name, type_ in columns))
    ties = ", ".join(f"{name} NULLS FIRST" for name, _ in columns)
    place = f"ROW_NUMBER() OVER (PARTITION BY {', '.join(unit)} ORDER BY {digest}, {ties}) AS place"
    crowded = f"SELECT {names}, {place} FROM {source} WHERE EXISTS (SELECT 1 FROM {many} WHERE {same})"
    return (
        f"SELECT {names} FROM {source} WHERE {known} AND NOT EXISTS (SELECT 1 FROM {many} WHERE {same}) "
        f"UNION ALL SELECT {names} FROM ({crowded}) AS t WHERE place <= {rows}"
    )
