"""OwnedRows: rows of a catalog for what learns from sums of products, which the engine adds up."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privet.core import Ledger
from privet.errors import InvalidParameter
from privet.query.backends.backend import Backend
from privet.query.catalog import Catalog
from privet.query.measures.request import PART, Bounded, Measure, Shape, Span
from privet.query.plan.statement import Aggregate, Statement
from privet.query.scalars.expressions import Column, Reference
from privet.query.scalars.facts import Facts, Type
from privet.wording.nearest import nearest

STEPS = 1 << 15  # between the bounds of a column


class OwnedRows:
    """Rows that a SELECT makes of private tables, unread: a door for models (`LinearRegression.fit(rows, "rent")`).

    Args:
        statement: COUNT(*) of these rows.
        catalog: the public facts.
        backend: the engine with the data.
        ledger: that is charged by whoever releases something made of them.

    Privacy: nothing is read before `products` is called, which whoever releases does within a deferred secret.
    """

    def __init__(self, statement: Statement, *, catalog: Catalog, backend: Backend, ledger: Ledger) -> None:
        source = statement.stages[-1].source
        if len(statement.stages) != 1 or not isinstance(source, Aggregate) or source.source.owner is None:
            raise InvalidParameter("rows to learn from are those of private tables, without answers of their own")
        if catalog.window is not None:
            raise InvalidParameter("models do not protect windows of time yet: use a catalog without a window")
        if source.limits.automatic:
            raise InvalidParameter("models need a limit that is known: declare rows_per_unit in the catalog")
        self.ledger = ledger
        self.rows_per_unit = source.limits.cap
        self._aggregate = source
        self._backend = backend
        hidden = set(source.source.owner.unit)
        self._columns = {each.name: each for each in source.source.columns if each not in hidden}
        self._owners = () if catalog.row_level else source.source.owner.unit

    @property
    def columns(self) -> tuple[str, ...]:
        """The names, in order."""
        return tuple(self._columns)

    def bounds(self, names: Sequence[str]) -> tuple[tuple[Fraction, Fraction], ...]:
        """The lowest and highest value of each column, to which the engine clips: those declared, on its lattice."""
        spans = [self._span(name) for name in names]
        return tuple((each.step * each.first, each.step * each.last) for each in spans)

    def products(self, names: Sequence[str]) -> NDArray[np.int64]:
        """The upper triangle of Σ v v' over rows v = (1, columns), in steps of 2^-30, columns in half widths.

        Rows that miss a value do not count, and those of a unit with more rows than rows_per_unit count for as many.

        Privacy: secret, and only a mechanism may see it. Each row v has all coordinates in [-1, 1]; a unit adds
            w_r v v' for its rows r, with w_r >= 0 that add up to at most rows_per_unit; numbers are then rounded down.
        """
        measures = tuple(Measure(Shape.SPREAD, Reference(self._column(name)), span=self._span(name)) for name in names)
        request = Bounded(self._aggregate.source, (), self._aggregate.limits, measures, cap_groups=False)
        with self._backend.apart() as engine:
            sums = engine.products(request)
        ends = np.iinfo(np.int64)
        return np.array([min(max(each // PART, ends.min), ends.max) for each in sums], dtype=np.int64)

    def facts(self, name: str) -> Facts:
        """What is public about the values of a column."""
        return self._column(name).facts

    @property
    def owner_columns(self) -> int:
        """How many columns tell units apart; none where each row is a unit."""
        return len(self._owners)

    def read(self, names: Sequence[str]) -> tuple[pa.Table, list[pa.ChunkedArray]]:
        """The rows, with these columns, and beside them what tells the units apart: values clipped as declared.

        Privacy: secret: for a deferred secret, which holds each unit to `rows_per_unit` rows itself. An engine's
            failure is one sentence.
        """
        columns = list(self._aggregate.source.columns)
        with self._backend.apart() as engine:
            found = engine.owned_rows(self._aggregate.source)
        chosen = [found.column(columns.index(self._column(name))) for name in names]
        owners = [found.column(columns.index(each)) for each in self._owners]
        return pa.Table.from_arrays(chosen, names=list(names)), owners

    def text(self, names: Sequence[str]) -> str:
        """The SQL that `products` runs; nothing of it follows from rows."""
        measures = tuple(Measure(Shape.SPREAD, Reference(self._column(name)), span=self._span(name)) for name in names)
        request = Bounded(self._aggregate.source, (), self._aggregate.limits, measures, cap_groups=False)
        return self._backend.products_text(request)

    def __repr__(self) -> str:
        return f"OwnedRows({', '.join(self.columns)}; {self.rows_per_unit} a unit)"

    def _span(self, name: str) -> Span:
        facts = self._column(name).facts
        if facts.type not in {Type.REAL, Type.INTEGER} or facts.low is None or facts.high is None:
            raise InvalidParameter(
                f"{name} must be a number with bounds: declare them in the catalog, or clip it in the SELECT"
            )
        if not facts.low < facts.high:
            raise InvalidParameter(f"{name} has one value only: leave it out")
        return Span.between(Fraction(facts.low), Fraction(facts.high), whole=False, most=STEPS)

    def _column(self, name: str) -> Column:
        if name not in self._columns:
            raise InvalidParameter(f"there is no column {name!r}{nearest(name, sorted(self._columns))}")
        return self._columns[name]
