"""Drafting: the first draft of a catalog, from a schema alone.

May import: backends, catalog, scalars; errors.
Never touches: rows, prices, ledgers.
"""
