"""Request: what the engine is asked for, and how far one unit can move it.

For each unit and group the engine adds up whole numbers of a public lattice, weighs them down to what the limits allow,
and adds up over the units. Only these sums of whole numbers leave the engine, and only for the mechanisms to draw
around. Weighing down: with `cap` the rows allowed and `have` the rows found (of the unit in this group, or in all if
the limit is `rows_per_unit`), a sum s becomes s if have <= cap, else s cap / have, rounded toward 0. Where rows are
weighted over any number of groups, and for RANKS, each row is weighed on its own (`Bounded.by_row`): with the weight
w = PART if have <= cap, else floor(PART cap / have), a number v becomes v w / PART, rounded toward 0, and a row w; of
several numbers of a row the last is what is left of their sum's share.

Two arguments: let u be the place of the first among S steps and v of the second among T. The three numbers of SPREAD
for u, times the three for v, are nine numbers >= 0 that add up to S² T², and every mean, square and product of the two
is read off them. They are divided by 2^`product_shift`, so that sums of 2^33 rows stay below 2^63: the first eight
rounded toward 0, the last what is left of S² T² / 2^shift, rounded toward 0. The eight add up to no more than that, so
that the last is >= 0 as well, and the nine add up to the same for every row (`product_size`). If either argument is
NULL, so are u or v and all nine: the row adds nothing.
"""

import enum
import math
from dataclasses import dataclass, replace
from fractions import Fraction

from privet.core import Sensitivity
from privet.core.sensitivity import root_above
from privet.loss import Neighbors
from privet.query.plan.limits import Limits
from privet.query.plan.relations import Relation
from privet.query.plan.statement import Key
from privet.query.scalars.expressions import Expression

REAL_STEPS = 1 << 20  # lattice steps between the bounds of a real number
SQUARE_STEPS = 1 << 14  # the same where squares are added up, so that 2^33 rows stay below 2^63
WHOLE_STEPS = 1 << 32  # whole numbers between wider bounds than this are treated as real ones
PRODUCT_SIZE = 1 << 28  # what a row adds to all products together, at most: 2^33 rows stay below 2^63
PART = 1 << 20  # parts of a row, where rows are weighted down over several groups
MANY = 1 << 31  # groups: a unit whose rows are weighted over all of them may be in any number
RANK_PLACES = 1 << 12  # places that ranks are counted at, at most
NARROWEST = 1 << 30  # one part of so many of the farther bound: floats tell its steps apart
SMALLEST = Fraction(1, 1 << 1000)  # between bounds: steps of it are numbers on every engine


class Shape(enum.Enum):
    """What is added up; u is the lattice place of a row's argument, from 0 to `steps`."""

    ROWS = "rows"  # 1 for each row
    UNITS = "units"  # 1 for each unit
    SUM = "sum"  # first + u
    MEAN = "mean"  # u and steps - u
    SPREAD = "spread"  # u², 2u(steps - u), (steps - u)²
    PRODUCTS = "products"  # each of these, times each of the second argument's, in parts of a row
    RANKS = "ranks"  # 1 for each row, by place on the lattice
    DISTINCT = "distinct"  # 1 for each distinct value, of at most rows-per-group (or rows-per-unit) of each unit


@dataclass(frozen=True)
class Span:
    """The piece of a lattice that an argument lies on: at step × place, for whole places from first to last.

    Proof that no unit moves more than stated: the engine computes the place from the row alone and clips it, so
        whatever it finds (NaN is no value, infinities are ends) a place lies between first and last.

    Example:
        >>> Span.between(Fraction(0), Fraction(110), whole=True)
        Span(step=Fraction(1, 8192), first=0, last=901120)
    """

    step: Fraction
    first: int
    last: int

    @classmethod
    def between(cls, low: Fraction, high: Fraction, *, whole: bool, most: int = REAL_STEPS) -> "Span":
        """The span of an argument between these bounds; of a whole number every value, if there are not too many.

        Where numbers are added up (`most` is not below SQUARE_STEPS) whole ones have places between them, as many as
        fit: a sum that is weighed down is rounded to a place, and would be 0 too often if places were far apart.
        Bounds that are equal, or nearly, are set apart toward 0 by as little as floats can tell: a constant keeps its
        value, and no number is farther from 0 than before. Places of ranks of whole numbers stay whole.

        Example:
            >>> constant = Span.between(Fraction(5, 2), Fraction(5, 2), whole=False)
            >>> constant.step * constant.last, constant.steps
            (Fraction(5, 2), 1048576)
        """
        if whole and (high > low or most < SQUARE_STEPS):
            first, last = math.ceil(low), math.floor(high)
            if 0 <= last - first <= min(most, WHOLE_STEPS) or (most == REAL_STEPS and 0 <= last - first <= WHOLE_STEPS):
                last = max(last, first + 1)
                finer = max(1, most // (last - first)).bit_length() - 1 if most >= SQUARE_STEPS else 0
                return cls(Fraction(1, 1 << finer), first << finer, last << finer)
        step = max(high - low, max(abs(low), abs(high)) / NARROWEST, SMALLEST) / most
        first, last = (math.floor(end / step + Fraction(1, 2)) for end in (low, high))
        return cls(step, last - most, last) if high - low < step * most and high > 0 else cls(step, first, first + most)

    @classmethod
    def found(cls, low: Fraction, high: Fraction, *, most: int, summed: bool) -> "Span":
        """The span of an argument whose bounds are found while the statement runs, with noise that is already set.

        There are always `most` steps between the bounds; for a SUM (`summed`) as many on either side of 0, up to the
        farther bound. So how far a unit moves numbers in steps does not depend on what was found.
        """
        far = max(abs(low), abs(high))
        if summed:
            return cls(far / most, -most, most)
        step = (high - low) / most
        first = math.floor(low / step + Fraction(1, 2))
        return cls(step, first, first + most)

    @property
    def steps(self) -> int:
        """How many there are from first to last."""
        return self.last - self.first


@dataclass(frozen=True)
class Measure:
    """One to three whole numbers for each group, or nine.

    Args:
        shape: what is added up.
        argument: of which expression; rows where it is NULL (or NaN) do not count. None: every row.
        condition: only of rows for which this is true.
        span: of the argument; counts of rows, units and distinct values do not use it.
        second: the other argument, of PRODUCTS: rows where either is NULL do not count.
        second_span: of that one.
        fine: whether RANKS are counted at each of the span's places, not at RANK_PLACES of them at most.
    """

    shape: Shape
    argument: Expression | None = None
    condition: Expression | None = None
    span: Span = Span(Fraction(1), 0, 1)
    second: Expression | None = None
    second_span: Span = Span(Fraction(1), 0, 1)
    fine: bool = False

    @property
    def cells(self) -> int:
        """How many numbers each group has."""
        return {Shape.MEAN: 2, Shape.SPREAD: 3, Shape.PRODUCTS: 9}.get(self.shape, 1)

    @property
    def product_shift(self) -> int:
        """By how many bits products of two squares are made smaller."""
        most = (self.span.steps * self.second_span.steps) ** 2
        return max(0, most.bit_length() - PRODUCT_SIZE.bit_length())

    @property
    def product_size(self) -> int:
        """What one row adds to its nine products together.

        Example:
            >>> fine = Span(Fraction(1), 0, 1 << 14)
            >>> Measure(Shape.PRODUCTS, span=fine, second_span=fine).product_size == PRODUCT_SIZE
            True
        """
        return (self.span.steps * self.second_span.steps) ** 2 >> self.product_shift

    @property
    def of_second(self) -> "Measure":
        """The measure whose argument is the second one: where that is placed on its lattice, it is placed alike."""
        return replace(self, argument=self.second, span=self.second_span)


@dataclass(frozen=True)
class Bounded:
    """A request to the engine: the measures of an owned relation, by group.

    Args:
        source: owned.
        keys: of the groups. A row whose key is outside a public domain does not count.
        limits: what is used of one unit.
        measures: what is added up.
        cap_groups: whether a unit is held to so many groups, chosen by a hash: always with `groups_per_unit`, and with
            `rows_per_unit` (that many groups) when groups are private, because then units are counted by group.
        sample: whether of a unit's rows only so many as may count are used, chosen by a hash. They are bounded like all
            rows, so no sensitivity depends on it; DISTINCT values and groups are chosen by hashes of their own.
        members: whether it asks for the units of each group, by number, and for no measure; units are then held to so
            many groups.
    """

    source: Relation
    keys: tuple[Key, ...]
    limits: Limits
    measures: tuple[Measure, ...]
    cap_groups: bool
    sample: bool = False
    members: bool = False

    @property
    def groups(self) -> int:
        """The most groups of one unit that count, or 1 if there are no keys."""
        if not self.keys:
            return 1
        return self.limits.groups_per_unit or self.limits.rows_per_unit or 1

    @property
    def spread(self) -> bool:
        """Whether rows are weighted over all groups of a unit, not within each."""
        return self.limits.rows_per_unit is not None

    @property
    def by_row(self) -> bool:
        """Whether each row is weighed on its own, not the sums of a unit in a group: units are not counted then."""
        loose = self.spread and bool(self.keys) and not self.cap_groups
        return loose or any(measure.shape is Shape.RANKS for measure in self.measures)

    @property
    def part(self) -> int:
        """What stands for one whole row in ROWS and RANKS: 1 where min(rows, cap) is all that is ever counted."""
        counts = [measure for measure in self.measures if measure.shape is Shape.ROWS]
        plain = all(measure.argument is None and measure.condition is None for measure in counts)
        return 1 if plain and not self.by_row and not (self.spread and self.keys) else PART


def rank_shift(span: Span, *, fine: bool = False) -> int:
    """By how many bits places are coarsened where ranks are counted, so that at most RANK_PLACES are left.

    Example:
        >>> rank_shift(Span(Fraction(1), 0, 110)), rank_shift(Span(Fraction(1), 0, 1 << 20))
        (0, 9)
    """
    return 0 if fine else max(0, span.steps.bit_length() - RANK_PLACES.bit_length() + 1)


def sensitivity(request: Bounded, measure: Measure, *, neighbors: Neighbors, copies: int = 1) -> Sensitivity:
    """How far one unit moves the numbers of a measure, over all groups, in lattice steps.

    Args:
        request: with the limits.
        measure: one of it.
        neighbors: whether a unit comes and goes, or is replaced by another.
        copies: how many of what the engine calls a unit one protected unit is: the length of the window for w-event
            privacy, else 1.

    Proof: let c be the rows of a unit that count in one group, in g groups; with rows_per_unit all of them may lie in
        one group, and otherwise add up to as many. A row adds numbers >= 0 that add up to at most `size`, and rounding
        toward 0 keeps that; a SUM adds one number of at most `size` in absolute value. So when a unit comes, L1 is at
        most size c g, one number moves by at most size c, and L2² <= size² c² g. When a unit is replaced, a - b with
        both as above: L1 and the squares at most double, and one number moves by at most size c, or for a SUM by the
        span of its ends and 0; where there is one number in all, that is the whole move. `copies` units move at most
        that many times as far (triangle inequality).
    """
    rows = 1 if measure.shape is Shape.UNITS else request.limits.cap
    groups = _groups_of(request, measure)
    places = (
        (measure.span.steps >> rank_shift(measure.span, fine=measure.fine)) + 1 if measure.shape is Shape.RANKS else 1
    )
    far = Fraction(_size(request, measure) * rows)
    if neighbors is Neighbors.ADD_REMOVE:
        reach = far
        l1 = far * groups
        l2 = root_above(far * far * groups)
        sides = 1
    else:
        reach = Fraction(_span(measure) * rows) if measure.shape is Shape.SUM else far
        l1 = 2 * far * groups
        l2 = root_above(max(reach * reach, 2 * far * far) * groups)
        sides = 2
        if not request.keys and measure.cells * places == 1:
            l1 = l2 = reach
    held = request.groups if request.cap_groups or not request.keys else MANY
    cells = sides * measure.cells * places * held
    return Sensitivity(reach * copies, cells=cells * copies, l1=l1 * copies, l2=l2 * copies)


def _groups_of(request: Bounded, measure: Measure) -> int:
    """In how many groups as many rows count as in one."""
    if measure.shape is Shape.UNITS:
        return request.groups if request.cap_groups or not request.keys else MANY
    return 1 if request.spread else request.groups  # all rows may lie in one group; k in k groups move less far in L2


def _size(request: Bounded, measure: Measure) -> int:
    """What one row adds at most, in absolute value, all numbers of a measure together."""
    steps = measure.span.steps
    match measure.shape:
        case Shape.UNITS | Shape.DISTINCT:
            return 1
        case Shape.ROWS | Shape.RANKS:
            return request.part
        case Shape.SUM:
            return max(abs(measure.span.first), abs(measure.span.last), 1)
        case Shape.MEAN:
            return steps
        case Shape.SPREAD:
            return steps * steps
        case Shape.PRODUCTS:
            return measure.product_size


def _span(measure: Measure) -> int:
    """How far apart two contributions of one row to a SUM can be; one that is absent adds 0."""
    return max(measure.span.last, 0) - min(measure.span.first, 0)
