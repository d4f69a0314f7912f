"""Spark: the engine of clusters."""

from privet.query.backends.spark.engine import SparkBackend
from privet.query.backends.spark.running_spark import is_spark

__all__ = ["SparkBackend", "is_spark"]
