"""PostgreSQL: tables and views of a server, read in place."""

from privet.query.backends.postgres.engine import PostgresBackend

__all__ = ["PostgresBackend"]
