"""Automatic bounds: where values lie, found by paid first steps, for aggregates of what has no bounds.

The rows of each such argument are counted in public bins, by sign and power of two, with noise. Then a median is drawn,
and the rows are counted a second time: in bins around it where the values are far from 0, else in the same ones
(`postprocessing/bounds_search.py` says how bounds are read off). What follows is clipped to them. How much noise
everything gets is known before anything is read: the three steps are the same whatever is found, and numbers are
counted in lattice steps, of which there are as many whatever the bounds are (`Span.found`).
"""

from dataclasses import replace
from fractions import Fraction

from privet.postprocessing.bins import LARGEST, SMALLEST, Bins, Ends, Expected
from privet.postprocessing.bounds_search import CERTAIN, PLACES, SHARES, CountNoise, FoundBounds, Look, search_bounds
from privet.query.functions import call
from privet.query.measures.noise_margin import Floats, Noise
from privet.query.measures.readings import Linear
from privet.query.plan.aggregation import Aggregation, Function
from privet.query.plan.build import projected
from privet.query.plan.limits import ONE_ROW
from privet.query.plan.provenance import Marks
from privet.query.plan.statement import Aggregate, Key, Search
from privet.query.scalars.expressions import Column, Expression, Literal, Reference, facts_of
from privet.query.scalars.facts import Facts, Type

__all__ = ["CERTAIN", "PLACES", "SHARES", "Bins", "Ends", "Expected", "FoundBounds", "Look", "search_bounds"]
ANYWHERE: Ends = (Fraction(-1), Fraction(1))  # what stands for bounds while they are not known


def search_for(source: Aggregate, argument: Expression, conditions: set[Expression | None]) -> Search:
    """A count of rows by bin, and a median; of the rows that count, if that is one condition for all aggregates.

    Each unit counts as one row in all, divided among the bins of its rows: what the bins hold is then about units, and
    a unit with one row says as much as one with many. The argument becomes a column first: a bin mentions it often.
    """
    (condition,) = conditions if len(conditions) == 1 else (None,)
    wanted = [("number", argument), *([] if condition is None else [("counts", condition)])]
    rows, (number, *counts) = projected(source.source, wanted, marks=Marks())
    counted = Reference(counts[0]) if counts else None
    key = _key(Reference(number), expected_of(argument).bins)
    count = Aggregation(Function.COUNT_ROWS, condition=counted)
    looks = [
        Aggregate(rows, (key,), ((Column(name, Facts(Type.INTEGER, nullable=False)), count),), ONE_ROW)
        for name in ("rows", "rows again")
    ]
    half = Aggregation(Function.QUANTILE, Reference(number), condition=counted, fraction=Fraction(1, 2))
    middle = Aggregate(rows, (), ((Column("middle", Facts(Type.REAL)), half),), ONE_ROW)
    return Search(argument, looks[0], middle, looks[1])


def expected_of(argument: Expression) -> Expected:
    """What is declared of an argument, or follows from what is: its sign, and a usual size."""
    facts = facts_of(argument)
    positive = facts.sign == "positive" or (facts.low is not None and facts.low >= 0)
    negative = facts.sign == "negative" or (facts.high is not None and facts.high <= 0)
    about = facts.expected
    size = Fraction(0) if about is None else abs(about.mean) + (about.deviation or 0)
    scale = min(max(size, Fraction(2) ** SMALLEST), Fraction(2) ** LARGEST) if size else None
    return Expected("positive" if positive else "negative" if negative else None, scale)


def ends_for(search: Search, found: FoundBounds) -> Ends:
    """The bounds that were found for an argument, or what stands for them."""
    return found.ends or expected_of(search.argument).fallback


def at_bins(search: Search, bins: Bins) -> Aggregate:
    """The second count of a search's rows, in other bins."""
    (_, item), *_ = search.middle.items
    if item.argument is None:
        raise TypeError("a middle is that of a number")
    return replace(search.again, keys=(_key(item.argument, bins),))


def _key(number: Expression, bins: Bins) -> Key:
    bin_ = bin_of(number, bins)
    return Key(Column("bin", facts_of(bin_)), bin_, tuple(range(len(bins))))


def bin_of(number: Expression, bins: Bins) -> Expression:
    """The bin of a number; NULL of NULL.

    Nothing but comparisons with public floats, which are exact, and the same on every engine; a logarithm is neither.

    Example:
        >>> from privet.query.functions import evaluate
        >>> x = Column("x", Facts(Type.REAL))
        >>> bin_ = bin_of(Reference(x), Expected().bins)
        >>> [evaluate(bin_, {x: value}) for value in (None, 0.0, 1e-9, 1.5, -1.5, 3000.0, 1e300)]
        [None, 71, 71, 92, 50, 103, 142]
    """
    return call("case", call("is_null", number), Literal(None, Type.INTEGER), _bin_among(number, bins, 0, len(bins)))


def _bin_among(number: Expression, bins: Bins, first: int, end: int) -> Expression:
    """The bin of a number that is in one of several: it is compared with where their second half begins."""
    if end - first == 1:
        return Literal(first, Type.INTEGER)
    half = (first + end) // 2
    begin = bins.edges[half]
    reaches = call("ge" if begin > bins.center else "gt", number, Literal(float(begin), Type.REAL))
    return call("case", reaches, _bin_among(number, bins, half, end), _bin_among(number, bins, first, half))


def look_at(bins: Bins, rows: Linear, numbers: Floats, noise: Noise) -> Look:
    """The released counts of rows in bins.

    Args:
        bins: public.
        rows: reads a count off the released numbers.
        numbers: released, one row for each bin.
        noise: that drew them.
    """
    (weight,) = rows.weights
    return Look(bins, rows.values(numbers), (CountNoise.of(noise.uncertainty, float(1 / weight)),))
