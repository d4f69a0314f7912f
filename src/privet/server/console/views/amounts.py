"""Amounts for people: what was spent is rounded up, what is left is rounded down."""

import math
import re
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from privet.loss import Amount, ConcentratedGuarantee, Guarantee, Promise
from privet.loss.exact import readable

LETTERS = {"epsilon": "ε", "rho": "ρ", "mu_squared": "μ²", "divergence": "D"}
DIGITS = 4
NUMBER = re.compile(r"[0-9]{0,30}(\.[0-9]{1,30})?(e-?[0-9]{1,2})?")
POWERS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
GAP = "\N{NO-BREAK SPACE}"


def letter_of(amount: Amount) -> str:
    """The letter of what is counted first."""
    unit = amount.units[0] if amount.units else "epsilon"
    return LETTERS.get(unit, unit)


def first_of(amount: Amount) -> Fraction:
    """What is counted first, exactly; 0 if it is without end, which no ledger charges."""
    part = amount.parts[0]
    return Fraction(0) if isinstance(part, float) and math.isinf(part) else Fraction(part)


def delta_of(amount: Amount) -> Fraction:
    """The δ that is counted beside it; 0 if there is none."""
    parts = dict(zip(amount.units, amount.parts, strict=False))
    found = parts.get("delta", 0)
    return Fraction(0) if isinstance(found, float) and math.isinf(found) else Fraction(found)


def number_words(number: Fraction | float, *, up: bool) -> str:
    """A number in a few digits, rounded up or down.

    Example:
        >>> number_words(Fraction(1, 3), up=True), number_words(Fraction(1, 3), up=False)
        ('0.3334', '0.3333')
    """
    if isinstance(number, float) and math.isinf(number):
        return "∞"
    exactly = Fraction(number)
    context = Context(prec=DIGITS, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    short = context.divide(Decimal(exactly.numerator), Decimal(exactly.denominator))
    return readable(Fraction(short))


def delta_words(delta: Fraction, *, up: bool = True) -> str:
    r"""A δ as a power of ten.

    Example:
        >>> delta_words(Fraction("1e-6")), delta_words(Fraction("3e-6")), delta_words(Fraction(0))
        ('10⁻⁶', '3\xa0·\xa010⁻⁶', '0')
    """
    if not delta:
        return "0"
    context = Context(prec=2, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    digits = context.divide(Decimal(delta.numerator), Decimal(delta.denominator)).normalize()
    power = digits.adjusted()
    front = digits.scaleb(-power).normalize()
    tail = f"10{str(power).translate(POWERS)}"
    return tail if front == 1 else f"{front:f}{GAP}·{GAP}{tail}"


def amount_words(amount: Amount, *, up: bool) -> str:
    r"""An amount on one line.

    Example:
        >>> amount_words(Amount(Fraction("0.3"), Fraction("1e-6"), units=("epsilon", "delta")), up=True)
        'ε\xa00.3 · δ\xa010⁻⁶'
    """
    first = f"{letter_of(amount)}{GAP}{number_words(amount.parts[0], up=up)}"
    delta = delta_of(amount)
    return f"{first} · δ{GAP}{delta_words(delta, up=up)}" if delta else first


def promise_words(promise: Promise) -> str:
    """A limit on one line."""
    if isinstance(promise, ConcentratedGuarantee):
        return f"ρ{GAP}{readable(promise.rho)}"
    first = f"ε{GAP}{readable(promise.epsilon)}"
    return f"{first}, δ{GAP}{delta_words(promise.delta)}" if promise.delta else first


def limit_of(promise: Promise, spent: Amount, remaining: Amount) -> Fraction:
    """A limit in what the ledger counts first: as it was declared, or what is spent and what is left together."""
    unit = spent.units[0] if spent.units else "epsilon"
    if isinstance(promise, Guarantee) and unit == "epsilon":
        return promise.epsilon
    if isinstance(promise, ConcentratedGuarantee) and unit == "rho":
        return promise.rho
    return first_of(spent) + first_of(remaining)


def typed_number(text: str) -> Fraction | None:
    """What somebody typed, if it is a number above 0; never by way of a float.

    Example:
        >>> typed_number(" 0.30 "), typed_number("1e-3"), typed_number("nan"), typed_number("-1"), typed_number("0")
        (Fraction(3, 10), Fraction(1, 1000), None, None, None)
    """
    plain = text.strip().replace(",", "").removeprefix("+")
    if not plain or not NUMBER.fullmatch(plain) or plain.startswith("e"):
        return None
    found = Fraction(plain)
    return found if found > 0 else None
