"""Run: a statement that is paid for is answered, stage by stage. Every number leaves through the ledger."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from privet.core import Ledger, Mechanism, Sensitive, Sensitivity
from privet.core.silence import FAILED
from privet.errors import ReleaseFailed
from privet.query.aggregates.joint_counts import with_joined
from privet.query.aggregates.needs import Needs, needs_of
from privet.query.answering.bounds_found import bounds_found
from privet.query.answering.margins import ColumnMargins, Margins, Shown, shown_rows
from privet.query.answering.postprocess import post_process
from privet.query.answering.released_table import ReleasedTable, released_table
from privet.query.answering.staged_margins import Answered, StagedMargins
from privet.query.backends.backend import Backend, Keys, Sums
from privet.query.backends.group_keys import in_order
from privet.query.catalog import Catalog
from privet.query.measures.automatic_bounds import FoundBounds, ends_for
from privet.query.measures.automatic_caps import units_above
from privet.query.measures.noise_margin import Floats
from privet.query.measures.request import Bounded, Shape
from privet.query.plan.relations import Relation, mentioned
from privet.query.plan.statement import Aggregate, Search, Stage
from privet.query.pricing.caps import capped, choice_in
from privet.query.pricing.priced import PricedStage
from privet.query.pricing.quote import Quote
from privet.query.second_price.price_check import stage_loss

Ranker: TypeAlias = Callable[[Bounded], Mapping[Keys, Mapping[int, int]]]
LARGEST = 1 << 62  # sums beyond are taken as this; clipping brings neighbors no farther apart


class Run:
    """One statement being answered.

    Args:
        quote: with its mechanisms.
        backend: where the data is; asked for private sums inside secrets only, which the ledger computes after the
            charge.
        ledger: a reservation that holds the losses of all mechanisms.
        purpose: as recorded.
        catalog: whose neighbors and window the price is for.

    Privacy: what is read off the data becomes the secret of a release, and nothing else. For public groups the list of
        releases, their order and the shape of their values depend on public facts alone; for private ones also on
        which groups were selected, which is itself released. Bounds that are searched for are read off a release; the
        mechanisms that follow were chosen before, and how far a unit moves what they draw around does not depend
        on these bounds, so the losses add up as for any question asked after an answer. A limit that is searched for
        is a release too; noise is then set for it, such that what is drawn costs what was reserved, neither more nor
        less (`pricing/caps.py`), which is checked once more from the SQL that is run.
    """

    def __init__(self, quote: Quote, *, backend: Backend, ledger: Ledger, purpose: str, catalog: Catalog) -> None:
        self._quote = quote
        self._backend = backend
        self._ledger = ledger
        self._catalog = catalog
        self._purpose = purpose
        self._confidence = quote.options.confidence
        self.tables: dict[str, pa.Table] = {}
        self.margins: dict[str, Margins] = {}  # of the stages that are shown
        self.stages: dict[str, PricedStage] = {}  # as they were answered
        self.found: dict[Search, FoundBounds] = {}
        self._done: dict[Aggregate, tuple[PricedStage, ReleasedTable]] = {}
        self._population = quote.options.population
        self._staged = StagedMargins(
            catalog, lambda relation: backend.read(relation, {}), self._confidence, self._population
        )

    def answer(self) -> pa.Table:
        """The table of the last stage; those of all are in `tables` afterwards."""
        statement = self._quote.statement
        for stage in statement.stages:
            self.tables[stage.name] = self._answered(
                stage, shown=stage.name in statement.answers or stage.report is not None
            )
        return self.tables[statement.stages[-1].name]

    def _answered(self, stage: Stage, *, shown: bool) -> pa.Table:
        if not isinstance(stage.source, Aggregate):
            table = self._backend.read(stage.source, self._mentioned(stage.source))
            return self._queried(stage, stage.source, table, shown=shown)
        if stage.source not in self._done:
            self._done[stage.source] = self._released(stage.source, self._quote.by_name[stage.name])
        self.stages[stage.name], released = self._done[stage.source]
        rows = shown_rows(released, stage.output)
        self._staged.add(stage.name, Answered(released, stage.output, rows))
        if not shown:
            return rows.table
        self.margins[stage.name] = ColumnMargins(released, stage.output, self._confidence, self._population).of(rows)
        return self.margins[stage.name].table

    def _queried(self, stage: Stage, relation: Relation, table: pa.Table, *, shown: bool) -> pa.Table:
        """A public query over tables and earlier stages."""
        found = post_process(stage.output, table, relation.columns)
        self._staged.add(stage.name, Answered(relation, stage.output, Shown(found, None)))
        if not shown:
            return found
        self.margins[stage.name] = self._staged.of(stage.name, table)
        return self.margins[stage.name].table

    def _mentioned(self, relation: Relation) -> dict[str, pa.Table]:
        """The tables of earlier stages that a relation reads."""
        return {name: self.tables[name] for name in mentioned(relation)}

    def _released(self, aggregate: Aggregate, stage: PricedStage) -> tuple[PricedStage, ReleasedTable]:
        """Groups first, where they are private; then every draw, in order."""
        if earlier := self._mentioned(aggregate.source):
            self._backend.publish(earlier)
        stage = self._bounded(self._capped(stage))
        sums = cache(lambda: self._backend.sums(stage.needs.request))
        ranks = cache(self._backend.ranks)
        named = self._groups(stage, sums)
        groups = in_order(named) if isinstance(named, Mapping) else named
        places = range(len(stage.mechanisms)) if groups else ()
        numbers = [
            _told(named, groups)
            if isinstance(named, Mapping) and stage.mechanisms[place] == stage.selection
            else self._numbers(stage, place, groups, sums, ranks)
            for place in places
        ]
        none = [np.zeros((0, draw.cells)) for draw in stage.needs.draws]  # no group was named
        before = sum(released.cells for _, released in self._done.values())
        return stage, released_table(stage, groups, numbers or none, first=before)

    def _capped(self, stage: PricedStage) -> PricedStage:
        """The stage under the limit that is found for it, with noise for that limit; its price stays as it is."""
        name = next((name for name, each in self._quote.by_name.items() if each is stage), None)
        if name is None or name not in self._quote.caps:
            return stage
        search = self._quote.caps[name]
        choice = choice_in(search)

        def above() -> list[int]:
            found = self._backend.sums(search.needs.request).groups
            return units_above({int(str(bin_)): numbers[0][0] for (bin_,), numbers in found.items()}, choice.caps)

        cap: int = self._draw(above, choice, search.sensitivities[0])
        copies = 1 if self._catalog.window is None else self._catalog.window.length
        found = capped(stage, cap, neighbors=self._catalog.unit.neighbors, copies=copies)
        if stage_loss(found, self._backend, self._catalog) != stage.loss:
            raise ReleaseFailed(FAILED)
        return found

    def _bounded(self, stage: PricedStage) -> PricedStage:
        """The stage with the bounds that are found for it; its mechanisms and their price stay as they are."""
        aggregate = stage.needs.aggregate
        if not aggregate.searches:
            return stage
        for search in aggregate.searches:
            self.found[search] = bounds_found(search, self._quote.searches[search], self._drawn, self._at_its_price)
        ends = {search.argument: ends_for(search, self.found[search]) for search in aggregate.searches}
        within = next((draw.confidence for draw in stage.needs.draws if draw.confidence is not None), None)
        needs = with_joined(needs_of(aggregate, found=ends, quantiles_within=within), stage.needs.joined)
        return self._at_its_price(stage, needs)

    def _at_its_price(self, stage: PricedStage, needs: Needs) -> PricedStage:
        """The stage with other needs, which follow from what was released; its mechanisms must cost what they did."""
        asked = replace(stage, needs=needs)
        if stage_loss(asked, self._backend, self._catalog) != stage.loss:
            raise ReleaseFailed(FAILED)
        return asked

    def _drawn(self, stage: PricedStage) -> Floats:
        """The released numbers of a stage with one draw."""
        sums = cache(lambda: self._backend.sums(stage.needs.request))
        return self._numbers(stage, 0, list(self._groups(stage, sums)), sums, self._backend.ranks)

    def _groups(self, stage: PricedStage, sums: Callable[[], Sums]) -> Sequence[Keys] | Mapping[Keys, int]:
        """The groups that are shown; with their noisy counts of units where these name them."""
        keys = stage.needs.aggregate.keys
        if stage.selection is None:
            return list(itertools.product(*(key.domain or () for key in keys)))

        kept: Any = self._draw(self._named_by(stage, sums), stage.selection, stage.units)
        return kept if isinstance(kept, Mapping) else in_order(kept)

    def _named_by(self, stage: PricedStage, sums: Callable[[], Sums]) -> Callable[[], Any]:
        """What groups are named by: their numbers of units; of two rounds, who is in which group."""
        members = stage.needs.members
        if stage.in_rounds and members is not None:
            return lambda: self._backend.members(members)
        return lambda: {group: number for group, number in sums().units.items() if number > 0}

    def _numbers(
        self, stage: PricedStage, place: int, groups: Sequence[Keys], sums: Callable[[], Sums], ranks: Ranker
    ) -> Floats:
        """The released numbers of one draw, one row for each group."""
        draw = stage.needs.draws[place]
        mechanism = stage.mechanisms[place]
        if draw.measure.shape is Shape.RANKS:
            request = stage.needs.request_of(draw)

            def ranked() -> list[Mapping[int, int]]:
                found = ranks(request)
                return [found.get(group, {}) for group in groups]

            if (joint := draw.joint) is not None:
                counted = self._draw(lambda: joint.of_places(ranked()), mechanism, stage.sensitivities[place])
                return _rows(counted, len(groups))
            return _rows(self._draw(ranked, mechanism, stage.sensitivities[place]), len(groups))
        which = stage.needs.request.measures.index(draw.measure)
        cells = draw.measure.cells

        def dense() -> np.ndarray[Any, np.dtype[np.int64]]:
            nothing = (0,) * cells
            found = sums().groups
            rows = [found[group][which] if group in found else nothing for group in groups]
            return np.array([[min(max(int(x), -LARGEST), LARGEST) for x in row] for row in rows], dtype=np.int64)

        return _rows(self._draw(dense, mechanism, stage.sensitivities[place]), len(groups))

    def _draw(self, compute: Callable[[], Any], mechanism: Mechanism[Any, Any], moves: Sensitivity) -> Any:  # noqa: ANN401 - whatever the mechanism gives
        """One release from the reservation."""
        secret = Sensitive.later(compute, moves, self._ledger.unit)
        return self._ledger.release(secret, mechanism, purpose=self._purpose).value


def _rows(released: Any, groups: int) -> Floats:  # noqa: ANN401 - an array of whole numbers or floats
    return np.asarray(released, dtype=np.float64).reshape(groups, -1)


def _told(named: Mapping[Keys, int], groups: Sequence[Keys]) -> Floats:
    """The counts that groups were named by."""
    return np.array([[float(named[group])] for group in groups])
