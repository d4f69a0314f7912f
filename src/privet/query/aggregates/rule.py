"""AggregateRule: what one aggregate takes, means, needs and tells, all in one place, so that nothing is forgotten."""

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from privet.query.aggregates.exact import Exact
from privet.query.measures.readings import Reading
from privet.query.measures.request import Measure
from privet.query.plan.aggregation import Aggregation
from privet.query.plan.limits import Limits
from privet.query.scalars.expressions import Column, Expression, facts_of
from privet.query.scalars.facts import Facts, Type

NUMBERS = frozenset({Type.INTEGER, Type.REAL})
MOMENTS = frozenset({Type.DATE, Type.TIMESTAMP})
ANYTHING = frozenset(Type)


class Added(enum.Enum):
    """What the engine adds up for an aggregate across units; what aggregates of the same rows need is shared."""

    ROWS = "one for each row"
    VALUES = "the values"
    SQUARES = "their squares"
    PRODUCTS = "the values of two arguments, their squares and products"
    UNITS = "one for each unit"
    DISTINCT = "one for each distinct value"
    RANKS = "one for each row, by its value"


@dataclass(frozen=True)
class DrawnNumbers:
    """The numbers that a column is read off.

    Args:
        column: as it is released.
        draw: the place of the numbers among the draws.
        measure: what they are.
        part: lattice steps that stand for one row, where rows alone are counted.
        fraction: of the quantile that was chosen, if one was.
        drawn_ends: whether the two ends of its interval were chosen with it.
    """

    column: Column
    draw: int
    measure: Measure
    part: int
    fraction: Fraction | None = None
    drawn_ends: bool = False


ExactFacts = Callable[[Aggregation, Limits | None], tuple[Facts, Facts]]


@dataclass(frozen=True)
class AggregateRule:
    """One aggregate.

    Args:
        names: what SQL calls it, in small letters, and what each name asks for.
        takes: the types that each argument may have. Where numbers are taken, a condition counts as 0 or 1.
        exact_facts: what holds for it within a unit: as computed, and after clipping to what limits allow.
        exact: its SQL within a unit.
        squared: whether squares of its arguments are added up within a unit; None if nothing is.
        across: the types of the first argument for which it is answered across units.
        facts: what is known about it across units.
        added: what it needs there.
        reading: how it and its margin are read off; None if it is not answered across units.
        fraction: of the quantile that answers it, if one does and the statement does not say which.
        instead: what to write where it is not answered across units.
        windows: whether it can stand OVER a window.
        ordered: whether it is about the first rows of a window, so that it cannot stand anywhere else.
    """

    names: Mapping[str, Aggregation]
    takes: tuple[frozenset[Type], ...]
    exact_facts: ExactFacts
    exact: Callable[[Exact], str]
    squared: bool | None = None
    across: frozenset[Type] = frozenset()
    facts: Callable[[Aggregation], Facts] | None = None
    added: frozenset[Added] = field(default_factory=frozenset)
    reading: Callable[[Aggregation, DrawnNumbers], Reading] | None = None
    fraction: Fraction | None = None
    instead: str | None = None
    windows: bool = True
    ordered: bool = False

    @property
    def needs_bounds(self) -> bool:
        """Whether its arguments must be bounded across units: wherever more than rows, units or values is counted."""
        return bool(self.added & {Added.VALUES, Added.SQUARES, Added.PRODUCTS, Added.RANKS})


def always(facts: Callable[[Aggregation], Facts]) -> ExactFacts:
    """Facts that hold as computed, whatever the limits."""

    def both(wanted: Aggregation, limits: Limits | None) -> tuple[Facts, Facts]:
        del limits
        return facts(wanted), facts(wanted)

    return both


def known_of(wanted: Aggregation) -> Facts:
    """What is known of the first argument."""
    return facts_of(wanted.arguments[0])


def width_of(argument: Expression) -> Fraction | None:
    """How far apart the bounds of an argument are, if it has both."""
    facts = facts_of(argument)
    return None if facts.low is None or facts.high is None else facts.high - facts.low
