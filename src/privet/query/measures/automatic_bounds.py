"""Automatic bounds: where values lie, found by a paid first step, for aggregates of what has no bounds.

The rows of each such argument are counted in public bins, by sign and power of two, with noise. The bounds reach from
the first to the last bin whose noisy count is above a public threshold. What follows is clipped to them. How much noise
everything gets is known before anything is read: it is counted in lattice steps, of which there are as many whatever
the bounds are (`Span.found`).
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from privet.query.functions import call
from privet.query.measures.noise_margin import Floats, Noise
from privet.query.measures.readings import Linear
from privet.query.plan.aggregation import Aggregation, Function
from privet.query.plan.build import projected
from privet.query.plan.limits import ONE_ROW
from privet.query.plan.provenance import Marks
from privet.query.plan.statement import Aggregate, Key, Search
from privet.query.scalars.expressions import Column, Expression, Literal, Reference, facts_of
from privet.query.scalars.facts import Facts, Type

Ends: TypeAlias = tuple[Fraction, Fraction]
SMALLEST = -20  # numbers below 2^SMALLEST in absolute value are in the bin of 0
LARGEST = 51  # those from 2^(LARGEST - 1) on are in the last bin, whose end is 2^LARGEST
BINS = tuple(range(SMALLEST - LARGEST, LARGEST - SMALLEST + 1))  # of each sign, and 0 in the middle
WRONG = Fraction(1, 10_000)  # the probability that any bin without rows is taken for one with rows, at most
FALLBACK: Ends = (Fraction(-1), Fraction(1))  # if no bin is full enough


def search_for(source: Aggregate, argument: Expression, conditions: set[Expression | None]) -> Search:
    """A count of rows by bin; of the rows that count, if that is one and the same condition for all aggregates.

    Each unit counts as one row in all, divided among the bins of its rows: what the bins hold is then about units, and
    a unit with one row says as much as one with many. The argument becomes a column first: a bin mentions it often.
    """
    (condition,) = conditions if len(conditions) == 1 else (None,)
    wanted = [("number", argument), *([] if condition is None else [("counts", condition)])]
    rows, (number, *counts) = projected(source.source, wanted, marks=Marks())
    bin_ = bin_of(Reference(number))
    key = Key(Column("bin", facts_of(bin_)), bin_, BINS)
    count = Aggregation(Function.COUNT_ROWS, condition=Reference(counts[0]) if counts else None)
    item = (Column("rows", Facts(Type.INTEGER, nullable=False)), count)
    return Search(argument, Aggregate(rows, (key,), (item,), ONE_ROW))


def bin_of(number: Expression) -> Expression:
    """The bin of a number; NULL of NULL.

    Nothing but comparisons with powers of two, which are exact, and the same on every engine; a logarithm is neither.

    Example:
        >>> from privet.query.functions import evaluate
        >>> x = Column("x", Facts(Type.REAL))
        >>> [evaluate(bin_of(Reference(x)), {x: value}) for value in (None, 0.0, 1e-9, 1.5, -1.5, 3000.0, 1e300)]
        [None, 0, 0, 21, -21, 32, 71]
    """
    return call("case", call("is_null", number), Literal(None, Type.INTEGER), _bin_among(number, BINS))


def _bin_among(number: Expression, bins: Sequence[int]) -> Expression:
    """The bin of a number that is in one of several: it is compared with where their second half begins."""
    if len(bins) == 1:
        return Literal(bins[0], Type.INTEGER)
    below = bins[: len(bins) // 2]
    above = bins[len(bins) // 2 :]
    begin = Literal(float(ends_of(above[0])[0]), Type.REAL)
    reaches = call("ge" if above[0] > 0 else "gt", number, begin)  # of its ends a bin has the one nearer to 0
    return call("case", reaches, _bin_among(number, above), _bin_among(number, below))


def ends_of(bin_: int) -> Ends:
    """Where the numbers of a bin lie.

    Example:
        >>> [tuple(map(float, ends_of(bin_))) for bin_ in (21, -21, 32)]
        [(1.0, 2.0), (-2.0, -1.0), (2048.0, 4096.0)]
    """
    if bin_ < 0:
        low, high = ends_of(-bin_)
        return -high, -low
    high = Fraction(2) ** (bin_ + SMALLEST)
    return (high / 2 if bin_ else -high), high


def threshold_of(rows: Linear, noise: Noise) -> float:
    """The noisy count that a bin must exceed.

    Proof: a bin without rows exceeds it with probability at most WRONG / len(BINS): noise is symmetric, and its margin
        at a confidence of 1 - 2 WRONG / len(BINS) is exceeded on either side that often. Then the union over bins.
    """
    return rows.margin(noise, float(1 - 2 * WRONG / len(BINS)))


def found_ends(counts: Floats, threshold: float) -> Ends | None:
    """From the first to the last bin above the threshold; None if there is none.

    Args:
        counts: released, one for each of BINS.
        threshold: see `threshold_of`.
    """
    full = [bin_ for bin_, above in zip(BINS, np.asarray(counts) > threshold, strict=True) if above]
    return (ends_of(full[0])[0], ends_of(full[-1])[1]) if full else None
