"""Aggregates as an engine is given them: exact ones, within a unit or of public rows (`aggregates/`)."""

from collections.abc import Sequence
from fractions import Fraction

from privet.query.aggregates import rule_of
from privet.query.aggregates.exact import Exact
from privet.query.aggregates.scale import Scale
from privet.query.plan.aggregation import Aggregation
from privet.query.printing.dialect import Dialect
from privet.query.scalars.expressions import Expression, facts_of
from privet.query.scalars.facts import Type


def print_places(wanted: Aggregation, names: Sequence[str], dialect: Dialect) -> list[str]:
    """The arguments of an aggregate as they are aggregated: of two, both are NULL where either is.

    Args:
        wanted: which.
        names: of the columns that hold its arguments; they are repeated, so they are plain names.
        dialect: the engine's words.
    """
    placed = [_place(wanted, *each, dialect) for each in zip(wanted.arguments, names, strict=True)]
    if len(names) == 1:
        return placed
    there = [f"CASE WHEN {name} IS NOT NULL THEN " for name in reversed(names)]
    return [f"{both}{text} END" for both, text in zip(there, placed, strict=True)]


def _place(wanted: Aggregation, argument: Expression, text: str, dialect: Dialect) -> str:
    squared = rule_of(wanted).squared
    if squared is None:
        return text
    facts = facts_of(argument)
    scale = Scale.of(facts, squared=squared)
    if scale.most is None:
        return text
    if facts.type is Type.INTEGER and scale.step == 1:
        low, high = (dialect.literal(int(end), Type.INTEGER) for end in (-scale.most, scale.most))
        return f"CASE WHEN {text} IS NOT NULL THEN LEAST(GREATEST({text}, {low}), {high}) END"
    value = text if facts.type is Type.REAL else dialect.convert(text, facts.type, Type.REAL)
    low, high = (dialect.literal(float(number), Type.REAL) for number in (-scale.most, scale.most))
    near = f"FLOOR({dialect.place(f'LEAST(GREATEST({value}, {low}), {high})', Fraction(0), scale.step)})"
    return f"CASE WHEN {text} IS NOT NULL THEN CAST({near} AS {dialect.types[Type.INTEGER]}) END"


def print_aggregation(
    wanted: Aggregation, names: tuple[str, str], condition: str | None, over: str, dialect: Dialect
) -> str:
    """An exact aggregate.

    Args:
        wanted: which.
        names: of the columns that hold `print_places` of its arguments.
        condition: the name of the column that holds its FILTER.
        over: " OVER (…)" for a window, else empty.
        dialect: the engine's words.
    """
    tail = (f" FILTER (WHERE {condition})" if condition is not None else "") + over
    rule = rule_of(wanted)
    return rule.exact(Exact(wanted, *names, lambda text: f"{text}{tail}", dialect, bool(rule.squared)))
