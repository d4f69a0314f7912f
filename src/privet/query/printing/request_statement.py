"""Requests: the bounded sums of an owned relation as one statement of a fixed shape.

    found    each row: unit u1.., keys k1.., argument x1.. of each measure (NULL if its condition is not true); if it
             has a second argument, y1..
    near     the same with x1.. in steps of the lattice, rounded                        (if arguments are real numbers)
    placed   the same with places a1.. on the lattice: whole numbers from 0 to `steps`, whatever was found; b1.. of y1..
    sampled  of those, at most `cap` of each unit (and group), by a hash of what is in them      (if sample)
    pairs    for each unit and group: rows n, and what each measure adds up                      (unless by_row)
    kept     of those, the first `groups` of each unit by a hash of unit and group               (if cap_groups)
    weights  for each unit (and group): `weight`, in parts of a row                              (if by_row)
    blocks   of those, sixteen in a row; then rows with the weight found there, `weighted`         (see blocks.py)
    weighed  what a unit adds to a group: each number held to cap / have of itself
    last     sums over units, by group, and how many units there are

For a request of members `weighed` has the number of the unit of each pair, and the last SELECT lists them by group.

The text is canonical: a second computation of the price reads limits and clips back from it.

Nothing overflows with up to 2^33 rows: a place is at most 2^32 and a number of a row at most `size` <= 2^60, so a
unit's sum is below 2^93, and times a cap of at most 2^31 below 2^124: `wide`, 127 bits, holds that, and sums over
units are no larger than over rows. Where size × cap < 2^30, 63 bits hold a unit's sum times the cap, and are used.
"""

from dataclasses import replace

from privet.errors import InvalidParameter
from privet.query.measures.request import SQUARE_STEPS, Bounded, Shape
from privet.query.printing.dialect import Dialect
from privet.query.printing.distinct_values import print_distinct
from privet.query.printing.members import print_members
from privet.query.printing.placed_rows import PlacedRows
from privet.query.printing.sampled_rows import print_sampled
from privet.query.printing.table_locations import Sources
from privet.query.printing.weighed_pairs import print_by_pair
from privet.query.printing.weighed_rows import print_by_row

MOST_CAP = 1 << 31
FARTHEST = 1 << 60  # the largest place of a lattice
FINEST_SQUARE = 1 << 20  # places of a lattice whose squares are added up


def print_request(request: Bounded, dialect: Dialect, sources: Sources) -> str:
    """The statement for a request.

    Its columns are the keys k1.., then m1_1.. for each measure's numbers, then `units` (unless by_row). A request of
    RANKS has k1.., `place` and m1_1; one of DISTINCT has k1.. and m1_1.

    Raises:
        InvalidParameter: if measures are asked for together that cannot be, or limits are beyond what can be computed.
    """
    _refuse(request)
    owner = request.source.owner
    assert owner is not None  # noqa: S101 - refused above
    context = PlacedRows(request, owner, dialect, sources)
    rows = context.rows()
    if any(measure.shape is Shape.DISTINCT for measure in request.measures):
        return print_distinct(context, rows)
    if request.members:
        return print_members(context, rows)
    if request.sample:
        rows = print_sampled(context, rows)
    return print_by_row(context, rows) if request.by_row else print_by_pair(context, rows)


def split(request: Bounded) -> tuple[Bounded, ...]:
    """Requests that can each be one statement: DISTINCT measures stand alone, and private groups have units counted."""
    joint = tuple(each for each in request.measures if each.shape is not Shape.DISTINCT)
    alone = tuple((each,) for each in request.measures if each.shape is Shape.DISTINCT)
    counted = joint or not alone or any(key.domain is None for key in request.keys)
    parts = ((joint,) if counted else ()) + alone
    return tuple(
        replace(request, measures=each, sample=request.sample and Shape.DISTINCT not in {one.shape for one in each})
        for each in parts
    )


def _refuse(request: Bounded) -> None:
    if request.source.owner is None:
        raise InvalidParameter("a bounded request needs an owned relation")
    shapes = [measure.shape for measure in request.measures]
    if len(shapes) > 1 and (Shape.RANKS in shapes or Shape.DISTINCT in shapes):
        raise InvalidParameter("RANKS and DISTINCT are asked for alone")
    if Shape.UNITS in shapes and request.by_row:
        raise InvalidParameter("units are counted by group only if each is held to so many groups: set cap_groups")
    if request.members and (shapes or not request.cap_groups):
        raise InvalidParameter("members are asked for alone, of units that are held to so many groups")
    limits = (request.limits.rows, request.groups, request.limits.cap)
    if not all(1 <= limit <= MOST_CAP for limit in limits):
        raise InvalidParameter(f"limits must be from 1 to {MOST_CAP}; declare smaller ones")
    for measure in (*request.measures, *(each.of_second for each in request.measures if each.second is not None)):
        span = measure.span
        if max(abs(span.first), abs(span.last), span.steps) > FARTHEST or float(span.step) <= 0:
            raise InvalidParameter("the bounds of an aggregate are too close for their size; declare wider ones")
        if measure.shape is Shape.SPREAD and span.steps > FINEST_SQUARE:
            raise InvalidParameter("the lattice of a variance has too many places; make it with SQUARE_STEPS")
        if measure.shape is Shape.PRODUCTS and span.steps > SQUARE_STEPS:
            raise InvalidParameter("a lattice of two arguments has too many places; make it with SQUARE_STEPS")
