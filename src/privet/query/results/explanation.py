"""Explanation: what a statement would cost and how good its answer would be, before anything is spent or read."""

import io
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from privet.core import Unit
from privet.loss import Amount, PrivacyLoss, Promise
from privet.loss.exact import readable
from privet.mechanisms import PartitionSelection
from privet.query.measures.automatic_bounds import BINS, FALLBACK, WRONG, threshold_of
from privet.query.measures.overflow import bounding_note, counts_rows
from privet.query.measures.ratio_interval import fieller
from privet.query.measures.readings import Average, Linear, Quantile, Reading
from privet.query.plan.limits import ONE_ROW, Limits
from privet.query.plan.statement import Search
from privet.query.pricing.priced import PricedStage
from privet.query.pricing.quote import Quote
from privet.query.results.notes import between, names_of, rank_margin, searches_by_column
from privet.wording.printable import plain
from privet.wording.shown_value import shown_margin

CLIPPED = "clipped to the bounds that are found, which may bias it"
SEEN = 1_000  # rows of a group for which the margin of an average is told beforehand


@dataclass(frozen=True)
class ColumnPlan:
    """How one column will be released.

    Args:
        name: of the column.
        mechanism: with its public parameters.
        margin: at the confidence asked for, in words; "" where it is not known beforehand.
        note: rounding, clipping, and what it is not.
    """

    name: str
    mechanism: str
    margin: str
    note: str


@dataclass(frozen=True, repr=False)
class Explanation:
    """Price, mechanisms and margins of a statement.

    Args:
        statement: its text.
        price: what the ledger would charge.
        remaining: what may still be charged.
        promise: what was asked to be kept.
        loss: of the whole.
        unit: who is protected.
        columns: how each is released.
        groups: how groups are named.
        contributions: what each unit's data is held to.
        confidence: of the margins.
        queries: the engine's SQL, for the owner.
    """

    statement: str
    price: Amount
    remaining: Amount
    promise: Promise
    loss: PrivacyLoss
    unit: Unit
    columns: tuple[ColumnPlan, ...]
    groups: tuple[str, ...]
    contributions: tuple[str, ...]
    confidence: float
    queries: tuple[str, ...] = ()

    @property
    def affordable(self) -> bool:
        """Whether what remains covers the price."""
        return self.price.fits(self.remaining)

    def __repr__(self) -> str:
        buffer = io.StringIO()
        Console(file=buffer, width=120, color_system=None, legacy_windows=False).print(self)
        return "\n".join(line.rstrip() for line in buffer.getvalue().rstrip().split("\n"))

    def __rich_console__(self, console: Console, options: object) -> Any:  # noqa: ANN401 - rich's own types
        """The price, then a row for each column, then the rules."""
        verdict = "" if self.affordable else ": not enough"
        if not self.loss.parts:
            yield "costs nothing: only public and released tables are read"
            return
        price = f"costs {self.price.beside(self.remaining)} per {self.unit.name}, {self.unit.neighbors.value}"
        yield plain(f"{price}; {self.remaining.beside(self.price)} remains{verdict}")
        table = Table(box=box.SIMPLE_HEAD)
        for name in ("column", f"± at {100 * self.confidence:g}%", "mechanism", "note"):
            table.add_column(name, overflow="fold")
        for each in self.columns:
            cells = (each.name, each.margin or "not known beforehand", each.mechanism, each.note)
            table.add_row(*map(plain, cells))
        yield table
        yield from map(plain, (*self.contributions, *self.groups))


def explain_plan(
    quote: Quote, *, unit: Unit, whose: str, confidence: float
) -> tuple[list[ColumnPlan], list[str], list[str]]:
    """Columns, groups and contributions of every paid stage, in words; limits hold for each of `whose`."""
    groups, contributions = [], []
    names, unknown = names_of(quote), searches_by_column(quote)
    columns = [search_plan(quote, search, confidence) for search in quote.searches]
    if columns:
        contributions.append(f"where bounds are found, {held(ONE_ROW, keys=True, whose=whose)}")
    for stage in quote.by_name.values():
        for reading in stage.needs.readings:
            mechanism = repr(stage.mechanisms[reading.draw])
            if reading.column in unknown and not isinstance(reading, Quantile):
                columns.append(ColumnPlan(names[reading.column], mechanism, "", CLIPPED))
                continue
            note = CLIPPED if reading.column in unknown else reading.note
            columns.append(
                ColumnPlan(names[reading.column], mechanism, margin_before(stage, reading, confidence), note)
            )
        requests = [each for each in (stage.needs.request, *stage.needs.rankings) if counts_rows(each)]
        sampled = any(each.sample for each in requests)
        limits = stage.needs.aggregate.limits
        keys = bool(stage.needs.aggregate.keys)
        contributions.append(held(limits, keys=keys, whose=whose, sampled=sampled))
        contributions += [bounding_note(each, whose=whose) for each in requests]
        if stage.selection is not None:
            groups.append(hidden_by(stage.selection, unit=unit))
        elif stage.needs.aggregate.keys:
            groups.append("every group of the public domain is shown, empty ones too")
    return columns, groups, list(dict.fromkeys(contributions))


def search_plan(quote: Quote, search: Search, confidence: float) -> ColumnPlan:
    """How the bounds of some columns will be found."""
    stage = quote.searches[search]
    names = names_of(quote)
    (rows,) = stage.needs.readings
    noise = stage.noise_of(0)
    if not isinstance(rows, Linear) or noise is None:
        raise TypeError("bins are counted")
    about = ", ".join(names[column] for column, other in searches_by_column(quote).items() if other is search)
    note = (
        f"rows in {len(BINS)} bins by sign and power of two; used from the first to the last with more than "
        f"{shown_margin(threshold_of(rows, noise))}, which an empty one has with probability {float(WRONG):g} at most; "
        f"if there is none, {between(FALLBACK)}"
    )
    return ColumnPlan(f"bounds of {about}", repr(noise), shown_margin(rows.margin(noise, confidence)), note)


def margin_before(stage: PricedStage, reading: Reading, confidence: float) -> str:
    """The margin of a column, where public numbers tell it; of an average in a group of a thousand rows."""
    noise = stage.noise_of(reading.draw)
    if (rows := rank_margin(stage, reading, confidence)) is not None:
        return f"{shown_margin(rows)} rows in rank"
    if isinstance(reading, Linear) and noise is not None:
        return shown_margin(reading.margin(noise, confidence))
    if isinstance(reading, Average) and noise is not None:
        import numpy as np  # noqa: PLC0415 - for one number

        cells = stage.needs.draws[reading.draw].measure.cells
        size = reading.span.steps ** (cells - 1) * SEEN
        middle = np.array([[size / 2, size / 2]] if cells == 2 else [[size / 4, size / 2, size / 4]])  # noqa: PLR2004 - MEAN
        low, high = fieller(middle, noise, confidence)
        bounds = reading.bounds
        return f"{shown_margin(float(high[0] - low[0]) / 2 * (bounds[1] - bounds[0]))} in {SEEN:,} rows"
    return ""


def held(limits: Limits, *, keys: bool, whose: str, sampled: bool = False) -> str:
    """What each unit's data is held to, in words."""
    more = "of more, as many are chosen by a hash" if sampled else "more are weighted down"
    if limits.rows_per_unit is not None:
        much = f"{limits.rows_per_unit} row" + ("s" if limits.rows_per_unit > 1 else "")
        return f"each {whose} counts for at most {much} in all; {more}"
    rows, groups = limits.rows_per_group or 1, limits.groups_per_unit or 1
    each = f"{rows} row" + ("s" if rows > 1 else "")
    if not keys:
        return f"each {whose} counts for at most {each}; {more}"
    many = f"{groups} group" + ("s" if groups > 1 else "")
    return f"each {whose} counts in at most {many}, for at most {each} in each; {more}"


def hidden_by(selection: PartitionSelection, *, unit: Unit) -> str:
    """What a selection hides in expectation, in words."""
    seldom, half, mostly = (selection.units_for(Fraction(*share)) for share in ((1, 20), (1, 2), (19, 20)))
    name = unit.name
    alone = readable(float(f"{float(selection.probability(1)):.3g}"))
    return (
        f"groups are private: one of {half} {name}s or more is shown with probability 50 % or more, of {mostly} or "
        f"more with 95 % or more, of fewer than {seldom} with less than 5 %, of a single {name} with {alone}"
    )
