"""Catalogs: the public facts about data, declared by its owner, and the files they are written in."""

from privet.query.catalog.catalog import Catalog, DeclaredTable, Step, TimeWindow

__all__ = ["Catalog", "DeclaredTable", "Step", "TimeWindow"]
