"""Spark as a source: how a catalog says that its tables are on one."""

from privet.query.catalog.catalog import Catalog

HERE = "spark"  # as a source: the Spark that runs in this process already
MASTER = "spark://"
OTHER = "spark+"


def is_spark(catalog: Catalog) -> bool:
    """Whether a catalog's tables are on a Spark: by its source, or because a frame is Spark's."""
    frames = (type(frame).__module__ for frame in catalog.frames.values())
    return catalog.source.startswith((MASTER, OTHER)) or catalog.source == HERE or any(map(_is_sparks, frames))


def _is_sparks(module: str) -> bool:
    return module.startswith("pyspark.sql")
