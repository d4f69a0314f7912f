"""cautions: what a reader of an answer must not conclude from it, in sentences an agent can follow."""

from collections.abc import Iterator
from typing import Any

from privet.query.results.answer import Answer
from privet.query.results.at_bounds import bound_words
from privet.query.results.limit_words import clipped_words
from privet.wording.shown_value import shown_margin

LISTED = 12  # intervals from which on some of them probably miss


def cautions(answer: Answer) -> tuple[str, ...]:
    """What does not follow from an answer; told from the answer alone, so it costs nothing.

    Args:
        answer: any answer.
    """
    return tuple(_of_rows(answer)) if answer.loss.parts else ()


def _of_rows(answer: Answer) -> Iterator[str]:
    unit = answer.unit.name
    yield (
        f"Do not conclude anything about one {unit}, nor whether it is in the data: the noise is there to make that "
        "impossible."
    )
    if answer.intervals:
        yield from _of_intervals(answer)
    yield from _of_groups(answer)
    yield from _of_columns(answer)
    yield from _of_limits(answer)


def _of_intervals(answer: Answer) -> Iterator[str]:
    confident = f"{100 * answer.confidence:g} %"
    yield (
        f"Do not call a number exact: with {confident} confidence the exact one lies between low and high. Report both "
        "ends with it."
    )
    yield "Do not say that two numbers differ if their intervals overlap, nor rank them."
    told = sum(1 for row in answer.rows for name in answer.intervals if row[f"{name}_low"] is not None)
    if told >= LISTED:
        missed = told * (1 - answer.confidence)
        yield (
            f"Do not pick out the most extreme of these {told:,} numbers: each interval holds with {confident} "
            f"confidence by itself, so about {missed:.2g} of them miss."
        )
    if answer.interval == "population":
        yield "The intervals are for the population, if the units here were drawn from it one by one."
    else:
        yield (
            f"Do not carry the intervals over to a larger population: they say how far the noise moved a number of "
            f"this data, not how well these {answer.unit.name}s stand for others."
        )
    if any(_negative(row[name]) for row in answer.rows for name in answer.intervals):
        yield "Do not call a number below zero an error of the data: that is the noise."


def _negative(value: Any) -> bool:  # noqa: ANN401 - any cell of a table
    return isinstance(value, int | float) and value < 0


def _of_groups(answer: Answer) -> Iterator[str]:
    if answer.hidden:
        yield f"Do not take a missing group for an empty one: {answer.hidden}."
    if answer.unclear:
        yield f"Do not report or compare the numbers marked unclear in {', '.join(answer.unclear)}: they say nothing."


def _of_columns(answer: Answer) -> Iterator[str]:
    for name, why in answer.without_margin.items():
        if name not in answer.rank_margins:
            yield f"Do not say how sure {name} is: it has no interval, because {why}."
    for name, rows in answer.rank_margins.items():
        yield (
            f"{name} is off in rank by up to {shown_margin(rows)} rows in each group; how much that is in value is not "
            "known."
        )
    for name, what in answer.stand_ins.items():
        yield f"Do not take {name} for what was asked: it is answered by the {what}."
    for name, ends in answer.at_bounds.items():
        yield f"Do not read a finding from a bound: {bound_words(name, ends)}."


def _of_limits(answer: Answer) -> Iterator[str]:
    if bounds := clipped_words(f"{name} [{low}, {high}]" for name, (low, high) in answer.clipped.items()):
        yield f"Do not read extremes from it: {bounds}."
    if answer.limits:
        yield f"Do not read totals as totals of all rows where limits cut: {'; '.join(answer.limits)}."
    yield from (f"{each[:1].upper()}{each[1:]}." for each in answer.advice)
