"""SQL: the front door, and the only one to the parser. A statement becomes a plan, or is refused (`refuse.py`).

May import: aggregates, catalog, plan, functions, scalars; errors, wording.
Never touches: rows, engines, prices.
"""

from privet.query.sql.read_statement import read

__all__ = ["read"]
