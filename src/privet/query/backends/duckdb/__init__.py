"""DuckDB: the embedded engine."""

from privet.query.backends.duckdb.engine import DuckDBBackend

__all__ = ["DuckDBBackend"]
