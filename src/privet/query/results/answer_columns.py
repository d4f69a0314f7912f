"""AnswerColumns: the columns that an answer will have, told before anything is spent or read."""

from collections.abc import Mapping
from dataclasses import dataclass

from privet.query.answering.margins import name_taken
from privet.query.answering.noisy_columns import NoisyColumns, StageColumns
from privet.query.answering.quantile_ends import QUANTILE
from privet.query.measures.readings import Quantile
from privet.query.plan.statement import Aggregate, Stage
from privet.query.pricing.quote import Quote
from privet.query.scalars.expressions import Column, Expression, Reference, columns_in
from privet.query.scalars.facts import Type


@dataclass(frozen=True)
class AnswerColumn:
    """A column of an answer.

    Args:
        name: of the column.
        type: of its values.
        interval: whether two columns with the ends of its interval are expected behind it.
    """

    name: str
    type: Type
    interval: bool = False


def answer_columns(quote: Quote) -> tuple[AnswerColumn, ...]:
    """The columns of the answer to a statement.

    Privacy: they follow from the statement and the catalog alone. An interval that is expected may still be missing
        from the answer, where it could not be simulated.
    """
    known: dict[str, StageColumns] = {}
    stages = {stage.name: stage for stage in quote.statement.stages if stage.report is None}
    for stage in stages.values():
        known[stage.name] = _columns_of(stage, quote, known)
    last = stages[quote.statement.answers[-1]]
    about = known[last.name]
    return tuple(
        AnswerColumn(
            column.name,
            column.facts.type,
            noisy
            and not without
            and not last.output.distinct
            and column.facts.type not in {Type.TEXT, Type.BOOLEAN}
            and not name_taken(column, last.output),
        )
        for (column, _), noisy, without in zip(last.output.items, about.noisy, about.without, strict=True)
    )


def _columns_of(stage: Stage, quote: Quote, known: Mapping[str, StageColumns]) -> StageColumns:
    """In which columns of a stage noise is, and which have no interval."""
    output = stage.output
    items = [expression for _, expression in output.items]
    if not isinstance(stage.source, Aggregate):
        found = NoisyColumns(known).read(stage.source)
        for column, window in output.windows:
            if found.about([Reference(each) for each in window.columns])[0]:
                found.noisy.add(column)
        about = [found.about([each]) for each in items]
        return StageColumns(tuple(noisy for noisy, _ in about), (False,) * len(items), tuple(why for _, why in about))
    needs = quote.by_name[stage.name].needs
    readings = {reading.column: reading for reading in needs.readings}
    windows = dict(output.windows)

    def read(expression: Expression) -> set[Column]:
        columns = [windows[each].columns if each in windows else {each} for each in columns_in(expression)]
        return set().union(*columns) & readings.keys()

    ranked = {column for column, each in readings.items() if isinstance(each, Quantile) and not each.drawn_ends}
    without = [QUANTILE if read(each) & ranked else "" for each in items]
    return StageColumns(tuple(bool(read(each)) for each in items), (False,) * len(items), tuple(without))
