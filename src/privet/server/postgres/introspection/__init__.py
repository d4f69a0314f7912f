"""Introspection: what clients ask about tables, answered from what is public, away from the data.

May import: query/catalog, query/scalars, the bounded parser of query/sql; errors, wording.
Never touches: the desk, private data, files.
"""
