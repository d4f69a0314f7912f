"""Sums: SUM and AVG, VARIANCE and STDDEV."""

from collections.abc import Mapping
from fractions import Fraction

from privet.query.aggregates.exact import Exact
from privet.query.aggregates.rule import NUMBERS, Added, AggregateRule, DrawnNumbers, always, known_of, width_of
from privet.query.measures.readings import Average, Deviation, Total, Variance
from privet.query.plan.aggregation import Aggregation, Function
from privet.query.plan.limits import Limits
from privet.query.scalars.facts import Facts, Type


def _sum_facts(wanted: Aggregation) -> Facts:
    return Facts(known_of(wanted).type, nullable=True)


def _exact_sum_facts(wanted: Aggregation, limits: Limits | None) -> tuple[Facts, Facts]:
    """Between what as many rows as count add at least and at most."""
    known = known_of(wanted)
    free = _sum_facts(wanted)
    if limits is None or known.low is None or known.high is None:
        return free, free
    low, high = min(known.low, known.low * limits.rows), max(known.high, known.high * limits.rows)
    return free, free.where(low=low, high=high)


def _exact_sum(exact: Exact) -> str:
    total = exact.total(exact.first)
    if exact.type is Type.INTEGER:
        return exact.words.narrowed(total)
    return f"({exact.real(total)} * {exact.step(0)})"


def _total(wanted: Aggregation, numbers: DrawnNumbers) -> Total:
    del wanted
    measure = numbers.measure
    whole = numbers.column.facts.type is Type.INTEGER
    return Total(numbers.column, numbers.draw, measure.shape, measure.span, whole=whole)


def _average_facts(wanted: Aggregation) -> Facts:
    """Within the bounds."""
    known = known_of(wanted)
    return Facts(Type.REAL, nullable=True, low=known.low, high=known.high)


def _average(wanted: Aggregation, numbers: DrawnNumbers) -> Average:
    del wanted
    return Average(numbers.column, numbers.draw, numbers.measure.shape, numbers.measure.span)


def _exact_average(exact: Exact) -> str:
    return f"({exact.real(exact.total(exact.first))} * {exact.step(0)} / NULLIF({exact.count}, 0))"


def _variance_facts(wanted: Aggregation) -> Facts:
    """At most what two values at the bounds have."""
    width = width_of(wanted.arguments[0])
    return Facts(Type.REAL, nullable=True, low=Fraction(0), high=None if width is None else width * width)


def _deviation_facts(wanted: Aggregation) -> Facts:
    return Facts(Type.REAL, nullable=True, low=Fraction(0), high=width_of(wanted.arguments[0]))


def _variance(wanted: Aggregation, numbers: DrawnNumbers) -> Variance:
    measure = numbers.measure
    return Variance(numbers.column, numbers.draw, measure.shape, measure.span, sample=wanted.sample)


def _deviation(wanted: Aggregation, numbers: DrawnNumbers) -> Deviation:
    measure = numbers.measure
    return Deviation(numbers.column, numbers.draw, measure.shape, measure.span, sample=wanted.sample)


def _exact_variance(exact: Exact) -> str:
    step = exact.step(0)
    return f"({exact.gap(exact.first, exact.first)} * {step} * {step} / {exact.pairs})"


def _both(function: Function, sample: tuple[str, ...], population: tuple[str, ...]) -> dict[str, Aggregation]:
    """Names that ask for a sample's, and names that ask for a population's."""
    asked = dict.fromkeys(sample, Aggregation(function))
    return asked | dict.fromkeys(population, Aggregation(function, sample=False))


SUMS: Mapping[Function, AggregateRule] = {
    Function.SUM: AggregateRule(
        names={"sum": Aggregation(Function.SUM)},
        takes=(NUMBERS,),
        exact_facts=_exact_sum_facts,
        exact=_exact_sum,
        squared=False,
        across=NUMBERS,
        facts=_sum_facts,
        added=frozenset({Added.VALUES}),
        reading=_total,
    ),
    Function.AVG: AggregateRule(
        names=dict.fromkeys(("avg", "mean"), Aggregation(Function.AVG)),
        takes=(NUMBERS,),
        exact_facts=always(_average_facts),
        exact=_exact_average,
        squared=False,
        across=NUMBERS,
        facts=_average_facts,
        added=frozenset({Added.ROWS, Added.VALUES}),
        reading=_average,
    ),
    Function.VARIANCE: AggregateRule(
        names=_both(Function.VARIANCE, ("variance", "var_samp", "var"), ("var_pop", "variance_pop")),
        takes=(NUMBERS,),
        exact_facts=always(_variance_facts),
        exact=_exact_variance,
        squared=True,
        across=NUMBERS,
        facts=_variance_facts,
        added=frozenset({Added.ROWS, Added.VALUES, Added.SQUARES}),
        reading=_variance,
    ),
    Function.STDDEV: AggregateRule(
        names=_both(Function.STDDEV, ("stddev", "stddev_samp", "stdev", "std"), ("stddev_pop",)),
        takes=(NUMBERS,),
        exact_facts=always(_deviation_facts),
        exact=lambda exact: f"SQRT({_exact_variance(exact)})",
        squared=True,
        across=NUMBERS,
        facts=_deviation_facts,
        added=frozenset({Added.ROWS, Added.VALUES, Added.SQUARES}),
        reading=_deviation,
    ),
}
