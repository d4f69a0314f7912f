"""Outward rounding: exact numbers in, many digits on the way, one rounding at the end, against us.

Closed forms are evaluated with 80 decimal digits. Python's decimal `exp`, `ln` and `sqrt` are correctly
rounded, so a formula of a few operations is right to far more than 40 digits; `float_up` and `float_down`
first step outward by a relative 1e-40 and then take the nearest float on that side. The result is a bound
and at most two ulp away.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, Context, Decimal, localcontext
from fractions import Fraction

from privet.loss.exact import Exact, exact_within, float_at_least

_PRECISE = Context(prec=80, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])
_OUTWARD = Decimal("1e-40")
_UP = Context(prec=40, rounding=ROUND_CEILING, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])
_LOST = Decimal("1e-76")  # more than a sum of numbers up to 1 loses
_CLOSE = Fraction(1, 10**30)  # ratios as close to 1 would lose their digits
_GROWN = Fraction(10**4)  # e^epsilon of more is taken at this: a smaller number


@contextmanager
def precise() -> Iterator[None]:
    """Compute with 80 decimal digits inside; also a decorator."""
    with localcontext(_PRECISE):
        yield


def nonnegative(number: Exact, name: str) -> Fraction:
    """Return the number that was meant, at least 0."""
    return exact_within(number, name, low=0)


def probability_of(number: Exact, name: str) -> Fraction:
    """Return the number that was meant, between 0 and 1."""
    return exact_within(number, name, low=0, high=1)


def decimal_of(number: Fraction) -> Decimal:
    """Return a fraction with the digits of the present context."""
    return Decimal(number.numerator) / Decimal(number.denominator)


def float_up(number: Fraction | Decimal) -> float:
    """Return a float that is not below `number`.

    A fraction gives the smallest float whose shortest decimal is not below it, because that decimal is what
    the float stands for wherever Privet reads it again: three tenths are 0.3. A decimal is the result of a
    computation and gives a float whose binary value is not below it either.

    Example:
        >>> float_up(Fraction(3, 10)), float_up(Fraction(1, 3)) > Fraction(1, 3)
        (0.3, True)
    """
    if isinstance(number, Fraction):
        return float_at_least(number)
    with precise():
        number += abs(number) * _OUTWARD
    candidate = _nearest(number)
    while candidate < number or _meant(candidate) < number:
        candidate = math.nextafter(candidate, math.inf)
    return candidate


def float_down(number: Fraction | Decimal) -> float:
    """Return a float that is not above `number`, in the sense of `float_up`."""
    return -float_up(-number)


def _nearest(number: Decimal) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def _meant(number: float) -> Decimal:
    """Return the shortest decimal of a float."""
    return Decimal(float.__repr__(number))


@precise()
def log_above(ratio: Fraction) -> Fraction:
    """Return ln(ratio) for a ratio >= 1 as a decimal of 40 digits, rounded up: what a person types is never as close.

    Proof: ln(1 + x) <= x, and x is more by a relative x/2 only.

    Example:
        >>> float(log_above(Fraction(3))), log_above(Fraction(1))
        (1.0986122886681098, Fraction(0, 1))
    """
    above = ratio - 1
    bound = decimal_of(above if above < _CLOSE else ratio)
    bound = bound if above < _CLOSE else bound.ln()
    return Fraction(_UP.plus(bound + abs(bound) * _OUTWARD))


@precise()
def exp_below(epsilon: Fraction) -> Fraction:
    """Return e^epsilon from below, to 40 digits: between it and the truth there is no ratio that anyone would type.

    Example:
        >>> exp_below(Fraction(0)), float(exp_below(Fraction(1)))
        (Fraction(1, 1), 2.718281828459045)
    """
    grown = Fraction(decimal_of(min(epsilon, _GROWN)).exp())
    return max(grown * (1 - Fraction(1, 10**40)), Fraction(1))


@precise()
def log_sampled(loss: Fraction, rate: Fraction) -> Fraction:
    """Return log(1 + rate (e^loss - 1)) as a decimal of 40 digits, rounded up.

    Proof: it is loss + log(rate + (1 - rate) e^-loss), whose digits cancel where it is small; of a tiny loss it is at
        most rate (e^loss - 1) <= rate loss (1 + loss).
    """
    if loss < _CLOSE:
        bound = decimal_of(rate * loss * (1 + loss))
    else:
        level, share = decimal_of(loss), decimal_of(rate)
        bound = level + (share + (1 - share) * (-level).exp()).ln() + (1 + level) * _LOST
    return Fraction(_UP.plus(bound + abs(bound) * _OUTWARD))


def sum_up(terms: list[float]) -> float:
    """Return the smallest float that is not below the exact sum of the terms.

    Proof: `math.fsum` rounds the exact sum correctly, and so does the second call for the remainder, whose
    sign is therefore exact.
    """
    total = math.fsum(terms)
    if math.isfinite(total) and math.fsum([*terms, -total]) > 0:
        return math.nextafter(total, math.inf)
    return total
