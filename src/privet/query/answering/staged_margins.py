"""Staged margins: the ends of numbers that are computed from the answers of earlier stages, by simulation.

Every earlier stage is simulated (`simulated_columns.py`), and the query over them runs once for all replicates
(`replicated_relation.py`). Rows of the answer are found again in each replicate by the columns that no noise is in.
Which rows an earlier stage shows, and which the last one does, is taken as given.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from privet.errors import InvalidParameter
from privet.query.answering.margins import (
    DISTINCT,
    FAILED,
    ColumnMargins,
    Ends,
    Margins,
    Shown,
    name_taken,
    open_ended,
    places_where,
    replicates_within,
    rows_of,
    with_ends,
)
from privet.query.answering.noisy_columns import NoisyColumns, StageColumns
from privet.query.answering.postprocess import post_read
from privet.query.answering.quantile_ends import QUANTILE
from privet.query.answering.released_table import ReleasedTable
from privet.query.answering.replicated_relation import NotSimulatedError, Replicator, unfiltered
from privet.query.answering.simulated_columns import (
    LINE,
    REPLICATE,
    counts_of,
    is_never_negative,
    never_negative,
    replicated,
    simulated_table,
)
from privet.query.catalog import Catalog
from privet.query.measures.noise_margin import Floats
from privet.query.measures.sampling import Sampled
from privet.query.measures.simulated_noise import ends_of
from privet.query.plan.relations import Relation, mentioned
from privet.query.plan.statement import Output
from privet.query.scalars.expressions import Column, Reference
from privet.query.scalars.facts import Type

LIMITED = "LIMIT of an earlier step chose rows by noisy numbers"
ALIKE = "rows of the answer cannot be told apart but by noisy numbers; show a key beside them"
LARGE = 100_000  # rows of public tables that are read for a simulation
TOO_LARGE = "a public table is too large to simulate with it"


@dataclass(frozen=True)
class Answered:
    """A stage that was answered: of a released table, or of a public query."""

    source: ReleasedTable | Relation
    output: Output
    shown: Shown


@dataclass
class StagedMargins:
    """All stages of one statement.

    Args:
        catalog: the public facts.
        read: reads a public relation.
        confidence: of each interval alone.
        population: whether an interval is for the population that the units are a sample of.
    """

    catalog: Catalog
    read: Callable[[Relation], pa.Table]
    confidence: float
    population: bool = False
    stages: dict[str, Answered] = field(default_factory=dict)
    columns: dict[str, StageColumns] = field(default_factory=dict)
    _replicates: dict[str, pa.Table] = field(default_factory=dict)

    def add(self, name: str, answered: Answered) -> None:
        """Remember a stage."""
        self.stages[name] = answered
        source = answered.source
        known = self._of_table(answered) if isinstance(source, ReleasedTable) else self._of_query(source, answered)
        self.columns[name] = known

    def of(self, name: str, table: pa.Table) -> Margins:
        """The margins of a stage that is a public query, from the rows it was made of."""
        answered, known = self.stages[name], self.columns[name]
        output = answered.output
        relation = answered.source
        if isinstance(relation, ReleasedTable):
            raise TypeError("a released table has margins of its own")
        items = [(*item, place) for place, item in enumerate(output.items) if known.noisy[place]]
        items = [each for each in items if each[0].facts.type not in {Type.TEXT, Type.BOOLEAN}]
        without = {}
        for column, _, place in items:
            if why := name_taken(column, output) or known.without[place]:
                without[column.name] = why
        wanted = [(column, expression) for column, expression, _ in items if column.name not in without]
        if output.distinct:
            return Margins(answered.shown.table, without={column.name: DISTINCT for column, _, _ in items})
        try:
            found = self._ends(relation, replace(output, items=tuple(wanted)), table) if wanted else {}
        except NotSimulatedError as reason:
            without |= {column.name: str(reason) for column, _ in wanted}
            found = {}
        except (duckdb.Error, InvalidParameter, MemoryError):
            without |= {column.name: FAILED for column, _ in wanted}
            found = {}
        names = tuple(column.name for column, _ in wanted if column.name in found)
        unclear = {name: places for name in names if (places := places_where(open_ended(*found[name])))}
        return Margins(with_ends(answered.shown.table, output, found), names, names, without, unclear)

    # --- what is known of columns ---

    def _of_table(self, answered: Answered) -> StageColumns:
        released, output = answered.source, answered.output
        if not isinstance(released, ReleasedTable):
            raise TypeError("a public query has no readings")
        columns = ColumnMargins(released, output, self.confidence)
        signs = never_negative(counts_of(released), output.windows)
        readings = [columns.readings(expression) for _, expression in output.items]
        ranked = [any(released.stage.noise_of(each.draw) is None for each in mine) for mine in readings]
        without = [QUANTILE if each else DISTINCT if output.distinct else "" for each in ranked]
        if self.population:
            samples = [columns.why_no_sample(expression) for _, expression in output.items]
            without = [why or other for why, other in zip(without, samples, strict=True)]
        deciding = [each for each in (output.condition, output.qualify) if each is not None]
        deciding += [each for each, _ in output.order] if output.limit is not None or output.offset else []
        return StageColumns(
            tuple(map(bool, readings)),
            tuple(is_never_negative(expression, signs) for _, expression in output.items),
            tuple(why if mine else "" for why, mine in zip(without, readings, strict=True)),
            any(columns.readings(each) for each in deciding),
        )

    def _of_query(self, relation: Relation, answered: Answered) -> StageColumns:
        output = answered.output
        known = NoisyColumns(self.columns).read(relation)
        for column, window in output.windows:
            noisy, why = known.about([Reference(each) for each in window.columns])
            known.noisy |= {column} if noisy else set()
            known.without |= {column: why} if why else {}
        about = [known.about([expression]) for _, expression in output.items]
        counts = never_negative(frozenset(known.counts), output.windows)
        limited = output.limit is not None or output.offset
        cut = limited and any(known.about([each])[0] for each, _ in output.order)
        deciding = [each for each in (output.condition, output.qualify) if each is not None]
        return StageColumns(
            tuple(noisy for noisy, _ in about),
            tuple(is_never_negative(expression, counts) for _, expression in output.items),
            tuple(why for _, why in about),
            cut or known.about(deciding)[0],
        )

    # --- simulating ---

    def _ends(self, relation: Relation, output: Output, table: pa.Table) -> dict[str, Ends]:
        lines = rows_of(table, relation.columns, output).lines or []
        if not lines:
            return {column.name: (np.zeros(0), np.zeros(0)) for column, _ in output.items}
        rows = [table.num_rows, *(self.stages[each].shown.table.num_rows for each in self._needed(relation))]
        number = replicates_within(self.confidence, max(rows))
        if isinstance(number, str):
            raise NotSimulatedError(number)
        replicates, columns, counts = self._replicated(unfiltered(relation), number)
        known = NoisyColumns(self.columns).read(relation)
        keys = [column for column in relation.columns if column not in known.noisy]
        shown = (*output.items, *((Column("key", key.facts), Reference(key)) for key in keys))
        every = replace(output, condition=None, items=shown)
        found = simulated_table(every, (*shown, (REPLICATE, Reference(REPLICATE))), replicates, columns, counts)
        named = found.rename_columns([f"c{place}" for place in range(found.num_columns)])
        first = len(output.items)
        base = [table.column(relation.columns.index(key)) for key in keys]
        places = matching_rows(base, [named.column(first + place) for place in range(len(keys))], table.num_rows)
        at = named.column(found.num_columns - 1).to_numpy(zero_copy_only=False)
        ends = {}
        for place, (column, _) in enumerate(output.items):
            values = np.full((number, table.num_rows + 1), np.nan)  # the last column: rows that the answer has not
            values[at, places] = _floats(named.column(place))
            ends[column.name] = ends_of(values[:, lines], self.confidence)
        return ends

    def _needed(self, relation: Relation) -> set[str]:
        """The earlier stages that a query needs, directly or not."""
        found = set()
        for name in mentioned(relation):
            source = self.stages[name].source
            found |= {name} | (set() if isinstance(source, ReleasedTable) else self._needed(source))
        return found

    def _replicated(self, relation: Relation, number: int) -> tuple[pa.Table, tuple[Column, ...], frozenset[Column]]:
        """The rows of a query in all replicates, its columns, and which of them are 0 or more in the data."""
        noisy = frozenset(name for name in mentioned(relation) if any(self.columns[name].noisy))
        replicator = Replicator(noisy)
        made, replicate = replicator.of(relation)
        if replicate is None:
            raise NotSimulatedError(FAILED)
        tables = {
            name: self._stage(name, number) if name in noisy else self.stages[name].shown.table
            for name in mentioned(relation)
        }
        for name, public in replicator.public.items():
            tables[name] = self.read(public)
            if tables[name].num_rows > LARGE:
                raise NotSimulatedError(TOO_LARGE)
        rows = post_read(made, tables, self.catalog)
        columns = tuple(REPLICATE if column is replicate else column for column in made.columns)
        return rows, columns, frozenset(NoisyColumns(self.columns).read(relation).counts)

    def _stage(self, name: str, number: int) -> pa.Table:
        """What a stage shows in all replicates, with the replicate as its last column."""
        if name not in self._replicates:
            answered = self.stages[name]
            source = answered.source
            of = self._table_stage if isinstance(source, ReleasedTable) else self._query_stage
            self._replicates[name] = of(answered, number)
        return self._replicates[name]

    def _table_stage(self, answered: Answered, number: int) -> pa.Table:
        released, output, lines = answered.source, answered.output, answered.shown.lines
        if lines is None or not isinstance(released, ReleasedTable):
            raise NotSimulatedError(DISTINCT)
        columns = ColumnMargins(released, output, self.confidence)
        rows = columns.seen() if output.windows else sorted(lines)
        copies = replicated(released, rows, number, apart=True, sampled=self._sampled(columns))
        items = (*output.items, (REPLICATE, Reference(REPLICATE)), (LINE, Reference(LINE)))
        every = replace(output, condition=None)
        table = simulated_table(every, items, copies.table, copies.columns, counts_of(released))
        last = table.num_columns - 1
        if output.windows:
            table = table.filter(pc.is_in(table.column(last), pa.array(lines, pa.int64())))
        return table.remove_column(last)

    def _sampled(self, columns: ColumnMargins) -> Sampled | None:
        """Other samples of the units, who are in all stages: their numbers move together, in the worst way."""
        if not self.population:
            return None
        readings = {each for _, shown in columns.output.items for each in columns.readings(shown)}
        tables = [each for each in self.stages.values() if isinstance(each.source, ReleasedTable)]
        usable = [each for each in readings if not columns.why_no_sample(Reference(each.column))]
        return columns.sampled(usable, stages=max(len(tables), 1))

    def _query_stage(self, answered: Answered, number: int) -> pa.Table:
        relation, output = answered.source, answered.output
        if (
            isinstance(relation, ReleasedTable)
            or output.limit is not None
            or output.offset
            or output.qualify is not None
        ):
            raise NotSimulatedError(LIMITED)
        table, columns, counts = self._replicated(relation, number)
        return simulated_table(output, (*output.items, (REPLICATE, Reference(REPLICATE))), table, columns, counts)


def matching_rows(base: Sequence[pa.ChunkedArray], found: Sequence[pa.ChunkedArray], rows: int) -> np.ndarray:
    """Which base row each row found is, by the values of its keys; `rows` where it is none.

    Raises:
        NotSimulatedError: if two base rows have the same keys.
    """
    codes = np.zeros(rows + (len(found[0]) if found else 0), dtype=np.int64)
    for one, other in zip(base, found, strict=True):
        both = pa.chunked_array([*one.chunks, *other.cast(one.type).chunks], one.type).combine_chunks()
        mine = pc.dictionary_encode(both, null_encoding="encode").indices.to_numpy(zero_copy_only=False)
        codes = np.unique(codes * (int(mine.max(initial=0)) + 1) + mine, return_inverse=True)[1]
    own = codes[:rows]
    if len(np.unique(own)) < rows:
        raise NotSimulatedError(ALIKE)
    place_of = np.full(int(codes.max(initial=0)) + 1, rows)
    place_of[own] = np.arange(rows)
    return np.asarray(place_of[codes[rows:]] if found else np.zeros(1, dtype=np.int64))


def _floats(column: pa.ChunkedArray) -> Floats:
    return np.asarray(column.cast(pa.float64()).to_numpy(zero_copy_only=False), dtype=np.float64)
