"""Catalogs: the public facts about data, declared by its owner, and the files they are written in.

May import: plan, functions, scalars; errors, core, display, loss, wording.
Never touches: engines, prices, the parser.
"""

from privet.query.catalog.catalog import Catalog
from privet.query.catalog.declared_table import DeclaredTable, ExpectedRows, Step, TimeWindow

__all__ = ["Catalog", "DeclaredTable", "ExpectedRows", "Step", "TimeWindow"]
