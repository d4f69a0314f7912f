"""Spark: tables of a session's catalog, Parquet files, and frames of a session."""

import contextlib
import itertools
import os
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from privet.errors import InvalidParameter
from privet.query.backends.spark.arrow_tables import arrow_from, frame_from
from privet.query.backends.spark.dialect import SparkDialect, engine_types
from privet.query.backends.spark.lost_workers import stopped_without_workers
from privet.query.backends.spark.running_spark import is_gone, let_go, opened
from privet.query.backends.spark.settings import pin
from privet.query.backends.spark.sources import as_plain, frame_of, size_of
from privet.query.backends.spark.steady_plans import nodes_of, refuse_unsteady
from privet.query.backends.spark.stored_files import state_of
from privet.query.backends.sql_engine import SqlEngine
from privet.query.catalog import Catalog
from privet.query.catalog.spark_source import HERE
from privet.query.measures.request import Bounded
from privet.query.printing import Source

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MOST_SENT = 10 << 20  # bytes of a public table that is sent to all workers as a whole
MOST_PARTITIONS = 400
PARTITION = 32 << 20  # bytes of private tables, as they are stored, for each part that rows are moved in
NUMBERS = itertools.count(1)  # of statements
CHECKS_TEXTS = 4  # the version of Spark that can tell what is no UTF-8


class SparkBackend(SqlEngine):
    """A session on a Spark cluster with the tables of a catalog in it.

    Args:
        catalog: which tables there are; its source is a master's address, or "spark" for the Spark that runs in this
            process. Frames must be Spark's. Opening reads schemas, never rows.
        memory: of the driver and of each executor, such as "4GB", for a Spark that is started here.

    Privacy: the session is of our own, so nobody else's settings reach it. Only bounded sums by group come back; there
        is no Python code on the workers. Rows without a number of their own cannot be told apart when Spark computes
        them twice, so catalogs whose unit is a row are refused.

    Raises:
        InvalidParameter: if Spark, Java, the master, a table or a column is missing.
    """

    name = "spark"

    def __init__(self, catalog: Catalog, *, memory: str | None = None, threads: int | None = None) -> None:
        if threads is not None:
            raise InvalidParameter('threads is for engines in this process; a local Spark has "spark+local[2]" for two')
        if catalog.row_level:
            raise InvalidParameter(
                "rows are not numbered on Spark, which may compute them twice: declare a unit_column, or use DuckDB"
            )
        self._session, self._ours = opened(catalog.source or HERE, memory=memory)
        self._group = ""
        self._sizes = dict[str, int]()
        self._stored = list[Any]()
        try:
            version = int(self._session.version.split(".")[0])
            super().__init__(catalog, SparkDialect(checks_texts=version >= CHECKS_TEXTS))
            pin(self._session)
            frames = {name: self._frame(name) for name in catalog.tables}  # all, before any of our names is in the way
            self._tables = {name: self._source(name, place, frames[name]) for place, name in enumerate(frames, 1)}
            self._state = state_of(self._stored)
            self._divide()
            self._refuse_unlike_units()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let go of the session, and stop a Spark that was started for it."""
        if self._ours:
            self._ours = False
            let_go()

    def text(self, request: Bounded) -> str:
        """The SQL for a request; refused before anything is charged where Spark has ended."""
        if is_gone(self._session.sparkContext):
            raise InvalidParameter("Spark has ended: connect again; nothing was charged")
        if state_of(self._stored) != self._state:
            raise InvalidParameter("files of the tables have changed: connect again; nothing was charged")
        return super().text(request)

    def _fetch(self, text: str) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in self._collected(text)[1]]

    def _fetch_table(self, text: str) -> pa.Table:
        return arrow_from(*self._collected(text))

    def _collected(self, text: str) -> tuple[Any, list[Any]]:
        """The schema and rows of a statement, which runs in a group of jobs that can be canceled."""
        self._group = f"privet-{os.getpid()}-{next(NUMBERS)}"
        self._session.sparkContext.setJobGroup(self._group, "privet", interruptOnCancel=True)
        with stopped_without_workers(self._session.sparkContext, self._interrupt):
            frame = self._session.sql(text)
            rows = frame.collect()
        if state_of(self._stored) != self._state:
            raise OSError(
                "files were written while they were read: some rows may have been counted, and others weighed"
            )
        return frame.schema, rows

    def _interrupt(self) -> None:
        with contextlib.suppress(Exception):  # it may be gone
            context: Any = self._session.sparkContext
            try:
                context._jsc.sc().cancelJobGroupAndFutureJobs(self._group)  # noqa: SLF001 - it has no other name
            except Exception:  # noqa: BLE001 - before Spark 4 there is no such word
                context.cancelJobGroup(self._group)

    def _register(self, name: str, table: pa.Table) -> None:
        frame_from(self._session, table).createOrReplaceTempView(name)

    # --- opening ---

    def _divide(self) -> None:
        """Set how many parts rows are moved in: enough for all workers, and so many that each is small."""
        sizes = [self._sizes[name] for name, table in self._catalog.tables.items() if not table.public]
        fewest = max(2, 2 * self._session.sparkContext.defaultParallelism)
        partitions = min(MOST_PARTITIONS, max(fewest, sum(sizes) // PARTITION))
        self._session.conf.set("spark.sql.shuffle.partitions", str(partitions))

    def _frame(self, name: str) -> "DataFrame":
        frame = frame_of(self._session, self._catalog, self._catalog.tables[name])
        refuse_unsteady(name, frame)
        if len({word.casefold() for word in frame.columns}) < len(frame.columns):
            raise InvalidParameter(f"table {name}: two of its columns differ in capital letters only; rename one")
        self._stored += nodes_of(frame)
        return as_plain(frame)

    def _source(self, name: str, place: int, frame: "DataFrame") -> Source:
        self._sizes[name] = size_of(frame)
        frame.createOrReplaceTempView(f"table_{place}")
        types = {field.name: field.dataType.simpleString() for field in frame.schema.fields}
        small = self._catalog.tables[name].public and self._sizes[name] <= MOST_SENT
        return Source(f"table_{place}", engine_types(types), small=small)
