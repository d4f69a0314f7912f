"""Table: the rule of every aggregate. What is not here never reaches an engine."""

from collections.abc import Mapping
from types import MappingProxyType

from privet.query.aggregates.choices import CHOICES
from privet.query.aggregates.counts import COUNTS
from privet.query.aggregates.joint import JOINT
from privet.query.aggregates.places import PLACES
from privet.query.aggregates.rule import AggregateRule
from privet.query.aggregates.sums import SUMS
from privet.query.plan.aggregation import Aggregation, Function
from privet.query.scalars.expressions import Expression

RULES: Mapping[Function, AggregateRule] = MappingProxyType({**COUNTS, **SUMS, **PLACES, **JOINT, **CHOICES})
NAMES: Mapping[str, Aggregation] = MappingProxyType(
    {name: asked for rule in RULES.values() for name, asked in rule.names.items()}
)


def rule_of(wanted: Aggregation) -> AggregateRule:
    """The rule of an aggregate."""
    return RULES[wanted.function]


def bounded_arguments(wanted: Aggregation) -> tuple[Expression, ...]:
    """The arguments that must be bounded before the aggregate is answered across units."""
    return wanted.arguments if rule_of(wanted).needs_bounds else ()
