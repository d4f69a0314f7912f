"""bounds_found: the paid steps of a search, each asked for what the release before it says."""

from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

from privet.query.aggregates.needs import Needs, middle_needs, needs_of
from privet.query.measures.automatic_bounds import (
    Bins,
    Ends,
    FoundBounds,
    Look,
    at_bins,
    expected_of,
    look_at,
    search_bounds,
)
from privet.query.measures.noise_margin import Floats
from privet.query.measures.readings import Linear
from privet.query.plan.statement import Search
from privet.query.pricing.priced import PricedSearch, PricedStage

Drawn: TypeAlias = Callable[[PricedStage], Floats]
Asked: TypeAlias = Callable[[PricedStage, Needs], PricedStage]


def bounds_found(search: Search, priced: PricedSearch, drawn: Drawn, asked: Asked) -> FoundBounds:
    """Find the bounds of an argument.

    Args:
        search: for what.
        priced: the mechanisms of its steps.
        drawn: releases the numbers of a stage.
        asked: a stage with other needs, refused unless it costs the same.

    Privacy: each step is a fixed mechanism around numbers that one unit moves as far as it was chosen for, whatever
        bins and ends they are counted in; these follow from released numbers (docs/proofs/queries.md).
    """

    def second(bins: Bins) -> Look:
        return _look(asked(priced.again, needs_of(at_bins(search, bins))), bins, drawn)

    def middle(ends: Ends) -> Fraction:
        stage = asked(priced.middle, middle_needs(search.middle, ends))
        span = stage.needs.draws[0].measure.span
        return span.step * (span.first + int(drawn(stage)[0, 0]))

    return search_bounds(
        expected_of(search.argument),
        first=lambda bins: _look(priced.look, bins, drawn),
        middle=middle,
        off=priced.middle_off,
        second=second,
    )


def _look(stage: PricedStage, bins: Bins, drawn: Drawn) -> Look:
    (rows,) = stage.needs.readings
    noise = stage.noise_of(0)
    if not isinstance(rows, Linear) or noise is None:
        raise TypeError("bins are counted")
    return look_at(bins, rows, drawn(stage), noise)
