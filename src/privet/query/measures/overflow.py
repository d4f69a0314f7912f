"""Overflow: what is done with the rows of a unit beyond its limit: all are weighed down, or some are chosen.

Say that a unit has n rows, more than the `cap` of them that may count, and that a row adds v to a number, between 0 and
`size`. Both ways estimate cap / n of the sum of all v. What each may be wrong by, in lattice steps:

* weighing down rounds toward 0. A unit's sum is wrong by less than 1; where rows are weighed one by one each is by less
  than 1 + size / PART (its own rounding, and that of the weight), so the unit by less than n (1 + size / PART). (What
  is left of a row's share for its third number takes two roundings: then it is 2 + size / PART.)
* sampling has a standard error. If half of the rows add nothing and half add `size`, its square is
  size²/4 × cap (n - cap) / (n - 1), and at least 8/9 × size²/4 for an odd n and any n > cap: more than size × 2/5.

So at worst weighing errs less for every unit with at most (size × 2/5) / (1 + size / PART) rows. That number is public.
Weighing is the choice unless said otherwise, if it covers units with sixteen times the rows that may count.
"""

from fractions import Fraction

from privet.query.measures.request import PART, Bounded, Measure, Shape
from privet.query.plan.limits import BOUNDING

WEIGH, SAMPLE = BOUNDING
CROWD = 16  # times as many rows as may count: what weighing must cover to be the choice
WORST = Fraction(2, 5)  # of a row's size: the standard error of sampling, at worst at least
CHOSEN = {Shape.UNITS, Shape.DISTINCT}  # groups and values: they cannot be weighed, and are chosen by a hash anyway


def weighs_up_to(request: Bounded) -> int | None:
    """With how many rows of a unit weighing errs less than sampling at worst; None if with any number.

    Example:
        >>> from privet.query.measures.request import Span
        >>> mean = Measure(Shape.MEAN, span=Span.between(Fraction(0), Fraction(1), whole=False))
        >>> _rows_for(mean)
        209715
    """
    if not request.by_row:
        return None
    return min((_rows_for(measure) for measure in request.measures if measure.shape not in CHOSEN), default=None)


def samples(request: Bounded) -> bool:
    """Whether rows are chosen: as the limits say, or else as public numbers say."""
    if not counts_rows(request):
        return False
    if request.limits.bounding is not None:
        return request.limits.bounding == SAMPLE
    most = weighs_up_to(request)
    return most is not None and most < CROWD * request.limits.cap


def counts_rows(request: Bounded) -> bool:
    """Whether rows are counted or added up, and so must be bounded."""
    return any(measure.shape not in CHOSEN for measure in request.measures)


def bounding_note(request: Bounded, *, whose: str) -> str:
    """Which way rows are bounded, why, and what it means for the truth that is estimated."""
    cap = request.limits.cap
    said = request.limits.bounding is not None
    by = "as was said" if said else "chosen from public numbers"
    if request.sample:
        return (
            f"rows are sampled ({by}): of a {whose} with more, {cap} count in full, chosen by a hash of what is in "
            "them, and the others not at all; averaged over such choices that is what weighing estimates"
        )
    most = weighs_up_to(request)
    whom = f"any {whose}" if most is None else f"a {whose} with up to {most:,} rows"
    return (
        f"rows are weighed, not sampled ({by}): each of n > {cap} rows counts {cap}/n, and what is estimated is that "
        f"sum, rounded toward 0; for {whom} sampling errs more at worst"
    )


def _rows_for(measure: Measure) -> int:
    steps = measure.span.steps
    sizes = {Shape.MEAN: steps, Shape.SPREAD: steps**2, Shape.PRODUCTS: measure.product_size}
    size = sizes.get(measure.shape, PART)
    if measure.shape is Shape.SUM:
        size = max(abs(measure.span.first), abs(measure.span.last), 1)
    rounded = 0 if measure.shape in {Shape.ROWS, Shape.RANKS} else max(1, measure.cells - 1)
    return int(size * WORST / (rounded + Fraction(size, PART)))
