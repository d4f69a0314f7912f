# ruff: noqa: S608 - texts of this file alone
"""Tables: what the server says about the tables of a catalog. Its schema is read, never a row."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from privet.errors import InvalidParameter
from privet.query.backends.postgres.literals import quoted_name
from privet.query.printing import Source

if TYPE_CHECKING:
    import psycopg

# A table whose rows lie in the server's own files, and are read as they lie there. Views, foreign tables, other storage
# and policies of row-level security are code, which may draw rows; what it claims of itself (STABLE) may be false.
STEADY = """
NOT pg_catalog.row_security_active(c.oid) AND NOT EXISTS (
    WITH RECURSIVE parts AS (
        SELECT c.oid AS part UNION SELECT i.inhrelid FROM pg_catalog.pg_inherits AS i JOIN parts ON i.inhparent = part
    )
    SELECT 1 FROM parts JOIN pg_catalog.pg_class AS d ON d.oid = part
    WHERE d.relkind <> 'p' AND d.relam <> 2
)
"""
FOUND = f"""
SELECT c.oid, n.nspname, c.relname, c.relkind = 'r' AND NOT c.relhassubclass, {STEADY},
    pg_catalog.has_schema_privilege(n.oid, 'USAGE')
    AND (pg_catalog.has_table_privilege(c.oid, 'SELECT') OR pg_catalog.has_any_column_privilege(c.oid, 'SELECT')),
    pg_catalog.has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND {{which}}
"""
BY_NAME = "c.relname = %s AND n.nspname = ANY (%s)"
IN_ORDER = " ORDER BY pg_catalog.array_position(%s::text[], n.nspname::text) LIMIT 1"
BY_BOTH = "n.nspname = %s AND c.relname = %s"
# the last: whether reading it runs code of the database's own, such as a cast that somebody has defined
COLUMNS = """
WITH RECURSIVE plain AS (
    SELECT a.attnum, a.attname, a.attnotnull, a.attgenerated = 'v' AS computed, t.oid, t.typtype, t.typbasetype,
        a.atttypmod AS modifier, t.typtypmod
    FROM pg_catalog.pg_attribute AS a JOIN pg_catalog.pg_type AS t ON t.oid = a.atttypid
    WHERE a.attrelid = %s AND a.attnum > 0 AND NOT a.attisdropped
  UNION ALL
    SELECT p.attnum, p.attname, p.attnotnull, p.computed, t.oid, t.typtype, t.typbasetype, p.typtypmod, t.typtypmod
    FROM plain AS p JOIN pg_catalog.pg_type AS t ON p.typtype = 'd' AND t.oid = p.typbasetype
)
SELECT attname, CASE WHEN typtype = 'e' THEN 'ENUM' ELSE pg_catalog.format_type(oid, modifier) END, NOT attnotnull,
    computed OR EXISTS (
        SELECT 1 FROM pg_catalog.pg_cast AS k
        WHERE k.castsource = plain.oid AND k.castmethod = 'f' AND k.castfunc >= 16384
    )
FROM plain WHERE typtype <> 'd' ORDER BY attnum
"""


@dataclass(frozen=True)
class FoundRelation:
    """A table or view as the server lists it.

    Args:
        source: what stands after FROM, its columns, and `ctid` if that tells rows apart.
        writable: whether the role could change its rows.
    """

    source: Source
    writable: bool


def find_table(connection: "psycopg.Connection[Any]", name: str, location: str, schemas: list[str]) -> FoundRelation:
    """The table at a location: "visit" as the role's search path finds it, or "clinic.visit".

    Raises:
        InvalidParameter: if it is not there, or may not be read.
    """
    row = _row(connection, location, schemas)
    if row is None:
        raise InvalidParameter(f"table {name} is not in the database: write its location as schema.table")
    oid, schema, table, plain, steady, readable, writable = row
    if not readable:
        raise InvalidParameter(
            f"table {name} may not be read by this role: GRANT SELECT on it, and USAGE of its schema"
        )
    columns = connection.execute(COLUMNS, (oid,)).fetchall()
    types = {str(column): str(kind) for column, kind, *_ in columns}
    steady = steady and not any(computed for *_, computed in columns)
    place = f"{quoted_name(schema)}.{quoted_name(table)}"
    return FoundRelation(Source(place, types, "ctid" if plain else None, steady), bool(writable))


def _row(connection: "psycopg.Connection[Any]", location: str, schemas: list[str]) -> tuple[Any, ...] | None:
    """As it is written, or in small letters as PostgreSQL takes names without quotes; in parts at any of its dots."""
    for written in dict.fromkeys((location, location.lower())):
        found = connection.execute(FOUND.format(which=BY_NAME) + IN_ORDER, (written, schemas, schemas)).fetchone()
        dots = [place for place, letter in enumerate(written) if letter == "."]
        for dot in dots if found is None else ():
            both = (written[:dot], written[dot + 1 :])
            found = found or connection.execute(FOUND.format(which=BY_BOTH), both).fetchone()
        if found is not None:
            return tuple(found)
    return None
