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
ROUNDS = 400
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
    """Amounts of four digits, from this one on: a margin on a lattice falls only up to a step, so each is tried.

    Example:
        >>> from itertools import islice
        >>> [float(each) for each in islice(short_amounts(0.123456), 2)]
        [0.1235, 0.1236]
    """
    last = Fraction(0)
    for number in range(ROUNDS):
        found = Fraction(SHORT.create_decimal(repr(float(Fraction(amount) * (1 + number * RISE)))))
        if found != last:
            yield found
        last = found
