"""Drafting: the first draft of a catalog, from a schema alone.

May import: backends, catalog, scalars; errors.
Never touches: rows, but in `look`, for their owner who asked for it; prices, ledgers.
"""
