"""PostgreSQL: tables and views of a server, read in place."""

from privet.errors import InvalidParameter

try:
    from privet.query.backends.postgres.engine import PostgresBackend
except ImportError as problem:
    if problem.name != "psycopg":
        raise
    raise InvalidParameter(
        'tables in PostgreSQL are read with psycopg: run pip install "privet[postgres]"'
    ) from problem

__all__ = ["PostgresBackend"]
