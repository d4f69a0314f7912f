"""Drafting: the first draft of a catalog, from a schema alone. No row is read."""
