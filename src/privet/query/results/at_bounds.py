"""At bounds: answers that cannot be told from a bound of their column, where clipping may have made them.

An average of ages that are clipped to [500, 600] is 500.000 ± 0.013: a small margin around nothing. Told from released
numbers and public bounds alone, so it costs nothing.
"""

from collections.abc import Iterator

import pyarrow as pa

from privet.query.measures.readings import Average, Quantile, Reading
from privet.query.plan.aggregation import Aggregation, Function
from privet.query.plan.bounds_in_force import bound_text
from privet.query.plan.statement import Aggregate
from privet.query.pricing.quote import Quote
from privet.query.scalars.expressions import Reference, facts_of

EXTREMES = {Function.MINIMUM, Function.MAXIMUM}
SURE = 8  # an interval wider than the bounds divided by this tells no bound from anything


def at_bounds(quote: Quote, table: pa.Table) -> dict[str, str]:
    """The columns of an answer that in some row cannot be told from a bound of what they are of, and that bound.

    Args:
        quote: of the statement.
        table: its answer.
    """
    last = next(stage for stage in quote.statement.stages if stage.name == quote.statement.answers[-1])
    if not isinstance(last.source, Aggregate) or last.name not in quote.by_name:
        return {}
    needs = quote.by_name[last.name].needs
    readings = {reading.column: reading for reading in needs.readings}
    items = dict(needs.aggregate.items)
    found = {}
    for shown, expression in last.output.items:
        column = expression.column if isinstance(expression, Reference) else None
        if column in readings and column in items and shown.name in table.column_names:
            touched = dict.fromkeys(_touched(readings[column], items[column], shown.name, table))
            if touched:
                found[shown.name] = " and ".join(touched)
    return found


def _touched(reading: Reading, item: Aggregation, name: str, table: pa.Table) -> Iterator[str]:
    """The bounds that values of a column cannot be told from."""
    argument = item.argument
    if not isinstance(argument, Reference):
        return
    facts = facts_of(argument)
    if not facts.type.numeric or facts.low is None or facts.high is None or facts.low >= facts.high:
        return
    low, high = float(facts.low), float(facts.high)
    near = float(reading.span.step) if isinstance(reading, Quantile) else 0.0
    for first, last in _intervals(reading, name, table):
        if last - first <= (high - low) / SURE:
            if first <= low + near and not (item.function in EXTREMES and low == 0):  # the least is 0 of much
                yield bound_text(facts.low, facts.type)
            if last >= high - near:
                yield bound_text(facts.high, facts.type)


def _intervals(reading: Reading, name: str, table: pa.Table) -> Iterator[tuple[float, float]]:
    """Where each value of a column may lie, as far as that is known."""
    ends = (name, name) if isinstance(reading, Quantile) else (f"{name}_low", f"{name}_high")
    if not isinstance(reading, Average | Quantile) or not set(ends) <= set(table.column_names):
        return
    for first, last in zip(*(table[end].to_pylist() for end in ends), strict=True):
        if first is not None and last is not None:
            yield float(first), float(last)


def bound_words(name: str, bounds: str) -> str:
    """What a reader is told of it.

    Example:
        >>> bound_words("age", "500")
        'age cannot be told from its bound 500: if values lie beyond, they count as that'
    """
    return f"{name} cannot be told from its bound {bounds}: if values lie beyond, they count as that"
