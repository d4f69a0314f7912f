"""Spark: the engine of clusters. It is loaded (`engine.py`) when a catalog has its tables there."""

from privet.query.backends.spark.running_spark import is_spark

__all__ = ["is_spark"]
