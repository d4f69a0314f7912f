"""Join size: how many rows of one unit a relation can have, and what is left out before rows multiply.

A join of rows of one unit with each other, or with public rows of which many fit, has as many rows as the product: one
unit with many rows could fill an engine's memory, and whether it does would be an answer. So where rows multiply, only
a public number of each unit's are joined (`rows_joined_per_unit` of the catalog, 1,000 by default), and the product
of the two numbers has a limit. Nothing is left out where one side has one row for each unit, or is joined on a column
that is declared unique, which is believed. See docs/decisions/0014-public-sizes.md.
"""

from privet.errors import InvalidParameter
from privet.query.functions.logic import conjuncts
from privet.query.plan.provenance import Marks
from privet.query.plan.relations import (
    Few,
    Filter,
    Group,
    Join,
    Project,
    Relation,
    Released,
    Table,
    Union,
    Values,
    Window,
    sources,
)
from privet.query.scalars.expressions import Call, Column, Expression, Reference, columns_in

MOST_PAIRS = 10_000_000  # rows of one unit after a join
MOST_SCANS = 100  # tables that one relation reads, each as often as it does
MOST_PUBLIC = 2  # public tables that are multiplied with each other before they meet rows of units


def few(left: Relation, right: Relation, condition: Expression | None, marks: Marks) -> tuple[Relation, Relation]:
    """Both sides of a join, each with as few rows of a unit as may multiply.

    Raises:
        InvalidParameter: if there would still be more pairs than can be computed.

    Privacy: which rows are left out depends on the unit's own rows in that relation alone (`printing/few_rows.py`), so
        what is left is unit-local.
    """
    _refuse_scans(scans(left, marks) + scans(right, marks))
    if left.owner is None and right.owner is None:
        return left, right
    if left.owner is None or right.owner is None:
        public, owned = (left, right) if left.owner is None else (right, left)
        if rows_of(public, marks) == 1 or picks(condition, public, marks):
            return left, right
        _refuse_public(public, marks)
        _refuse_fans(owned, marks)
        held = _held(owned, marks)
        return (left, held) if owned is right else (held, right)
    if 1 in {rows_of(left, marks), rows_of(right, marks)} or any(picks(condition, s, marks) for s in (left, right)):
        return left, right
    pair = _held(left, marks), _held(right, marks)
    pairs = (rows_of(pair[0], marks) or 1) * (rows_of(pair[1], marks) or 1)
    if pairs > MOST_PAIRS:
        raise InvalidParameter(
            f"a join could give one unit {pairs:,} rows, more than {MOST_PAIRS:,}: declare a smaller "
            "rows_joined_per_unit in the catalog, or join on a column that is declared unique"
        )
    return pair


def _held(relation: Relation, marks: Marks) -> Relation:
    """The relation with no more rows of a unit than may be joined."""
    known = rows_of(relation, marks)
    most = min(_declared(relation, marks), default=marks.rows_joined)
    return relation if known is not None and known <= most else Few(relation, most, relation.owner)


def _declared(relation: Relation, marks: Marks) -> list[int]:
    """How many rows may be joined, of each table that a relation reads."""
    if isinstance(relation, Table):
        return [marks.joined_rows.get(relation.name, marks.rows_joined)] if relation.owner is not None else []
    return [number for source in sources(relation) for number in _declared(source, marks)]


def rows_of(relation: Relation, marks: Marks) -> int | None:  # noqa: PLR0911 - one return for each node
    """How many rows a unit has at most in an owned relation, or how many a public one has; None if nobody knows."""
    match relation:
        case Table():
            return 1 if relation.name in marks.one_each and relation.owner is not None else None
        case Released():
            return 1 if relation.stage in marks.single else None
        case Values():
            return len(relation.rows)
        case Few():
            known = rows_of(relation.source, marks)
            return relation.rows if known is None else min(known, relation.rows)
        case Filter() | Project() | Window():
            return rows_of(relation.source, marks)
        case Group():
            unit = () if relation.owner is None else relation.owner.unit
            return 1 if len(relation.keys) == len(unit) else rows_of(relation.source, marks)
        case Union():
            return _combined([rows_of(source, marks) for source in relation.sources], multiply=False)
        case Join():
            return _joined_rows(relation, marks)


def _joined_rows(relation: Join, marks: Marks) -> int | None:
    """After a join there are at most as many rows as pairs, and those of an outer one that found no partner."""
    sides = (relation.left, relation.right)
    found = [rows_of(side, marks) for side in sides if side.owner is not None or relation.owner is None]
    if relation.owner is None or len(found) > 1:
        many = _combined([rows_of(side, marks) for side in sides], multiply=True)
        extra = _combined([rows_of(side, marks) for side in sides], multiply=False)
        return None if many is None or extra is None else max(many, extra)
    public = next(side for side in sides if side.owner is None)
    times = 1 if picks(relation.condition, public, marks) else rows_of(public, marks)
    return _combined([found[0], None if times is None else max(times, 1)], multiply=True)


def _combined(numbers: list[int | None], *, multiply: bool) -> int | None:
    total = 1 if multiply else 0
    for number in numbers:
        if number is None:
            return None
        total = total * number if multiply else total + number
    return total


def picks(condition: Expression | None, side: Relation, marks: Marks) -> bool:
    """Whether a condition equates a unique column of one side with something of the other: then it has one partner."""
    own = set(side.columns)
    unique = marks.unique & own
    parts = [] if condition is None else conjuncts(condition)
    return any(_equates(part, unique, own) for part in parts) or _whole_key(side, parts)


def _whole_key(side: Relation, parts: list[Expression]) -> bool:
    """Whether all keys of a group are equated, and the unit's columns, which joins equate themselves: one row is so."""
    if not isinstance(side, Group) or not side.keys:
        return False
    own = set(side.columns)
    unit = () if side.owner is None else side.owner.unit
    keys = [column for column, _ in side.keys if column not in unit]
    return all(any(_equates(part, {key}, own) for part in parts) for key in keys)


def _equates(part: Expression, unique: set[Column], own: set[Column]) -> bool:
    if not (isinstance(part, Call) and part.function == "eq"):
        return False
    return any(
        isinstance(this, Reference) and this.column in unique and not columns_in(other) & own
        for this, other in (part.arguments, part.arguments[::-1])
    )


def scans(relation: Relation, marks: Marks) -> int:
    """How many tables a relation reads, one that it reads twice as two."""
    if relation not in marks.scans:
        marks.scans[relation] = sum(scans(source, marks) for source in sources(relation)) or 1
    return marks.scans[relation]


def _refuse_scans(number: int) -> None:
    if number > MOST_SCANS:
        raise InvalidParameter(
            f"a statement reads tables at most {MOST_SCANS} times, wherever a name stands for one; join or unite fewer"
        )


def refuse_many_scans(parts: list[Relation], marks: Marks) -> None:
    """Raise where a union repeats rows too often."""
    _refuse_scans(sum(scans(part, marks) for part in parts))


def _refuse_public(relation: Relation, marks: Marks) -> None:
    """Public tables multiplied with each other are computed only if there is a row to join: that must cost little."""
    if _multiplied(relation, marks) > MOST_PUBLIC:
        raise InvalidParameter(
            f"at most {MOST_PUBLIC} public tables are multiplied before they are joined with rows of units: join them "
            "on a column that is declared unique"
        )


def _refuse_fans(relation: Relation, marks: Marks) -> None:
    if _fans(relation, marks) >= MOST_PUBLIC:
        raise InvalidParameter(
            f"rows of units are multiplied with public tables at most {MOST_PUBLIC} times: join them on a column that "
            "is declared unique"
        )


def _fans(relation: Relation, marks: Marks) -> int:
    """How often rows of units were joined with public rows of which many may fit."""
    below = max((_fans(source, marks) for source in sources(relation)), default=0)
    if not isinstance(relation, Join) or (relation.left.owner is None) == (relation.right.owner is None):
        return below
    public = relation.left if relation.left.owner is None else relation.right
    return below + (rows_of(public, marks) != 1 and not picks(relation.condition, public, marks))


def _multiplied(relation: Relation, marks: Marks) -> int:
    if isinstance(relation, Join):
        if any(picks(relation.condition, side, marks) for side in (relation.left, relation.right)):
            return max(_multiplied(relation.left, marks), _multiplied(relation.right, marks))
        return _multiplied(relation.left, marks) + _multiplied(relation.right, marks)
    if rows_of(relation, marks) == 1:
        return 0
    return max((_multiplied(source, marks) for source in sources(relation)), default=1)
