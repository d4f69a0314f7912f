"""Places: aggregates that pick one of the values, or lie between two: quantiles, MIN and MAX."""

from collections.abc import Mapping
from fractions import Fraction

from privet.query.aggregates.exact import Exact
from privet.query.aggregates.rule import (
    ANYTHING,
    MOMENTS,
    NUMBERS,
    Added,
    AggregateRule,
    DrawnNumbers,
    always,
    known_of,
)
from privet.query.measures.readings import Quantile
from privet.query.plan.aggregation import Aggregation, Function
from privet.query.scalars.facts import Facts, Type

LEAST, MOST = Fraction(1, 100), Fraction(99, 100)  # what MIN and MAX are answered by
HALF = Fraction(1, 2)


def _quantile_facts(wanted: Aggregation) -> Facts:
    """Within the bounds."""
    known = known_of(wanted)
    return Facts(Type.REAL, nullable=True, low=known.low, high=known.high)


def value_facts(wanted: Aggregation) -> Facts:
    """One of the argument's values, or NULL."""
    known = known_of(wanted)
    if known.type in {Type.TEXT, Type.BOOLEAN}:
        return Facts(known.type, nullable=True, values=known.values, longest=known.longest)
    return Facts(known.type, nullable=True, low=known.low, high=known.high)


def _exact_quantile(exact: Exact) -> str:
    words = exact.words
    fraction = words.literal(float(exact.wanted.fraction or 0), Type.REAL)
    return words.one_zero(words.number(exact.each(words.quantile(exact.real(exact.first), fraction))))


def _least(exact: Exact) -> str:
    return exact.each(f"{'BOOL_AND' if exact.type is Type.BOOLEAN else 'MIN'}({exact.first})")


def _most(exact: Exact) -> str:
    return exact.each(f"{'BOOL_OR' if exact.type is Type.BOOLEAN else 'MAX'}({exact.first})")


def _quantile(wanted: Aggregation, numbers: DrawnNumbers) -> Quantile:
    measure = numbers.measure
    fraction = HALF if numbers.fraction is None else numbers.fraction
    ends = numbers.drawn_ends
    whole = known_of(wanted).type is Type.INTEGER and measure.span.step == 1
    column, draw = numbers.column, numbers.draw
    return Quantile(column, draw, measure.shape, measure.span, fraction=fraction, drawn_ends=ends, whole=whole)


PLACES: Mapping[Function, AggregateRule] = {
    Function.QUANTILE: AggregateRule(
        names={"median": Aggregation(Function.QUANTILE, fraction=HALF)},
        takes=(NUMBERS | MOMENTS,),
        exact_facts=always(_quantile_facts),
        exact=_exact_quantile,
        across=NUMBERS | MOMENTS,
        facts=_quantile_facts,
        added=frozenset({Added.RANKS}),
        reading=_quantile,
        fraction=HALF,
    ),
    Function.MINIMUM: AggregateRule(
        names={"min": Aggregation(Function.MINIMUM)},
        takes=(ANYTHING,),
        exact_facts=always(value_facts),
        exact=_least,
        across=NUMBERS | MOMENTS,
        facts=_quantile_facts,
        added=frozenset({Added.RANKS}),
        reading=_quantile,
        fraction=LEAST,
    ),
    Function.MAXIMUM: AggregateRule(
        names={"max": Aggregation(Function.MAXIMUM)},
        takes=(ANYTHING,),
        exact_facts=always(value_facts),
        exact=_most,
        across=NUMBERS | MOMENTS,
        facts=_quantile_facts,
        added=frozenset({Added.RANKS}),
        reading=_quantile,
        fraction=MOST,
    ),
}
