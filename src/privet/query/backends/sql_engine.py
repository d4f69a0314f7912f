"""SqlEngine: a backend that answers by printed SQL. What is left to each engine is in its own room."""

import copy
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Self, TypeVar

import numpy as np
import pyarrow as pa

from privet.core.silence import Failure, silently
from privet.errors import InvalidParameter, ReleaseFailed
from privet.query.backends.backend import Keys, Sums
from privet.query.backends.group_keys import keys_of
from privet.query.backends.progress import watched
from privet.query.catalog import Catalog
from privet.query.measures.members import Members, Numbers
from privet.query.measures.request import Bounded, Shape
from privet.query.plan.relations import Relation, mentioned
from privet.query.printing import Dialect, Source, Sources, print_relation, print_request
from privet.query.printing.catalog_tables import engine_column, known
from privet.query.printing.product_sums import print_product_sums
from privet.query.printing.request_statement import split
from privet.query.scalars.facts import Type
from privet.query.scalars.unit_types import unit_fix, unit_kind

FAILED = "the engine could not compute the answer; the reason is not shown, because it may depend on the data"
REMEMBERED = 256  # requests: those that were asked last
T = TypeVar("T")


class SqlEngine(ABC):
    """An engine that runs printed SELECTs, for one statement of an analyst at a time (`apart`).

    Args:
        catalog: which tables there are.
        dialect: how the engine writes what engines write differently.

    Privacy: statements are printed from typed nodes. Whatever goes wrong while private rows are read must be one and
        the same error, without a word of the engine's: `_safely` sees to that.
    """

    name: str  # as sqlglot calls its SQL, which the second price reads back

    def __init__(self, catalog: Catalog, dialect: Dialect) -> None:
        self._catalog = catalog
        self._dialect = dialect
        self._tables: dict[str, Source] = {}
        self._released: dict[str, str] = {}
        self._whole_units = False  # by their type
        self._turn = threading.RLock()
        self._texts: dict[int, tuple[Bounded, tuple[str, ...]]] = {}  # by id, which is nobody else's while it is held
        self._noting = threading.Lock()

    @contextmanager
    def apart(self) -> Iterator[Self]:
        """The same engine for one statement alone, with released tables of its own; others wait for their turn.

        An engine that can answer several at once gives each a connection of its own, and nobody waits.
        """
        with self._turn:
            yield self._twin()

    def _twin(self) -> Self:
        """This engine once more, as if no statement had been asked."""
        twin = copy.copy(self)
        twin._released = {}  # noqa: SLF001 - its own class
        return twin

    def schema(self) -> Mapping[str, Mapping[str, str]]:
        """The engine's type of every column of every table of the catalog, as the schema has it."""
        return {name: dict(source.types) for name, source in self._tables.items()}

    def sums(self, request: Bounded) -> Sums:
        """Exact bounded sums; see `Backend`."""
        groups: dict[Keys, list[tuple[int, ...]]] = {}
        units: dict[Keys, int] = {}
        empty = [(0,) * measure.cells for measure in request.measures]
        for part, text in zip(split(request), self._printed(request, self._sources()), strict=True):
            places = [request.measures.index(measure) for measure in part.measures]
            for row in self._rows(text):
                keys = keys_of(part.keys, row)
                cells = groups.setdefault(keys, list(empty))
                start = len(part.keys)
                for place, measure in zip(places, part.measures, strict=True):
                    cells[place] = tuple(int(cell or 0) for cell in row[start : start + measure.cells])
                    start += measure.cells
                if start < len(row):
                    units[keys] = int(row[start])
        return Sums({keys: tuple(cells) for keys, cells in groups.items()}, units)

    def ranks(self, request: Bounded) -> Mapping[Keys, Mapping[int, int]]:
        """For a request of one RANKS measure; see `Backend`. Places are coarsened by `measures.request.rank_shift`."""
        if [measure.shape for measure in request.measures] != [Shape.RANKS]:
            raise InvalidParameter("ranks takes a request of one RANKS measure")
        groups: dict[Keys, Mapping[int, int]] = {}
        (text,) = self._printed(request, self._sources())
        for raw, places in self._safely(lambda: self._fetch_ranks(text)):
            keys = keys_of(request.keys, raw)
            groups[keys] = {**groups[keys], **places} if keys in groups else places
        return groups

    def members(self, request: Bounded) -> Members:
        """Which units are in which groups; see `Backend`."""
        if not request.members:
            raise InvalidParameter("members takes a request of members")
        (text,) = self._printed(request, self._sources())
        found = self._safely(lambda: list(self._fetch_members(text)))
        return Members((keys_of(request.keys, raw), units) for raw, units in found)

    def products(self, request: Bounded) -> tuple[int, ...]:
        """All sums of products of two columns; see `Backend`."""
        (row,) = self._rows(self.products_text(request))
        return tuple(int(cell or 0) for cell in row)

    def products_text(self, request: Bounded) -> str:
        """The SQL that `products` runs."""
        return print_product_sums(request, self._dialect, self._sources())

    def read(self, relation: Relation, released: Mapping[str, pa.Table]) -> pa.Table:
        """The rows of a public relation, with columns named as the relation's."""
        if relation.owner is not None:
            raise InvalidParameter("only a public relation can be read row by row")
        self.publish(released)
        text = print_relation(relation, self._dialect, self._sources())
        table = self._safely(lambda: self._fetch_table(text))
        return table.rename_columns([column.name for column in relation.columns])

    def owned_rows(self, relation: Relation) -> pa.Table:
        """The rows of an owned relation, secret, with columns named c1, c2, … in the relation's order."""
        if relation.owner is None:
            raise InvalidParameter("a public relation is read by read")
        text = print_relation(relation, self._dialect, self._sources())
        return self._safely(lambda: self._fetch_table(text))

    def publish(self, released: Mapping[str, pa.Table]) -> None:
        """Make tables of earlier stages available, under names of our own."""
        for stage, table in released.items():
            name = self._released.setdefault(stage, f"released_{len(self._released) + 1}")
            self._register(name, table.rename_columns([f"c{n + 1}" for n in range(table.num_columns)]))

    def text(self, request: Bounded) -> str:
        """The SQL for a request; several statements, if DISTINCT is among the measures, each after a semicolon.

        It is printed before earlier stages are answered, whose tables then have the name they would get.
        """
        sources = replace(self._sources(), released=_Promised(self._released))
        return ";\n".join(self._printed(request, sources))

    def _printed(self, request: Bounded, sources: Sources) -> tuple[str, ...]:
        """The statements of a request, printed once: what was priced from its text is run by that text.

        Those that read earlier stages are printed each time, because their tables get new names.
        """
        with self._noting:
            known = self._texts.get(id(request))
        if known is not None:
            return known[1]
        texts = tuple(print_request(part, self._dialect, sources) for part in split(request))
        if not mentioned(request.source):
            with self._noting:
                self._texts[id(request)] = request, texts
                while len(self._texts) > REMEMBERED:
                    del self._texts[next(iter(self._texts))]
        return texts

    def _refuse_unlike_units(self) -> None:
        """Units are compared between tables, and keys on the way to them: each by value, which needs one kind."""
        kinds = set[str]()
        found = dict[str, str]()
        for name, table in self._catalog.tables.items():
            if table.public or table.unit_column is None or self._catalog.row_level:
                continue
            here = name
            for step in table.unit_path:
                self._refuse_unlike_keys((here, step.column), (step.table, step.key))
                here = step.table
            facts = known(self._catalog.tables, here).columns.get(table.unit_column)
            found[name] = self._engine_type(here, table.unit_column)
            kinds.add(_sure_kind(f"tables.{name}.unit_column", found[name], None if facts is None else facts.type))
        self._whole_units = kinds == {"whole number"}
        if len(kinds) > 1:
            names = ", ".join(f"{name} has {kind}" for name, kind in found.items())
            raise InvalidParameter(f"units must have one type in all tables, got {names}; convert them in the data")

    def _refuse_unlike_keys(self, one: tuple[str, str], other: tuple[str, str]) -> None:
        types = [self._engine_type(*each) for each in (one, other)]
        kinds = {_sure_kind(f"tables.{one[0]}.unit_path", kind, None) for kind in types}
        if len(kinds) > 1:
            raise InvalidParameter(
                f"tables.{one[0]}.unit_path: {'.'.join(one)} is {types[0]} and {'.'.join(other)} is {types[1]}, so one "
                "value may be written in two ways; convert one of them in the data"
            )

    def _engine_type(self, table: str, column: str) -> str:
        source = known(self._tables, table)
        return source.types[engine_column(source, table, column)]

    def _sources(self) -> Sources:
        return Sources(self._catalog, self._tables, self._released, whole_units=self._whole_units)

    def _rows(self, text: str) -> list[tuple[Any, ...]]:
        return self._safely(lambda: self._fetch(text))

    def _safely(self, run: Callable[[], T]) -> T:
        """One error for whatever the engine says: its own text may tell about rows.

        The wait for it shows progress and hears Ctrl-C (`progress.watched`).
        """
        outcome = silently(lambda: watched(run, percent=self._percent, stop=self._interrupt))
        if not isinstance(outcome, Failure):
            return outcome
        raise KeyboardInterrupt if outcome.interrupted else ReleaseFailed(FAILED)

    # --- what each engine does its own way ---

    @abstractmethod
    def _fetch(self, text: str) -> list[tuple[Any, ...]]:
        """The rows of a statement of bounded sums; may raise anything."""

    def _fetch_ranks(self, text: str) -> Iterable[tuple[tuple[Any, ...], Mapping[int, int]]]:
        """The keys of each group of a statement of ranks, as the engine writes them, and weights by place.

        Rows without a value are in no place. May raise anything.
        """
        found: dict[tuple[Any, ...], dict[int, int]] = {}
        for *raw, place, weight in self._fetch(text):
            if place is not None:
                found.setdefault(tuple(raw), {})[int(place)] = int(weight)
        return found.items()

    def _fetch_members(self, text: str) -> Iterable[tuple[tuple[Any, ...], Numbers]]:
        """The keys of each group of a statement of members, as the engine writes them, and the numbers of its units.

        May raise anything.
        """
        return [(tuple(raw), np.asarray(units, dtype=np.int64)) for *raw, units in self._fetch(text)]

    @abstractmethod
    def _fetch_table(self, text: str) -> pa.Table:
        """The rows of a statement on public tables; may raise anything."""

    def _percent(self) -> float | None:
        """How much of the statement at work is done; None if the engine does not say. Called from another thread."""
        return None

    @abstractmethod
    def _interrupt(self) -> None:
        """Tell the engine to stop what it is doing; called from another thread."""

    @abstractmethod
    def _register(self, name: str, table: pa.Table) -> None:
        """Make a released table available under a name of our own, in the place of one that had it."""

    @abstractmethod
    def close(self) -> None:
        """Let go of connections."""


def _sure_kind(place: str, engine_type: str, declared: Type | None) -> str:
    """What units or keys of a column are compared as."""
    kind = unit_kind(engine_type, declared)
    if kind is None:
        said = "is" if declared is None else f"is declared {declared.value}, but in the data"
        raise InvalidParameter(f"{place}: it {said} {engine_type}: {unit_fix(engine_type)}")
    return kind


class _Promised(dict[str, str]):
    """Names of the tables of stages, answered or not."""

    def __contains__(self, stage: object) -> bool:
        return isinstance(stage, str)

    def __missing__(self, stage: str) -> str:
        return "released_later"
