"""Noisy columns: in which columns of a public query over released tables noise is."""

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from privet.query.answering.simulated_columns import is_never_negative
from privet.query.plan.aggregation import Aggregation, Function
from privet.query.plan.relations import Filter, Group, Join, Project, Relation, Released, Union, Window, sources
from privet.query.scalars.expressions import Column, Expression, Reference, columns_in

KEEP_SIGN = {Function.SUM, Function.AVG, Function.MINIMUM, Function.MAXIMUM, Function.QUANTILE}


@dataclass(frozen=True)
class StageColumns:
    """What is known of a stage's columns, by their place.

    Args:
        noisy: whether noise is in it.
        counts: whether it is 0 or more in the data.
        without: why it has no margin, "" if it may have one.
        chosen: whether noisy numbers decided which rows there are.
    """

    noisy: tuple[bool, ...]
    counts: tuple[bool, ...]
    without: tuple[str, ...]
    chosen: bool = False


class Rows(enum.IntEnum):
    """Who decided which rows there are."""

    PUBLIC = 0
    SIMULATED = 1  # noisy numbers of this relation, which are simulated
    GIVEN = 2  # noisy numbers of an earlier stage, whose choice is taken as given


CHOSEN = "noisy numbers decided in an earlier step which rows it is about"


@dataclass
class NoisyColumns:
    """Columns of a relation.

    Args:
        stages: the earlier stages.
        noisy: columns that noise is in.
        counts: columns that are 0 or more in the data.
        without: why a column has no margin.
    """

    stages: Mapping[str, StageColumns]
    noisy: set[Column] = field(default_factory=set)
    counts: set[Column] = field(default_factory=set)
    without: dict[Column, str] = field(default_factory=dict)
    _rows: dict[int, Rows] = field(default_factory=dict)

    def read(self, relation: Relation) -> "NoisyColumns":
        """Learn about all columns of a relation."""
        for source in sources(relation):
            self.read(source)
        rows = max((self._rows[id(source)] for source in sources(relation)), default=Rows.PUBLIC)
        if isinstance(relation, Released):
            rows = self._released(relation)
        elif isinstance(relation, Filter | Join) and relation.condition is not None:
            rows = max(rows, Rows.SIMULATED if self.about([relation.condition])[0] else Rows.PUBLIC)
        self._rows[id(relation)] = rows
        self._made(relation, rows)
        return self

    def _made(self, relation: Relation, rows: Rows) -> None:
        """The columns that a node makes."""
        match relation:
            case Filter():
                self._each((new, Reference(old)) for new, old in relation.renewed)
            case Project() | Join():
                self._each(relation.items)
            case Union():
                for source in relation.sources:
                    self._each(
                        (new, Reference(old)) for new, old in zip(relation.columns, source.columns, strict=False)
                    )
            case Group():
                self._each(relation.keys)
                for column, item in relation.items:
                    self._aggregated(column, item, rows)
            case Window():
                self._each((new, Reference(old)) for new, old in relation.renewed)
                self._seen(relation)
            case _:
                pass

    def about(self, expressions: Iterable[Expression]) -> tuple[bool, str]:
        """Whether noise is in any of these, and why they have no margin."""
        columns = frozenset[Column]().union(*map(columns_in, expressions))
        reasons = [self.without[column] for column in columns if column in self.without]
        return bool(columns & self.noisy), reasons[0] if reasons else ""

    def _released(self, relation: Released) -> Rows:
        known = self.stages.get(relation.stage)
        if known is None:
            return Rows.PUBLIC
        for place, column in enumerate(relation.columns):
            self._learn(column, noisy=known.noisy[place], count=known.counts[place], why=known.without[place])
        return Rows.GIVEN if known.chosen else Rows.PUBLIC

    def _learn(self, column: Column, *, noisy: bool, count: bool, why: str = "") -> None:
        if noisy:
            self.noisy.add(column)
        if count:
            self.counts.add(column)
        if why:
            self.without[column] = why

    def _each(self, items: Iterable[tuple[Column, Expression]]) -> None:
        for column, expression in items:
            noisy, why = self.about([expression])
            self._learn(column, noisy=noisy, count=is_never_negative(expression, frozenset(self.counts)), why=why)

    def _aggregated(self, column: Column, item: Aggregation, rows: Rows) -> None:
        noisy, why = self.about(item.parts)
        counts = item.argument is None or is_never_negative(item.argument, frozenset(self.counts))
        sign = (item.function in KEEP_SIGN and counts) or item.function in {Function.COUNT, Function.COUNT_ROWS}
        if rows is Rows.GIVEN and not noisy:
            why = why or CHOSEN
        noisy = noisy or rows is not Rows.PUBLIC
        self._learn(column, noisy=noisy, count=sign, why=why)

    def _seen(self, relation: Window) -> None:
        parts = [*relation.partition, *(each for each, _ in relation.order)]
        function = relation.function
        parts += function.parts if isinstance(function, Aggregation) else []
        parts += [] if relation.argument is None else [relation.argument]
        noisy, why = self.about(parts)
        sign = relation.argument is not None and is_never_negative(relation.argument, frozenset(self.counts))
        self._learn(relation.item, noisy=noisy, count=sign and isinstance(function, Aggregation), why=why)
