"""Column plans: how each column of an answer will be released, and how good it will be."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from privet.query.catalog import DeclaredTable
from privet.query.functions.weighted_sum import weighted_sum
from privet.query.measures.automatic_bounds import expected_of, look_at
from privet.query.measures.readings import Average, Linear, Quantile, Reading
from privet.query.options import Options
from privet.query.plan.statement import Aggregate, Search
from privet.query.pricing.cut_off import CutOff, cut_off, has_condition, rows_expected, values_expected
from privet.query.pricing.foreseen_margin import foreseen_margin
from privet.query.pricing.priced import PricedStage
from privet.query.pricing.quote import Quote
from privet.query.pricing.wanted_margins import Part, WantedMargin
from privet.query.results.notes import between, instead_of, names_of, own_stages, searches_by_column
from privet.query.results.reported_shares import share_name
from privet.query.scalars.expressions import Expression, Reference, columns_in
from privet.wording.shown_value import roughly, shown_margin

CLIPPED = "clipped to the bounds that are found, which may bias it"
FOUND = "found first, by counting rows in bins; with few rows they are rough: declare bounds, or what is expected"
WITH_ENDS = "with an interval in value, as wide as the data make it"
OF_QUANTILES = "none"  # what a rank is off by in value depends on the data
HARDLY = 1_000  # times less than the noise: as good as nothing
SEEN = 1_000  # rows of a group for which the margin of an average is told beforehand


@dataclass(frozen=True)
class ColumnPlan:
    """How one column will be released.

    Args:
        name: of the column.
        mechanism: with its public parameters; "" if it is computed from released columns.
        margin: at the confidence asked for, in words; "" where it comes with the answer.
        note: rounding, clipping, and what it is not.
        remark: what nobody should overlook, in plain words.
        noise: the margin as a number, in the unit of the column; None where it comes with the answer.
        cut: what limits and bounds are expected to cut off; None where nothing public tells.
    """

    name: str
    mechanism: str
    margin: str
    note: str
    remark: str = ""
    noise: float | None = None
    cut: CutOff | None = None

    @property
    def total(self) -> float | None:
        """The margin and what is cut off, together; None where one of them is not known."""
        return None if self.noise is None or self.cut is None else self.noise + self.cut.total

    @property
    def cut_words(self) -> str:
        """What is cut off for people, "" if nobody knows."""
        if self.cut is None:
            return ""
        if self.noise is not None and self.cut.total < self.noise / HARDLY:
            return "0"
        return f"{'at most ' if self.cut.most and self.cut.by_limits else ''}{roughly(self.cut.total)}"

    @property
    def mostly(self) -> str:
        """What most of the error comes from: "noise", "limits" or "bounds"; "" where that is not known."""
        if self.noise is None or self.cut is None:
            return ""
        if self.cut.total <= self.noise:
            return "noise"
        return "limits" if self.cut.by_limits >= self.cut.by_bounds else "bounds"


def column_plans(
    quote: Quote, *, whose: str, confidence: float, tables: Mapping[str, DeclaredTable]
) -> list[ColumnPlan]:
    """The searches for bounds, the released columns, what the answer computes from them, and the report on clipping."""
    plans = [_search_plan(quote, search, confidence) for search in quote.searches]
    found: dict[tuple[ColumnPlan, str], None] = {}
    for stage in own_stages(quote).values():
        keys = ", ".join(key.column.name for key in stage.needs.aggregate.keys)
        for reading in stage.needs.readings:
            found.setdefault((_released_plan(quote, stage, reading, tables), keys))
    return [*plans, *_told_apart(found), *_computed(quote), *_reported(quote, whose)]


def _told_apart(plans: Iterable[tuple[ColumnPlan, str]]) -> Iterator[ColumnPlan]:
    """The columns, where several are called alike with what each is grouped by, as those of ROLLUP are."""
    names = [plan.name for plan, _ in plans]
    for plan, keys in plans:
        apart = f"{plan.name} by {keys}" if keys else f"{plan.name} of all"
        yield replace(plan, name=apart) if names.count(plan.name) > 1 else plan


def _reported(quote: Quote, whose: str) -> list[ColumnPlan]:
    """The shares of rows and units that are released where clipping is reported."""
    found = []
    for stage in quote.statement.stages:
        if stage.report is not None:
            priced = quote.by_name[stage.name]
            for reading in priced.needs.readings:
                plan = _released_plan(quote, priced, reading, {})
                found.append(replace(plan, name=share_name(stage.report, plan.name, whose), remark="a share, 0 to 1"))
    return found


def _released_plan(
    quote: Quote, stage: PricedStage, reading: Reading, tables: Mapping[str, DeclaredTable]
) -> ColumnPlan:
    name = names_of(quote)[reading.column]
    mechanism = repr(stage.mechanisms[reading.draw])
    searched = reading.column in searches_by_column(quote)
    if searched and not isinstance(reading, Quantile):
        return ColumnPlan(name, mechanism, "", CLIPPED, CLIPPED)
    noise, margin = margin_before(stage, reading, quote.options, name=name, tables=tables)
    words = [instead_of(quote).get(reading.column, "")]
    if isinstance(reading, Quantile):
        words.append(WITH_ENDS if reading.drawn_ends else "how far it is off in value depends on the data")
    if searched:
        words.append(CLIPPED)
    note = CLIPPED if searched else reading.note
    remark = "; ".join(word for word in words if word)
    if isinstance(reading, Quantile):
        return ColumnPlan(name, mechanism, margin, note, remark)
    cut = cut_off(stage, reading, tables=tables, options=quote.options, margin=noise)
    return ColumnPlan(name, mechanism, margin, note, remark, noise, cut)


def _computed(quote: Quote) -> list[ColumnPlan]:
    """What the answer computes from released columns; of a weighted sum of them the margin is known beforehand."""
    last = quote.statement.stages[-1]
    if not isinstance(last.source, Aggregate) or last.name not in quote.by_name:
        return []
    names = names_of(quote)
    keys = {key.column for key in last.source.keys}
    readings = quote.by_name[last.name].needs.readings
    quantiles = {reading.column for reading in readings if isinstance(reading, Quantile)}
    found = []
    for column, expression in last.output.items:
        made_of = [names[each] for each in names if each in columns_in(expression) - keys]
        if made_of and not isinstance(expression, Reference):
            ranked = any(each in quantiles for each in columns_in(expression))
            margin = OF_QUANTILES if ranked else _margin_of_sum(quote, column.name, expression)
            note = f"computed from {', '.join(dict.fromkeys(made_of))}"
            found.append(ColumnPlan(column.name, "", margin, note, note))
    return found


def _margin_of_sum(quote: Quote, name: str, expression: Expression) -> str:
    """The margin of a weighted sum of released columns; "" if it is none, or of a column whose margin is not known."""
    linear = weighted_sum(expression)
    released = {
        reading.column: (place, reading) for place, stage in enumerate(quote.stages) for reading in stage.needs.readings
    }
    if linear is None or not linear.weights or not linear.weights.keys() <= released.keys():
        return ""
    parts = tuple(Part(*released[each], weight) for each, weight in linear.weights.items() if weight)
    if not parts or not all(isinstance(part.reading, Linear) for part in parts) or quote.caps:
        return ""
    margin = WantedMargin(name, float("inf"), parts).margin(quote.stages, quote.options)
    return "" if margin is None else shown_margin(margin)


def _search_plan(quote: Quote, search: Search, confidence: float) -> ColumnPlan:
    """How the bounds of some columns will be found."""
    stage = quote.searches[search].look
    names = names_of(quote)
    (rows,) = stage.needs.readings
    noise = stage.noise_of(0)
    if not isinstance(rows, Linear) or noise is None:
        raise TypeError("bins are counted")
    about = ", ".join(names[column] for column, other in searches_by_column(quote).items() if other is search)
    expected = expected_of(search.argument)
    look = look_at(expected.bins, rows, np.zeros((0, 1)), noise)
    note = (
        f"rows in {len(look.bins)} bins by sign and power of two, twice, the second time around a median if the values "
        f"are far from 0; used from the first to the last with more than {shown_margin(look.strict)}, or fewer next to "
        f"these; if there is none, {between(expected.fallback)}"
    )
    margin = shown_margin(rows.margin(noise, confidence))
    return ColumnPlan(f"bounds of {about}", repr(noise), margin, note, FOUND)


def margin_before(
    stage: PricedStage, reading: Reading, options: Options, *, name: str, tables: Mapping[str, DeclaredTable]
) -> tuple[float | None, str]:
    """The margin of a column, and in words, where public numbers tell it; of an average for so many rows."""
    rows = _rows_in_group(stage, reading, options, tables)
    errors = options.errors
    wanted = errors.get(name) if isinstance(errors, Mapping) else errors
    value = _value_in_group(stage, reading) if wanted is None else wanted.size  # without either for every average
    mechanism = stage.mechanisms[reading.draw]
    margin = foreseen_margin(stage.needs, reading, mechanism, options.confidence, rows=rows, value=value)
    if margin is None:
        return None, ""
    if isinstance(reading, Average):
        return margin, f"{'at most ' if value is None else ''}{shown_margin(margin)} in {rows:,} rows"
    return margin, shown_margin(margin) + (" rows in rank" if isinstance(reading, Quantile) else "")


def _rows_in_group(stage: PricedStage, reading: Reading, options: Options, tables: Mapping[str, DeclaredTable]) -> int:
    """How many rows of a group count, as was said or is declared; else a thousand."""
    aggregate = stage.needs.aggregate
    expected = rows_expected(aggregate, tables=tables, options=options, counted=True)
    some = has_condition(aggregate.source) or dict(aggregate.items)[reading.column].condition is not None
    return options.rows or (SEEN if expected is None or some else max(1, round(expected)))


def _value_in_group(stage: PricedStage, reading: Reading) -> Fraction:
    """What values are on average, as is declared; else the middle of their bounds."""
    aggregate = stage.needs.aggregate
    expected = values_expected(dict(aggregate.items)[reading.column].argument, aggregate.source)
    return Fraction(sum(reading.bounds) / 2) if expected is None else expected.mean
