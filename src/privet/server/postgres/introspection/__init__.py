"""Introspection: what clients ask about tables, answered from what is public, away from the data.

May import: query/catalog, query/scalars; errors, wording.
Never touches: the desk, private data, files.
"""
