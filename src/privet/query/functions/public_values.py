"""Public values: a few values of a column that stand for all, as far as given conditions can tell them apart."""

import itertools
import math
import sys
from collections.abc import Iterable, Sequence
from fractions import Fraction

from privet.query.scalars.dates import DAY, iso_date, iso_timestamp
from privet.query.scalars.expressions import Call, Column, Expression, Literal, Reference, columns_in, facts_of_literal
from privet.query.scalars.facts import Facts, Type, Value

COMPARISONS = {"eq", "ne", "lt", "le", "gt", "ge"}
WIDENED = {"cast_real", "cast_timestamp"}  # casts that keep values in order, and unequal ones unequal
MOST_LISTED = 4_096  # whole numbers or days between bounds: each is looked at
FARTHEST = Fraction(sys.float_info.max)
AFTER, LAST = "\x01", "\U0010fffd"  # what makes a text a little larger; a text beyond all that people write


def is_listed(facts: Facts) -> bool:
    """Whether all values are known and few, so that any condition can be tried on each.

    Bounds hold, because values are clipped to them as they are read; declared values of texts may not be all.
    """
    if facts.type is Type.BOOLEAN:
        return True
    whole = facts.type in {Type.INTEGER, Type.DATE}
    return whole and facts.low is not None and facts.high is not None and facts.high - facts.low < MOST_LISTED


def compares_with_constants(leaf: Expression) -> bool:
    """Whether a condition compares one column with constants, so that these alone divide its values."""
    if isinstance(leaf, Reference):
        return True
    if not isinstance(leaf, Call):
        return False
    columns = [part for part in leaf.arguments if not isinstance(part, Literal)]
    return leaf.function in {*COMPARISONS, "in", "is_null"} and len(columns) == 1 and _is_stored(columns[0])


def _is_stored(part: Expression) -> bool:
    while isinstance(part, Call) and part.function in WIDENED:
        part = part.arguments[0]
    return isinstance(part, Reference)


def public_values(column: Column, leaves: Iterable[Expression]) -> list[Value]:
    """Values such that each of the conditions has on any value the truth that it has on one of these; NULL is last.

    Args:
        column: whose facts say where its values lie.
        leaves: conditions about it.

    Proof: values that are listed are all there. Of others, conditions compare with constants alone: a value is equal
        to one of them, or lies beside or between them, and one value of each such place is here. Declared values of
        texts may not be all that there are, so that a text which is none of them is here too; and so are NULL, though
        it is declared that there is none, and numbers beyond bounds, to which units are not clipped.
    """
    facts = column.facts
    constants = [
        part
        for leaf in leaves
        if isinstance(leaf, Call) and column in columns_in(leaf)
        for part in leaf.arguments
        if isinstance(part, Literal) and part.value is not None
    ]
    if facts.type is Type.BOOLEAN:
        return [False, True, None]
    if facts.type is Type.TEXT:
        return [*_texts(facts, [str(each.value) for each in constants]), None]
    return [*_numbers(facts, constants), None]


def _texts(facts: Facts, constants: Sequence[str]) -> list[Value]:
    listed = [str(value) for value in facts.values or ()]
    known = {*listed, *constants, "" if facts.other is None else facts.other}
    return [*sorted({"", *known, *(text + AFTER for text in known)}), LAST]


def _numbers(facts: Facts, constants: Sequence[Literal]) -> list[Value]:
    """In the unit of the column's own bounds: numbers, days or seconds."""
    whole = facts.type in {Type.INTEGER, Type.DATE}
    low, high = facts.low, facts.high
    if whole and low is not None and high is not None and high - low < MOST_LISTED:
        places = [Fraction(place) for place in range(math.ceil(low) - 1, math.floor(high) + 2)]
    else:
        cuts = sorted({cut for each in constants if (cut := _place(each, facts.type)) is not None} | _ends(facts))
        places = _around(cuts or [Fraction(0)], whole=whole)
    if facts.values is not None:
        own = (_place(Literal(value, facts.type), facts.type) for value in facts.values)
        places = sorted({*places, *(place for place in own if place is not None)})
    return [value for place in places if (value := _value(place, facts.type)) is not None]


def _ends(facts: Facts) -> set[Fraction]:
    return {end for end in (facts.low, facts.high) if end is not None}


def _place(constant: Literal, kind: Type) -> Fraction | None:
    """Where a constant lies, in the unit of a column's bounds."""
    place = facts_of_literal(constant).low
    if place is not None and kind is Type.DATE and constant.type is Type.TIMESTAMP:
        return place / DAY
    return place * DAY if place is not None and kind is Type.TIMESTAMP and constant.type is Type.DATE else place


def _around(cuts: Sequence[Fraction], *, whole: bool) -> list[Fraction]:
    """The cuts, and a place beside and between all of them."""
    if whole:
        near = {Fraction(math.floor(cut) + step) for cut in cuts for step in (-1, 0, 1, 2)}
        return sorted(near)
    between = [(one + other) / 2 for one, other in itertools.pairwise(cuts)]
    return sorted([cuts[0] - 1 - abs(cuts[0]), *cuts, *between, cuts[-1] + 1 + abs(cuts[-1])])


def _value(place: Fraction, kind: Type) -> Value:
    match kind:
        case Type.INTEGER:
            return int(place)
        case Type.DATE:
            return iso_date(int(place))
        case Type.TIMESTAMP:
            return iso_timestamp(place)
        case _ if abs(place) <= FARTHEST:
            return float(place)
    return math.inf if place > 0 else -math.inf
