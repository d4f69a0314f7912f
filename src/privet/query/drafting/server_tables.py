"""Server tables: the tables and views that a role may read, for the first draft of a catalog. No row is read."""

from typing import Any

from privet.errors import InvalidParameter
from privet.query.backends.postgres.address import Address
from privet.query.backends.postgres.connection import connect, search_path
from privet.query.backends.postgres.table_schemas import COLUMNS
from privet.query.drafting.found_table import FoundColumn, FoundTable

TABLES = """
SELECT c.oid, n.nspname::text, c.relname::text
FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
    AND n.nspname !~ '^(pg_|information_schema$|privet_)'
    AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
    AND (pg_catalog.has_table_privilege(c.oid, 'SELECT') OR pg_catalog.has_any_column_privilege(c.oid, 'SELECT'))
ORDER BY n.nspname, c.relname
"""
UNIQUE = """
SELECT a.attname::text FROM pg_catalog.pg_constraint AS k
JOIN pg_catalog.pg_attribute AS a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
WHERE k.conrelid = %s AND k.contype IN ('p', 'u') AND pg_catalog.cardinality(k.conkey) = 1 ORDER BY 1
"""
REFERS = """
SELECT a.attname::text, k.confrelid, b.attname::text FROM pg_catalog.pg_constraint AS k
JOIN pg_catalog.pg_attribute AS a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
JOIN pg_catalog.pg_attribute AS b ON b.attrelid = k.confrelid AND b.attnum = k.confkey[1]
WHERE k.conrelid = %s AND k.contype = 'f' AND pg_catalog.cardinality(k.conkey) = 1 ORDER BY 1
"""


def server_tables(source: str) -> tuple[str, list[FoundTable]]:
    """The name of the database, and its tables: one that the role's search path does not find has its location.

    Raises:
        InvalidParameter: if the server cannot be reached, or shows this role no tables.
    """
    address = Address.of(source)
    with connect(address) as connection:
        schemas = search_path(connection)
        rows = connection.execute(TABLES).fetchall()
        names = _names(rows, schemas)
        tables = []
        for oid, schema, table in rows:
            columns = connection.execute(COLUMNS, (oid,)).fetchall()
            refers = [
                (column, names[other], key)
                for column, other, key in connection.execute(REFERS, (oid,)).fetchall()
                if other in names
            ]
            tables.append(
                FoundTable(
                    names[oid],
                    tuple(FoundColumn(str(name), str(kind), bool(null)) for name, kind, null, _ in columns),
                    tuple(str(column) for (column,) in connection.execute(UNIQUE, (oid,)).fetchall()),
                    tuple(refers),
                    location=None if schema in schemas and names[oid] == table else f"{schema}.{table}",
                )
            )
        name = str(connection.info.dbname)
    if not tables:
        raise InvalidParameter(
            f"{address.place} shows this role no tables: GRANT SELECT on some, and USAGE of their schema"
        )
    return name, tables


def _names(rows: list[tuple[Any, ...]], schemas: list[str]) -> dict[int, str]:
    """What a table is called: its own name, or with its schema's if another has that."""
    names: dict[int, str] = {}
    for oid, schema, table in sorted(rows, key=lambda row: row[1] not in schemas):
        names[oid] = table if table not in names.values() else f"{schema}_{table}"
    return names
