"""Statements run on hospitals through a ledger that remembers every secret, and says what it is told to say."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa

from privet.audit.moved import moved
from privet.core import Mechanism, Sensitive, Sensitivity
from privet.core.mechanism import refuse_uncovered
from privet.errors import InvalidParameter, QueryRefused
from privet.mechanisms import PartitionCounts, PartitionSelection, TwoRoundSelection
from privet.mechanisms.cap_choice import CapChoice
from privet.mechanisms.grouped_choice import GroupedChoice
from privet.mechanisms.grouped_interval import GroupedInterval
from privet.query import sql
from privet.query.answering import run as run_module
from privet.query.answering.margins import Margins, Shown
from privet.query.answering.postprocess import post_process
from privet.query.answering.released_table import ReleasedTable
from privet.query.answering.run import Run
from privet.query.answering.staged_margins import StagedMargins
from privet.query.backends.backend import Backend
from privet.query.backends.duckdb import DuckDBBackend
from privet.query.catalog import Catalog
from privet.query.options import Options
from privet.query.plan.limits import Limits, limits_from
from privet.query.plan.statement import Output
from privet.query.pricing.quote import Quote, quote_statement
from privet.query.scalars.expressions import Column
from tests.support.exact_session import best_cap, quantiles
from tests.support.hospital import public_values
from tests.support.neighbor_hospitals import World

OPTIONS = Options.of({"epsilon": 1, "delta": "1e-6"})
SEARCHING = replace(OPTIONS, automatic_bounds=Fraction(1, 5))
LARGEST = 1 << 52
TIGHT = (  # so that tiny hospitals go beyond them
    Limits(rows_per_unit=1),
    Limits(groups_per_unit=1, rows_per_group=1),
    Limits(rows_per_unit=2),
    Limits(groups_per_unit=2, rows_per_group=2),
    None,
    Limits(rows_per_unit=1, bounding="sample"),
    Limits(rows_per_unit=2, bounding="sample"),
    Limits(groups_per_unit=2, rows_per_group=2, bounding="sample"),
    limits_from("auto", None, None),
    limits_from(None, "auto", 2),
)


@dataclass(frozen=True)
class Drawn:
    """One secret as the ledger was given it, and what it said."""

    mechanism: Mechanism[Any, Any]
    sensitivity: Sensitivity
    secret: Any
    said: Any


@dataclass
class ReplayLedger:
    """Stands in for a reservation: what is exact is kept, and what was said before is said again.

    Args:
        unit: who is protected.
        script: what to say; without one, what is exact.
    """

    unit: Any
    script: Sequence[Drawn] | None = None
    drawn: list[Drawn] = field(default_factory=list)

    def release(self, secret: Sensitive[Any], mechanism: Mechanism[Any, Any], *, purpose: str) -> Any:  # noqa: ANN401 - any release
        """Do what a ledger does, but for the noise."""
        assert purpose
        assert secret.deferred
        assert secret.unit == self.unit
        refuse_uncovered(mechanism, secret.sensitivity)
        value = secret.reveal_to_ledger()
        mechanism.check(value)
        said = exactly(value, mechanism) if self.script is None else self.script[len(self.drawn)].said
        self.drawn.append(Drawn(mechanism, secret.sensitivity, value, said))
        return SimpleNamespace(value=said)


def exactly(value: Any, mechanism: Mechanism[Any, Any]) -> Any:  # noqa: ANN401 - any value
    """What there would be without noise, of a thousand times as many units: else no bin of a search would be full."""
    if isinstance(mechanism, PartitionSelection):
        return sorted(value, key=repr)
    if isinstance(mechanism, TwoRoundSelection):
        return sorted(value(()), key=repr)
    if isinstance(mechanism, PartitionCounts):
        return {key: value[key] * 1000 for key in sorted(value, key=repr)}
    if isinstance(mechanism, GroupedChoice | GroupedInterval):
        return quantiles(value, mechanism)
    if isinstance(mechanism, CapChoice):
        return best_cap(value, mechanism)
    return np.clip(value, -LARGEST, LARGEST) * 1000


@dataclass(frozen=True)
class Played:
    """What came of a statement on one hospital."""

    table: pa.Table
    drawn: tuple[Drawn, ...]
    processed: tuple[tuple[pa.Table, pa.Table], ...]  # each stage before and after post-processing, if it was done


def quote_of(text: str, catalog: Catalog, limits: Limits | None, *, clipping: bool = False) -> Quote | None:
    """The quote of a statement; None if this catalog refuses it, which no row decides."""
    try:
        read = sql.read(text, catalog, values=public_values, automatic=True)
        return quote_statement(read, catalog, replace(SEARCHING, limits=limits, clipping=clipping))
    except (InvalidParameter, QueryRefused):
        return None


def engine(found: World, catalog: Catalog) -> DuckDBBackend:
    """An engine that holds a hospital."""
    frames = {name: frame for name, frame in found.frames().items() if name in catalog.tables}
    return DuckDBBackend(replace(catalog, frames=frames), threads=1)


def play(quote: Quote, backend: Backend, catalog: Catalog, before: Played | None = None) -> Played:
    """Answer a quote; with an earlier play, as if the noise had come out so that the same was said.

    Post-processing sees released tables only, so it is done where a later stage needs it, once; of the last stage the
    table is the one that was released.
    """
    ledger = ReplayLedger(catalog.unit, None if before is None else before.drawn)
    processed: list[tuple[pa.Table, pa.Table]] = []

    def once(output: Output, table: pa.Table, columns: Sequence[Column]) -> pa.Table:
        known = None if before is None else before.processed[len(processed)]
        if len(processed) + 1 == len(quote.statement.stages):
            processed.append((table, table))
        elif known is not None and known[0].schema == table.schema and written(known[0]) == written(table):
            processed.append(known)
        else:
            processed.append((table, post_process(output, table, columns)))
        return processed[-1][1]

    def rows(released: ReleasedTable, output: Output) -> Shown:
        return Shown(once(output, released.table, released.columns), None)

    run = Run(quote, backend=backend, ledger=ledger, purpose="replay", catalog=catalog)  # type: ignore[arg-type]

    def bare(staged: StagedMargins, name: str, _: pa.Table) -> Margins:
        return Margins(staged.stages[name].shown.table)

    with (
        patch.object(run_module, "post_process", once),
        patch.object(run_module, "shown_rows", rows),
        patch.object(StagedMargins, "of", bare),
    ):
        table = run.answer()
    return Played(table, tuple(ledger.drawn), tuple(processed))


def written(table: pa.Table) -> str:
    """The cells of a table; as a text, in which NaN equals itself."""
    return str(table.to_pydict())


def refuse_different(here: Played, there: Played) -> None:
    """Raise unless two neighbors gave the same list of noise calls, moved as stated, and looked alike."""
    assert [repr(draw.mechanism) for draw in here.drawn] == [repr(draw.mechanism) for draw in there.drawn]
    for one, other in zip(here.drawn, there.drawn, strict=True):
        assert one.sensitivity == other.sensitivity
        found = moved(one.mechanism, one.sensitivity, one.secret, other.secret)
        assert found.compared, found
        assert not found.beyond, found
    assert here.table.schema == there.table.schema
    assert written(here.table) == written(there.table)


def numbers(draw: Drawn) -> Mapping[Any, int]:
    """The coordinates of a secret."""
    if isinstance(draw.mechanism, TwoRoundSelection):
        sets = draw.secret.groups_of_units()
        assert all(len(each) <= draw.mechanism.groups_per_unit for each in sets), "more groups than stated"
        return Counter(sets)
    if isinstance(draw.mechanism, PartitionSelection | PartitionCounts):
        return dict(draw.secret)
    if isinstance(draw.mechanism, GroupedChoice | GroupedInterval):
        return {(group, at): weight for group, found in enumerate(draw.secret) for at, weight in found.items()}
    array = np.asarray(draw.secret)
    assert array.dtype == np.int64
    if isinstance(draw.mechanism, CapChoice):
        return dict(enumerate(array.tolist()))
    return {at: int(number) for at, number in np.ndenumerate(array)} | {"size": -len(array) + len(draw.said)}
