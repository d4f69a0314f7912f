"""Released advice: where a report on clipping tells that limits or bounds err more than the noise does.

Privacy: from released numbers and public ones alone, so it costs nothing. What is said of limits is a lower bound: a
    unit over its limit lacks a row at least, and of n rows that count, each unit has as many as count at most; so among
    them are n / limit units or more, and a share q of these lacks q n / limit rows or more.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pyarrow as pa

from privet.query.measures.readings import Average, Linear, Reading
from privet.query.plan.aggregation import Aggregation, Function
from privet.query.plan.statement import Aggregate, Stage
from privet.query.pricing.cut_off import ROWS, rows_that_count
from privet.query.pricing.quote import Quote
from privet.query.scalars.expressions import Reference, facts_of
from privet.wording.shown_value import roughly

NEAR = 10  # parts of the width of bounds: farther beyond them than one part, values rarely are on average


@dataclass(frozen=True)
class _Shown:
    """A released column of the answer."""

    name: str
    reading: Reading
    item: Aggregation
    size: float  # of its numbers, all groups together
    margin: float  # likewise


def advice_after(quote: Quote, tables: Mapping[str, pa.Table], *, whose: str) -> tuple[str, ...]:
    """What should be changed, a sentence for each cause; nothing without a report, or where noise errs more.

    Args:
        quote: of the statement.
        tables: what each stage gave.
        whose: the word for those whose data is held to limits.
    """
    answer = quote.statement.answers[-1]
    last = next(stage for stage in quote.statement.stages if stage.name == answer)
    shares = dict(_shares(quote, tables, answer))
    if not shares or not isinstance(last.source, Aggregate) or not tables[answer].num_rows:
        return ()
    shown = list(_shown(quote, last, tables[answer]))
    return (*_limits(last.source, shown, shares, whose), *_bounds(shown, shares, tables[answer].num_rows))


def _shares(quote: Quote, tables: Mapping[str, pa.Table], answer: str) -> Iterator[tuple[str, float]]:
    """What each reported share is at least, by what it is of."""
    for stage in quote.statement.stages:
        if stage.report is not None and stage.name.rpartition(":")[0] == answer:
            (row,) = tables[stage.name].to_pylist()
            for column, _ in stage.output.items:
                if (least := row.get(f"{column.name}_low")) is not None and least > 0:
                    yield column.name, float(least)


def _shown(quote: Quote, last: Stage, table: pa.Table) -> Iterator[_Shown]:
    needs = quote.by_name[last.name].needs
    readings = {reading.column: reading for reading in needs.readings}
    items = dict(needs.aggregate.items)
    for shown, expression in last.output.items:
        column = expression.column if isinstance(expression, Reference) else None
        reading = None if column is None else readings.get(column)
        if not isinstance(reading, Linear | Average) or f"{shown.name}_high" not in table.column_names:
            continue  # quantiles may be days
        low, value, high = (table[f"{shown.name}{end}"].to_pylist() for end in ("_low", "", "_high"))
        known = [row for row in zip(low, value, high, strict=True) if None not in row]
        size = sum(abs(float(value)) for _, value, _ in known)
        margin = sum((float(high) - float(low)) / 2 for low, _, high in known)
        yield _Shown(shown.name, reading, items[reading.column], size, margin)


def _limits(aggregate: Aggregate, shown: list[_Shown], shares: Mapping[str, float], whose: str) -> Iterator[str]:
    """Where so many units are over a limit that what they lack is more than the noise."""
    for over, share in shares.items():
        in_groups = over.startswith("rows in more than")
        if not in_groups and not over.startswith("more than"):
            continue
        counted = ROWS | ({Function.COUNT_UNITS} if in_groups else set())
        most = (aggregate.limits.groups_per_unit or aggregate.limits.cap) if in_groups else rows_that_count(aggregate)
        short = [each for each in shown if isinstance(each.reading, Linear) and each.item.function in counted]
        worse = [each for each in short if each.size * share / most > each.margin]
        if worse:
            lost = ", ".join(f"{each.name} lacks about {roughly(each.size * share / most)}" for each in worse)
            where = " in all groups together" if aggregate.keys else ""
            have = f"{_percent(share)} of the {whose}s or more have {over}"
            yield f"the limit errs more than the noise, as {have}: {lost} or more{where}; raise it"


def _bounds(shown: list[_Shown], shares: Mapping[str, float], groups: int) -> Iterator[str]:
    """How far values beyond their bounds may lie there until that errs more than the noise of an average."""
    for each in shown:
        argument = each.item.argument
        if not isinstance(each.reading, Average) or not isinstance(argument, Reference):
            continue
        facts = facts_of(argument)
        share = next((share for what, share in shares.items() if what.startswith(f"{argument.column.name} outside")), 0)
        if not share or facts.low is None or facts.high is None:
            continue
        far = each.margin / groups / share
        if far < float(facts.high - facts.low) / NEAR:
            yield (
                f"{each.name}: {_percent(share)} of the values or more are outside their bounds; if they lie more than "
                f"{roughly(far)} beyond on average, that errs more than the noise; widen them"
            )


def _percent(share: float) -> str:
    return f"{100 * share:.2g} %"
