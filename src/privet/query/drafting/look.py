# ruff: noqa: S608 - SQL is printed from the first line of the owner's own file
"""Look: the types of a CSV file's columns, read from its rows: for the owner alone, who asked for it."""

import duckdb

from privet.errors import InvalidParameter
from privet.query.backends.duckdb.csv_lines import lines_select, refuse_broken
from privet.query.backends.duckdb.dialect import DuckDBDialect
from privet.query.drafting.found_table import Seen
from privet.query.scalars.facts import Type

KINDS = (Type.INTEGER, Type.REAL, Type.DATE, Type.TIMESTAMP, Type.BOOLEAN)  # the first that fits is taken
LEADING = "^[+-]?0[0-9]"  # as in 00501: a code, not a number


def seen_types(name: str, file: str) -> dict[str, Seen]:
    """For each column, what all its values say; columns without values are left out.

    Args:
        name: of the table, for sentences.
        file: a CSV file.

    Privacy: none. One row decides what is found, so it is for the owner, who judges it before it is in a catalog.
        Values are not shown, nor how many there are.
    """
    try:
        refuse_broken([file], stopped=lambda: False)
        with duckdb.connect(":memory:") as base:
            base.execute(f"CREATE VIEW rows AS {lines_select(name, [file], None)}")
            columns = [str(row[0]) for row in base.execute("DESCRIBE rows").fetchall()]
            kinds = base.execute(f"SELECT {', '.join(map(_fits, columns))} FROM rows").fetchone() or ()
            spaced = base.execute(f"SELECT {', '.join(map(_spaced, columns))} FROM rows").fetchone() or ()
    except (duckdb.Error, OSError):
        raise InvalidParameter(f"{file} cannot be read to its end: is the file, or the archive, whole?") from None
    told = zip(columns, kinds, spaced, strict=True)
    return {
        column: Seen(Type(kind), kind == Type.TEXT.value and bool(more))
        for column, kind, more in told
        if kind is not None
    }


def _fits(column: str) -> str:
    """The first type that all values of a column say, as text; NULL if there are no values."""
    dialect = DuckDBDialect()
    value = dialect.name(column)
    reads = {kind: dialect.read(value, "VARCHAR", kind) for kind in KINDS}
    fits = {kind: f"{reads[kind]} IS NOT NULL" for kind in KINDS}
    for narrow, wide in ((Type.INTEGER, Type.REAL), (Type.DATE, Type.TIMESTAMP)):  # reading would round
        fits[narrow] = f"COALESCE({reads[narrow]} = {reads[wide]}, FALSE)"
    for number in (Type.INTEGER, Type.REAL):
        fits[number] += f" AND NOT regexp_matches({value}, '{LEADING}')"
    cases = " ".join(
        f"WHEN BOOL_AND({test}) FILTER (WHERE {value} IS NOT NULL) THEN '{kind.value}'" for kind, test in fits.items()
    )
    return f"CASE WHEN COUNT({value}) = 0 THEN NULL {cases} ELSE '{Type.TEXT.value}' END"


def _spaced(column: str) -> str:
    value = DuckDBDialect().name(column)
    return f"BOOL_OR({value} <> TRIM({value}))"
