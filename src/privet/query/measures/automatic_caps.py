"""Automatic caps: how many rows, or groups, of each unit count, found by a paid first step.

Each unit is one number: how many rows it has that would count, or in how many groups it is. How many units lie in
public bins of that number tells how many have more than each candidate, and a mechanism chooses one of them
(`mechanisms/cap_choice.py`). Then the statement is answered as if that limit had been declared.

Proof: a unit's number depends on its own rows alone, so when it comes or goes each count above a candidate moves by 0
    or 1; when it is replaced by another, by -1, 0 or 1: it was counted once or not, and is now. So far moves what the
    choice is made from, whatever the relation, and times as far for as many units as one protected unit is. What
    follows is private at a price that is the same for every limit: noise is scaled to how far a unit moves a number
    under the limit that was found, so the loss, a function of their ratio, is known before anything is read. A
    question whose loss is fixed, chosen after an answer: losses add up (docs/proofs/automatic-caps.md).
"""

import itertools
from collections.abc import Mapping, Sequence
from fractions import Fraction

from privet.mechanisms.cap_choice import caps_up_to
from privet.mechanisms.two_round_selection import MOST_GROUPS
from privet.query.functions import call
from privet.query.measures.request import Bounded, Measure, Shape
from privet.query.plan.aggregation import Aggregation, Function
from privet.query.plan.build import filtered, grouped, projected
from privet.query.plan.limits import Limits
from privet.query.plan.provenance import Marks
from privet.query.plan.relations import Relation
from privet.query.plan.statement import Aggregate, Key
from privet.query.scalars.expressions import Column, Expression, Literal, Reference, facts_of
from privet.query.scalars.facts import Facts, Type, Value

LARGEST = 1 << 31  # rows: the largest limit there is
GUESSED = 100  # groups, where they are private: how many is a guess, and public
MOST_SHARE = Fraction(35, 100)  # of what a statement spends, for finding its limit
MOST_COMPARED = 1_000  # values of a key: of more, rows in no public group are counted as well
COUNTED = Facts(Type.INTEGER, nullable=False)
ONCE = Limits(groups_per_unit=1, rows_per_group=1)  # each unit is in one bin, as one row


def groups_expected(aggregate: Aggregate) -> int:
    """How many groups the answer has: as many as are declared, or a guess."""
    number = 1
    for key in aggregate.keys:
        number *= len(key.domain or ())
    return GUESSED if aggregate.selects else max(number, 1)


def share_for(groups: int) -> Fraction:
    """Of what a statement spends, what finding its limit takes: the more groups, the less is needed.

    Example:
        >>> [round(float(share_for(groups)), 3) for groups in (1, 10, 100, 10_000)]
        [0.35, 0.316, 0.1, 0.01]
    """
    return min(MOST_SHARE, Fraction(1 / groups**0.5).limit_denominator(10_000))


def counts_groups(request: Bounded) -> bool:
    """Whether the limit is on groups: it was said so, or units are all that is counted in them."""
    return not request.limits.of_rows or all(measure.shape is Shape.UNITS for measure in request.measures)


def largest_cap(aggregate: Aggregate, request: Bounded) -> int:
    """The largest limit that can be of use."""
    if aggregate.selects:
        return MOST_GROUPS
    return groups_expected(aggregate) if counts_groups(request) else LARGEST


def bins_of(aggregate: Aggregate, request: Bounded) -> Aggregate:
    """How many units have a number in each bin: up to the first candidate, beyond it up to the second, and so on."""
    caps = caps_up_to(largest_cap(aggregate, request))
    rows, keys = _rows_that_count(aggregate, _values(request))
    if counts_groups(request) or _values(request) is not None:  # each pair of unit and group, or value, is one row
        pairs: list[tuple[Column, Expression]] = [(Column(key.name, key.facts), Reference(key)) for key in keys]
        rows = grouped(rows, [*_unit(rows), *pairs], [], marks=Marks())
    number = Column("number", COUNTED)
    units = grouped(rows, _unit(rows), [(number, Aggregation(Function.COUNT_ROWS))], marks=Marks())
    bin_ = _bin_among(Reference(number), caps, range(len(caps) + 1))
    key = Key(Column("bin", facts_of(bin_)), bin_, tuple(range(len(caps) + 1)))
    item = (Column("units", COUNTED), Aggregation(Function.COUNT_ROWS))
    return Aggregate(units, (key,), (item,), ONCE)


def units_above(units: Mapping[int, int], caps: tuple[int, ...]) -> list[int]:
    """How many units have more than each candidate, from how many are in each bin.

    Example:
        >>> units_above({0: 70, 1: 20, 3: 1}, (1, 2, 3))
        [21, 1, 1]
    """
    counts = [units.get(bin_, 0) for bin_ in range(1, len(caps) + 1)]
    return list(itertools.accumulate(reversed(counts)))[::-1]


def _values(request: Bounded) -> Measure | None:
    """The distinct values that are limited, if they are all that is: then they are counted, not rows."""
    (first, *others) = request.measures or (Measure(Shape.ROWS),)
    return first if first.shape is Shape.DISTINCT and not others else None


def _rows_that_count(aggregate: Aggregate, values: Measure | None) -> tuple[Relation, tuple[Column, ...]]:
    """The rows whose keys are of the public groups, and their keys; where values are limited, with each value."""
    wanted = [(f"key{place}", key.expression) for place, key in enumerate(aggregate.keys, 1)]
    if values is not None and values.argument is not None:
        wanted.append(("value", values.argument))
    if values is not None and values.condition is not None:
        wanted.append(("counts", values.condition))
    if not wanted:
        return aggregate.source, ()
    rows, columns = projected(aggregate.source, wanted, marks=Marks())
    named = dict(zip((name for name, _ in wanted), columns, strict=True))
    conditions = [
        _inside(Reference(column), key.domain)
        for key, column in zip(aggregate.keys, columns, strict=False)
        if key.domain is not None and len(key.domain) <= MOST_COMPARED
    ]
    conditions += [call("not", call("is_null", Reference(named["value"])))] if "value" in named else []
    conditions += [Reference(named["counts"])] if "counts" in named else []
    kept = [column for name, column in named.items() if name != "counts"]
    if not conditions:
        return rows, tuple(kept)
    condition = conditions[0] if len(conditions) == 1 else call("and", *conditions)
    left, renewed = filtered(rows, condition, marks=Marks())
    return left, tuple(renewed[column] for column in kept)


def _inside(key: Expression, domain: Sequence[Value]) -> Expression:
    """Whether a key is one of its public values."""
    type_ = facts_of(key).type
    values = [Literal(value, type_) for value in domain if value is not None]
    null = call("is_null", key)
    if not values:
        return null
    among = call("in", key, *values)
    return call("or", among, null) if None in domain else among


def _unit(source: Relation) -> list[tuple[Column, Expression]]:
    unit = () if source.owner is None else source.owner.unit
    return [(Column(old.name, old.facts), Reference(old)) for old in unit]


def _bin_among(number: Expression, caps: tuple[int, ...], bins: Sequence[int]) -> Expression:
    """The bin of a number that is in one of several: it is compared with where their second half begins."""
    if len(bins) == 1:
        return Literal(bins[0], Type.INTEGER)
    below, above = bins[: len(bins) // 2], bins[len(bins) // 2 :]
    more = call("gt", number, Literal(caps[above[0] - 1], Type.INTEGER))
    return call("case", more, _bin_among(number, caps, above), _bin_among(number, caps, below))
