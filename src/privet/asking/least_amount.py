"""least_amount: the least ε, or the like, at which a margin is small enough."""

import math
from collections.abc import Callable, Iterator
from decimal import ROUND_CEILING, Context
from fractions import Fraction

from privet.errors import InvalidParameter
from privet.loss.exact import readable

LEAST, MOST = 1e-9, 1e6  # of what is looked for
WIDEN = 1.2  # by which the ends are drawn apart until they hold it
CLOSE = 1.00002  # the largest ratio of the ends in the end
SHORT = Context(prec=4, rounding=ROUND_CEILING)  # digits of an ε that people read
FINE, COARSE = 100, 300  # how many amounts are tried, the second ones a hundredth apart
RISE = Fraction(1, 2000)


def least_amount(excess: Callable[[float], float], about: str, *, most: float = MOST) -> float:
    """The least amount at which a margin is at most once what was wanted, up to a little.

    Args:
        excess: the margin at an amount, divided by what was wanted; it falls as the amount grows, up to a step.
        about: what is to be so sure, for the message.
        most: no amount beyond this is tried.
    """
    high = 1.0
    for _ in range(4):  # margins nearly are in inverse proportion to amounts
        high = min(max(high * min(max(excess(high), 1e-3), 1e3), LEAST), most)
    while excess(high) > 1:
        if high >= most:
            raise InvalidParameter(f"no ε up to {readable(most)} makes {about} as sure as that: allow a larger error")
        high = min(high * WIDEN, most)
    low = high / WIDEN
    while low > LEAST and excess(low) <= 1:
        low, high = low / WIDEN, low
    while high > low * CLOSE:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if excess(middle) <= 1 else (middle, high)
    return high


def short_amounts(amount: float) -> Iterator[Fraction]:
    """Amounts of four digits, from this one on, up to twenty times as much: one of them is enough.

    A margin on a lattice falls only up to a step, and a sum of whole numbers is rounded more than each of them.

    Example:
        >>> from itertools import islice
        >>> [float(each) for each in islice(short_amounts(0.123456), 2)]
        [0.1235, 0.1236]
    """
    last = Fraction(0)
    rises = [float(1 + number * RISE) for number in range(FINE)]
    rises += [rises[-1] * 1.01**number for number in range(1, COARSE + 1)]
    for rise in rises:
        found = Fraction(SHORT.create_decimal(repr(amount * rise)))
        if found != last:
            yield found
        last = found
