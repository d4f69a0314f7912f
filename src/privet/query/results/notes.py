"""Notes: what a reader of an answer should know about its columns."""

import math
from collections.abc import Mapping
from fractions import Fraction

from privet.mechanisms.grouped_choice import GroupedChoice
from privet.mechanisms.grouped_interval import GroupedInterval
from privet.query.aggregates.needs import fraction_of
from privet.query.aggregates.table import bounded_arguments
from privet.query.measures.automatic_bounds import Ends, FoundBounds, ends_for
from privet.query.measures.readings import Reading
from privet.query.plan.aggregation import Function
from privet.query.plan.statement import Search
from privet.query.pricing.priced import PricedStage
from privet.query.pricing.quote import Quote
from privet.query.scalars.expressions import Column, Reference

FEW = "with so few rows declare bounds, or what is expected"
LIMITED = "under the limit that was found; what lies beyond it is not in the number, nor in its interval"


def notes_of(quote: Quote, stages: Mapping[str, PricedStage], found: Mapping[Search, FoundBounds]) -> dict[str, str]:
    """What a reader of the answer should know about each released column.

    Args:
        quote: for the names.
        stages: as they were answered, with the bounds that were found.
        found: these bounds.
    """
    names = names_of(quote)
    searches = searches_by_column(quote)
    instead = instead_of(quote)
    notes = {}
    for name in own_stages(quote):
        for each in stages[name].needs.readings:
            words = [instead.get(each.column, ""), each.note, LIMITED if name in quote.caps else ""]
            if each.column in searches:
                words.insert(0, _clipped(searches[each.column], found[searches[each.column]]))
            if said := "; ".join(word for word in words if word):
                notes[names[each.column]] = said
    return notes


def _clipped(search: Search, found: FoundBounds) -> str:
    """What bounds that were found mean for a column: its interval is about the values as they are clipped."""
    ends = between(ends_for(search, found))
    if found.ends is None:
        return f"clipped to {ends}, because no bin was full enough to find bounds, which may bias it: {FEW}"
    share = f"{100 * found.largest_clipped_share:.2g} %"
    return (
        f"clipped to the bounds found, {ends}, which may bias it: at most {share} of rows lie beyond (at 95 %), nobody "
        "knows how far, and an interval is about the clipped values"
    )


def own_stages(quote: Quote) -> dict[str, PricedStage]:
    """The paid stages that the statement asked for itself, without those that report on clipping."""
    reports = {stage.name for stage in quote.statement.stages if stage.report is not None}
    return {name: stage for name, stage in quote.by_name.items() if name not in reports}


def instead_of(quote: Quote) -> dict[Column, str]:
    """Of MAX and MIN: what answers them, by the released column. One unit would decide the true ones."""
    return {
        column: f"{column.name} is answered by the {quantile_name(fraction_of(item))}"
        for stage in quote.by_name.values()
        for column, item in stage.needs.aggregate.items
        if item.function in {Function.MAXIMUM, Function.MINIMUM}
    }


def stand_ins(quote: Quote) -> dict[str, str]:
    """The columns of an answer that are not what they are called: what they are, by name."""
    names = names_of(quote)
    return {
        names[column]: quantile_name(fraction_of(item))
        for stage in quote.by_name.values()
        for column, item in stage.needs.aggregate.items
        if column in instead_of(quote)
    }


def quantile_name(fraction: Fraction) -> str:
    """A quantile for people.

    Example:
        >>> quantile_name(Fraction(99, 100))
        '99 % quantile'
    """
    return f"{float(100 * fraction):g} % quantile"


def bounds_found(quote: Quote, found: Mapping[Search, FoundBounds]) -> dict[str, tuple[float, float]]:
    """The bounds that were found, or stand for them, by the name of the column."""
    names = names_of(quote)
    ends = {search: ends_for(search, each) for search, each in found.items()}
    return {
        names[column]: (float(ends[search][0]), float(ends[search][1]))
        for column, search in searches_by_column(quote).items()
    }


def rank_margins(quote: Quote, confidence: float) -> dict[str, float]:
    """Those of all quantiles of a statement, by the name of the column."""
    names = names_of(quote)
    found = {
        names[each.column]: rank_margin(stage, each, confidence)
        for stage in quote.by_name.values()
        for each in stage.needs.readings
    }
    return {name: rows for name, rows in found.items() if rows is not None}


def rank_margin(stage: PricedStage, reading: Reading, confidence: float) -> float | None:
    """By how many rows the rank of a quantile is off at most; None if it is no quantile."""
    mechanism = stage.mechanisms[reading.draw]
    if not isinstance(mechanism, GroupedChoice | GroupedInterval):
        return None
    return float(mechanism.rank_margin(confidence) / stage.needs.request_of(stage.needs.draws[reading.draw]).part)


def names_of(quote: Quote) -> dict[Column, str]:
    """What the statement calls each released column: its alias, or what it computes from it."""
    names = {each.column: each.column.name for stage in quote.by_name.values() for each in stage.needs.readings}
    for stage in quote.statement.stages:
        for shown, expression in stage.output.items:
            if isinstance(expression, Reference) and expression.column in names:
                names[expression.column] = shown.name
    return names


def searches_by_column(quote: Quote) -> dict[Column, Search]:
    """The released columns that are clipped to bounds which are searched for."""
    return {
        column: search
        for stage in quote.by_name.values()
        for search in stage.needs.aggregate.searches
        for column, item in stage.needs.aggregate.items
        if search.argument in bounded_arguments(item)
    }


def between(ends: Ends) -> str:
    """Bounds for people, with as many digits as tell them apart.

    Example:
        >>> between((Fraction(32), Fraction(128))), between((Fraction("37.2499997"), Fraction("37.2500003")))
        ('[32, 128]', '[37.2499997, 37.2500003]')
    """
    low, high = (float(end) for end in ends)
    apart = math.log10(max(abs(low), abs(high)) / (high - low)) if high > low else 0
    digits = max(6, 3 + math.ceil(apart))
    return f"[{low:.{digits}g}, {high:.{digits}g}]"
