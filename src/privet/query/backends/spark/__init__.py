"""Spark: the engine of clusters. It is loaded (`engine.py`) when a catalog has its tables there."""
