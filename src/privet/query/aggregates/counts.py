"""Counts: of rows, of values, of distinct values and of units."""

from collections.abc import Mapping
from fractions import Fraction

from privet.query.aggregates.exact import Exact
from privet.query.aggregates.rule import ANYTHING, Added, AggregateRule, DrawnNumbers
from privet.query.measures.readings import Count
from privet.query.measures.request import Shape
from privet.query.plan.aggregation import Aggregation, Function
from privet.query.plan.limits import Limits
from privet.query.scalars.facts import Facts, Type


def _facts(wanted: Aggregation) -> Facts:
    del wanted
    return Facts(Type.INTEGER, nullable=False)


def _exact_facts(wanted: Aggregation, limits: Limits | None) -> tuple[Facts, Facts]:
    """Of a unit no more rows count than its limits allow; a group that there is has a row."""
    free = Facts(Type.INTEGER, nullable=False)
    sure = wanted.function is Function.COUNT_ROWS and wanted.condition is None
    least = Fraction(1 if sure else 0)
    return free, free if limits is None else free.where(low=least, high=Fraction(max(limits.rows, 1)))


def _reading(wanted: Aggregation, numbers: DrawnNumbers) -> Count:
    del wanted
    shape = numbers.measure.shape
    part = numbers.part if shape is Shape.ROWS else 1
    return Count(numbers.column, numbers.draw, shape, numbers.measure.span, part)


def _units(exact: Exact) -> str:
    return f"CAST(LEAST({exact.each('COUNT(*)')}, 1) AS {exact.words.types[Type.INTEGER]})"


COUNTS: Mapping[Function, AggregateRule] = {  # COUNT has forms of its own, and is read by `sql/aggregates.py`
    Function.COUNT_ROWS: AggregateRule(
        names={},
        takes=(),
        exact_facts=_exact_facts,
        exact=lambda exact: exact.each("COUNT(*)"),
        across=ANYTHING,
        facts=_facts,
        added=frozenset({Added.ROWS}),
        reading=_reading,
    ),
    Function.COUNT: AggregateRule(
        names={},
        takes=(ANYTHING,),
        exact_facts=_exact_facts,
        exact=lambda exact: exact.count,
        across=ANYTHING,
        facts=_facts,
        added=frozenset({Added.ROWS}),
        reading=_reading,
    ),
    Function.COUNT_DISTINCT: AggregateRule(
        names={},
        takes=(ANYTHING,),
        exact_facts=_exact_facts,
        exact=lambda exact: exact.each(f"COUNT(DISTINCT {exact.first})"),
        across=ANYTHING,
        facts=_facts,
        added=frozenset({Added.DISTINCT}),
        reading=_reading,
    ),
    Function.COUNT_UNITS: AggregateRule(
        names={},
        takes=(),
        exact_facts=_exact_facts,
        exact=_units,
        across=ANYTHING,
        facts=_facts,
        added=frozenset({Added.UNITS}),
        reading=_reading,
    ),
}
