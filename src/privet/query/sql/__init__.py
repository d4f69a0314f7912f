"""SQL: the front door, and the only one to the parser. A statement becomes a plan, or is refused."""

from privet.query.sql.read_statement import read

__all__ = ["read"]
