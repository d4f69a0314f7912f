"""Choices: aggregates of a unit's own rows alone, exact: one unit would decide them for all."""

from collections.abc import Mapping

from privet.query.aggregates.places import value_facts
from privet.query.aggregates.rule import ANYTHING, AggregateRule, always
from privet.query.plan.aggregation import Aggregation, Function
from privet.query.scalars.facts import Facts, Type

CONDITION = frozenset({Type.BOOLEAN})


def _truth(wanted: Aggregation) -> Facts:
    del wanted
    return Facts(Type.BOOLEAN, nullable=True, values=(False, True))


CHOICES: Mapping[Function, AggregateRule] = {
    Function.ANY: AggregateRule(
        names=dict.fromkeys(("bool_or", "logical_or"), Aggregation(Function.ANY)),
        takes=(CONDITION,),
        exact_facts=always(_truth),
        exact=lambda exact: exact.each(f"BOOL_OR({exact.first})"),
        instead="one unit would decide it; count the rows: COUNT_IF(x)",
    ),
    Function.ALL: AggregateRule(
        names=dict.fromkeys(("bool_and", "logical_and", "every"), Aggregation(Function.ALL)),
        takes=(CONDITION,),
        exact_facts=always(_truth),
        exact=lambda exact: exact.each(f"BOOL_AND({exact.first})"),
        instead="one unit would decide it; count the rows: COUNT_IF(x)",
    ),
    Function.LEAST_BY: AggregateRule(
        names=dict.fromkeys(("arg_min", "argmin", "min_by"), Aggregation(Function.LEAST_BY)),
        takes=(ANYTHING, ANYTHING),
        exact_facts=always(value_facts),
        exact=lambda exact: exact.words.chosen_by(exact.first, exact.second, most=False, each=exact.each),
        windows=False,
    ),
    Function.MOST_BY: AggregateRule(
        names=dict.fromkeys(("arg_max", "argmax", "max_by"), Aggregation(Function.MOST_BY)),
        takes=(ANYTHING, ANYTHING),
        exact_facts=always(value_facts),
        exact=lambda exact: exact.words.chosen_by(exact.first, exact.second, most=True, each=exact.each),
        windows=False,
    ),
    Function.FIRST: AggregateRule(
        names={"first_value": Aggregation(Function.FIRST)},
        takes=(ANYTHING,),
        exact_facts=always(value_facts),
        exact=lambda exact: exact.each(f"FIRST_VALUE({exact.first})"),
        ordered=True,
    ),
}
