# ruff: noqa: S608 - names of this file, values printed by us
"""A real Spark for a test process, with hospitals in it: a master, a worker, and one session a slot."""

import atexit
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cache
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from privet.query.backends.spark.dialect import SparkDialect
from privet.query.backends.spark.engine import SparkBackend
from privet.query.catalog import Catalog
from privet.query.printing.function_templates import print_expression
from privet.query.scalars.expressions import Column, Expression
from privet.query.scalars.facts import Type, Value
from tests.support.hospital import HOSPITAL
from tests.support.neighbor_hospitals import World, world
from tests.support.spark import MISSING, cluster

NUMBER = Type.INTEGER


class Spark:
    """A cluster, and an engine that keeps its driver running; ended when the process ends."""

    name = "spark"
    dialect = SparkDialect()

    def __init__(self) -> None:
        self._stack = ExitStack()
        atexit.register(self._stack.close)
        found = self._stack.enter_context(cluster())
        if found is None:
            raise OSError(MISSING)
        self.cluster = found
        self._held: dict[tuple[int, str], SparkBackend] = {}
        path = found.folder / "clinic.parquet"
        pq.write_table(world({}).frames()["clinic"], path)
        tables = {"clinic": replace(HOSPITAL.tables["clinic"], files=str(path))}
        self.anchor = SparkBackend(replace(HOSPITAL, source=found.source, tables=tables))
        self._stack.callback(self.anchor.close)

    @property
    def session(self) -> Any:  # noqa: ANN401 - a session of Spark's
        """One that is not an engine's."""
        return self.anchor._session

    def backend(self, found: World, catalog: Catalog, *, slot: int = 0) -> SparkBackend:
        tables = {name: table for name, table in found.frames().items() if name in catalog.tables}
        frames = self.frames(tables)
        held = self._held.get((slot, repr(catalog)))
        if held is None:
            held = self._held[slot, repr(catalog)] = SparkBackend(replace(catalog, source="", frames=frames))
            return held
        for name, frame in frames.items():
            frame.createOrReplaceGlobalTempView("refill")
            held._session.table("global_temp.refill").createOrReplaceTempView(held._tables[name].text)
        return held

    def frames(self, tables: Mapping[str, pa.Table]) -> dict[str, Any]:
        """Tables as frames of Spark's."""
        return {name: self.session.createDataFrame(table) for name, table in tables.items()}

    def column(
        self, made: Sequence[Column], rows: Sequence[Sequence[Value]], wanted: Sequence[Expression]
    ) -> list[Any]:
        from tests.support.engines import as_arrow  # noqa: PLC0415 - it imports this

        names = {column: f"c{n}" for n, column in enumerate(made)}
        items = [f"{print_expression(each, self.dialect, names.__getitem__)} AS e{n}" for n, each in enumerate(wanted)]
        table = as_arrow(made, rows).append_column("line", pa.array(range(len(rows))))
        path = self.cluster.folder / "column.parquet"
        pq.write_table(table, path)
        self.session.read.parquet(f"file:{path}").createOrReplaceTempView("t")
        found = self.anchor._fetch(f"SELECT line, {', '.join(items)} FROM t ORDER BY line")
        return [row[1:] for row in found]


@cache
def spark() -> Spark:
    """The one of this process."""
    return Spark()
