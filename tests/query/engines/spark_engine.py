"""Hospitals on a real Spark: one cluster for a test process, stopped at its end."""

import atexit
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

from privet.query.backends.spark import SparkBackend
from privet.query.catalog import Catalog
from tests.query.hospital import HOSPITAL
from tests.query.worlds import World, world
from tests.spark import MISSING, Cluster, cluster


@cache
def running() -> Cluster | None:
    """The cluster of this process."""
    context = cluster()
    found = context.__enter__()
    atexit.register(context.__exit__, None, None, None)
    return found


@cache
def anchor() -> SparkBackend:
    """An engine that holds the process's Spark open, so that others need not start it."""
    found = running()
    if found is None:
        pytest.skip(MISSING)
    clinic = {"clinic": HOSPITAL.tables["clinic"]}
    frames = {"clinic": world({}).frames()["clinic"]}
    path = found.folder / "clinic.parquet"
    pa.parquet.write_table(frames["clinic"], path)
    tables = {"clinic": replace(clinic["clinic"], files=str(path))}
    backend = SparkBackend(replace(HOSPITAL, source=found.source, tables=tables))
    atexit.register(backend.close)
    return backend


def frames_of(tables: Mapping[str, pa.Table]) -> dict[str, Any]:
    """Tables as frames of a session that is not ours."""
    session = anchor()._session
    return {name: session.createDataFrame(_plain(table)) for name, table in tables.items()}


def _plain(table: pa.Table) -> pa.Table:
    return table.cast(pa.schema([(field.name, field.type) for field in table.schema]))


def holding(found: World, catalog: Catalog = HOSPITAL) -> SparkBackend:
    """An engine that holds a hospital."""
    tables = {name: table for name, table in found.frames().items() if name in catalog.tables}
    return SparkBackend(replace(catalog, frames=frames_of(tables)))


def refill(backend: SparkBackend, found: World) -> None:
    """Put another hospital in the place of the one that an engine holds."""
    tables = found.frames()
    wanted = {name: table for name, table in tables.items() if name in backend._tables}
    for name, frame in frames_of(wanted).items():
        frame.createOrReplaceGlobalTempView(f"refill_{name}")
        backend._session.table(f"global_temp.refill_{name}").createOrReplaceTempView(backend._tables[name].text)
